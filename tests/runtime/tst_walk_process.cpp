// SPDX-License-Identifier: GPL-3.0-or-later
// A ring that walks as real processes: the master, nodes and a client, commanded as an operator commands them.
#include "tests/runtime/process_rig.h"

#include <QTest>

#include <csignal>
#include <functional>
#include <memory>

using namespace lhrs;
using namespace lhrs::test;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kKeys = 200;

struct LiveRing {
    LiveRing(int nodesAtStart, int processes)
        : master(
            "lhrs-coordinator", { "--system", "walk", "--name", "master", "--nodes", QString::number(nodesAtStart) })
    {
        isReady = master.isReady();
        const QString address = QString::fromStdString(master.at("udp"));
        for (int i = 1; i <= processes; ++i)
            nodes.push_back(std::make_unique<Program>("lhrs-node",
                QStringList { "--system", "walk", "--coordinator", address, "--name", QString("node-%1").arg(i) }));
        for (const auto& node : nodes)
            isReady = isReady && node->isReady();
        client = std::make_unique<Program>(
            "lhrs-client", QStringList { "--system", "walk", "--coordinator", address, "--name", "alice" });
        isReady = isReady && client->isReady();
        toMaster = std::make_unique<ControlSocket>(master.at("control"));
        toClient = std::make_unique<ControlSocket>(client->at("control"));
    }

