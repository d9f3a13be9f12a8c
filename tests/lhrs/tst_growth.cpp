// SPDX-License-Identifier: GPL-3.0-or-later
// How the coordinator lets the file grow: splits step by step, the K rule, further parity buckets.
#include "common/kinds.h"
#include "tests/rigs/core/coordinator_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// The order of the steps, as text: consecutive messages of one kind with the same meaning are one step.
std::vector<std::string> stepsOf(const CoordinatorRig& rig)
{
    std::vector<std::string> steps;
    for (const Step::Sent& sent : rig.log) {
        std::string step = nameOf(sent.message);
        if (sent.message.has_commit())
            step += " " + std::to_string(sent.message.commit().bucket());
        if (sent.message.has_ack() || (sent.message.has_cancel() && sent.message.cancel().incarnation() == 0))
            continue;
        if (steps.empty() || steps.back() != step)
            steps.push_back(step);
    }
    return steps;
}

pb::Command forceSplit()
{
    pb::Command command;
    command.mutable_force_split();
    return command;
}

pb::Command createParity(std::uint32_t group)
{
    pb::Command command;
    command.mutable_create_parity()->set_group(group);
    return command;
}

pb::Command raise(std::uint32_t availability)
{
    pb::Command command;
    command.mutable_raise_availability()->set_availability(availability);
    return command;
}

pb::FileConfig withThresholds(
    std::uint32_t m, std::uint32_t k, std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> thresholds)
{
    pb::FileConfig config = fileConfig(m, k);
    for (const auto& [buckets, availability] : thresholds) {
        pb::Threshold& t = *config.add_thresholds();
        t.set_buckets(buckets);
        t.set_availability(availability);
    }
    return config;
}

} // namespace

class TestGrowth : public QObject {
    Q_OBJECT

private slots:
    void aSplitGoesStepByStep();
    void eachStepWaitsForAllItsAcknowledgements_data();
    void eachStepWaitsForAllItsAcknowledgements();
    void theDecisionNeedsBothEnds();
    void whoIsToldWhatDependsOnTheGroups_data();
    void whoIsToldWhatDependsOnTheGroups();
    void splitsFollowThePointerWhoeverReports();
    void splitsThatAreOwedAreDoneOneAfterTheOther();
    void aReportThatComesTwiceIsOneDebt();
    void reportsThatOvertakeEachOtherAreTwoDebts();
    void aStagedSplitIsUndoneAtItsLimit();
    void anUndoneSplitIsStillOwedOnce();
    void aDecidedSplitIsNeverUndone();
    void aForcedSplitIsAnsweredWhenItIsFinished();
    void aForcedSplitWithoutSparesIsSaid();

    void theAvailabilityFollowsTheThresholds_data();
    void theAvailabilityFollowsTheThresholds();
    void theAvailabilityGrowsOnlyWhereThePointerIsZero();

    void aFurtherParityBucketGoesStepByStep();
    void aFurtherParityBucketCountsWhenAllMembersKnow();
    void theWordOfAFormerBucketOfTheColumnDoesNotCount();
    void aFurtherParityBucketIsRefusedWhereNoneIsWanted();
    void aParityCreationIsUndoneAtItsLimit();
};

// ---- splits

void TestGrowth::aSplitGoesStepByStep()
{
    CoordinatorRig rig(fileConfig(4, 2));
    rig.log.clear();
    rig.overload(0);
    QCOMPARE(stepsOf(rig),
        (std::vector<std::string> { "invite", "confirm", "epoch", "split", "commit 0", "commit 1", "finish" }));
    QCOMPARE(rig.file().image(), (FileImage { 1, 0 }));
    QCOMPARE(rig.file().data(BucketNumber(0))->level, 1u);
    QCOMPARE(rig.file().data(BucketNumber(1))->level, 1u);
    QCOMPARE(rig.file().data(BucketNumber(1))->state, pb::UP);
    std::vector<Happened> happened;
    for (const pb::Event& event : rig.events) {
        if (event.has_split_ordered() || event.has_split_committed() || event.has_split_finished())
            happened.push_back(event.body_case());
    }
    QCOMPARE(happened,
        (std::vector<Happened> { Happened::kSplitOrdered, Happened::kSplitCommitted, Happened::kSplitFinished }));
    const auto confirm = std::find_if(
        rig.log.begin(), rig.log.end(), [](const Step::Sent& s) { return s.message.has_confirm(); });
    QCOMPARE(confirm->message.confirm().number(), 1u);
    QCOMPARE(confirm->message.confirm().level(), 1u);
    QCOMPARE(confirm->message.confirm().state(), pb::INIT);
    QCOMPARE(confirm->message.confirm().table_size(), 1); // the location of bucket 0
}

