// SPDX-License-Identifier: GPL-3.0-or-later
// The exercises without a window: each is solved by its model solution, not by a wrong one, and not by doing nothing.
// Also the report in a format for tools that read test results.
#include "gui/lab/export/junit_report.h"
#include "gui/lab/script/script_check.h"
#include "tests/rigs/lab/lab_stage.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

const QString kFolder = QStringLiteral(LHRS_SOURCE_DIR "/scenarios/exercises/");
const QString kScripts = QStringLiteral(LHRS_SOURCE_DIR "/tests/exercises/");

QStringList exerciseFiles() { return QDir(kFolder).entryList({ "*.js" }, QDir::Files, QDir::Name); }

// lhrs-play, started at once, and its output when it has ended.
class Play {
public:
    explicit Play(const QStringList& arguments)
    {
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(LHRS_BIN_DIR "/lhrs-play", arguments);
    }
    int code()
    {
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(120'000 * kSlower))
            return -1;
        m_said += QString::fromUtf8(m_process.readAll());
        return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
    }
    const QString& said() const { return m_said; }

private:
    QProcess m_process;
    QString m_said;
};

QStringList judged(const QString& exercise, const QString& script, const QString& junit, int seed)
{
    return { "--sim", "--speed", "max", "--seed", QString::number(seed), "--exercise", exercise, "--junit", junit,
        script };
}

struct CaseRead {
    QString className, name, kind, message, text, out; // kind: "", "failure", "error", "skipped"
};

struct ReportRead {
    bool isWellFormed = false;
    QString problem;
    int tests = 0, failures = 0, errors = 0, skipped = 0; // as in the suite attributes
    std::vector<CaseRead> cases;
    int count(const QString& kind) const
    {
        return int(std::count_if(cases.begin(), cases.end(), [&](const CaseRead& one) { return one.kind == kind; }));
    }
};

ReportRead readReport(const QByteArray& bytes)
{
    ReportRead report;
    QXmlStreamReader xml(bytes);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        const auto attribute = [&](const char* name) { return xml.attributes().value(QLatin1String(name)).toString(); };
        if (xml.name() == QLatin1String("testsuite")) {
            report.tests += attribute("tests").toInt();
            report.failures += attribute("failures").toInt();
            report.errors += attribute("errors").toInt();
            report.skipped += attribute("skipped").toInt();
        } else if (xml.name() == QLatin1String("testcase")) {
            report.cases.push_back({ attribute("classname"), attribute("name"), {}, {}, {}, {} });
        } else if (xml.name() == QLatin1String("system-out")) {
            report.cases.back().out = xml.readElementText();
        } else if (QStringList { "failure", "error", "skipped" }.contains(xml.name().toString())) {
            report.cases.back().kind = xml.name().toString();
            report.cases.back().message = attribute("message");
            report.cases.back().text = xml.readElementText();
        }
    }
    report.isWellFormed = !xml.hasError();
    report.problem = xml.errorString();
    return report;
}

QByteArray bytesOfFile(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool writeFile(const QString& path, const QString& text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) == text.toUtf8().size();
}

// A small exercise of this test.
const QString kOneSplit = QStringLiteral(
    "// x.js   @title Split   @exercise 1   @minutes 1   @needs 6 processes\n"
    "lab.cluster({ m: 2, k: 0, b: 10, spares: { data: 4, parity: 0 } });\n"
    "const alice = lab.client('alice'), count = 1; alice.insert(1); lab.split();\n"
    "lab.exercise({ task: 'Split once.', hints: ['a', 'b'], goals: [\n"
    "    { text: 'one split', judge: events => { const n = events.filter(e => e.kind === 'SplitFinished').length;\n"
    "        return n > 1 ? { failed: true, why: n + ' splits.' } : { held: n === 1, why: n + ' splits so far.' }; } "
    "},\n"
    "    { text: 'one record \"<1>\" & no more', judge: (events, state) => ({ held: state.file.records === 1, why: "
    "'Records: ' + state.file.records + '.' }),\n"
    "        check: () => ({ held: alice.search(1).result === 'found', why: 'Key 1 was found.' }) }] });\n");

} // namespace

