// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of a ring that walks, with real and simulated processes; and which calls are refused on the wrong system.
#include "gui/lab/live/ingest.h"
#include "tests/rigs/lab/lab_stage.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

class LabRingTest : public QObject {
    Q_OBJECT

private slots:
    void aRingIsMadeChangedAndAsked_data();
    void aRingIsMadeChangedAndAsked();
    void nothingIsLostWhileNodesComeAndGo_data();
    void nothingIsLostWhileNodesComeAndGo();
    void aNodeThatEndsBreaksTheRing();
    void itsMasterIsNotStartedAgain_data();
    void itsMasterIsNotStartedAgain();
    void whatIsOfTheOtherSystemIsRefused();
    void aFileAndARingFollowEachOther();
    void aConnectedClusterOfTheOtherSystemIsNamed();
    void anExerciseIsJudgedInARing();
    void theSameSeedGivesTheSameTables();
    void questionsOfOneCallHaveOneOrder();

private:
    static void prefer(ClusterStage& stage, bool isSimulated)
    {
        if (isSimulated)
            stage.session.local().preferSimulated(SimulatedOptions { .seed = 7, .speed = 0, .waitsForScript = true });
    }
    static void eitherWay()
    {
        QTest::addColumn<bool>("isSimulated");
        QTest::newRow("real processes") << false;
        QTest::newRow("simulated") << true;
    }
};

void LabRingTest::aRingIsMadeChangedAndAsked_data() { eitherWay(); }

void LabRingTest::aRingIsMadeChangedAndAsked()
{
    QFETCH(const bool, isSimulated);
    ClusterStage stage;
    prefer(stage, isSimulated);
    const ScriptResult result = stage.play(
        "const made = lab.cluster({ system: 'walk', nodes: 5, outside: 2, bits: 16, recordBytes: 30 });\n"
        "lab.expectEqual([made.system, made.nodes, made.outside, made.bits, made.recordBytes], ['walk', 5, 2, 16, 30], "
        "'as it was wanted');\n"
        "const ring = lab.ring(), ids = ring.nodes.map(n => n.id);\n"
        "lab.expectEqual([ring.nodes.length, ring.outside.length, ring.keys, ring.atRest, ring.broken, ring.underWay], "
        "[5, 2, 0, true, null, null], 'at rest');\n"
        "lab.expectEqual(ids, ids.slice().sort((a, b) => a - b), 'by id'); lab.expect(ids[4] < 65536, '16 bits');\n"
        "ring.nodes.forEach((n, i) => lab.expectEqual([n.from, n.successor], [ids[(i + 4) % 5], ring.nodes[(i + 1) % "
        "5].name], n.name));\n"
        "const c = lab.client('alice');\n"
        "lab.expectEqual([c.insert(1, 'one').result, c.update(1, 'uno').result, c.search(1).value], ['inserted', "
        "'updated', 'uno'], 'a key');\n"
        "lab.expectEqual([c.delete(1).result, c.search(1).result], ['deleted', 'not found'], 'is gone');\n"
        "c.insert(2, 'two'); const found = c.lookUp(2);\n"
        "lab.expectEqual([found.result, found.value, found.key], ['found', 'two', 2], 'looked up');\n"
        "const at = ring.nodes.findIndex(n => n.name === found.owner);\n"
        "for (let d = 0; d < 5; ++d)\n"
        "    lab.expectEqual(c.lookUp(2, { via: lab.process(ring.nodes[(at + 5 - d) % 5].name) }).steps, d, d + ' "
        "steps before its owner');\n"
        "lab.expectEqual(c.lookUp(99).result, 'not found', 'nobody has it');\n"
        "lab.expectEqual(c.lookUpAll([2, 99]), { nodes: 5, lookUps: 10, found: 5, missing: 5, steps: 2, stepsMost: 4 "
        "}, 'from everywhere');\n"
        "const joined = lab.join({ node: lab.process(ring.outside[1]) });\n"
        "lab.expectEqual([joined.node, lab.ring().nodes.length, lab.ring().outside], [ring.outside[1], 6, "
        "[ring.outside[0]]], 'joined');\n"
        "const left = lab.leave(lab.process(joined.node));\n"
        "lab.expectEqual([left.node, left.keys, left.change], [joined.node, joined.keys, joined.change + 1], 'left');\n"
        "const again = lab.settle(); lab.expectEqual([again.nodes, again.keys], [lab.ring().nodes, 1], 'settle gives "
        "the ring');\n"
        "lab.expectError('Refused', () => lab.join({ node: lab.process(ring.nodes[0].name) }));\n"
        "lab.expectError('Refused', () => lab.leave(lab.process(joined.node)));\n"
        "lab.expectError('BadArgument', () => lab.leave(lab.coordinator()));\n"
        "lab.expectError('BadArgument', () => c.lookUp(2, { via: lab.process('node-77') }));");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    const ClusterState state = stage.session.ingest().state();
    QCOMPARE(state.ring.inRing().size(), std::size_t(5));
    QCOMPARE(state.ring.joins, std::uint64_t(5));
    QCOMPARE(state.ring.leaves, std::uint64_t(1));
}

