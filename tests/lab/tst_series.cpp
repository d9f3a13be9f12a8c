// SPDX-License-Identifier: GPL-3.0-or-later
// The run as numbers over time: equal to the events, live and in a recording, after any number of halvings.
#include "tests/rigs/lab/recording_rig.h"

#include "common/kinds.h"
#include "gui/lab/series/charts.h"
#include "gui/lab/replay/series_reader.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr std::int64_t kMs = 1'000'000;

pb::Event started(std::uint64_t number, pb::OperationKind kind)
{
    pb::Event event;
    event.mutable_operation()->set_client(kClient);
    event.mutable_operation()->set_number(number);
    event.mutable_operation_started()->set_kind(kind);
    return event;
}

pb::Event sent(std::uint64_t number)
{
    pb::Event event;
    event.mutable_operation()->set_client(kClient);
    event.mutable_operation()->set_number(number);
    event.mutable_message_sent()->set_kind("delta");
    return event;
}

pb::Event done(std::uint64_t number, pb::OperationKind kind, std::int64_t timeNs)
{
    pb::Event event;
    event.mutable_operation()->set_client(kClient);
    event.mutable_operation()->set_number(number);
    event.mutable_operation_done()->set_kind(kind);
    event.mutable_operation_done()->set_time_ns(timeNs);
    return event;
}

// A bucket of a file with b = 10 and one data bucket has this many records now.
pb::Event holding(std::uint32_t records)
{
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    if (records % 2 == 0) // published alone, or in a list
        event.mutable_record_inserted()->set_count(records);
    else
        event.mutable_records_changed()->set_count(records);
    return event;
}

void createFile(RunSeries& series)
{
    pb::Event event;
    event.mutable_file_created()->mutable_config()->set_b(10);
    event.mutable_file_created()->mutable_config()->set_m(4);
    event.mutable_file_created()->mutable_config()->set_availability(1);
    series.take(kCoordinator, event, 0);
}

// Passes a sink's calls on to a series, as the ingest thread does beside the recorder.
struct Both : RunSink {
    Recorder& recorder;
    RunSeries series;
    explicit Both(Recorder& r) : recorder(r) { }
    void onEvent(ProcessId process, const std::shared_ptr<const pb::Event>& event, std::int64_t runNs,
        std::size_t bytes) override
    {
        series.take(process, *event, runNs);
        recorder.onEvent(process, event, runNs, bytes);
    }
    void onTold(ProcessId process, const pb::Told& told, std::int64_t runNs) override
    {
        series.take(process, told, runNs);
        recorder.onTold(process, told, runNs);
    }
    bool wantsKeyframe() const override { return recorder.wantsKeyframe(); }
    void onKeyframe(const ClusterState& state, std::int64_t runNs) override { recorder.onKeyframe(state, runNs); }
};

} // namespace

class SeriesTest : public QObject {
    Q_OBJECT
private slots:
    void aQuantileIsTheNearestRankWithinItsClass_data();
    void aQuantileIsTheNearestRankWithinItsClass();
    void twoHistogramsAddWithoutLoss();
    void countsSurviveEveryHalving();
    void decimationKeepsExtremes_data();
    void decimationKeepsExtremes();
    void aLevelHoldsUntilItChanges();
    void messagesThatAreToldLateCountForTheirOperation();
    void operationsWithoutMessagesAreNotObserved();
    void memoryIsBoundedForAnyLengthOfRun();
    void aClockOutOfItsMindMakesNoLongRun();
    void aSimulatedClockBeginsAnew();
    void aRecordingGivesTheSameNumbersAsTheRun();
    void aPartOfARecordingHasTheNumbersOfThatPart();
    void theLoadFactorIsThatOfTheFold();
    void recoveriesHaveTheirPhases();
    void faultsAndFailuresAreShaded();
    void aKillIsAnInstantAndNotAShade();
    void gatedTimeIsOneShadeOfAllProcesses();
    void theRowsOfAChartAreItsPoints();
    void theCsvHasExactlyTheRowsOfTheTable();
    void emptyChartsSayWhyAndWhatToDo_data();
    void emptyChartsSayWhyAndWhatToDo();
    void aRingHasNoChartsOfAFile();
    void eachGeneralKindIsReadFromARecording();
};

