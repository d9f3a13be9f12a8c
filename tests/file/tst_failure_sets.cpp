// SPDX-License-Identifier: GPL-3.0-or-later
// Every set of at most k members of a group that can fail together (m = 4, k = 1, 2, 3: 5, 21 and 63 sets), in five
// phases of the file's life: nothing acknowledged is lost, and the group becomes whole again.
#include "tests/rigs/core/file_check.h"

#include <QTest>

#include <bit>

using namespace lhrs;
using namespace lhrs::test;

namespace {

enum class Phase { Idle, Burst, Split, Creation, Recovery };

FileRig::Options optionsOf(std::uint32_t k)
{
    FileRig::Options options;
    options.config = fileConfig(4, k, 12);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(3);
    options.dataSpares = 12;
    options.paritySpares = 14;
    return options;
}

// The processes of the set. Bits 0..3: data positions, 4..: parity columns.
std::vector<std::uint64_t> victimsOf(FileRig& rig, std::uint32_t set)
{
    std::vector<std::uint64_t> victims;
    for (std::uint32_t bit = 0; bit < 7; ++bit) {
        if (set >> bit & 1)
            victims.push_back(bit < 4 ? rig.holder(pb::DATA, 0, bit) : rig.holder(pb::PARITY, 0, bit - 4));
    }
    return victims;
}

std::string words(std::uint32_t set)
{
    std::string text;
    for (std::uint32_t bit = 0; bit < 7; ++bit) {
        if (set >> bit & 1)
            text += (text.empty() ? "" : " ") + std::string(bit < 4 ? "D" : "P")
                + std::to_string(bit < 4 ? bit : bit - 4);
    }
    return text;
}

} // namespace

class TestFailureSets : public QObject {
    Q_OBJECT

private slots:
    void nothingIsLost_data();
    void nothingIsLost();
    void cleanupTestCase() { std::printf("failure sets: %d/%d\n", m_held, m_all); }

private:
    int m_all = 0, m_held = 0;
};

void TestFailureSets::nothingIsLost_data()
{
    QTest::addColumn<std::uint32_t>("k");
    QTest::addColumn<std::uint32_t>("set");
    QTest::addColumn<int>("phase");
    for (const auto& [phase, name] :
        { std::pair(Phase::Idle, "idle"), std::pair(Phase::Burst, "burst"), std::pair(Phase::Split, "split"),
            std::pair(Phase::Creation, "creation"), std::pair(Phase::Recovery, "recovery") }) {
        for (std::uint32_t k = 1; k <= 3; ++k) {
            for (std::uint32_t set = 1; set < 1u << (4 + k); ++set) {
                if (std::uint32_t(std::popcount(set)) <= k)
                    QTest::addRow("%s, k = %u: %s", name, k, words(set).c_str()) << k << set << int(phase);
            }
        }
    }
}

void TestFailureSets::nothingIsLost()
{
    QFETCH(const std::uint32_t, k);
    QFETCH(const std::uint32_t, set);
    QFETCH(const int, phase);
    ++m_all;
    FileRig rig(optionsOf(k));
    if (qEnvironmentVariableIsSet("LHRS_TRACE")) { // for tracing the cause of a failure
        rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
            if (!event.has_gauges() && !event.has_operation_started() && !event.has_operation_done()
                && !event.has_record_inserted())
                std::printf("%9.3f ms  %4llu  %s\n", double(rig.cluster.now().count()) / 1e6,
                    static_cast<unsigned long long>(node), event.ShortDebugString().substr(0, 300).c_str());
        };
    }
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(40, 30, 4).results().at("OK"), 40u);
    QVERIFY(rig.waitForRest());
    QVERIFY(rig.coordinator().file().buckets() >= 4);
    std::uint64_t answered = 0; // ticket of the command that runs meanwhile
    pb::Command command;
    switch (Phase(phase)) {
    case Phase::Idle:
    case Phase::Recovery: break;
    case Phase::Burst: {
        auto* order = command.mutable_run_workload();
        order->set_keys(pb::PRESENT);
        order->set_count(400);
        order->set_length(50);
        order->set_window(4);
        order->set_seed(set);
        for (const std::uint32_t weight : { 0u, 60u, 20u, 20u })
            order->add_mix(weight);
        answered = rig.cluster.command(FileRig::kClient, command);
        rig.cluster.run(20ms);
        QVERIFY(!rig.cluster.reply(answered));
        break;
    }
    case Phase::Split:
        command.mutable_force_split();
        answered = rig.cluster.command(FileRig::kCoordinator, command);
        rig.cluster.run(set * 37us); // another step of it for each set
        break;
    case Phase::Creation:
        command.mutable_raise_availability()->set_availability(k + 1);
        rig.cluster.ask(FileRig::kCoordinator, command);
        command.mutable_create_parity()->set_group(0);
        answered = rig.cluster.command(FileRig::kCoordinator, command);
        rig.cluster.run(set * 37us);
        break;
    }
    std::vector<std::uint64_t> victims = victimsOf(rig, set);
    if (Phase(phase) == Phase::Recovery) { // the first failure is already noticed when the others follow
        rig.kill(victims.front());
        victims.erase(victims.begin());
        rig.cluster.run(235ms + set * 97us);
    }
    for (const std::uint64_t victim : victims)
        rig.kill(victim);
    if (answered != 0)
        QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(answered) != nullptr; }, 60s));
    rig.cluster.heal();
    rig.cluster.run(1s);
    QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
    QCOMPARE(rig.coordinator().file().groups().at(GroupNumber(0)).state, pb::GROUP_UP);
    QVERIFY(rig.coordinator().file().groups().at(GroupNumber(0)).k >= k);
    const pb::WorkloadResult read = rig.verify();
    QCOMPARE(read.wrong(), 0u);
    QCOMPARE(read.missing(), 0u);
    rig.cluster.run(1s);
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
    ++m_held;
}

QTEST_APPLESS_MAIN(TestFailureSets)
#include "tst_failure_sets.moc"
