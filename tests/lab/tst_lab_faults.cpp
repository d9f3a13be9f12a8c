// SPDX-License-Identifier: GPL-3.0-or-later
// Faults from scripts, with real processes.
#include "gui/lab/state/process/fault_sentences.h"
#include "tests/rigs/lab/lab_stage.h"

#include <QTest>

#include <google/protobuf/text_format.h>

using namespace lhrs;
using namespace lhrs::gui;

class LabFaultsTest : public QObject {
    Q_OBJECT
private slots:
    void aFaultSaysWhatItDoesAndWhatItDid_data();
    void aFaultSaysWhatItDoesAndWhatItDid();
    void faultsActAreListedAndHealed();
    void theWorkloadIsHeldAndThatOfAClientWhichComesMeanwhileToo();
    void aPartitionEndsWithItsLease();
    void aMeasurementSaysHowManyFaultsActed();
    void aBucketComesBackOverARoughNetwork_data();
    void aBucketComesBackOverARoughNetwork();
    void whatIsWrongIsSaid();
    void aProcessEndsItselfAtAStepOfTheProtocol();
    void aKillThatWaitsCanBeHealed();
    void aCoordinatorComesBackOnItsAddress();
    void aCoordinatorThatRunsIsReplaced();
    void aClientThatWakesAfterTheCoordinatorIsKnownAgain();
    void aFileRecoversByHand();
    void thePolicyOfRecoveryOutlivesItsCoordinator();
    void operationsAreDueAtTheirTimes();
    void aRecoveryByHandNeedsSpares();
    void aLossIsAcknowledged();

private:
    // Runs the script with a small file, a client `c` and 40 records.
    static void play(const QString& script,
        const QString& cluster = "m: 2, k: 1, b: 1000, spares: { data: 2, parity: 1 }", LabTable* table = nullptr);
};

void LabFaultsTest::aFaultSaysWhatItDoesAndWhatItDid_data()
{
    QTest::addColumn<QString>("fault"); // text format
    QTest::addColumn<QString>("does");
    QTest::addColumn<QString>("did");
    QTest::newRow("net") << "network { drop: 0.2 delay_ms: 50 jitter_ms: 10 way: OUTGOING }"
                         << "loses 20 % and delays by 50 to 60 ms of what it sends to all others"
                         << "10 messages: 2 lost and 8 delayed by 55 ms on average";
    QTest::newRow("kinds") << "network { duplicate: 1 kinds: \"delta\" way: INCOMING peers { node: 3 } }"
                           << "duplicates 100 % of the messages (delta) that it gets from 1 process"
                           << "10 messages: 2 lost and 8 delayed by 55 ms on average";
    QTest::newRow("partition") << "partition { all_but_peers: true peers { node: 3 } peers { node: 4 } }"
                               << "is cut off from all but 2 processes"
                               << "10 messages: 2 lost and 8 delayed by 55 ms on average";
    QTest::newRow("pause") << "pause { }"
                           << "is paused"
                           << "paused for 1.5 s";
    QTest::newRow("crash") << "crash { at: \"slice_stored\" count: 3 }"
                           << "is to end itself at event slice_stored number 3"
                           << "the event did not come";
}

