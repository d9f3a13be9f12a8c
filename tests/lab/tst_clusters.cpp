// SPDX-License-Identifier: GPL-3.0-or-later
// A session or a recording with more than one cluster: each of them starts its numbers again, and numbers of different
// clusters are never mixed up.
#include "tests/rigs/lab/fold_story.h"

#include "gui/lab/series/charts.h"
#include "gui/lab/replay/cluster_numbers.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr std::int64_t kMs = 1'000'000;

pb::Event done(std::uint64_t number, pb::OperationKind kind, std::int64_t timeNs)
{
    pb::Event event;
    event.mutable_operation()->set_client(kClient);
    event.mutable_operation()->set_number(number);
    event.mutable_operation_done()->set_kind(kind);
    event.mutable_operation_done()->set_time_ns(timeNs);
    return event;
}

} // namespace

class ClustersTest : public QObject {
    Q_OBJECT
private slots:
    void numbersFollowWhatWasForgotten();
    void aSecondClusterIsNotMergedWithTheFirst();
};

void ClustersTest::numbersFollowWhatWasForgotten()
{
    std::vector<Recording::Word> words;
    const auto tell = [&](std::uint64_t event, bool isForgotten) {
        Recording::Word& word = words.emplace_back();
        word.event = event;
        if (isForgotten)
            word.told.mutable_forgotten();
        else
            word.told.mutable_ended();
    };
    tell(0, true); // before the first one
    tell(3, false);
    tell(5, true);
    tell(5, true); // no events since
    tell(9, true);
    const ClusterNumbers numbers(words);
    for (const auto& [event, cluster] :
        { std::pair(0u, 1u), { 1u, 1u }, { 5u, 1u }, { 6u, 2u }, { 9u, 2u }, { 10u, 3u }, { 1'000u, 3u } })
        QCOMPARE(numbers.of(event), cluster);
}

// Two clusters of one session use the same numbers for different recoveries, operations and messages.
void ClustersTest::aSecondClusterIsNotMergedWithTheFirst()
{
    RunSeries series;
    pb::Told forgotten;
    forgotten.mutable_forgotten();
    series.take(0, forgotten, 0); // before any cluster: there was none
    for (std::int64_t cluster = 0; cluster < 2; ++cluster) {
        const std::int64_t at = 1'000 * kMs * (1 + cluster);
        pb::Event event;
        event.mutable_operation()->set_client(kClient);
        event.mutable_operation()->set_number(1);
        event.mutable_operation_started()->set_kind(pb::SEARCH);
        series.take(kClient, event, at);
        event.mutable_message_sent()->set_id(1);
        series.take(kClient, event, at + 1);
        series.take(kClient, done(1, pb::SEARCH, kMs), at + kMs);
        event.Clear();
        event.mutable_bucket_failed()->set_process(kClient + 7);
        event.mutable_bucket_failed()->set_index(5);
        series.take(kCoordinator, event, at + 10 * kMs);
        event.mutable_recovery_finished()->set_recovery(77);
        event.mutable_recovery_finished()->add_buckets(5);
        event.mutable_recovery_finished()->set_records(10 + std::uint32_t(cluster));
        event.mutable_recovery_finished()->set_total_ns(20 * kMs);
        event.mutable_recovery_finished()->set_rebuild_ns(10 * kMs);
        series.take(kCoordinator, event, at + 40 * kMs);
        event.Clear();
        event.mutable_fault_begun()->mutable_fault()->set_number(3);
        event.mutable_fault_begun()->mutable_fault()->mutable_network()->set_drop(0.5);
        series.take(kCoordinator, event, at + 50 * kMs); // and it is never healed
        series.take(0, forgotten, at + 100 * kMs);
    }
    const ChartWish all { ChartKind::Repair, 0, 10'000 * kMs, 0, 100 };
    const ChartData recoveries = chartOf(series, all);
    QCOMPARE(recoveries.rows.size(), std::size_t(2));
    for (int cluster = 0; cluster < 2; ++cluster) {
        QCOMPARE(recoveries.rows[std::size_t(cluster)][recoveries.header.indexOf("cluster")].toInt(), cluster + 1);
        QCOMPARE(recoveries.rows[std::size_t(cluster)][recoveries.header.indexOf("records")].toInt(), 10 + cluster);
        QVERIFY(recoveries.bars[std::size_t(cluster)].name.startsWith(QString("cluster %1, ").arg(cluster + 1)));
    }
    const TimeBin::PerKind searches = series.columns(0, 10'000 * kMs, 1)[0].kinds[std::size_t(SeriesOperation::Search)];
    QCOMPARE(searches.observed, std::uint64_t(2));
    QCOMPARE(searches.messages, std::uint64_t(2));
    for (const SeriesShade& shade : series.shades())
        QVERIFY2(shade.endNs > shade.beginNs && shade.endNs <= 2'100 * kMs, shade.words.c_str());
}

QTEST_GUILESS_MAIN(ClustersTest)
#include "tst_clusters.moc"
