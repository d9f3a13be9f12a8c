// SPDX-License-Identifier: GPL-3.0-or-later
// Folders of results: the name of a run and its description, rows as they come, further runs, sweeps and merging.
#include "gui/lab/export/result_folder.h"
#include "gui/lab/export/result_merge.h"
#include "gui/lab/tables/sweep.h"
#include "tests/rigs/lab/lab_stage.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

struct PlayRun {
    int code = -1;
    QString out, err;
};

PlayRun play(const QStringList& arguments)
{
    QProcess process;
    process.start(LHRS_BIN_DIR "/lhrs-play", arguments);
    if (!process.waitForFinished(120'000 * kSlower))
        process.kill();
    return { process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
        QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError()) };
}

QString written(const QTemporaryDir& directory, const QString& name, const QString& text)
{
    QFile file(directory.filePath(name));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(text.toUtf8());
    return file.fileName();
}

CsvTable tableAt(const QString& path)
{
    const auto table = CsvTable::read(path);
    return table ? *table : CsvTable {};
}

QStringList column(const CsvTable& table, const QString& name)
{
    QStringList cells;
    for (const QStringList& row : table.rows)
        cells << table.cell(row, name);
    return cells;
}

RunFacts factsNamed(const QString& run)
{
    RunFacts facts = programFacts("test");
    facts.run = run;
    return facts;
}

LabTable::Row rowOf(const std::map<QString, QVariant>& factors, const std::map<QString, QVariant>& metrics)
{
    return { "counts", 1, false, 0, factors, metrics };
}

// A folder in which a run has begun, and its tables.
struct Begun {
    std::unique_ptr<ResultFolder> folder;
    LabTables tables;

    Begun(const QString& directory, const QString& run, FolderUse use = FolderUse::New)
    {
        auto opened = ResultFolder::open(directory, use);
        if (!opened)
            return;
        folder = std::move(*opened);
        if (folder->begin(factsNamed(run)).isEmpty())
            tables.setSink(folder.get());
    }
};

const char* const kNumbers
    = "const p = lab.params({ records: 1000, word: 'a' });\n"
      "lab.measure({ name: 'x', repetitions: 2, warmUp: 0, run: () => ({ value: p.records }) });\n";

} // namespace

class ResultsTest : public QObject {
    Q_OBJECT
private slots:
    void aRunHasAnIdOfItsOwn();
    void theInputsDecideTheIdOfASimulatedRun();
    void rowsAreInTheFileAsTheyCome();
    void resultsThatAreThereAreNotOverwritten();
    void theSameRunAgainReplacesItsRows();
    void aFolderIsOfOneRunAtATime();
    void aMeasurementHasNoFileOfTheRun();
    void foldersAreMergedByRun();
    void aSweepIsEveryCombination();
    void aWrongSweepIsRefused_data();
    void aWrongSweepIsRefused();
    void theTargetIsCheckedBeforeAnythingIsMeasured();
    void aRunThatIsKilledKeepsItsRows();
    void parametersTellTheRunsOfASweepApart();
    void aSweepIsListedAndResumed();
    void simulatedRunsOfTheSameInputsWriteTheSameBytes();
    void aTableIsDrawnAsItsScenarioDrewIt();
    void aChartThatCannotBeDrawnIsRefusedInWords_data();
    void aChartThatCannotBeDrawnIsRefusedInWords();
};

void ResultsTest::aRunHasAnIdOfItsOwn()
{
    const QString one = newRunId(7), two = newRunId(7);
    QVERIFY(one != two); // also within one millisecond
    for (const QString& id : { one, two })
        QVERIFY2(QRegularExpression("^20\\d{6}T\\d{6}\\.\\d{3}Z-[A-Za-z0-9._]+-"
                     + QString::number(QCoreApplication::applicationPid()) + "-7$")
                     .match(id)
                     .hasMatch(),
            qPrintable(id));
}

