// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated cluster that is operated by the commands of control.proto, without a socket. It covers virtual time,
// questions outside of it, and faults of processes and of the network. A run is a function of its commands.
#include "tests/sim/sim_site_rig.h"

#include "node/sim/lhrs/simulation.h"
#include "node/sim/lhrs/swarm.h"

#include <optional>

using namespace lhrs;
using namespace lhrs::test;

namespace {

pb::Fault faultOf(std::uint32_t leaseMs)
{
    pb::Fault fault;
    fault.set_number(1);
    fault.set_lease_ms(leaseMs);
    return fault;
}

} // namespace

class TestSimControl : public QObject {
    Q_OBJECT

private slots:
    void virtualTimeGoesAsItIsTold();
    void whoIsTooSlowDoesNotRunAfterTime();
    void aStepEndsAtItsGoal();
    void aStepThatCannotBeIsRefused();
    void aFileGrowsAndIsSearched();
    void itSaysOfItselfThatItIsSimulated();
    void theSameCommandsBringTheSameEvents();
    void questionsChangeNothing();
    void whoWatchesChangesNothingAndSeesWhatThereIs();
    void aHeldClientGoesOnWhenNobodyRenewsInRealTime();
    void aKilledBucketIsRecovered();
    void aProcessThatStandsStillAnswersLater();
    void aPauseEndsWithItsLeaseOrByHand();
    void aNetworkThatDropsEverythingCutsOff();
    void whatIsDelayedKeepsItsOrder();
    void aPartitionCutsOneSideFromTheOther();
    void aRoughNetworkLosesNothing();
    void aProcessEndsItselfAtAnEvent();
    void whoAsksTheDeadIsToldSo();
    void othersStartInTheirPlace();
    void aCaseIsWatchedAndNotOperated();
    void timeThatIsOnlyWatchedGoesByStepsToo();
};

void TestSimControl::virtualTimeGoesAsItIsTold()
{
    SimClock clock;
    QCOMPARE(clock.limit(5s), Time());
    clock.run(0.5, 2s, 10s);
    QCOMPARE(clock.limit(14s), Time(4s));
    QVERIFY(*clock.realTimeOf(4s) >= 14s && *clock.realTimeOf(4s) < 14s + 1us);
    clock.pause(4s);
    QCOMPARE(clock.limit(99s), Time(4s));
    QVERIFY(!clock.realTimeOf(5s) && clock.isPaused());
    clock.run(0, 4s, 100s);
    QCOMPARE(clock.limit(100s), Time::max());
}

void TestSimControl::whoIsTooSlowDoesNotRunAfterTime()
{
    SimClock clock;
    clock.run(1, {}, {});
    clock.keepUp(900ms, 1s);
    QCOMPARE(clock.limit(1s), Time(1s));
    clock.keepUp(100ms, 1s);
    QCOMPARE(clock.limit(1s), Time(100ms));
    QCOMPARE(clock.limit(2s), Time(1100ms));
}

void TestSimControl::aStepEndsAtItsGoal()
{
    Site site;
    QCOMPARE(site.control.state({}).virtual_ns(), std::int64_t(0));
    pb::StepClock one;
    one.set_events(1);
    const pb::SimulationState first = site.step(one);
    QVERIFY(first.is_paused() && first.events() >= 1 && site.events.size() == first.events());
    one.set_messages(1);
    QCOMPARE(site.step(one).messages(), std::uint64_t(1));
    const pb::SimulationState later = site.stepNs(1ms);
    QCOMPARE(site.stepNs(1ms).virtual_ns() - later.virtual_ns(), std::int64_t(1'000'000));
    QCOMPARE(site.stepNs(500ms).virtual_ns() - later.virtual_ns(), std::int64_t(501'000'000));
    QVERIFY(site.file().exists());
}

void TestSimControl::aStepThatCannotBeIsRefused()
{
    Site site;
    pb::Command command;
    command.mutable_step_clock();
    QCOMPARE(site.replies[site.give(command)].refusal(), pb::BAD_ARGUMENT);
    command.mutable_set_clock()->set_factor(1000);
    QCOMPARE(site.replies[site.give(command)].refusal(), pb::BAD_ARGUMENT);
    command.mutable_set_clock()->set_factor(1);
    QCOMPARE(site.replies[site.give(command)].simulation().factor(), 1.0);
    command.mutable_step_clock()->set_events(1);
    QCOMPARE(site.replies[site.give(command)].refusal(), pb::REFUSED);
}

