// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of `lab` that need no cluster, their reference, and the sentences of events.
#include "gui/lab/tables/median_interval.h"
#include "tests/rigs/lab/lab_stage.h"

#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/tables/lab_table.h"
#include "gui/lab/calls/lab_values.h"
#include "gui/lab/script/script_check.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"

#include <QDir>
#include <QFile>
#include <QJSEngine>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

QString scenario(const char* name)
{
    QFile file(QString(LHRS_SOURCE_DIR "/scenarios/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString joined(const QVariantList& cells)
{
    QStringList texts;
    for (const QVariant& value : cells)
        texts << csvCell(value);
    return texts.join(',');
}

} // namespace

class LabCallsTest : public QObject {
    Q_OBJECT
private slots:
    void aMeasurementRepeatsAllCases();
    void aMeasurementNeedsNumbers();
    void anErrorInAMeasurementKeepsItsRows();
    void aCsvFileIsQuotedAsItShould();
    void quartilesAreThoseOfTheRows();
    void theMediansIntervalIsThatOfTheBinomialDistribution();
    void aMeasurementIsRepeatedUntilItsMedianIsKnown();
    void oneValueHasNoQuartilesAndSixHaveAnInterval();
    void whatIsNeverKnownKeepsItsColumn();
    void publishedTablesAreRead();
    void narrationReachesTheObserver();
    void questionsGetTheirVotes();
    void everyCallOfTheReferenceIsComplete();
    void everyCallRefusesWhatItDoesNotKnow();
    void aListMayNotBeWithoutEnd();
    void everyCallOfALaterVersionSaysSo();
    void everyExampleIsAProgram();
    void everyEventKindHasASentence();
    void aGapHasASentence();
    void theSentenceOfTheSpecificationIsWritten();
    void eventsAreValuesOfTheScript();
    void keysBeyondWhatNumbersHoldAreStrings();
    void scenariosOfTheHouseAreProgramsWithHeaders();
    void wrongCallsAreSeenWithoutRunning_data();
    void wrongCallsAreSeenWithoutRunning();
    void rightCallsPassTheCheck();
};

void LabCallsTest::aMeasurementRepeatsAllCases()
{
    Stage stage;
    const ScriptResult result = stage.play(
        "let before = 0, after = 0; const seen = [];\n"
        "const t = lab.measure({ name: 'demo', factors: { a: [1, 2], b: ['x', 'y'] }, constants: { gf: 16 }, "
        "repetitions: 3, warmUp: 1,\n"
        "  before: () => { ++before; }, run: c => { seen.push(c.a + c.b); return { total_s: c.a * 10, text: 'no "
        "metric', nothing: null }; }, after: () => { ++after; } });\n"
        "lab.expectEqual([seen.length, before, after], [16, 16, 16], 'four cases, one warm-up and three "
        "repetitions');\n"
        "lab.expectEqual(t.rows.length, 16, 'rows');\n"
        "lab.expectEqual(t.rows.filter(r => r.warm_up).length, 4, 'warm-ups');\n"
        "const s = t.summary().filter(x => x.a === 2 && x.b === 'y')[0];\n"
        "lab.expectEqual([s.n, s.total_s.median, s.gf], [3, 20, 16], 'summary');\n"
        "lab.row('demo', { a: 9, note: 'by hand' });\n"
        "lab.expectEqual(t.rows.length, 17, 'appended');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence()));
    const LabTable table = stage.engine.tables().table("demo");
    QCOMPARE(table.columns().join(','),
        QString("run,simulated,detail,repetition,warm_up,a,b,gf,note,total_s,nothing,faults,machine"));
    const RunIdentity identity { "run1", false, "machine" };
    QCOMPARE(table.cell(table.rows().front(), "run", identity).toString(), QString("run1"));
    QCOMPARE(table.cell(table.rows().front(), "detail", identity).toString(), QString("counts"));
    QCOMPARE(table.cell(table.rows().front(), "warm_up", identity).toBool(), true);
    QCOMPARE(table.cell(table.rows().front(), "machine", identity).toString(), QString("machine"));
    // An explicit number, where other cells have a factor.
    QCOMPARE(table.cell(table.rows().back(), "a", identity).toDouble(), 9.);
    QCOMPARE(table.cell(table.rows().back(), "note", identity).toString(), QString("by hand"));
    QVERIFY(!table.cell(table.rows().back(), "total_s", identity).isValid());
    // The seed decides the order, so it is the same for the same seed.
    QStringList orders;
    for (const std::uint64_t seed : { 1, 1, 2 }) {
        ScriptSettings settings;
        settings.seed = seed;
        Stage other;
        other.play("const seen = []; lab.measure({ name: 'o', factors: { a: [1, 2, 3, 4, 5, 6, 7, 8] }, repetitions: "
                   "2, warmUp: 0, run: c => { seen.push(c.a); return { x: 1 }; } }); lab.print(seen);",
            settings);
        orders << other.listener.lines.last();
    }
    QCOMPARE(orders[0], orders[1]);
    QVERIFY(orders[0] != orders[2]);
    Stage given;
    given.play("const seen = []; lab.measure({ name: 'o', cases: [{ a: 3 }, { a: 1 }], order: 'given', repetitions: 1, "
               "run: c => { seen.push(c.a); return { x: 1 }; } }); lab.print(seen);");
    QCOMPARE(given.listener.lines.last(), QString("print [3,1,3,1]"));
}

void LabCallsTest::aMeasurementNeedsNumbers()
{
    Stage stage;
    QVERIFY(stage.play("lab.measure({ name: 'x', run: () => ({ a: 'text' }) });")
                .sentence()
                .contains("returned no number"));
    QVERIFY(stage.play("lab.measure({ name: 'x', run: () => 5 });").sentence().contains("returned no number"));
    QVERIFY(stage.play("lab.measure({ name: '../x', run: () => ({ a: 1 }) });").sentence().contains("name of a table"));
    QVERIFY(stage.play("lab.measure({ name: 'x', factors: { a: [] }, run: () => ({ a: 1 }) });")
                .sentence()
                .contains("factor a"));
    QVERIFY(stage.play("lab.measure({ name: 'x' });").sentence().contains("needs the option run"));
}

void LabCallsTest::anErrorInAMeasurementKeepsItsRows()
{
    Stage stage;
    const ScriptResult result = stage.play("let n = 0;\nlab.measure({ name: 'x', warmUp: 0, run: () => {\n  if (++n "
                                           "=== 3) throw new Error('broken');\n  return { a: n };\n} });");
    QCOMPARE(result.outcome, ScriptOutcome::ScriptError);
    QCOMPARE(result.line, 3);
    QCOMPARE(stage.engine.tables().table("x").rows().size(), 2u);
}

void LabCallsTest::aCsvFileIsQuotedAsItShould()
{
    QCOMPARE(csvCell("plain"), QString("plain"));
    QCOMPARE(csvCell("a,b"), QString("\"a,b\""));
    QCOMPARE(csvCell("say \"x\""), QString("\"say \"\"x\"\"\""));
    QCOMPARE(csvCell("two\nlines"), QString("\"two\nlines\""));
    QCOMPARE(csvCell(0.25), QString("0.25"));
    QCOMPARE(csvCell(1234567.5), QString("1234567.5"));
    QCOMPARE(csvCell(0.1 + 0.2), QString("0.30000000000000004")); // the number is the same after reading it back
    QCOMPARE(csvCell(9'007'199'254'740'991.0), QString("9007199254740991"));
    QCOMPARE(csvCell(qulonglong(18'446'744'073'709'551'615u)), QString("18446744073709551615"));
    QCOMPARE(csvCell(1e-5), QString("1e-05"));
    QCOMPARE(csvCell(1.0 / 3 * 1e300).toDouble(), 1.0 / 3 * 1e300);
    QCOMPARE(csvCell(-0.0001), QString("-0.0001"));
    QCOMPARE(csvCell(true), QString("true"));
    QCOMPARE(csvCell(QVariant()), QString());
    Stage stage;
    QVERIFY(stage.play("lab.row('x', { run: 5 });").sentence().contains("every table has"));
}

void LabCallsTest::theMediansIntervalIsThatOfTheBinomialDistribution()
{
    const auto ranks = [](int count) {
        std::vector<double> numbers;
        for (int i = count; i >= 1; --i)
            numbers.push_back(i);
        const auto interval = medianInterval(numbers);
        return interval ? std::pair(int(interval->low), int(interval->high)) : std::pair(0, 0);
    };
    QCOMPARE(ranks(0), std::pair(0, 0));
    QCOMPARE(ranks(1), std::pair(0, 0));
    QCOMPARE(ranks(5), std::pair(0, 0)); // 1 to 5 contains it in only 93.75 of 100 cases
    QCOMPARE(ranks(6), std::pair(1, 6)); // as printed in tables of the sign test
    QCOMPARE(ranks(8), std::pair(1, 8));
    QCOMPARE(ranks(9), std::pair(2, 8));
    QCOMPARE(ranks(20), std::pair(6, 15));
    QCOMPARE(ranks(100), std::pair(40, 61));
    QVERIFY(ranks(5000).first > 2400 && ranks(5000).second < 2600); // where 2^-n underflows
    QVERIFY(!isWithin({ 1, 1, 1, 1, 1 }, 5));
    QVERIFY(isWithin({ 100, 100, 100, 100, 95, 105 }, 5));
    QVERIFY(!isWithin({ 100, 100, 100, 100, 94, 100 }, 5));
    QVERIFY(isWithin({ 0, 0, 0, 0, 0, 0 }, 5));
}

void LabCallsTest::aMeasurementIsRepeatedUntilItsMedianIsKnown()
{
    Stage stage;
    // The first is always equal; the second scatters so much that no number of repetitions suffices; the third
    // converges.
    const ScriptResult result = stage.play(
        "const runs = { calm: 0, wild: 0, later: 0 };\n"
        "const t = lab.measure({ name: 'x', factors: { kind: ['calm', 'wild', 'later'] }, repetitions: 3, warmUp: 1, "
        "within: 5, withinOf: 'time_s', repetitionsMax: 30,\n"
        "  run: c => { const n = ++runs[c.kind]; return { time_s: c.kind === 'wild' ? (n % 2 ? 1 : 100) : c.kind === "
        "'later' && n < 6 ? 50 * n : 100, round: n }; } });\n"
        "const s = kind => t.summary().filter(x => x.kind === kind)[0];\n"
        "lab.expectEqual([s('calm').n, s('calm').reached], [6, true], 'six, fewer give no interval');\n"
        "lab.expectEqual([s('wild').n, s('wild').reached], [30, false], 'the most');\n"
        "lab.expectWithin(s('later').n, 8, 20, 'until it is calm'); lab.expectEqual(s('later').reached, true, "
        "'reached');\n"
        "lab.expectEqual(t.rows.filter(r => r.warm_up).length, 3, 'warm-ups are apart');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence() + stage.listener.taken().join('\n')));
    const LabTable table = stage.engine.tables().table("x");
    QCOMPARE(table.summaryColumns().mid(3, 4), (QStringList { "kind", "n", "within_percent", "reached" }));
    const auto rows = table.summaryCells({ "r", false, "m" });
    QCOMPARE(rows.size(), 3u);
    for (const QVariantList& row : rows)
        QCOMPARE(row[6].toBool(), row[3].toString() != "wild");
    Stage wrong;
    QVERIFY(
        wrong.play("lab.measure({ name: 'x', within: 5, run: () => ({ a: 1 }) });").sentence().contains("go together"));
    QVERIFY(wrong.play("lab.measure({ name: 'x', within: 5, withinOf: 'b', run: () => ({ a: 1 }) });")
                .sentence()
                .contains("no number b"));
}

void LabCallsTest::quartilesAreThoseOfTheRows()
{
    LabTable table;
    for (const double x : { 4.0, 1.0, 3.0, 2.0, 5.0 })
        table.add({ "counts", 1, false, 0, {}, { { "x", x } } }, {}, { "x" });
    table.add({ "counts", 1, true, 0, {}, { { "x", 1000.0 } } }, {}, { "x" }); // a warm-up
    const auto summary = table.summary();
    QCOMPARE(summary.size(), 1u);
    QCOMPARE(summary[0].n, 5);
    QCOMPARE(summary[0].metrics.at("x").q1, 2.0);
    QCOMPARE(summary[0].metrics.at("x").median, 3.0);
    QCOMPARE(summary[0].metrics.at("x").q3, 4.0);
    QVERIFY(!summary[0].metrics.at("x").interval);
}

void LabCallsTest::oneValueHasNoQuartilesAndSixHaveAnInterval()
{
    LabTable table;
    for (const auto& [k, repetitions] : { std::pair(0, 1), std::pair(1, 6) })
        for (int i = 1; i <= repetitions; ++i)
            table.add({ "counts", i, false, 0, { { "k", k } }, { { "x", double(i) } } }, { "k" }, { "x" });
    QCOMPARE(table.summaryColumns(),
        (QStringList {
            "run", "simulated", "detail", "k", "n", "x_median", "x_q1", "x_q3", "x_ci95_low", "x_ci95_high" }));
    QStringList lines;
    for (const QVariantList& row : table.summaryCells({ "r", false, "m" }))
        lines << joined(row);
    QCOMPARE(lines, (QStringList { "r,false,counts,0,1,1,,,,", "r,false,counts,1,6,3.5,2.25,4.75,1,6" }));
}

void LabCallsTest::whatIsNeverKnownKeepsItsColumn()
{
    Stage stage;
    const ScriptResult result = stage.play(
        "lab.measure({ name: 'x', warmUp: 0, repetitions: 1, run: () => ({ a: 1, never: null, nan: 0 / 0, word: 'w' }) "
        "});\n"
        "lab.row('y', { never: null, key: 2 ** 53 - 1, large: '9007199254740993' });\n"
        "lab.row('y', { never: 'a word', key: 1 });");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence()));
    const LabTable x = stage.engine.tables().table("x"), y = stage.engine.tables().table("y");
    QCOMPARE(x.metricColumns(), (QStringList { "a", "never", "nan" }));
    const auto cellsOf = [](const LabTable& table, std::size_t row) {
        QVariantList cells;
        for (const QString& column : table.columns())
            cells << table.cell(table.rows()[row], column, { "r", false, "m" });
        return joined(cells);
    };
    QCOMPARE(x.columns().mid(5), (QStringList { "a", "never", "nan", "faults", "machine" }));
    QCOMPARE(cellsOf(x, 0), QString("r,false,counts,1,false,1,,,0,m"));
    // A column exists once, whatever values it has.
    QCOMPARE(y.columns().mid(5), (QStringList { "large", "never", "key", "faults", "machine" }));
    QCOMPARE(cellsOf(y, 0), QString("r,false,full,,false,9007199254740993,,9007199254740991,0,m"));
    QCOMPARE(cellsOf(y, 1), QString("r,false,full,,false,,a word,1,0,m"));
}

void LabCallsTest::publishedTablesAreRead()
{
    Stage stage;
    ScriptSettings settings;
    settings.paperDirectory = LHRS_SOURCE_DIR "/scenarios/paper";
    const ScriptResult result = stage.play(
        "const rows = lab.paper('search', { config: 2 });\n"
        "lab.expectEqual(rows.length, 10, 'rows of config 2');\n"
        "lab.expectEqual([rows[0].source, rows[0].sync_ms_per_record], ['lhrs2003', 0.2391], 'cells');\n"
        "const all = lab.paper('insert_time', { suspect: true }).length, sure = lab.paper('insert_time').length;\n"
        "lab.expectEqual([all, all - sure], [39, 3], 'doubtful rows are left out');\n"
        "lab.expectEqual(lab.paper('demo_2004', { item: 'insert', k: 1 })[0].value, 0.41, 'by two columns');\n"
        "lab.expectError('BadArgument', () => lab.paper('serch'));\n"
        "lab.expectError('BadArgument', () => lab.paper('../paper/search'));\n"
        "lab.expectError('BadArgument', () => lab.paper('search', { konfig: 2 }));",
        settings);
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence()));
    QVERIFY(stage.play("lab.paper('serch');", settings).sentence().contains("Did you mean search?"));
}

void LabCallsTest::narrationReachesTheObserver()
{
    Stage stage;
    stage.play("lab.step('a', 'A'); lab.say('S'); lab.note('N'); lab.mark('M'); lab.dwell(100); "
               "lab.highlight(lab.data([1, 2]), { text: 'here' });\n"
               "lab.camera({ fit: lab.parity(1, 0), view: 'records', layout: 'processes', layers: { deltas: true, "
               "labels: false }, speed: 2, record: { group: 1, rank: 3 }, stage: 'column 0' });");
    QCOMPARE(
        stage.listener.lines, QStringList({ "step a A", "say S", "note N", "mark M", "highlight data 1+data 2 here" }));
    QCOMPARE(stage.listener.wish.fit, QString("parity 1.0"));
    QCOMPARE(stage.listener.wish.layers, (std::map<QString, bool> { { "deltas", true }, { "labels", false } }));
    QCOMPARE(stage.listener.wish.page, QJsonObject({ { "group", 1 }, { "rank", 3 }, { "stage", "column 0" } }));
    QVERIFY(stage.play("lab.camera({ stage: 'invers' });")
                .sentence()
                .contains("no stage 'invers'. With view 'decode': members"));
    QVERIFY(stage.play("lab.camera({ fit: 'everything' });").sentence().contains("is 'file', a target or a client"));
}

void LabCallsTest::questionsGetTheirVotes()
{
    Stage stage;
    stage.play("const q = lab.predict({ text: 'which?', choices: ['a', 'b'] }); lab.expectEqual(q.votes, null, "
               "'headless'); q.reveal(1, 'because');");
    QCOMPARE(stage.listener.lines, QStringList({ "question which?", "ok 1 headless", "reveal b because" }));
    stage.listener.votes = std::vector<int> { 3, 5 };
    QCOMPARE(stage
                 .play("const q = lab.predict({ text: 'which?', choices: ['a', 'b'] }); lab.expectEqual(q.votes, [3, "
                       "5], 'the hall');")
                 .outcome,
        ScriptOutcome::Held);
    QVERIFY(stage.play("lab.predict({ text: 'which?', choices: ['a', 'b'] }).reveal(2);")
                .sentence()
                .contains("choices 0 to 1"));
    QVERIFY(stage.play("lab.predict({ text: 'which?', choices: ['a'] });").sentence().contains("two choices"));
}

void LabCallsTest::everyCallOfTheReferenceIsComplete()
{
    const LabReference& reference = LabReference::instance();
    QVERIFY(reference.calls().size() > 80);
    for (const CallReference& call : reference.calls()) {
        QVERIFY2(!call.text.isEmpty(), qPrintable(call.name));
        if (call.isUnsupported)
            continue;
        QVERIFY2(!call.section.isEmpty() && !call.returns.isEmpty() && !call.example.isEmpty(), qPrintable(call.name));
        for (const QString& error : call.errors)
            QVERIFY2(reference.codes().contains(error), qPrintable(call.name + " " + error));
        for (const auto* list : { &call.arguments, &call.options })
            for (const ParameterReference& parameter : *list)
                QVERIFY2(!parameter.text.isEmpty(), qPrintable(call.name + " " + parameter.name));
    }
    for (const LabCode code : { LabCode::BadArgument, LabCode::NoCluster, LabCode::ClusterMismatch, LabCode::NoSpares,
             LabCode::NotAllowed, LabCode::Refused, LabCode::Unreachable, LabCode::Timeout, LabCode::ExpectationFailed,
             LabCode::Unsupported, LabCode::Stopped })
        QVERIFY(reference.codes().contains(nameOf(code)));
}

void LabCallsTest::everyCallRefusesWhatItDoesNotKnow()
{
    QJSEngine engine;
    const LabReference& reference = LabReference::instance();
    const auto goodValue = [&](const ParameterReference& p) -> QJSValue {
        if (!p.words.isEmpty())
            return engine.toScriptValue(p.words[0].toVariant());
        const QString& t = p.type;
        const double low = p.min.value_or(1);
        if (t == "number" || t == "integer" || t == "key" || t == "numbers")
            return QJSValue(low);
        if (t == "string" || t == "keys")
            return QJSValue("text");
        if (t == "boolean")
            return QJSValue(true);
        if (t == "list")
            return engine.newArray(0);
        if (t == "function")
            return engine.evaluate("(() => 1)");
        if (t == "target" || t == "targets")
            return engine.evaluate("(new (class Target { constructor() { this.labTarget = 'data 0'; } })())");
        return engine.newObject();
    };
    for (const CallReference& call : reference.calls()) {
        if (call.isUnsupported || call.takesRest || call.isProperty)
            continue;
        QJSValue good = engine.newArray(0);
        std::uint32_t count = 0;
        for (const ParameterReference& argument : call.arguments)
            good.setProperty(count++, goodValue(argument));
        QJSValue required = engine.newObject();
        for (const ParameterReference& option : call.options)
            if (option.standard.isUndefined())
                required.setProperty(option.name, goodValue(option));
        const auto given = [&](const QJSValue& options) {
            QJSValue list = engine.newArray(0);
            for (std::uint32_t i = 0; i < count; ++i)
                list.setProperty(i, good.property(i));
            if (!options.isUndefined())
                list.setProperty(count, options);
            return list;
        };
        const auto copied = [&](const QString& name, const QJSValue& value) {
            QJSValue options = engine.newObject();
            for (const ParameterReference& option : call.options)
                if (required.hasProperty(option.name))
                    options.setProperty(option.name, required.property(option.name));
            options.setProperty(name, value);
            return options;
        };
        const auto plain = reference.complete(call, given(call.options.empty() ? QJSValue() : required), engine);
        QVERIFY2(bool(plain), qPrintable(call.name + ": " + (plain ? QString() : plain.error().message)));
        for (const ParameterReference& option : call.options) {
            QVERIFY(plain->wasGiven(option.name) == option.standard.isUndefined());
            if (!option.standard.isUndefined() && !option.standard.isNull()) { // the default, given, is as good
                const auto again = reference.complete(
                    call, given(copied(option.name, engine.toScriptValue(option.standard.toVariant()))), engine);
                QVERIFY2(bool(again),
                    qPrintable(call.name + " " + option.name + ": " + (again ? QString() : again.error().message)));
            }
            if (option.type == "any")
                continue;
            const auto wrong = reference.complete(call,
                given(copied(option.name,
                    QJSValue(QJSValue::UndefinedValue).isUndefined() && option.type == "boolean"
                        ? QJSValue("no")
                        : engine.evaluate("(new Map())"))),
                engine);
            QVERIFY2(!wrong, qPrintable(call.name + " " + option.name));
            QCOMPARE(wrong.error().code, LabCode::BadArgument);
            QVERIFY2(wrong.error().message.contains("option " + option.name + " of " + call.name),
                qPrintable(wrong.error().message));
        }
        if (!call.options.empty()) {
            const auto unknown = reference.complete(call, given(copied("noSuchOption", QJSValue(1))), engine);
            QVERIFY2(!unknown, qPrintable(call.name));
            QCOMPARE(unknown.error().code, LabCode::BadArgument);
            QVERIFY(unknown.error().message.contains("no option noSuchOption"));
        }
        QJSValue tooMany = given(QJSValue(1));
        tooMany.setProperty(count + 1, 2);
        QVERIFY2(!reference.complete(call, tooMany, engine), qPrintable(call.name));
        for (std::uint32_t i = 0; i < count; ++i) {
            if (call.arguments[i].type == "any")
                continue;
            QJSValue list = given({});
            list.setProperty(i, engine.evaluate("(new Map())"));
            const auto wrong = reference.complete(call, list, engine);
            QVERIFY2(!wrong, qPrintable(call.name + " " + call.arguments[i].name));
            QVERIFY2(wrong.error().message.contains("argument " + call.arguments[i].name + " of " + call.name),
                qPrintable(wrong.error().message));
        }
        if (count > 0 && call.arguments[0].standard.isUndefined())
            QVERIFY2(!reference.complete(call, engine.newArray(0), engine), qPrintable(call.name));
    }
}

void LabCallsTest::aListMayNotBeWithoutEnd()
{
    for (const char* call : { "lab.shuffle(new Array(4294967295))", "lab.pick(new Array(1000001))",
             "lab.print(1, new Array(4294967295))" }) {
        Stage stage;
        const ScriptResult result = stage.play(call);
        QCOMPARE(result.code, QString("BadArgument"));
        QVERIFY2(result.sentence().contains("1000000 at most"), qPrintable(result.sentence()));
    }
    Stage stage;
    const ScriptResult result = stage.play(
        "const l = new Array(2000); lab.measure({ name: 'x', factors: { a: l, b: l }, run: () => ({ c: 1 }) });");
    QVERIFY2(result.sentence().contains("more than 1000000 cases"), qPrintable(result.sentence()));
}

void LabCallsTest::everyCallOfALaterVersionSaysSo()
{
    Stage stage;
    for (const CallReference& call : LabReference::instance().calls()) {
        if (!call.isUnsupported || call.object != "lab")
            continue;
        const ScriptResult result = stage.play(call.name + "(lab.data(0), { any: 1 });");
        QCOMPARE(result.code, QString("Unsupported"));
        QVERIFY2(result.message.contains("not in this version"), qPrintable(result.message));
    }
}

void LabCallsTest::everyExampleIsAProgram()
{
    for (const CallReference& call : LabReference::instance().calls()) {
        const auto problem = ScriptEngine::check(call.example);
        QVERIFY2(!problem, qPrintable(call.name + ": " + (problem ? problem->message : QString())));
        QVERIFY2(call.isUnsupported || call.example.contains(call.member), qPrintable(call.name));
    }
    // The examples that need no cluster are run.
    Stage stage;
    for (const CallReference& call : LabReference::instance().calls()) {
        if (call.isUnsupported || call.needsCluster || call.object != "lab" || call.name == "lab.cluster"
            || call.name == "lab.waitFor" || call.name == "lab.paper")
            continue;
        const ScriptResult result = stage.play(call.example);
        QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence() + " in " + call.example));
    }
}

