// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario engine without a cluster: errors, stop, limits, expectations, the player.
#include "tests/rigs/lab/fake_process.h"
#include "tests/rigs/lab/lab_stage.h"

#include "gui/lab/control/control_client.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/script/lab_systems.h"

#include <QJSEngine>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;
using namespace std::chrono_literals;

namespace {

constexpr int kStopMs = 200; // Stop must act within 200 ms; this leaves room for a loaded machine
constexpr int kStopRoomMs = 5000;

ScriptSettings withPace(double pace)
{
    ScriptSettings settings;
    settings.pace = pace;
    return settings;
}

} // namespace

class LabTest : public QObject {
    Q_OBJECT
private slots:
    void aScriptThatHoldsEndsWell();
    void anErrorNamesFileLineAndReason_data();
    void anErrorNamesFileLineAndReason();
    void anUnknownNameNamesTheNearestOne();
    void syntaxThatThisEngineLacksGetsAHint_data();
    void syntaxThatThisEngineLacksGetsAHint();
    void checkingATextRunsNothingOfIt();
    void theGlobalNamesAreThoseOfTheList();
    void noCodeIsMadeFromText();
    void theObjectLabCannotBeChanged();
    void mathRandomIsLabRandom();
    void aStopEndsWhateverIsGoingOn_data();
    void aStopEndsWhateverIsGoingOn();
    void aStopEndsAWaitForASilentProcess();
    void functionsAtTheEndAreCalledHoweverItEnds();
    void aRunawayLoopEndsAtTheLimit();
    void aLoopAtTheEndIsEndedToo();
    void deepRecursionIsAnErrorOfTheScript();
    void aScriptMayRunAgainAfterAnother();
    void anExpectationThatFailsEndsTheScript();
    void keepGoingCountsWhatFails();
    void equalityIsInDepth();
    void parametersAreReplacedFromOutside();
    void aSeedGivesTheSameNumbers();
    void thePlayerStopsBeforeStepsAndCalls();
    void captionsTakeTimeOnlyAtAPace();
    void whatTheEngineWouldNotSurviveIsAnErrorWithItsLine_data();
    void whatTheEngineWouldNotSurviveIsAnErrorWithItsLine();
    void theBoundedBuiltInsDoWhatTheyDid();
    void aScriptThatEatsMemoryEndsAndTheNextOneRuns();
    void theRowsOfARunHaveABound();
    void casesOfATableAreTheirFactors();
};

void LabTest::whatTheEngineWouldNotSurviveIsAnErrorWithItsLine_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* source, const char* message) {
        QTest::newRow(name) << QString(source) << QString(message);
    };
    row("a list in itself is printed", "const m = [1]; m.push(m); lab.print(m);",
        "A value given to lab.print cannot be taken: it contains itself.");
    row("an object in itself is an option",
        "const o = {}; o.a = { o }; lab.measure({ name: 'x', run: () => ({}), constants: o });", "contains itself");
    row("a list in itself as text", "const m = [1]; m.push(m); String(m);", "a list that contains itself has no text");
    row("a list in itself is thrown", "const m = [1]; m.push(m); throw m;",
        "The script threw a value that has no text");
    row("a list in itself is given back", "const m = [1]; m.push(m); lab.waitUntil(() => m);",
        "What the function returned cannot be taken: it contains itself.");
    row("deep", "let a = []; for (let i = 0; i < 20000; i++) a = [a]; lab.print(a);", "deeper than 100 levels");
    row("deep, as text", "let a = []; for (let i = 0; i < 20000; i++) a = [a]; String(a);",
        "Maximum call stack size exceeded");
    row("many", "const a = []; for (let i = 0; i < 11; i++) a.push(new Array(100000)); lab.print(a);",
        "more than 1000000 values");
    row("a long text", "let s = 'x'; for (let i = 0; i < 28; i++) s += s; lab.print(s);", "more than 16777216 letters");
    row("a nested regular expression", "new RegExp('('.repeat(500000) + ')'.repeat(500000));",
        "A regular expression of 1000000 is more than the 10000");
    row("a text as a regular expression", "'a'.match('('.repeat(500000));", "A regular expression of 500000");
    row("many proxies", "let q = {}; for (let i = 0; i < 1000000; i++) q = new Proxy(q, {}); q.x;",
        "A number of proxies of 10001");
    row("a call in itself", "const o = {}; o.toJSON = JSON.stringify.bind(null, o); JSON.stringify(o);",
        "Maximum call stack size exceeded");
    row("a text of itself", "const o = {}; o.toString = String.prototype.trim; '' + o;",
        "Maximum call stack size exceeded");
    row("repeat", "'x'.repeat(100000000);", "A text of 100000000 is more than the 16777216");
    row("padStart", "'x'.padStart(1000000000);", "A text of 1000000000");
    row("replace", "'x'.repeat(100000).replace(/x/g, 'y'.repeat(100000));", "A text of");
    row("join", "new Array(1000000).join('x'.repeat(1000));", "A text of");
    row("fill", "new Array(500000000).fill(1);", "A list of 500000000 is more than the 10000000");
    row("concat", "let a = [1]; for (;;) a = a.concat(a);", "A list of");
    row("a list of a length", "Array.from({ length: 300000000 });", "A list of 300000000");
    row("a buffer", "new ArrayBuffer(2000000000);", "A buffer of 2000000000");
    row("a typed list", "new Float64Array(300000000);", "A list of 300000000");
}

