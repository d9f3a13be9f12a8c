// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts ask about the file and its buckets, on a simulated cluster.
#include "tests/rigs/lab/lab_stage.h"

#include <QTest>

using namespace lhrs::gui;

class LabStructureTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsNotKeptIsNotLeftOutInSilence();
    void unusedKeysAreCountedFromWhereOneSays();
};

void LabStructureTest::unusedKeysAreCountedFromWhereOneSays()
{
    ClusterStage stage;
    stage.session.local().preferSimulated({});
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 10, spares: { data: 4, parity: 3 } });\n"
        "const c = lab.client('alice'); c.run({ do: 'insert', count: 12 }); lab.settle();\n"
        "lab.expectEqual(lab.file().M, 2, 'one split: even keys are in bucket 0');\n"
        "lab.expectEqual(lab.keysFor(lab.data(0), 3, { first: 501 }), [502, 504, 506], 'the first that fit');\n"
        "lab.expectEqual(lab.keysFor(lab.data(0), 2, { first: 501 }), [508, 510], 'each is given once');\n"
        "lab.expectEqual(lab.keysFor(lab.data(1), 2, { first: 0 }), [13, 15], 'those that are stored are none');\n"
        "lab.expect(lab.keysFor(lab.data(0))[0] > 1e11, 'otherwise they are far from all workloads');\n"
        "lab.expectError('BadArgument', () => lab.keysFor(lab.data(0), 1, { existing: true, first: 0 }));\n"
        "lab.expectError('BadArgument', () => lab.keysFor(lab.data(0), 1, { first: -1 }));");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void LabStructureTest::whatIsNotKeptIsNotLeftOutInSilence()
{
    ClusterStage stage;
    stage.session.local().preferSimulated(SimulatedOptions { 1, 0 }); // as fast as possible, also between two calls
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 10, spares: { data: 8, parity: 3 } });\n"
        "const from = lab.here(); lab.client('alice').run({ do: 'insert', count: 20 });\n"
        "const known = lab.waitFor('FileCreated', { since: { eventIndex: 0 } });\n"
        "lab.waitUntil(() => lab.here().eventIndex - from.eventIndex > 210000, { timeout: 1e6 });\n"
        "let said = ''; try { lab.events({ kind: 'SplitFinished', since: from }); } catch (e) { said = e.code + ': ' + "
        "e.message; }\n"
        "lab.expect(/^Refused: [0-9]+ events since then are no longer kept/.test(said), 'no half of a list: ' + "
        "said);\n"
        "lab.expectError('Refused', () => lab.expectNone('SplitFinished', { since: from }));\n"
        "lab.expectError('Refused', () => lab.waitFor('SplitFinished', { since: from, timeout: 0.1 }));\n"
        // For rare events it is known whether any of them were lost.
        "lab.expectError('Timeout', () => lab.waitFor('GroupLost', { since: from, timeout: 0.1 }));\n"
        "lab.expectNone('GroupLost', { since: from }); lab.expectEqual(lab.events({ kind: 'GroupLost', since: from }), "
        "[], 'none of it');\n"
        "lab.expectEqual(lab.waitFor('Gauges', { since: from }).kind, 'Gauges', 'what is found is found');\n"
        "lab.expect(lab.events({ limit: 3 }).length === 3, 'without since: the newest that are kept');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

QTEST_GUILESS_MAIN(LabStructureTest)
#include "tst_lab_structure.moc"