void LabCallsTest::everyEventKindHasASentence()
{
    const auto* oneof = pb::Event::descriptor()->FindOneofByName("body");
    ClusterState state;
    QSet<QString> sentences;
    for (int i = 0; i < oneof->field_count(); ++i) {
        pb::Event event;
        event.mutable_place()->set_role(pb::DATA);
        event.mutable_place()->set_number(5);
        pb::Event::GetReflection()->MutableMessage(&event, oneof->field(i));
        const QString text = QString::fromStdString(sentence(1, event, state));
        QVERIFY2(text.size() > 8, oneof->field(i)->name().c_str());
        QVERIFY2(text.endsWith('.'), qPrintable(text));
        QVERIFY2(text[0].isUpper() || text.startsWith("process"), qPrintable(text));
        QVERIFY2(!sentences.contains(text), qPrintable(text));
        sentences << text;
        QCOMPARE(
            QString::fromStdString(kindName(event)), QString::fromStdString(oneof->field(i)->message_type()->name()));
    }
    QVERIFY(sentence(1, pb::Event(), state).empty());
}

void LabCallsTest::aGapHasASentence()
{
    ClusterState state;
    state.processes[7].name = "data-3";
    RunEvent gap;
    gap.process = 7;
    gap.gapFirst = 10;
    gap.gapLast = 12;
    QCOMPARE(QString::fromStdString(sentence(gap, state)),
        QString("3 events of data-3 never arrived (numbers 10 to 12); a snapshot is asked for."));
}