void LabTest::whatTheEngineWouldNotSurviveIsAnErrorWithItsLine()
{
    QFETCH(QString, source);
    QFETCH(QString, message);
    Stage stage;
    const ScriptResult result = stage.play("lab.print('begun');\n\n" + source);
    QCOMPARE(result.outcome, ScriptOutcome::ScriptError);
    QVERIFY2(result.message.contains(message), qPrintable(result.message));
    QCOMPARE(result.line, 3);
    QCOMPARE(stage.play("lab.expect(true, 'goes on');").outcome, ScriptOutcome::Held);
}

// A literal is compiled before anything can be checked: the stack has room for all that a file of 1 MiB can nest.
void LabTest::theBoundedBuiltInsDoWhatTheyDid()
{
    QVERIFY(!ScriptEngine::check("/" + QString(250'000, '(') + QString(250'000, ')') + "/;"));
    Stage stage;
    const ScriptResult result = stage.play(R"(const is = (a, b) => lab.expectEqual(a, b, 'as ever');
        is([3, 1, 2].sort(), [1, 2, 3]); is([10, 9, 1].sort(), [1, 10, 9]);
        is([1, 3, 2].sort((a, b) => b - a), [3, 2, 1]);
        is([[1, 'a'], [0, 'b'], [1, 'c'], [0, 'd']].sort((a, b) => a[0] - b[0]).map(x => x[1]).join(''), 'bdac');
        const holes = [3, , undefined, 1].sort(); is(holes.length, 4); is(holes[0], 1); is(2 in holes, true);
        is(3 in holes, false);
        is([1, [2, [3]], null, undefined, 'x'].join('-'), '1-2,3---x'); is(String([1, [2]]), '1,2');
        is([1, 2].toLocaleString(), '1,2');
        is(new Array(3).fill(7), [7, 7, 7]); is([1, 2, 3, 4].fill(0, -3, -1), [1, 0, 0, 4]);
        is([1].concat(2, [3, [4]]), [1, 2, 3, [4]]);
        const list = []; is(list.push(1), 1); is(list.push(2, 3), 3); is(list, [1, 2, 3]);
        is(Array.from('abc'), ['a', 'b', 'c']); is(Array.from({ length: 2 }, (v, i) => i), [0, 1]);
        is(Array.from(new Set([1, 1])), [1]);
        is('ab'.repeat(2), 'abab'); is('a'.padStart(3, 'x'), 'xxa'); is('a,b'.split(','), ['a', 'b']);
        is('aXbX'.replace(/X/g, () => 'y'), 'ayby');
        is(/a(b)/.exec('xab')[1], 'b'); is('ab'.match('b').index, 1); is(new RegExp('a', 'g').flags, 'g');
        is(RegExp('a') instanceof RegExp, true);
        is(/x/ instanceof RegExp, true); is(new Uint8Array([1, 2]) instanceof Uint8Array, true);
        is(new Float64Array([1, 2]).join('-'), '1-2');
        is(new ArrayBuffer(8).byteLength, 8); is(Uint8Array.from([1, 2]).length, 2);
        is(Uint8Array.BYTES_PER_ELEMENT, 1);
        class M extends Map {} is(new M([[1, 2]]).get(1), 2); class R extends RegExp {} is(new R('a').test('a'), true);
        function F(a, b) { this.sum = a + b; } is(new (F.bind(null, 1))(2).sum, 3); is(Math.max.bind(null, 3)(2, 4), 4);
        is(Math.max.apply(null, [1, 2]), 2); is(((...all) => all.length).call(null, 1, 2), 2);
        is(new Proxy({ a: 1 }, {}).a, 1);
        is(({ a: 1 }).hasOwnProperty('a'), true); is(Object.prototype.toString.call([]), '[object Array]');
        is(new Map([[1, 2]]).size, 1);
        const many = []; for (let i = 0; i < 100000; ++i) many.push(i); is(Math.max(...many), 99999);)");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence()));
    QCOMPARE(result.expectationsHeld, 45);
}

void LabTest::aScriptThatEatsMemoryEndsAndTheNextOneRuns()
{
    ScriptSettings settings;
    settings.memoryBytes = 96 << 20;
    // Memory grows by calls of the engine, which report their line, or without any call.
    for (const char* source :
        { "lab.atEnd(() => lab.print('end')); lab.print('a');\nconst a = [];\nfor (;;)\n  a.push({ x: 1, y: [2] });",
            "lab.atEnd(() => lab.print('end'));\n\n\nlab.print('b'); let a = null; for (;;) a = { a };" }) {
        Stage stage;
        const ScriptResult result = stage.play(source, settings);
        QCOMPARE(result.outcome, ScriptOutcome::ScriptError);
        QVERIFY2(result.message.contains("needs more than 96 MiB of memory"), qPrintable(result.message));
        QCOMPARE(result.line, 4);
        QCOMPARE(stage.listener.lines.last(), QString("print end"));
        QCOMPARE(stage.play("lab.expect(true, 'goes on');").outcome, ScriptOutcome::Held);
    }
}

void LabTest::theRowsOfARunHaveABound()
{
    Stage stage;
    ScriptSettings settings;
    settings.rowsMax = 100;
    const ScriptResult result = stage.play(
        "let i = 0;\nfor (;;) lab.row(i % 2 ? 'odd' : 'even', { i: i++ });", settings);
    QCOMPARE(result.outcome, ScriptOutcome::ScriptError);
    QCOMPARE(result.line, 2);
    QVERIFY2(result.message.contains("at most 100 rows"), qPrintable(result.message));
    QCOMPARE(stage.engine.tables().rows(), std::size_t(100));
    QVERIFY(stage.play("for (;;) lab.measure({ name: 'x', repetitions: 10, run: () => ({ a: 1 }) });", settings)
                .message.contains("at most 100 rows"));
    QCOMPARE(ScriptSettings().rowsMax, std::size_t(250'000));
}

void LabTest::casesOfATableAreTheirFactors()
{
    LabTable table;
    const auto add = [&table](const QVariant& factor, double value) {
        table.add({ "counts", 1, false, 0, { { "a", factor } }, { { "v", value } } }, { "a" }, { "v" });
    };
    add("1", 1);
    add(1.0, 2);
    add("x", 3);
    add("1", 5);
    add(true, 4);
    add("true", 6);
    const auto cases = table.summary();
    QCOMPARE(cases.size(), std::size_t(5)); // a string and an equal number are different cases
    QCOMPARE(cases[0].n, 2);
    QCOMPARE(cases[0].metrics.at("v").median, 3.0);
    QCOMPARE(cases[1].metrics.at("v").median, 2.0);
    QCOMPARE(cases[4].factors.at("a").toString(), QString("true"));
}

void LabTest::aScriptThatHoldsEndsWell()
{
    Stage stage;
    const ScriptResult result = stage.play(
        "lab.step('a', 'one'); lab.print('x', 1, [1, 2], { a: null }, lab.data([1, 2]), lab.parity(1, 0));\n"
        "lab.expect(true, 'truth');");
    QCOMPARE(result.outcome, ScriptOutcome::Held);
    QCOMPARE(result.expectationsHeld, 1);
    QCOMPARE(stage.listener.lines,
        QStringList({ "step a one", "print x 1 [1,2] {\"a\":null} data 1, data 2 parity 1.0", "ok 2 truth" }));
    QVERIFY(result.sentence().isEmpty());
}

void LabTest::anErrorNamesFileLineAndReason_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("message"); // a part of it
    QTest::newRow("syntax") << "lab.now();\n\nlet x = ;\n"
                            << 3 << ""
                            << "SyntaxError";
    QTest::newRow("unknown name") << "\nfunction f() {\n    nothing + 1;\n}\nf();" << 3 << ""
                                  << "nothing is not defined";
    QTest::newRow("type") << "const a = null;\n\na.b.c;" << 3 << ""
                          << "TypeError";
    QTest::newRow("thrown error") << "\nthrow new Error('mine');" << 2 << ""
                                  << "mine";
    QTest::newRow("thrown string") << "\n\nthrow 'words';" << 3 << ""
                                   << "words";
    QTest::newRow("strict mode") << "\nundeclared = 3;" << 2 << ""
                                 << "undeclared";
    QTest::newRow("inside lab") << "\n\nlab.say(5);" << 3 << "BadArgument"
                                << "text of lab.say must be a string, not 5";
    QTest::newRow("inside a function") << "function f() {\n  lab.pick([]);\n}\n\nf();" << 2 << "BadArgument"
                                       << "at least one";
    QTest::newRow("inside a callback") << "lab.waitUntil(() => {\n  lab.randomInt(3, 1);\n  return true;\n});" << 2
                                       << "BadArgument"
                                       << "low <= high";
    QTest::newRow("error in a callback") << "lab.waitUntil(() => {\n  return nothing.here;\n});" << 2 << ""
                                         << "nothing is not defined";
    QTest::newRow("caught and thrown again")
        << "try {\n  lab.pick([]);\n} catch (e) {\n  throw e;\n}" << 2 << "BadArgument"
        << "at least one";
    QTest::newRow("missing argument") << "lab.step('a');" << 1 << "BadArgument"
                                      << "needs its argument title";
    QTest::newRow("too many") << "lab.now(1);" << 1 << "BadArgument"
                              << "takes no arguments";
    QTest::newRow("no cluster") << "\nlab.file();" << 2 << "NoCluster"
                                << "lab.file needs a cluster";
    QTest::newRow("unknown event") << "lab.waitFor('SplitFinnished');" << 1 << "BadArgument"
                                   << "no event SplitFinnished";
    QTest::newRow("not awaited long") << "lab.waitFor('SplitFinished', { timeout: 0.05 });" << 1 << "Timeout"
                                      << "0 of 1 SplitFinished after 0.05 s: no event was seen";
    QTest::newRow("condition") << "lab.waitUntil(() => 0, { timeout: 0.05 });" << 1 << "Timeout"
                               << "its last value is 0";
}

void LabTest::anErrorNamesFileLineAndReason()
{
    QFETCH(QString, source);
    QFETCH(int, line);
    QFETCH(QString, code);
    QFETCH(QString, message);
    Stage stage;
    const ScriptResult result = stage.play(source);
    QVERIFY(result.outcome == ScriptOutcome::ScriptError || result.outcome == ScriptOutcome::NoCluster);
    QVERIFY2(result.message.contains(message), qPrintable(result.message));
    QCOMPARE(result.line, line);
    QCOMPARE(result.code, code);
    QVERIFY2(result.sentence().startsWith(QString("test.js, line %1: ").arg(line)), qPrintable(result.sentence()));
}

void LabTest::anUnknownNameNamesTheNearestOne()
{
    Stage stage;
    QVERIFY(stage.play("lab.cluster({ recordbytes: 3 });")
                .sentence()
                .contains("no option recordbytes. Did you mean recordBytes?"));
    QVERIFY(
        stage.play("lab.clutser({});").sentence().contains("lab.clutser does not exist. Did you mean lab.cluster?"));
    QVERIFY(stage.play("lab.waitFor('RecordInsert');").sentence().contains("Did you mean RecordInserted?"));
    QVERIFY(stage.play("lab.measure({ name: 'x', reptitions: 2, run: () => ({}) });")
                .sentence()
                .contains("Did you mean repetitions?"));
    QVERIFY(stage.play("lab.camera({ layout: 'group' });").sentence().contains("one of 'groups', 'processes'"));
    // A former name gets the present one.
    QVERIFY(stage.play("lab.lamps();").sentence().contains("lab.lamps is now called lab.invariants."));
    QVERIFY(stage.play("lab.expectLamps({ ids: ['I1'], checked: true });")
                .sentence()
                .contains("lab.expectLamps is now called lab.expectInvariants."));
    // A name that resembles none gets the whole list.
    QVERIFY(stage.play("lab.addSpares({ zzzzzz: 3 });").sentence().contains("Its options are data, parity, timeout."));
}

void LabTest::syntaxThatThisEngineLacksGetsAHint_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("hint");
    QTest::newRow("object spread") << "const a = { ...{ b: 1 } };"
                                   << "Object.assign";
    QTest::newRow("catch without a name") << "try { f(); } catch { }"
                                          << "catch (e)";
    QTest::newRow("async") << "async function f() { await 1; }"
                           << "async";
    QTest::newRow("BigInt") << "const a = 10n;"
                            << "BigInt";
    QTest::newRow("separator") << "const a = 1_000;"
                               << "write 1000";
    QTest::newRow("module") << "import x from 'y';"
                            << "no modules";
}

void LabTest::syntaxThatThisEngineLacksGetsAHint()
{
    QFETCH(QString, source);
    QFETCH(QString, hint);
    Stage stage;
    const ScriptResult result = stage.play("\n" + source);
    QCOMPARE(result.outcome, ScriptOutcome::ScriptError);
    QCOMPARE(result.line, 2);
    QVERIFY2(result.hint.contains(hint), qPrintable(result.hint));
    const auto problem = ScriptEngine::check("\n" + source);
    QVERIFY(problem);
    QCOMPARE(problem->line, 2);
    QVERIFY2(problem->hint.contains(hint), qPrintable(problem->hint));
}

void LabTest::checkingATextRunsNothingOfIt()
{
    QVERIFY(!ScriptEngine::check("while (true) { }"));
    QVERIFY(!ScriptEngine::check("throw new Error('not run');"));
    QVERIFY(!ScriptEngine::check("const a = lab.data(1); // a comment at the end"));
    const auto problem = ScriptEngine::check("let a = 1;\nlet b = (2;\n");
    QVERIFY(problem);
    QCOMPARE(problem->line, 2);
}

void LabTest::theGlobalNamesAreThoseOfTheList()
{
    static const QStringList kNames { "Array", "ArrayBuffer", "Boolean", "DataView", "Error", "EvalError",
        "Float32Array", "Float64Array", "Infinity", "Int16Array", "Int32Array", "Int8Array", "JSON", "Map", "Math",
        "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "ReferenceError", "Reflect", "RegExp", "Set",
        "String", "Symbol", "SyntaxError", "TypeError", "URIError", "URL", "URLSearchParams", "Uint16Array",
        "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakSet", "decodeURI", "decodeURIComponent",
        "encodeURI", "encodeURIComponent", "escape", "isFinite", "isNaN", "lab", "parseFloat", "parseInt", "undefined",
        "unescape" };
    Stage stage;
    QJSEngine engine;
    ScriptSettings settings;
    LabTables tables;
    LabCharts charts;
    LabContext context { stage.session.ingest(), stage.session.control(), stage.session.local(),
        stage.session.witnesses(), stage.listener, settings, engine, {}, [] { return std::stop_token(); },
        [](double) {}, tables, charts, labSystems() };
    Lab lab(context, [](int, const CallReference&) {});
    lab.install();
    QJSValue names
        = engine.globalObject().property("Object").property("getOwnPropertyNames").call({ engine.globalObject() });
    QStringList there = names.toVariant().toStringList();
    there.sort();
    QCOMPARE(there, kNames);
}

void LabTest::noCodeIsMadeFromText()
{
    Stage stage;
    for (const char* source :
        { "eval('1');", "new Function('return 1');", "(function () {}).constructor('return 1')();",
            "(() => 1).constructor('return 1')();", "(function* () {}).constructor('yield 1');",
            "lab.now.constructor('return 1')();", "lab.data(1).toString.constructor('return 1')();",
            "Object.getPrototypeOf(function () {}).constructor('return 1')();", "new Date();",
            "[].map.constructor('return 1')();" }) {
        const ScriptResult result = stage.play(source);
        QVERIFY2(result.outcome == ScriptOutcome::ScriptError, source);
    }
}

void LabTest::theObjectLabCannotBeChanged()
{
    Stage stage;
    for (const char* source : { "lab.say = () => 1;", "lab.mine = 1;", "delete lab.say; lab.say('x'); throw 1;",
             "Object.defineProperty(lab, 'x', { value: 1 });", "Object.setPrototypeOf(lab, {}); throw 1;",
             "lab.data(1).role = 'parity';",
             "lab.data.call = 1; lab.expect(lab.data.call === 1, ''); lab.data(1); throw 1;" }) {
        const ScriptResult result = stage.play(source);
        QVERIFY2(result.outcome == ScriptOutcome::ScriptError, source);
    }
    QCOMPARE(stage.play("lab.say('still there');").outcome, ScriptOutcome::Held);
}

void LabTest::mathRandomIsLabRandom()
{
    Stage stage;
    stage.play("lab.seed(3); const a = lab.random(); lab.seed(3); lab.expectEqual(Math.random(), a, 'the same'); "
               "lab.expect(a >= 0 && a < 1, 'in range');");
    QCOMPARE(stage.engine.result().expectationsHeld, 2);
}

void LabTest::aStopEndsWhateverIsGoingOn_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<double>("pace");
    QTest::newRow("an endless loop") << "while (true) { }" << 0.0;
    QTest::newRow("a loop that catches everything")
        << "while (true) { try { while (true) { } } catch (e) { } finally { } }" << 0.0;
    QTest::newRow("a generator") << "function* g() { while (true) yield 1; } for (const x of g()) { }" << 0.0;
    QTest::newRow("waitFor") << "lab.waitFor('SplitFinished', { timeout: 1000 });" << 0.0;
    QTest::newRow("waitFor inside try")
        << "try { lab.waitFor('SplitFinished', { timeout: 1000 }); } catch (e) { while (true) { } }" << 0.0;
    QTest::newRow("waitUntil") << "lab.waitUntil(() => false, { timeout: 1000 });" << 0.0;
    QTest::newRow("a loop inside waitUntil") << "lab.waitUntil(() => { while (true) { } });" << 0.0;
    QTest::newRow("waitUntil inside expectError")
        << "lab.expectError('Timeout', () => lab.waitUntil(() => false, { timeout: 1000 }));" << 0.0;
    QTest::newRow("a measurement") << "lab.measure({ name: 'x', repetitions: 100000, run: () => { lab.waitUntil(() => "
                                      "false, { timeout: 1000 }); return { a: 1 }; } });"
                                   << 0.0;
    QTest::newRow("dwell") << "lab.dwell(1000);" << 1.0;
    QTest::newRow("a long caption") << "lab.say('word '.repeat(10000));" << 1.0;
    QTest::newRow("a question") << "lab.predict({ text: 'which?', choices: ['a', 'b'] });" << 0.0;
    QTest::newRow("a sort with a slow comparison")
        << "const a = []; for (let i = 0; i < 1000; ++i) a.push(i * 7 % 1000); while (true) a.sort((x, y) => { for "
           "(let i = 0; i < 1000; ++i) { } return x - y; });"
        << 0.0;
}

