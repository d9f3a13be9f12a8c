// SPDX-License-Identifier: GPL-3.0-or-later
// A coordinator that starts while its file is running listens first: to which processes, how long, and with what
// result.
#include "tests/file/restart_check.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

std::set<std::uint64_t> holdersOf(FileRig& rig)
{
    std::set<std::uint64_t> holders;
    for (const auto& [g, group] : rig.coordinator().file().groups()) {
        for (const auto& [q, member] : group.data)
            holders.insert(member.holder.node.value);
        for (const auto& [p, member] : group.parity)
            holders.insert(member.holder.node.value);
    }
    return holders;
}

// Options of a file that recovers by itself.
FileRig::Options automatic(std::uint32_t k)
{
    FileRig::Options options;
    options.config = fileConfig(4, k, 100);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    return options;
}

bool hasItsFirstRecord(FileRig& rig)
{
    return rig.waitForFile() && rig.operate(pb::INSERT, 1, "one").result() == pb::OK;
}

} // namespace

class TestCoordinatorListens : public QObject {
    Q_OBJECT

private slots:
    void whoHasReportedFollowsNoFormerCoordinator();
    void aLateCopyOfItsQuestionDoesNotPartItFromItsServers();
    void whoGetsNoReportGivesNoNumbers();
    void whoHearsNobodyMakesNoFile();
    void whoSleptWhileListeningListensAnew();
    void aReportOfAFormerListeningIsNotTakenForTodays();
    void whoReportedLongAgoCountsAsSilent();
    void aTargetThatMissedTheCommitIsWaitedFor();
    void aNewGroupThatLostParityBeforeItsSplitEndedKeepsItsK();
    void theTargetOfASplitTellsHowLargeALostFileWas();
    void aSpareThatNeverGotItsPlaceIsNotWaitedFor();
    void aParityBucketThatWasNotToldSoIsNotCountedOn();
    void kIsNotRaisedBeforeTheNewParityBucketKnows();
    void aNewParityBucketThatDiesBeforeItKnowsIsNotAdded();
    void aFileOfWhichNothingIsHeardIsWaitedFor_data();
    void aFileOfWhichNothingIsHeardIsWaitedFor();
    void bucketsOfAFileThatNobodyKnewOfAreLeftAlone();
    void aReplacementMakesNoFileWhoeverIsHeard();
    void whoStartsElsewhereIsNotAnswered();
};

void TestCoordinatorListens::whoHasReportedFollowsNoFormerCoordinator()
{
    // What a process reports must still be true when the listening coordinator acts on it.
    FileRig rig(restartOptions(1));
    begin(rig);
    const std::uint64_t node = rig.coordinator().file().data(BucketNumber(0))->holder.node.value;
    pb::Message order;
    order.set_id(4711);
    order.set_sender(FileRig::kCoordinator);
    order.mutable_from()->set_ip(std::uint32_t(FileRig::kCoordinator));
    order.set_coordinator_epoch(1);
    *order.mutable_epoch()->mutable_view() = rig.coordinator().file().view(GroupNumber(0));
    rig.cluster.kill(FileRig::kCoordinator);
    std::vector<std::uint64_t> reported; // the highest epochs, in the order of the reports
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_state_report())
            reported.push_back(packet.message->state_report().coordinator_epoch());
        return true;
    };
    const auto listens = [&](std::uint64_t coordinator) { // each at the address of the one before
        pb::Message ask;
        ask.set_sender(coordinator);
        ask.mutable_from()->set_ip(std::uint32_t(FileRig::kCoordinator));
        ask.mutable_report_state();
        rig.cluster.inject(node, ask);
        rig.cluster.run(10ms);
    };
    const auto isFollowed = [&] {
        order.mutable_epoch()->mutable_view()->set_epoch(order.epoch().view().epoch() + 1);
        rig.cluster.inject(node, order);
        rig.cluster.run(10ms);
        return rig.node(node).dataBucket()->view().epoch() == order.epoch().view().epoch();
    };
    QVERIFY(isFollowed());
    constexpr std::uint64_t kFirst = 71, kSecond = 72;
    listens(kFirst);
    QVERIFY(!isFollowed());
    listens(kFirst);
    listens(kSecond); // must not take the epoch that the first one may have taken
    QCOMPARE(reported, (std::vector<std::uint64_t> { 1, 1, 2 }));
    QVERIFY(!isFollowed());
    rig.cluster.run(6s); // neither has taken over
    QVERIFY(isFollowed());
    listens(kSecond);
    order.set_coordinator_epoch(3);
    QVERIFY(isFollowed());
    pb::Message asksAgain; // a coordinator with this epoch, from a process that had been silent
    asksAgain.set_sender(kSecond);
    asksAgain.mutable_from()->set_ip(std::uint32_t(kSecond));
    asksAgain.set_coordinator_epoch(3);
    asksAgain.mutable_report_state();
    rig.cluster.inject(node, asksAgain);
    rig.cluster.run(10ms);
    QVERIFY(isFollowed());
}