void TestGrowth::eachStepWaitsForAllItsAcknowledgements_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("next");
    for (const auto& [kind, count, next] : { std::tuple { Body::kConfirm, 1, "epoch" }, { Body::kEpoch, 3, "split" },
             { Body::kSplit, 1, "commit 0" }, { Body::kCommit, 6, "commit 1" }, { Body::kFinish, 1, "" } }) {
        for (int which = 0; which < count; ++which)
            QTest::addRow("message kind %d, number %d", int(kind), which)
                << int(kind) << which << (kind == Body::kCommit && which >= 3 ? "finish" : next);
    }
}

void TestGrowth::eachStepWaitsForAllItsAcknowledgements()
{
    QFETCH(int, kind);
    QFETCH(int, which);
    QFETCH(QString, next);
    CoordinatorRig rig(fileConfig(4, 2));
    rig.log.clear();
    int seen = 0;
    std::uint64_t id = 0;
    rig.withhold = [&](const Step::Sent& sent) {
        if (int(sent.message.body_case()) != kind)
            return false;
        if (sent.tries == 0 && seen++ == which)
            id = sent.message.id();
        return sent.message.id() == id;
    };
    rig.overload(0);
    QVERIFY(id != 0);
    const auto steps = stepsOf(rig);
    QVERIFY(std::find(steps.begin(), steps.end(), next.toStdString()) == steps.end());
    QVERIFY(!rig.coordinator.growth().isAtRest());
    if (kind != int(Body::kConfirm)) { // a lost Confirm is given up, and another server taken
        rig.pass(2s);
        QVERIFY(rig.withheld.size() >= 3); // an order that must arrive is retransmitted until it does
    }
    rig.withhold = nullptr;
    rig.release();
    rig.pass(2s);
    QVERIFY(rig.coordinator.growth().isAtRest());
    QCOMPARE(rig.file().buckets(), 2u);
    QCOMPARE(rig.count(Happened::kSplitFinished), std::size_t(1));
}

void TestGrowth::theDecisionNeedsBothEnds()
{
    for (const bool sourceFirst : { true, false }) {
        CoordinatorRig rig(fileConfig(4, 1));
        pb::Message order;
        rig.withhold = [&](const Step::Sent& sent) {
            if (sent.message.has_split())
                order = sent.message;
            return sent.message.has_split();
        };
        rig.overload(0);
        const auto prepared = [&](std::uint32_t bucket, std::uint64_t split) {
            Peer sender(5555 + bucket);
            pb::Message message = sender.message();
            message.mutable_prepared()->set_split(split);
            message.mutable_prepared()->set_bucket(bucket);
            return rig.say(message);
        };
        const std::uint64_t split = order.split().split();
        rig.say(rig.holder(pb::DATA, 0)->sender.ack(order));
        QCOMPARE(prepared(sourceFirst ? 0 : 1, split).count(Body::kCommit), std::size_t(0));
        QCOMPARE(prepared(sourceFirst ? 0 : 1, split).count(Body::kCommit), std::size_t(0)); // the same one again
        QCOMPARE(prepared(sourceFirst ? 1 : 0, split - 1).count(Body::kCommit), std::size_t(0)); // of another split
        QCOMPARE(rig.file().image(), (FileImage { 0, 0 }));
        QVERIFY(prepared(sourceFirst ? 1 : 0, split).count(Body::kCommit) > 0);
        QCOMPARE(rig.file().image(), (FileImage { 1, 0 })); // (i,n) advances with the decision
    }
}

void TestGrowth::whoIsToldWhatDependsOnTheGroups_data()
{
    QTest::addColumn<quint32>("m");
    QTest::addColumn<quint32>("splitsBefore");
    QTest::addColumn<quint32>("confirms");
    QTest::addColumn<quint32>("epochs");
    // With k = 2 each. Split s (from 0) creates bucket s + 1.
    QTest::newRow("within the first group") << 4u << 0u << 1u << 3u;
    QTest::newRow("third of the first group") << 4u << 1u << 1u << 4u;
    QTest::newRow("a new group") << 4u << 3u << 3u << 0u;
    QTest::newRow("into another group") << 4u << 4u << 1u << 3u;
    QTest::newRow("groups of one") << 1u << 2u << 3u << 0u;
}

