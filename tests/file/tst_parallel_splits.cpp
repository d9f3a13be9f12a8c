// SPDX-License-Identifier: GPL-3.0-or-later
// Several splits staged at once and decided in the order of n: which splits join a wave, what waits for what, and what
// happens to the others when one is undone, a member fails, or the coordinator ends.
#include "tests/rigs/core/coordinator_rig.h"
#include "tests/file/restart_check.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

pb::FileConfig parallelConfig(std::uint32_t m, std::uint32_t k, std::uint32_t b = 10)
{
    pb::FileConfig config = fileConfig(m, k, b);
    config.set_parallel_splits(true);
    return config;
}

// The sources of the splits of which this happened, in order.
std::vector<std::uint32_t> sourcesOf(const std::vector<pb::Event>& events, Happened what)
{
    std::vector<std::uint32_t> sources;
    for (const pb::Event& event : events) {
        if (event.body_case() != what)
            continue;
        sources.push_back(what == Happened::kSplitOrdered ? event.split_ordered().bucket()
                : what == Happened::kSplitCommitted       ? event.split_committed().bucket()
                : what == Happened::kSplitFinished        ? event.split_finished().bucket()
                                                          : event.split_undone().bucket());
    }
    return sources;
}

using Sources = std::vector<std::uint32_t>;
using Withhold = std::function<bool(const Step::Sent&)>;

// This many splits are owed before the first has its server; `withhold` applies from then on.
void oweAtOnce(CoordinatorRig& rig, std::uint32_t splits, Withhold withhold = nullptr)
{
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_confirm(); };
    for (std::uint32_t split = 0; split < splits; ++split)
        rig.overload(0);
    rig.withhold = std::move(withhold);
    rig.release();
}

// A file with this many buckets, with all counters at zero.
void growTo(CoordinatorRig& rig, std::uint32_t buckets)
{
    while (rig.file().buckets() < buckets)
        rig.overload(0);
    rig.events.clear();
    rig.log.clear();
}

void letGo(CoordinatorRig& rig, Time time)
{
    rig.withhold = nullptr;
    rig.release();
    rig.pass(time);
}

Withhold ordersOf(std::uint32_t source)
{
    return [source](
               const Step::Sent& sent) { return sent.message.has_split() && sent.message.split().source() == source; };
}

pb::Command forceSplit()
{
    pb::Command command;
    command.mutable_force_split();
    return command;
}

FileRig::Options fileOptions(std::uint32_t m, std::uint32_t k)
{
    FileRig::Options options;
    options.config = parallelConfig(m, k, 12);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(3);
    options.dataSpares = 30;
    options.paritySpares = 40;
    return options;
}

} // namespace

class TestParallelSplits : public QObject {
    Q_OBJECT

private slots:
    void serialIsTheDefault();
    void splitsThatAreOwedTogetherAreStagedAtOnce();
    void atMostFourAreStagedAtOnce();
    void theyAreDecidedInTheOrderOfN();
    void eachIsDecidedWhenTheOneBeforeIsOver();
    void noneIsOrderedBeforeAllAreEnlisted();
    void aBucketThatIsNotThereYetIsNotOrderedToSplit();
    void theLevelMayRiseAmongThem();
    void whereTheAvailabilityMayRiseTheyWait();
    void aGroupThatNeedsAParityBucketWaits();
    void theFileGrowsAsOneSplitAfterTheOther_data();
    void theFileGrowsAsOneSplitAfterTheOther();

    void whenTheFirstIsUndoneSoAreTheOthers();
    void whatIsBeforeTheLateOneIsFinished();
    void aDecidedOneIsFinishedWhenTheOthersAreUndone();
    void theNextAfterAnUndoneOneIsAlone();
    void forcedSplitsAreAnsweredInTheirOrder();
    void whoFindsNoSpareIsNotWaitedFor();

    void theCoordinatorDiesAtAnyStep_data();
    void theCoordinatorDiesAtAnyStep();
    void aFailureOfOneUndoesAll();
    void anyMemberDiesAtAnyStep_data();
    void anyMemberDiesAtAnyStep();
    void theCoordinatorAndBothEndsOfTheFirstDie();

private:
    static void forceFour(FileRig& rig);
};