void LabFaultsTest::aFaultSaysWhatItDoesAndWhatItDid()
{
    QFETCH(QString, fault);
    QFETCH(QString, does);
    QFETCH(QString, did);
    pb::Fault parsed;
    const std::string text = fault.toStdString();
    QVERIFY(google::protobuf::TextFormat::ParseFromString(text, &parsed));
    QCOMPARE(QString::fromStdString(faultWords(parsed)), does);
    pb::FaultEffect effect;
    effect.set_messages(10);
    effect.set_dropped(2);
    effect.set_delayed(8);
    effect.set_delay_sum_ns(8 * 55'000'000ll);
    effect.set_lasted_ns(1'500'000'000);
    QCOMPARE(QString::fromStdString(effectWords(parsed, effect)), did);
}

void LabFaultsTest::play(const QString& script, const QString& cluster, LabTable* table)
{
    ClusterStage stage;
    const ScriptResult result = stage.play("lab.cluster({ " + cluster
        + " }); const c = lab.client('alice');"
          "c.run({ do: 'insert', count: 40, window: 8 });"
        + script);
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    if (table)
        *table = stage.engine.tables().table("t");
}

void LabFaultsTest::faultsActAreListedAndHealed()
{
    play("lab.expectEqual(lab.faults(), [], 'nothing is armed');\n"
         "const loss = lab.net({ from: c, drop: 0.3, delayMs: 10 });\n"
         "lab.expectEqual(loss.processes, ['alice'], 'it acts where the sender is known');\n"
         "const begun = lab.waitFor('FaultBegun');\n"
         "lab.expectEqual(begun.fault.network.drop, 0.3, 'its begin is an event');\n"
         "const r = c.run({ do: 'search', count: 60, window: 8 });\n"
         "lab.expectEqual([r.results.ok, r.missing], [60, 0], 'what is lost is sent again');\n"
         "const slow = lab.net({ to: [lab.data(0), lab.parity(0, 0)], jitterMs: 5, kinds: ['delta', 'search'] });\n"
         "lab.expectEqual(slow.processes.length, 2, 'the receivers, as anybody may send');\n"
         "c.update(lab.keysFor(lab.data(0), 1, { existing: true })[0]);\n"
         "const list = lab.faults();\n"
         "lab.expectEqual(list.map(f => f.kind), ['net', 'net'], 'both are listed');\n"
         "const done = list.find(f => f.id === loss.id);\n"
         "lab.expect(done.achieved.dropped > 0 && done.achieved.messages > done.achieved.dropped, 'some are lost');\n"
         "lab.expectWithin(done.achieved.delayMs, 10, 10000, 'the others are late');\n"
         "lab.expectEqual(done.requested.delayMs, 10, 'as it was wanted');\n"
         "lab.expectEqual(lab.heal(loss), 1, 'one ends');\n"
         "lab.expectEqual(lab.faults().map(f => f.id), [slow.id], 'the other one stays');\n"
         "lab.net({ drop: 0.01 });\n"
         "lab.expectEqual(lab.heal(), 2, 'all end');\n"
         "lab.expectEqual(lab.faults(), [], 'nothing is left');\n"
         "lab.waitFor('FaultEnded', { where: { reason: 'healed' } });\n"
         "lab.expectEqual(lab.heal(loss), 0, 'it has ended before');\n");
}

void LabFaultsTest::theWorkloadIsHeldAndThatOfAClientWhichComesMeanwhileToo()
{
    play("const h = c.start({ do: 'mixed', mix: { insert: 1, search: 1 }, count: 10000000, window: 4 });\n"
         "const from = lab.here();\n"
         "lab.expectEqual(lab.holdWorkload(true), 1, 'the client holds');\n"
         "lab.settle();\n" // everything under way has ended
         "const held = h.progress().operations;\n"
         "const bob = lab.client('bob');\n"
         // Bob receives the fault before any command, and perhaps before his events are watched.
         "lab.waitFor('WorkloadHeld', { where: { isHeld: true }, since: from });\n"
         "const b = bob.start({ do: 'search', keys: [1, 2, 3], count: 30 });\n"
         "lab.expectError('Timeout', () => bob.search(1, { timeout: 0.3 }));\n"
         "lab.expectEqual([h.progress().operations, b.progress().operations], [held, 0], 'nothing new began');\n"
         "lab.expectEqual(lab.holdWorkload(false), 0, 'nobody holds any more');\n"
         "lab.expectEqual(b.wait().operations, 30, 'what waited is done');\n"
         "lab.waitUntil(() => h.progress().operations > held);\n"
         "h.stop();\n"
         "lab.expectError('Unsupported', () => lab.gate(true));\n"
         "lab.expectError('Unsupported', () => lab.release());\n");
}

void LabFaultsTest::aPartitionEndsWithItsLease()
{
    play("const from = lab.here();\n"
         "const cut = lab.partition(c, 'rest', { lease: 0.7 });\n"
         "lab.expect(cut.processes.length >= 5, 'all are told');\n"
         "const begin = lab.now();\n"
         "const key = lab.keysFor(lab.data(0), 1, { existing: true })[0];\n"
         "lab.expectEqual(c.search(key, { timeout: 20 }).result, 'found', 'it is answered in the end');\n"
         "lab.waitFor('FaultEnded', { where: e => e.reason === 'its lease ended', since: from });\n"
         "lab.waitUntil(() => lab.faults().length === 0);\n"
         "const one = lab.partition('rest', lab.data(0), { direction: 'aToB' });\n"
         "lab.expectEqual(lab.heal(one), 1, 'one direction');\n");
}

void LabFaultsTest::aMeasurementSaysHowManyFaultsActed()
{
    LabTable table;
    play("const key = lab.keysFor(lab.data(0), 1, { existing: true })[0];\n"
         "const once = () => lab.measure({ name: 't', cases: [{ a: 1 }], repetitions: 1, warmUp: 0, run: () => ({ "
         "x_ms: c.search(key).time_ms }) });\n"
         "lab.expectEqual(c.search(key).alarm, false, 'nobody is alarmed');\n"
         "once();\n"
         "const slow = lab.net({ delayMs: 1 });\n"
         "lab.waitFor('FaultBegun', { count: 2 });\n"
         "once();\n"
         "lab.heal(slow);\n"
         "lab.waitUntil(() => lab.faults().length === 0);\n"
         "lab.kill(lab.data(0));\n"
         "const found = c.search(key, { timeout: 20 });\n"
         "lab.expectEqual([found.result, found.alarm], ['found', true], 'the coordinator was alarmed');\n"
         "once();\n",
        "m: 2, k: 1, b: 1000, spares: { data: 2, parity: 1 }, recovery: 'onAlarm', slice: 5", &table);
    QCOMPARE(table.rows().size(), std::size_t(3));
    QCOMPARE(table.rows()[0].faults, 0);
    QCOMPARE(table.rows()[1].faults, 1); // one fault, although armed at all processes
    QCOMPARE(table.rows()[2].faults, 1); // and one process is gone
}

void LabFaultsTest::aBucketComesBackOverARoughNetwork_data()
{
    QTest::addColumn<QString>("ways");
    QTest::addColumn<QString>("kinds"); // kinds of messages on that path
    QTest::newRow("udp") << ", recoveryTransport: 'udp'"
                         << "['part', 'part_ack', 'slice_request']";
    QTest::newRow("handshake") << ", tcp: 'handshake'"
                               << "['open_connection', 'connection_ready', 'slice_request']";
    QTest::newRow("udp and rs") << ", recoveryTransport: 'udp', decode: 'rs'"
                                << "['part', 'part_ack', 'slice_request']";
}

void LabFaultsTest::aBucketComesBackOverARoughNetwork()
{
    QFETCH(const QString, ways);
    QFETCH(const QString, kinds);
    play("c.run({ do: 'insert', count: 3000, window: 32 });\n"
         "const before = lab.witness(lab.data(0)), from = lab.here();\n"
         "const rough = lab.net({ drop: 0.3, duplicate: 0.1, reorder: 0.1, jitterMs: 1, kinds: "
            + kinds
            + " });\n"
              "lab.kill(lab.data(0));\n"
              "const done = lab.waitFor('RecoveryFinished', { since: from, timeout: 60 });\n"
              "lab.expect(lab.faults().find(f => f.id === rough.id).achieved.dropped > 0, 'some were lost');\n"
              "lab.heal();\n"
              "lab.settle();\n"
              "const same = before.compare();\n"
              "lab.expectEqual([same.equal, same.extra], [3040, 0], 'all records are back, byte for byte');\n"
              "const time = lab.recoveries({ group: 0, since: from })[0];\n"
              "lab.expectWithin(time.process_s + time.comm_s + time.other_s, time.total_s - 1e-9, time.total_s + 1e-9, "
              "'the times add up');\n"
              "lab.expect(time.process_s > 0 && time.comm_s > 0 && time.transfer_s >= time.comm_s, 'work, and "
              "waiting');\n"
              "lab.expect(time.detect_s > 0 && time.whole_s > time.total_s, 'noticing it is another time: ' + "
              "[time.detect_s, time.whole_s, time.total_s]);\n"
              "lab.expectEqual([time.records, time.slice, time.slices, time.failed_buckets, time.manager], [3040, 200, "
              "16, 1, 0], 'what was done');\n"
              "lab.expectEqual([time.transport, time.tcp], ["
            + QString(ways.contains("udp") ? "'udp'" : "'tcp'") + ", "
            + (ways.contains("handshake") ? "'handshake'" : "'passive'") + "], 'in which way');\n",
        "m: 2, k: 1, b: 10000, spares: { data: 2, parity: 1 }, recovery: 'automatic', slice: 200" + ways);
}

void LabFaultsTest::whatIsWrongIsSaid()
{
    play("lab.expectError('BadArgument', () => lab.partition('rest', 'rest'));\n"
         "lab.expectError('BadArgument', () => lab.partition([c, lab.data(0)], lab.data(0)));\n"
         "lab.expectError('BadArgument', () => lab.net({ from: 'nobody', drop: 1 }));\n"
         "lab.expectError('BadArgument', () => lab.net({ kinds: 'dleta', drop: 1 }));\n"
         "lab.expectError('BadArgument', () => lab.net({ bytesPerSecond: 'fast' }));\n"
         "lab.expectError('BadArgument', () => lab.net({ drop: 2 }));\n"
         "lab.expectError('BadArgument', () => lab.heal('it'));\n"
         "lab.expectError('Refused', () => lab.heal({ id: 3, kind: 'kill' }));\n"
         "lab.net({ lease: 1 });\n"
         "lab.expectEqual(lab.faults(), [], 'nothing but zeros leaves no trace');\n");
}

void LabFaultsTest::aProcessEndsItselfAtAStepOfTheProtocol()
{
    play("const victim = lab.bucket(lab.data(0)).process;\n"
         "const fault = lab.kill(lab.data(0), { at: 'SplitPrepared' });\n"
         "lab.expectEqual([fault.kind, fault.at, fault.count, fault.victims], ['kill', 'SplitPrepared', 1, [victim]], "
         "'it is armed');\n"
         "lab.expectEqual(lab.faults().map(f => [f.kind, f.requested.at, f.processes]), [['crash', 'split_prepared', "
         "[victim]]], 'and listed');\n"
         "lab.expectEqual(lab.bucket(lab.data(0)).process, victim, 'it still serves');\n"
         "const from = lab.here();\n"
         "c.run({ do: 'insert', count: 40, window: 4, timeout: 60 });\n" // overflows, so that bucket 0 has to split
         "const failed = lab.waitFor('BucketFailed', { since: from, timeout: 30 });\n"
         "lab.expectEqual([failed.role, failed.index], ['DATA', 0], 'it ended at that step');\n"
         "lab.expectNone('SplitPrepared', { since: from, where: e => e.process === victim });\n"
         "lab.waitFor('RecoveryFinished', { since: from, timeout: 60 }); lab.settle({ timeout: 60 });\n"
         "lab.expectEqual([lab.audit().unequal, c.verify().equal], [0, 80], 'nothing is missing');\n"
         "lab.expect(lab.file().M > 1, 'and the file has grown all the same');\n"
         "lab.expectEqual(lab.restart(fault).processes, [victim], 'back as a spare');\n",
        "m: 2, k: 1, b: 60, spares: { data: 4, parity: 3 }");
}

void LabFaultsTest::aKillThatWaitsCanBeHealed()
{
    play("const fault = lab.kill([lab.data(0)][0], { at: 'SliceStored', count: 3, lease: 30 });\n"
         "lab.expectEqual([fault.count, fault.lease_s], [3, 30], 'the third, for half a minute');\n"
         "lab.expectEqual(lab.faults()[0].achieved.eventsLeft, 3, 'none so far');\n"
         "lab.expectEqual([lab.heal(fault), lab.faults()], [1, []], 'it does not wait any more');\n"
         "lab.expectError('BadArgument', () => lab.kill(lab.data(0), { at: 'SplitPrepard' }));\n"
         "lab.expectError('BadArgument', () => lab.kill(lab.data(0), { at: 3 }));\n"
         "lab.expectError('Refused', () => lab.heal(lab.kill(lab.spare('data'))));\n"
         "const short = lab.kill(lab.data(0), { at: 'SliceStored', lease: 0.3 });\n"
         "lab.waitUntil(() => lab.faults().length === 0);\n"
         "lab.expectEqual(c.search(lab.keysFor(lab.data(0), 1, { existing: true })[0]).result, 'found', 'its lease is "
         "over, and it lives');\n");
}

void LabFaultsTest::aCoordinatorComesBackOnItsAddress()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 40, spares: { data: 9, parity: 6 } }); const c = lab.client('alice');\n"
        "c.run({ do: 'insert', count: 60, window: 8 }); lab.settle();\n"
        "const before = lab.file(), key = lab.keysFor(lab.data(1), 1, { existing: true })[0];\n"
        "const dead = lab.kill(lab.coordinator());\n"
        "lab.expectEqual(dead.victims, ['coordinator'], 'it is gone');\n"
        "lab.expectEqual([c.search(key).result, c.insert('900000000').result], ['found', 'inserted'], 'key operations "
        "go on');\n"
        "lab.expectError('Unreachable', () => lab.file());\n"
        "lab.expectError('Unreachable', () => lab.split());\n"
        "const slow = lab.net({ from: lab.data(1), delayMs: 1 }); lab.expectEqual(slow.processes.length, 1, 'targets "
        "are known from events');\n"
        "lab.heal(slow);\n"
        "lab.expectEqual(lab.restart(dead).processes, ['coordinator'], 'another process at its address');\n"
        "const rebuilt = lab.waitFor('CoordinatorRebuilt');\n"
        "lab.expectEqual(rebuilt.buckets, before.M, 'from its buckets alone');\n"
        "const after = lab.settle();\n"
        "lab.expectEqual([after.i, after.n, after.M, after.K], [before.i, before.n, before.M, before.K], 'the same "
        "file');\n"
        "const grown = lab.split(); lab.expectEqual(grown.newBucket, before.M, 'it grows on');\n"
        "c.run({ do: 'insert', count: 60, window: 8 }); lab.settle();\n"
        "lab.expectEqual([lab.audit().unequal, c.verify().equal], [0, 121], 'nothing is missing');\n"
        "lab.client('bob').insert(); lab.addSpares({ data: 1 });\n"); // both have its old address
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    // All watchers follow the new one.
    const ClusterState seen = stage.session.ingest().state();
    const ProcessId now = stage.session.control().coordinator();
    std::vector<ProcessId> coordinators;
    for (const auto& [id, process] : seen.processes)
        if (process.kind == pb::COORDINATOR) {
            coordinators.push_back(id);
            QCOMPARE(process.hasEnded, id != now);
        }
    QCOMPARE(coordinators.size(), std::size_t(2));
    QVERIFY(seen.file.exists && !seen.file.isBeingFound);
    QCOMPARE(std::size_t(seen.file.buckets), seen.data.size());
    QVERIFY(stage.session.control().coordinatorAnswers());
}