void ResultsTest::theInputsDecideTheIdOfASimulatedRun()
{
    const std::map<QString, QString> sets { { "b", "5" } };
    const QString id = simulatedRunId(inputsDigest("text", sets, 1));
    QVERIFY2(QRegularExpression("^sim-[0-9a-f]{16}$").match(id).hasMatch(), qPrintable(id));
    QCOMPARE(simulatedRunId(inputsDigest("text", sets, 1)), id);
    QSet<QString> all { inputsDigest("text", sets, 1), inputsDigest("text2", sets, 1),
        inputsDigest("text", { { "b", "50" } }, 1), inputsDigest("text", { { "b5", "" } }, 1),
        inputsDigest("text", {}, 1), inputsDigest("text", sets, 2), inputsDigest("text", sets, 1, { "further" }) };
    setProgramCommit("another");
    all << inputsDigest("text", sets, 1);
    setProgramCommit({});
    QCOMPARE(all.size(), 8);
}

void ResultsTest::rowsAreInTheFileAsTheyCome()
{
    QTemporaryDir directory;
    Begun run(directory.filePath("out"), "r1");
    QVERIFY(run.folder);
    const QString path = directory.filePath("out/x.csv");
    QVERIFY(run.tables.add("x", rowOf({ { "a", 1.0 } }, { { "time_s", 2.5 } }), { "a" }, { "time_s" }));
    QCOMPARE(
        textOf(path).section("\r\n", 0, 0), QString("run,simulated,detail,repetition,warm_up,a,time_s,faults,machine"));
    QVERIFY2(
        textOf(path).section("\r\n", 1, 1).startsWith("r1,false,counts,1,false,1,2.5,0,"), qPrintable(textOf(path)));
    QVERIFY(run.tables.add("x", rowOf({ { "a", 2.0 } }, { { "time_s", 3.5 } }), { "a" }, { "time_s" }));
    QCOMPARE(tableAt(path).rows.size(), 2u);
    // A column that comes later, of either kind, and a cell with a line break.
    QVERIFY(run.tables.add("x",
        rowOf({ { "a", 3.0 }, { "note", "two\nlines, \"quoted\"" } }, { { "time_s", 4.5 }, { "bytes", 7.0 } }),
        { "a", "note" }, { "time_s", "bytes" }));
    QVERIFY(run.tables.add("x", rowOf({ { "a", 4.0 } }, { { "time_s", 5.5 } }), { "a" }, { "time_s" }));
    const CsvTable table = tableAt(path);
    QCOMPARE(table.columns.mid(5), (QStringList { "a", "note", "time_s", "bytes", "faults", "machine" }));
    QCOMPARE(column(table, "a"), (QStringList { "1", "2", "3", "4" }));
    QCOMPARE(column(table, "note"), (QStringList { "", "", "two\nlines, \"quoted\"", "" }));
    QCOMPARE(column(table, "bytes"), (QStringList { "", "", "7", "" }));
    QCOMPARE(column(tableAt(directory.filePath("out/runs.csv")), "outcome"), QStringList { "under way" });
    // Finishing adds the summary; existing files stay byte for byte the same.
    const QString before = textOf(path);
    QCOMPARE(run.folder->finish(run.tables, "ok"), QString());
    QCOMPARE(textOf(path), before);
    QCOMPARE(column(tableAt(directory.filePath("out/x_summary.csv")), "n"), (QStringList { "1", "1", "1", "1" }));
    QCOMPARE(column(tableAt(directory.filePath("out/runs.csv")), "outcome"), QStringList { "ok" });
    QCOMPARE(run.folder->written(), (QStringList { "runs.csv", "x.csv", "x_summary.csv" }));
    // A file that cannot be written ends the measurement.
    QVERIFY(QDir(directory.filePath("out")).mkdir("y.csv"));
    const auto kept = run.tables.add("y", rowOf({}, { { "a", 1.0 } }), {}, { "a" });
    QVERIFY(!kept && QString::fromStdString(kept.error().text).contains("y.csv cannot be"));
}