// ---- which splits join

void TestParallelSplits::serialIsTheDefault()
{
    CoordinatorRig rig(fileConfig(4, 1));
    growTo(rig, 4);
    oweAtOnce(rig, 4, [](const Step::Sent& sent) { return sent.message.has_finish(); });
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), Sources { 0 });
}

void TestParallelSplits::splitsThatAreOwedTogetherAreStagedAtOnce()
{
    for (const std::uint32_t m : { 1u, 2u, 4u, 8u }) {
        CoordinatorRig rig(parallelConfig(m, 2));
        growTo(rig, 4);
        oweAtOnce(rig, 4, [](const Step::Sent& sent) { return sent.message.has_commit(); });
        QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 0, 1, 2, 3 }));
        QCOMPARE(rig.coordinator.growth().owed(), 0u);
        QVERIFY(rig.coordinator.underWay().find("splitting bucket 0 into 4, and 3 more at once") != std::string::npos);
        letGo(rig, 2s);
        QCOMPARE(rig.file().image(), (FileImage { 3, 0 }));
        QVERIFY(rig.coordinator.growth().isAtRest());
        for (BucketNumber a; a.value < 8; a = a.next()) {
            QCOMPARE(rig.file().data(a)->state, pb::UP);
            QCOMPARE(rig.file().data(a)->level, 3u);
        }
        for (const auto& [g, group] : rig.file().groups())
            QCOMPARE(group.k, 2u);
        // The first split creates the group, the others join it.
        QCOMPARE(rig.count(Happened::kGroupCreated), std::size_t(m == 8 ? 0 : 4 / m));
    }
}

void TestParallelSplits::atMostFourAreStagedAtOnce()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 8);
    oweAtOnce(rig, 7, [](const Step::Sent& sent) { return sent.message.has_commit(); });
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 0, 1, 2, 3 }));
    QCOMPARE(rig.coordinator.growth().owed(), 3u);
    letGo(rig, 2s);
    QCOMPARE(rig.file().buckets(), 15u);
}

void TestParallelSplits::theyAreDecidedInTheOrderOfN()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 4);
    oweAtOnce(rig, 4, ordersOf(0));
    // The others have prepared, at both ends.
    QCOMPARE(rig.count(Body::kCommit), std::size_t(0));
    QCOMPARE(rig.file().image(), (FileImage { 2, 0 }));
    rig.pass(5s);
    QCOMPARE(rig.count(Body::kCommit), std::size_t(0));
    letGo(rig, 1s);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitCommitted), (Sources { 0, 1, 2, 3 }));
    Sources pointers;
    for (const pb::Event& event : rig.events)
        if (event.has_split_committed())
            pointers.push_back(event.split_committed().file().n());
    QCOMPARE(pointers, (Sources { 1, 2, 3, 0 })); // (i,n) moves with each
}

void TestParallelSplits::eachIsDecidedWhenTheOneBeforeIsOver()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 4);
    oweAtOnce(rig, 3, [](const Step::Sent& sent) { return sent.message.has_finish(); });
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitCommitted), (Sources { 0 }));
    letGo(rig, 1s);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitCommitted), (Sources { 0, 1, 2 }));
    QCOMPARE(rig.file().buckets(), 7u);
}

void TestParallelSplits::noneIsOrderedBeforeAllAreEnlisted()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 5);
    // Bucket 7 is enlisted last; the epoch that says so is not acknowledged.
    oweAtOnce(rig, 3, [](const Step::Sent& sent) {
        return sent.message.has_epoch() && sent.message.epoch().view().members_size() == 5;
    });
    QVERIFY(rig.file().data(BucketNumber(7)));
    QCOMPARE(rig.count(Body::kSplit), std::size_t(0));
    letGo(rig, 1s);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 1, 2, 3 }));
    // No epoch is announced while they are staged.
    bool isStaging = false;
    for (const Step::Sent& sent : rig.log) {
        isStaging = isStaging || sent.message.has_split();
        QVERIFY(!isStaging || !sent.message.has_epoch());
    }
}