void LabTest::aStopEndsWhateverIsGoingOn()
{
    QFETCH(QString, source);
    QFETCH(double, pace);
    Stage stage;
    stage.listener.waitsForVotes = true;
    const qint64 time = stage.stopAfterReady(
        "lab.print('ready');\n" + source + "\nlab.print('not reached');", withPace(pace));
    QVERIFY(!stage.engine.isRunning());
    QCOMPARE(stage.engine.result().outcome, ScriptOutcome::Stopped);
    QCOMPARE(stage.engine.result().code, QString("Stopped"));
    QVERIFY(!stage.listener.lines.contains("print not reached"));
    QVERIFY2(time < kStopRoomMs, qPrintable(QString::number(time)));
    if (time > kStopMs)
        qInfo("stopped after %lld ms", static_cast<long long>(time));
}

void LabTest::aStopEndsAWaitForASilentProcess()
{
    // A coordinator that introduces itself, and then sends nothing.
    FakeProcess coordinator(1, pb::COORDINATOR, "coordinator");
    Stage stage;
    stage.session.control().addProcess(coordinator.info());
    ScriptSettings settings;
    settings.mayStartCluster = false;
    const qint64 time = stage.stopAfterReady("lab.print('ready'); lab.cluster({ timeout: 1000 });", settings);
    QCOMPARE(stage.engine.result().outcome, ScriptOutcome::Stopped);
    QVERIFY2(time < kStopRoomMs, qPrintable(QString::number(time)));
}