void ResultsTest::resultsThatAreThereAreNotOverwritten()
{
    QTemporaryDir directory;
    const QString out = directory.filePath("out");
    const auto measured = [&](const QString& run, FolderUse use, const QString& metric) {
        Begun begun(out, run, use);
        return begun.folder && begun.tables.add("x", rowOf({}, { { metric, 1.0 } }), {}, { metric })
            && begun.folder->finish(begun.tables, "ok").isEmpty();
    };
    QVERIFY(measured("r1", FolderUse::New, "a"));
    const QString others = written(directory, "out/others.csv", "name,value\nx,1\n"); // no file of ours
    const QString before = textOf(out + "/x.csv");
    const auto refused = ResultFolder::open(out, FolderUse::New);
    QVERIFY(!refused
        && QString::fromStdString(refused.error().text)
               .contains("has results already (runs.csv, x.csv, x_summary.csv). --append"));
    QCOMPARE(textOf(out + "/x.csv"), before);
    QVERIFY(measured("r2", FolderUse::Append, "b"));
    CsvTable table = tableAt(out + "/x.csv");
    QCOMPARE(column(table, "run"), (QStringList { "r1", "r2" }));
    QCOMPARE(column(table, "a"), (QStringList { "1", "" }));
    QCOMPARE(column(table, "b"), (QStringList { "", "1" }));
    QCOMPARE(column(tableAt(out + "/runs.csv"), "run"), (QStringList { "r1", "r2" }));
    QCOMPARE(column(tableAt(out + "/x_summary.csv"), "run"), (QStringList { "r1", "r2" }));
    QVERIFY(measured("r3", FolderUse::Overwrite, "c"));
    table = tableAt(out + "/x.csv");
    QCOMPARE(column(table, "run"), QStringList { "r3" });
    QVERIFY(!table.columns.contains("a"));
    QCOMPARE(textOf(others), QString("name,value\nx,1\n"));
}

void ResultsTest::theSameRunAgainReplacesItsRows()
{
    QTemporaryDir directory;
    const QString out = directory.filePath("out");
    for (const char* run : { "r1", "r2", "r1" }) {
        Begun begun(out, run, FolderUse::Append);
        QVERIFY(begun.folder && begun.tables.add("x", rowOf({}, { { "a", 1.0 } }), {}, { "a" }));
        QCOMPARE(begun.folder->finish(begun.tables, "ok"), QString());
    }
    QCOMPARE(column(tableAt(out + "/x.csv"), "run"), (QStringList { "r2", "r1" }));
    QCOMPARE(column(tableAt(out + "/runs.csv"), "run"), (QStringList { "r2", "r1" }));
}

void ResultsTest::aFolderIsOfOneRunAtATime()
{
    QTemporaryDir directory;
    auto first = ResultFolder::open(directory.filePath("out"), FolderUse::New);
    QVERIFY(first);
    const auto second = ResultFolder::open(directory.filePath("out"), FolderUse::Append);
    QVERIFY(!second && QString::fromStdString(second.error().text).contains("Another run writes"));
    first->reset();
    QVERIFY(ResultFolder::open(directory.filePath("out"), FolderUse::Append));
}

void ResultsTest::aMeasurementHasNoFileOfTheRun()
{
    QTemporaryDir directory;
    Begun run(directory.path(), "r1");
    QVERIFY(run.folder && run.tables.add("runs", rowOf({}, { { "a", 1.0 } }), {}, { "a" }));
    QCOMPARE(run.folder->finish(run.tables, "ok"), QString());
    QCOMPARE(column(tableAt(directory.filePath("measured_runs.csv")), "a"), QStringList { "1" });
    QCOMPARE(column(tableAt(directory.filePath("runs.csv")), "outcome"), QStringList { "ok" });
}

