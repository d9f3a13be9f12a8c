// SPDX-License-Identifier: GPL-3.0-or-later
// More failures than the parity replaces: the loss is declared, never guessed at, limited to the group, and
// acknowledged by a person. Also the operator's command that starts a recovery.
#include "tests/rigs/core/file_check.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

FileRig::Options optionsOf(std::uint32_t k, pb::RecoveryWay way = pb::RECOVERY_AUTOMATIC)
{
    FileRig::Options options;
    options.config = fileConfig(2, k, 12);
    options.config.set_recovery(way);
    options.config.set_slice(3);
    options.dataSpares = 20;
    options.paritySpares = 20;
    return options;
}

constexpr std::uint64_t kRecords = 60;

pb::GroupState stateOf(FileRig& rig, std::uint32_t group)
{
    return rig.coordinator().file().groups().at(GroupNumber(group)).state;
}

std::uint32_t bucketOf(FileRig& rig, std::uint64_t key)
{
    return addressOf(Key(key), rig.coordinator().file().image()).value;
}

pb::CommandReply acknowledgeLoss(FileRig& rig, std::uint32_t group)
{
    pb::Command command;
    command.mutable_acknowledge_loss()->set_group(group);
    return rig.cluster.ask(FileRig::kCoordinator, command);
}

pb::CommandReply setRecovery(FileRig& rig, pb::RecoveryWay way)
{
    pb::Command command;
    command.mutable_set_recovery()->set_recovery(way);
    return rig.cluster.ask(FileRig::kCoordinator, command);
}

pb::Command recoverBy(std::uint32_t manager)
{
    pb::Command command;
    command.mutable_recover_group()->set_manager(manager + 1);
    return command;
}

} // namespace

class TestLoss : public QObject {
    Q_OBJECT

private slots:
    void oneMoreThanKIsLost_data();
    void oneMoreThanKIsLost();
    void aLossIsAcknowledgedOnlyWhenTheOldProcessesHaveEnded();
    void membersThatComeBackInTimeCountAsAlive();
    void aSlowNetworkLosesNoGroup_data();
    void aSlowNetworkLosesNoGroup();
    void theLossOutlivesTheCoordinator();
    void aParityBucketThatAllDataBucketsCountOnIsNoLoss();
    void replacedMembersAreNotTakenForTheGroup_data();
    void replacedMembersAreNotTakenForTheGroup();
    void recoveryByCommandWaitsForTheCommand();
    void theWayOfRecoveryIsChangedWhileTheFileLives();
    void theWayOfRecoveryOutlivesTheCoordinator_data();
    void theWayOfRecoveryOutlivesTheCoordinator();
    void aChangeThatABucketMayNotKnowIsNotCalledDone();
    void theOperatorChoosesTheRecoveryManager();
    void commandsThatCannotBeFollowedAreRefused();

private:
    static void begin(FileRig& rig)
    {
        QVERIFY(rig.waitForFile());
        QCOMPARE(rig.insertMany(kRecords, 30, 4).results().at("OK"), kRecords);
        QVERIFY(rig.waitForRest());
        QVERIFY(rig.coordinator().file().groups().size() >= 2);
    }
    static void checkWhole(FileRig& rig)
    {
        QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
        rig.cluster.run(1s);
        QCOMPARE(stateOf(rig, 0), pb::GROUP_UP);
        QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
    }
};

void TestLoss::oneMoreThanKIsLost_data()
{
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<bool>("isParityOneOfThem");
    QTest::addRow("k = 0") << 0u << false;
    QTest::addRow("k = 1, both data buckets") << 1u << false;
    QTest::addRow("k = 1, data and parity") << 1u << true;
    QTest::addRow("k = 2, a data bucket and all parity") << 2u << true;
}