void LabTest::functionsAtTheEndAreCalledHoweverItEnds()
{
    const QString atEnd = "lab.atEnd(() => lab.print('first')); lab.atEnd(() => lab.print('second'));";
    Stage held, failed, stopped;
    held.play(atEnd);
    QCOMPARE(held.listener.lines, QStringList({ "print second", "print first" }));
    failed.play(atEnd + "throw new Error('x');");
    QCOMPARE(failed.listener.lines, QStringList({ "print second", "print first" }));
    stopped.stopAfterReady(atEnd + "lab.print('ready'); while (true) { }");
    QCOMPARE(stopped.listener.lines, QStringList({ "print ready", "print second", "print first" }));
    QCOMPARE(stopped.engine.result().outcome, ScriptOutcome::Stopped);
    Stage bad;
    const ScriptResult result = bad.play("lab.atEnd(() => {\n throw new Error('late'); });");
    QCOMPARE(result.outcome, ScriptOutcome::ScriptError);
    QCOMPARE(result.line, 2);
    QVERIFY(result.message.contains("lab.atEnd"));
}

void LabTest::aRunawayLoopEndsAtTheLimit()
{
    Stage stage;
    ScriptSettings settings;
    settings.limit = 100ms;
    const ScriptResult result = stage.play("lab.print('x');\nwhile (true) { }", settings);
    QCOMPARE(result.outcome, ScriptOutcome::Stopped);
    QVERIFY(result.isLimitReached);
    QVERIFY2(result.message.contains("0.1 s"), qPrintable(result.message));
}