void TestCoordinatorListens::aLateCopyOfItsQuestionDoesNotPartItFromItsServers()
{
    // A process that answers follows no other coordinator for 5 s, and would have been declared failed meanwhile.
    FileRig rig(restartOptions(1));
    begin(rig);
    std::map<std::uint64_t, pb::Message> questions; // by the process that was asked
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_report_state() && packet.message->coordinator_epoch() == 0)
            questions.emplace(packet.to, *packet.message);
        return true;
    };
    restart(rig);
    checkAll(rig, 40);
    std::uint32_t failed = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) { failed += event.has_bucket_failed() ? 1 : 0; };
    QVERIFY(questions.size() > 4);
    for (const auto& [to, question] : questions)
        rig.cluster.inject(to, question);
    rig.cluster.run(10ms);
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return failed > 0 && rig.coordinator().isAtRest(); }, 4s));
    QCOMPARE(failed, 1u);
    checkAll(rig, 40);
}

void TestCoordinatorListens::whoGetsNoReportGivesNoNumbers()
{
    // The former coordinator ended while it created the file. Servers that were told of it report only that they live.
    FileRig rig(restartOptions(1));
    bool isConfirmed = false;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        isConfirmed = isConfirmed || packet.message->has_confirm();
        return packet.to != FileRig::kCoordinator || !isConfirmed;
    };
    QVERIFY(rig.cluster.runUntil([&] { return isConfirmed; }, 10s));
    QVERIFY(!rig.coordinator().file().exists());
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) { return !packet.message->has_state_report(); };
    restart(rig);
    rig.cluster.run(30s);
    QVERIFY(rig.coordinator().isListening());
    rig.cluster.onPacket = nullptr;
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.coordinator().file().coordinatorEpoch(), 2u);
}

void TestCoordinatorListens::whoHearsNobodyMakesNoFile()
{
    FileRig rig(restartOptions(1));
    begin(rig);
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) { return packet.to != FileRig::kCoordinator; };
    restart(rig);
    rig.cluster.run(30s);
    QVERIFY(rig.coordinator().isListening());
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
}

void TestCoordinatorListens::whoSleptWhileListeningListensAnew()
{
    // It had heard two buckets when it was stopped. When it goes on, its listening time is over; the others still live.
    FileRig rig(restartOptions(1));
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    std::set<std::uint64_t> heard;
    for (const std::uint32_t a : { 0u, 1u })
        heard.insert(rig.coordinator().file().data(BucketNumber(a))->holder.node.value);
    restart(rig);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != FileRig::kCoordinator || heard.contains(packet.message->sender());
    };
    rig.cluster.run(1s);
    std::uint32_t rebuilt = 0, listening = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        rebuilt += event.has_coordinator_rebuilt() ? event.coordinator_rebuilt().buckets() : 0;
        listening += event.has_coordinator_listening() ? 1 : 0;
    };
    rig.cluster.pause(FileRig::kCoordinator, 20s);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) { return packet.to != FileRig::kCoordinator; };
    rig.cluster.run(20s); // no room for the messages that arrived meanwhile
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
    QCOMPARE(listening, 1u);
    QCOMPARE(rebuilt, buckets);
}