void TestParallelSplits::aBucketThatIsNotThereYetIsNotOrderedToSplit()
{
    // Starting with one bucket: 0 -> 1 alone, then buckets 0 and 1 together: 0 -> 2 and 1 -> 3.
    CoordinatorRig rig(parallelConfig(4, 1));
    oweAtOnce(rig, 3, [](const Step::Sent& sent) { return sent.message.has_commit(); });
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 0 }));
    const std::uint64_t first = rig.withheld.front().message.commit().split();
    rig.withhold = [first](const Step::Sent& sent) {
        return sent.message.has_commit() && sent.message.commit().split() != first;
    };
    rig.release();
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 0, 0, 1 }));
    letGo(rig, 1s);
    QCOMPARE(rig.file().buckets(), 4u);
}

void TestParallelSplits::theLevelMayRiseAmongThem()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 6);
    oweAtOnce(rig, 4, ordersOf(2));
    // 2 -> 6 and 3 -> 7 of level 3, 0 -> 8 and 1 -> 9 of level 4.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ordered;
    for (const pb::Event& event : rig.events)
        if (event.has_split_ordered())
            ordered.emplace_back(event.split_ordered().new_bucket(), event.split_ordered().level());
    QCOMPARE(
        ordered, (std::vector<std::pair<std::uint32_t, std::uint32_t>> { { 6, 3 }, { 7, 3 }, { 8, 4 }, { 9, 4 } }));
    letGo(rig, 1s);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitCommitted), (Sources { 2, 3, 0, 1 }));
    QCOMPARE(rig.file().image(), (FileImage { 3, 2 }));
}

void TestParallelSplits::whereTheAvailabilityMayRiseTheyWait()
{
    pb::FileConfig config = parallelConfig(4, 1);
    config.add_thresholds()->set_buckets(8);
    config.mutable_thresholds(0)->set_availability(2);
    CoordinatorRig rig(config);
    growTo(rig, 6);
    oweAtOnce(rig, 4, [](const Step::Sent& sent) { return sent.message.has_commit(); });
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 2, 3 }));
    letGo(rig, 1s);
    QCOMPARE(rig.file().buckets(), 10u);
    QCOMPARE(rig.file().availability(), 2u);
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 2u);
    QCOMPARE(rig.file().groups().at(GroupNumber(1)).k, 1u); // K grows when the pointer reaches the group
    QCOMPARE(rig.file().groups().at(GroupNumber(2)).k, 2u);
}

void TestParallelSplits::aGroupThatNeedsAParityBucketWaits()
{
    pb::FileConfig config = parallelConfig(4, 1);
    config.add_thresholds()->set_buckets(8);
    config.mutable_thresholds(0)->set_availability(2);
    CoordinatorRig rig(config);
    growTo(rig, 10);
    oweAtOnce(rig, 4, [](const Step::Sent& sent) { return sent.message.has_commit(); });
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 2, 3 })); // bucket 4 is the first of group 1
    QCOMPARE(rig.count(Body::kAddParity), std::size_t(0));
    letGo(rig, 1s);
    QCOMPARE(rig.file().buckets(), 14u);
    QCOMPARE(rig.file().groups().at(GroupNumber(1)).k, 2u);
}

void TestParallelSplits::theFileGrowsAsOneSplitAfterTheOther_data()
{
    QTest::addColumn<quint32>("m");
    QTest::addColumn<quint32>("atOnce");
    for (const quint32 m : { 1u, 2u, 3u, 4u, 5u, 8u })
        for (const quint32 atOnce : { 2u, 3u, 7u })
            QTest::addRow("m = %u, %u at once", m, atOnce) << m << atOnce;
}