void TestGrowth::whoIsToldWhatDependsOnTheGroups()
{
    QFETCH(quint32, m);
    QFETCH(quint32, splitsBefore);
    QFETCH(quint32, confirms);
    QFETCH(quint32, epochs);
    CoordinatorRig rig(fileConfig(m, 2));
    for (quint32 split = 0; split < splitsBefore; ++split)
        rig.overload(0);
    rig.log.clear();
    rig.overload(0);
    const std::uint32_t target = splitsBefore + 1;
    const std::uint32_t source = target - (1u << (levelOf(BucketNumber(target), rig.file().image()) - 1));
    QCOMPARE(rig.count(Body::kConfirm), std::size_t(confirms));
    QCOMPARE(rig.count(Body::kEpoch), std::size_t(epochs)); // for the other members of the target's group
    std::map<std::uint32_t, std::set<std::uint64_t>> told;
    for (const Step::Sent& sent : rig.log) {
        if (sent.message.has_commit())
            QVERIFY(told[sent.message.commit().bucket()].insert(sent.to).second);
    }
    QCOMPARE(told.size(), std::size_t(2));
    for (const std::uint32_t bucket : { source, target }) {
        QCOMPARE(told[bucket].size(), std::size_t(3));
        QVERIFY(told[bucket].contains(rig.holder(pb::DATA, bucket)->info.node()));
        for (std::uint32_t p = 0; p < 2; ++p)
            QVERIFY(told[bucket].contains(rig.holder(pb::PARITY, bucket / m, p)->info.node()));
    }
    QCOMPARE(rig.file().groups().at(GroupNumber(target / m)).k, 2u);
}

void TestGrowth::splitsFollowThePointerWhoeverReports()
{
    CoordinatorRig rig(fileConfig(4, 1), 20, 20);
    std::vector<std::uint32_t> sources;
    for (int split = 0; split < 15; ++split) {
        rig.events.clear();
        rig.overload(rig.file().buckets() - 1);
        for (const pb::Event& event : rig.events) {
            if (event.has_split_committed())
                sources.push_back(event.split_committed().bucket());
        }
    }
    QCOMPARE(sources, (std::vector<std::uint32_t> { 0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7 }));
}

void TestGrowth::splitsThatAreOwedAreDoneOneAfterTheOther()
{
    CoordinatorRig rig(fileConfig(4, 1));
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_finish(); };
    rig.overload(0);
    rig.overload(1);
    rig.overload(0);
    QCOMPARE(rig.coordinator.growth().owed(), 2u);
    QCOMPARE(rig.count(Body::kSplit), std::size_t(1));
    rig.withhold = nullptr;
    rig.release();
    rig.pass(1s);
    QCOMPARE(rig.file().buckets(), 4u);
    QVERIFY(rig.coordinator.growth().isAtRest());
}

void TestGrowth::aReportThatComesTwiceIsOneDebt()
{
    CoordinatorRig rig(fileConfig(4, 1));
    const pb::Message report = rig.overloadMessage(0);
    for (int copy = 0; copy < 4; ++copy)
        QVERIFY(rig.say(report).acknowledges(report));
    QCOMPARE(rig.file().buckets(), 2u);
    rig.driven.sleep(120s);
    rig.say(report);
    QCOMPARE(rig.file().buckets(), 2u);
}

void TestGrowth::reportsThatOvertakeEachOtherAreTwoDebts()
{
    // No report may be dropped. The bucket was full, fell below b, and was full again.
    CoordinatorRig rig(fileConfig(4, 1));
    const pb::Message first = rig.overloadMessage(0);
    const pb::Message second = rig.overloadMessage(0);
    rig.say(second);
    QCOMPARE(rig.file().buckets(), 2u);
    rig.say(first);
    QCOMPARE(rig.file().buckets(), 3u);
    rig.say(second);
    rig.say(first);
    QCOMPARE(rig.file().buckets(), 3u);
}