void LabTest::aLoopAtTheEndIsEndedToo()
{
    Stage stage;
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(ScriptSettings().endLimit, std::chrono::milliseconds(10s)); // the default
    ScriptSettings settings;
    settings.endLimit = 300ms;
    stage.engine.start("lab.atEnd(() => { while (true) { } });", "test.js", settings);
    QVERIFY(stage.engine.wait(60s));
    QVERIFY(timer.elapsed() >= 250);
}

void LabTest::deepRecursionIsAnErrorOfTheScript()
{
    Stage stage;
    const ScriptResult result = stage.play("function f(n) {\n  return f(n + 1) + 1;\n}\nf(0);");
    QCOMPARE(result.outcome, ScriptOutcome::ScriptError);
    QVERIFY2(result.message.contains("RangeError"), qPrintable(result.message));
    QVERIFY(result.line >= 1);
    QCOMPARE(stage.play("function f(n) { return lab.waitUntil(() => f(n + 1)); }\nf(0);").outcome,
        ScriptOutcome::ScriptError);
    QCOMPARE(stage.play("lab.expect(true, 'goes on');").outcome, ScriptOutcome::Held);
}

void LabTest::aScriptMayRunAgainAfterAnother()
{
    Stage stage;
    for (int i = 0; i < 20; ++i)
        QCOMPARE(stage.play("let a = 1; lab.expectEqual(a, 1, 'fresh'); a = 2;").outcome, ScriptOutcome::Held);
}

