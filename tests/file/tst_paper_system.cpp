// SPDX-License-Identifier: GPL-3.0-or-later
// The two papers, statement by statement: architecture and demonstration outline (demo paper 3 and 4) and the 2003
// report (3, 4.1, 7, 8.4). Each statement in our words with its section, then its test.
#include "tests/rigs/core/coordinator_rig.h"
#include "tests/rigs/core/file_check.h"

#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// A file of some buckets with values of different lengths, at rest.
FileRig::Options small(std::uint32_t k, pb::Field field = pb::GF_16)
{
    FileRig::Options options;
    options.config = fileConfig(4, k, 20);
    options.config.set_field(field);
    options.dataSpares = 30;
    options.paritySpares = 30;
    options.clients = 2;
    return options;
}

void fill(FileRig& rig, std::uint64_t count)
{
    QVERIFY(rig.waitForFile());
    pb::RunWorkload order;
    order.set_kind(pb::INSERT);
    order.set_count(count);
    order.set_length(30);
    order.set_window(4);
    QCOMPARE(rig.runWorkload(order).results().at("OK"), count);
    QVERIFY(rig.waitForRest());
    rig.cluster.run(1s);
}

} // namespace

class TestPaperSystem : public QObject {
    Q_OBJECT

private slots:
    // demo paper 3
    void anIdleServerListensToItsOwnPool();
    void theSelectedLeaveThePoolAndTheOthersMayAcceptAgain();
    void messagesInWaitAreResentThenDroppedAndTheCoordinatorInformed();
    // demo paper 4
    void updatesReachTheParityBucketsAlsoOfRecordsThatMoved();
    void aGroupGetsMoreParityWhileItLives();
    void aSearchThatTimesOutAlarmsTheCoordinator();
    void aMissedRecordComesBeforeItsBucket();
    void aMissedRecordComesBeforeItsBucketAlsoRightAfterARecovery();
    void aRecordOfABucketKnownToHaveFailedCostsNineMessages();
    void aRecordIsFoundWhicheverMessageIsLost();
    void theContentsOfBucketsCanBeDisplayed();
    // report 3, 4, 7, 8.4
    void logPreCalculusChangesNothingButTime();
    void theFirstDataBucketIsXoredEverywhere();
    void aNewParityBucketAsksEveryExistingDataBucket();
    void searchesAreSynchronisedOrParallel();
    void anOverloadedBucketReportsOnceAndSplitsAreSerial();
};

// ---- demo paper 3: architecture

// An idle server is connected to the multicast group of the data buckets or of the parity buckets, and answers the
// invitations of that group only.
void TestPaperSystem::anIdleServerListensToItsOwnPool()
{
    for (const pb::Role pool : { pb::DATA, pb::PARITY }) {
        NodeRig spare(pool);
        for (const pb::Role wanted : { pb::DATA, pb::PARITY }) {
            pb::Message invite = spare.coordinator.message();
            invite.mutable_invite()->set_invitation(std::uint64_t(5 + wanted));
            invite.mutable_invite()->set_role(wanted);
            addressOfProcess(NodeRig::kCoordinator).to(*invite.mutable_invite()->mutable_coordinator());
            QCOMPARE(
                spare.driven.message(invite).count(Body::kOffer, NodeRig::kCoordinator), std::size_t(wanted == pool));
        }
    }
    QCOMPARE(CoordinatorRig(fileConfig(4, 2), 0, 5).count(Body::kConfirm),
        std::size_t(0)); // parity spares are not in the group of the data buckets
}

