// SPDX-License-Identifier: GPL-3.0-or-later
// The coordinator machine alone: directory, recruiting, file creation, commands. Splits and parity creation are in
// tst_growth.cpp.
#include "tests/rigs/core/coordinator_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

pb::Message registration(Peer& sender, const pb::ProcessInfo& info)
{
    pb::Message message = sender.message();
    *message.mutable_register_()->mutable_process() = info;
    return message;
}

pb::Command listProcesses()
{
    pb::Command command;
    command.mutable_list_processes();
    return command;
}

pb::FileDescription describe(CoordinatorRig& rig)
{
    pb::Command command;
    command.mutable_describe_file();
    rig.command(command);
    return rig.replyOf().file();
}

// Times of the multicast invitations within this time, in ms.
std::vector<std::int64_t> invitations(CoordinatorRig& rig, Time time)
{
    std::vector<std::int64_t> at;
    for (const Time end = rig.driven.now() + time; rig.driven.now() < end;) {
        for (const auto& [pool, message] : rig.pass(1ms).multicasts) {
            if (pool == pb::DATA)
                at.push_back(rig.driven.now() / 1ms);
        }
    }
    return at;
}

} // namespace

class TestCoordinator : public QObject {
    Q_OBJECT

private slots:
    void aProcessThatRegistersIsToldTheFile();
    void silentProcessesLeaveTheDirectoryUnlessTheyHoldAPlace();
    void aSpareMayBeSilentAsLongAsTheTimersLetItBe();

    void theFileStartsWithOneDataBucketAndKParityBuckets_data();
    void theFileStartsWithOneDataBucketAndKParityBuckets();
    void theFirstOffersAreTakenAndTheOthersCancelled();
    void lateOffersAreCancelled();
    void anOfferThatComesTwiceIsOneOffer();
    void tooFewOffersInviteAgainLessAndLessOften();
    void anOldOfferCountsNoMore();
    void theMembersOfAGroupAreSpreadOverTheHosts_data();
    void theMembersOfAGroupAreSpreadOverTheHosts();
    void aHostWithFewerMembersIsWaitedForOnce();
    void withoutMulticastTheRegistryIsUsedAndSaid();
    void theRegistryMayBeWanted();
    void aMissingSpareIsSaidForItsPool();
    void aMissingSpareIsSaidAgainWhileItLasts();
    void aConfirmationThatIsNotAnsweredStartsOver();
    void incarnationsAreNeverUsedTwice();

    void whereABucketIs();
    void anAlarmIsAnsweredWithTheTrueLocation();
    void whoHoldsNoPlaceAnyMoreIsToldSo();

    void commandsForOthersAreRefused();
    void theDescriptionSaysWhatThereIs();
    void aSplitIsRefusedBeforeTheFileExists();
    void theAvailabilityCanBeRaisedWithinItsBounds();
    void restIsAwaitedWithATimeOut();
};

// ---- directory

void TestCoordinator::aProcessThatRegistersIsToldTheFile()
{
    CoordinatorRig::Options options;
    options.config = fileConfig(3, 2, 50);
    options.timers.set_resend_ms(17);
    CoordinatorRig rig(options);
    std::vector<std::uint32_t> ordinals;
    for (const std::uint64_t node : { 1000u, 1001u, 1000u, 1002u }) {
        Peer client(node);
        const pb::Message message = registration(client, process(node, pb::CLIENT));
        const Step step = rig.say(message);
        QVERIFY(step.acknowledges(message));
        const pb::Registered answer = step.of(Body::kRegistered, node).at(0).message.registered();
        QCOMPARE(answer.config().m(), 3u);
        QCOMPARE(answer.config().b(), 50u);
        QCOMPARE(answer.timers().resend_ms(), 17u);
        QCOMPARE(answer.timers().operation_ms(), 5000u);
        ordinals.push_back(answer.ordinal());
    }
    QCOMPARE(
        ordinals, (std::vector<std::uint32_t> { 0, 1, 0, 2 })); // each client has its own keys, also when it asks again
}

