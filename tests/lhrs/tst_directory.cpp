// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that the coordinator lists: all that it has heard while it listened, and for each place its current
// holder.
#include "tests/rigs/core/coordinator_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

pb::ProcessList list(CoordinatorRig& rig)
{
    pb::Command command;
    command.mutable_list_processes();
    rig.command(command);
    return rig.replyOf().processes();
}

std::uint32_t dataSpares(CoordinatorRig& rig)
{
    pb::Command command;
    command.mutable_describe_file();
    rig.command(command);
    return rig.replyOf().file().data_spares();
}

} // namespace

class TestDirectory : public QObject {
    Q_OBJECT

private slots:
    void whoStoodStillItselfForgetsNobody();
    void aPlaceIsListedWithWhoHoldsItNow();
};

void TestDirectory::whoStoodStillItselfForgetsNobody()
{
    // The machine was suspended, and the coordinator wakes up first.
    CoordinatorRig rig(fileConfig(4, 1), 2, 2);
    Peer client(1000);
    pb::Message registration = client.message();
    *registration.mutable_register_()->mutable_process() = process(1000, pb::CLIENT);
    rig.say(registration);
    rig.pass(1s);
    Effects out;
    rig.coordinator.onTime(rig.driven.now() + 600s, out); // one step, long after it was due
    rig.pass(600s);
    const auto silence = [&rig] {
        for (const pb::ProcessList listed = list(rig); const auto& row : listed.processes())
            if (row.process().node() == 1000)
                return std::int64_t(row.silent_ms());
        return std::int64_t(-1);
    };
    QVERIFY2(silence() >= 900 && silence() <= 2'000, std::to_string(silence()).c_str());
    rig.pass(5s);
    QVERIFY(silence() >= 5'000); // silence while the coordinator is awake counts as usual
    rig.pass(10s);
    QCOMPARE(silence(), -1);
}

void TestDirectory::aPlaceIsListedWithWhoHoldsItNow()
{
    CoordinatorRig rig(fileConfig(4, 1), 3, 2);
    const auto holders = [&rig] {
        std::vector<std::uint64_t> nodes;
        for (const pb::ProcessList listed = list(rig); const auto& row : listed.processes())
            if (row.place().role() == pb::DATA && row.place().number() == 0)
                nodes.push_back(row.process().node());
        return nodes;
    };
    const std::vector<std::uint64_t> first = holders();
    QCOMPARE(first.size(), std::size_t(1));
    Peer successor(4000);
    pb::Message message = successor.message();
    *message.mutable_alive()->mutable_process() = process(4000, pb::NODE, pb::DATA);
    message.mutable_alive()->set_role(pb::DATA);
    message.mutable_alive()->set_incarnation(std::uint64_t(1) << 40); // later than the first
    rig.say(message);
    QCOMPARE(holders(), (std::vector<std::uint64_t> { 4000 }));
    rig.alive(first.front()); // the former holder does not know of the change yet; it is no spare
    QCOMPARE(holders(), (std::vector<std::uint64_t> { 4000 }));
    const std::uint32_t spares = dataSpares(rig);
    rig.pass(20s); // it has ended
    QCOMPARE(holders(), (std::vector<std::uint64_t> { 4000 }));
    QVERIFY(dataSpares(rig) <= spares);
}

QTEST_APPLESS_MAIN(TestDirectory)
#include "tst_directory.moc"