void TestLoss::oneMoreThanKIsLost()
{
    QFETCH(const std::uint32_t, k);
    QFETCH(const bool, isParityOneOfThem);
    FileRig rig(optionsOf(k));
    begin(rig);
    std::vector<std::uint64_t> victims { rig.holder(pb::DATA, 0, 0) };
    if (isParityOneOfThem) {
        for (std::uint32_t p = 0; p < k; ++p)
            victims.push_back(rig.holder(pb::PARITY, 0, p));
    } else if (k == 1) {
        victims.push_back(rig.holder(pb::DATA, 0, 1));
    }
    std::set<std::uint32_t> lost { 0 };
    if (!isParityOneOfThem && k == 1)
        lost.insert(1);
    for (const std::uint64_t victim : victims)
        rig.kill(victim);
    // Without leases the loss is noticed only when a client misses a bucket.
    rig.operate(pb::SEARCH, 0);
    rig.cluster.run(5s);
    QVERIFY(stateOf(rig, 0) != pb::GROUP_LOST); // they might come back
    QVERIFY(rig.cluster.runUntil([&] { return stateOf(rig, 0) == pb::GROUP_LOST; }, 15s));
    rig.cluster.run(1s);
    for (std::uint64_t key = 0; key < kRecords; ++key) {
        const std::uint32_t bucket = bucketOf(rig, key);
        const bool isGroupLost = bucket < 2;
        QCOMPARE(rig.operate(pb::SEARCH, key).result(), lost.contains(bucket) ? pb::LOST : pb::OK);
        QCOMPARE(rig.operate(pb::UPDATE, key, "new").result(), isGroupLost ? pb::LOST : pb::OK);
    }
    // A key that was never inserted must not give NOT_FOUND there either.
    std::uint64_t strange = 1'000'000;
    while (bucketOf(rig, strange) != 0)
        ++strange;
    QCOMPARE(rig.operate(pb::SEARCH, strange).result(), pb::LOST);

    const pb::CommandReply reply = acknowledgeLoss(rig, 0);
    QCOMPARE(QString::fromStdString(reply.text()), QString());
    checkWhole(rig);
    for (std::uint64_t key = 0; key < kRecords; ++key) {
        const bool isGone = lost.contains(bucketOf(rig, key));
        QCOMPARE(rig.operate(pb::SEARCH, key).result(), isGone ? pb::NOT_FOUND : pb::OK);
        if (isGone)
            QCOMPARE(rig.operate(pb::INSERT, key, "again").result(), pb::OK);
    }
    checkWhole(rig);
}

void TestLoss::aLossIsAcknowledgedOnlyWhenTheOldProcessesHaveEnded()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    const std::uint64_t first = rig.holder(pb::DATA, 0, 0), second = rig.holder(pb::DATA, 0, 1);
    bool isCutOff = true;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        const bool isTheirs = packet.from == first || packet.from == second || packet.to == first
            || packet.to == second;
        // When they are back, their own messages are delayed: the coordinator must ask.
        return !isTheirs || (!isCutOff && !packet.message->has_alive());
    };
    QVERIFY(rig.cluster.runUntil([&] { return stateOf(rig, 0) == pb::GROUP_LOST; }, 20s));
    isCutOff = false;
    const pb::CommandReply refused = acknowledgeLoss(rig, 0);
    QCOMPARE(refused.refusal(), pb::REFUSED);
    QVERIFY2(QString::fromStdString(refused.text()).contains("still runs"), refused.text().c_str());
    rig.kill(first);
    rig.kill(second);
    rig.cluster.onPacket = nullptr;
    QCOMPARE(QString::fromStdString(acknowledgeLoss(rig, 0).text()), QString());
    checkWhole(rig);
}

void TestLoss::membersThatComeBackInTimeCountAsAlive()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    const std::uint64_t first = rig.holder(pb::DATA, 0, 0), second = rig.holder(pb::DATA, 0, 1);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.from != first && packet.from != second && packet.to != first && packet.to != second;
    };
    rig.cluster.run(8s);
    rig.cluster.onPacket = nullptr;
    checkWhole(rig);
    QCOMPARE(rig.verify().missing(), 0u);
    QCOMPARE(rig.holder(pb::DATA, 0, 0), first);
}

void TestLoss::aSlowNetworkLosesNoGroup_data()
{
    QTest::addColumn<int>("delay"); // one way, in ms
    QTest::newRow("30 ms") << 30;
    QTest::newRow("60 ms") << 60;
    QTest::newRow("200 ms") << 200;
    QTest::newRow("1 s") << 1000;
}

