// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator alone: what it does to messages, clocks and processes.
#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"
#include "node/sim/engine/sim_cluster.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

using namespace lhrs;

namespace {

// A machine of the test: it sends numbered messages to the next process, and keeps what it receives.
class Echo : public Machine {
public:
    explicit Echo(std::uint32_t to, std::uint32_t count, Way way) : m_to(to), m_left(count), m_way(way) { }
    void onMessage(const pb::Message& message, Time now, Effects&) override
    {
        received.push_back(message.id());
        at.push_back(now);
    }
    void onCommand(const pb::Command& command, Time, Effects& out) override { out.reply(command.ticket()); }
    void onTime(Time now, Effects& out) override
    {
        if (m_left > 0) {
            --m_left;
            pb::Message& message = out.send(Address { m_to, 0, 0 }, m_way);
            message.set_id(++m_id);
            message.mutable_ack();
            out.event().mutable_bucket_overflowed()->set_count(std::uint32_t(m_id));
        }
        m_next = m_left > 0 ? now + std::chrono::milliseconds(1) : Time::max();
    }
    Time deadline() const override { return m_next; }
    void snapshot(pb::Snapshot&) const override { }
    void gauges(pb::Gauges&) const override { }

    std::vector<std::uint64_t> received;
    std::vector<Time> at;

private:
    std::uint32_t m_to;
    std::uint32_t m_left;
    Way m_way;
    std::uint64_t m_id = 0;
    Time m_next {};
};

struct TwoProcesses {
    explicit TwoProcesses(const SimCluster::Options& options, Way way, std::uint32_t messages = 1000) : cluster(options)
    {
        auto sender = std::make_unique<Echo>(2, messages, way);
        auto receiver = std::make_unique<Echo>(1, 0, way);
        from = sender.get();
        to = receiver.get();
        cluster.start(cluster.identity(pb::NODE, "from", pb::NO_ROLE), std::move(sender));
        cluster.start(cluster.identity(pb::NODE, "to", pb::NO_ROLE), std::move(receiver));
        cluster.runUntil([] { return false; }, std::chrono::minutes(5));
    }
    SimCluster cluster;
    Echo* from = nullptr;
    Echo* to = nullptr;
};

} // namespace

class TestSimCluster : public QObject {
    Q_OBJECT

private slots:
    void aDatagramMayBeLostDoubledAndReordered();
    void aStreamIsOrderedAndReliable();
    void clocksDriftAndNeverRunBackwards();
    void aFailedCheckEndsTheRunAndNotTheProcess();
    void aKilledProcessIsGoneAndAPausedOneIsLate();
    void nothingPassesBetweenPartedProcesses();
    void theTimeOfSixteenNodesAtRestIsTold();
};

void TestSimCluster::aDatagramMayBeLostDoubledAndReordered()
{
    SimCluster::Options options;
    options.network.set_loss(200);
    options.network.set_duplicates(300);
    options.network.set_jitter_us(5000);
    const TwoProcesses run(options, Way::Auto);
    std::vector<std::uint64_t> sorted = run.to->received;
    QVERIFY(!std::is_sorted(sorted.begin(), sorted.end()));
    std::sort(sorted.begin(), sorted.end());
    const auto copies = std::ptrdiff_t(sorted.size());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    const auto different = std::ptrdiff_t(sorted.size());
    QVERIFY(different > 750 && different < 850);
    QVERIFY(copies - different > 180 && copies - different < 300);
}

void TestSimCluster::aStreamIsOrderedAndReliable()
{
    SimCluster::Options options;
    options.network.set_loss(300);
    options.network.set_duplicates(500);
    options.network.set_jitter_us(20000);
    const TwoProcesses run(options, Way::Stream);
    QCOMPARE(run.to->received.size(), std::size_t(1000));
    for (std::uint64_t i = 0; i < 1000; ++i)
        QCOMPARE(run.to->received[i], i + 1);
}

void TestSimCluster::clocksDriftAndNeverRunBackwards()
{
    SimCluster::Options options;
    options.driftPpmMax = 50'000;
    options.seed = 3;
    const TwoProcesses run(options, Way::Auto);
    QVERIFY(std::is_sorted(run.to->at.begin(), run.to->at.end()));
    // 1,000 messages, one per millisecond of the sender's clock, timed by the receiver's clock: neither clock is exact.
    const Time span = run.to->at.back() - run.to->at.front();
    QVERIFY(span != std::chrono::milliseconds(999));
    QVERIFY(span > std::chrono::milliseconds(890) && span < std::chrono::milliseconds(1110));
}