void ResultsTest::foldersAreMergedByRun()
{
    QTemporaryDir directory;
    const auto measured = [&](const QString& folder, const QString& run, const QString& metric, double value) {
        Begun begun(directory.filePath(folder), run, FolderUse::Append);
        return begun.folder && begun.tables.add("x", rowOf({}, { { metric, value } }), {}, { metric })
            && begun.folder->finish(begun.tables, "ok").isEmpty();
    };
    QVERIFY(measured("one", "r1", "a", 1) && measured("one", "r2", "a", 2) && measured("two", "r3", "b", 3));
    QVERIFY(QDir(directory.path()).mkdir("copy"));
    for (const char* name : { "runs.csv", "x.csv", "x_summary.csv" })
        QVERIFY(QFile::copy(directory.filePath(QString("one/") + name), directory.filePath(QString("copy/") + name)));
    const QStringList sources { directory.filePath("one"), directory.filePath("two"), directory.filePath("copy") };
    const MergeResult merged = mergeResults(sources, directory.filePath("all"), FolderUse::New);
    QCOMPARE(merged.problem, QString());
    QCOMPARE(merged.runs, 3);
    const CsvTable table = tableAt(directory.filePath("all/x.csv"));
    QCOMPARE(column(table, "run"), (QStringList { "r1", "r2", "r3" }));
    QCOMPARE(column(table, "a"), (QStringList { "1", "2", "" }));
    QCOMPARE(column(table, "b"), (QStringList { "", "", "3" }));
    QCOMPARE(column(tableAt(directory.filePath("all/x_summary.csv")), "run"), (QStringList { "r1", "r2", "r3" }));
    QVERIFY(mergeResults(sources, directory.filePath("all"), FolderUse::New).problem.contains("has results already"));
    QCOMPARE(mergeResults({ sources[1] }, directory.filePath("all"), FolderUse::Append).runs, 3);
    // Another result under the same run's name.
    QVERIFY(measured("other", "r1", "a", 5));
    const MergeResult conflict = mergeResults(
        { sources[0], directory.filePath("other") }, directory.filePath("none"), FolderUse::New);
    QVERIFY(conflict.problem.contains("Nothing was merged"));
    QVERIFY2(conflict.conflicts.join('|').contains("x.csv: the rows of run r1 in " + directory.filePath("other")),
        qPrintable(conflict.conflicts.join('|')));
    QVERIFY(!QDir(directory.filePath("none")).exists());
    QVERIFY(mergeResults({ directory.filePath("nowhere") }, directory.filePath("none"), FolderUse::New)
                .problem.contains("is not a directory"));
}

void ResultsTest::aSweepIsEveryCombination()
{
    const auto factor = factorOf("b=5, 10..20 step 5,word");
    QVERIFY(factor);
    QCOMPARE(factor->first, QString("b"));
    QCOMPARE(factor->second, (QStringList { "5", "10", "15", "20", "word" }));
    const auto declared = declaredSweeps("// s.js   @title Sweeps\n// @sweep sizes records=5,50 seed=1..3\n// @sweep "
                                         "one k=1..5 step 2\nlab.print('x');\n// @sweep late k=1\n");
    QVERIFY2(declared, declared ? "" : declared.error().text.c_str());
    QCOMPARE(declared->size(), 2u);
    QCOMPARE((*declared)[1].factors[0].second, (QStringList { "1", "3", "5" }));
    const auto runs = (*declared)[0].runs({ { "k", "2" } }, 9);
    QVERIFY(runs);
    QCOMPARE(runs->size(), 6u);
    QCOMPARE((*runs)[4].number, 4);
    QCOMPARE((*runs)[4].shown, QString("records=50 seed=2"));
    QCOMPARE((*runs)[4].seed, 2u);
    QCOMPARE((*runs)[4].sets, (std::map<QString, QString> { { "k", "2" }, { "records", "50" } }));
    const auto file = sweepsOfJson("{\"sizes\": {\"records\": [5, 0.5, true, \"w,x\"], \"seed\": \"1..2\"}}", "f.json");
    QVERIFY2(file, file ? "" : file.error().text.c_str());
    QCOMPARE(file->front().factors[0].second, (QStringList { "5", "0.5", "true", "w,x" }));
    QCOMPARE(file->front().factors[1].second, (QStringList { "1", "2" }));
    QCOMPARE(*runNumbers("0..2,7,1", 8), (std::vector<int> { 0, 1, 2, 7 }));
}