void LabFaultsTest::aCoordinatorThatRunsIsReplaced()
{
    play("lab.restart(lab.coordinator());\n"
         "lab.waitFor('CoordinatorRebuilt');\n"
         "lab.settle(); lab.expectEqual([lab.file().M, c.verify().equal], [1, 40], 'the same file');\n"
         "lab.pause(lab.coordinator(), { lease: 0.5 }); lab.waitUntil(() => lab.faults().length === 0);\n"
         "lab.expectEqual(lab.settle().M, 1, 'one that slept goes on');\n");
}

// A machine that was suspended wakes its processes one after the other. The pause is longer than the permitted silence,
// and the coordinator is the first to notice how late it is.
void LabFaultsTest::aClientThatWakesAfterTheCoordinatorIsKnownAgain()
{
    play("c.run({ count: 50 }); lab.settle();\n"
         "const run = c.start({ do: 'mixed', count: 300, rate: 100, mix: { update: 1, search: 1 }, timeout: 120 });\n"
         "lab.pause([lab.process('alice'), lab.data(0), lab.parity(0, 0)], { lease: 12.6 });\n"
         "lab.pause(lab.coordinator(), { lease: 12 });\n"
         "lab.waitUntil(() => lab.faults().length === 0, { timeout: 60 });\n"
         "lab.expectEqual(run.wait().operations, 300, 'the workload went on to its end');\n"
         "lab.settle(); const read = c.verify();\n"
         "lab.expectEqual([read.equal, read.missing, read.wrong, lab.audit().unequal], [90, 0, 0, 0], 'and nothing is "
         "lost');\n",
        "m: 4, k: 1, b: 1000, spares: { data: 3, parity: 2 }");
}

