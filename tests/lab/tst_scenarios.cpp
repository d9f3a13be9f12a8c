// SPDX-License-Identifier: GPL-3.0-or-later
// The scenarios of failures, run headless with real processes; and the calls that cause failures.
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "tests/rigs/lab/lab_stage.h"

#include <QFile>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

class ScenariosTest : public QObject {
    Q_OBJECT
private slots:
    void theScenarioHoldsHeadless_data();
    void theScenarioHoldsHeadless();
    void aPausedProcessStandsStillUntilItsLeaseEnds();
    void aPausedProcessIsResumedByHand();
    void aClusterWithAPausedProcessEnds();
    void aKilledServerComesBackAsAnEmptySpare();
    void faultsAreRefusedInWords();
    void aWitnessTellsWhatChanged();
    void aBucketThatDoesNotAnswerIsDescribed();
    void theCameraIsPointedAtAClient();
};

void ScenariosTest::theScenarioHoldsHeadless_data()
{
    QTest::addColumn<int>("expectationsMin");
    QTest::newRow("demo.js") << 24;
    QTest::newRow("recover_k.js") << 15;
    QTest::newRow("degraded_search.js") << 15;
    QTest::newRow("beyond_k.js") << 12;
    QTest::newRow("stale_image.js") << 10;
    QTest::newRow("raise_availability.js") << 10;
    QTest::newRow("walk.js") << 20;
}

void ScenariosTest::theScenarioHoldsHeadless()
{
    QFETCH(const int, expectationsMin);
    ClusterStage stage;
    const ScriptResult result = stage.play(textOf(LHRS_SOURCE_DIR "/scenarios/" + QString(QTest::currentDataTag())));
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    QVERIFY(result.expectationsHeld >= expectationsMin);
    const ClusterState seen = stage.session.ingest().state();
    if (!seen.isOfLhrs()) {
        QCOMPARE(seen.ring.inRing().size(), std::size_t(16)); // the last ring that it measured
        return;
    }
    // The fold agrees with the coordinator's description of the groups.
    pb::Command describe;
    describe.mutable_describe_file();
    const Answer answer = stage.session.control().callAndWait(stage.session.control().coordinator(), describe, 10s);
    QVERIFY2(bool(answer), answer.text.c_str());
    for (const auto& group : answer.reply.file().groups()) {
        const GroupState& told = seen.groups.at(group.number());
        QCOMPARE(told.state, group.view().state());
        QCOMPARE(told.epoch, group.view().epoch());
        QCOMPARE(told.k, group.k());
        QCOMPARE(told.kEffective(), group.view().state() == pb::GROUP_LOST ? 0u : group.k());
        QVERIFY(told.down.empty());
        QVERIFY(!told.recovery.isUnderWay());
    }
}

void ScenariosTest::aPausedProcessStandsStillUntilItsLeaseEnds()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ k: 0, b: 50, spares: { data: 2, parity: 0 } });\n"
        "const c = lab.client('alice'); c.insert(1);\n"
        "const fault = lab.pause(lab.data(0), { lease: 0.4 });\n"
        "lab.expectEqual([fault.kind, fault.victims.length, fault.lease_s], ['pause', 1, 0.4], 'a fault');\n"
        "lab.expectEqual(lab.faults().map(f => [f.kind, f.processes]), [['pause', fault.victims]], 'it stands "
        "still');\n"
        "lab.expectEqual(c.search(1).result, 'found', 'answered after the lease');\n"
        "lab.waitUntil(() => lab.faults().length === 0);");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void ScenariosTest::aPausedProcessIsResumedByHand()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ k: 0, b: 50, spares: { data: 2, parity: 0 } });\n"
        "const c = lab.client('alice'); c.insert(1);\n"
        "const fault = lab.pause(lab.data(0));\n"
        "lab.expectError('Refused', () => lab.resume(lab.spare('data')));\n"
        "lab.expectEqual(lab.resume(fault).victims, fault.victims, 'resumed');\n"
        "lab.expectEqual(c.search(1).result, 'found', 'and it answers');\n"
        "lab.expectError('Refused', () => lab.resume(lab.data(0)));\n"
        "lab.pause(lab.data(0)); lab.expectEqual([lab.heal(), lab.faults()], [1, []], 'heal ends pauses, too');\n"
        "lab.expectEqual(c.search(1).result, 'found', 'and it answers again');\n"
        "lab.pause(lab.data(0)); lab.kill(lab.data(0));\n"
        "lab.expectEqual(lab.faults(), [], 'a paused process can be killed');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void ScenariosTest::aClusterWithAPausedProcessEnds()
{
    ClusterStage stage;
    const ScriptResult result = stage.play("lab.cluster({ k: 0, b: 50, spares: { data: 3, parity: 0 } }); "
                                           "lab.pause(lab.data(0)); lab.pause(lab.coordinator());");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    stage.session.local().stop();
    QCOMPARE(stage.session.local().processes(), std::size_t(0));
}

