// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator ends without notice, at any moment, and another one starts that knows nothing. The file stays the
// same, every reconfiguration under way is finished or undone, and nothing acknowledged is lost.
#include "tests/file/restart_check.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// Everything that the coordinator must rebuild, as text.
std::string knowledge(const FileState& file)
{
    std::string text = "i=" + std::to_string(file.image().i) + " n=" + std::to_string(file.image().n)
        + " K=" + std::to_string(file.availability());
    for (const auto& [g, group] : file.groups()) {
        text += "\ngroup " + std::to_string(g.value) + " k=" + std::to_string(group.k) + " state "
            + std::to_string(group.state);
        for (const auto& [q, member] : group.data)
            text += " D" + std::to_string(q.value) + ":" + std::to_string(member.holder.node.value) + "/"
                + std::to_string(member.holder.incarnation.value) + " level " + std::to_string(member.level) + " state "
                + std::to_string(member.state);
        for (const auto& [p, member] : group.parity)
            text += " P" + std::to_string(p.value) + ":" + std::to_string(member.holder.node.value) + "/"
                + std::to_string(member.holder.incarnation.value) + " state " + std::to_string(member.state);
    }
    return text;
}

} // namespace

class TestRestart : public QObject {
    Q_OBJECT

private slots:
    void theFileIsTheSame();
    void keyOperationsGoOnMeanwhile();
    void aFreshFileIsCreatedWhereNobodyHoldsABucket();
    void aSplitIsFinishedOrUndone_data();
    void aSplitIsFinishedOrUndone();
    void theCoordinatorDiesAfterTheFirstCommit();
    void aSourceThatWasSilentIsToldThatItsSplitIsOver();
    void parityCreationIsUndoneOrKept_data();
    void parityCreationIsUndoneOrKept();
    void aRecoveryStartsOver_data();
    void aRecoveryStartsOver();
    void whatASplitLeftIsSettledBeforeACutIsAgreedOn();
    void theCoordinatorAndAnySetDieTogether_data();
    void theCoordinatorAndAnySetDieTogether();
    void anOverloadReportOutlivesTheCoordinator();
    void twoCoordinators();
    void clientsKeepTheirKeys();
};

void TestRestart::theFileIsTheSame()
{
    for (const std::uint32_t m : { 1u, 2u, 4u }) {
        FileRig::Options options = restartOptions(2, m);
        options.paritySpares = 40;
        FileRig rig(options);
        begin(rig, 90);
        const std::string before = knowledge(rig.coordinator().file());
        QVERIFY(rig.coordinator().file().buckets() >= 6);
        restart(rig, 3s);
        checkAll(rig, 90);
        QCOMPARE(QString::fromStdString(knowledge(rig.coordinator().file())), QString::fromStdString(before));
        QCOMPARE(rig.coordinator().file().coordinatorEpoch(), 2u);
        // And it continues to grow.
        QCOMPARE(rig.insertMany(40, 30, 4).results().at("OK"), 40u);
        checkAll(rig, 130);
        restart(rig);
        checkAll(rig, 130);
        QCOMPARE(rig.coordinator().file().coordinatorEpoch(), 3u);
    }
}

void TestRestart::keyOperationsGoOnMeanwhile()
{
    FileRig rig(restartOptions(1));
    begin(rig);
    rig.cluster.kill(FileRig::kCoordinator);
    rig.cluster.run(60s);
    const Time since = rig.cluster.now();
    QCOMPARE(rig.verify().missing(), 0u);
    QCOMPARE(rig.operate(pb::UPDATE, 1, "while it is away").result(), pb::OK);
    QVERIFY(rig.cluster.now() - since < 100ms); // no process waited
    rig.startCoordinator(true);
    checkAll(rig, 40);
    QCOMPARE(rig.operate(pb::SEARCH, 1).value(), std::string("while it is away"));
}