class ExercisesTest : public QObject {
    Q_OBJECT
private slots:
    void thereAreTwelveInTheirOrder();
    void eachIsSolvedByItsSolutionOnly_data();
    void eachIsSolvedByItsSolutionOnly();
    void anImageTwoSplitsOldIsOneOfAGrownFile();
    void whatTheSetUpDidIsNoPartOfIt();
    void aScriptMayNotMakeTheClusterAnew_data();
    void aScriptMayNotMakeTheClusterAnew();
    void mistakesHaveTheFileTheyAreIn();
    void whatTheScriptExpectsIsTold();
    void anExerciseIsWrittenInOneWay_data();
    void anExerciseIsWrittenInOneWay();
    void anExerciseNeedsSomebodyWhoActs();
    void aReportThatCannotBeWrittenIsSaidBefore();
    void aReportOfAScenario();
    void aReportTakesAnyText();
    void realProcessesAreJudgedToo();
};

void ExercisesTest::thereAreTwelveInTheirOrder()
{
    const QStringList files = exerciseFiles();
    QCOMPARE(files.size(), 12);
    for (int i = 0; i < files.size(); ++i) {
        const QString source = textOf(kFolder + files[i]), number = QString("%1").arg(i + 1, 2, 10, QChar('0'));
        QVERIFY2(files[i].startsWith(number + '_'), qPrintable(files[i]));
        const ScriptHeader header = headerOf(source);
        QVERIFY2(source.startsWith("// scenarios/exercises/" + files[i] + "   @title "), qPrintable(files[i]));
        QCOMPARE(header.exercise.toInt(), i + 1);
        QVERIFY2(
            !header.title.isEmpty() && header.minutes.toInt() > 0 && !header.needs.isEmpty(), qPrintable(files[i]));
        const auto problem = checkCalls(source);
        QVERIFY2(!problem, problem ? qPrintable(files[i] + ": " + problem->message) : "");
        const int needed = header.needs.section(' ', 0, 0).toInt();
        static const QRegularExpression kSpares("spares: \\{ data: (\\d+), parity: (\\d+) \\}");
        const auto spares = kSpares.match(source);
        const int clients = int(source.count("lab.client("));
        QCOMPARE(needed, spares.captured(1).toInt() + spares.captured(2).toInt() + 1 + clients);
    }
}

void ExercisesTest::eachIsSolvedByItsSolutionOnly_data()
{
    QTest::addColumn<QString>("exercise");
    QTest::addColumn<QString>("wrongSays");
    const QStringList reasons { "was split 3 times", "after 1 forward", "before bucket 1 was full",
        "40 records were deleted", "Key 6 of bucket 2 was deleted", "from 4 to 5 buckets, and the file had 6",
        "only when a client misses an answer", "no record of group 1 changed meanwhile",
        "not a data and a parity bucket together", "before two buckets had come back",
        "none began while a bucket was down", "found no split under way" };
    const QStringList files = exerciseFiles();
    for (int i = 0; i < files.size(); ++i)
        QTest::newRow(qPrintable(files[i].left(2))) << files[i] << reasons.value(i);
}

