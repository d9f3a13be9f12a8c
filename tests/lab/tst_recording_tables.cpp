// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that finishing a recording derives from its events: faults, failures, measurements and operations, and
// what they lack if events were lost.
#include "tests/rigs/lab/recording_rig.h"

#include "gui/lab/export/run_export.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>

using namespace lhrs;
using namespace lhrs::gui;

class RecordingTablesTest : public QObject {
    Q_OBJECT
private slots:
    void killsAndPausesAreFaults();
    void failuresHaveTheirGroup();
    void aMeasurementKnowsItsEvents();
    void whatWasLostMakesRowsIncomplete();
};

void RecordingTablesTest::killsAndPausesAreFaults()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    pb::Event event;
    event.mutable_record_read()->set_key(1);
    feeder.event(kNodes, event);
    pb::Told told;
    told.mutable_paused()->set_is_paused(true);
    feeder.tell(kNodes, told);
    feeder.event(kNodes + 1, event);
    told.mutable_paused()->set_is_paused(false);
    feeder.tell(kNodes, told);
    told.mutable_ended()->set_reason("killed on request");
    feeder.tell(kNodes, told);
    told.mutable_ended()->set_reason("exited with 0"); // no fault caused this end
    feeder.tell(kNodes + 1, told);
    // A simulated process publishes it itself, here after its end is known.
    told.mutable_ended()->set_reason("killed on request");
    feeder.tell(kNodes + 2, told);
    pb::Event crash;
    crash.mutable_fault_begun()->mutable_fault()->set_number(77);
    crash.mutable_fault_begun()->mutable_fault()->mutable_crash();
    feeder.event(kNodes + 2, crash);
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QCOMPARE((*recording)->damage(), QString());
    const auto rows = (*recording)->rows("fault");
    QCOMPARE(rows.size(), std::size_t(3));
    QCOMPARE(rows[0].at("kind").toString(), QString("pause"));
    QCOMPARE(rows[0].at("end_ns").toLongLong() - rows[0].at("begin_ns").toLongLong(), 1000);
    QCOMPARE(rows[0].at("ended_by").toString(), QString("resumed"));
    QCOMPARE(rows[1].at("kind").toString(), QString("kill"));
    QCOMPARE(rows[1].at("target").toULongLong(), quint64(kNodes));
    QCOMPARE(rows[1].at("begin_ns").toLongLong(), rows[1].at("end_ns").toLongLong());
    QCOMPARE(rows[2].at("target").toULongLong(), quint64(kNodes + 2));
    QCOMPARE(rows[2].at("number").toInt(), 77);
}

void RecordingTablesTest::failuresHaveTheirGroup()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    pb::Event failed; // the coordinator has no place
    failed.mutable_bucket_failed()->set_group(3);
    failed.mutable_bucket_failed()->set_role(pb::DATA);
    failed.mutable_bucket_failed()->set_index(13);
    feeder.event(kCoordinator, failed);
    pb::Event state;
    state.mutable_place()->set_role(pb::DATA);
    state.mutable_place()->set_number(9);
    state.mutable_state_changed()->set_level(1);
    feeder.event(kNodes, state);
    recorder->finish();
    RecordingConnection file;
    QCOMPARE(file.open(path, RecordingConnection::Mode::Frozen), QString());
    QCOMPARE(file.value("SELECT grp FROM event WHERE id = 1"), QVariant(3));
    QCOMPARE(file.value("SELECT grp FROM event WHERE id = 2"), QVariant(2)); // groups of four
    QCOMPARE(
        file.value("SELECT place || ',' || \"group\" || ',' || coalesce(restored_s, 'never') FROM failure").toString(),
        QString("data 13,3,never"));
}

void RecordingTablesTest::aMeasurementKnowsItsEvents()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    std::atomic<std::int64_t> now { 0 };
    auto started = Recorder::start(path, {}, [&now] { return now.load(); });
    QVERIFY(started);
    const auto recorder = std::move(*started);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    pb::Event event;
    event.mutable_record_read()->set_key(1);
    for (int i = 0; i < 10; ++i)
        feeder.event(kNodes, event); // at 1000, 2000, ...
    now = feeder.now + 1;
    recorder->measuring();
    for (int i = 0; i < 5; ++i)
        feeder.event(kNodes, event);
    now = feeder.now + 1;
    recorder->measured("m", 1);
    feeder.event(kNodes, event);
    recorder->measured("m", 2); // a row of lab.row has no start time
    recorder->measurement("m", 1, false, 0, "{}", "full", { { "total_s", 1.0 } }, 1);
    recorder->measurement("m", 0, false, 0, "{}", "full", { { "total_s", 1.0 } }, 2);
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    const auto rows = (*recording)->rows("measurement");
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(rows[0].at("begin_event").toInt(), 10);
    QCOMPARE(rows[0].at("end_event").toInt(), 15);
    QVERIFY(rows[1].at("begin_event").isNull() && rows[1].at("begin_ns").isNull());
    QCOMPARE(rows[1].at("end_event").toInt(), 16);
}

void RecordingTablesTest::whatWasLostMakesRowsIncomplete()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    const auto tell = [&](std::uint64_t number, bool isEnd) {
        pb::Event event;
        event.mutable_operation()->set_client(kClient);
        event.mutable_operation()->set_number(number);
        if (isEnd) {
            event.mutable_operation_done()->set_kind(pb::INSERT);
            event.mutable_operation_done()->set_key(number);
            event.mutable_operation_done()->set_time_ns(1000);
        } else {
            event.mutable_operation_started()->set_kind(pb::INSERT);
            event.mutable_operation_started()->set_key(number);
        }
        feeder.event(kClient, event);
    };
    tell(1, false), tell(1, true);
    tell(2, false);
    pb::Told lost; // the end of 2, all of 3 and the beginning of 4
    lost.mutable_gap()->set_first(4);
    lost.mutable_gap()->set_last(7);
    feeder.sequences[kClient] = 7;
    feeder.now += 1000;
    feeder.tell(kClient, lost);
    tell(4, true);
    tell(5, false), tell(5, true);
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    const auto rows = (*recording)->rows("operation");
    QStringList told;
    for (const auto& row : rows)
        told << QString("%1 %2 %3")
                    .arg(row.at("key").toInt())
                    .arg(row.at("result").isNull() ? "-" : "ended",
                        row.at("complete").toBool() ? "complete" : "incomplete");
    QCOMPARE(told.join(", "), QString("1 ended complete, 2 - incomplete, 4 ended incomplete, 5 ended complete"));
    const auto tables = exportTables(**recording);
    const ExportTable& operations = tables.front();
    QCOMPARE(operations.name, QString("operations"));
    const qsizetype complete = operations.columns.indexOf("complete"), key = operations.columns.indexOf("key");
    QMap<int, bool> exported;
    for (const QVariantList& row : operations.rows)
        exported[row[key].toInt()] = row[complete].toBool();
    QCOMPARE(exported, (QMap<int, bool> { { 1, true }, { 2, false }, { 4, false }, { 5, true } }));
    QVERIFY2(
        lostEvents(**recording).startsWith("4 events of 1 processes were lost"), qPrintable(lostEvents(**recording)));
}

QTEST_GUILESS_MAIN(RecordingTablesTest)
#include "tst_recording_tables.moc"