void ScenariosTest::aKilledServerComesBackAsAnEmptySpare()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 50, recovery: 'automatic', spares: { data: 2, parity: 2 } });\n"
        "const c = lab.client('alice'); c.run({ do: 'insert', count: 20 });\n"
        "const name = lab.bucket(lab.data(0)).process;\n"
        "const fault = lab.kill(lab.data(0));\n"
        "lab.expectEqual(fault.victims, [name], 'its victim');\n"
        "lab.waitFor('RecoveryFinished', { timeout: 30 }); lab.settle();\n"
        "lab.expectEqual(lab.spares().data, 0, 'its place took the last spare');\n"
        "lab.expectEqual(lab.restart(fault).processes, [name], 'the same program');\n"
        "lab.waitUntil(() => lab.spares().data === 1);\n"
        "lab.expect(lab.bucket(lab.data(0)).process !== name, 'it is not the bucket again');\n"
        "lab.expectEqual(c.verify().equal, 20, 'all records');\n"
        "lab.restart(lab.data(0)); lab.waitFor('RecoveryFinished', { timeout: 30 }); lab.settle();\n"
        "lab.expectEqual(c.verify().equal, 20, 'one that runs is ended first');\n"
        "lab.expectError('Refused', () => lab.restart(lab.process('alice')));");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    const ClusterState seen = stage.session.ingest().state();
    QVERIFY(std::count_if(seen.processes.begin(), seen.processes.end(), [](const auto& p) { return p.second.hasEnded; })
        >= 2);
}

void ScenariosTest::faultsAreRefusedInWords()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ k: 0, b: 50, spares: { data: 2, parity: 0 } });\n"
        "const words = (f, part) => { try { f(); } catch (e) { lab.expect(e.message.includes(part), e.message); "
        "return; } lab.expect(false, part); };\n"
        "words(() => lab.kill(lab.data(7)), 'does not exist');\n"
        "words(() => lab.restart({ a: 1 }), 'needs a target');\n"
        "words(() => lab.pause(lab.data(0), { lease: -1 }), 'must be 0.01 to 3600');\n"
        "words(() => lab.witness(lab.coordinator()), 'of buckets');\n"
        "lab.kill(lab.spare('data', 0));\n"
        "lab.kill(lab.data(0));\n"
        "words(() => lab.kill(lab.data(0)), 'has ended already');\n"
        "words(() => lab.witness(lab.data(0)), 'cannot be read');\n"
        "words(() => lab.settle({ timeout: 0.2 }), 'no process has missed it');\n"
        "lab.expectEqual(lab.file().records, null, 'a sum that nobody knows');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    ScriptSettings settings;
    settings.mayStartCluster = false;
    const ScriptResult foreign = stage.play("lab.kill(lab.data(0));", settings);
    QCOMPARE(foreign.code, QString("NoCluster"));
}

void ScenariosTest::aWitnessTellsWhatChanged()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ k: 1, b: 50, spares: { data: 1, parity: 1 } });\n"
        "const c = lab.client('alice'); c.run({ do: 'insert', count: 10 });\n"
        "const rows = lab.records(lab.data(0)), w = lab.witness(lab.data(0), { pin: [rows[0].rank] }), parity = "
        "lab.witness(lab.parity(0, 0));\n"
        "const same = w.compare();\n"
        "lab.expectEqual([same.records, same.equal, same.changed, same.missing, same.extra], [10, 10, 0, 0, 0], "
        "'nothing has changed');\n"
        "c.update(rows[0].key); c.delete(rows[1].key); c.delete(rows[2].key); c.insert(); c.insert(); c.insert(); "
        "lab.settle();\n"
        "const now = w.compare();\n"
        "lab.expectEqual([now.records, now.equal, now.changed + now.missing, now.extra], [10, 7, 3, 1], 'one updated, "
        "two replaced by others, one more');\n"
        "lab.expectEqual([now.pinned.length, now.pinned[0].equal, now.pinned[0].before], [1, false, rows[0].hex], 'the "
        "bytes before');\n"
        "lab.expect(now.pinned[0].now !== now.pinned[0].before, 'and those now');\n"
        "lab.expectEqual(parity.compare().equal, 7, 'the parity of the others is the same');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void ScenariosTest::aBucketThatDoesNotAnswerIsDescribed()
{
    ClusterStage stage;
    const ScriptResult result = stage.play(
        "lab.cluster({ m: 2, k: 1, b: 50, recovery: 'automatic', spares: { data: 1, parity: 1 } });\n"
        "lab.client('alice').run({ do: 'insert', count: 10 });\n"
        "const before = lab.bucket(lab.data(0));\n"
        "lab.kill(lab.data(0));\n"
        "lab.expect(['process gone', 'failed'].includes(lab.bucket(lab.data(0)).state), 'at once');\n"
        "lab.waitUntil(() => lab.group(0).state === 'degraded');\n"
        "const bucket = lab.bucket(lab.data(0));\n"
        "lab.expectEqual([bucket.state, bucket.records, bucket.process], ['failed', null, before.process], 'what the "
        "coordinator knows');\n"
        "lab.expectEqual([lab.group(0).kEffective, lab.group(0).failed], [0, ['data 0']], 'its group');\n"
        "const found = lab.client('alice').search(lab.client('alice').verify().keys === 10 ? lab.records(lab.parity(0, "
        "0))[0].members[0].key : 0);\n"
        "lab.expectEqual([found.result, found.path], ['found', 'record recovery'], 'without its bucket');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void ScenariosTest::theCameraIsPointedAtAClient()
{
    ClusterStage stage;
    const ScriptResult result = stage.play("lab.cluster({ m: 2, k: 0, b: 50, spares: { data: 1, parity: 0 } });\n"
                                           "const alice = lab.client('alice'), bob = lab.client('bob');\n"
                                           "lab.expectError('BadArgument', () => lab.camera({ fit: { bob: 1 } }));\n"
                                           "lab.camera({ view: 'image', fit: bob });");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    QCOMPARE(stage.listener.wish.fit, QString("client bob"));
}

QTEST_GUILESS_MAIN(ScenariosTest)
#include "tst_scenarios.moc"
