// SPDX-License-Identifier: GPL-3.0-or-later
// What scripts ask about the file and its buckets, on a simulated cluster.
#include "tests/lab_stage.h"

#include <QTest>

using namespace lhrs::gui;

class LabStructureTest : public QObject {
    Q_OBJECT

private slots:
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

QTEST_GUILESS_MAIN(LabStructureTest)
#include "tst_lab_structure.moc"