void TestRestart::aFreshFileIsCreatedWhereNobodyHoldsABucket()
{
    FileRig rig(restartOptions(1));
    rig.cluster.kill(FileRig::kCoordinator);
    rig.startCoordinator(true);
    QVERIFY(rig.cluster.runUntil([&] { return rig.coordinator().file().exists(); }, 10s));
    QCOMPARE(rig.coordinator().file().coordinatorEpoch(), 1u);
}

void TestRestart::aSplitIsFinishedOrUndone_data()
{
    QTest::addColumn<std::uint32_t>("m");
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<int>("after");
    // A split takes about 2 ms here: some of these moments fall on each of its messages.
    for (const std::uint32_t m : { 1u, 4u }) {
        for (const std::uint32_t k : { 0u, 1u, 2u }) {
            for (int after = 0; after < 2'400; after += 60)
                QTest::addRow("m = %u, k = %u, after %d us", m, k, after) << m << k << after;
        }
    }
}

void TestRestart::aSplitIsFinishedOrUndone()
{
    QFETCH(const std::uint32_t, m);
    QFETCH(const std::uint32_t, k);
    QFETCH(const int, after);
    FileRig::Options options = restartOptions(k, m);
    options.paritySpares = 40;
    FileRig rig(options);
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    pb::Command command;
    command.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(std::chrono::microseconds(after));
    restart(rig);
    checkAll(rig, 40);
    QVERIFY(rig.coordinator().file().buckets() - buckets <= 1);
    QCOMPARE(rig.insertMany(30, 30, 4).results().at("OK"), 30u);
    checkAll(rig, 70);
}

void TestRestart::theCoordinatorDiesAfterTheFirstCommit()
{
    // H10: the coordinator ends alone, and together with the only receiver.
    for (const bool isReceiverDead : { false, true }) {
        FileRig rig(restartOptions(1));
        begin(rig);
        const std::uint32_t buckets = rig.coordinator().file().buckets();
        pb::Command command;
        command.mutable_force_split();
        std::uint64_t receiver = 0;
        rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
            if (!packet.message->has_commit())
                return true;
            if (receiver == 0)
                receiver = packet.to;
            return packet.to == receiver; // the others never receive it
        };
        rig.cluster.command(FileRig::kCoordinator, command);
        QVERIFY(rig.cluster.runUntil([&] { return receiver != 0; }, 5s));
        rig.cluster.kill(FileRig::kCoordinator);
        rig.cluster.run(5ms);
        if (isReceiverDead)
            rig.kill(receiver);
        rig.cluster.onPacket = nullptr;
        rig.startCoordinator(true);
        checkAll(rig, 40);
        QCOMPARE(rig.coordinator().file().buckets(), buckets + 1); // all had prepared
    }
}

void TestRestart::aSourceThatWasSilentIsToldThatItsSplitIsOver()
{
    // All others have carried it out, so the next coordinator need not deal with the split. But the source still has
    // its copies, and takes no other order.
    FileRig rig(restartOptions(1));
    begin(rig);
    const std::uint32_t buckets = rig.coordinator().file().buckets(), n = rig.coordinator().file().image().n;
    const std::uint64_t source = rig.coordinator().file().data(BucketNumber(n))->holder.node.value;
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) { return !packet.message->has_finish(); };
    pb::Command command;
    command.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(20ms);
    QCOMPARE(rig.coordinator().file().buckets(), buckets + 1);
    QCOMPARE(rig.data(buckets)->state(), pb::UP);
    QVERIFY(!rig.coordinator().isAtRest());
    rig.cluster.onPacket = [source](const MemoryCluster::Packet& packet) { // it still answers a probe
        return packet.to != FileRig::kCoordinator || packet.message->sender() != source
            || packet.message->has_probe_reply();
    };
    restart(rig);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
    rig.cluster.run(100ms);
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 40);
    QCOMPARE(rig.coordinator().file().data(BucketNumber(n))->holder.node.value, source);
    for (std::uint32_t split = 0; split < 2 * buckets; ++split) // until this bucket splits again
        rig.cluster.command(FileRig::kCoordinator, command);
    checkAll(rig, 40);
    QCOMPARE(rig.coordinator().file().buckets(), 3 * buckets + 1);
}