void ResultsTest::aWrongSweepIsRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("text");
    QTest::newRow("no sweep") << QStringList { "--runs" } << "There is no sweep";
    QTest::newRow("no such sweep") << QStringList { "--sweep", "sizes" } << "There is no sweep";
    QTest::newRow("empty value") << QStringList { "--sweep", "records=5,,6" } << "empty value";
    QTest::newRow("no name") << QStringList { "--sweep", "=5" } << "not a parameter with values";
    QTest::newRow("backwards") << QStringList { "--sweep", "records=9..1" } << "goes up";
    QTest::newRow("too long") << QStringList { "--sweep", "records=1..999999999999" } << "at most 100000";
    QTest::newRow("too many") << QStringList { "--sweep", "records=1..1000", "--sweep", "seed=1..1000" }
                              << "more than 100000 runs";
    QTest::newRow("twice") << QStringList { "--sweep", "records=1", "--set", "records=2" } << "given twice";
    QTest::newRow("seed") << QStringList { "--sweep", "seed=-1" } << "a seed is a number";
    QTest::newRow("number too large") << QStringList { "--sweep", "records=1,2", "--run", "2" } << "the runs 0 to 1";
    QTest::newRow("no number") << QStringList { "--sweep", "records=1,2", "--run", "x" } << "write a number";
    QTest::newRow("no file") << QStringList { "--sweep-file", "/nowhere.json", "--runs" } << "cannot be read";
    QTest::newRow("append alone") << QStringList { "--append" } << "--csv";
    QTest::newRow("both") << QStringList { "--csv", "/tmp", "--append", "--overwrite" } << "excludes";
    QTest::newRow("one recording") << QStringList { "--sweep", "records=1,2", "--record", "/tmp/never.lhrun" }
                                   << "choose it by --run";
    QTest::newRow("merge and play") << QStringList { "--csv", "/tmp/never", "--run", "1", "--merge", "/tmp" }
                                    << "only puts tables together";
}

void ResultsTest::aWrongSweepIsRefused()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QString, text);
    QTemporaryDir directory;
    const bool isMerge = arguments.contains("--merge");
    const PlayRun run = play(isMerge ? arguments : arguments + QStringList { written(directory, "s.js", kNumbers) });
    QVERIFY2(run.err.contains(text), qPrintable(run.err));
    QVERIFY(run.code != 0);
    QCOMPARE(run.out, QString());
}

void ResultsTest::theTargetIsCheckedBeforeAnythingIsMeasured()
{
    QTemporaryDir directory;
    const QString script = written(directory, "s.js", "lab.print('it ran'); lab.row('mine', { v: 1 });");
    const QString file = written(directory, "afile", "text");
    PlayRun run = play({ "--csv", file, script });
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("cannot be made"), qPrintable(run.err));
    QVERIFY(!run.out.contains("it ran"));
    QCOMPARE(textOf(file), QString("text"));
    const QString out = directory.filePath("out");
    QCOMPARE(play({ "--csv", out, script }).code, 0);
    const QString before = textOf(out + "/mine.csv");
    run = play({ "--csv", out, script });
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("--append adds this run"), qPrintable(run.err));
    QVERIFY(!run.out.contains("it ran"));
    QCOMPARE(textOf(out + "/mine.csv"), before);
    run = play({ "--csv", out, "--append", script });
    QVERIFY2(run.code == 0, qPrintable(run.err));
    const QStringList runs = column(tableAt(out + "/mine.csv"), "run");
    QVERIFY(runs.size() == 2 && runs[0] != runs[1]);
    QCOMPARE(column(tableAt(out + "/runs.csv"), "run"), runs);
    QCOMPARE(play({ "--csv", out, "--overwrite", script }).code, 0);
    QCOMPARE(tableAt(out + "/mine.csv").rows.size(), 1u);
}