void TestGrowth::aStagedSplitIsUndoneAtItsLimit()
{
    for (const std::uint32_t before : { 0u, 3u }) { // within a group; into a new one
        CoordinatorRig rig(fileConfig(4, 2));
        for (std::uint32_t split = 0; split < before; ++split)
            rig.overload(0);
        const FileImage image = rig.file().image();
        const std::size_t groups = rig.file().groups().size();
        rig.withhold = [](const Step::Sent& sent) { return sent.message.has_split(); };
        rig.overload(0);
        rig.log.clear();
        rig.pass(9900ms);
        QCOMPARE(rig.count(Body::kAbort), std::size_t(0));
        rig.pass(200ms);
        std::map<std::uint32_t, std::size_t> aborts;
        for (const Step::Sent& sent : rig.log) {
            if (sent.message.has_abort())
                ++aborts[sent.message.abort().bucket()];
        }
        QCOMPARE(aborts,
            (std::map<std::uint32_t, std::size_t> {
                { image.n, 3 }, { before + 1, 3 } })); // both ends and all their parity buckets
        QCOMPARE(rig.file().image(), image);
        QCOMPARE(rig.file().groups().size(), groups);
        QVERIFY(!rig.file().data(BucketNumber(before + 1)));
        QCOMPARE(rig.file().data(BucketNumber(image.n))->state, pb::UP);
        QCOMPARE(rig.count(Happened::kSplitUndone), std::size_t(1));
        std::size_t places = 0;
        for (const auto& [node, member] : rig.members)
            places += member.place.role() != pb::NO_ROLE ? 1 : 0;
        QCOMPARE(places, std::size_t(before + 1 + 2)); // every server recruited for it is a spare again
    }
}

void TestGrowth::anUndoneSplitIsStillOwedOnce()
{
    CoordinatorRig rig(fileConfig(4, 2));
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_split(); };
    rig.command(forceSplit());
    rig.pass(10100ms);
    QCOMPARE(rig.coordinator.growth().owed(), 1u);
    QVERIFY(!rig.replyOf().has_split());
    rig.withhold = nullptr; // the order of the undone split never arrives
    rig.withheld.clear();
    rig.pass(2s);
    QCOMPARE(rig.file().buckets(), 2u);
    QVERIFY(rig.coordinator.growth().isAtRest());
    QVERIFY(rig.replyOf().has_split()); // the command is answered by the split that was done
    std::set<std::uint64_t> ids;
    for (const pb::Event& event : rig.events) {
        if (event.has_split_ordered())
            QVERIFY(ids.insert(event.split_ordered().split()).second); // another attempt, another id
    }
    QCOMPARE(ids.size(), std::size_t(2));
}

void TestGrowth::aDecidedSplitIsNeverUndone()
{
    CoordinatorRig rig(fileConfig(4, 2));
    rig.withhold = [](const Step::Sent& sent) {
        return sent.message.has_commit() && sent.message.commit().bucket() == 1;
    };
    rig.overload(0);
    rig.pass(120s);
    QCOMPARE(rig.count(Body::kAbort), std::size_t(0));
    rig.withhold = nullptr;
    rig.release();
    rig.pass(2s);
    QCOMPARE(rig.count(Happened::kSplitFinished), std::size_t(1));
}

void TestGrowth::aForcedSplitIsAnsweredWhenItIsFinished()
{
    CoordinatorRig rig(fileConfig(4, 1));
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_finish(); };
    QCOMPARE(rig.command(forceSplit()).replies.size(), std::size_t(0));
    rig.pass(5ms);
    rig.withhold = nullptr;
    rig.release();
    rig.pass(1s);
    const pb::CommandReply reply = rig.replyOf();
    QCOMPARE(reply.split().bucket(), 0u);
    QCOMPARE(reply.split().new_bucket(), 1u);
    QCOMPARE(reply.split().level(), 1u);
    QCOMPARE(reply.split().moved(), 7u);
    QVERIFY(reply.split().total_ns() > 0);
}

void TestGrowth::aForcedSplitWithoutSparesIsSaid()
{
    CoordinatorRig rig(fileConfig(4, 1), 1, 1);
    rig.command(forceSplit());
    rig.pass(3s);
    QCOMPARE(rig.replyOf().refusal(), pb::NO_SPARES);
    QVERIFY(rig.replyOf().text().find("splitting bucket 0") != std::string::npos);
    QCOMPARE(rig.file().buckets(), 1u);
    rig.addSpare(CoordinatorRig::kData + 1, pb::DATA);
    rig.pass(2s);
    QCOMPARE(rig.file().buckets(), 2u); // it went on; the command has already been answered
    QCOMPARE(std::count_if(rig.replies.begin(), rig.replies.end(), [](const pb::CommandReply&) { return true; }),
        std::ptrdiff_t(1));
}

// ---- availability