void TestRestart::parityCreationIsUndoneOrKept_data()
{
    QTest::addColumn<int>("after");
    for (int after = 0; after < 1'800; after += 60)
        QTest::addRow("after %d us", after) << after;
}

void TestRestart::parityCreationIsUndoneOrKept()
{
    QFETCH(const int, after);
    FileRig rig(restartOptions(1));
    begin(rig);
    pb::Command command;
    command.mutable_raise_availability()->set_availability(2);
    rig.cluster.ask(FileRig::kCoordinator, command);
    command.mutable_create_parity()->set_group(0);
    rig.cluster.command(FileRig::kCoordinator, command);
    rig.cluster.run(std::chrono::microseconds(after));
    restart(rig);
    checkAll(rig, 40);
    const std::uint32_t k = rig.coordinator().file().groups().at(GroupNumber(0)).k;
    QVERIFY(k == 1 || k == 2);
}

void TestRestart::aRecoveryStartsOver_data()
{
    QTest::addColumn<int>("after");
    for (int after = 0; after < 900; after += 20)
        QTest::addRow("after %d ms", after) << after;
}

void TestRestart::aRecoveryStartsOver()
{
    QFETCH(const int, after);
    FileRig rig(restartOptions(2));
    begin(rig);
    const std::uint64_t data = rig.holder(pb::DATA, 0, 1), parity = rig.holder(pb::PARITY, 0, 0);
    rig.kill(data);
    rig.kill(parity);
    rig.cluster.run(std::chrono::milliseconds(after));
    restart(rig);
    checkAll(rig, 40);
    QCOMPARE(rig.coordinator().file().groups().at(GroupNumber(0)).k, 2u);
}

void TestRestart::whatASplitLeftIsSettledBeforeACutIsAgreedOn()
{
    // The source is gone after the decision, its group is frozen for the cut, and the target waits for the fence. Then
    // the coordinator and the target end. There is no cut yet for the target's batch, which its parity buckets hold
    // undecided.
    FileRig rig(restartOptions(2));
    begin(rig, 18);
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    QVERIFY(buckets > 1 && buckets < 4); // source and target are of one group
    const std::uint64_t source
        = rig.coordinator().file().data(BucketNumber(rig.coordinator().file().image().n))->holder.node.value;
    bool isDecided = false, isFrozen = false;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        isDecided |= event.has_split_committed();
        isFrozen |= event.has_epoch_changed() && event.epoch_changed().view().state() == pb::GROUP_FROZEN;
    };
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        return !packet.message->has_commit() || packet.to != source;
    };
    pb::Command command;
    command.mutable_force_split();
    rig.cluster.command(FileRig::kCoordinator, command);
    QVERIFY(rig.cluster.runUntil([&] { return isDecided; }, 5s));
    rig.kill(source);
    QVERIFY(rig.cluster.runUntil([&] { return isFrozen; }, 5s));
    const std::uint64_t target = rig.coordinator().file().data(BucketNumber(buckets))->holder.node.value;
    rig.cluster.kill(FileRig::kCoordinator);
    rig.kill(target);
    rig.cluster.onPacket = nullptr;
    rig.startCoordinator(true);
    checkAll(rig, 18);
    QCOMPARE(rig.coordinator().file().buckets(), buckets + 1);
}

void TestRestart::theCoordinatorAndAnySetDieTogether_data()
{
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<std::uint32_t>("set");
    QTest::addColumn<bool>("isSplitting");
    for (const bool isSplitting : { false, true }) {
        for (std::uint32_t k = 1; k <= 3; ++k) {
            for (std::uint32_t set = 1; set < 1u << (4 + k); ++set) {
                if (std::uint32_t(std::popcount(set)) <= k)
                    QTest::addRow("k = %u, set %u%s", k, set, isSplitting ? ", splitting" : "")
                        << k << set << isSplitting;
            }
        }
    }
}