void TestCoordinator::silentProcessesLeaveTheDirectoryUnlessTheyHoldAPlace()
{
    CoordinatorRig rig(fileConfig(4, 1), 2, 2);
    Peer client(1000);
    rig.say(registration(client, process(1000, pb::CLIENT)));
    rig.registers(CoordinatorRig::kData + 1);
    const auto names = [&rig] {
        rig.command(listProcesses());
        std::set<std::uint64_t> nodes;
        for (const auto& row : rig.replyOf().processes().processes())
            nodes.insert(row.process().node());
        return nodes;
    };
    QVERIFY(
        names().contains(1000) && names().contains(CoordinatorRig::kData) && names().contains(CoordinatorRig::kSelf));
    rig.pass(5s);
    QVERIFY(names().contains(1000));
    for (const auto& row : rig.replyOf().processes().processes()) {
        if (row.process().node() == 1000)
            QVERIFY(row.silent_ms() >= 4990 && row.silent_ms() <= 5010);
        if (row.process().node() == CoordinatorRig::kData)
            QCOMPARE(row.place().role(), pb::DATA);
    }
    rig.pass(20s);
    QCOMPARE(
        names(), (std::set<std::uint64_t> { CoordinatorRig::kSelf, CoordinatorRig::kData, CoordinatorRig::kParity }));
}