void TestSimControl::aFileGrowsAndIsSearched()
{
    Site site;
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    for (std::uint64_t key = 0; key < 40; ++key)
        QCOMPARE(site.operate(alice, pb::INSERT, key).result(), pb::OK);
    site.awaitRest();
    QVERIFY(site.file().buckets() >= 3);
    QCOMPARE(site.count(pb::Event::kSplitFinished) + 1, std::size_t(site.file().buckets()));
    for (std::uint64_t key = 0; key < 40; ++key)
        QCOMPARE(site.operate(alice, pb::SEARCH, key).value(), "value of " + std::to_string(key));
}

void TestSimControl::itSaysOfItselfThatItIsSimulated()
{
    Site site(77);
    pb::Command command;
    command.mutable_who_are_you();
    const pb::ProcessInfo coordinator = site.replies[site.give(command)].process();
    QCOMPARE(coordinator.kind(), pb::COORDINATOR);
    QVERIFY(coordinator.is_simulated());
    QCOMPARE(coordinator.seed(), std::uint64_t(77));
    QCOMPARE(coordinator.pid(), 4711u);
    QCOMPARE(coordinator.control_endpoint(), std::string("tcp://control"));
    site.stepNs(200ms);
    command.mutable_list_processes();
    const pb::CommandReply list = site.replies[site.give(command)];
    QVERIFY(list.processes().processes_size() >= 10);
    for (const auto& entry : list.processes().processes())
        QVERIFY(entry.process().is_simulated() && entry.process().events_endpoint() == "tcp://events");
}