void TestParallelSplits::theFileGrowsAsOneSplitAfterTheOther()
{
    QFETCH(quint32, m);
    QFETCH(quint32, atOnce);
    pb::FileConfig config = fileConfig(m, 1);
    for (const std::uint32_t buckets : { 4u, 11u, 32u }) {
        auto* threshold = config.add_thresholds();
        threshold->set_buckets(buckets);
        threshold->set_availability(std::uint32_t(config.thresholds_size()) + 1);
    }
    CoordinatorRig serial(config, 80, 80 * 4 / m + 20);
    config.set_parallel_splits(true);
    CoordinatorRig parallel(config, 80, 80 * 4 / m + 20);
    while (parallel.file().buckets() < 64) {
        oweAtOnce(parallel, atOnce);
        parallel.pass(1s);
        QVERIFY(parallel.coordinator.growth().isAtRest());
        while (serial.file().buckets() < parallel.file().buckets())
            serial.overload(0);
        QCOMPARE(serial.file().image(), parallel.file().image());
        QCOMPARE(serial.file().availability(), parallel.file().availability());
        QCOMPARE(serial.file().groups().size(), parallel.file().groups().size());
        for (const auto& [g, group] : parallel.file().groups()) {
            const FileState::Group& other = serial.file().groups().at(g);
            QCOMPARE(other.k, group.k);
            QCOMPARE(other.parity.size(), group.parity.size());
            QCOMPARE(other.data.size(), group.data.size());
            for (const auto& [q, member] : group.data) {
                QCOMPARE(other.data.at(q).level, member.level);
                QCOMPARE(member.state, pb::UP);
            }
        }
    }
    QCOMPARE(sourcesOf(parallel.events, Happened::kSplitUndone), Sources {});
    QCOMPARE(
        sourcesOf(parallel.events, Happened::kSplitCommitted), sourcesOf(serial.events, Happened::kSplitCommitted));
}

// ---- undone

void TestParallelSplits::whenTheFirstIsUndoneSoAreTheOthers()
{
    for (const std::uint32_t m : { 1u, 4u, 8u }) {
        CoordinatorRig rig(parallelConfig(m, 2));
        growTo(rig, 4);
        const std::size_t groups = rig.file().groups().size();
        const auto places = [&rig] {
            return std::count_if(rig.members.begin(), rig.members.end(),
                [](const auto& member) { return member.second.place.role() != pb::NO_ROLE; });
        };
        const auto placesBefore = places();
        oweAtOnce(rig, 4, ordersOf(0));
        rig.pass(10100ms);
        // Splits are undone from the last to the first; what is left at any moment is the beginning of the wave.
        QCOMPARE(sourcesOf(rig.events, Happened::kSplitUndone), (Sources { 3, 2, 1, 0 }));
        QCOMPARE(rig.count(Body::kCommit), std::size_t(0));
        QCOMPARE(rig.coordinator.growth().owed(), 4u);
        QCOMPARE(rig.file().image(), (FileImage { 2, 0 }));
        QCOMPARE(rig.file().groups().size(), groups);
        for (BucketNumber a; a.value < 4; a = a.next())
            QCOMPARE(rig.file().data(a)->state, pb::UP);
        QVERIFY(!rig.file().data(BucketNumber(4)));
        QCOMPARE(places(), placesBefore); // every recruited process is a spare again
        std::vector<std::uint32_t> aborted;
        for (const Step::Sent& sent : rig.log)
            if (sent.message.has_abort() && sent.message.abort().bucket() < 4
                && (aborted.empty() || aborted.back() != sent.message.abort().bucket()))
                aborted.push_back(sent.message.abort().bucket());
        QCOMPARE(aborted, (Sources { 3, 2, 1, 0 }));
        rig.withhold = nullptr;
        rig.withheld.clear();
        rig.pass(5s);
        QCOMPARE(rig.file().buckets(), 8u);
        QVERIFY(rig.coordinator.growth().isAtRest());
    }
}

void TestParallelSplits::whatIsBeforeTheLateOneIsFinished()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 4);
    oweAtOnce(rig, 4, ordersOf(2));
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitFinished), (Sources { 0, 1 }));
    rig.pass(10100ms);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitUndone), (Sources { 3, 2 }));
    QCOMPARE(rig.file().buckets(), 6u);
    QCOMPARE(rig.coordinator.growth().owed(), 2u);
    QCOMPARE(rig.file().groups().at(GroupNumber(1)).data.size(), std::size_t(2));
    QCOMPARE(rig.file().groups().at(GroupNumber(1)).parity.size(), std::size_t(1));
}