void TestCoordinator::aSpareMayBeSilentAsLongAsTheTimersLetItBe()
{
    for (const std::uint32_t scale : { 1u, 10u }) {
        CoordinatorRig::Options options;
        options.config = fileConfig(4, 1);
        options.timers.set_alive_ms(500 * scale);
        options.dataSpares = 2;
        options.paritySpares = 1;
        CoordinatorRig rig(options);
        rig.pass(0ns);
        rig.registers(CoordinatorRig::kData + 1);
        rig.pass(1'900ms * scale);
        QCOMPARE(describe(rig).data_spares(), 1u);
        rig.pass(200ms * scale);
        QCOMPARE(describe(rig).data_spares(), 0u);
        const auto isKnown = [&rig] {
            rig.command(listProcesses());
            const auto& rows = rig.replyOf().processes().processes();
            return std::any_of(rows.begin(), rows.end(),
                [](const auto& row) { return row.process().node() == CoordinatorRig::kData + 1; });
        };
        rig.pass(7'000ms * scale);
        QVERIFY(isKnown());
        rig.pass(2'000ms * scale);
        QVERIFY(!isKnown());
    }
}

// ---- recruiting

void TestCoordinator::theFileStartsWithOneDataBucketAndKParityBuckets_data()
{
    QTest::addColumn<quint32>("k");
    for (quint32 k = 0; k <= 3; ++k)
        QTest::addRow("K = %u", k) << k;
}

void TestCoordinator::theFileStartsWithOneDataBucketAndKParityBuckets()
{
    QFETCH(quint32, k);
    CoordinatorRig rig({ .config = fileConfig(4, k), .dataSpares = 3, .paritySpares = 5 });
    QVERIFY(!rig.file().exists());
    rig.pass(0ns);
    QVERIFY(rig.file().exists());
    QCOMPARE(rig.file().buckets(), 1u);
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, k);
    QCOMPARE(rig.count(Body::kConfirm), std::size_t(1 + k));
    QCOMPARE(rig.count(Happened::kFileCreated), std::size_t(1));
    QCOMPARE(rig.count(Happened::kGroupCreated), std::size_t(1));
    QVERIFY(rig.holder(pb::DATA, 0));
    for (const auto& [node, member] : rig.members) {
        if (member.place.role() == pb::NO_ROLE)
            continue;
        QCOMPARE(member.place.state(), pb::UP);
        QCOMPARE(member.place.level(), 0u);
        QCOMPARE(member.place.config().m(), 4u);
        QCOMPARE(member.place.view().members_size(), int(1 + k)); // each member knows all
        QCOMPARE(member.place.view().epoch(), 1u);
    }
    for (std::uint32_t p = 0; p < k; ++p)
        QVERIFY(rig.holder(pb::PARITY, 0, p));
    const std::size_t roles = k > 0 ? 2 : 1;
    QCOMPARE(rig.count(Body::kInvite), roles);
    QCOMPARE(rig.count(Body::kEpoch), std::size_t(0)); // all members are new
}

void TestCoordinator::theFirstOffersAreTakenAndTheOthersCancelled()
{
    CoordinatorRig rig({ .config = fileConfig(4, 2), .dataSpares = 3, .paritySpares = 4 });
    const Step step = rig.pass(0ns);
    QCOMPARE(step.multicasts.size(), std::size_t(2));
    for (const auto& [pool, message] : step.multicasts) {
        QCOMPARE(message.invite().role(), pool);
        QCOMPARE(message.invite().count(), pool == pb::DATA ? 1u : 2u);
        QVERIFY(!message.invite().by_registry());
    }
    // A server that was not taken may accept another invitation.
    std::size_t spares = 0;
    for (const auto& [node, member] : rig.members) {
        if (member.place.role() == pb::NO_ROLE) {
            QCOMPARE(member.invitation, 0u);
            ++spares;
        }
    }
    QCOMPARE(spares, std::size_t(4));
    QCOMPARE(step.count(Body::kCancel), std::size_t(4));
    QVERIFY(rig.members.at(CoordinatorRig::kData).place.role() == pb::DATA); // the first server that answered
}

void TestCoordinator::lateOffersAreCancelled()
{
    CoordinatorRig rig(fileConfig(4, 1));
    pb::Message late = rig.members.at(CoordinatorRig::kData + 5).sender.message();
    late.mutable_offer()->set_invitation(1);
    *late.mutable_offer()->mutable_process() = rig.members.at(CoordinatorRig::kData + 5).info;
    const Step step = rig.say(late);
    QCOMPARE(step.of(Body::kCancel, CoordinatorRig::kData + 5).at(0).message.cancel().invitation(), 1u);
    QCOMPARE(step.of(Body::kCancel)[0].message.cancel().incarnation(), 0u);
}

void TestCoordinator::anOfferThatComesTwiceIsOneOffer()
{
    CoordinatorRig rig({ .config = fileConfig(4, 2), .dataSpares = 1, .paritySpares = 1 });
    rig.pass(0ns);
    for (int copy = 0; copy < 3; ++copy) {
        pb::Message again = rig.members.at(CoordinatorRig::kParity).sender.message();
        again.mutable_offer()->set_invitation(rig.members.at(CoordinatorRig::kParity).invitation);
        *again.mutable_offer()->mutable_process() = rig.members.at(CoordinatorRig::kParity).info;
        rig.say(again);
    }
    QCOMPARE(rig.count(Body::kConfirm), std::size_t(0)); // two parity buckets are wanted, one server offers
    rig.addSpare(CoordinatorRig::kParity + 1, pb::PARITY);
    rig.pass(2s);
    QVERIFY(rig.file().exists());
}

void TestCoordinator::tooFewOffersInviteAgainLessAndLessOften()
{
    CoordinatorRig rig({ .config = fileConfig(4, 0) });
    rig.pass(0ns);
    const auto at = invitations(rig, 4s);
    QCOMPARE(
        std::vector<std::int64_t>(at.begin(), at.begin() + 4), (std::vector<std::int64_t> { 150, 450, 1050, 1650 }));
    std::set<std::uint64_t> ids;
    for (const Step::Sent& sent : rig.log) {
        if (sent.message.has_invite())
            ids.insert(sent.message.invite().invitation());
    }
    QCOMPARE(ids.size(), std::size_t(1)); // the same invitation, so that open offers remain valid
    rig.addSpare(CoordinatorRig::kData, pb::DATA);
    rig.pass(1s);
    QVERIFY(rig.file().exists());
    QCOMPARE(invitations(rig, 3s).size(), std::size_t(0));
}

void TestCoordinator::anOldOfferCountsNoMore()
{
    // The server's offer expires after 500 ms; the coordinator uses an offer only while it is surely open at the
    // server.
    CoordinatorRig rig({ .config = fileConfig(4, 1), .dataSpares = 1 });
    rig.pass(0ns);
    rig.members.at(CoordinatorRig::kData).invitation = 0;
    rig.silent.insert(CoordinatorRig::kData); // it offered and is gone
    rig.pass(400ms);
    rig.hearMulticast = false;
    rig.addSpare(CoordinatorRig::kParity, pb::PARITY);
    rig.hearMulticast = true;
    rig.pass(700ms);
    QCOMPARE(rig.count(Body::kConfirm), std::size_t(0));
    rig.silent.clear();
    rig.pass(2s);
    QVERIFY(rig.file().exists());
}

void TestCoordinator::theMembersOfAGroupAreSpreadOverTheHosts_data()
{
    QTest::addColumn<std::uint32_t>("hosts");
    QTest::addColumn<std::uint32_t>("most"); // members of a group on one host
    QTest::newRow("enough hosts") << 8u << 1u;
    QTest::newRow("just enough") << 6u << 1u;
    QTest::newRow("half as many") << 3u << 2u;
    QTest::newRow("one host") << 1u << 6u;
    QTest::newRow("each process its own") << 0u << 1u;
}

void TestCoordinator::theMembersOfAGroupAreSpreadOverTheHosts()
{
    QFETCH(const std::uint32_t, hosts);
    QFETCH(const std::uint32_t, most);
    // Those that answer first are on one host.
    CoordinatorRig rig({ .config = fileConfig(4, 2), .dataSpares = 128, .paritySpares = 128, .hosts = hosts });
    for (std::uint32_t s = 0; s < 128; ++s) {
        rig.registers(CoordinatorRig::kData + s);
        rig.registers(CoordinatorRig::kParity + s);
    }
    rig.pass(0ns);
    for (std::uint32_t bucket = 0; rig.file().buckets() < 16; bucket = (bucket + 1) % rig.file().buckets()) {
        rig.overload(bucket);
        rig.pass(10ms); // spares that are silent for long do not count
    }
    for (const auto& [g, group] : rig.file().groups()) {
        std::map<std::uint32_t, std::uint32_t> members;
        for (const auto& [position, member] : group.data)
            ++members[member.holder.address.ip.number()];
        for (const auto& [column, member] : group.parity)
            ++members[member.holder.address.ip.number()];
        QCOMPARE(group.data.size() + group.parity.size(), std::size_t(6));
        QCOMPARE(std::max_element(members.begin(), members.end(), [](auto& a, auto& b) { return a.second < b.second; })
                     ->second,
            most);
    }
}

void TestCoordinator::aHostWithFewerMembersIsWaitedForOnce()
{
    // Of two hosts, the other one has a spare that is registered and does not answer.
    constexpr std::uint64_t here = CoordinatorRig::kParity, other = here + CoordinatorRig::kAdjacent;
    CoordinatorRig rig({ .config = fileConfig(4, 1), .dataSpares = 1, .hosts = 2 });
    rig.addSpare(here, pb::PARITY); // on the host of the data bucket
    rig.addSpare(other, pb::PARITY);
    rig.registers(other);
    rig.silent.insert(other);
    rig.pass(100ms);
    QVERIFY(!rig.file().exists());
    rig.pass(100ms);
    QVERIFY(rig.file().exists());
    QVERIFY(rig.members.at(here).place.role() == pb::PARITY);
    // Also when the recruiting has lasted long before there were enough.
    CoordinatorRig late({ .config = fileConfig(4, 1), .paritySpares = 1, .hosts = 2 });
    late.pass(3s);
    late.addSpare(other, pb::PARITY);
    late.registers(other);
    late.registers(here);
    late.hearMulticast = false; // the data server that comes now is the only one that answers
    late.addSpare(CoordinatorRig::kData, pb::DATA);
    const pb::Message offer = [&late] {
        auto& member = late.members.at(CoordinatorRig::kData);
        pb::Message message = member.sender.message();
        message.mutable_offer()->set_invitation(1);
        *message.mutable_offer()->mutable_process() = member.info;
        return message;
    }();
    late.say(offer);
    QVERIFY(!late.file().exists());
    late.hearMulticast = true;
    late.pass(1s);
    QVERIFY(late.members.at(other).place.role() == pb::PARITY);
}

void TestCoordinator::withoutMulticastTheRegistryIsUsedAndSaid()
{
    CoordinatorRig rig({ .config = fileConfig(4, 1), .dataSpares = 2, .paritySpares = 2 });
    rig.hearMulticast = false;
    for (const std::uint64_t node :
        { CoordinatorRig::kData, CoordinatorRig::kData + 1, CoordinatorRig::kParity, CoordinatorRig::kParity + 1 })
        rig.registers(node);
    rig.pass(1500ms);
    QVERIFY(rig.file().exists());
    QCOMPARE(rig.count(Happened::kRecruitingChanged), std::size_t(1));
    QCOMPARE(describe(rig).recruiting(), pb::UDP);
    std::size_t unicast = 0;
    for (const Step::Sent& sent : rig.log) {
        if (sent.message.has_invite() && sent.to != 0) {
            QVERIFY(sent.message.invite().by_registry());
            ++unicast;
        }
    }
    QCOMPARE(unicast, std::size_t(4));
    // From then on the coordinator does not wait for multicast answers.
    rig.log.clear();
    for (const std::uint64_t node : { CoordinatorRig::kData + 1, CoordinatorRig::kParity + 1 })
        rig.alive(node);
    rig.overload(0);
    QCOMPARE(rig.file().buckets(), 2u);
    QCOMPARE(rig.count(Happened::kRecruitingChanged), std::size_t(1));
}

void TestCoordinator::theRegistryMayBeWanted()
{
    CoordinatorRig rig(
        { .config = fileConfig(4, 1), .recruiting = Recruiting::Registry, .dataSpares = 1, .paritySpares = 1 });
    rig.registers(CoordinatorRig::kData);
    rig.registers(CoordinatorRig::kParity);
    const Step step = rig.pass(0ns);
    QVERIFY(rig.file().exists());
    QCOMPARE(step.multicasts.size(), std::size_t(0));
    QCOMPARE(rig.count(Happened::kRecruitingChanged), std::size_t(0)); // nothing changed
}

void TestCoordinator::aMissingSpareIsSaidForItsPool()
{
    CoordinatorRig rig({ .config = fileConfig(4, 2), .dataSpares = 1, .paritySpares = 1 });
    rig.registers(CoordinatorRig::kData);
    rig.registers(CoordinatorRig::kParity);
    for (int second = 0; second < 4; ++second) {
        rig.pass(1s);
        rig.alive(CoordinatorRig::kData);
        rig.alive(CoordinatorRig::kParity);
    }
    std::vector<pb::SpareMissing> said;
    for (const pb::Event& event : rig.events) {
        if (event.has_spare_missing())
            said.push_back(event.spare_missing());
    }
    QCOMPARE(said.size(), std::size_t(1));
    QCOMPARE(said[0].role(), pb::PARITY); // the place of the data bucket could be filled
    QVERIFY(!said[0].purpose().empty());
    QVERIFY(!rig.file().exists());
    rig.addSpare(CoordinatorRig::kParity + 1, pb::PARITY);
    rig.pass(2s);
    QVERIFY(rig.file().exists());
}

// A server that starts because of the first message may serve another need (run 0x5280: the split waited for ever).
void TestCoordinator::aMissingSpareIsSaidAgainWhileItLasts()
{
    CoordinatorRig rig({ .config = fileConfig(4, 1), .dataSpares = 1, .paritySpares = 0 });
    rig.registers(CoordinatorRig::kData);
    const auto said = [&] {
        return std::count_if(
            rig.events.begin(), rig.events.end(), [](const pb::Event& e) { return e.has_spare_missing(); });
    };
    const auto pass = [&](int seconds) {
        for (int second = 0; second < seconds; ++second) {
            rig.pass(1s);
            rig.alive(CoordinatorRig::kData);
        }
    };
    pass(4);
    QCOMPARE(said(), std::ptrdiff_t(1));
    pass(4);
    QCOMPARE(said(), std::ptrdiff_t(2));
    pass(10);
    QCOMPARE(said(), std::ptrdiff_t(4)); // not with every invitation
    QCOMPARE(describe(rig).under_way(),
        std::string("creating the file, which waits for 1 parity server: no such spare is left"));
    rig.addSpare(CoordinatorRig::kParity, pb::PARITY);
    pass(2);
    QVERIFY(rig.file().exists());
    pass(10);
    QCOMPARE(said(), std::ptrdiff_t(4));
}

void TestCoordinator::aConfirmationThatIsNotAnsweredStartsOver()
{
    CoordinatorRig rig({ .config = fileConfig(4, 1), .dataSpares = 2, .paritySpares = 1 });
    // The first data spare offers, and is not heard afterwards.
    rig.withhold = [](const Step::Sent& sent) {
        return sent.to == CoordinatorRig::kData && !sent.message.has_invite();
    };
    rig.pass(0ns);
    QVERIFY(!rig.file().exists());
    QCOMPARE(rig.count(Body::kConfirm), std::size_t(2));
    rig.silent.insert(CoordinatorRig::kData);
    rig.pass(3s);
    QVERIFY(rig.file().exists());
    QCOMPARE(rig.holder(pb::DATA, 0)->info.node(), CoordinatorRig::kData + 1);
    QVERIFY(rig.count(Body::kCancel) >= 2); // that spare, and the parity bucket that was confirmed with it
    QCOMPARE(rig.count(Happened::kFileCreated), std::size_t(1));
    std::set<std::uint64_t> incarnations;
    for (const Step::Sent& sent : rig.log) {
        if (sent.message.has_confirm() && sent.tries == 0)
            QVERIFY(incarnations.insert(sent.message.confirm().incarnation()).second);
    }
    // It wakes up and believes that it still holds its place.
    rig.silent.clear();
    rig.withhold = nullptr;
    rig.members.at(CoordinatorRig::kData).place.set_role(pb::DATA);
    rig.members.at(CoordinatorRig::kData).place.set_incarnation(*incarnations.begin());
    rig.alive(CoordinatorRig::kData);
    QCOMPARE(rig.members.at(CoordinatorRig::kData).place.role(), pb::NO_ROLE);
}

void TestCoordinator::incarnationsAreNeverUsedTwice()
{
    CoordinatorRig rig(fileConfig(2, 2));
    for (int split = 0; split < 10; ++split)
        rig.overload(0);
    std::set<std::uint64_t> incarnations;
    for (const Step::Sent& sent : rig.log) {
        if (!sent.message.has_confirm())
            continue;
        QVERIFY(incarnations.insert(sent.message.confirm().incarnation()).second);
        QCOMPARE(sent.message.confirm().incarnation() >> 32, 1u); // the upper half is the coordinator's epoch
    }
    QVERIFY(incarnations.size() > 20);
}

// ---- questions

void TestCoordinator::whereABucketIs()
{
    CoordinatorRig rig({ .config = fileConfig(4, 1), .dataSpares = 5, .paritySpares = 5 });
    Peer asker(1000);
    const auto whereIs = [&](std::uint32_t bucket) {
        pb::Message message = asker.message();
        message.mutable_where_is()->set_bucket(bucket);
        const Step step = rig.say(message);
        return step.of(Body::kLocation, 1000).at(0).message;
    };
    QVERIFY(!whereIs(0).location().exists()); // the file does not exist yet
    rig.pass(0ns);
    rig.overload(0);
    rig.overload(0);
    const pb::Message answer = whereIs(1);
    QVERIFY(answer.location().exists());
    QCOMPARE(answer.location().holder().node(), rig.holder(pb::DATA, 1)->info.node());
    QCOMPARE(answer.location().holder().incarnation(), rig.holder(pb::DATA, 1)->place.incarnation());
    QCOMPARE(answer.location().file().i(), 1u);
    QCOMPARE(answer.location().file().n(), 1u);
    QVERIFY(!whereIs(3).location().exists()); // beyond the file; the true (i,n) comes with the answer
    QCOMPARE(whereIs(77).location().file().n(), 1u);
}

void TestCoordinator::anAlarmIsAnsweredWithTheTrueLocation()
{
    CoordinatorRig rig(fileConfig(4, 1));
    Peer client(1000);
    pb::Message alarm = client.message();
    alarm.mutable_alarm()->mutable_suspect()->set_role(pb::DATA);
    Step step = rig.say(alarm);
    QVERIFY(step.acknowledges(alarm));
    QCOMPARE(step.of(Body::kLocation).at(0).message.location().holder().node(), rig.holder(pb::DATA, 0)->info.node());
    alarm = client.message();
    alarm.mutable_alarm()->mutable_suspect()->set_role(pb::PARITY);
    step = rig.say(alarm);
    QVERIFY(step.acknowledges(alarm));
    QCOMPARE(step.count(Body::kAck), std::size_t(1));
}

void TestCoordinator::whoHoldsNoPlaceAnyMoreIsToldSo()
{
    CoordinatorRig rig(fileConfig(4, 1), 3, 3);
    CoordinatorRig::Member& ghost = rig.members.at(CoordinatorRig::kData + 2);
    ghost.place.set_role(pb::DATA);
    ghost.place.set_incarnation(999);
    rig.silent.insert(CoordinatorRig::kData + 2);
    QCOMPARE(rig.alive(CoordinatorRig::kData + 2).of(Body::kCancel).at(0).message.cancel().incarnation(), 999u);
    QCOMPARE(rig.alive(CoordinatorRig::kData + 2).count(Body::kCancel), std::size_t(0)); // one at a time
    QCOMPARE(rig.alive(CoordinatorRig::kData).count(Body::kCancel), std::size_t(0)); // a true holder
}

// ---- commands

void TestCoordinator::commandsForOthersAreRefused()
{
    CoordinatorRig rig(fileConfig(4, 1));
    pb::Command commands[4];
    commands[0].mutable_operate();
    commands[1].mutable_read_contents();
    commands[2].mutable_describe_client();
    for (const pb::Command& command : commands) {
        const Step step = rig.command(command);
        QCOMPARE(step.replies.size(), std::size_t(1));
        QCOMPARE(step.replies[0].refusal(), pb::WRONG_PROCESS);
        QVERIFY(!step.replies[0].text().empty());
    }
}

void TestCoordinator::theDescriptionSaysWhatThereIs()
{
    CoordinatorRig rig({ .config = fileConfig(2, 1), .dataSpares = 9, .paritySpares = 9 });
    QVERIFY(!describe(rig).exists());
    QVERIFY(!describe(rig).at_rest());
    for (const auto& [node, member] : rig.members)
        rig.registers(node);
    rig.pass(0ns);
    for (int split = 0; split < 2; ++split)
        rig.overload(0);
    const pb::FileDescription file = describe(rig);
    QVERIFY(file.exists() && file.at_rest());
    QCOMPARE(file.buckets(), 3u);
    QCOMPARE(file.file().i(), 1u);
    QCOMPARE(file.file().n(), 1u);
    QCOMPARE(file.availability(), 1u);
    QCOMPARE(file.groups_size(), 2);
    QCOMPARE(file.groups(1).view().members_size(), 2);
    QCOMPARE(file.data_spares(), 6u);
    QCOMPARE(file.parity_spares(), 7u);
    QCOMPARE(file.recruiting(), pb::MULTICAST);
}

void TestCoordinator::aSplitIsRefusedBeforeTheFileExists()
{
    CoordinatorRig rig(CoordinatorRig::Options {});
    pb::Command split;
    split.mutable_force_split();
    rig.command(split);
    QCOMPARE(rig.replyOf().refusal(), pb::REFUSED);
    QVERIFY(!rig.replyOf().text().empty());
}

void TestCoordinator::theAvailabilityCanBeRaisedWithinItsBounds()
{
    CoordinatorRig rig(fileConfig(2, 1));
    const auto raise = [&rig](std::uint32_t to) {
        pb::Command command;
        command.mutable_raise_availability()->set_availability(to);
        rig.command(command);
        return rig.replyOf();
    };
    QCOMPARE(raise(0).refusal(), pb::BAD_ARGUMENT);
    QCOMPARE(raise(9).refusal(), pb::BAD_ARGUMENT);
    QCOMPARE(raise(1).availability().availability(), 1u);
    QCOMPARE(raise(3).availability().availability(), 2u); // one at a time: n is 0 and every group has 1
    QVERIFY(raise(3).availability().pending());
    rig.overload(0); // first, group 0 gets its second parity bucket
    QCOMPARE(rig.file().groups().at(GroupNumber(0)).k, 2u);
    QCOMPARE(rig.file().buckets(), 2u);
    rig.overload(0); // n is 0 again
    QCOMPARE(rig.file().availability(), 3u);
}

void TestCoordinator::restIsAwaitedWithATimeOut()
{
    CoordinatorRig rig(fileConfig(4, 1), 2, 1);
    const auto await = [&rig](std::uint32_t ms) {
        pb::Command command;
        command.mutable_await_rest()->set_timeout_ms(ms);
        return rig.command(command).replies.size();
    };
    QCOMPARE(await(1000), std::size_t(1));
    QCOMPARE(rig.replyOf().refusal(), pb::NOT_REFUSED);
    QVERIFY(rig.replyOf().file().at_rest());
    rig.withhold = [](const Step::Sent& sent) { return sent.message.has_commit(); };
    rig.overload(0);
    QCOMPARE(await(300), std::size_t(0));
    rig.pass(310ms);
    QCOMPARE(rig.replyOf().refusal(), pb::TIMED_OUT);
    QVERIFY(!rig.replyOf().text().empty());
    QCOMPARE(await(3000), std::size_t(0));
    rig.withhold = nullptr;
    rig.release();
    rig.pass(1s);
    QCOMPARE(rig.replyOf().refusal(), pb::NOT_REFUSED);
}

QTEST_APPLESS_MAIN(TestCoordinator)
#include "tst_coordinator.moc"
