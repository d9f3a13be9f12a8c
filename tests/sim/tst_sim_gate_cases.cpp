// SPDX-License-Identifier: GPL-3.0-or-later
// Cases of the swarm, with their own failures, while gates are closed again and again: everything that the oracle
// checks holds.
#include "node/sim/engine/sim_control.h"
#include "node/sim/lhrs/simulation.h"
#include "node/sim/lhrs/swarm.h"

#include <QTest>

#include <chrono>
#include <string>
#include <vector>

using namespace lhrs;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kCaseSeeds = 4'500'100;
constexpr std::uint64_t kCases = 30;

// During a case of the swarm, closes the gates again and again, lets messages through, drops some, and opens the gates.
struct Gater {
    SimCluster& cluster;
    Generator draw;
    std::uint64_t released = 0, dropped = 0, closed = 0;

    void close()
    {
        cluster.closeGates(1'000);
        ++closed;
        cluster.after(std::chrono::milliseconds(1 + draw.below(40)), [this] { poke(int(draw.below(8))); });
    }
    void poke(int more)
    {
        std::vector<const SimProcess*> gated;
        for (const auto& process : cluster.processes())
            if (!process->isGone() && process->isGated() && process->pausedUntil() <= cluster.now())
                gated.push_back(process.get());
        for (const SimProcess* process : gated) {
            if (process->isGone() || !process->isGated() || cluster.failure())
                continue;
            const bool isDropped = draw.chance(50);
            if (draw.chance(600) && cluster.release(*process, 0, isDropped))
                ++(isDropped ? dropped : released);
        }
        if (more > 0) {
            cluster.after(std::chrono::milliseconds(1 + draw.below(5)), [this, more] { poke(more - 1); });
            return;
        }
        cluster.openGates("released");
        cluster.after(std::chrono::milliseconds(100 + draw.below(400)), [this] { close(); });
    }
};

} // namespace

class SimGateCasesTest : public QObject {
    Q_OBJECT

private slots:
    void theOracleHasNothingToSay_data();
    void theOracleHasNothingToSay();
    void aCaseHasNoGate();
};

void SimGateCasesTest::theOracleHasNothingToSay_data()
{
    QTest::addColumn<quint64>("seed");
    for (std::uint64_t seed = kCaseSeeds; seed < kCaseSeeds + kCases; ++seed)
        QTest::newRow(std::to_string(seed).c_str()) << quint64(seed);
}

void SimGateCasesTest::theOracleHasNothingToSay()
{
    QFETCH(const quint64, seed);
    Simulation simulation(drawCase(seed));
    Gater gater { simulation.steeredCluster(), Generator(seed, DrawnFor::Order) };
    simulation.steeredCluster().after(50ms, [&gater] { gater.close(); });
    const bool held = simulation.run();
    QVERIFY2(held, simulation.failure() ? simulation.failure()->text.c_str() : "it did not come to its end");
    QVERIFY(gater.closed > 0 && gater.released > 0);
}

void SimGateCasesTest::aCaseHasNoGate()
{
    Simulation simulation(drawCase(kCaseSeeds));
    SimClock clock;
    pb::CommandReply last;
    SimControl control(simulation.steeredCluster(), clock, { 1, 1, "e", "c", [](Time at) { return at.count(); } },
        [&last](pb::CommandReply& reply) { last = reply; });
    control.watch("a case");
    simulation.steeredCluster().after(50ms, [&] {
        pb::Command command;
        command.mutable_set_gate()->set_is_closed(true);
        control.command(command, {});
    });
    QVERIFY(simulation.run());
    QCOMPARE(last.refusal(), pb::REFUSED);
    QVERIFY(last.text().find("watched, not operated") != std::string::npos);
    QVERIFY(!simulation.cluster().isGated());
}

QTEST_APPLESS_MAIN(SimGateCasesTest)
#include "tst_sim_gate_cases.moc"