void TestParallelSplits::aDecidedOneIsFinishedWhenTheOthersAreUndone()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 4);
    oweAtOnce(rig, 3,
        [](const Step::Sent& sent) { return sent.message.has_commit() && sent.message.commit().bucket() == 4; });
    rig.pass(10100ms);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitCommitted), (Sources { 0 }));
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitUndone), (Sources { 2, 1 }));
    QCOMPARE(rig.file().buckets(), 5u);
    QVERIFY(rig.file().data(BucketNumber(4))); // the group that it creates exists although the other splits left it
    letGo(rig, 5s);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitCommitted), (Sources { 0, 1, 2 }));
    QVERIFY(rig.coordinator.growth().isAtRest());
}

void TestParallelSplits::theNextAfterAnUndoneOneIsAlone()
{
    CoordinatorRig rig(parallelConfig(4, 1), 60, 60);
    growTo(rig, 8);
    oweAtOnce(rig, 6, ordersOf(0));
    rig.pass(10100ms);
    rig.events.clear();
    rig.withheld.clear();
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_finish(); };
    rig.pass(2s);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 0 }));
    rig.release();
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitOrdered), (Sources { 0, 1, 2, 3, 4 })); // and then several again
}

void TestParallelSplits::forcedSplitsAreAnsweredInTheirOrder()
{
    CoordinatorRig rig(parallelConfig(4, 1));
    growTo(rig, 4);
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_confirm(); };
    for (int split = 0; split < 4; ++split)
        rig.command(forceSplit());
    rig.withhold = ordersOf(1);
    rig.release();
    rig.pass(10100ms); // all but the first are undone
    rig.withhold = nullptr;
    rig.withheld.clear();
    rig.pass(5s);
    QCOMPARE(rig.replies.size(), std::size_t(4));
    for (std::size_t split = 0; split < 4; ++split) {
        QCOMPARE(rig.replies[split].ticket(), split + 1);
        QCOMPARE(rig.replies[split].split().bucket(), std::uint32_t(split));
    }
}

void TestParallelSplits::whoFindsNoSpareIsNotWaitedFor()
{
    CoordinatorRig rig(parallelConfig(4, 1), 7, 2); // no spare for bucket 7
    growTo(rig, 4);
    oweAtOnce(rig, 4);
    QCOMPARE(rig.count(Body::kSplit), std::size_t(0));
    rig.pass(3s);
    QCOMPARE(sourcesOf(rig.events, Happened::kSplitCommitted), (Sources { 0, 1, 2 }));
    QVERIFY(rig.count(Happened::kSpareMissing) > 0);
    QCOMPARE(rig.file().buckets(), 7u);
    rig.addSpare(CoordinatorRig::kData + 20, pb::DATA);
    rig.pass(5s);
    QCOMPARE(rig.file().buckets(), 8u);
    QVERIFY(rig.coordinator.growth().isAtRest());
}

// ---- failures and a later coordinator, with real machines

void TestParallelSplits::forceFour(FileRig& rig)
{
    for (int split = 0; split < 4; ++split)
        rig.cluster.command(FileRig::kCoordinator, forceSplit());
}

void TestParallelSplits::theCoordinatorDiesAtAnyStep_data()
{
    QTest::addColumn<std::uint32_t>("m");
    QTest::addColumn<int>("after");
    // Four splits at once take about 4 ms here: some of these moments fall on each of their messages.
    for (const std::uint32_t m : { 1u, 4u })
        for (int after = 300; after < 4'500; after += 100)
            QTest::addRow("m = %u, after %d us", m, after) << m << after;
}

void TestParallelSplits::theCoordinatorDiesAtAnyStep()
{
    QFETCH(const std::uint32_t, m);
    QFETCH(const int, after);
    FileRig rig(fileOptions(m, 1));
    begin(rig, 60);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    forceFour(rig);
    rig.cluster.run(std::chrono::microseconds(after));
    const std::uint32_t decided = rig.coordinator().file().buckets();
    rig.cluster.kill(FileRig::kCoordinator);
    rig.startCoordinator(true);
    checkAll(rig, 60);
    QVERIFY(decided >= buckets && rig.coordinator().file().buckets() >= decided);
    forceFour(rig);
    checkAll(rig, 60);
}

void TestParallelSplits::aFailureOfOneUndoesAll()
{
    FileRig rig(fileOptions(1, 1)); // every bucket is a group
    begin(rig, 60);
    const FileImage image = rig.coordinator().file().image();
    const std::uint32_t buckets = bucketCount(image);
    std::vector<pb::Event> events;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) { events.push_back(event); };
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) { // so that none is decided
        return !packet.message->has_split() || packet.message->split().source() != image.n;
    };
    forceFour(rig);
    rig.cluster.run(20ms);
    const Sources ordered = sourcesOf(events, Happened::kSplitOrdered);
    QVERIFY(ordered.size() > 2);
    rig.kill(rig.coordinator().file().data(BucketNumber(buckets + 1))->holder.node.value);
    rig.cluster.runUntil([&] { return sourcesOf(events, Happened::kSplitUndone).size() == ordered.size(); }, 2s);
    QCOMPARE(sourcesOf(events, Happened::kSplitUndone), Sources(ordered.rbegin(), ordered.rend()));
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 60);
    QVERIFY(rig.coordinator().file().buckets() >= buckets + 4);
}