void LabCallsTest::theSentenceOfTheSpecificationIsWritten()
{
    ClusterState state;
    state.file.config.set_m(4);
    pb::Event event;
    event.mutable_place()->set_role(pb::PARITY);
    event.mutable_place()->set_number(1);
    event.mutable_place()->set_column(0);
    auto* applied = event.mutable_delta_applied();
    applied->set_position(1);
    applied->set_sequence(412);
    applied->set_rank(17);
    QVERIFY(sentence(1, event, state).starts_with("Parity bucket 1.0 applied delta 412 of data bucket 5 to rank 17"));
    QCOMPARE(placeName(event.place()), std::string("parity 1.0"));
    pb::RequestId id;
    id.set_client(9);
    id.set_number(12);
    state.processes[9].name = "alice";
    QCOMPARE(operationShown(id, state), std::string("alice 12"));
    QCOMPARE(operationShown({}, state), std::string());
}

void LabCallsTest::eventsAreValuesOfTheScript()
{
    QJSEngine engine;
    ClusterState state;
    state.processes[3].name = "coordinator";
    RunEvent event;
    event.process = 3;
    event.runNs = 1'500'000'000;
    auto body = std::make_shared<pb::Event>();
    auto* finished = body->mutable_split_finished();
    finished->set_bucket(2);
    finished->set_new_bucket(6);
    finished->set_total_ns(2'500'000);
    event.event = body;
    const QJSValue value = scriptEvent(event, state, engine);
    QCOMPARE(value.property("kind").toString(), QString("SplitFinished"));
    QCOMPARE(value.property("t_s").toNumber(), 1.5);
    QCOMPARE(value.property("newBucket").toInt(), 6);
    QCOMPARE(value.property("total_s").toNumber(), 0.0025);
    QCOMPARE(value.property("process").toString(), QString("coordinator"));
}