void TestGrowth::theAvailabilityFollowsTheThresholds_data()
{
    QTest::addColumn<quint32>("m");
    QTest::addColumn<int>("list");
    for (const quint32 m : { 1u, 2u, 3u, 4u, 5u, 8u })
        for (int list = 0; list < 4; ++list)
            QTest::addRow("m = %u, thresholds %d", m, list) << m << list;
}

void TestGrowth::theAvailabilityFollowsTheThresholds()
{
    QFETCH(quint32, m);
    QFETCH(int, list);
    const pb::FileConfig configs[] = { withThresholds(m, 1, { { 8, 2 }, { 32, 3 } }),
        withThresholds(m, 0, { { 2, 1 }, { 5, 2 } }), withThresholds(m, 1, { { 4, 3 } }),
        withThresholds(m, 1, { { 2, 2 }, { 4, 3 }, { 8, 4 } }) };
    const pb::FileConfig& config = configs[list];
    constexpr std::uint32_t kBuckets = 130;
    CoordinatorRig rig(config, kBuckets, kBuckets * 4 / m + 20);
    // An independent statement of the rule for K.
    std::uint32_t availability = config.availability();
    std::map<std::uint32_t, std::uint32_t> k { { 0, availability } };
    const auto required = [&config](std::uint32_t buckets) {
        std::uint32_t wanted = config.availability();
        for (const pb::Threshold& t : config.thresholds())
            wanted = buckets >= t.buckets() ? std::max(wanted, t.availability()) : wanted;
        return wanted;
    };
    for (std::uint32_t buckets = 1; buckets < kBuckets; ++buckets) {
        const FileImage image = rig.file().image();
        QCOMPARE(bucketCount(image), buckets);
        const bool haveAll = std::all_of(k.begin(), k.end(), [&](const auto& g) { return g.second == availability; });
        QVERIFY(haveAll || image.n != 0); // I12: all groups have K when the pointer is back at 0
        if (image.n == 0 && haveAll)
            availability = std::min(availability + 1, required(buckets));
        if (image.n % m == 0)
            k[image.n / m] = availability;
        if (buckets % m == 0)
            k[buckets / m] = availability;
        rig.log.clear();
        rig.overload(buckets / 2);
        QVERIFY(rig.coordinator.growth().isAtRest());
        QCOMPARE(rig.file().buckets(), buckets + 1);
        QCOMPARE(rig.file().availability(), availability);
        QCOMPARE(rig.file().groups().size(), k.size());
        for (const auto& [g, group] : rig.file().groups()) {
            QCOMPARE(group.k, k.at(g.value));
            QCOMPARE(group.parity.size(), std::size_t(group.k));
            QVERIFY(group.k == availability || group.k + 1 == availability); // demo paper 2: K or K-1
            QCOMPARE(group.data.size(), std::size_t(std::min(m, buckets + 1 - g.value * m)));
        }
    }
    QVERIFY(rig.file().availability() == required(kBuckets));
}

void TestGrowth::theAvailabilityGrowsOnlyWhereThePointerIsZero()
{
    CoordinatorRig rig(fileConfig(1, 1));
    for (int split = 0; split < 4; ++split)
        rig.overload(0); // five buckets: i = 2, n = 1
    rig.command(raise(2));
    QVERIFY(rig.replyOf().availability().pending());
    for (int split = 0; split < 3; ++split) {
        rig.overload(0);
        QCOMPARE(rig.file().availability(), 1u);
    }
    rig.overload(0); // n is 0 when this one starts
    QCOMPARE(rig.file().availability(), 2u);
    QCOMPARE(rig.count(Happened::kAvailabilityRaised), std::size_t(1));
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 2u);
    QCOMPARE(rig.file().groups().at(GroupNumber(8)).k, 2u); // a new group starts with K
    QCOMPARE(rig.file().groups().at(GroupNumber(1)).k, 1u); // K grows when the pointer reaches the group
}

// ---- parity creation