// An invited server answers and waits for the confirmation. A selected one then leaves the multicast group; one that
// was not selected cancels and may commit to other invitations.
void TestPaperSystem::theSelectedLeaveThePoolAndTheOthersMayAcceptAgain()
{
    NodeRig spare(pb::PARITY);
    const auto invite = [&](std::uint64_t invitation) {
        pb::Message message = spare.coordinator.message();
        message.mutable_invite()->set_invitation(invitation);
        message.mutable_invite()->set_role(pb::PARITY);
        addressOfProcess(NodeRig::kCoordinator).to(*message.mutable_invite()->mutable_coordinator());
        return spare.driven.message(message).count(Body::kOffer);
    };
    QCOMPARE(invite(1), std::size_t(1));
    QCOMPARE(invite(2), std::size_t(0)); // one open offer at a time
    pb::Message cancel = spare.coordinator.message();
    cancel.mutable_cancel()->set_invitation(1);
    QCOMPARE(spare.driven.message(cancel).count(Happened::kOfferCancelled), std::size_t(1));
    QCOMPARE(invite(2), std::size_t(1));
    QCOMPARE(spare.driven.pass(600ms).count(Happened::kOfferCancelled), std::size_t(1)); // not heard of again: expired
    pb::Confirm confirm;
    confirm.set_role(pb::PARITY);
    confirm.set_incarnation(9);
    confirm.set_state(pb::UP);
    *confirm.mutable_config() = fileConfig();
    const Step step = spare.recruit(confirm);
    QCOMPARE(step.left, pb::PARITY);
    QCOMPARE(step.count(Happened::kNodeRecruited), std::size_t(1));
    QVERIFY(spare.node.parityBucket());
    QCOMPARE(invite(3), std::size_t(0));
}

// A message that waits for an acknowledgement is in a list, and leaves it when the acknowledgement arrives. It is
// retransmitted a limited number of times, then dropped, and the coordinator is informed: wrong address, or the
// receiver failed.
void TestPaperSystem::messagesInWaitAreResentThenDroppedAndTheCoordinatorInformed()
{
    DataRig rig;
    rig.insert(1, "v");
    rig.deltaAck(0, 1);
    const Step step = rig.driven.pass(1s);
    QVERIFY(step.count(Body::kDelta, DataRig::kParity + 1) >= 3);
    QCOMPARE(step.count(Body::kDelta, DataRig::kParity), std::size_t(0));
    QVERIFY(step.count(Body::kAlarm, DataRig::kCoordinator) >= 1);
}

// ---- demo paper 4: demonstration outline

// (a) A bucket splits, and updates propagate to the parity buckets - before, during and after.
void TestPaperSystem::updatesReachTheParityBucketsAlsoOfRecordsThatMoved()
{
    for (const pb::Rerank rerank : { pb::FILL_HOLES, pb::KEEP }) {
        FileRig::Options options = small(2);
        options.config.set_rerank(rerank);
        FileRig rig(options);
        fill(rig, 200);
        QCOMPARE(parityProblem(rig), "");
        pb::RunWorkload change;
        change.set_count(400);
        change.set_length(51);
        change.set_window(6);
        for (const std::uint32_t weight : { 3u, 3u, 2u, 1u })
            change.add_mix(weight);
        QCOMPARE(rig.runWorkload(change).wrong(), 0u);
        QVERIFY(rig.waitForRest());
        rig.cluster.run(1s);
        QCOMPARE(parityProblem(rig), "");
        QCOMPARE(rig.verify().missing(), 0u);
    }
}

// (b) The availability of a group grows by a further parity bucket, chosen from the multicast group of the parity
// buckets. Writes go on.
void TestPaperSystem::aGroupGetsMoreParityWhileItLives()
{
    FileRig rig(small(1));
    fill(rig, 60);
    pb::Command raise;
    raise.mutable_raise_availability()->set_availability(2);
    rig.cluster.ask(FileRig::kCoordinator, raise);
    QVERIFY(rig.coordinator().file().groups().at(GroupNumber(0)).k == 1);
    std::set<std::uint64_t> invited;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_invite() && packet.message->invite().role() == pb::PARITY)
            invited.insert(packet.to);
        return true;
    };
    pb::RunWorkload more;
    more.set_kind(pb::INSERT);
    more.set_window(8);
    for (int round = 0; round < 12 && !rig.parity(0, 1); ++round) { // K grows when the split pointer is at 0
        more.set_count(40);
        QCOMPARE(rig.runWorkload(more).unanswered(), 0u);
        QVERIFY(rig.waitForRest());
    }
    QVERIFY(rig.parity(0, 1));
    QCOMPARE(rig.coordinator().file().groups().at(GroupNumber(0)).k, 2u);
    QVERIFY(!invited.empty() && *invited.begin() >= FileRig::kParity && *invited.rbegin() < FileRig::kClient);
    rig.cluster.run(1s);
    QCOMPARE(parityProblem(rig), "");
}