void ResultsTest::aRunThatIsKilledKeepsItsRows()
{
    QTemporaryDir directory;
    const QString script = written(
        directory, "s.js", "lab.measure({ name: 'x', repetitions: 100000, warmUp: 0, run: () => ({ value: 42 }) });");
    const QString path = directory.filePath("out/x.csv");
    QProcess process;
    process.start(LHRS_BIN_DIR "/lhrs-play", { "--csv", directory.filePath("out"), script });
    QTRY_VERIFY_WITH_TIMEOUT(textOf(path).count("\r\n") > 5, 60'000 * kSlower);
    process.kill();
    QVERIFY(process.waitForFinished());
    const CsvTable table = tableAt(path);
    QVERIFY(table.rows.size() >= 5);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        QCOMPARE(table.cell(table.rows[i], "repetition"), QString::number(i + 1));
        QCOMPARE(table.cell(table.rows[i], "value"), QString("42"));
    }
    QCOMPARE(column(tableAt(directory.filePath("out/runs.csv")), "outcome"), QStringList { "under way" });
}

void ResultsTest::parametersTellTheRunsOfASweepApart()
{
    QTemporaryDir directory;
    const QString script = written(directory, "s.js", kNumbers);
    QSet<QString> ids;
    for (const char* records : { "5", "50", "500" }) {
        const QString out = directory.filePath(QString("out") + records);
        const PlayRun run = play({ "--set", QString("records=") + records, "--csv", out, script });
        QVERIFY2(run.code == 0, qPrintable(run.err));
        const CsvTable runs = tableAt(out + "/runs.csv");
        QCOMPARE(runs.rows.size(), 1u);
        const auto cell = [&](const QString& name) { return runs.cell(runs.rows[0], name); };
        QCOMPARE(cell("param_records"), QString(records));
        QCOMPARE(cell("param_word"), QString("a"));
        QCOMPARE(cell("parameters"), QString("{\"records\":%1,\"word\":\"a\"}").arg(records));
        QCOMPARE(cell("scenario"), QString("s.js"));
        QCOMPARE(cell("seed"), QString("1"));
        QCOMPARE(cell("simulated"), QString("false"));
        for (const char* known :
            { "started_utc", "host", "machine", "program", "compiler", "instructions", "libraries", "inputs" })
            QVERIFY2(!cell(known).isEmpty(), known);
        QCOMPARE(QSet<QString>(
                     { column(tableAt(out + "/x.csv"), "run")[0], column(tableAt(out + "/x_summary.csv"), "run")[0] }),
            QSet<QString>({ cell("run") }));
        ids << cell("run");
    }
    QCOMPARE(ids.size(), 3);
}

void ResultsTest::aSweepIsListedAndResumed()
{
    QTemporaryDir directory;
    const QString out = directory.filePath("out");
    const QString script = written(
        directory, "s.js", QString("// s.js   @title A sweep\n// @sweep sizes records=5,50 word=a,b\n") + kNumbers);
    PlayRun run = play({ "--runs", script });
    QCOMPARE(run.code, 0);
    QCOMPARE(run.out,
        QString("run 0: records=5 word=a\nrun 1: records=5 word=b\nrun 2: records=50 word=a\nrun 3: records=50 "
                "word=b\n4 runs; --run N carries out number N\n"));
    run = play({ "--sweep", "sizes", "--run", "2", "--csv", out, script });
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QCOMPARE(column(tableAt(out + "/x.csv"), "value"), (QStringList { "50", "50" }));
    run = play({ "--runs", "--csv", out, script });
    QVERIFY2(
        run.out.contains("run 1: records=5 word=b\nrun 2: records=50 word=a (complete)\nrun 3"), qPrintable(run.out));
    run = play({ "--sweep", "sizes", "--resume", "--csv", out, script });
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QVERIFY(run.out.contains("run 2: records=50 word=a is complete"));
    const CsvTable runs = tableAt(out + "/runs.csv");
    QCOMPARE(column(runs, "sweep_run"), (QStringList { "2", "0", "1", "3" }));
    QCOMPARE(column(runs, "sweep"), (QStringList { "sizes", "sizes", "sizes", "sizes" }));
    QCOMPARE(column(runs, "param_records"), (QStringList { "50", "5", "5", "50" }));
    QCOMPARE(tableAt(out + "/x.csv").rows.size(), 8u);
    // Another program text is another experiment.
    const QString changed = written(directory, "s.js", textOf(script) + "// changed\n");
    QVERIFY(!play({ "--runs", "--csv", out, changed }).out.contains("complete)"));
    run = play({ "--sweep", "records=1,2", "--csv", directory.filePath("failed"),
        written(
            directory, "f.js", "const p = lab.params({ records: 1 }); lab.expectEqual(p.records, 2, 'it is two');") });
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("run 0: records=1 ended with 1"), qPrintable(run.err));
    QCOMPARE(column(tableAt(directory.filePath("failed/runs.csv")), "outcome"), QStringList { "expectation failed" });
}