void TestCoordinatorListens::aReportOfAFormerListeningIsNotTakenForTodays()
{
    // It was in transit while the next coordinator took over and the file grew: it says level 1, now it is level 2.
    FileRig rig(restartOptions(1));
    begin(rig);
    std::map<std::uint64_t, pb::Message> reports; // by the process that reports
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_state_report())
            reports.emplace(packet.message->sender(), *packet.message);
        return true;
    };
    restart(rig);
    checkAll(rig, 40);
    const std::uint64_t silent = rig.coordinator().file().data(BucketNumber(1))->holder.node.value;
    QVERIFY(reports.contains(silent));
    pb::Command split;
    split.mutable_force_split();
    while (rig.data(1)->level() == reports.at(silent).state_report().level()) {
        rig.cluster.command(FileRig::kCoordinator, split);
        rig.cluster.run(1s);
        QVERIFY(rig.waitForRest());
    }
    const std::uint32_t level = rig.data(1)->level();
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) { // of the silent one only the late report comes
        const pb::Message& message = *packet.message;
        const bool isLate = message.has_state_report() && message.state_report().level() < level;
        return packet.to != FileRig::kCoordinator || message.sender() != silent || isLate;
    };
    std::uint32_t rebuilt = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        rebuilt += event.has_coordinator_rebuilt() ? event.coordinator_rebuilt().buckets() : 0;
    };
    restart(rig);
    rig.cluster.run(100ms);
    rig.cluster.inject(FileRig::kCoordinator, reports.at(silent));
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 30s));
    QCOMPARE(rebuilt, buckets);
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
}

void TestCoordinatorListens::whoReportedLongAgoCountsAsSilent()
{
    // Two are silent and k = 1, so it keeps listening. One comes back, but the report of a third expired after 6 s.
    FileRig rig(restartOptions(1));
    begin(rig);
    std::vector<std::uint64_t> holders;
    for (const std::uint32_t a : { 0u, 1u, 2u })
        holders.push_back(rig.coordinator().file().data(BucketNumber(a))->holder.node.value);
    std::set<std::uint64_t> silent { holders[0], holders[1] };
    bool hasReported = false;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        hasReported = hasReported || (packet.message->has_state_report() && packet.message->sender() == holders[2]);
        return packet.to != FileRig::kCoordinator || !silent.contains(packet.message->sender());
    };
    restart(rig);
    QVERIFY(rig.cluster.runUntil([&] { return hasReported; }, 2s));
    rig.cluster.run(10ms);
    silent.insert(holders[2]);
    rig.cluster.run(6s);
    silent.erase(holders[0]);
    rig.cluster.run(2s);
    QVERIFY(rig.coordinator().isListening());
    silent.erase(holders[2]);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 1s));
    silent.clear();
    checkAll(rig, 40);
}

void TestCoordinatorListens::aTargetThatMissedTheCommitIsWaitedFor()
{
    // The target is alone in its group, and paused. The records that left the source are nowhere else.
    FileRig rig(restartOptions(0, 1));
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    std::uint64_t target = 0;
    bool isApplied = false;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_split())
            target = packet.message->split().target_holder().node();
        isApplied = isApplied || packet.message->has_applied();
        return packet.to != target || !packet.message->has_commit();
    };
    pb::Command split;
    split.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, split);
    QVERIFY(rig.cluster.runUntil([&] { return isApplied; }, 2s));
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.from != target && packet.to != target;
    };
    restart(rig);
    rig.cluster.run(5s);
    QVERIFY(rig.coordinator().isListening());
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
    QVERIFY(rig.coordinator().file().buckets() > buckets);
}