void ExercisesTest::eachIsSolvedByItsSolutionOnly()
{
    QFETCH(const QString, exercise);
    QFETCH(const QString, wrongSays);
    const QTemporaryDir folder;
    const QString script = kScripts + QTest::currentDataTag() + ".js",
                  wrong = kScripts + QTest::currentDataTag() + "_wrong.js", idle = folder.filePath("idle.js");
    QVERIFY(writeFile(idle, "// nothing\n"));
    const auto xml = [&](const char* name) { return folder.filePath(name); };
    Play first(judged(kFolder + exercise, script, xml("1.xml"), 1)),
        again(judged(kFolder + exercise, script, xml("2.xml"), 1));
    Play other(judged(kFolder + exercise, script, xml("3.xml"), 2024)),
        third(judged(kFolder + exercise, script, xml("4.xml"), 31));
    Play mistaken(judged(kFolder + exercise, wrong, xml("5.xml"), 1)),
        nothing(judged(kFolder + exercise, idle, xml("6.xml"), 1));
    for (Play* play : { &first, &again, &other, &third })
        QVERIFY2(play->code() == 0, qPrintable(play->said()));
    QVERIFY2(mistaken.code() == 1, qPrintable(mistaken.said()));
    QVERIFY2(mistaken.said().contains(wrongSays), qPrintable(mistaken.said()));
    QVERIFY2(nothing.code() == 1, qPrintable(nothing.said()));

    const QByteArray bytes = bytesOfFile(xml("1.xml"));
    QVERIFY(!bytes.isEmpty());
    QCOMPARE(bytes, bytesOfFile(xml("2.xml")));
    for (const char* name : { "1.xml", "3.xml", "4.xml", "5.xml", "6.xml" }) {
        const ReportRead report = readReport(bytesOfFile(xml(name)));
        QVERIFY2(report.isWellFormed, qPrintable(report.problem));
        QCOMPARE(report.tests, int(report.cases.size()));
        QCOMPARE(report.failures, report.count("failure"));
        QCOMPARE(report.errors, 0);
        const bool isRight = name[0] < '5';
        QCOMPARE(report.failures == 0, isRight);
        for (const CaseRead& one : report.cases) {
            QVERIFY(!one.name.isEmpty());
            QVERIFY2((one.kind.isEmpty() ? one.out : one.message).size() > 10, qPrintable(one.name)); // says why
        }
        if (name[0] == '6') // without any action no goal is reached
            QCOMPARE(report.failures, report.tests);
    }
}

// Exercise 6: the number of buckets at the time of Bob's search is not taken from a later state.
void ExercisesTest::anImageTwoSplitsOldIsOneOfAGrownFile()
{
    const QTemporaryDir folder;
    const QString script = folder.filePath("s.js");
    QVERIFY(writeFile(script,
        "const bob = lab.client('bob'), keyOf = bucket => lab.keysFor(lab.data(bucket), 1, "
        "{ existing: true })[0];\nbob.search(keyOf(1)); // from 1 to 3 buckets of 4\nbob.search(keyOf(3));\n"
        "lab.split();\n"));
    Play play(judged(kFolder + exerciseFiles().at(5), script, folder.filePath("r.xml"), 1));
    QVERIFY2(play.code() == 1, qPrintable(play.said()));
    QVERIFY2(play.said().contains("from 3 to 4 buckets, and the file had 4"), qPrintable(play.said()));
}

void ExercisesTest::whatTheSetUpDidIsNoPartOfIt()
{
    const QTemporaryDir folder;
    const QString exercise = folder.filePath("x.js"), script = folder.filePath("s.js"), xml = folder.filePath("r.xml");
    QVERIFY(writeFile(exercise, kOneSplit)
        && writeFile(script, "const alice = 1, count = 2; // names of the exercise, too\nlab.split();\n"));
    Play right(judged(exercise, script, xml, 3));
    QVERIFY2(right.code() == 0, qPrintable(right.said()));
    const ReportRead report = readReport(bytesOfFile(xml));
    QCOMPARE(report.cases.size(), 2u);
    QCOMPARE(report.cases[0].className, QString("x"));
    QCOMPARE(report.cases[0].out, QString("1 splits so far."));
    QCOMPARE(report.cases[1].name, QString("one record \"<1>\" & no more"));
    QCOMPARE(report.cases[1].out, QString("Records: 1. Key 1 was found."));
    QVERIFY(writeFile(script, "lab.split(); lab.split();\n"));
    Play twice(judged(exercise, script, xml, 3));
    QCOMPARE(twice.code(), 1);
    QCOMPARE(readReport(bytesOfFile(xml)).cases[0].message, QString("2 splits."));
}

void ExercisesTest::aScriptMayNotMakeTheClusterAnew_data()
{
    QTest::addColumn<QString>("line");
    QTest::newRow("cluster") << "lab.cluster({ m: 2 });";
    QTest::newRow("exercise")
        << "lab.exercise({ task: 'x', goals: [{ text: 'x', judge: () => ({ held: true, why: 'x' }) }] });";
    QTest::newRow("detail") << "lab.detail('counts');";
    QTest::newRow("measure") << "lab.measure({ name: 'x', run: () => ({}) });";
    QTest::newRow("atEnd") << "lab.atEnd(() => 1);";
}