void LabCallsTest::keysBeyondWhatNumbersHoldAreStrings()
{
    QVERIFY(scriptNumber(12).isNumber());
    QVERIFY(scriptNumber(std::uint64_t(1) << 53).isNumber());
    QCOMPARE(scriptNumber(~std::uint64_t(0)).toString(), QString("18446744073709551615"));
    QCOMPARE(*keyOf(QJSValue("18446744073709551615")), ~std::uint64_t(0));
    QCOMPARE(*keyOf(QJSValue(7)), std::uint64_t(7));
    QVERIFY(!keyOf(QJSValue("18446744073709551616")));
    QVERIFY(!keyOf(QJSValue("seven")));
}

void LabCallsTest::scenariosOfTheHouseAreProgramsWithHeaders()
{
    for (const char* name : { "grow.js" }) {
        const QString source = scenario(name);
        QVERIFY2(!source.isEmpty(), name);
        const auto problem = ScriptEngine::check(source);
        QVERIFY2(!problem, problem ? qPrintable(problem->message) : "");
        const ScriptHeader header = headerOf(source);
        QVERIFY(!header.title.isEmpty() && !header.needs.isEmpty() && header.minutes.toDouble() > 0);
    }
}

void LabCallsTest::wrongCallsAreSeenWithoutRunning_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    QTest::newRow("a word") << "lab.cluster({ m: 2,\n  recovery: 'sometimes' });" << 2
                            << "The option recovery of lab.cluster";
    QTest::newRow("a word in double quotes")
        << "lab.cluster({ \"split\": \"often\" });" << 1 << "The option split of lab.cluster";
    QTest::newRow("an option") << "\nlab.cluster({ m: 2, kk: 1 });" << 2 << "lab.cluster has no option kk";
    QTest::newRow("a shorthand option") << "const mm = 1; lab.cluster({ mm });" << 1 << "lab.cluster has no option mm";
    QTest::newRow("out of bounds") << "lab.cluster({ m: 33 });" << 1 << "The option m of lab.cluster";
    QTest::newRow("NaN") << "lab.cluster({ loadControl: NaN });" << 1 << "The option loadControl of lab.cluster";
    QTest::newRow("no call") << "lab.print(1);\nlab.splitt();" << 2 << "lab.splitt does not exist";
    QTest::newRow("after a nested call") << "lab.cluster({ spares: f({ a: [1, 2], b: '}' }), k: 9 });" << 1
                                         << "The option k of lab.cluster";
}