void TestCoordinatorListens::aNewGroupThatLostParityBeforeItsSplitEndedKeepsItsK()
{
    // The split is decided; the source misses its end. A parity bucket of the new group fails, and its successor is
    // incomplete when the coordinator is replaced: the next one finishes the split again.
    FileRig rig(restartOptions(2, 1));
    begin(rig);
    std::uint32_t target = 0;
    bool isDecided = false;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        isDecided = isDecided || packet.message->has_finish();
        return !packet.message->has_finish() && !packet.message->has_contents_done();
    };
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_split_committed())
            target = event.split_committed().new_bucket();
    };
    pb::Command split;
    split.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, split);
    QVERIFY(rig.cluster.runUntil([&] { return isDecided; }, 2s));
    rig.kill(rig.holder(pb::PARITY, target, 1));
    const auto isNewcomer = [](const pb::Member& m) {
        return m.role() == pb::PARITY && m.index() == 1 && m.state() == pb::INIT;
    };
    QVERIFY(
        rig.cluster.runUntil([&] { return std::ranges::any_of(rig.data(target)->view().members(), isNewcomer); }, 10s));
    rig.cluster.onEvent = nullptr;
    restart(rig);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
    QCOMPARE(rig.coordinator().file().groups().at(GroupNumber(target)).k, 2U);
    QCOMPARE(rig.coordinator().file().groups().at(GroupNumber(target)).parity.size(), std::size_t(2));
}

void TestCoordinatorListens::theTargetOfASplitTellsHowLargeALostFileWas()
{
    // Of a file of two buckets only the target of a split of bucket 0 is left. It has level 2: there was a bucket 1.
    FileRig::Options options = restartOptions(0, 2);
    options.config.set_parallel_splits(true);
    FileRig rig(options);
    begin(rig, 4);
    std::uint32_t target = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_split_ordered())
            target = event.split_ordered().new_bucket();
    };
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return !packet.message->has_prepared() || target != 2;
    };
    pb::Command split;
    split.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, split);
    QVERIFY(rig.cluster.runUntil([&] { return target == 1 && rig.coordinator().file().buckets() == 2; }, 2s));
    rig.cluster.run(1s);
    rig.cluster.command(FileRig::kCoordinator, split);
    QVERIFY(rig.cluster.runUntil([&] { return target == 2; }, 2s));
    for (const std::uint32_t bucket : { 0, 1 })
        rig.kill(rig.holder(pb::DATA, bucket / 2, bucket % 2));
    rig.cluster.onEvent = nullptr;
    restart(rig);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 60s));
    rig.cluster.run(1s);
    const FileState& file = rig.coordinator().file();
    QCOMPARE(file.image(), (FileImage { 1, 0 }));
    QCOMPARE(file.groups().size(), std::size_t(1));
    for (std::uint32_t bucket = 0; bucket < 2; ++bucket)
        QVERIFY(file.data(BucketNumber(bucket)) && file.data(BucketNumber(bucket))->state == pb::MEMBER_LOST);
}

void TestCoordinatorListens::aSpareThatNeverGotItsPlaceIsNotWaitedFor()
{
    // With recovery off all members must report; here one process reports no place, so it cannot.
    FileRig::Options options = restartOptions(2, 1);
    options.config.set_recovery(pb::RECOVERY_OFF);
    FileRig rig(options);
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    std::uint64_t left = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_confirm() && packet.message->confirm().role() == pb::PARITY && left == 0)
            left = packet.to;
        return packet.to != left || !packet.message->has_confirm();
    };
    pb::Command command;
    command.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(50ms);
    QVERIFY(left != 0);
    restart(rig);
    rig.cluster.onPacket = nullptr;
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 3s));
    checkAll(rig, 40);
    QVERIFY(rig.coordinator().file().buckets() - buckets <= 1);
}