void ExercisesTest::aScriptMayNotMakeTheClusterAnew()
{
    QFETCH(const QString, line);
    const QTemporaryDir folder;
    const QString exercise = folder.filePath("x.js"), script = folder.filePath("student.js"),
                  xml = folder.filePath("r.xml");
    QVERIFY(writeFile(exercise, kOneSplit) && writeFile(script, "lab.split();\n" + line + "\n"));
    Play play(judged(exercise, script, xml, 1));
    QCOMPARE(play.code(), 2);
    QVERIFY2(play.said().contains("student.js, line 2: A script that is judged by an exercise may not call lab."
                 + QString(QTest::currentDataTag())),
        qPrintable(play.said()));
}

void ExercisesTest::mistakesHaveTheFileTheyAreIn()
{
    const QTemporaryDir folder;
    const QString exercise = folder.filePath("x.js"), script = folder.filePath("student.js"),
                  xml = folder.filePath("r.xml");
    QVERIFY(writeFile(exercise, kOneSplit) && writeFile(script, "lab.split();\n\nnothing.here();\n"));
    Play thrown(judged(exercise, script, xml, 1));
    QCOMPARE(thrown.code(), 2);
    QVERIFY2(thrown.said().contains("student.js, line 3: ReferenceError"), qPrintable(thrown.said()));
    ReportRead report = readReport(bytesOfFile(xml));
    QVERIFY(report.isWellFormed);
    QCOMPARE(report.errors, 1);
    QCOMPARE(report.skipped, 2); // the goals: they were not judged
    QCOMPARE(report.cases.back().className, QString("student"));
    QVERIFY(report.cases.back().text.contains("student.js, line 3"));

    QVERIFY(writeFile(script, "lab.split(\n"));
    Play broken(judged(exercise, script, xml, 1));
    QCOMPARE(broken.code(), 2);
    QVERIFY2(broken.said().contains("student.js, line "), qPrintable(broken.said()));
    report = readReport(bytesOfFile(xml));
    QVERIFY(report.isWellFormed);
    QCOMPARE(report.errors, 1);
    QVERIFY(report.cases[0].className == "student");

    QVERIFY(writeFile(exercise, QString(kOneSplit).replace("n + ' splits.'", "nothing"))
        && writeFile(script, "lab.split(); lab.split();\n"));
    Play judge(judged(exercise, script, xml, 1));
    QCOMPARE(judge.code(), 2);
    QVERIFY2(judge.said().contains("x.js, line 6: ReferenceError"), qPrintable(judge.said()));
}

void ExercisesTest::whatTheScriptExpectsIsTold()
{
    const QTemporaryDir folder;
    const QString exercise = folder.filePath("x.js"), script = folder.filePath("student.js"),
                  xml = folder.filePath("r.xml");
    QVERIFY(writeFile(exercise, kOneSplit)
        && writeFile(script, "lab.step('a', 'Mine');\nlab.split();\nlab.expectEqual(1, 2, 'my own');\n"));
    Play play(judged(exercise, script, xml, 1));
    QCOMPARE(play.code(), 1);
    QVERIFY2(play.said().contains("student.js, line 3: my own: got 1, wanted 2"), qPrintable(play.said()));
    const ReportRead report = readReport(bytesOfFile(xml));
    QCOMPARE(report.cases.size(), 3u);
    QCOMPARE(report.cases[0].className, QString("student.a"));
    QCOMPARE(report.cases[0].text, QString("line 3: my own: got 1, wanted 2"));
    QCOMPARE(report.failures, 1); // the goals are judged nevertheless, and hold
}