void TestRestart::theCoordinatorAndAnySetDieTogether()
{
    QFETCH(const std::uint32_t, k);
    QFETCH(const std::uint32_t, set);
    QFETCH(const bool, isSplitting);
    FileRig rig(restartOptions(k));
    begin(rig);
    if (isSplitting) {
        pb::Command command;
        command.mutable_force_split();
        rig.cluster.command(FileRig::kCoordinator, command);
        rig.cluster.run(set * 19us + 300us);
    }
    std::vector<std::uint64_t> victims;
    for (std::uint32_t bit = 0; bit < 7; ++bit) {
        if (set >> bit & 1)
            victims.push_back(bit < 4 ? rig.holder(pb::DATA, 0, bit) : rig.holder(pb::PARITY, 0, bit - 4));
    }
    rig.cluster.kill(FileRig::kCoordinator);
    for (const std::uint64_t victim : victims)
        rig.kill(victim);
    rig.startCoordinator(true);
    checkAll(rig, 40);
    QVERIFY(rig.coordinator().file().groups().at(GroupNumber(0)).k >= k);
}

void TestRestart::anOverloadReportOutlivesTheCoordinator()
{
    // H17: a bucket has more than b records, and its report is lost with the coordinator.
    FileRig rig(restartOptions(1));
    rig.cluster.onPacket = [](const MemoryCluster::Packet& packet) { return !packet.message->has_split(); };
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(20, 30, 1).results().at("OK"), 20u);
    QVERIFY(rig.coordinator().growth().owed() > 0 || !rig.coordinator().growth().isIdle());
    restart(rig);
    rig.cluster.onPacket = nullptr;
    checkAll(rig, 20);
    QVERIFY(rig.coordinator().file().buckets() >= 2);
    // Two reports of one overload are one debt.
    QVERIFY(rig.coordinator().file().buckets() <= 3);
}

void TestRestart::twoCoordinators()
{
    // H21: the old one was only paused. Its orders and invitations are refused, and it is told the newer epoch.
    FileRig rig(restartOptions(1));
    begin(rig);
    constexpr std::uint64_t kOld = 2;
    FileRig::Options options = restartOptions(1);
    restart(rig);
    checkAll(rig, 40);
    // An order of the former coordinator, as it would arrive after the pause.
    const FileState::MemberInfo& member = *rig.coordinator().file().data(BucketNumber(0));
    std::uint64_t refused = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_superseded() && packet.to == kOld)
            refused = packet.message->superseded().coordinator_epoch();
        return true;
    };
    pb::Message order;
    order.set_id(4711);
    order.set_sender(kOld);
    order.mutable_from()->set_ip(kOld);
    order.set_coordinator_epoch(1);
    *order.mutable_epoch()->mutable_view() = rig.coordinator().file().view(GroupNumber(0));
    order.mutable_epoch()->mutable_view()->set_epoch(order.epoch().view().epoch() + 7);
    rig.cluster.inject(member.holder.node.value, order);
    rig.cluster.run(10ms);
    QCOMPARE(refused, 2u);
    QVERIFY(rig.data(0)->view().epoch() < order.epoch().view().epoch());
    // A coordinator that is told of a newer one stops acting.
    pb::Message word;
    word.set_sender(member.holder.node.value);
    word.mutable_superseded()->set_coordinator_epoch(9);
    rig.cluster.inject(FileRig::kCoordinator, word);
    rig.cluster.run(10ms);
    QVERIFY(rig.coordinator().isSuperseded());
    pb::Command command;
    command.mutable_force_split();
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, command).refusal(), pb::REFUSED);
}

void TestRestart::clientsKeepTheirKeys()
{
    FileRig rig(restartOptions(1));
    begin(rig);
    restart(rig);
    checkAll(rig, 40);
    rig.addClient(FileRig::kClient + 1);
    QVERIFY(rig.cluster.runUntil([&] { return rig.client(FileRig::kClient + 1).isRegistered(); }, 5s));
    QCOMPARE(rig.insertMany(10, 30, 1, FileRig::kClient + 1).results().at("OK"), 10u); // and not EXISTS
}

QTEST_APPLESS_MAIN(TestRestart)
#include "tst_restart.moc"
