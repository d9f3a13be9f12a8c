// SPDX-License-Identifier: GPL-3.0-or-later
// A recording exported as tables: every row comes from events, unknown cells are empty, and repeated exports give the
// same bytes.
#include "tests/rigs/lab/recording_rig.h"

#include "gui/lab/series/lhrs/recovery_rows.h"
#include "gui/lab/recording/rows/recording_file.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/series/run_series.h"
#include "gui/lab/export/run_story.h"
#include "gui/lab/replay/series_reader.h"
#include "gui/lab/series/charts.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Rows = std::vector<QStringList>;

// RFC 4180, strictly, as a spreadsheet reads it.
Rows parsed(const QByteArray& csv)
{
    Rows rows { {} };
    QString cell;
    bool isQuoted = false;
    const QString text = QString::fromUtf8(csv);
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (isQuoted) {
            if (text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else if (text[i] == '"')
                isQuoted = false;
            else
                cell += text[i];
        } else if (text[i] == '"') {
            isQuoted = true;
        } else if (text[i] == ',' || text[i] == '\r') {
            rows.back() << cell;
            cell.clear();
            if (text[i] == '\r')
                ++i, rows.emplace_back();
        } else {
            cell += text[i];
        }
    }
    rows.pop_back(); // the empty row after the last line
    return rows;
}

const ExportTable& tableNamed(const std::vector<ExportTable>& tables, const char* name)
{
    return *std::find_if(
        tables.begin(), tables.end(), [&](const ExportTable& table) { return table.name == QLatin1String(name); });
}

QVariant cell(const ExportTable& table, std::size_t row, const char* column)
{
    return table.rows.at(row).at(table.columns.indexOf(QLatin1String(column)));
}

// A run with an operation of four messages, one lost message, a split, a recovery of two slices, a parity bucket.
struct Run {
    QTemporaryDir folder;
    QString path = folder.filePath("run.lhrun");
    std::unique_ptr<Recorder> recorder = recorderAt(path, often(50));
    Feeder feeder { *recorder };
    std::unique_ptr<Recording> recording;