    pb::RingDescription ring()
    {
        pb::Command command;
        command.mutable_walk()->mutable_describe_ring();
        const auto reply = toMaster->call(command);
        return reply ? reply->walk().ring() : pb::RingDescription();
    }
    bool until(const std::function<bool(const pb::RingDescription&)>& holds)
    {
        return QTest::qWaitFor([&] { return holds(ring()); }, 20'000);
    }
    // The program of a node of the ring.
    Program* programOf(std::uint64_t process)
    {
        for (const auto& node : nodes) {
            const auto reply = ControlSocket(node->at("control")).call(who());
            if (reply && reply->process().node() == process)
                return node.get();
        }
        return nullptr;
    }
    std::optional<pb::CommandReply> change(bool isJoin, std::uint64_t node)
    {
        pb::Command command;
        if (isJoin)
            command.mutable_walk()->mutable_join_ring()->set_node(node);
        else
            command.mutable_walk()->mutable_leave_ring()->set_node(node);
        return toMaster->call(command);
    }
    pb::LookUpResult lookUp(std::uint64_t key, std::uint64_t via)
    {
        pb::Command command;
        command.mutable_walk()->mutable_look_up()->set_key(key);
        command.mutable_walk()->mutable_look_up()->set_via(via);
        const auto reply = toClient->call(command);
        return reply ? reply->walk().looked_up() : pb::LookUpResult();
    }
    pb::WorkloadResult run(pb::OperationKind kind, std::uint64_t count)
    {
        pb::Command command;
        pb::RunWorkload& workload = *command.mutable_run_workload();
        workload.set_kind(kind);
        workload.set_count(count);
        workload.set_keys(pb::LISTED);
        workload.set_length(16);
        workload.set_window(8);
        for (std::uint64_t key = 0; key < count; ++key)
            workload.add_key_list(key);
        std::optional<pb::CommandReply> reply;
        const auto isTaken = [&] { // refused until the master has answered the client's registration
            reply = toClient->call(command);
            return !reply || reply->refusal() != pb::REFUSED;
        };
        if (!QTest::qWaitFor(isTaken, 20'000) || !reply || reply->refusal() != pb::NOT_REFUSED)
            qWarning("no workload: %s", reply ? reply->text().c_str() : "no answer in time");
        return reply ? reply->workload() : pb::WorkloadResult();
    }

    Program master;
    std::vector<std::unique_ptr<Program>> nodes;
    std::unique_ptr<Program> client;
    std::unique_ptr<ControlSocket> toMaster, toClient;
    bool isReady = false;
};

} // namespace

class WalkProcessTest : public QObject {
    Q_OBJECT
private slots:
    void eachKeyIsFoundFromEachNode();
    void aLeaveAndAJoinLoseNothing();
    void aNodeThatSleepsIsWaitedFor();
    void aNodeThatEndsIsToldLoudly();
};

void WalkProcessTest::eachKeyIsFoundFromEachNode()
{
    LiveRing live(5, 5);
    QVERIFY(live.isReady);
    QVERIFY(live.until([](const pb::RingDescription& ring) { return ring.ring_size() == 5 && ring.at_rest(); }));
    const pb::WorkloadResult written = live.run(pb::INSERT, kKeys);
    QCOMPARE(written.results().count("OK") != 0 ? written.results().at("OK") : 0, kKeys);
    const pb::RingDescription ring = live.ring();
    std::uint64_t steps = 0;
    for (const pb::WalkNode& node : ring.ring())
        for (std::uint64_t key = 0; key < kKeys; ++key) {
            const pb::LookUpResult found = live.lookUp(key, node.node());
            QCOMPARE(found.result(), pb::OK);
            steps += found.steps();
        }
    // From all five nodes a key is 0, 1, 2, 3 and 4 steps away: (N - 1) / 2 on average, exactly.
    QCOMPARE(steps, kKeys * (0 + 1 + 2 + 3 + 4));
    QCOMPARE(live.lookUp(kKeys + 1, 0).result(), pb::NOT_FOUND);
}

void WalkProcessTest::aLeaveAndAJoinLoseNothing()
{
    LiveRing live(4, 5);
    QVERIFY(live.isReady);
    QVERIFY(live.until([](const pb::RingDescription& ring) {
        return ring.ring_size() == 4 && ring.spares_size() == 1 && ring.at_rest();
    }));
    QCOMPARE(live.run(pb::INSERT, kKeys).operations(), kKeys);
    pb::Command load; // while the ring changes
    load.set_ticket(5);
    load.mutable_run_workload()->set_kind(pb::UPDATE);
    load.mutable_run_workload()->set_count(20'000);
    load.mutable_run_workload()->set_length(16);
    load.mutable_run_workload()->set_window(8);
    load.mutable_run_workload()->set_key_space(kKeys);
    load.mutable_run_workload()->set_keys(pb::PRESENT);
    live.toClient->send(load);
    const std::uint64_t leaver = live.ring().ring(1).node(), joiner = live.ring().spares(0);
    const auto left = live.change(false, leaver);
    QVERIFY(left && left->refusal() == pb::NOT_REFUSED);
    QVERIFY2(left->walk().change().undone().empty(), left->walk().change().undone().c_str());
    const auto joined = live.change(true, joiner);
    QVERIFY(joined && joined->refusal() == pb::NOT_REFUSED);
    QVERIFY2(joined->walk().change().undone().empty(), joined->walk().change().undone().c_str());
    const auto loaded = live.toClient->receive(60s);
    QVERIFY(loaded.has_value());
    QCOMPARE(loaded->workload().unanswered(), std::uint64_t(0));
    const pb::RingDescription ring = live.ring();
    QCOMPARE(ring.ring_size(), 4);
    QCOMPARE(ring.spares_size(), 1);
    pb::Command verify;
    verify.mutable_verify();
    const auto verified = live.toClient->call(verify);
    QVERIFY(verified.has_value());
    QCOMPARE(verified->workload().wrong() + verified->workload().missing() + verified->workload().unanswered(),
        std::uint64_t(0));
    for (const pb::WalkNode& node : ring.ring())
        for (std::uint64_t key = 0; key < kKeys; key += 7)
            QCOMPARE(live.lookUp(key, node.node()).result(), pb::OK);
}

// Its range can have no other owner meanwhile, because a range moves only with the help of its owner.
void WalkProcessTest::aNodeThatSleepsIsWaitedFor()
{
    LiveRing live(3, 3);
    QVERIFY(live.isReady);
    QVERIFY(live.until([](const pb::RingDescription& ring) { return ring.ring_size() == 3 && ring.at_rest(); }));
    QCOMPARE(live.run(pb::INSERT, kKeys).operations(), kKeys);
    Program* const sleeper = live.programOf(live.ring().ring(0).node());
    QVERIFY(sleeper != nullptr);
    QVERIFY(sleeper->signal(SIGSTOP));
    QVERIFY(live.until([](const pb::RingDescription& ring) { return !ring.broken().empty(); }));
    QVERIFY(sleeper->signal(SIGCONT));
    QVERIFY(live.until([](const pb::RingDescription& ring) { return ring.broken().empty() && ring.at_rest(); }));
    for (std::uint64_t key = 0; key < kKeys; ++key)
        QCOMPARE(live.lookUp(key, 0).result(), pb::OK);
}

// The walk keeps one copy of each key. It reports that keys are gone, and accepts no further changes.
void WalkProcessTest::aNodeThatEndsIsToldLoudly()
{
    LiveRing live(3, 4);
    QVERIFY(live.isReady);
    QVERIFY(live.until([](const pb::RingDescription& ring) {
        return ring.ring_size() == 3 && ring.spares_size() == 1 && ring.at_rest();
    }));
    Watcher watcher(live.master.at("events"));
    Program* const victim = live.programOf(live.ring().ring(2).node());
    QVERIFY(victim != nullptr);
    QVERIFY(victim->signal(SIGKILL));
    QVERIFY(watcher.hears([](const pb::Event& event) { return event.walk().has_ring_node_lost(); }));
    const pb::RingDescription ring = live.ring();
    QVERIFY2(QString::fromStdString(ring.broken()).contains("node-"), ring.broken().c_str());
    const auto joined = live.change(true, 0);
    QVERIFY(joined && joined->refusal() != pb::NOT_REFUSED);
    QVERIFY2(QString::fromStdString(joined->text()).contains("broken")
            || QString::fromStdString(joined->text()).contains("ended"),
        joined->text().c_str());
}

QTEST_GUILESS_MAIN(WalkProcessTest)
#include "tst_walk_process.moc"