void TestLoss::aSlowNetworkLosesNoGroup()
{
    // All members answer, but too late for three probes within 90 ms. The cause is the network; no member of the group
    // is gone.
    QFETCH(int, delay);
    FileRig rig(optionsOf(2));
    begin(rig);
    std::map<std::string, int> told;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        told["lost"] += event.has_group_lost() ? 1 : 0;
        told["failed"] += event.has_bucket_failed() ? 1 : 0;
        told["suspected"] += event.has_member_suspected() ? 1 : 0;
    };
    rig.cluster.setDelay(std::chrono::milliseconds(delay));
    rig.cluster.run(60s);
    QCOMPARE(told["lost"], 0);
    QCOMPARE(told["failed"], 0);
    if (delay > 30)
        QVERIFY(told["suspected"] > 0);
    rig.cluster.setDelay(50us);
    QVERIFY2(rig.waitForRest(20s), rig.coordinator().underWay().c_str());
    // And a dead bucket is found as fast as ever.
    rig.cluster.run(11s);
    const Time since = rig.cluster.now();
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return told["failed"] > 0; }, 2s));
    QVERIFY(rig.cluster.now() - since < 500ms);
    QVERIFY2(rig.waitForRest(20s), rig.coordinator().underWay().c_str());
    const pb::WorkloadResult read = rig.verify();
    QCOMPARE(read.operations(), kRecords);
    QCOMPARE(read.wrong() + read.missing(), 0u);
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
}

void TestLoss::theLossOutlivesTheCoordinator()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    rig.kill(rig.holder(pb::DATA, 0, 0));
    rig.kill(rig.holder(pb::PARITY, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return stateOf(rig, 0) == pb::GROUP_LOST; }, 20s));
    rig.cluster.run(1s);
    rig.cluster.kill(FileRig::kCoordinator);
    rig.startCoordinator(true);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 5s));
    rig.cluster.run(1s);
    QCOMPARE(stateOf(rig, 0), pb::GROUP_LOST);
    QCOMPARE(rig.operate(pb::SEARCH, 0).result(), pb::LOST);
    QCOMPARE(acknowledgeLoss(rig, 0).refusal(), pb::NOT_REFUSED);
    checkWhole(rig);
}

void TestLoss::aParityBucketThatAllDataBucketsCountOnIsNoLoss()
{
    // The successor is complete. The other parity bucket has not heard of it when it ends together with a data bucket.
    // That is two failures, and k is 2. If the successor were taken back, there would be three.
    FileRig rig(optionsOf(2));
    begin(rig);
    const std::uint64_t other = rig.holder(pb::PARITY, 0, 0);
    const std::uint64_t former = rig.holder(pb::PARITY, 0, 1);
    const auto successor = [former](const pb::View& view) -> const pb::Member* {
        for (const pb::Member& member : view.members())
            if (member.role() == pb::PARITY && member.index() == 1 && member.state() == pb::UP
                && member.holder().node() != former)
                return &member;
        return nullptr;
    };
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != other || !packet.message->has_epoch() || !successor(packet.message->epoch().view());
    };
    rig.kill(former);
    QVERIFY(rig.cluster.runUntil(
        [&] { return rig.data(0) && successor(rig.data(0)->view()) && rig.data(1) && successor(rig.data(1)->view()); },
        30s));
    const std::uint64_t kept = successor(rig.data(0)->view())->holder().node();
    rig.cluster.run(20ms);
    rig.kill(other);
    rig.kill(rig.holder(pb::DATA, 0, 1));
    rig.cluster.onPacket = nullptr;
    rig.cluster.run(1s);
    QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
    QCOMPARE(stateOf(rig, 0), pb::GROUP_UP);
    QCOMPARE(rig.holder(pb::PARITY, 0, 1), kept);
    const pb::WorkloadResult read = rig.verify();
    QCOMPARE(read.operations(), kRecords);
    QCOMPARE(read.missing() + read.wrong(), 0u);
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
}

void TestLoss::replacedMembersAreNotTakenForTheGroup_data()
{
    QTest::addColumn<bool>("isParity");
    QTest::newRow("a data bucket") << false;
    QTest::newRow("a parity bucket") << true;
}