void ExercisesTest::anExerciseIsWrittenInOneWay_data()
{
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const QString& call, const QString& says) {
        QTest::newRow(name) << call << says;
    };
    row("no goals", "lab.exercise({ task: 'x', goals: [] });", "takes 1 to 10 goals");
    row("no task", "lab.exercise({ goals: [] });", "task");
    row("no judge", "lab.exercise({ task: 'x', goals: [{ text: 'a' }] });",
        "Goal 1 of lab.exercise needs a function `judge`");
    row("no text", "lab.exercise({ task: 'x', goals: [{ judge: () => 1 }] });", "Goal 1 of lab.exercise has no text");
    row("no reason", "lab.exercise({ task: 'x', goals: [{ text: 'a', judge: () => ({ held: true }) }] });",
        "was judged without");
    row("a number", "lab.exercise({ task: 'x', goals: [{ text: 'a', judge: () => 7 }] });", "was judged without");
    row("a hint of nothing", "lab.exercise({ task: 'x', hints: [''], goals: [{ text: 'a', judge: () => 7 }] });",
        "Hint 1 of lab.exercise is not a text");
    row("two of them",
        "const e = { task: 'x', goals: [{ text: 'a', judge: () => ({ held: true, why: 'so' }) }] }; "
        "lab.exercise(e); lab.exercise(e);",
        "A scenario has one exercise");
    row("none at all", "lab.print(1);", "does not call lab.exercise, so s.js was not run");
}

void ExercisesTest::anExerciseIsWrittenInOneWay()
{
    QFETCH(const QString, call);
    QFETCH(const QString, says);
    const QTemporaryDir folder;
    const QString exercise = folder.filePath("x.js"), script = folder.filePath("s.js");
    QVERIFY(writeFile(exercise, "lab.cluster({ m: 2, k: 0, b: 10, spares: { data: 1, parity: 0 } });\n" + call + "\n")
        && writeFile(script, ""));
    Play play(judged(exercise, script, folder.filePath("r.xml"), 1));
    QCOMPARE(play.code(), 2);
    QVERIFY2(play.said().contains(says) && play.said().contains("x.js"), qPrintable(play.said()));
}

void ExercisesTest::anExerciseNeedsSomebodyWhoActs()
{
    const QString exercise = kFolder + exerciseFiles().constFirst();
    Play alone({ "--sim", exercise });
    QCOMPARE(alone.code(), 2);
    QVERIFY2(alone.said().contains("is an exercise, and waits for a person: open it in the window, or give a script: "
                                   "lhrs-play --exercise"),
        qPrintable(alone.said()));
    Play checked({ "--check", exercise });
    QVERIFY2(checked.code() == 0, qPrintable(checked.said()));
    // A script without the tag is detected at the call.
    const QTemporaryDir folder;
    QVERIFY(writeFile(folder.filePath("x.js"), QString(kOneSplit).replace("@exercise", "@none")));
    Play untold({ "--sim", "--speed", "max", folder.filePath("x.js") });
    QCOMPARE(untold.code(), 2);
    QVERIFY2(untold.said().contains("x.js, line 4: An exercise waits for a person."), qPrintable(untold.said()));
    Play missing({ "--sim", "--exercise", exercise, folder.filePath("none.js") });
    QCOMPARE(missing.code(), 2);
    QVERIFY2(missing.said().contains("none.js cannot be read"), qPrintable(missing.said()));
}

void ExercisesTest::aReportThatCannotBeWrittenIsSaidBefore()
{
    const QTemporaryDir folder;
    const QString scenario = folder.filePath("x.js");
    QVERIFY(writeFile(scenario, "lab.print('it runs');\n"));
    for (const QString& path : { folder.filePath("none/r.xml"), folder.path(), scenario }) {
        Play play({ "--sim", "--junit", path, scenario });
        QCOMPARE(play.code(), 2);
        QVERIFY2(play.said().startsWith("lhrs-play: --junit: " + path) && play.said().count('\n') == 1,
            qPrintable(play.said()));
    }
    QVERIFY(textOf(scenario).contains("it runs"));
}