void LabTest::anExpectationThatFailsEndsTheScript()
{
    Stage stage;
    const ScriptResult result = stage.play(
        "lab.expect(true, 'one');\nlab.expectEqual({ a: [1, 2] }, { a: [1, 3] }, 'two');\nlab.print('not reached');");
    QCOMPARE(result.outcome, ScriptOutcome::ExpectationFailed);
    QCOMPARE(result.line, 2);
    QCOMPARE(result.expectationsHeld, 1);
    QCOMPARE(result.expectationsFailed, 1);
    QCOMPARE(stage.listener.lines.last(), QString("no 2 two: got {\"a\":[1,2]}, wanted {\"a\":[1,3]}"));
}

void LabTest::keepGoingCountsWhatFails()
{
    Stage stage;
    ScriptSettings settings;
    settings.keepGoing = true;
    const ScriptResult result = stage.play(
        "lab.expect(false, 'a'); lab.expectWithin(3, 1, 2, 'b'); lab.expectError('Timeout', () => 1); "
        "lab.expectWithin(2, 1, 2, 'c'); lab.print('reached');",
        settings);
    QCOMPARE(result.outcome, ScriptOutcome::ExpectationFailed);
    QCOMPARE(result.expectationsFailed, 3);
    QCOMPARE(result.expectationsHeld, 1);
    QCOMPARE(stage.listener.lines.last(), QString("print reached"));
    QVERIFY(stage.listener.lines.contains("no 1 an error Timeout: got no error"));
}