void LabFaultsTest::aFileRecoversByHand()
{
    play("lab.expectError('Refused', () => lab.recover({ group: 0 }));\n" // nothing has failed
         "lab.expectError('BadArgument', () => lab.recover({ group: 9 }));\n"
         "const before = lab.witness(lab.data(0)), records = lab.file().records;\n"
         "lab.kill(lab.data(0));\n"
         "const missed = lab.here();\n"
         "c.start({ do: 'update', count: 1 });\n" // a client that misses it does not start a recovery
         "lab.expectEqual(lab.group(0).kEffective, 2, 'nobody has declared anything');\n"
         "lab.expectError('BadArgument', () => lab.recover({ group: 0, slice: 0 }));\n"
         "const t = lab.recover({ group: 0, slice: 7, decode: 'rs' });\n"
         "lab.expectEqual([t.what, t.group, t.failed, t.records], ['bucket recovery', 0, ['data 0'], records], 'by "
         "hand');\n"
         "lab.expectEqual([t.slice, t.slices, t.decode], [7, Math.ceil(records / 7), 'rs'], 'as ordered');\n"
         "lab.expect(t.total_s >= t.process_s + t.comm_s - 1e-9 && t.process_s > 0 && t.whole_s > t.total_s && t.bytes "
         "> 0, 'with its times');\n"
         "lab.settle(); lab.expectEqual(before.compare().missing, 0, 'all records are back');\n"
         "lab.kill(lab.parity(0, 0));\n"
         "const p = lab.recover({ group: 0 });\n"
         "lab.expectEqual([p.failed, p.records], [['parity 0.0'], null], 'parity is filled anew');\n"
         "lab.settle(); lab.expectEqual([lab.audit().unequal, lab.group(0).state], [0, 'up'], 'whole');\n",
        "m: 2, k: 2, b: 1000, recovery: 'manual', spares: { data: 3, parity: 4 }");
}