void ResultsTest::simulatedRunsOfTheSameInputsWriteTheSameBytes()
{
    QTemporaryDir directory;
    const QString script = written(directory, "s.js",
        "const p = lab.params({ records: 5 });\nlab.cluster({ m: 2, k: 1, b: 50, spares: { data: 2, parity: 1 } });\n"
        "lab.measure({ name: 'x', repetitions: 2, warmUp: 0, run: () => ({ value: p.records }) });\n");
    for (const char* out : { "one", "two" }) {
        const PlayRun run = play({ "--sim", "--seed", "7", "--speed", out == QString("one") ? "max" : "100", "--csv",
            directory.filePath(out), script });
        QVERIFY2(run.code == 0, qPrintable(run.err));
    }
    for (const char* name : { "runs.csv", "clusters.csv", "x.csv", "x_summary.csv" }) {
        QVERIFY(!textOf(directory.filePath(QString("one/") + name)).isEmpty());
        QCOMPARE(
            textOf(directory.filePath(QString("two/") + name)), textOf(directory.filePath(QString("one/") + name)));
    }
    const CsvTable runs = tableAt(directory.filePath("one/runs.csv")),
                   clusters = tableAt(directory.filePath("one/clusters.csv"));
    QVERIFY(column(runs, "run")[0].startsWith("sim-"));
    QCOMPARE(column(runs, "started_utc"), QStringList { "" });
    QCOMPARE(column(clusters, "run"), column(runs, "run"));
    QCOMPARE(column(clusters, "m"), QStringList { "2" });
    QCOMPARE(column(clusters, "b"), QStringList { "50" });
    QVERIFY(column(clusters, "galois")[0].startsWith("simd:"));
}

void ResultsTest::aTableIsDrawnAsItsScenarioDrewIt()
{
    QTemporaryDir directory;
    QVERIFY(QDir(directory.path()).mkdir("out"));
    const QString order
        = "{ \"x\": \"slice\", \"y\": \"total_s\", \"by\": [\"scheme\"], \"paper\": \"bucket_recovery\","
          " \"where\": { \"config\": 2, \"gf\": 16 }, \"title\": \"Ours & <2003>\" }";
    QVERIFY(QFile::link(LHRS_SOURCE_DIR "/scenarios/paper", directory.filePath("paper")));
    QVERIFY(QFile::link(LHRS_SOURCE_DIR "/scenarios/paper", directory.filePath("out/paper")));
    const QString scenario = written(directory, "s.js",
        "for (const scheme of ['xor', 'rs, \"too\"', ''])\n    for (const slice of [1250, 3125, 0.1])\n"
        "        lab.row('r', { scheme: scheme, slice: slice, gf: 16, total_s: slice / 3 + scheme.length });\n"
        "lab.chart(Object.assign({ table: 'r' }, "
            + order + "));");
    const QString out = directory.filePath("out");
    const PlayRun run = play({ "--csv", out, scenario });
    QVERIFY2(run.code == 0, qPrintable(run.err));
    QFile picture(out + "/r_chart.svg");
    QVERIFY(picture.open(QIODevice::ReadOnly));
    const PlayRun drawn = play({ "--chart", order, out + "/r.csv" });
    QVERIFY2(drawn.code == 0 && drawn.err.isEmpty(), qPrintable(drawn.err));
    QCOMPARE(drawn.out, QString::fromUtf8(picture.readAll()));
    const PlayRun points = play({ "--chart", order, "--chart-points", out + "/r.csv" });
    const auto table = CsvTable::parse(points.out, "points");
    QVERIFY2(table, qPrintable(points.err));
    QCOMPARE(table->columns,
        (QStringList {
            "run", "simulated", "detail", "origin", "scheme", "slice", "quantity", "median", "q1", "q3", "n" }));
    QCOMPARE(column(*table, "scheme").mid(0, 9),
        (QStringList { "", "", "", "rs, \"too\"", "rs, \"too\"", "rs, \"too\"", "xor", "xor", "xor" }));
    QVERIFY(column(*table, "origin").contains("published"));
}