void TestSimControl::theSameCommandsBringTheSameEvents()
{
    const auto play = [](std::uint64_t seed, bool asks) {
        Site site(seed);
        site.stepNs(300ms);
        const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
        site.stepNs(100ms);
        for (std::uint64_t key = 0; key < 30; ++key) {
            pb::Command command;
            command.mutable_operate()->set_kind(pb::INSERT);
            command.mutable_operate()->set_key(key);
            site.give(command, alice);
            if (asks)
                site.file(), site.place(pb::DATA, 0);
            site.stepNs(2ms);
        }
        pb::Fault fault = faultOf(1000);
        fault.mutable_crash();
        site.arm(site.place(pb::DATA, 0), fault);
        site.stepNs(3s);
        return site.stream;
    };
    const std::string first = play(5, false);
    QVERIFY(first.size() > 10'000);
    QVERIFY(play(5, false) == first);
    QVERIFY2(play(5, true) == first, "whoever asks changes the run");
    QVERIFY(play(6, false) != first);
}

void TestSimControl::questionsChangeNothing()
{
    Site site;
    site.stepNs(300ms);
    const std::size_t before = site.events.size();
    pb::Command command;
    for (const auto& process : site.cluster.processes()) {
        command.mutable_take_snapshot();
        const pb::CommandReply reply = site.replies[site.give(command, process->info.node())];
        QCOMPARE(reply.snapshot().process(), process->info.node());
        QCOMPARE(reply.snapshot().sequence(), process->stamper().sequence());
        command.mutable_statistics();
        QVERIFY(site.replies[site.give(command, process->info.node())].has_gauges());
    }
    command.mutable_read_contents()->set_count(10);
    QVERIFY(site.replies[site.give(command, site.place(pb::DATA, 0))].has_contents());
    command.mutable_describe_file();
    QCOMPARE(site.replies[site.give(command, site.place(pb::DATA, 0))].refusal(), pb::WRONG_PROCESS);
    QCOMPARE(site.events.size(), before);
}

void TestSimControl::whoWatchesChangesNothingAndSeesWhatThereIs()
{
    Site site;
    site.stepNs(300ms);
    const std::size_t before = site.events.size();
    pb::Command watch;
    watch.mutable_watch();
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    const pb::NodeSample sample = site.replies[site.give(watch, bucket)].sample();
    QCOMPARE(sample.process(), bucket);
    QVERIFY(sample.is_simulated());
    QCOMPARE(sample.threads_size(), 0); // a simulated process has no threads
    QCOMPARE(sample.queues(0).name(), std::string("Inbox"));
    QCOMPARE(sample.place().role(), pb::DATA);
    QCOMPARE(sample.state(), pb::UP);
    QCOMPARE(sample.columns_size(), 1); // k is 1
    QCOMPARE(sample.grants_held(), sample.grants_needed());
    QVERIFY(sample.lease_left_ns() > 0 && sample.epoch() > 0);
    QCOMPARE(sample.sequence(), site.cluster.numbered(NodeId(bucket))->stamper().sequence());
    QCOMPARE(site.events.size(), before);

    // A paused process is visible: its messages wait in its inbox.
    pb::Fault fault = faultOf(60'000);
    fault.mutable_pause();
    site.arm(bucket, fault);
    site.stepNs(2s);
    const pb::NodeSample held = site.replies[site.give(watch, bucket)].sample();
    QVERIFY2(held.queues(0).length() > 0, "its timers and messages wait");
    QVERIFY(held.queues(0).high_mark() >= held.queues(0).length());
    QCOMPARE(held.lease_left_ns(), std::int64_t(0)); // its clock goes on
}

void TestSimControl::aHeldClientGoesOnWhenNobodyRenewsInRealTime()
{
    Site site;
    site.stepNs(300ms);
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).at(0);
    QCOMPARE(site.operate(alice, pb::INSERT, 1).result(), pb::OK);
    pb::Command hold;
    hold.mutable_hold_workload()->set_is_held(true);
    hold.mutable_hold_workload()->set_lease_ms(5'000);
    site.real = 10s;
    QVERIFY(site.ask(hold, alice).client().is_held());
    pb::Command insert;
    insert.mutable_operate()->set_kind(pb::INSERT);
    insert.mutable_operate()->set_key(2);
    const std::uint64_t waits = site.give(insert, alice);
    site.stepNs(60s); // of virtual time, which says nothing about a holder in real time
    QVERIFY(!site.replies.contains(waits));
    site.real = 14s;
    QVERIFY(site.ask(hold, alice).client().is_held()); // renewed
    site.real = 18s;
    site.stepNs(1s);
    QVERIFY(!site.replies.contains(waits));
    site.real = 19s; // 5 s after the last command
    site.stepNs(1s);
    QVERIFY(site.replies.contains(waits));
    QCOMPARE(site.replies[waits].operation().result(), pb::OK);
    QCOMPARE(site.count(pb::Event::kWorkloadHeld), std::size_t(2));
    QCOMPARE(site.events.size() > 0 && !site.cluster.failure(), true);
}

void TestSimControl::aKilledBucketIsRecovered()
{
    Site site;
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    for (std::uint64_t key = 0; key < 20; ++key)
        QCOMPARE(site.operate(alice, pb::INSERT, key).result(), pb::OK);
    site.awaitRest();
    const std::uint64_t victim = site.place(pb::DATA, 0);
    pb::Fault fault = faultOf(1000);
    fault.mutable_crash();
    QCOMPARE(site.arm(victim, fault).refusal(), pb::NOT_REFUSED);
    const pb::SimulationState state = site.control.state({});
    QCOMPARE(state.ended_size(), 1);
    QCOMPARE(state.ended(0), victim);
    for (std::uint64_t key = 0; key < 20; ++key)
        QCOMPARE(site.operate(alice, pb::SEARCH, key).value(), "value of " + std::to_string(key));
    site.awaitRest();
    QCOMPARE(site.count(pb::Event::kRecoveryFinished), std::size_t(1));
    QVERIFY(site.place(pb::DATA, 0) != victim);
}

void TestSimControl::aProcessThatStandsStillAnswersLater()
{
    Site site;
    site.stepNs(300ms);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    pb::Fault fault = faultOf(500);
    fault.mutable_pause();
    QCOMPARE(site.arm(bucket, fault).faults().faults_size(), 1);
    pb::Command command;
    command.mutable_statistics();
    const std::uint64_t question = site.give(command, bucket);
    command.mutable_list_faults();
    QCOMPARE(site.replies[site.give(command, bucket)].faults().faults_size(), 1);
    site.stepNs(400ms);
    QVERIFY(!site.replies.contains(question));
    site.stepNs(200ms);
    QVERIFY(site.replies.contains(question));
}

void TestSimControl::aPauseEndsWithItsLeaseOrByHand()
{
    Site site;
    site.stepNs(300ms);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    pb::Fault fault = faultOf(50);
    fault.mutable_pause();
    site.arm(bucket, fault);
    QCOMPARE(site.count(pb::Event::kFaultBegun), std::size_t(1));
    site.stepNs(60ms);
    QCOMPARE(site.count(pb::Event::kFaultEnded), std::size_t(1));
    fault.set_lease_ms(3'600'000);
    site.arm(bucket, fault);
    pb::Command command;
    command.mutable_heal_faults();
    QCOMPARE(site.replies[site.give(command, bucket)].faults().faults_size(), 1);
    QCOMPARE(site.count(pb::Event::kFaultEnded), std::size_t(2));
    command.mutable_statistics();
    QVERIFY(site.replies.contains(site.give(command, bucket)));
    site.stepNs(1s);
    QCOMPARE(site.count(pb::Event::kBucketFailed), std::size_t(0));
}

void TestSimControl::aNetworkThatDropsEverythingCutsOff()
{
    Site site;
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    QCOMPARE(site.operate(alice, pb::INSERT, 1).result(), pb::OK);
    pb::Fault fault = faultOf(2'000);
    fault.mutable_network()->set_drop(1);
    site.arm(alice, fault);
    pb::Command command;
    command.mutable_operate()->set_kind(pb::SEARCH);
    command.mutable_operate()->set_key(1);
    const std::uint64_t search = site.give(command, alice);
    site.stepNs(1900ms);
    QVERIFY(!site.replies.contains(search));
    command.mutable_list_faults();
    const pb::FaultEffect achieved = site.replies[site.give(command, alice)].faults().faults(0).achieved();
    QVERIFY(achieved.dropped() > 0 && achieved.dropped() == achieved.messages());
    site.stepNs(5s);
    QCOMPARE(site.replies[search].operation().result(), pb::OK);
}

void TestSimControl::whatIsDelayedKeepsItsOrder()
{
    Site site;
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    QCOMPARE(site.operate(alice, pb::INSERT, 1).result(), pb::OK);
    pb::Fault fault = faultOf(60'000);
    fault.mutable_network()->set_delay_ms(20);
    fault.mutable_network()->set_way(pb::OUTGOING);
    site.arm(alice, fault);
    const Time before = site.cluster.now();
    QCOMPARE(site.operate(alice, pb::SEARCH, 1).result(), pb::OK);
    QVERIFY(site.cluster.now() - before >= 20ms);
    pb::Command command;
    command.mutable_list_faults();
    const pb::FaultEffect achieved = site.replies[site.give(command, alice)].faults().faults(0).achieved();
    QVERIFY(achieved.delayed() >= 1);
    QVERIFY(achieved.delay_max_ns() >= 20'000'000);
}

void TestSimControl::aPartitionCutsOneSideFromTheOther()
{
    Site site(3, 10, pb::RECOVERY_OFF);
    const auto clients = site.started(pb::CLIENT, pb::NO_ROLE, { "alice", "bob" });
    QCOMPARE(site.operate(clients[0], pb::INSERT, 1).result(), pb::OK);
    QCOMPARE(site.operate(clients[1], pb::SEARCH, 1).result(), pb::OK);
    const SimProcess* alice = site.cluster.numbered(NodeId(clients[0]));
    // Only the bucket has the fault: no messages between it and alice, identified by her number and by her address.
    pb::Fault fault = faultOf(60'000);
    pb::FaultPeer& peer = *fault.mutable_partition()->add_peers();
    peer.set_node(clients[0]);
    *peer.mutable_address() = alice->info.address();
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    site.arm(bucket, fault);
    pb::Command search;
    search.mutable_operate()->set_kind(pb::SEARCH);
    search.mutable_operate()->set_key(1);
    const std::uint64_t cutOff = site.give(search, clients[0]);
    QCOMPARE(site.operate(clients[1], pb::SEARCH, 1).result(), pb::OK);
    site.stepNs(1s);
    QVERIFY(!site.replies.contains(cutOff));
    pb::Command heal;
    heal.mutable_heal_faults()->set_number(1);
    const pb::CommandReply healed = site.replies[site.give(heal, bucket)];
    QVERIFY(healed.faults().faults(0).achieved().dropped() > 0);
    site.stepNs(5s);
    QCOMPARE(site.replies[cutOff].operation().result(), pb::OK);
}

void TestSimControl::aRoughNetworkLosesNothing()
{
    Site site(4);
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    QCOMPARE(site.operate(alice, pb::INSERT, 100).result(), pb::OK);
    pb::Fault fault = faultOf(3'600'000);
    pb::NetworkFault& network = *fault.mutable_network();
    network.set_drop(0.05);
    network.set_duplicate(0.2);
    network.set_reorder(0.2);
    network.set_corrupt(0.05);
    network.set_cut(0.1);
    network.set_jitter_ms(3);
    network.set_bytes_per_second(1'000'000);
    for (const auto& process : site.cluster.processes())
        QCOMPARE(site.arm(process->info.node(), fault).refusal(), pb::NOT_REFUSED);
    for (std::uint64_t key = 0; key < 40; ++key)
        QCOMPARE(site.operate(alice, pb::INSERT, key).result(), pb::OK);
    pb::FaultEffect sum;
    for (const auto& process : site.cluster.processes()) {
        if (process->isGone())
            continue;
        pb::Command command;
        command.mutable_list_faults();
        const pb::FaultEffect one
            = site.replies[site.give(command, process->info.node())].faults().faults(0).achieved();
        sum.set_dropped(sum.dropped() + one.dropped());
        sum.set_duplicated(sum.duplicated() + one.duplicated());
        sum.set_reordered(sum.reordered() + one.reordered());
        sum.set_corrupted(sum.corrupted() + one.corrupted());
        sum.set_delayed(sum.delayed() + one.delayed());
    }
    QVERIFY(
        sum.dropped() > 0 && sum.duplicated() > 0 && sum.reordered() > 0 && sum.corrupted() > 0 && sum.delayed() > 0);
    pb::Command heal;
    heal.mutable_heal_faults();
    for (const auto& process : site.cluster.processes())
        if (!process->isGone())
            site.give(heal, process->info.node());
    site.awaitRest();
    for (std::uint64_t key = 0; key < 40; ++key)
        QCOMPARE(site.operate(alice, pb::SEARCH, key).value(), "value of " + std::to_string(key));
}

void TestSimControl::aProcessEndsItselfAtAnEvent()
{
    Site site;
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    QCOMPARE(site.operate(alice, pb::INSERT, 1).result(), pb::OK);
    const std::uint64_t bucket = site.place(pb::DATA, 0);
    pb::Fault fault = faultOf(3'600'000);
    fault.mutable_crash()->set_at("record_inserted");
    fault.mutable_crash()->set_count(2);
    site.arm(bucket, fault);
    QCOMPARE(site.operate(alice, pb::INSERT, 2).result(), pb::OK);
    const std::size_t inserted = site.count(pb::Event::kRecordInserted);
    QVERIFY(!site.cluster.numbered(NodeId(bucket))->isGone());
    site.operate(alice, pb::INSERT, 3);
    QVERIFY(site.cluster.numbered(NodeId(bucket))->isGone());
    site.awaitRest();
    QVERIFY(site.count(pb::Event::kRecordInserted) >= inserted);
    QCOMPARE(site.operate(alice, pb::SEARCH, 2).result(), pb::OK);
}

void TestSimControl::whoAsksTheDeadIsToldSo()
{
    Site site;
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    QCOMPARE(site.operate(alice, pb::INSERT, 1).result(), pb::OK);
    pb::Command command;
    command.mutable_operate()->set_kind(pb::SEARCH);
    command.mutable_operate()->set_key(1);
    const std::uint64_t search = site.give(command, alice);
    pb::Fault fault = faultOf(1000);
    fault.mutable_crash();
    site.arm(alice, fault);
    QVERIFY(site.replies[search].text().find("alice has ended") != std::string::npos);
    QCOMPARE(site.replies[site.give(command, alice)].refusal(), pb::REFUSED);
    QCOMPARE(site.replies[site.give(command, 12345)].refusal(), pb::REFUSED);
}

void TestSimControl::othersStartInTheirPlace()
{
    Site site;
    const std::uint64_t alice = site.started(pb::CLIENT, pb::NO_ROLE, { "alice" }).front();
    for (std::uint64_t key = 0; key < 20; ++key)
        QCOMPARE(site.operate(alice, pb::INSERT, key).result(), pb::OK);
    site.awaitRest();
    const std::uint32_t buckets = site.file().buckets();
    pb::Command who;
    who.mutable_who_are_you();
    const std::uint64_t former = site.replies[site.give(who)].process().node();
    pb::Command command;
    command.mutable_start_processes()->add_again(former);
    const auto again = Site::nodesOf(site.replies[site.give(command)]);
    QCOMPARE(again.size(), std::size_t(1));
    QVERIFY(again.front() != former);
    QVERIFY(site.file().is_listening());
    site.stepNs(3s);
    QVERIFY(!site.file().is_listening());
    QCOMPARE(site.file().buckets(), buckets);
    command.mutable_start_processes()->set_again(0, alice);
    QVERIFY(site.replies[site.give(command)].text().find("not alice") != std::string::npos);
    command.mutable_start_processes()->set_again(0, site.place(pb::DATA, 0));
    QCOMPARE(Site::nodesOf(site.replies[site.give(command)]).size(), std::size_t(1));
    for (std::uint64_t key = 0; key < 20; ++key)
        QCOMPARE(site.operate(alice, pb::SEARCH, key).result(), pb::OK);
}

void TestSimControl::aCaseIsWatchedAndNotOperated()
{
    const pb::Case told = drawCase(3);
    Simulation alone(told);
    QVERIFY(alone.run());
    const std::string hash = alone.cluster().hash();

    Simulation watched(told);
    SimClock clock;
    std::optional<pb::CommandReply> last;
    SimControl control(watched.steeredCluster(), clock,
        { told.seed(), 1, "e", "c", [](Time at) { return at.count(); } },
        [&last](pb::CommandReply& reply) { last = reply; });
    control.watch("the case of seed 3");
    clock.run(1, {}, {});
    Time real {};
    std::uint64_t turns = 0;
    watched.steeredCluster().setGate([&] {
        pb::Command command;
        if (++turns % 100 == 0) {
            command.mutable_describe_file();
            control.command(command, real);
            command.mutable_describe_simulation();
            control.command(command, real);
            command.mutable_force_split();
            control.command(command, real);
            if (last->refusal() != pb::REFUSED)
                return SimCluster::Gate::Ended;
        }
        real += 1us;
        return clock.mayHappen(*watched.steeredCluster().nextAt(), real)
            ? SimCluster::Gate::Open
            : (real = *clock.realTimeOf(*watched.steeredCluster().nextAt()), SimCluster::Gate::AskAgain);
    });
    QVERIFY(watched.run());
    QVERIFY(turns > 1000);
    QCOMPARE(watched.cluster().hash(), hash);
    QCOMPARE(control.state(real).plays(), std::string("the case of seed 3"));
}

void TestSimControl::timeThatIsOnlyWatchedGoesByStepsToo()
{
    Site site;
    site.stepNs(300ms);
    SimClock clock;
    pb::SimulationState last;
    SimControl watching(site.cluster, clock, { 1, 1, "e", "c", [](Time at) { return at.count(); } },
        [&last](pb::CommandReply& reply) { last = reply.simulation(); });
    clock.pause(site.cluster.now());
    for (int i = 1; i <= 200; ++i) {
        const std::int64_t before = i == 1 ? site.cluster.now().count() : last.virtual_ns();
        pb::Command command;
        command.mutable_step_clock()->set_ns(1'000);
        watching.command(command, {});
        for (watching.look({}); clock.mayHappen(*site.cluster.nextAt(), {}); watching.look({}))
            site.cluster.happenNext();
        QCOMPARE(last.virtual_ns() - before, std::int64_t(1'000));
    }
}

QTEST_APPLESS_MAIN(TestSimControl)
#include "tst_sim_control.moc"