void LabFaultsTest::thePolicyOfRecoveryOutlivesItsCoordinator()
{
    play("const from = lab.here();\n"
         "lab.expectEqual([lab.recovery(), lab.recovery('manual'), lab.recovery()], ['automatic', 'automatic', "
         "'manual'], 'changed while the file lives');\n"
         "lab.waitFor('RecoveryWayChanged', { where: { recovery: 'RECOVERY_MANUAL' }, since: from });\n"
         "lab.restart(lab.coordinator()); lab.settle();\n"
         "lab.expectEqual(lab.recovery(), 'manual', 'its successor was started as the first one, and has learned of "
         "it');\n"
         "lab.expectWithin(lab.bucket(lab.data(0)).lease_s, 0, 60, 'a lease runs, scaled if the machine is slow');\n"
         "lab.expectEqual(lab.bucket(lab.manager(0)).number, 0, 'the first parity bucket would be the manager');\n"
         "const dead = lab.kill(lab.data(0));\n"
         "lab.expectError('Refused', () => lab.recover({ manager: 5 }));\n"
         "lab.expectError('BadArgument', () => lab.recover({ manager: 'first' }));\n"
         "lab.expectEqual(lab.recover({ manager: 1 }).manager, 1, 'as ordered');\n"
         "lab.settle(); lab.expectEqual(c.verify().equal, 40, 'all records are back');\n"
         "lab.restart(dead); lab.cluster({ m: 2, k: 2, b: 1000, spares: { data: 3, parity: 4 }, reset: false });\n"
         "lab.expectEqual([lab.recovery(), lab.file().records], ['automatic', 40], 'a cluster that is kept has what "
         "the script wants');\n",
        "m: 2, k: 2, b: 1000, spares: { data: 3, parity: 4 }");
}