// (d) When a search's timeout elapses, the client alarms the coordinator, which finds out whether it was an addressing
// error.
void TestPaperSystem::aSearchThatTimesOutAlarmsTheCoordinator()
{
    FileRig rig(small(1));
    QVERIFY(rig.waitForFile());
    rig.operate(pb::INSERT, 1, "one");
    int alarms = 0;
    bool isDeaf = true;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_alarm()) {
            ++alarms;
            isDeaf = false;
        }
        return !(isDeaf && packet.message->has_search());
    };
    const pb::OperationResult found = rig.operate(pb::SEARCH, 1);
    QCOMPARE(alarms, 1);
    QCOMPARE(found.result(), pb::OK);
    QCOMPARE(found.value(), "one");
}

// (d) before (e): with spares available the bucket is rebuilt quickly; still, the search whose alarm started the
// rebuilding is answered by record recovery.
void TestPaperSystem::aMissedRecordComesBeforeItsBucket()
{
    FileRig::Options options = small(1);
    options.config.set_recovery(pb::RECOVERY_ON_ALARM);
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    rig.operate(pb::INSERT, 1, "one");
    rig.kill(rig.holder(pb::DATA, 0, 0));
    std::vector<std::string> order;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_alarm())
            order.push_back("alarm");
        else if (packet.message->has_recover_record())
            order.push_back("record");
        else if (packet.message->has_recovery_done())
            order.push_back("bucket");
        return true;
    };
    const pb::OperationResult found = rig.operate(pb::SEARCH, 1);
    QCOMPARE(found.value(), "one");
    rig.waitForRest();
    QCOMPARE(std::count(order.begin(), order.end(), "record"), 1);
    QCOMPARE(std::count(order.begin(), order.end(), "bucket"), 1);
    QVERIFY(std::find(order.begin(), order.end(), "record") < std::find(order.begin(), order.end(), "bucket"));
    QCOMPARE(found.path(), pb::RECORD_RECOVERY);
}

// The members of a group that was just recovered were heard a moment ago; but another member misses the bucket by now.
void TestPaperSystem::aMissedRecordComesBeforeItsBucketAlsoRightAfterARecovery()
{
    FileRig::Options options = small(1);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    rig.operate(pb::INSERT, 1, "one");
    for (int failure = 0; failure < 3; ++failure) {
        rig.kill(rig.holder(pb::DATA, 0, 0));
        const pb::OperationResult found = rig.operate(pb::SEARCH, 1);
        QCOMPARE(found.value(), "one");
        QCOMPARE(found.path(), pb::RECORD_RECOVERY);
        rig.waitForRest();
    }
}

