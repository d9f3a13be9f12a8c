// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that the coordinator lists: all that it has heard while it listened, and for each place its current
// holder.
#include "node/machine/known_processes.h"
#include "tests/rigs/core/coordinator_rig.h"

#include <QTest>

#include <algorithm>
#include <limits>
#include <optional>

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
    void thereIsRoomForSoManyClients();
    void noTwoClientsHaveOneOrdinal();
    void whileItListensSilentClientsAreForgottenToo();
    void aClientThatIsOneTooManyIsTurnedAway();
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

void TestDirectory::thereIsRoomForSoManyClients()
{
    KnownProcesses<KnownProcess> known;
    for (std::uint64_t node = 1; node <= kClientsMax; ++node) {
        const pb::ProcessInfo client = process(node, pb::CLIENT);
        QVERIFY(known.hasRoomFor(client));
        known.learn(client, Time(node));
    }
    const pb::ProcessInfo further = process(kClientsMax + 1, pb::CLIENT), server = process(kClientsMax + 2, pb::NODE);
    QVERIFY(!known.hasRoomFor(further));
    QVERIFY(known.hasRoomFor(process(7, pb::CLIENT))); // is known
    QVERIFY(known.hasRoomFor(server)); // clients take no server's room
    known.learn(server, Time(1));
    known.learn(process(7, pb::CLIENT), Time(1)); // is not counted twice
    known.eraseIf([](NodeId node, const KnownProcess&) { return node.value == 3 || node.value > kClientsMax; });
    QVERIFY(known.hasRoomFor(further));
    KnownProcess& last = known.learn(further, Time(1)).first;
    QVERIFY(!known.hasRoomFor(process(3, pb::CLIENT)));

    QCOMPARE(last.ordinal, std::uint32_t(kClientsMax));
}

void TestDirectory::noTwoClientsHaveOneOrdinal()
{
    KnownProcesses<KnownProcess> known;
    const auto learn = [&known](std::uint64_t node) -> KnownProcess& {
        return known.learn(process(node, pb::CLIENT), Time(1)).first;
    };
    KnownProcess& first = learn(1);
    QCOMPARE(first.ordinal, 0u);
    known.setOrdinal(first, 17);
    QCOMPARE(learn(2).ordinal, 18u);
    // Whatever one claims, the next ones count on: after this one nothing would be left.
    known.setOrdinal(first, std::numeric_limits<std::uint32_t>::max());
    QCOMPARE(learn(3).ordinal, 19u);
    // Beyond the bound, too, none is given that is held.
    known.setOrdinal(first, kOrdinalMax + 1);
    KnownProcess& second = learn(4);
    known.setOrdinal(second, kOrdinalMax);
    QCOMPARE(learn(5).ordinal, kOrdinalMax + 2);
}

void TestDirectory::whileItListensSilentClientsAreForgottenToo()
{
    // It listens until a server is heard, and here none is.
    const pb::ProcessInfo self = process(1, pb::COORDINATOR);
    CoordinatorOptions options;
    options.self = self;
    options.config = fileConfig(4, 1);
    options.listensFirst = true;
    Coordinator coordinator(options);
    Driven driven(coordinator, self);
    driven.pass(0ns);
    const auto says = [&](std::uint64_t node, bool registers) {
        Peer client(node);
        pb::Message message = client.message();
        *(registers ? message.mutable_register_()->mutable_process() : message.mutable_alive()->mutable_process())
            = process(node, pb::CLIENT);
        const auto answers = driven.message(message).of(Body::kRegistered, node);
        return !answers.empty() && answers.front().message.registered().too_many_clients();
    };
    constexpr std::uint64_t kFirst = 100'000, kFurther = kFirst + kClientsMax;
    for (std::uint64_t i = 0; i < kClientsMax; ++i)
        says(kFirst + i, false);
    QVERIFY(says(kFurther, true));
    driven.pass(15s);
    QVERIFY(!says(kFurther, true));
}

void TestDirectory::aClientThatIsOneTooManyIsTurnedAway()
{
    CoordinatorRig rig(fileConfig(4, 1), 2, 2);
    const auto registers = [&rig](std::uint64_t node, pb::ProcessKind kind) {
        Peer peer(node);
        pb::Message registration = peer.message();
        *registration.mutable_register_()->mutable_process() = process(node, kind);
        const auto answers = rig.say(registration).of(Body::kRegistered, node);
        return answers.empty() ? std::optional<pb::Registered>() : answers.front().message.registered();
    };
    constexpr std::uint64_t kFirst = 100'000;
    for (std::uint64_t i = 0; i < kClientsMax; ++i) {
        const auto answer = registers(kFirst + i, pb::CLIENT);
        QVERIFY(answer && !answer->too_many_clients());
    }
    const std::uint64_t further = kFirst + kClientsMax;
    const auto answer = registers(further, pb::CLIENT);
    QVERIFY(answer && answer->too_many_clients());
    Peer silent(further);
    pb::Message alive = silent.message();
    *alive.mutable_alive()->mutable_process() = process(further, pb::CLIENT);
    QVERIFY(rig.say(alive).sent.empty());
    const auto isListed = [&rig](std::uint64_t node) {
        const pb::ProcessList listed = list(rig);
        return std::any_of(listed.processes().begin(), listed.processes().end(),
            [node](const auto& row) { return row.process().node() == node; });
    };
    QVERIFY(!isListed(further));
    QVERIFY(isListed(kFirst));

    const auto server = registers(5'000, pb::NODE);
    QVERIFY(server && !server->too_many_clients());
    QVERIFY(isListed(5'000));

    rig.pass(15s); // the clients are silent, and are forgotten
    const auto later = registers(further, pb::CLIENT);
    QVERIFY(later && !later->too_many_clients());
}

QTEST_APPLESS_MAIN(TestDirectory)
#include "tst_directory.moc"