void LabFaultsTest::operationsAreDueAtTheirTimes()
{
    play("const done = c.run({ do: 'search', keys: 'zipf', skew: 1.2, rate: 500, count: 50 });\n"
         "lab.expectEqual(done.results, { ok: 50 }, 'each was answered');\n"
         "lab.expect(done.total_s >= 0.098 && done.behind_ms >= 0, 'the last one was due after 98 ms');\n"
         "lab.expectEqual(c.run({ do: 'search', count: 1 }).behind_ms, undefined, 'without a rate nothing is due');\n"
         "const bob = lab.client('bob', { timeout: 0.3 }); lab.client('bob', { timeout: null });\n"
         "lab.expectError('BadArgument', () => lab.client('bob', { timeout: 9 }));\n"
         "bob.update(lab.keysFor(lab.data(0), 1, { existing: true })[0]); lab.settle();\n"
         "const read = c.verify({ place: lab.data(0) });\n"
         "lab.expectEqual([read.equal, read.newer, read.older, read.wrong, read.missing], [39, 1, 0, 0, 0], 'one value "
         "is of another client');\n"
         "lab.expectError('BadArgument', () => c.verify({ place: lab.parity(0, 0) }));\n");
}

void LabFaultsTest::aRecoveryByHandNeedsSpares()
{
    play("lab.kill(lab.data(0));\n"
         "lab.expectError('NoSpares', () => lab.recover());\n"
         "lab.expectEqual(lab.group(0).failed, ['data 0'], 'it is declared, and waits');\n"
         "const key = 0; lab.addSpares({ data: 1 });\n"
         "lab.waitUntil(() => lab.group(0).state === 'up', { timeout: 30 });\n"
         "lab.settle(); lab.expectEqual(c.verify().equal, 40, 'a spare came');\n",
        "m: 2, k: 1, b: 1000, recovery: 'manual', spares: { data: 1, parity: 1 }");
}