void SeriesTest::aQuantileIsTheNearestRankWithinItsClass_data()
{
    QTest::addColumn<double>("share");
    for (const double share : { 0.0, 0.25, 0.5, 0.9, 0.99, 1.0 })
        QTest::addRow("%g", share) << share;
}

void SeriesTest::aQuantileIsTheNearestRankWithinItsClass()
{
    QFETCH(double, share);
    std::mt19937_64 random(7);
    for (const std::size_t count : { 1u, 2u, 100u, 5'000u }) {
        LatencyHistogram histogram;
        std::vector<std::int64_t> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(std::int64_t(std::exp(double(random() % 20'000) / 1'000)));
            histogram.add(all.back());
        }
        std::sort(all.begin(), all.end());
        const std::size_t rank = std::max<std::size_t>(1, std::size_t(std::ceil(share * double(count))));
        const double exact = double(all[rank - 1]), given = double(histogram.quantile(share));
        QVERIFY2(given >= exact && given <= exact * (1 + LatencyHistogram::kWidth) + 1,
            qPrintable(QString("%1 for %2").arg(given).arg(exact)));
        QCOMPARE(histogram.max(), all.back());
        QCOMPARE(histogram.min(), all.front());
        QCOMPARE(histogram.quantile(1), all.back());
    }
}

void SeriesTest::twoHistogramsAddWithoutLoss()
{
    std::mt19937_64 random(8);
    LatencyHistogram one, other, both;
    for (int i = 0; i < 3'000; ++i) {
        const auto ns = std::int64_t(random() >> (random() % 50 + 8));
        (i % 3 == 0 ? one : other).add(ns);
        both.add(ns);
    }
    one.merge(other);
    QCOMPARE(one.count(), both.count());
    QCOMPARE(one.sum(), both.sum());
    for (const double share : { 0.01, 0.5, 0.99, 1.0 })
        QCOMPARE(one.quantile(share), both.quantile(share));
}

void SeriesTest::countsSurviveEveryHalving()
{
    RunSeries series({ 1 * kMs, 64 });
    std::uint64_t inserts = 0, searches = 0;
    std::int64_t sum = 0;
    for (int i = 0; i < 10'000; ++i) {
        const bool isInsert = i % 3 == 0;
        series.take(kClient, done(std::uint64_t(i), isInsert ? pb::INSERT : pb::SEARCH, i), i * kMs);
        (isInsert ? inserts : searches) += 1;
        sum += i;
    }
    QVERIFY(series.binNs() > kMs);
    std::uint64_t insertsIn = 0, searchesIn = 0;
    std::int64_t sumIn = 0;
    for (const TimeBin& bin : series.columns(0, 10'000 * kMs, 1'000)) {
        insertsIn += bin.kinds[std::size_t(SeriesOperation::Insert)].done;
        searchesIn += bin.kinds[std::size_t(SeriesOperation::Search)].done;
        for (const TimeBin::PerKind& kind : bin.kinds)
            sumIn += kind.latency.sum();
    }
    QCOMPARE(insertsIn, inserts);
    QCOMPARE(searchesIn, searches);
    QCOMPARE(sumIn, sum);
}

void SeriesTest::decimationKeepsExtremes_data()
{
    QTest::addColumn<int>("columns");
    for (const int columns : { 1, 2, 7, 50, 1'000 })
        QTest::addRow("%d", columns) << columns;
}

void SeriesTest::decimationKeepsExtremes()
{
    QFETCH(int, columns);
    RunSeries series({ 1 * kMs, 128 });
    series.take(kNodes, holding(50), 0); // so that 0 is no extreme value
    createFile(series);
    std::mt19937 random(9);
    std::uint32_t least = 100, greatest = 0;
    for (int i = 1; i <= 5'000; ++i) {
        // One spike up and one down that a mean would hide.
        const std::uint32_t records = i == 1'234 ? 99 : i == 4'321 ? 1 : 40 + std::uint32_t(random() % 20);
        series.take(kNodes, holding(records), i * kMs);
        least = std::min(least, records);
        greatest = std::max(greatest, records);
    }
    const ChartData chart = chartOf(series, { ChartKind::Load, 1 * kMs, 5'001 * kMs, 0, std::size_t(columns) });
    QCOMPARE(chart.series.size(), std::size_t(1));
    const auto& points = chart.series[0].points;
    QVERIFY(points.size() <= 2 * std::size_t(columns));
    double low = 1e9, high = 0;
    for (const ChartPoint& point : points) {
        if (point.y > 0)
            low = std::min(low, point.y);
        high = std::max(high, point.y);
    }
    QCOMPARE(high, 100.0 * greatest / 10);
    QCOMPARE(low, 100.0 * least / 10);
    for (std::size_t i = 1; i < points.size(); ++i)
        QVERIFY(points[i].x >= points[i - 1].x);
}

void SeriesTest::aLevelHoldsUntilItChanges()
{
    RunSeries series({ 10 * kMs, 1'000 });
    createFile(series);
    series.take(kNodes, holding(5), 100 * kMs);
    series.take(kNodes, holding(7), 505 * kMs);
    const auto columns = series.columns(0, 510 * kMs, 51);
    QCOMPARE(columns.size(), std::size_t(51));
    QCOMPARE(columns[30].level(SeriesLevelKind::Records).min, 5.0);
    QCOMPARE(columns[30].level(SeriesLevelKind::Records).max, 5.0);
    QCOMPARE(columns[50].level(SeriesLevelKind::Records).min, 5.0); // when the column began
    QCOMPARE(columns[50].level(SeriesLevelKind::Records).max, 7.0);
    QCOMPARE(columns[5].level(SeriesLevelKind::Records).last, 0.0);
}

void SeriesTest::messagesThatAreToldLateCountForTheirOperation()
{
    RunSeries series;
    series.take(kClient, started(1, pb::INSERT), 10 * kMs);
    series.take(kClient, sent(1), 10 * kMs);
    series.take(kClient, done(1, pb::INSERT, 3 * kMs), 13 * kMs);
    // Batches of other processes arrive later than the client's.
    for (int i = 0; i < 3; ++i)
        series.take(kNodes, sent(1), 900 * kMs);
    const auto columns = series.columns(0, 20 * kMs, 1);
    const TimeBin::PerKind& inserts = columns[0].kinds[std::size_t(SeriesOperation::Insert)];
    QCOMPARE(inserts.observed, std::uint64_t(1));
    QCOMPARE(inserts.messages, std::uint64_t(4));
}

void SeriesTest::operationsWithoutMessagesAreNotObserved()
{
    RunSeries series;
    for (std::uint64_t i = 1; i <= 10; ++i) {
        series.take(kClient, started(i, pb::SEARCH), 10 * kMs);
        if (i == 4) { // one in ten is sampled
            series.take(kClient, sent(i), 10 * kMs);
            series.take(kNodes, sent(i), 11 * kMs);
        }
        series.take(kClient, done(i, pb::SEARCH, kMs), 12 * kMs);
    }
    const ChartData chart = chartOf(series, { ChartKind::Messages, 0, 20 * kMs, 0, 100 });
    QCOMPARE(chart.series.size(), std::size_t(1));
    QCOMPARE(chart.series[0].points[0].y, 2.0);
    QVERIFY2(chart.note.contains("of 1 of 10 operations"), qPrintable(chart.note));
    RunSeries blind;
    blind.take(kClient, started(1, pb::SEARCH), 10 * kMs);
    blind.take(kClient, done(1, pb::SEARCH, kMs), 12 * kMs);
    QVERIFY(chartOf(blind, { ChartKind::Messages, 0, 20 * kMs, 0, 100 }).nothing.contains("not observed"));
}

void SeriesTest::memoryIsBoundedForAnyLengthOfRun()
{
    RunSeries series({ 1 * kMs, 256 });
    for (std::int64_t i = 0; i < 40'000; ++i)
        series.take(kClient, done(std::uint64_t(i), pb::SEARCH, 1000 + i % 100), i * 250 * kMs);
    QVERIFY(std::size_t((series.endNs() - series.beginNs()) / series.binNs()) <= 256);
    QVERIFY(std::size_t((series.endNs() - series.beginNs()) / series.binNs()) >= 128);
    for (int i = 0; i < 600; ++i) {
        pb::Event begun;
        begun.mutable_fault_begun()->mutable_fault()->set_number(std::uint64_t(i) + 1);
        series.take(kNodes, begun, i * kMs);
    }
    QCOMPARE(series.shades().size(), RunSeries::Limits().shadesMax);
}

void SeriesTest::aClockOutOfItsMindMakesNoLongRun()
{
    RunSeries series({ 1 * kMs, 256 });
    series.take(kClient, done(1, pb::SEARCH, 1), 5 * kMs);
    series.take(kClient, done(2, pb::SEARCH, -7), std::numeric_limits<std::int64_t>::max());
    series.take(kClient, done(3, pb::SEARCH, 1), std::numeric_limits<std::int64_t>::min() + 1);
    std::uint64_t all = 0;
    for (const TimeBin& bin : series.columns(0, series.endNs(), 256))
        all += bin.done();
    QCOMPARE(all, std::uint64_t(3));
}

void SeriesTest::aSimulatedClockBeginsAnew()
{
    RunSeries series;
    series.take(kClient, done(1, pb::SEARCH, kMs), 5'000 * kMs);
    pb::Told told;
    told.mutable_forgotten();
    series.take(0, told, 6'000 * kMs);
    // Real time continues.
    series.take(kClient, done(2, pb::SEARCH, kMs), 7'000 * kMs);
    QCOMPARE(series.columns(0, 8'000 * kMs, 1)[0].done(), std::uint64_t(2));
    series.take(0, told, 8'000 * kMs);
    const std::int64_t virtualNs = -700'000'000'000'000'007;
    for (int i = 0; i < 100; ++i)
        series.take(kClient, done(std::uint64_t(i) + 3, pb::SEARCH, kMs), virtualNs + i * 10 * kMs);
    QVERIFY(series.beginNs() <= virtualNs && series.beginNs() > virtualNs - 10 * kMs);
    QCOMPARE(series.binNs(), 10 * kMs);
    std::uint64_t all = 0;
    for (const TimeBin& bin : series.columns(virtualNs, series.endNs(), 1'000))
        all += bin.done();
    QCOMPARE(all, std::uint64_t(100));
}

void SeriesTest::aRecordingGivesTheSameNumbersAsTheRun()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    auto recorder = recorderAt(path, often(50));
    Both both(*recorder);
    both.onKeyframe({}, 0);
    Feeder feeder { both };
    feeder.isKept = false;
    pb::Told told;
    told.mutable_snapshot()->set_process(kNodes);
    told.mutable_snapshot()->mutable_data()->set_count(3);
    feeder.tell(kNodes, told);
    feeder.story(growth(10, 7));
    pb::Told gap;
    gap.mutable_gap()->set_first(900);
    gap.mutable_gap()->set_last(911);
    feeder.tell(kClient, gap);
    told.Clear();
    told.mutable_ended()->set_reason("killed");
    feeder.tell(kNodes + 1, told);
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    SeriesReader reader(**recording);
    int steps = 1;
    while (reader.step(37))
        ++steps;
    QVERIFY(steps > 3);
    QCOMPARE(reader.progress(), 1.0);
    const std::int64_t end = both.series.endNs();
    // A short recording is read in finer bins than are kept live; as one column both are equal.
    QVERIFY(reader.series().binNs() < both.series.binNs());
    const auto read = reader.series().columns(0, end, 1), live = both.series.columns(0, end, 1);
    QCOMPARE(read.size(), std::size_t(1));
    for (std::size_t kind = 0; kind < kSeriesOperations; ++kind) {
        QCOMPARE(read[0].kinds[kind].done, live[0].kinds[kind].done);
        QCOMPARE(read[0].kinds[kind].latency.sum(), live[0].kinds[kind].latency.sum());
        QCOMPARE(read[0].kinds[kind].forwards, live[0].kinds[kind].forwards);
    }
    for (std::size_t level = 0; level < kSeriesLevels; ++level) {
        QCOMPARE(read[0].levels[level].isKnown, live[0].levels[level].isKnown);
        QCOMPARE(read[0].levels[level].last, live[0].levels[level].last);
        QCOMPARE(read[0].levels[level].max, live[0].levels[level].max);
        QCOMPARE(read[0].levels[level].min, live[0].levels[level].min);
    }
    QCOMPARE(both.series.columns(0, end, 1)[0].lostEvents, std::uint64_t(12));
}

void SeriesTest::aPartOfARecordingHasTheNumbersOfThatPart()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    makeRecording(path, 30);
    auto recording = Recording::open(path);
    QVERIFY(recording);
    const std::int64_t begin = (*recording)->beginNs(), end = (*recording)->endNs();
    const std::int64_t from = begin + (end - begin) / 4, to = begin + 3 * (end - begin) / 4;
    SeriesReader part(**recording, from, to);
    while (part.step(20)) { }
    std::uint64_t ended = 0;
    for (const RunEvent& run : (*recording)->allOf({ pb::Event::kOperationDoneFieldNumber }))
        ended += run.runNs >= from && run.runNs < to ? 1 : 0;
    QVERIFY(ended > 3);
    std::uint64_t counted = 0;
    const auto columns = part.series().columns(from, to, 2'000);
    QVERIFY(columns.size() > 500); // finer than the whole recording
    for (const TimeBin& bin : columns)
        counted += bin.done();
    // The bins have their own grid.
    QVERIFY2(counted >= ended && counted <= ended + 1, qPrintable(QString("%1 for %2").arg(counted).arg(ended)));
    // It includes the contents of the buckets before its start.
    auto state = (*recording)->stateAt((*recording)->eventAt(to));
    QVERIFY(state);
    std::uint64_t records = 0;
    for (const auto& [number, bucket] : state->data)
        records += bucket.count;
    QCOMPARE(columns.back().level(SeriesLevelKind::Records).last, double(records));
}

void SeriesTest::theLoadFactorIsThatOfTheFold()
{
    QTemporaryDir folder;
    auto recorder = recorderAt(folder.filePath("run.lhrun"));
    Both both(*recorder);
    Feeder feeder { both };
    feeder.isKept = false;
    const Story story = growth(12, 11);
    std::size_t told = 0;
    for (const auto& [process, index] : story.order) {
        feeder.event(process, story.told.at(process)[index]);
        // The story's coordinator publishes (i, n) only with its commits.
        pb::Event file;
        file.mutable_file_state_changed()->set_buckets(feeder.state.file.buckets);
        if (feeder.state.file.exists)
            both.series.take(kCoordinator, file, feeder.now);
        if (++told % 40 != 0 || feeder.state.file.buckets == 0)
            continue;
        double records = 0;
        for (const auto& [number, bucket] : feeder.state.data)
            records += bucket.count;
        const auto now = both.series.columns(feeder.now - 1, feeder.now + 1, 1);
        QCOMPARE(now.back().level(SeriesLevelKind::Records).last, records);
        QCOMPARE(now.back().level(SeriesLevelKind::Load).last, records / (feeder.state.file.buckets * 5.0));
    }
    recorder->finish();
}

void SeriesTest::recoveriesHaveTheirPhases()
{
    RunSeries series;
    pb::Event event;
    auto* begun = event.mutable_recovery_started();
    begun->set_group(1);
    begun->set_recovery(77);
    begun->add_buckets(5);
    series.take(kCoordinator, event, 1'000 * kMs);
    QVERIFY(chartOf(series, { ChartKind::Repair, 0, 2'000 * kMs, 0, 100 }).nothing.contains("under way"));
    event.Clear();
    auto* finished = event.mutable_recovery_finished();
    finished->set_group(1);
    finished->set_recovery(77);
    finished->add_buckets(5);
    finished->set_total_ns(100 * kMs);
    finished->set_rebuild_ns(40 * kMs);
    finished->set_process_ns(10 * kMs);
    finished->set_communication_ns(25 * kMs);
    finished->set_other_ns(5 * kMs);
    finished->set_records(30);
    finished->set_is_xor(true);
    series.take(kCoordinator, event, 1'050 * kMs);
    const ChartData chart = chartOf(series, { ChartKind::Repair, 0, 2'000 * kMs, 0, 100 });
    QVERIFY(chart.nothing.isEmpty());
    QCOMPARE(chart.bars.size(), std::size_t(1));
    QCOMPARE(chart.bars[0].parts, (std::vector<double> { 60, 10, 25, 5 }));
    QVERIFY2(chart.bars[0].total.contains("100.0 ms, 30 records, XOR"), qPrintable(chart.bars[0].total));
    const auto seconds = [&](const char* column) {
        return chart.rows[0][int(chart.header.indexOf(column))].toDouble();
    };
    QCOMPARE(seconds("begin_s"), 1.0);
    QCOMPARE(seconds("whole_s"), 0.1);
    QCOMPARE(seconds("total_s"), 0.04);
    QCOMPARE(seconds("process_s") + seconds("comm_s") + seconds("other_s"), seconds("total_s"));
    // Outside the interval it is not shown.
    QVERIFY(!chartOf(series, { ChartKind::Repair, 1'500 * kMs, 2'000 * kMs, 0, 100 }).nothing.isEmpty());
}

void SeriesTest::faultsAndFailuresAreShaded()
{
    RunSeries series;
    createFile(series);
    pb::Event event;
    event.mutable_fault_begun()->mutable_fault()->set_number(9);
    series.take(kNodes, event, 100 * kMs);
    series.take(kNodes + 1, event, 110 * kMs); // the same fault at another process
    event.Clear();
    event.mutable_fault_ended()->mutable_fault()->set_number(9);
    series.take(kNodes, event, 400 * kMs);
    series.take(kNodes + 1, event, 420 * kMs);
    event.Clear();
    event.mutable_bucket_failed()->set_role(pb::DATA);
    event.mutable_bucket_failed()->set_index(2);
    series.take(kCoordinator, event, 500 * kMs);
    series.take(kNodes, holding(1), 900 * kMs);
    const ChartData chart = chartOf(series, { ChartKind::Load, 0, 1'000 * kMs, 0, 100 });
    QCOMPARE(chart.shades.size(), std::size_t(2));
    QCOMPARE(chart.shades[0].from, 0.1);
    QCOMPARE(chart.shades[0].to, 0.42);
    QCOMPARE(chart.shades[1].kind, SeriesShade::Kind::Failure);
    QCOMPARE(chart.shades[1].to, 1.0); // not over
    QVERIFY(chart.shades[1].words.contains("data 2 failed"));
}

void SeriesTest::aKillIsAnInstantAndNotAShade()
{
    RunSeries series;
    createFile(series);
    pb::Event event;
    pb::Fault& fault = *event.mutable_fault_begun()->mutable_fault();
    fault.set_number(9);
    fault.mutable_crash();
    series.take(kNodes, event, 100 * kMs);
    series.take(kNodes + 1, event, 105 * kMs); // the other victim of one call
    fault.set_number(10);
    fault.mutable_crash()->set_at("split_prepared"); // has not happened yet
    series.take(kNodes + 2, event, 300 * kMs);
    series.take(kNodes, holding(1), 900 * kMs);
    const ChartData chart = chartOf(series, { ChartKind::Load, 0, 1'000 * kMs, 0, 100 });
    QCOMPARE(chart.shades.size(), std::size_t(2));
    QCOMPARE(chart.shades[0].from, 0.1);
    QVERIFY2(chart.shades[0].to < 0.100001, qPrintable(QString::number(chart.shades[0].to)));
    QCOMPARE(chart.shades[1].from, 0.3);
    QCOMPARE(chart.shades[1].to, 1.0);
    // It happened: no event reports its end, and its process does not either.
    pb::Told told;
    told.mutable_ended()->set_reason("killed");
    series.take(kNodes + 2, told, 700 * kMs);
    QCOMPARE(chartOf(series, { ChartKind::Load, 0, 1'000 * kMs, 0, 100 }).shades[1].to, 0.7);
}

void SeriesTest::gatedTimeIsOneShadeOfAllProcesses()
{
    RunSeries series;
    createFile(series);
    pb::Event closed, opened;
    closed.mutable_gate_closed();
    opened.mutable_gate_opened();
    series.take(kNodes, closed, 100 * kMs);
    series.take(kNodes + 1, closed, 101 * kMs);
    series.take(kNodes, opened, 300 * kMs);
    series.take(kNodes + 1, opened, 301 * kMs);
    series.take(kNodes, closed, 800 * kMs);
    series.take(kNodes, holding(1), 900 * kMs);
    const ChartData chart = chartOf(series, { ChartKind::Load, 0, 1'000 * kMs, 0, 100 });
    QCOMPARE(chart.shades.size(), std::size_t(2));
    QVERIFY(chart.shades[0].kind == SeriesShade::Kind::Gate && chart.shades[0].words == "gated");
    QCOMPARE(chart.shades[0].from, 0.1);
    QCOMPARE(chart.shades[0].to, 0.3);
    QCOMPARE(chart.shades[1].to, 1.0); // still closed
}

void SeriesTest::theRowsOfAChartAreItsPoints()
{
    RunSeries series;
    for (std::uint64_t i = 0; i < 300; ++i)
        series.take(
            kClient, done(i, i % 2 ? pb::INSERT : pb::SEARCH, std::int64_t(i) * 1'000), std::int64_t(i) * 10 * kMs);
    for (const ChartKind kind : { ChartKind::Operations, ChartKind::Latency }) {
        const ChartData chart = chartOf(series, { kind, 0, 3'000 * kMs, 0, 60 });
        QVERIFY(!chart.series.empty());
        for (const ChartSeries& line : chart.series) {
            const auto column = std::find_if(chart.header.begin(), chart.header.end(),
                [&](const QString& name) { return name.startsWith(line.id); });
            QVERIFY(column != chart.header.end());
            QCOMPARE(line.points.size(), chart.rows.size());
            for (std::size_t i = 0; i < chart.rows.size(); ++i)
                QCOMPARE(line.points[i].y, chart.rows[i][column - chart.header.begin()].toDouble());
        }
    }
}

void SeriesTest::theCsvHasExactlyTheRowsOfTheTable()
{
    RunSeries series;
    for (std::uint64_t i = 0; i < 50; ++i)
        series.take(kClient, done(i, pb::SEARCH, 2'000), std::int64_t(i) * 10 * kMs);
    const ChartData chart = chartOf(series, { ChartKind::Operations, 0, 500 * kMs, 0, 60 });
    const QStringList lines = chartCsv(chart, { "2026-01-01T00:00:00Z", true, "m" }, "full")
                                  .split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(std::size_t(lines.size()), chart.rows.size() + 1);
    QCOMPARE(lines[0], "run,simulated,detail," + chart.header.join(','));
    for (std::size_t i = 0; i < chart.rows.size(); ++i) {
        const QStringList cells = lines[qsizetype(i) + 1].split(',');
        QCOMPARE(cells.mid(0, 3), (QStringList { "2026-01-01T00:00:00Z", "true", "full" }));
        for (qsizetype c = 0; c < chart.rows[i].size(); ++c)
            QCOMPARE(cells[c + 3].toDouble(), chart.rows[i][c].toDouble());
    }
}

void SeriesTest::emptyChartsSayWhyAndWhatToDo_data()
{
    QTest::addColumn<int>("kind");
    for (int kind = 0; kind < kCharts; ++kind)
        QTest::addRow("%s", qPrintable(chartId(ChartKind(kind)))) << kind;
}

void SeriesTest::emptyChartsSayWhyAndWhatToDo()
{
    QFETCH(int, kind);
    const ChartData chart = chartOf(RunSeries(), { ChartKind(kind), 0, 1, 0, 100 });
    QVERIFY(chart.nothing.endsWith('.'));
    QVERIFY(chart.series.empty());
    QVERIFY(chart.rows.empty());
    QVERIFY(!chart.title.isEmpty());
}

void SeriesTest::aRingHasNoChartsOfAFile()
{
    const auto show = [](const RunSeries& series, ChartKind kind) {
        return chartOf(series.shown(), { kind, 0, 1'000 * kMs, 0, 100 });
    };
    constexpr ChartKind kOfFiles[] = { ChartKind::Load, ChartKind::Growth, ChartKind::Storage, ChartKind::Repair };
    RunSeries series;
    series.take(kClient, started(1, pb::SEARCH), 100 * kMs);
    QCOMPARE(show(series, ChartKind::Load).nothing, QString("There is no file yet: its first insert creates it."));
    QCOMPARE(show(series, ChartKind::Growth).remedy, QString("insert"));
    QCOMPARE(show(series, ChartKind::Memory).nothing, QString("No process has reported yet how much memory it uses."));

    pb::Event begun, gauges;
    begun.mutable_process_started()->mutable_process()->set_system("walk");
    series.take(kNodes, begun, 110 * kMs);
    gauges.mutable_gauges()->set_memory_bytes(3 << 20);
    gauges.mutable_gauges()->set_store_bytes(1'000);
    series.take(kNodes, gauges, 120 * kMs);
    series.take(kNodes + 1, gauges, 130 * kMs);
    series.take(kClient, sent(1), 140 * kMs);
    series.take(kClient, done(1, pb::SEARCH, kMs), 150 * kMs);
    for (const ChartKind kind : kOfFiles) {
        const ChartData chart = show(series, kind);
        QVERIFY2(chart.nothing.contains("no file in this run"), qPrintable(chart.nothing));
        QCOMPARE(chart.remedy, QString());
        QVERIFY(chart.series.empty() && chart.theory.empty() && chart.rows.empty());
    }
    QVERIFY(show(series, ChartKind::Messages).theory.empty());
    QCOMPARE(show(series, ChartKind::Messages).series.size(), std::size_t(1));
    ChartData memory = show(series, ChartKind::Memory);
    QCOMPARE(memory.nothing, QString());
    QCOMPARE(memory.series.at(0).points.back().y, 6.0); // MiB
    pb::Told ended;
    ended.mutable_ended()->set_reason("killed");
    series.take(kNodes, ended, 160 * kMs);
    QCOMPARE(show(series, ChartKind::Memory).series.at(0).points.back().y, 3.0);

    // A part of the run says the same.
    ClusterState state;
    state.apply(kNodes, begun, 110 * kMs);
    state.apply(kNodes, gauges, 120 * kMs);
    RunSeries part;
    part.learn(state, 130 * kMs);
    QVERIFY(show(part, ChartKind::Load).nothing.contains("no file in this run"));
    QCOMPARE(show(part, ChartKind::Memory).series.at(0).points.back().y, 3.0);

    // The file that was there before is still drawn.
    RunSeries both;
    createFile(both);
    pb::Told forgotten;
    forgotten.mutable_forgotten();
    both.take(0, forgotten, 50 * kMs);
    both.take(kNodes, begun, 110 * kMs);
    QCOMPARE(show(both, ChartKind::Growth).series.size(), std::size_t(1));
    QVERIFY(!show(both, ChartKind::Load).theory.empty());
}

void SeriesTest::eachGeneralKindIsReadFromARecording()
{
    // What a recording gives to a series that has no part of a system.
    struct General : TimeSeries {
        void read(ProcessId process, const pb::Event& event, std::int64_t runNs)
        {
            const std::vector<int>& read = kinds();
            if (std::find(read.begin(), read.end(), kindOf(event)) != read.end())
                count(process, event, runNs);
        }
    } series;
    pb::Event armed, gauges, ended, closed, opened;
    armed.mutable_fault_begun()->mutable_fault()->set_number(10);
    armed.mutable_fault_begun()->mutable_fault()->mutable_crash()->set_at("range_taken");
    gauges.mutable_gauges()->set_memory_bytes(5);
    ended.mutable_process_ended();
    closed.mutable_gate_closed();
    opened.mutable_gate_opened();
    series.read(kNodes, armed, 100 * kMs);
    series.read(kNodes, closed, 200 * kMs);
    series.read(kNodes, opened, 300 * kMs);
    series.read(kNodes + 1, gauges, 350 * kMs);
    series.read(kNodes, ended, 400 * kMs);
    series.read(kClient, started(1, pb::SEARCH), 500 * kMs);
    series.read(kClient, sent(1), 510 * kMs);
    series.read(kClient, done(1, pb::SEARCH, kMs), 520 * kMs);
    QCOMPARE(series.shades().size(), std::size_t(2));
    QCOMPARE(series.shades()[0].endNs, 400 * kMs); // the process ended at the step at which it was to end
    QCOMPARE(series.shades()[1].endNs, 300 * kMs);
    const TimeBin all = series.columns(0, 1'000 * kMs, 1).at(0);
    QCOMPARE(all.kinds[std::size_t(SeriesOperation::Search)].messages, std::uint64_t(1));
    QCOMPARE(all.level(RunLevel::MemoryBytes).last, 5.0);
}

QTEST_GUILESS_MAIN(SeriesTest)
#include "tst_series.moc"