void TestParallelSplits::anyMemberDiesAtAnyStep_data()
{
    QTest::addColumn<std::uint32_t>("m");
    QTest::addColumn<std::uint32_t>("which");
    QTest::addColumn<int>("after");
    for (const std::uint32_t m : { 1u, 4u })
        for (std::uint32_t which = 0; which < 4; ++which)
            for (int after = 700; after < 4'300; after += 300)
                QTest::addRow("m = %u, end %u, after %d us", m, which, after) << m << which << after;
}

void TestParallelSplits::anyMemberDiesAtAnyStep()
{
    QFETCH(const std::uint32_t, m);
    QFETCH(const std::uint32_t, which);
    QFETCH(const int, after);
    FileRig rig(fileOptions(m, 1));
    begin(rig, 60);
    const FileImage image = rig.coordinator().file().image();
    const std::uint32_t buckets = bucketCount(image);
    forceFour(rig);
    rig.cluster.run(std::chrono::microseconds(after));
    // A source, a target, a parity bucket of the sources, or of the targets.
    const FileState& file = rig.coordinator().file();
    const BucketNumber source(image.n + (image.n + 1 < (1u << image.i) ? 1 : 0)), target(buckets + 1);
    const FileState::MemberInfo* victim = file.data(which == 0 ? source : target);
    if (which >= 2) {
        const auto group = file.groups().find(file.groupOf(which == 2 ? source : target));
        victim = group == file.groups().end() || group->second.parity.empty() ? nullptr
                                                                              : &group->second.parity.begin()->second;
    }
    if (victim)
        rig.kill(victim->holder.node.value);
    rig.cluster.run(2s);
    checkAll(rig, 60);
    QVERIFY(rig.coordinator().file().buckets() >= buckets + 4);
}

void TestParallelSplits::theCoordinatorAndBothEndsOfTheFirstDie()
{
    // Of the first split, only its parity buckets are left; the second is prepared everywhere. The second must not be
    // decided, because the first was not.
    FileRig rig(fileOptions(1, 1));
    begin(rig, 60);
    const FileImage image = rig.coordinator().file().image();
    const std::uint32_t buckets = bucketCount(image);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) { // the order never arrives
        return !packet.message->has_split() || packet.message->split().source() != image.n;
    };
    forceFour(rig);
    rig.cluster.run(20ms);
    QVERIFY(rig.data(buckets + 1) && rig.data(buckets + 1)->state() == pb::INIT);
    for (const std::uint32_t end : { image.n, buckets })
        rig.kill(rig.coordinator().file().data(BucketNumber(end))->holder.node.value);
    rig.cluster.kill(FileRig::kCoordinator);
    rig.cluster.onPacket = nullptr;
    std::uint32_t rebuilt = 0;
    Sources decided;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_coordinator_rebuilt())
            rebuilt = event.coordinator_rebuilt().buckets();
        if (event.has_split_committed() && event.split_committed().split() >> 32 == 1)
            decided.push_back(event.split_committed().bucket());
    };
    rig.startCoordinator(true);
    checkAll(rig, 60);
    QCOMPARE(rebuilt, buckets);
    QCOMPARE(decided, Sources {});
}

QTEST_APPLESS_MAIN(TestParallelSplits)
#include "tst_parallel_splits.moc"