void TestCoordinatorListens::aParityBucketThatWasNotToldSoIsNotCountedOn()
{
    // The new parity bucket is UP. The two others miss that epoch, go on without it, and die with the coordinator.
    FileRig rig(automatic(2));
    QVERIFY(hasItsFirstRecord(rig));
    const std::uint64_t data = rig.holder(pb::DATA, 0, 0), parity = rig.holder(pb::PARITY, 0, 0);
    const auto isUp = [](const pb::Member& m) {
        return m.role() == pb::PARITY && m.index() == 1 && m.state() == pb::UP;
    };
    std::uint64_t made = 0; // the new parity bucket, once it has been told that it is UP
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        const pb::Message& message = *packet.message;
        if ((packet.to == data || packet.to == parity) && message.has_epoch()
            && std::ranges::any_of(message.epoch().view().members(), isUp))
            return false;
        if (packet.to != data && packet.to != parity && message.has_epoch())
            made = packet.to;
        return made == 0 || packet.to != made || !message.has_delta();
    };
    rig.kill(rig.holder(pb::PARITY, 0, 1));
    QVERIFY(rig.cluster.runUntil(
        [&] { return made != 0 && rig.parity(0, 1) && rig.parity(0, 1)->state() == pb::UP; }, 10s));
    QCOMPARE(rig.operate(pb::INSERT, 2, "two").result(), pb::OK);
    rig.cluster.onPacket = nullptr;
    rig.kill(data);
    rig.kill(parity);
    restart(rig);
    pb::ResultCode found = pb::RETRY;
    for (int i = 0; i < 20 && found == pb::RETRY; ++i)
        found = rig.operate(pb::SEARCH, 2).result();
    QCOMPARE(found, pb::LOST);
}

void TestCoordinatorListens::kIsNotRaisedBeforeTheNewParityBucketKnows()
{
    // The data bucket counts on it. From then on all messages of the coordinator are lost, and an answer is missed.
    FileRig rig(automatic(1));
    QVERIFY(hasItsFirstRecord(rig));
    int added = 0, probes = 0;
    bool isMute = false;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) { added += event.has_parity_added() ? 1 : 0; };
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        isMute = isMute || packet.message->add_parity().is_counted_on();
        probes += isMute && packet.message->has_probe() ? 1 : 0;
        return !isMute || (packet.from != FileRig::kCoordinator && !packet.message->has_search());
    };
    rig.kill(rig.holder(pb::PARITY, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return isMute; }, 10s));
    QCOMPARE(rig.operate(pb::SEARCH, 1).result(), pb::RETRY);
    QVERIFY(probes >= 6);
    QCOMPARE(added, 0);
    rig.cluster.onPacket = nullptr;
    QVERIFY(rig.cluster.runUntil([&] { return added == 1; }, 10s));
    rig.waitForRest();
    // Now the data bucket can rely on it.
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QCOMPARE(rig.operate(pb::SEARCH, 1).value(), "one");
}

void TestCoordinatorListens::aNewParityBucketThatDiesBeforeItKnowsIsNotAdded()
{
    FileRig rig(automatic(1));
    QVERIFY(hasItsFirstRecord(rig));
    std::vector<std::string> told;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_parity_creation_ordered())
            told.emplace_back("ordered");
        else if (event.has_parity_creation_undone())
            told.emplace_back("undone");
        else if (event.has_parity_added())
            told.emplace_back("added");
    };
    std::uint64_t first = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->add_parity().is_counted_on() && first == 0)
            first = packet.to;
        return packet.to != first;
    };
    rig.kill(rig.holder(pb::PARITY, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return first != 0; }, 10s));
    rig.kill(first);
    QVERIFY(rig.cluster.runUntil([&] { return !told.empty() && told.back() == "added"; }, 10s));
    QCOMPARE(told, (std::vector<std::string> { "ordered", "undone", "ordered", "added" }));
    QVERIFY(rig.holder(pb::PARITY, 0, 0) != first);
    rig.waitForRest();
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QCOMPARE(rig.operate(pb::SEARCH, 1).value(), "one");
}

void TestCoordinatorListens::aFileOfWhichNothingIsHeardIsWaitedFor_data()
{
    QTest::addColumn<bool>("isGivenUp");
    QTest::newRow("until it is heard") << false;
    QTest::newRow("until a person gives it up") << true;
}

void TestCoordinatorListens::aFileOfWhichNothingIsHeardIsWaitedFor()
{
    // Spares answer, and have been told that there is a file: a second file would take its place.
    QFETCH(bool, isGivenUp);
    FileRig rig(restartOptions(1));
    begin(rig);
    const std::set<std::uint64_t> holders = holdersOf(rig);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != FileRig::kCoordinator || !holders.contains(packet.message->sender());
    };
    restart(rig);
    rig.cluster.run(60s);
    QVERIFY(rig.coordinator().isListening());
    QVERIFY(QString::fromStdString(rig.coordinator().underWay()).contains("none of its buckets is heard"));
    if (!isGivenUp) {
        rig.cluster.onPacket = nullptr;
        checkAll(rig, 40);
        return;
    }
    pb::Command command;
    command.mutable_acknowledge_loss();
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, command).refusal(), pb::NOT_REFUSED);
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.coordinator().file().buckets(), 1u);
}