void LabRingTest::nothingIsLostWhileNodesComeAndGo_data() { eitherWay(); }

void LabRingTest::nothingIsLostWhileNodesComeAndGo()
{
    QFETCH(const bool, isSimulated);
    ClusterStage stage;
    prefer(stage, isSimulated);
    const ScriptResult result = stage.play(
        "lab.cluster({ system: 'walk', nodes: 4, outside: 2 });\n"
        "const c = lab.client('alice'), mix = { insert: 2, update: 1, delete: 1, search: 2 };\n"
        "c.run({ do: 'insert', count: 200, window: 8 });\n"
        "const work = c.start({ do: 'mixed', mix: mix, count: 1500, rate: 1500 });\n"
        "for (let i = 0; i < 3; ++i) { lab.join(); lab.join(); for (const n of lab.ring().nodes.slice(0, 2)) "
        "lab.leave(lab.process(n.name)); }\n"
        "lab.expect(work.progress().done < 1500, 'it was at work meanwhile');\n"
        "const done = work.wait(); lab.settle();\n"
        "lab.expectEqual([done.operations, done.unanswered, done.wrong, done.missing], [1500, 0, 0, 0], 'all are "
        "answered, and right');\n"
        "const kept = c.verify(); lab.expect(kept.keys > 200, 'many keys');\n"
        "lab.expectEqual([kept.equal, kept.missing, kept.wrong, lab.ring().keys], [kept.keys, 0, 0, kept.keys], "
        "'nothing is lost');\n"
        "const t = lab.measure({ name: 'steps', repetitions: 2, run: () => { const r = c.run({ do: 'search', count: 20 "
        "}); return { steps: r.forwards / 20 }; } });\n"
        "lab.expectWithin(t.summary()[0].steps.median, 0, 3, 'measured');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    QCOMPARE(stage.session.ingest().state().ring.leaves, std::uint64_t(6));
}

void LabRingTest::aNodeThatEndsBreaksTheRing()
{
    ClusterStage stage;
    prefer(stage, true);
    const ScriptResult result = stage.play(
        "lab.cluster({ system: 'walk', nodes: 4, outside: 1 });\n"
        "const c = lab.client('alice'), ring = lab.ring(), victim = ring.nodes[1].name; c.run({ do: 'insert', count: "
        "40 });\n"
        "const fault = lab.kill(lab.process(victim));\n"
        "lab.expectEqual(lab.waitFor('RingNodeLost').node.id, ring.nodes[1].id, 'it is missed');\n"
        "lab.expect(lab.ring().broken.includes(victim), 'and named'); lab.expectEqual(lab.ring().nodes[1].keys, null, "
        "'what it had is not known');\n"
        "lab.expectError('Refused', () => lab.join());\n"
        "lab.expectError('Timeout', () => lab.settle({ timeout: 1 }));\n"
        "lab.expectError('Timeout', () => c.lookUpAll([1], { timeout: 1 }));\n"
        "lab.restart(fault); lab.expect(lab.ring().broken !== null, 'another process does not have its keys');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    QVERIFY(stage.session.ingest().state().ring.isBroken());
}

void LabRingTest::itsMasterIsNotStartedAgain_data() { eitherWay(); }

void LabRingTest::itsMasterIsNotStartedAgain()
{
    QFETCH(const bool, isSimulated);
    ClusterStage stage;
    prefer(stage, isSimulated);
    const ScriptResult result = stage.play(
        "lab.cluster({ system: 'walk', nodes: 3, outside: 0 }); const c = lab.client('alice'); c.insert(1);\n"
        "const fault = lab.kill(lab.coordinator()); lab.expectEqual(c.search(1).result, 'found', 'the ring goes on');\n"
        "let said = ''; try { lab.restart(fault); } catch (e) { said = e.code + ': ' + e.message; }\n"
        "lab.expect(/^Refused: .*master of a ring keeps its members in memory/.test(said), said);");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void LabRingTest::whatIsOfTheOtherSystemIsRefused()
{
    ClusterStage stage;
    prefer(stage, true);
    const ScriptResult result = stage.play(
        "const said = f => { try { f(); } catch (e) { return e.code + ': ' + e.message; } return 'nothing'; };\n"
        "const bad = said(() => lab.cluster({ system: 'walk', k: 2 }));\n"
        "lab.expectEqual(bad, 'BadArgument: The option k of lab.cluster is for a file of LH*RS, not for a ring.', 'an "
        "option');\n"
        "lab.expectEqual(said(() => lab.cluster({ nodes: 4 })), 'BadArgument: The option nodes of lab.cluster is for a "
        "ring, not for a file of LH*RS.', 'the other way');\n"
        "lab.expectError('BadArgument', () => lab.cluster({ system: 'chord' }));\n"
        "lab.cluster({ system: 'walk', nodes: 2, outside: 0 }); const c = lab.client('alice');\n"
        "const calls = { 'lab.file': () => lab.file(), 'lab.split': () => lab.split(), 'lab.audit': () => lab.audit(), "
        "'lab.spares': () => lab.spares(), 'lab.data': () => lab.data(0),\n"
        "    'client.image': () => c.image(), 'client.scan': () => c.scan(), 'lab.recover': () => lab.recover({ group: "
        "0 }), 'lab.invariants': () => lab.invariants() };\n"
        "for (const name in calls)\n"
        "    lab.expectEqual(said(calls[name]), 'ClusterMismatch: ' + name + ' is for a file of LH*RS; this cluster is "
        "a ring.', name);\n"
        "lab.cluster({ k: 0, spares: { data: 1, parity: 0 } }); const b = lab.client('bob');\n"
        "for (const [name, f] of [['lab.ring', () => lab.ring()], ['lab.join', () => lab.join()], ['client.lookUp', () "
        "=> b.lookUp(1)]])\n"
        "    lab.expectEqual(said(f), 'ClusterMismatch: ' + name + ' is for a ring; this cluster is a file of LH*RS.', "
        "name);");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void LabRingTest::aFileAndARingFollowEachOther()
{
    ClusterStage stage;
    prefer(stage, true);
    const ScriptResult result = stage.play(
        "lab.cluster({ k: 1, b: 10, spares: { data: 4, parity: 2 } }); const a = lab.client('alice'); a.run({ do: "
        "'insert', count: 30 }); lab.settle();\n"
        "const ofFile = o => ['bucket', 'rank', 'iam', 'iams'].filter(name => name in o);\n"
        "lab.expectEqual([ofFile(a.insert(91)), ofFile(a.run({ do: 'insert', count: 1 }))], [['bucket', 'rank', "
        "'iam'], "
        "['iams']], 'of a file');\n"
        "lab.cluster({ system: 'walk', nodes: 3 }); const b = lab.client('alice');\n"
        "lab.expectEqual([ofFile(b.insert(91)), ofFile(b.run({ do: 'insert', count: 29 }))], [[], []], 'of a ring');\n"
        "lab.expectEqual(lab.ring().keys, 30, 'a ring');\n"
        "const former = lab.ring().nodes.map(n => n.name);\n"
        "lab.cluster({ system: 'walk', nodes: 3, reset: false }); lab.expectEqual(lab.ring().keys, 30, 'it is kept');\n"
        "lab.cluster({ system: 'walk', nodes: 2, reset: false }); lab.expectEqual([lab.ring().nodes.length, "
        "lab.ring().keys], [2, 0], 'another one');\n"
        "lab.cluster({ k: 1, b: 10, reset: false, spares: { data: 4, parity: 2 } }); const c = lab.client('alice');\n"
        "c.run({ do: 'insert', count: 30 }); lab.settle(); lab.expectEqual(lab.audit().unequal, 0, 'a file again');");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    const ClusterState state = stage.session.ingest().state();
    QVERIFY(state.isOfLhrs() && state.file.exists && state.ring.nodes.empty());
    for (const InvariantShown& one : state.invariants.all(state))
        QVERIFY2(one.state != InvariantState::Violated, one.detail.c_str());
}

void LabRingTest::aConnectedClusterOfTheOtherSystemIsNamed()
{
    ClusterStage stage;
    prefer(stage, true);
    ScriptSettings connected;
    connected.mayStartCluster = false;
    const QString said = "let said = ''; try { lab.cluster({ %1 }); } catch (e) { said = e.code + ': ' + e.message; }\n"
                         "lab.expect(said.startsWith('ClusterMismatch: The connected cluster is not %2: '), said);";
    ScriptResult result = stage.play("lab.cluster({ system: 'walk', nodes: 2, outside: 0 });");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    result = stage.play(said.arg("m: 4", "a file of LH*RS"), connected);
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    result = stage.play("lab.cluster({ k: 0, spares: { data: 1, parity: 0 } });");
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
    result = stage.play(said.arg("system: 'walk', nodes: 2", "a ring"), connected);
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
}

void LabRingTest::anExerciseIsJudgedInARing()
{
    const QString exercise
        = "lab.cluster({ system: 'walk', nodes: 3, outside: 1 }); const alice = lab.client('alice'); alice.insert(1);\n"
          "lab.exercise({ task: 'Let a node join.', goals: [{ text: 'one join',\n"
          "    judge: (events, state) => ({ held: events.filter(e => e.kind === 'NodeJoined').length === 1 && "
          "state.isAtRest && state.ring.nodes.length === 4, why: state.ring.nodes.length + ' nodes.' }),\n"
          "    check: () => ({ held: lab.ring().nodes.length === 4, why: 'It is in the ring.' }) }] });";
    for (const bool isSolved : { true, false }) {
        ClusterStage stage;
        prefer(stage, true);
        ScriptSettings settings;
        settings.standIn.source = isSolved ? "lab.join(); lab.client('alice').lookUp(1);"
                                           : "lab.client('alice').insert(2);";
        settings.standIn.file = "solution.js";
        const ScriptResult result = stage.play(exercise, settings);
        QVERIFY2(result.outcome == (isSolved ? ScriptOutcome::Held : ScriptOutcome::ExpectationFailed),
            qPrintable(stage.story(result)));
        QCOMPARE(result.message.contains("3 nodes."), !isSolved);
    }
}

void LabRingTest::theSameSeedGivesTheSameTables()
{
    QStringList told[2];
    for (QStringList& lines : told) {
        ClusterStage stage;
        prefer(stage, true);
        ScriptSettings settings;
        settings.seed = 7;
        settings.sets["repetitions"] = "1";
        const ScriptResult result = stage.play(textOf(LHRS_SOURCE_DIR "/scenarios/walk.js"), settings);
        QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
        for (const QString& line : stage.listener.taken())
            lines << line;
    }
    QCOMPARE(told[0], told[1]);
    QVERIFY(told[0].filter("print").size() >= 5);
}

// One after the other, because they are of one key: the order tells how they arrived at the client.
void LabRingTest::questionsOfOneCallHaveOneOrder()
{
    std::vector<std::uint32_t> steps[3];
    for (std::vector<std::uint32_t>& told : steps) {
        ClusterStage stage;
        prefer(stage, true);
        ScriptSettings settings;
        settings.seed = 7;
        const ScriptResult result = stage.play("lab.cluster({ system: 'walk', nodes: 8 }); lab.detail('full');\n"
                                               "const a = lab.client('alice'); a.insert(17, 'x');\n"
                                               "lab.expectEqual(a.lookUpAll([17]).found, 8, 'from each node');",
            settings);
        QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(stage.story(result)));
        for (const RunEvent& run : stage.session.ingest().eventsSince(0, 100'000).events)
            if (run.event != nullptr && run.event->operation_done().kind() == pb::SEARCH)
                told.push_back(run.event->operation_done().forwards());
    }
    QCOMPARE(steps[0].size(), 8u);
    QCOMPARE(steps[1], steps[0]);
    QCOMPARE(steps[2], steps[0]);
}

QTEST_GUILESS_MAIN(LabRingTest)
#include "tst_lab_ring.moc"