void ResultsTest::aChartThatCannotBeDrawnIsRefusedInWords_data()
{
    QTest::addColumn<QString>("order");
    QTest::addColumn<QString>("words");
    QTest::newRow("no JSON") << "x"
                             << "--chart: this is not a JSON object";
    QTest::newRow("a list") << "[1]"
                            << "--chart: this is not a JSON object";
    QTest::newRow("unknown option") << R"({"x":"a","y":"v","bye":1})"
                                    << "there is no option bye. Did you mean by?";
    QTest::newRow("no x") << R"({"y":"v"})"
                          << "--chart: x is missing";
    QTest::newRow("x is a number") << R"({"x":5,"y":"v"})"
                                   << "--chart: x is a text.";
    QTest::newRow("no y") << R"({"x":"a","y":[]})"
                          << "y is the name of a column, or a list of 1 to 12";
    QTest::newRow("y of numbers") << R"({"x":"a","y":[5]})"
                                  << "y is the name of a column, or a list of 1 to 12";
    QTest::newRow("log is a text") << R"({"x":"a","y":"v","log":"yes"})"
                                   << "log is true or false.";
    QTest::newRow("where is a list") << R"({"x":"a","y":"v","where":[]})"
                                     << "where is an object";
    QTest::newRow("no column") << R"({"x":"a","y":"quantity"})"
                               << "The table t has no column quantity. Its columns are a, v, repetition.";
    QTest::newRow("no paper") << R"({"x":"a","y":"v","where":{"run":"r2"},"paper":"p"})"
                              << "There is no published table 'p'";
    QTest::newRow("two runs") << R"({"x":"a","y":"v"})"
                              << "it has rows of 2 runs; choose one: \"where\": {\"run\": \"r2\"}.";
    QTest::newRow("no run") << R"({"x":"a","y":"v","where":{"run":"r3"}})"
                            << "it has no row of the run r3. Its runs are r1, r2.";
}

void ResultsTest::aChartThatCannotBeDrawnIsRefusedInWords()
{
    QFETCH(const QString, order);
    QFETCH(const QString, words);
    QTemporaryDir directory;
    const bool hasTwo = words.contains("run");
    const QString table = written(directory, "t.csv",
        QString("run,simulated,detail,repetition,warm_up,a,v\r\n%1r2,false,full,1,false,1,2\r\n")
            .arg(hasTwo ? "r1,true,full,1,false,1,2\r\n" : ""));
    const PlayRun run = play({ "--chart", order, table });
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains(words) && run.err.trimmed().count('\n') == 0 && run.out.isEmpty(), qPrintable(run.err));
    const PlayRun other = play(
        { "--chart", R"({"x":"a","y":"v"})", written(directory, "other.csv", "a,v\r\n1,2\r\n") });
    QVERIFY2(
        other.code == 2 && other.err.contains("other.csv: it is not a table of measurements"), qPrintable(other.err));
}

QTEST_GUILESS_MAIN(ResultsTest)
#include "tst_results.moc"