void LabCallsTest::wrongCallsAreSeenWithoutRunning()
{
    QFETCH(const QString, source);
    QFETCH(const int, line);
    QFETCH(const QString, says);
    const auto problem = checkCalls(source);
    QVERIFY(problem);
    QVERIFY2(problem->message.contains(says), qPrintable(problem->message));
    QCOMPARE(problem->line, line);
}

void LabCallsTest::rightCallsPassTheCheck()
{
    QStringList sources { "// lab.splitt({ a: 1 })\nlab.print('lab.cluster({ x: 1 })', `lab.nothing()`);",
        "lab.cluster({ ...o, [n]: 1, k: K + 1, recovery: way, m: 2, });",
        "mylab.cluster({ x: 1 }); my.lab.cluster({ x: 1 });", "lab.params({ anything: 'goes' });" };
    for (const CallReference& call : LabReference::instance().calls())
        sources << call.example;
    const QDir scenarios(LHRS_SOURCE_DIR "/scenarios");
    const QStringList files = scenarios.entryList({ "*.js" });
    QVERIFY(files.size() > 10);
    for (const QString& file : files)
        sources << textOf(scenarios.filePath(file));
    for (const QString& source : sources) {
        const auto problem = checkCalls(source);
        QVERIFY2(!problem,
            problem ? qPrintable(QString("line %1: %2\n%3").arg(problem->line).arg(problem->message, source.left(300)))
                    : "");
    }
}

QTEST_GUILESS_MAIN(LabCallsTest)
#include "tst_lab_calls.moc"
