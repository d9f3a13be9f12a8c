// SPDX-License-Identifier: GPL-3.0-or-later
// Measured tables beside the published ones: the joined rows, the statements about shapes, and the written files.
#include "gui/view/charts/lhrs/report_writer.h"
#include "tests/rigs/gui/view_stage.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace lhrs::gui;

namespace {

const QString kPaper = QStringLiteral(LHRS_SOURCE_DIR "/scenarios/paper");

void put(const QTemporaryDir& directory, const QString& name, const QByteArray& text)
{
    QFile file(directory.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

QString textOf(const QTemporaryDir& directory, const QString& name)
{
    QFile file(directory.filePath(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// Two buckets take 2 s in GF(2^16) and 1 s in GF(2^8), three of them 3 s: one of the papers' shapes holds, one does
// not.
const QByteArray kRecovery
    = "run,simulated,detail,repetition,warm_up,scheme,failed_buckets,slice,gf,total_s,process_s,comm_s,machine\n"
      "r1,false,counts,1,true,rs,2,3125,16,90,90,90,\"a machine, 2 cores\"\n"
      "r1,false,counts,1,false,rs,2,3125,16,1.5,2,0.25,\"a machine, 2 cores\"\n"
      "r1,false,counts,2,false,rs,2,3125,16,2.5,2,0.25,\"a machine, 2 cores\"\n"
      "r1,false,counts,1,false,rs,3,3125,16,4,3,0.5,\"a machine, 2 cores\"\n"
      "r1,false,counts,1,false,rs,2,3125,8,1,1,0.25,\"a machine, 2 cores\"\n";

} // namespace

class PaperReportTest : public QObject {
    Q_OBJECT

private slots:
    void rowsOfTheSameConditionsAreJoined();
    void shapesHoldOrDoNotOrAreNotMeasured();
    void theReportHasWhatWasMeasured();
    void simulatedTimeIsSaid();
    void whatCannotBeReadIsSaid();
    void csvIsReadAsItIsWritten();
};

void PaperReportTest::rowsOfTheSameConditionsAreJoined()
{
    QTemporaryDir directory;
    put(directory, "bucket_recovery.csv", kRecovery);
    const auto report = paperReport(directory.path(), kPaper);
    QVERIFY2(report, report.error().text.c_str());
    QCOMPARE(report->machines, QStringList { "a machine, 2 cores" });
    QVERIFY(report->missing.contains("search (search_times.js)"));
    int measured = 0;
    for (const PaperRow& row : report->rows) {
        if (!row.ours)
            continue;
        ++measured;
        if (row.what != "recovery of 2 data buckets, RS, GF(2^16)" || row.quantity != "total")
            continue;
        QCOMPARE(row.condition, QString("slices of 3125 records"));
        QCOMPARE(row.published, 1.172); // table 30 of the report
        QCOMPARE(row.source, QString("2003, table 30, configuration 2"));
        QCOMPARE(row.ours->n, 2); // the warm-up does not count
        QCOMPARE(row.ours->median, 2.0);
        QCOMPARE(row.ours->q1, 1.75);
    }
    QCOMPARE(measured, 9);
    // All published cells are there, measured or not.
    QCOMPARE(std::count_if(report->rows.begin(), report->rows.end(),
                 [](const PaperRow& row) { return row.experiment == "E4 E5 E6"; }),
        90);
}

void PaperReportTest::shapesHoldOrDoNotOrAreNotMeasured()
{
    QTemporaryDir directory;
    put(directory, "bucket_recovery.csv", kRecovery);
    const auto report = paperReport(directory.path(), kPaper);
    QVERIFY(report);
    const auto shape = [&](const QString& words) {
        const auto found = std::find_if(report->shapes.begin(), report->shapes.end(),
            [&](const PaperShape& s) { return s.claim.startsWith(words); });
        return found != report->shapes.end() ? *found : PaperShape();
    };
    const PaperShape linear = shape("Decoding is about linear"), fields = shape("GF(2^16) decodes"),
                     search = shape("Searches in parallel");
    QCOMPARE(linear.ours.value_or(0), 1.5);
    QVERIFY(linear.holds());
    QCOMPARE(fields.ours.value_or(0), 2.0);
    QVERIFY(!fields.holds());
    QVERIFY(!search.ours && !search.holds());
}

void PaperReportTest::theReportHasWhatWasMeasured()
{
    QTemporaryDir directory;
    put(directory, "bucket_recovery.csv", kRecovery);
    const auto report = paperReport(directory.path(), kPaper);
    QVERIFY(report);
    QStringList files;
    QCOMPARE(writeReport(*report, { "LHRS Lab of a test", "2026-01-01" }, directory.path(), files), QString());
    for (const QString& name : files)
        QVERIFY2(QFile(directory.filePath(name)).size() > 100, qPrintable(name));
    QVERIFY(
        files.contains("recovery_gf16.svg") && files.contains("recovery_gf16.png") && !files.contains("search.svg"));
    const QString page = textOf(directory, "report.html");
    for (const char* words : { "a machine, 2 cores", "LHRS Lab of a test", "does not hold here", "not measured",
             "slices of 3125 records", "<svg", "search (search_times.js)", "2003, table 30" })
        QVERIFY2(page.contains(words), words);
    QVERIFY(!page.contains("href=") && !page.contains("src=") && !page.contains("SIMULATED")); // self-contained
    // The same figures as CSV: each cell of the published table once.
    const auto comparison = CsvTable::read(directory.filePath("comparison.csv"));
    QVERIFY(comparison);
    const auto rows = comparison->where({ { "what", "recovery of 2 data buckets, RS, GF(2^16)" },
        { "condition", "slices of 3125 records" }, { "quantity", "total" } });
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(comparison->number(rows[0], "published_over_ours").value_or(0), 0.586);
    QCOMPARE(textOf(directory, "shapes.csv").count("does not hold here"), 1);
}

void PaperReportTest::simulatedTimeIsSaid()
{
    QTemporaryDir directory;
    put(directory, "bucket_recovery.csv", QByteArray(kRecovery).replace("r1,false", "r1,true"));
    const auto report = paperReport(directory.path(), kPaper);
    QVERIFY(report && report->isSimulated);
    QStringList files;
    QCOMPARE(writeReport(*report, {}, directory.path(), files), QString());
    QVERIFY(textOf(directory, "report.html").contains("SIMULATED TIME"));
}

void PaperReportTest::whatCannotBeReadIsSaid()
{
    QTemporaryDir directory;
    const auto empty = paperReport(directory.path(), kPaper);
    QVERIFY(!empty && QString::fromStdString(empty.error().text).contains("./run paper"));
    put(directory, "search.csv", "run,window\n1,2,3\n");
    const auto wrong = paperReport(directory.path(), kPaper);
    QVERIFY(!wrong
        && QString::fromStdString(wrong.error().text).contains("search.csv, line 2: 3 cells, but there are 2 columns"));
    QVERIFY(!paperReport(directory.path(), directory.filePath("nowhere")));
    put(directory, "search.csv", kRecovery);
    const auto report = paperReport(directory.path(), kPaper);
    QStringList files;
    QVERIFY(report && writeReport(*report, {}, directory.filePath("nowhere"), files).contains("cannot be written"));
}

void PaperReportTest::csvIsReadAsItIsWritten()
{
    QCOMPARE(csvRecords("a,\"b, \"\"c\"\"\",,1").front().cells, (QStringList { "a", "b, \"c\"", "", "1" }));
    const auto records = csvRecords("x,y\r\n\r\n\"two\nlines\",\r\n3,\"\"");
    QCOMPARE(records.size(), 3u);
    QCOMPARE(records[1].cells, (QStringList { "two\nlines", "" }));
    QCOMPARE(records[1].line, 3);
    QCOMPARE(records[2].cells, (QStringList { "3", "" }));
    QCOMPARE(records[2].line, 5);
    for (const QString& name : QDir(kPaper).entryList({ "*.csv" })) {
        const auto table = CsvTable::read(kPaper + '/' + name);
        QVERIFY2(table && !table->rows.empty(), qPrintable(name));
    }
}

int main(int count, char** arguments) { return runOffscreen<PaperReportTest>(count, arguments); }
#include "tst_paper_report.moc"