void TestLoss::replacedMembersAreNotTakenForTheGroup()
{
    // A member is cut off, replaced, and never told. Then all the others and the coordinator end: what is left of the
    // group is an old state. The group must be declared lost, and not recovered to that old state.
    QFETCH(const bool, isParity);
    FileRig::Options options = optionsOf(1);
    options.config.set_m(1);
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(8, 30, 1).results().at("OK"), 8u);
    const pb::Role role = isParity ? pb::PARITY : pb::DATA;
    const std::uint64_t former = rig.holder(role, 0, 0);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != former && packet.message->sender() != former;
    };
    const auto isReplaced = [&] {
        return stateOf(rig, 0) == pb::GROUP_UP && rig.coordinator().isAtRest() && rig.holder(role, 0, 0) != former;
    };
    rig.operate(pb::SEARCH, 0);
    QVERIFY(rig.cluster.runUntil(isReplaced, 30s));
    QCOMPARE(rig.insertMany(3, 30, 1).results().at("OK"), 3u);
    rig.cluster.run(1s); // the spares report that they live, and are told of the file
    for (const pb::Role member : { pb::DATA, pb::PARITY })
        rig.kill(rig.holder(member, 0, 0));
    rig.cluster.kill(FileRig::kCoordinator);
    rig.cluster.onPacket = nullptr;
    rig.startCoordinator(true);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
    QVERIFY(rig.cluster.runUntil([&] { return stateOf(rig, 0) == pb::GROUP_LOST; }, 30s));
    QCOMPARE(rig.verify().results().at("LOST"), 11u);
}

void TestLoss::recoveryByCommandWaitsForTheCommand()
{
    FileRig rig(optionsOf(1, pb::RECOVERY_MANUAL));
    begin(rig);
    rig.kill(rig.holder(pb::DATA, 0, 0));
    rig.cluster.run(5s);
    QCOMPARE(rig.operate(pb::SEARCH, 0).result(), pb::RETRY);
    QCOMPARE(stateOf(rig, 0), pb::GROUP_UP); // the failure is not noticed yet
    pb::Command command;
    command.mutable_recover_group()->set_all(true);
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, command).refusal(), pb::NOT_REFUSED);
    checkWhole(rig);
    QCOMPARE(rig.verify().missing(), 0u);
}

void TestLoss::theWayOfRecoveryIsChangedWhileTheFileLives()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    const pb::CommandReply changed = setRecovery(rig, pb::RECOVERY_MANUAL);
    QVERIFY2(changed.has_recovery(), changed.text().c_str());
    QCOMPARE(changed.recovery().former(), pb::RECOVERY_AUTOMATIC);
    QCOMPARE(setRecovery(rig, pb::RECOVERY_MANUAL).recovery().former(), pb::RECOVERY_MANUAL); // nothing to change
    const std::uint64_t former = rig.holder(pb::DATA, 0, 0);
    rig.kill(former);
    rig.cluster.run(3s);
    QCOMPARE(stateOf(rig, 0), pb::GROUP_UP); // the failure is not noticed yet
    // No answer is needed from a bucket that is declared failed.
    QVERIFY(setRecovery(rig, pb::RECOVERY_AUTOMATIC).has_recovery());
    QVERIFY(rig.cluster.runUntil(
        [&] { return rig.coordinator().isAtRest() && rig.holder(pb::DATA, 0, 0) != former; }, 30s));
    checkWhole(rig);
    QCOMPARE(rig.verify().missing(), 0u);
}

void TestLoss::theWayOfRecoveryOutlivesTheCoordinator_data()
{
    QTest::addColumn<bool>("dies");
    QTest::newRow("all members live") << false;
    QTest::newRow("k members of each group die with it") << true;
}