void TestGrowth::aFurtherParityBucketGoesStepByStep()
{
    CoordinatorRig rig(fileConfig(4, 1));
    rig.overload(0);
    rig.command(raise(2));
    rig.log.clear();
    rig.command(createParity(0));
    QCOMPARE(
        stepsOf(rig), (std::vector<std::string> { "invite", "confirm", "epoch", "add_parity", "epoch", "add_parity" }));
    std::vector<pb::MemberState> states;
    std::size_t first = 0, second = 0;
    for (const Step::Sent& sent : rig.log) {
        if (sent.message.has_confirm()) {
            QCOMPARE(sent.message.confirm().state(), pb::INIT);
            QCOMPARE(sent.message.confirm().column(), 1u);
            QCOMPARE(sent.message.confirm().role(), pb::PARITY);
            QCOMPARE(sent.message.confirm().table_size(), 0); // it forwards nothing
        }
        if (!sent.message.has_epoch())
            continue;
        const pb::View& view = sent.message.epoch().view();
        const pb::Member& added = view.members(view.members_size() - 1);
        QCOMPARE(added.index(), 1u);
        added.state() == pb::INIT ? ++first : ++second;
    }
    QCOMPARE(first, std::size_t(3)); // two data buckets and one parity bucket are told
    QCOMPARE(second, std::size_t(4)); // and all that count on it
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 2u);
    QCOMPARE(rig.replyOf().parity().k(), 2u);
    QCOMPARE(rig.replyOf().parity().records(), 11u);
    QCOMPARE(rig.count(Happened::kParityAdded), std::size_t(1));
}

void TestGrowth::aFurtherParityBucketCountsWhenAllMembersKnow()
{
    for (int which = 0; which < 4; ++which) {
        CoordinatorRig rig(fileConfig(4, 1));
        rig.overload(0);
        rig.command(raise(2));
        int seen = 0;
        rig.withhold = [&](const Step::Sent& sent) {
            if (!sent.message.has_epoch())
                return false;
            const pb::View& view = sent.message.epoch().view();
            return view.members(view.members_size() - 1).state() == pb::UP && view.members_size() == 4
                && (sent.tries > 0 || seen++ == which);
        };
        rig.command(createParity(0));
        rig.pass(300s); // filling has no time limit any more
        QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 1u);
        QVERIFY(!rig.replyOf().has_parity());
        rig.withhold = nullptr;
        rig.release();
        rig.pass(2s);
        QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 2u);
    }
}

void TestGrowth::theWordOfAFormerBucketOfTheColumnDoesNotCount()
{
    CoordinatorRig rig(fileConfig(4, 1));
    rig.overload(0);
    rig.command(raise(2));
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_add_parity(); };
    rig.command(createParity(0));
    Peer former(4711);
    pb::Message word = former.message();
    word.mutable_contents_done()->set_group(0);
    word.mutable_contents_done()->set_column(1);
    word.mutable_contents_done()->set_incarnation(
        rig.file().groups().at(GroupNumber(0)).parity.at(ParityColumn(1)).holder.incarnation.value - 1);
    rig.say(word);
    rig.pass(1s);
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).parity.at(ParityColumn(1)).state, pb::INIT);
    rig.withhold = nullptr;
    rig.release();
    rig.pass(2s);
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 2u);
}

void TestGrowth::aFurtherParityBucketIsRefusedWhereNoneIsWanted()
{
    CoordinatorRig rig(fileConfig(4, 1));
    rig.command(createParity(0));
    QCOMPARE(rig.replyOf().refusal(), pb::REFUSED);
    QVERIFY(rig.replyOf().text().find("raise it first") != std::string::npos);
    rig.command(createParity(7));
    QCOMPARE(rig.replyOf().refusal(), pb::BAD_ARGUMENT);
    QVERIFY(rig.coordinator.growth().isAtRest());
    QVERIFY(!rig.file().groups().contains(GroupNumber(7)));
}

void TestGrowth::aParityCreationIsUndoneAtItsLimit()
{
    CoordinatorRig rig(fileConfig(4, 1));
    rig.overload(0);
    rig.command(raise(2));
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_add_parity(); };
    rig.command(createParity(0));
    rig.log.clear();
    rig.pass(61s);
    QCOMPARE(rig.replyOf().refusal(), pb::TIMED_OUT);
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 1u);
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).parity.size(), std::size_t(1));
    QCOMPARE(rig.count(Happened::kParityCreationUndone), std::size_t(1));
    QVERIFY(rig.count(Body::kCancel) >= 1);
    QVERIFY(rig.count(Body::kEpoch) >= 3); // the others drop it from their view
    rig.withhold = nullptr;
    rig.withheld.clear();
    rig.pass(2s);
    rig.command(createParity(0)); // and the command may be repeated
    QCOMPARE(rig.replyOf().parity().k(), 2u);
}

QTEST_APPLESS_MAIN(TestGrowth)
#include "tst_growth.moc"