// Messages of a record recovery: alarm and hand-over, a request and an answer for each of the three other members, the
// reply. For a key that does not exist: the first two and the last.
void TestPaperSystem::aRecordOfABucketKnownToHaveFailedCostsNineMessages()
{
    FileRig::Options options = small(1);
    options.config.set_recovery(pb::RECOVERY_ON_ALARM);
    options.dataSpares = 4; // none is left, so the bucket stays lost
    FileRig rig(options);
    fill(rig, 60);
    rig.kill(rig.holder(pb::DATA, 0, 0));
    for (int i = 0; i < 2; ++i) // the first search finds that no answer comes, the second is told at once
        QCOMPARE(rig.operate(pb::SEARCH, 4).path(), pb::RECORD_RECOVERY);
    std::vector<std::string> served;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->operation().number() != 0)
            served.push_back(
                packet.message->GetDescriptor()->FindFieldByNumber(int(packet.message->body_case()))->name());
        return true;
    };
    // Messages for an existing key, and for a key that does not exist.
    const std::map<std::uint64_t, std::size_t> expected { { 8, 9 }, { 1'000'000, 3 } };
    for (const auto& [key, count] : expected) {
        served.clear();
        const pb::OperationResult found = rig.operate(pb::SEARCH, key);
        QCOMPARE(found.path(), pb::RECORD_RECOVERY);
        QCOMPARE(found.result(), count == 3 ? pb::NOT_FOUND : pb::OK);
        QVERIFY2(served.size() == count,
            [&] {
                std::string all;
                for (const std::string& name : served)
                    all += name + " ";
                return all;
            }()
                .c_str());
    }
}

void TestPaperSystem::aRecordIsFoundWhicheverMessageIsLost()
{
    FileRig::Options options = small(1);
    options.config.set_recovery(pb::RECOVERY_ON_ALARM);
    options.dataSpares = 4;
    FileRig rig(options);
    fill(rig, 60);
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QCOMPARE(rig.operate(pb::SEARCH, 4).path(), pb::RECORD_RECOVERY);
    for (int lost = 0; lost < 9; ++lost) {
        int seen = 0;
        rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
            return packet.message->operation().number() == 0 || seen++ != lost;
        };
        const pb::OperationResult found = rig.operate(pb::SEARCH, 8);
        QCOMPARE(found.result(), pb::OK);
        QCOMPARE(found.path(), pb::RECORD_RECOVERY);
        QVERIFY(seen > 9);
    }
}

// Data and parity bucket contents are displayed.
void TestPaperSystem::theContentsOfBucketsCanBeDisplayed()
{
    FileRig rig(small(1));
    fill(rig, 15);
    pb::Command read;
    read.mutable_read_contents()->set_rank_from(1);
    const std::uint64_t data = rig.coordinator().file().data(BucketNumber(0))->holder.node.value;
    const std::uint64_t parity
        = rig.coordinator().file().groups().at(GroupNumber(0)).parity.at(ParityColumn(0)).holder.node.value;
    const pb::ContentsPage records = rig.cluster.ask(data, read).contents();
    const pb::ContentsPage groups = rig.cluster.ask(parity, read).contents();
    QCOMPARE(records.data_size(), 15);
    QCOMPARE(groups.parity_size(), 15);
    for (int r = 0; r < 15; ++r) {
        QCOMPARE(groups.parity(r).rank(), records.data(r).rank());
        QCOMPARE(groups.parity(r).members(0).key(), records.data(r).key());
        QVERIFY(groups.parity(r).parity() == records.data(r).value()); // its only member is at position 0
    }
}

// ---- the 2003 report

// 3.1: A parity bucket takes the logarithms of its column once; that makes encoding faster and changes nothing else.
void TestPaperSystem::logPreCalculusChangesNothingButTime()
{
    for (const bool precalculus : { true, false }) {
        ParityRig::Options options;
        options.config.set_galois("log");
        options.config.set_no_log_precalculus(!precalculus);
        ParityRig rig(options);
        for (std::uint32_t q = 0; q < 4; ++q)
            rig.delta(rig.insert(q, 1, q, makeValue(q, Key(q), 1, 100 + q)));
        QCOMPARE(rig.differenceToModel(), "");
    }
}