void LabTest::equalityIsInDepth()
{
    Stage stage;
    const ScriptResult result = stage.play(
        "const equal = (a, b) => lab.expectEqual(a, b, 'equal');\n"
        "const differ = (a, b) => lab.expectError('ExpectationFailed', () => lab.expectEqual(a, b, 'differ'));\n"
        "equal(1, 1); equal('a', 'a'); equal([], []); equal({}, {}); equal([1, [2, { a: null }]], [1, [2, { a: null "
        "}]]); equal(NaN, NaN); equal(undefined, undefined);\n"
        "differ(1, '1'); differ([1], [1, 2]); differ({ a: 1 }, { a: 1, b: 2 }); differ({ a: 1, b: 2 }, { a: 1, c: 2 "
        "}); differ([], {}); differ(null, undefined); differ(0, false);");
    // The seven that differ also count as failed: each was printed and then expected.
    QCOMPARE(result.expectationsHeld, 14);
    QCOMPARE(result.expectationsFailed, 7);
}

void LabTest::parametersAreReplacedFromOutside()
{
    Stage stage;
    ScriptSettings settings;
    settings.sets = { { "records", "250" }, { "field", "8" }, { "fast", "true" }, { "name", "x" } };
    QCOMPARE(stage
                 .play("const p = lab.params({ records: 100, field: 16, fast: false, name: 'a', left: 5 });\n"
                       "lab.expectEqual(p, { records: 250, field: 8, fast: true, name: 'x', left: 5 }, 'merged');",
                     settings)
                 .outcome,
        ScriptOutcome::Held);
    settings.sets = { { "recods", "250" } };
    QVERIFY(stage.play("lab.params({ records: 100 });", settings).sentence().contains("Did you mean records?"));
    settings.sets = { { "records", "many" } };
    QVERIFY(stage.play("lab.params({ records: 100 });", settings).sentence().contains("a number is wanted"));
}