void TestLoss::theWayOfRecoveryOutlivesTheCoordinator()
{
    QFETCH(const bool, dies);
    FileRig rig(optionsOf(1));
    begin(rig);
    QVERIFY(setRecovery(rig, pb::RECOVERY_ON_ALARM).has_recovery());
    QVERIFY(setRecovery(rig, pb::RECOVERY_MANUAL).has_recovery());
    if (dies)
        for (std::uint32_t g = 0; g < rig.coordinator().file().groups().size(); ++g)
            rig.kill(rig.holder(pb::DATA, g, 0));
    for (int life = 0; life < 2; ++life) { // a restarted coordinator keeps the setting
        rig.cluster.kill(FileRig::kCoordinator);
        rig.startCoordinator(true);
        QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
        QCOMPARE(rig.coordinator().file().config().recovery(), pb::RECOVERY_MANUAL);
        QVERIFY(rig.waitForRest()); // the start replaces each process that was silent meanwhile
    }
    QVERIFY(setRecovery(rig, pb::RECOVERY_AUTOMATIC).has_recovery()); // a new command overrides the remembered setting
    rig.cluster.kill(FileRig::kCoordinator);
    rig.startCoordinator(true);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
    QCOMPARE(rig.coordinator().file().config().recovery(), pb::RECOVERY_AUTOMATIC);
    checkWhole(rig);
    QCOMPARE(rig.verify().missing(), 0u);
}

void TestLoss::aChangeThatABucketMayNotKnowIsNotCalledDone()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    const std::uint64_t deaf = rig.holder(pb::PARITY, 0, 0);
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return packet.to != deaf || !packet.message->has_registered();
    };
    const pb::CommandReply told = setRecovery(rig, pb::RECOVERY_ON_ALARM);
    QCOMPARE(told.refusal(), pb::TIMED_OUT);
    QVERIFY2(QString::fromStdString(told.text()).contains("1 buckets have not said"), told.text().c_str());
    QCOMPARE(rig.coordinator().file().config().recovery(), pb::RECOVERY_ON_ALARM);
    rig.cluster.onPacket = nullptr; // now the bucket is told again
    QVERIFY(setRecovery(rig, pb::RECOVERY_ON_ALARM).has_recovery());
    QCOMPARE(setRecovery(rig, pb::RECOVERY_OFF).refusal(), pb::BAD_ARGUMENT);
    FileRig off(optionsOf(1, pb::RECOVERY_OFF));
    begin(off);
    QVERIFY(QString::fromStdString(setRecovery(off, pb::RECOVERY_MANUAL).text()).contains("no leases"));
}

void TestLoss::theOperatorChoosesTheRecoveryManager()
{
    FileRig rig(optionsOf(2, pb::RECOVERY_MANUAL));
    begin(rig);
    std::vector<std::uint32_t> managers;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_recovery_started())
            managers.push_back(event.recovery_started().manager());
    };
    for (const std::uint32_t wanted : { 1u, 0u }) {
        rig.kill(rig.holder(pb::DATA, 0, 1));
        QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, recoverBy(wanted)).refusal(), pb::NOT_REFUSED);
        checkWhole(rig);
    }
    QCOMPARE(managers, (std::vector<std::uint32_t> { 1, 0 }));
    QVERIFY(QString::fromStdString(rig.cluster.ask(FileRig::kCoordinator, recoverBy(2)).text())
                .contains("parity bucket 0.2 does not exist"));
    // The requested manager has failed unnoticed: another parity bucket does the recovery, and the events say so.
    rig.kill(rig.holder(pb::DATA, 0, 1));
    rig.kill(rig.holder(pb::PARITY, 0, 0));
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, recoverBy(0)).refusal(), pb::NOT_REFUSED);
    checkWhole(rig);
    QCOMPARE(managers.back(), 1u);
    QCOMPARE(rig.verify().missing(), 0u);
}

void TestLoss::commandsThatCannotBeFollowedAreRefused()
{
    FileRig rig(optionsOf(1));
    begin(rig);
    QVERIFY(QString::fromStdString(acknowledgeLoss(rig, 0).text()).contains("not lost"));
    QVERIFY(QString::fromStdString(acknowledgeLoss(rig, 77).text()).contains("no group 77"));
    FileRig off(optionsOf(1, pb::RECOVERY_OFF));
    begin(off);
    QVERIFY(QString::fromStdString(acknowledgeLoss(off, 0).text()).contains("--recovery"));
}

QTEST_APPLESS_MAIN(TestLoss)
#include "tst_loss.moc"