void ExercisesTest::aReportOfAScenario()
{
    const QTemporaryDir folder;
    const QString scenario = folder.filePath("mine.v2.js"), xml = folder.filePath("r.xml");
    QVERIFY(writeFile(scenario,
        QString::fromUtf8("lab.expect(true, 'before a step');\nlab.step('a', 'First');\nlab.expectEqual('<ä>', '\"€\" "
                          "& \\u0001', 'strange \\ud83d\\ude00 \\ud83d text');\n"
                          "lab.step('b.1', 'Second');\nlab.expect(true, "
                          "'third');\nlab.nothing();\n")));
    const QStringList arguments { "--sim", "--speed", "max", "--keep-going", "--junit", xml, scenario };
    Play play(arguments);
    QCOMPARE(play.code(), 2);
    const QByteArray bytes = bytesOfFile(xml);
    const ReportRead report = readReport(bytes);
    QVERIFY2(report.isWellFormed, qPrintable(report.problem));
    QCOMPARE(report.cases.size(), 4u);
    QCOMPARE(report.cases[0].className, QString("mine_v2"));
    QCOMPARE(report.cases[1].className, QString("mine_v2.a"));
    QCOMPARE(report.cases[1].name, QString::fromUtf8("strange \xf0\x9f\x98\x80 \xef\xbf\xbd text"));
    QCOMPARE(report.cases[1].kind, QString("failure"));
    QCOMPARE(report.cases[1].text,
        QString::fromUtf8("line 3: strange \xf0\x9f\x98\x80 \xef\xbf\xbd text: got '<ä>', wanted '\"€\" & "
                          "\xef\xbf\xbd'"));
    QCOMPARE(report.cases[2].className, QString("mine_v2.b_1"));
    QCOMPARE(report.cases[3].kind, QString("error"));
    QVERIFY(report.cases[3].text.contains("mine.v2.js, line 6: lab.nothing does not exist"));
    QVERIFY(!bytes.contains("time"));
    Play again(arguments);
    QCOMPARE(again.code(), 2);
    QCOMPARE(bytesOfFile(xml), bytes);
    // Each run of a sweep is a suite.
    QVERIFY(writeFile(scenario, "const p = lab.params({ n: 1 }); lab.expect(p.n < 3, 'small');\n"));
    Play sweep({ "--sim", "--speed", "max", "--sweep", "n=1..2", "--junit", xml, scenario });
    QVERIFY2(sweep.code() == 0, qPrintable(sweep.said()));
    QCOMPARE(bytesOfFile(xml).count("<testsuite "), 2);
}

void ExercisesTest::aReportTakesAnyText()
{
    QString any;
    for (char16_t c = 0; c < 0x180; ++c)
        any += QChar(c);
    any += QString(QChar(0xd800)) + "x" + QChar(0xdc00) + QChar(0xfffe) + QChar(0xffff) + "]]>" + "<!--"
        + QString::fromUcs4(U"\U0010ffff");
    JUnitReport report;
    report.beginSuite(any, { { any, any } });
    for (const auto kind : { JUnitReport::Case::Kind::Held, JUnitReport::Case::Kind::Failed,
             JUnitReport::Case::Kind::Error, JUnitReport::Case::Kind::Skipped })
        report.add({ any, any, kind, any, any, any, any });
    const ReportRead read = readReport(report.xml());
    QVERIFY2(read.isWellFormed, qPrintable(read.problem));
    QCOMPARE(read.cases.size(), 4u);
    QVERIFY(read.cases[1].message.contains("]]><!--")
        && read.cases[1].message.contains(QString::fromUtf8("äöüß")) == false);
    QVERIFY(read.cases[1].message.contains(QChar(0xe4)));
}

void ExercisesTest::realProcessesAreJudgedToo()
{
    const QTemporaryDir folder;
    const QString xml = folder.filePath("r.xml");
    Play right({ "--local", "--exercise", kFolder + exerciseFiles()[2], "--junit", xml, kScripts + "03.js" });
    QVERIFY2(right.code() == 0, qPrintable(right.said()));
    QCOMPARE(readReport(bytesOfFile(xml)).failures, 0);
    Play lost({ "--local", "--exercise", kFolder + exerciseFiles()[8], "--junit", xml, kScripts + "09.js" });
    QVERIFY2(lost.code() == 0, qPrintable(lost.said()));
}

QTEST_GUILESS_MAIN(ExercisesTest)
#include "tst_exercises.moc"