    Run()
    {
        recorder->onKeyframe({}, 0);
        feeder.isKept = false;
        feeder.story(growth(5, 3));
        tellOperation();
        tellRecovery();
        recorder->caption("say", "a", "A caption, with a \"quote\" and\na second line.", "scenario");
        recorder->expectation({ 12, "it holds", true, {} });
        recorder->measurement("recoveries", 1, false, 0, "{\"slice\":1250}", "counts", { { "total_s", 0.25 } });
        recorder->measurement("../../escape", 1, false, 0, "{}", "counts", { { "total_s", 1.0 } });
        recorder->command(
            { 14, "lab.chart",
                "[{\"table\":\"recoveries\",\"x\":\"slice\",\"y\":\"total_s\",\"title\":\"Recovery by slice\"}]",
                "\"recoveries_chart\"", true, 1'000 },
            "scenario");
        recorder->meta(kPublishedMeta + "bucket_recovery",
            "scheme,slice,total_s,source,note\nxor,1250,0.7,lhrs2003,\nxor,3125,0.5,lhrs2003,SUSPECT\n");
        recorder->command({ 17, "lab.chart",
                              "[{\"table\":\"recoveries\",\"x\":\"slice\",\"y\":\"total_s\",\"paper\":\"bucket_"
                              "recovery\",\"title\":\"Ours and theirs\"}]",
                              "\"recoveries_chart_2\"", true, 1'000 },
            "scenario");
        recorder->command({ 15, "lab.chart", "[{\"table\":\"../../escape\",\"x\":\"repetition\",\"y\":[\"total_s\"]}]",
                              "", true, 1'000 },
            "scenario");
        recorder->command({ 16, "lab.chart", "[{\"table\":\"recoveries\",\"x\":\"slise\",\"y\":\"total_s\"}]",
                              "no such column", false, 1'000 },
            "scenario");
        recorder->finish();
        recording = std::move(*Recording::open(path));
    }
    std::uint64_t message(ProcessId from, ProcessId to, const char* kind, std::uint64_t id, bool arrives)
    {
        pb::Event event;
        event.mutable_operation()->set_client(kClient);
        event.mutable_operation()->set_number(9'001);
        event.mutable_message_sent()->set_id(id);
        event.mutable_message_sent()->set_kind(kind);
        event.mutable_message_sent()->set_to(to);
        event.mutable_message_sent()->set_bytes(77);
        feeder.event(from, event);
        if (arrives) {
            pb::Event received;
            *received.mutable_operation() = event.operation();
            received.mutable_message_received()->set_id(id);
            received.mutable_message_received()->set_from(from);
            received.mutable_message_received()->set_kind(kind);
            received.mutable_message_received()->set_bytes(77);
            feeder.event(to, received);
        }
        return id;
    }
    void tellOperation()
    {
        pb::Event event;
        event.mutable_operation()->set_client(kClient);
        event.mutable_operation()->set_number(9'001);
        event.mutable_operation_started()->set_kind(pb::INSERT);
        feeder.event(kClient, event);
        message(kClient, kNodes, "insert", 1'001, true);
        event.clear_operation_started();
        event.mutable_operation_done()->set_kind(pb::INSERT);
        event.mutable_operation_done()->set_key(4'711);
        event.mutable_operation_done()->set_time_ns(2'500'000);
        event.mutable_operation_done()->set_bucket(1);
        event.mutable_operation_done()->set_rank(3);
        event.mutable_operation_done()->set_result(pb::OK);
        feeder.event(kClient, event);
        // An event after the client's last event.
        message(kNodes, kNodes + 1'000, "delta", 2'001, false);
        message(kNodes, kNodes + 1'000, "delta", 2'001, true);
        message(kNodes, kClient, "reply", 2'002, true);
    }
    void tellRecovery()
    {
        pb::Told told;
        told.mutable_ended()->set_reason("killed");
        feeder.tell(kNodes + 1, told);
        feeder.now += 20'000'000;
        pb::Event event;
        event.mutable_bucket_failed()->set_role(pb::DATA);
        event.mutable_bucket_failed()->set_index(1);
        event.mutable_bucket_failed()->set_process(kNodes + 1);
        feeder.event(kCoordinator, event);
        event.mutable_recovery_started()->set_recovery(5);
        event.mutable_recovery_started()->add_buckets(1);
        feeder.event(kCoordinator, event);
        for (std::uint32_t number = 0; number < 2; ++number) {
            pb::Event slice;
            auto* e = slice.mutable_slice_recovered();
            e->set_recovery(5);
            e->set_number(number);
            e->set_rank_from(1 + 10 * number);
            e->set_rank_to(10 + 10 * number);
            e->set_requested_ns(100);
            e->set_arrived_ns(300);
            e->set_computed_ns(450);
            e->set_in_bytes(4'000);
            e->set_bytes(1'000);
            feeder.event(kNodes + 1'000, slice);
            pb::Event stored;
            stored.mutable_slice_stored()->set_recovery(5);
            stored.mutable_slice_stored()->set_number(number);
            feeder.event(kNodes + 2, stored);
        }
        pb::Event filled;
        filled.mutable_place()->set_role(pb::PARITY);
        filled.mutable_parity_bucket_filled()->set_records(6);
        filled.mutable_parity_bucket_filled()->set_total_ns(7'000);
        filled.mutable_parity_bucket_filled()->set_communication_ns(7'000);
        feeder.event(kNodes + 1'000, filled);
        pb::Event finished;
        auto* e = finished.mutable_recovery_finished();
        e->set_recovery(5);
        e->add_buckets(1);
        e->set_slices(2);
        e->set_records(12);
        e->set_total_ns(900'000'000);
        e->set_rebuild_ns(500'000'000);
        e->set_process_ns(100'000'000);
        e->set_communication_ns(300'000'000);
        e->set_other_ns(100'000'000);
        feeder.event(kCoordinator, finished);
    }
};

} // namespace

class ExportsTest : public QObject {
    Q_OBJECT
private slots:
    void everyTableHasTheColumnsOfTheSpecification();
    void anOperationHasAllItsMessages();
    void anOperationOfARingSaysNothingOfAFile();
    void whatIsNotKnownIsEmpty();
    void messagesArePairedOrLost();
    void splitsHaveTheirTimesAndOutcome();
    void clustersOfOneRunAreNotMerged();
    void phasesAndSlicesAddUp();
    void chartsAndTablesSayTheSame();
    void theStoryIsToBeRead();
    void textSurvivesTheQuotes();
    void measurementsComeAsTheyWereWritten();
    void aHostileNameWritesNowhereElse();
    void theSameFileGivesTheSameBytes();
    void whatCannotBeWrittenIsSaid();
    void aLongRunSaysWhyThereIsNoShiviz();
    void aRecoveryIsTheSameInWhateverOrderItsProcessesAreHeard();
};

void ExportsTest::everyTableHasTheColumnsOfTheSpecification()
{
    Run run;
    const std::vector<ExportTable> tables = exportTables(*run.recording);
    const std::pair<const char*, const char*> wanted[] {
        { "operations",
            "cluster,op,client,kind,key,begin_s,time_ms,result,place,rank,forwards,iam,path,resends,messages_sent,"
            "faults,complete" },
        { "messages", "cluster,id,client,op,cause,kind,transport,from,to,size_bytes,sent_s,received_s,resend,lost_by" },
        { "splits",
            "cluster,split,bucket,new_bucket,level,records_moved,begin_s,locked_ms,total_s,parity_batches,outcome" },
        { "parity_creations",
            "cluster,group,column,gf,scheme,records,bytes,total_s,process_s,comm_s,other_s,transfer_s" },
        { "recoveries",
            "cluster,recovery,group,failed_data,failed_parity,manager,survivors,decode,slice,slices,records,bytes,"
            "begin_s,detect_s,total_s,process_s,comm_s,other_s,transfer_s,whole_s,outcome" },
        { "story", "cluster,event,t_s,text" },
        { "slices",
            "cluster,recovery,slice_number,rank_first,ranks,requested_s,arrived_s,decoded_s,stored_s,in_bytes,out_"
            "bytes" },
    };
    for (const auto& [name, columns] : wanted)
        QCOMPARE(tableNamed(tables, name).columns.join(','), QString(columns));
    for (const ExportTable& table : tables) {
        const Rows rows = parsed(csvOf(table, identityOf(*run.recording), "full").toUtf8());
        QCOMPARE(rows.size(), table.rows.size() + 1);
        QCOMPARE(rows[0].mid(0, 3), (QStringList { "run", "simulated", "detail" }));
        QCOMPARE(QSet<QString>(rows[0].begin(), rows[0].end()).size(), rows[0].size()); // each name once
        for (const QStringList& row : rows)
            QCOMPARE(row.size(), table.columns.size() + 3);
    }
    QCOMPARE(cell(tableNamed(tables, "expectations"), 0, "ok"), QVariant(true)); // written as "true", as everywhere
}

void ExportsTest::anOperationHasAllItsMessages()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    const ExportTable& operations = tableNamed(tables, "operations");
    std::size_t row = 0;
    while (row < operations.rows.size() && cell(operations, row, "op").toULongLong() != 9'001)
        ++row;
    QVERIFY(row < operations.rows.size());
    QCOMPARE(cell(operations, row, "messages_sent").toInt(), 4);
    QCOMPARE(cell(operations, row, "client").toString(), "alice");
    QCOMPARE(cell(operations, row, "time_ms").toDouble(), 2.5);
    QCOMPARE(cell(operations, row, "place").toString(), "data 1");
    // The recording's own table has the same value.
    for (const auto& kept : run.recording->rows("operation"))
        if (kept.at("key").toULongLong() == 4'711)
            QCOMPARE(kept.at("messages").toInt(), 4);
    QCOMPARE(operations.rows.size(), run.recording->rows("operation").size());
}

// It has no buckets, no ranks and no image: "data 0", 0 and false would be claims.
void ExportsTest::anOperationOfARingSaysNothingOfAFile()
{
    constexpr ProcessId kNode = 77;
    QTemporaryDir folder;
    std::unique_ptr<Recorder> recorder = recorderAt(folder.filePath("ring.lhrun"), often(50));
    Feeder feeder { *recorder };
    recorder->onKeyframe({}, 0);
    feeder.isKept = false;
    pb::Event started, done;
    started.mutable_process_started()->mutable_process()->set_node(kNode);
    started.mutable_process_started()->mutable_process()->set_kind(pb::NODE);
    started.mutable_process_started()->mutable_process()->set_name("node-7");
    feeder.event(kNode, started);
    done.mutable_operation()->set_client(kNode);
    done.mutable_operation()->set_number(1);
    done.mutable_operation_done()->set_key(17);
    done.mutable_operation_done()->set_forwards(5);
    feeder.event(kNode, done);
    recorder->finish();
    const auto recording = std::move(*Recording::open(folder.filePath("ring.lhrun")));
    const auto tables = exportTables(*recording);
    const ExportTable& operations = tableNamed(tables, "operations");
    QCOMPARE(operations.rows.size(), std::size_t(1));
    QCOMPARE(cell(operations, 0, "forwards").toInt(), 5);
    const auto kept = recording->rows("operation");
    QCOMPARE(kept.size(), std::size_t(1));
    QCOMPARE(kept.front().at("forwards").toInt(), 5);
    for (const char* column : { "place", "rank", "iam" }) {
        QVERIFY2(!cell(operations, 0, column).isValid(), column);
        QVERIFY2(kept.front().at(column).isNull(), column);
    }
}

void ExportsTest::whatIsNotKnownIsEmpty()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    const ExportTable& operations = tableNamed(tables, "operations");
    // The story's operations were published without messages.
    QVERIFY(!cell(operations, 0, "messages_sent").isValid());
    const Rows rows = parsed(csvOf(operations, identityOf(*run.recording), {}).toUtf8());
    QCOMPARE(rows[1][3 + operations.columns.indexOf("messages_sent")], QString());
}

void ExportsTest::messagesArePairedOrLost()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    const ExportTable& messages = tableNamed(tables, "messages");
    QCOMPARE(messages.rows.size(), std::size_t(4));
    QStringList lost;
    for (std::size_t i = 0; i < messages.rows.size(); ++i) {
        lost << cell(messages, i, "lost_by").toString();
        QCOMPARE(cell(messages, i, "size_bytes").toInt(), 77);
        if (lost.last().isEmpty())
            QVERIFY(cell(messages, i, "received_s").toDouble() >= cell(messages, i, "sent_s").toDouble());
        else
            QVERIFY(!cell(messages, i, "received_s").isValid());
    }
    // The run ended a moment after it was sent.
    QCOMPARE(lost.count("under way"), 1);
    QCOMPARE(cell(messages, 0, "from").toString(), "alice");
}

void ExportsTest::splitsHaveTheirTimesAndOutcome()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    const ExportTable& splits = tableNamed(tables, "splits");
    QCOMPARE(splits.rows.size(), std::size_t(5));
    std::size_t moved = 0;
    for (const RunEvent& event : run.recording->allOf({ pb::Event::kSplitFinishedFieldNumber }))
        moved += event.event->split_finished().moved();
    std::size_t inRows = 0;
    for (std::size_t i = 0; i < splits.rows.size(); ++i) {
        QCOMPARE(cell(splits, i, "outcome").toString(), "finished");
        QVERIFY(cell(splits, i, "locked_ms").toDouble() > 0);
        QCOMPARE(cell(splits, i, "parity_batches").toInt(), 2); // both ends, k = 1
        inRows += cell(splits, i, "records_moved").toULongLong();
    }
    QCOMPARE(inRows, moved);
    QVERIFY(tableNamed(tables, "merges").rows.empty());
}

// Each cluster starts its numbers of splits, recoveries, operations and messages again, and one seed gives the same
// process numbers.
void ExportsTest::clustersOfOneRunAreNotMerged()
{
    Run run;
    QTemporaryDir folder;
    const QString path = folder.filePath("three.lhrun");
    auto recorder = recorderAt(path, often(50));
    Feeder feeder { *recorder };
    feeder.isKept = false;
    pb::Told forgotten;
    forgotten.mutable_forgotten();
    recorder->onKeyframe({}, 0);
    for (int cluster = 0; cluster < 3; ++cluster) {
        feeder.tell(0, forgotten); // also before the first one
        feeder.sequences.clear();
        for (std::uint64_t cursor = 0; cursor < run.recording->events();) {
            const EventPage page = run.recording->eventsSince(cursor, 1'000);
            for (const RunEvent& told : page.events) {
                feeder.now = 60'000'000'000 * cluster + told.runNs;
                feeder.event(told.process, *told.event);
            }
            cursor = page.next;
        }
        recorder->caption("say", "a", QString::number(cluster + 1), "scenario");
    }
    recorder->finish();
    const auto recording = Recording::open(path);
    QVERIFY(recording);
    const auto once = exportTables(*run.recording), thrice = exportTables(**recording);
    for (const char* name : { "operations", "messages", "splits", "parity_creations", "recoveries", "slices" }) {
        const ExportTable& one = tableNamed(once, name);
        const ExportTable& three = tableNamed(thrice, name);
        QVERIFY(!one.rows.empty());
        QCOMPARE(three.rows.size(), 3 * one.rows.size());
        QCOMPARE(three.columns.first(), QString("cluster"));
        for (std::size_t i = 0; i < three.rows.size(); ++i) {
            const QVariantList& row = three.rows[i];
            QCOMPARE(row[0].toUInt(), 1 + i / one.rows.size());
            for (qsizetype column = 1; column < row.size();
                 ++column) // except for times and what is known only for the whole run
                if (const QString& of = one.columns[column]; !of.endsWith("_s") && of != "lost_by" && of != "client"
                    && of != "from" && of != "to" && of != "id" && of != "cause")
                    QCOMPARE(row[column], one.rows[i % one.rows.size()][column]);
        }
    }
    const ExportTable& captions = tableNamed(thrice, "captions");
    for (std::size_t i = 0; i < 3; ++i)
        QCOMPARE(cell(captions, i, "cluster").toString(), cell(captions, i, "text").toString());
}

void ExportsTest::phasesAndSlicesAddUp()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    const ExportTable& recoveries = tableNamed(tables, "recoveries");
    QCOMPARE(recoveries.rows.size(), std::size_t(1));
    const auto number = [&](const char* column) { return cell(recoveries, 0, column).toDouble(); };
    QCOMPARE(number("process_s") + number("comm_s") + number("other_s"), number("total_s"));
    QCOMPARE(number("total_s"), 0.5);
    QCOMPARE(number("whole_s"), 0.9);
    QCOMPARE(number("detect_s"), 0.020001); // each event of a story comes 1 us after the last one
    QCOMPARE(cell(recoveries, 0, "failed_data").toString(), "1");
    QCOMPARE(cell(recoveries, 0, "outcome").toString(), "finished");
    const ExportTable& slices = tableNamed(tables, "slices");
    QCOMPARE(slices.rows.size(), std::size_t(2));
    for (std::size_t i = 0; i < 2; ++i) {
        QVERIFY(cell(slices, i, "requested_s").toDouble() < cell(slices, i, "arrived_s").toDouble());
        QVERIFY(cell(slices, i, "arrived_s").toDouble() < cell(slices, i, "decoded_s").toDouble());
        QVERIFY(cell(slices, i, "decoded_s").toDouble() <= cell(slices, i, "stored_s").toDouble());
        QCOMPARE(cell(slices, i, "ranks").toInt(), 10);
    }
}

void ExportsTest::chartsAndTablesSayTheSame()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    SeriesReader reader(*run.recording);
    while (reader.step()) { }
    const std::int64_t begin = run.recording->beginNs(), end = run.recording->endNs() + 1;
    const auto columns = reader.series().columns(begin, end, 100);
    const ExportTable& operations = tableNamed(tables, "operations");
    std::uint64_t inserts = 0, messages = 0, insertRows = 0, messageCells = 0;
    std::int64_t sum = 0, slowest = 0;
    double sumCells = 0, slowestCell = 0;
    for (const TimeBin& column : columns) {
        const auto& kind = column.kinds[std::size_t(SeriesOperation::Insert)];
        inserts += kind.done;
        messages += kind.messages;
        sum += kind.latency.sum();
        slowest = std::max(slowest, kind.latency.max());
    }
    for (std::size_t i = 0; i < operations.rows.size(); ++i) {
        if (cell(operations, i, "kind").toString() != "insert")
            continue;
        ++insertRows;
        messageCells += cell(operations, i, "messages_sent").toULongLong();
        sumCells += cell(operations, i, "time_ms").toDouble();
        slowestCell = std::max(slowestCell, cell(operations, i, "time_ms").toDouble());
    }
    QVERIFY(inserts > 0);
    QCOMPARE(inserts, insertRows);
    QCOMPARE(messages, messageCells);
    QCOMPARE(double(sum) / 1e6, sumCells);
    QCOMPARE(double(slowest) / 1e6, slowestCell);
    const ChartData chart = chartOf(reader.series(), { ChartKind::Repair, begin - 2'000'000'000, end, begin, 100 });
    QCOMPARE(chart.rows.size(), tableNamed(tables, "recoveries").rows.size());
    const ExportTable& recoveries = tableNamed(tables, "recoveries");
    for (const QString& column : chart.header)
        QCOMPARE(chart.rows[0][chart.header.indexOf(column)], recoveries.rows[0][recoveries.columns.indexOf(column)]);
}

// The sentences of story.csv are those of story.txt, which also contains the scenario's captions.
void ExportsTest::theStoryIsToBeRead()
{
    Run run;
    const RunStory story = storyOf(*run.recording);
    QVERIFY(story.lines().size() > 3);
    const ExportTable table = storyTable(*run.recording, story);
    const QString text = QString::fromUtf8(storyText(*run.recording, story));
    QCOMPARE(table.rows.size(), story.lines().size());
    qsizetype at = 0;
    std::uint64_t event = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const QString line = QString::number(cell(table, row, "t_s").toDouble(), 'f', 3) + " s  "
            + cell(table, row, "text").toString();
        at = text.indexOf(line, at);
        QVERIFY2(at >= 0, qPrintable(line)); // each of them, in order
        QVERIFY(cell(table, row, "event").toULongLong() >= event);
        event = cell(table, row, "event").toULongLong();
    }
    QVERIFY2(text.contains("Bucket 0 is split: 1 record moved to bucket 1."), qPrintable(text));
    QVERIFY(text.contains(QString::fromUtf8("“A caption, with a \"quote\" and a second line.”")));
    QVERIFY(text.startsWith("The story of ") && text.contains("RECORDED"));
    // As in a folder of results.
    QTemporaryDir out;
    QVERIFY(exportRun(*run.recording, out.path()).written.contains("story.txt"));
    QFile file(out.filePath("story.txt"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(file.readAll()), text);
    QVERIFY(QFile::exists(out.filePath("story.csv")));
}

void ExportsTest::textSurvivesTheQuotes()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    const ExportTable& captions = tableNamed(tables, "captions");
    const Rows rows = parsed(csvOf(captions, identityOf(*run.recording), {}).toUtf8());
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(rows[1][3 + captions.columns.indexOf("text")], QString("A caption, with a \"quote\" and\na second line."));
}

void ExportsTest::measurementsComeAsTheyWereWritten()
{
    Run run;
    const auto tables = exportTables(*run.recording);
    // The name of a table of the run is taken: the measurement's file gets another name.
    const ExportTable& measured = tableNamed(tables, "measured_recoveries");
    QCOMPARE(measured.columns, (QStringList { "repetition", "warm_up", "slice", "total_s", "faults", "machine" }));
    QCOMPARE(measured.rows[0][2].toInt(), 1250);
    QCOMPARE(measured.rows[0][3].toDouble(), 0.25);
}

void ExportsTest::aHostileNameWritesNowhereElse()
{
    Run run;
    QTemporaryDir out;
    QVERIFY(QDir(out.path()).mkpath("a/b"));
    QCOMPARE(exportRun(*run.recording, out.filePath("a/b")).problem, QString());
    QCOMPARE(QDir(out.path()).entryList(QDir::Files), QStringList());
    QCOMPARE(QDir(out.filePath("a")).entryList(QDir::Files), QStringList());
}

void ExportsTest::theSameFileGivesTheSameBytes()
{
    Run run;
    QTemporaryDir one, two;
    const ExportResult first = exportRun(*run.recording, one.path());
    QCOMPARE(first.problem, QString());
    auto again = Recording::open(run.path);
    QVERIFY(again);
    QCOMPARE(exportRun(**again, two.path()).written, first.written);
    QVERIFY(first.written.contains("run.shiviz"));
    // The charts that the scenario drew.
    QCOMPARE(first.written.filter("_chart"), (QStringList { "recoveries_chart.svg", "recoveries_chart_2.svg" }));
    QFile beside(one.filePath("recoveries_chart_2.svg"));
    QVERIFY(beside.open(QIODevice::ReadOnly));
    QVERIFY(beside.readAll().contains("published, lhrs2003")); // the recording contains the published table
    QFile chart(one.filePath("recoveries_chart.svg"));
    QVERIFY(chart.open(QIODevice::ReadOnly));
    const QByteArray svg = chart.readAll();
    QVERIFY(svg.contains("Recovery by slice") && svg.contains("total (s)") && svg.contains("RECORDED"));
    for (const QString& name : first.written) {
        QFile a(one.filePath(name)), b(two.filePath(name));
        QVERIFY(a.open(QIODevice::ReadOnly) && b.open(QIODevice::ReadOnly));
        QVERIFY2(a.readAll() == b.readAll(), qPrintable(name));
    }
}

void ExportsTest::whatCannotBeWrittenIsSaid()
{
    Run run;
    QTemporaryDir out;
    QFile file(out.filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(exportRun(*run.recording, out.filePath("file/inside")).problem.contains("cannot be made"));
}

void ExportsTest::aLongRunSaysWhyThereIsNoShiviz()
{
    QTemporaryDir folder, out;
    const QString path = folder.filePath("run.lhrun");
    {
        auto recorder = recorderAt(path);
        recorder->onKeyframe({}, 0);
        Feeder feeder { *recorder };
        feeder.isKept = false;
        pb::Event event;
        event.mutable_record_read()->set_key(1);
        for (int i = 0; i < 10'100; ++i)
            feeder.event(kNodes, event);
        recorder->finish();
    }
    auto recording = Recording::open(path);
    QVERIFY(recording);
    const ExportResult result = exportRun(**recording, out.path());
    QCOMPARE(result.problem, QString());
    QVERIFY(!result.written.contains("run.shiviz"));
    QVERIFY(result.notes.join('|').contains("interval"));
}

// The coordinator, the recovery manager and the spare each publish in order; which of them is heard first is random.
void ExportsTest::aRecoveryIsTheSameInWhateverOrderItsProcessesAreHeard()
{
    std::array<std::vector<pb::Event>, 3> words;
    pb::Event event;
    event.mutable_bucket_failed()->set_role(pb::PARITY);
    event.mutable_bucket_failed()->set_index(1);
    words[0].push_back(event);
    event.mutable_recovery_started()->set_recovery(7);
    event.mutable_recovery_started()->add_buckets(2);
    words[0].push_back(event);
    event.mutable_recovery_finished()->set_recovery(7);
    event.mutable_recovery_finished()->add_buckets(2);
    event.mutable_recovery_finished()->set_slices(3);
    event.mutable_recovery_finished()->set_total_ns(400);
    words[0].push_back(event);
    for (std::uint32_t number = 0; number < 3; ++number) {
        event.mutable_slice_recovered()->set_recovery(7);
        event.mutable_slice_recovered()->set_number(number);
        event.mutable_slice_recovered()->set_rank_from(1 + 5 * number);
        event.mutable_slice_recovered()->set_rank_to(5 + 5 * number);
        words[1].push_back(event);
        event.mutable_slice_stored()->set_recovery(7);
        event.mutable_slice_stored()->set_number(number);
        words[2].push_back(event);
    }
    const std::array<std::vector<std::int64_t>, 3> times { { { 10, 100, 500 }, { 200, 220, 240 }, { 210, 230, 250 } } };
    std::vector<int> order { 0, 0, 0, 1, 1, 1, 2, 2, 2 };
    int orders = 0;
    do {
        RecoveryRows rows;
        std::array<std::size_t, 3> next {};
        for (const int who : order) {
            rows.take(ProcessId(who) + 1, words[who][next[who]], times[who][next[who]]);
            ++next[who];
        }
        ++orders;
        QCOMPARE(rows.rows().size(), std::size_t(1));
        const RecoveryRow& row = rows.rows().front();
        QVERIFY(row.isFinished && !row.isGivenUp);
        QCOMPARE(row.beginNs, 100);
        QCOMPARE(row.failedData, std::vector<std::uint32_t> { 2 });
        QCOMPARE(row.failedParity, std::vector<std::uint32_t> { 1 });
        QCOMPARE(row.perSlice.size(), std::size_t(3));
        for (std::uint32_t number = 0; number < 3; ++number) {
            QCOMPARE(row.perSlice[number].number, number);
            QCOMPARE(row.perSlice[number].ranks, 5u);
            QCOMPARE(row.perSlice[number].recoveredNs, times[1][number]);
            QCOMPARE(row.perSlice[number].storedNs, times[2][number]);
        }
    } while (std::next_permutation(order.begin(), order.end()));
    QCOMPARE(orders, 1'680);
}

QTEST_GUILESS_MAIN(ExportsTest)
#include "tst_exports.moc"