void TestCoordinatorListens::bucketsOfAFileThatNobodyKnewOfAreLeftAlone()
{
    // Processes that know of the file are not heard at the start. The new file must not end any bucket of the old one.
    FileRig rig(restartOptions(1));
    std::set<std::uint64_t> knowing;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_registered() && packet.message->registered().file_exists())
            knowing.insert(packet.to);
        return true;
    };
    QVERIFY(rig.waitForFile());
    rig.cluster.run(10ms);
    const std::set<std::uint64_t> holders = holdersOf(rig);
    QVERIFY(std::includes(knowing.begin(), knowing.end(), holders.begin(), holders.end()));
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != FileRig::kCoordinator
            || (!knowing.contains(packet.message->sender()) && !holders.contains(packet.message->sender()));
    };
    restart(rig);
    for (const std::uint64_t number : { 300u, 301u, 302u }) { // these have just started and have not been told
        rig.addSpare(number, pb::DATA);
        rig.addSpare(number + 500, pb::PARITY);
    }
    QVERIFY(rig.cluster.runUntil([&] { return rig.coordinator().file().exists(); }, 30s));
    std::uint32_t told = 0;
    rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
        told += node == FileRig::kCoordinator && event.has_foreign_bucket() ? 1 : 0;
    };
    rig.cluster.onPacket = nullptr;
    rig.cluster.run(30s);
    QCOMPARE(told, std::uint32_t(holders.size())); // once for each
    for (const std::uint64_t node : holders)
        QVERIFY(rig.node(node).dataBucket() || rig.node(node).parityBucket());
}

void TestCoordinatorListens::aReplacementMakesNoFileWhoeverIsHeard()
{
    // Only newly started servers are heard. A second file would reuse the numbers of the first.
    FileRig rig(restartOptions(1));
    begin(rig);
    rig.cluster.kill(FileRig::kCoordinator);
    const auto isNew = [](std::uint64_t node) { return node >= 300 && node < FileRig::kClient && node % 500 >= 300; };
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != FileRig::kCoordinator || isNew(packet.message->sender());
    };
    std::uint32_t heard = 0, given = 0;
    rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
        heard += node >= 300 && event.has_process_started() ? 1 : 0;
        given += event.has_node_recruited() ? 1 : 0;
    };
    rig.startCoordinator(true, true);
    for (const std::uint64_t number : { 300u, 301u, 302u }) {
        rig.addSpare(number, pb::DATA);
        rig.addSpare(number + 500, pb::PARITY);
    }
    rig.cluster.run(30s);
    QCOMPARE(heard, 6u);
    QCOMPARE(given, 0u);
    QVERIFY(rig.coordinator().isFileSilent());
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
}

void TestCoordinatorListens::whoStartsElsewhereIsNotAnswered()
{
    // Clients and servers could not reach it if it took over.
    FileRig rig(restartOptions(1));
    begin(rig);
    bool isAnswered = false;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        isAnswered = isAnswered || packet.message->has_state_report();
        return true;
    };
    const std::uint64_t node = rig.coordinator().file().data(BucketNumber(0))->holder.node.value;
    pb::Message question;
    question.set_sender(4711);
    question.mutable_report_state();
    question.mutable_from()->set_ip(4711);
    rig.cluster.inject(node, question);
    rig.cluster.run(10ms);
    QVERIFY(!isAnswered);
    question.mutable_from()->set_ip(std::uint32_t(FileRig::kCoordinator));
    rig.cluster.inject(node, question);
    rig.cluster.run(10ms);
    QVERIFY(isAnswered);
}

QTEST_APPLESS_MAIN(TestCoordinatorListens)
#include "tst_coordinator_listens.moc"