// 3.2: With the new generator matrix, data from the first data bucket of a group is XORed instead of multiplied by one;
// the result equals that of pure Reed-Solomon calculus.
void TestPaperSystem::theFirstDataBucketIsXoredEverywhere()
{
    for (const bool pure : { false, true }) {
        for (const std::uint32_t column : { 0u, 1u, 2u }) {
            ParityRig::Options options;
            options.column = column;
            options.config.set_galois("log");
            options.config.set_pure_rs(pure);
            ParityRig rig(options);
            const std::string value = makeValue(1, Key(1), 1, 100);
            rig.delta(rig.insert(0, 1, 1, value));
            const ByteSpan parity = rig.parity().store().parity(Rank(1));
            QVERIFY(std::string(reinterpret_cast<const char*>(parity.data()), parity.size()) == value);
            rig.delta(rig.insert(2, 1, 2, makeValue(2, Key(2), 1, 90)));
            QCOMPARE(rig.differenceToModel(), "");
        }
    }
}

// 4.1: A new parity bucket asks each data bucket that is no dummy, by UDP, whether it would send its contents. The
// contents arrive over TCP and are processed one after the other; when all are in, the parity bucket is complete.
void TestPaperSystem::aNewParityBucketAsksEveryExistingDataBucket()
{
    ParityRig::Options options;
    options.state = pb::INIT;
    options.data = { 0, 2 }; // of a group of four; the others do not exist yet
    ParityRig rig(options);
    const Step asked = rig.addParity();
    QCOMPARE(asked.count(Body::kSendContents), std::size_t(2));
    for (const Step::Sent& sent : asked.of(Body::kSendContents))
        QCOMPARE(sent.way, Way::Auto);
    QCOMPARE(rig.contents({ .q = 2, .snap = 0 }).count(Body::kContentsDone), std::size_t(0));
    QCOMPARE(rig.contents({ .q = 0, .snap = 0 }).count(Body::kContentsDone), std::size_t(1));
    DataRig data({ .k = 1, .init = { 0 } });
    pb::Message ask = Peer(DataRig::kParity).message();
    ask.mutable_send_contents()->set_epoch(1);
    ask.mutable_send_contents()->set_incarnation(500);
    QCOMPARE(data.driven.message(ask).of(Body::kContents).at(0).way, Way::Stream);
}

// 7: Searches are synchronised (the client waits for a reply before the next request), or many requests are sent in
// parallel.
void TestPaperSystem::searchesAreSynchronisedOrParallel()
{
    for (const std::uint32_t window : { 1u, 64u }) {
        FileRig rig(small(1));
        fill(rig, 100);
        std::int64_t open = 0, widest = 0;
        rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
            if (node != FileRig::kClient)
                return;
            open += event.has_operation_started() ? 1 : event.has_operation_done() ? -1 : 0;
            widest = std::max(widest, open);
        };
        pb::RunWorkload searches;
        searches.set_kind(pb::SEARCH);
        searches.set_keys(pb::PRESENT);
        searches.set_count(500);
        searches.set_window(window);
        QCOMPARE(rig.runWorkload(searches).results().at("OK"), 500u);
        QVERIFY(window == 1 ? widest == 1 : widest > 20);
    }
}

// 8.4: An overloaded bucket reports once, not with every insert. Splits are serialized, since an order could otherwise
// go to a bucket that does not exist yet.
void TestPaperSystem::anOverloadedBucketReportsOnceAndSplitsAreSerial()
{
    FileRig rig(small(1));
    QVERIFY(rig.waitForFile());
    int open = 0, widest = 0, reports = 0;
    rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
        reports += event.has_bucket_overflowed() ? 1 : 0;
        if (node != FileRig::kCoordinator)
            return;
        open += event.has_split_ordered() ? 1 : event.has_split_finished() ? -1 : 0;
        widest = std::max(widest, open);
    };
    QCOMPARE(rig.insertMany(300, 20, 64).results().at("OK"), 300u); // many inserts arrive at overloaded buckets
    QVERIFY(rig.waitForRest());
    QCOMPARE(widest, 1);
    QCOMPARE(std::uint32_t(reports), rig.coordinator().file().buckets() - 1); // each report caused one split
}

QTEST_APPLESS_MAIN(TestPaperSystem)
#include "tst_paper_system.moc"