void TestSimCluster::aFailedCheckEndsTheRunAndNotTheProcess()
{
    class Doubter : public Echo {
    public:
        Doubter() : Echo(1, 0, Way::Auto) { }
        void onTime(Time, Effects&) override { LHRS_CHECK(received.size() > 7); }
    };
    SimCluster cluster({});
    cluster.start(cluster.identity(pb::NODE, "doubter", pb::NO_ROLE), std::make_unique<Doubter>());
    QVERIFY(!cluster.runUntil([] { return false; }, std::chrono::seconds(1)));
    QVERIFY(cluster.failure() && cluster.failure()->find("received.size() > 7") != std::string::npos);
}

void TestSimCluster::aKilledProcessIsGoneAndAPausedOneIsLate()
{
    SimCluster cluster({});
    auto sender = std::make_unique<Echo>(2, 1000, Way::Auto);
    auto receiver = std::make_unique<Echo>(1, 0, Way::Auto);
    const Echo& to = *receiver;
    cluster.start(cluster.identity(pb::NODE, "from", pb::NO_ROLE), std::move(sender));
    cluster.start(cluster.identity(pb::NODE, "to", pb::NO_ROLE), std::move(receiver));
    cluster.runUntil([&] { return to.received.size() == 100; }, std::chrono::minutes(1));
    cluster.pause(2, std::chrono::milliseconds(200));
    const Time before = cluster.now();
    cluster.runUntil([&] { return to.received.size() == 101; }, std::chrono::minutes(1));
    QVERIFY(cluster.now() - before >= std::chrono::milliseconds(200));
    cluster.runUntil([&] { return to.received.size() == 400; }, std::chrono::minutes(1));
    QVERIFY(std::is_sorted(to.received.begin(), to.received.end())); // waiting messages arrive in their order
    const SimProcess& killed = *cluster.processes().front();
    cluster.kill(killed.index);
    QVERIFY(killed.isGone());
    const std::size_t count = to.received.size();
    cluster.runUntil([] { return false; }, std::chrono::minutes(1));
    QVERIFY(to.received.size() <= count + 1); // one may have been under way
}

void TestSimCluster::nothingPassesBetweenPartedProcesses()
{
    for (const Way way : { Way::Auto, Way::Stream }) {
        SimCluster cluster({});
        auto sender = std::make_unique<Echo>(2, 1000, way);
        auto receiver = std::make_unique<Echo>(1, 0, way);
        const Echo& to = *receiver;
        cluster.start(cluster.identity(pb::NODE, "from", pb::NO_ROLE), std::move(sender));
        cluster.start(cluster.identity(pb::NODE, "to", pb::NO_ROLE), std::move(receiver));
        cluster.runUntil([&] { return to.received.size() == 100; }, std::chrono::minutes(1));
        cluster.part({ { 1 }, { 2 }, cluster.now() + std::chrono::milliseconds(300) });
        cluster.runUntil([] { return false; }, std::chrono::milliseconds(299));
        QVERIFY(to.received.size() <= 101);
        cluster.runUntil([] { return false; }, std::chrono::minutes(1));
        QVERIFY(to.received.size() > 690 && to.received.size() < 1000);
        QVERIFY(std::is_sorted(to.received.begin(), to.received.end()));
    }
}

// The speed is printed and not checked: no test depends on it.
void TestSimCluster::theTimeOfSixteenNodesAtRestIsTold()
{
    SimCluster cluster({});
    CoordinatorOptions options;
    options.self = cluster.identity(pb::COORDINATOR, "coordinator", pb::NO_ROLE);
    options.config.set_m(4);
    options.config.set_availability(1);
    options.config.set_b(100);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    auto machine = std::make_unique<Coordinator>(options);
    const Coordinator& coordinator = *machine;
    const SimProcess& process = cluster.start(options.self, std::move(machine));
    for (int i = 0; i < 16; ++i) {
        NodeOptions node;
        node.pool = i < 12 ? pb::DATA : pb::PARITY;
        node.self = cluster.identity(pb::NODE, "node", node.pool);
        node.coordinator = Address::from(options.self.address());
        cluster.start(node.self, std::make_unique<NodeMachine>(node));
    }
    QVERIFY(cluster.runUntil([&] { return coordinator.file().exists(); }, std::chrono::minutes(1)));
    for (int i = 0; i < 11; ++i) {
        pb::Command command;
        command.mutable_force_split();
        cluster.command(process, std::move(command), [](const pb::CommandReply&) {});
    }
    QVERIFY(cluster.runUntil(
        [&] { return coordinator.file().buckets() == 12 && coordinator.isAtRest(); }, std::chrono::minutes(1)));
    const auto started = std::chrono::steady_clock::now();
    cluster.runUntil([] { return false; }, std::chrono::minutes(2));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    qInfo("16 nodes at rest: %.0f virtual seconds per second", 120 / seconds);
    QVERIFY(coordinator.isAtRest());
}

QTEST_APPLESS_MAIN(TestSimCluster)
#include "tst_sim_cluster.moc"