void LabFaultsTest::aLossIsAcknowledged()
{
    play("lab.expectError('Refused', () => lab.acknowledgeLoss(0));\n"
         "c.run({ do: 'insert', count: 40, window: 8 }); lab.settle(); while (lab.file().M < 2) lab.split(); "
         "lab.settle();\n"
         "const from = lab.here(), key = lab.records(lab.data(0), { count: 1 })[0].key;\n"
         "lab.kill(lab.data([0, 1]));\n"
         "lab.waitFor('GroupLost', { since: from, timeout: 60 });\n"
         "lab.expectError('Refused', () => lab.recover({ group: 0 }));\n"
         "lab.expectEqual(c.search(key).result, 'lost', 'said plainly');\n"
         "const noted = lab.acknowledgeLoss(0, { timeout: 60 });\n"
         "lab.expectEqual(noted, { group: 0, buckets: [0, 1] }, 'they come back empty');\n"
         "lab.settle({ timeout: 60 });\n"
         "lab.expectEqual([lab.file().records, lab.group(0).state, lab.audit().unequal], [0, 'up', 0], 'an empty "
         "file');\n"
         "lab.expectEqual(c.insert('77').result, 'inserted', 'that takes records');\n"
         "lab.expectError('Refused', () => lab.acknowledgeLoss(0));\n",
        "m: 2, k: 1, b: 1000, spares: { data: 5, parity: 3 }");
}

QTEST_GUILESS_MAIN(LabFaultsTest)
#include "tst_lab_faults.moc"