void LabTest::aSeedGivesTheSameNumbers()
{
    Stage stage;
    const QString source = "lab.print(lab.random(), lab.randomInt(1, 1000000), lab.pick(['a', 'b', 'c']), "
                           "lab.shuffle([1, 2, 3, 4, 5, 6, 7, 8]));";
    ScriptSettings settings;
    settings.seed = 7;
    stage.play(source, settings);
    stage.play(source, settings);
    settings.seed = 8;
    stage.play(source, settings);
    QCOMPARE(stage.listener.lines[0], stage.listener.lines[1]);
    QVERIFY(stage.listener.lines[0] != stage.listener.lines[2]);
    QCOMPARE(
        stage
            .play("const l = lab.shuffle([1, 2, 3]); lab.expectEqual(l.sort(), [1, 2, 3], 'a permutation');\n"
                  "for (let i = 0; i < 200; ++i) { const n = lab.randomInt(-2, 2); if (n < -2 || n > 2) throw 1; }")
            .outcome,
        ScriptOutcome::Held);
}

void LabTest::thePlayerStopsBeforeStepsAndCalls()
{
    Stage stage;
    const QString source = "lab.step('a', 'A');\nlab.print(1);\nlab.step('b', 'B');\nlab.print(2);";
    stage.engine.setStops(ScriptStops::BeforeSteps);
    stage.engine.start(source, "test.js", {});
    QTRY_COMPARE(stage.listener.taken(), QStringList({ "held 1 lab.step" }));
    stage.engine.proceed();
    QTRY_COMPARE(stage.listener.taken(), QStringList({ "held 1 lab.step", "step a A", "print 1", "held 3 lab.step" }));
    stage.engine.setStops(ScriptStops::BeforeCalls);
    stage.engine.proceed();
    QTRY_VERIFY(stage.listener.taken().contains("held 4 lab.print"));
    QVERIFY(!stage.listener.taken().contains("print 2"));
    stage.engine.setStops(ScriptStops::Nowhere);
    QVERIFY(stage.engine.wait(kLimit));
    QCOMPARE(stage.listener.lines.last(), QString("print 2"));
    // Stop ends a script that is held.
    stage.engine.setStops(ScriptStops::BeforeCalls);
    stage.engine.start(source, "test.js", {});
    QTRY_COMPARE(stage.listener.taken().last(), QString("held 1 lab.step"));
    stage.engine.stop();
    QVERIFY(stage.engine.wait(kLimit));
    QCOMPARE(stage.engine.result().outcome, ScriptOutcome::Stopped);
}

void LabTest::captionsTakeTimeOnlyAtAPace()
{
    Stage stage;
    QElapsedTimer timer;
    timer.start();
    stage.play("for (let i = 0; i < 100; ++i) lab.say('a caption of some length, which takes a while to read');");
    QVERIFY(timer.elapsed() < 5000); // they would wait for minutes
    timer.start();
    stage.play("lab.dwell(0.2);", withPace(1));
    QVERIFY(timer.elapsed() >= 200);
    // A key press continues at once.
    stage.engine.start("lab.print('ready'); lab.dwell(1000);", "test.js", withPace(1));
    QTRY_VERIFY(stage.listener.taken().contains("print ready"));
    QTRY_VERIFY((stage.engine.proceed(), stage.engine.wait(20ms)));
}

QTEST_GUILESS_MAIN(LabTest)
#include "tst_lab.moc"
