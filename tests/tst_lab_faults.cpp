// SPDX-License-Identifier: GPL-3.0-or-later
// Faults from scripts, against real processes (window.md 4.4).
#include "gui/lab/fault_sentences.h"
#include "gui/lab/local_cluster.h"
#include "tests/lab_stage.h"

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
    void aPartitionEndsWithItsLease();
    void whatIsWrongIsSaid();

private:
    // Plays the script with a small file, a client `c` and 40 records.
    static void play(const QString& script);
};

void LabFaultsTest::aFaultSaysWhatItDoesAndWhatItDid_data()
{
    QTest::addColumn<QString>("fault"); // text format
    QTest::addColumn<QString>("does");
    QTest::addColumn<QString>("did");
    QTest::newRow("net") << "network { drop: 0.2 delay_ms: 50 jitter_ms: 10 way: OUTGOING }"
                         << "loses 20 % and delays by 50 to 60 ms of what it sends to everybody"
                         << "10 messages: 2 lost and 8 delayed by 55 ms on average";
    QTest::newRow("kinds") << "network { duplicate: 1 kinds: \"delta\" way: INCOMING peers { node: 3 } }"
                           << "doubles 100 % of the messages (delta) that it gets from 1 process"
                           << "10 messages: 2 lost and 8 delayed by 55 ms on average";
    QTest::newRow("partition") << "partition { all_but_peers: true peers { node: 3 } peers { node: 4 } }"
                               << "is cut off from all but 2 processes"
                               << "10 messages: 2 lost and 8 delayed by 55 ms on average";
    QTest::newRow("pause") << "pause { }" << "is paused" << "paused for 1.5e+03 ms";
    QTest::newRow("crash") << "crash { at: \"slice_stored\" count: 3 }"
                           << "is to end itself at event slice_stored number 3" << "the event did not come";
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

void LabFaultsTest::play(const QString& script)
{
    Stage stage;
    stage.session.local().setProgramDirectory(LHRS_BIN_DIR);
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 1000, spares: { data: 2, parity: 1 } }); const c = lab.client('alice');"
        "c.run({ do: 'insert', count: 40, window: 8 });" + script);
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence()));
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

QTEST_GUILESS_MAIN(LabFaultsTest)
#include "tst_lab_faults.moc"
