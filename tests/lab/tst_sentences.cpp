// SPDX-License-Identifier: GPL-3.0-or-later
// Every event of every system has a sentence, and the sentences of a ring's events mention nodes and steps.
#include "common/kinds.h"
#include "common/end_reasons.h"
#include "gui/lab/words/lhrs/file_teller.h"
#include "gui/lab/words/narrator.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"
#include "gui/lab/words/walk/ring_sentences.h"
#include "tests/rigs/lab/ring_site.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;
using namespace lhrs::gui;

namespace {

// An empty event of this kind.
pb::Event emptyOf(const Kind& kind)
{
    pb::Event event;
    google::protobuf::Message* holder = &event;
    if (kind.number >= 1'000)
        holder = event.GetReflection()->MutableMessage(
            &event, event.GetDescriptor()->FindFieldByNumber(kind.number / 1'000));
    holder->GetReflection()->MutableMessage(holder, holder->GetDescriptor()->FindFieldByNumber(kind.number % 1'000));
    return event;
}

} // namespace

class SentencesTest : public QObject {
    Q_OBJECT

private slots:
    void everyKindOfEventHasASentence();
    void aRingSpeaksOfNodesAndSteps();
    void theNarratorTellsTheChangesOfARing();
    void aNodeWithoutANameIsToldByItsId();
    void theNarratorTellsWhatHappensToProcessesOfARing();
    void anUnknownSystemHasNoStoryAndGeneralSentences();
    void theStoryOfAFileKnowsEveryKindOfEvent();
};

void SentencesTest::everyKindOfEventHasASentence()
{
    // Whatever the cluster is now: a run may have events of an earlier one, which was of another system.
    for (const char* system : { "", walk::kSystem, "unknown" }) {
        ClusterState state;
        state.system = system;
        QStringList silent;
        for (const Kind& kind : eventKinds()) {
            const pb::Event event = emptyOf(kind);
            QCOMPARE(kindOf(event), kind.number);
            const QString text = QString::fromStdString(sentence(1, event, state));
            if (!text.endsWith('.') || text.contains(QString::fromStdString(kind.type)))
                silent << QString::fromStdString(kind.name) + ": " + text;
        }
        QVERIFY2(silent.isEmpty(), qPrintable(QString(system) + '\n' + silent.join('\n')));
    }
    QVERIFY(eventKinds().size() > 90);
}

void SentencesTest::aRingSpeaksOfNodesAndSteps()
{
    RingSite site(1, 3, 4);
    site.operate(pb::INSERT, 17);
    site.operate(pb::SEARCH, 17);
    const std::string joined = site.join().walk().change().undone();
    QCOMPARE(joined, std::string());
    ClusterState state;
    QStringList texts;
    for (const auto& [process, event] : site.told) {
        state.apply(process, event, 1);
        if (event.has_walk() || event.has_operation_started() || event.has_operation_done())
            texts << QString::fromStdString(sentence(process, event, state));
    }
    for (const QString& text : texts)
        QVERIFY2(!text.contains("bucket") && !text.contains("image") && !text.contains("process "), qPrintable(text));
    const auto says = [&texts](const char* pattern) {
        return texts.indexOf(QRegularExpression(QRegularExpression::anchoredPattern(pattern))) >= 0;
    };
    QVERIFY(says("The ring begins: node-[1-4] is alone and answers for all of its 2\\^16 ids\\."));
    QVERIFY(says("The master lets node-[1-4] join before node-[1-4], which is to give it a part of its range\\."));
    QVERIFY(says("alice starts to insert key 17\\."));
    QVERIFY(says("node-[1-4] stores key 17, 5 bytes\\."));
    QVERIFY(says("node-[1-4] reads key 17\\."));
    QVERIFY(says("alice: search of key 17 is done \\(ok\\) after [0-2] steps?, in .* ms\\."));
    QVERIFY(says("node-[1-4] has joined the ring: it has got [01] keys?, and its predecessor knows it\\."));
}

void SentencesTest::theNarratorTellsTheChangesOfARing()
{
    RingSite site(1, 3, 4);
    site.operate(pb::INSERT, 17);
    const std::uint64_t node = site.ring().ring(0).node();
    site.leave(node);
    ClusterState state;
    Narrator narrator;
    std::uint64_t index = 0;
    for (const auto& [process, event] : site.told) {
        state.apply(process, event, 1);
        narrator.take({ ++index, process, 1, std::make_shared<const pb::Event>(event) }, state);
        narrator.look(state, 1);
    }
    QStringList texts;
    for (const Telling& telling : narrator.takeTellings())
        texts << telling.text;
    QCOMPARE(texts.size(), 7); // the first node, two joins, a leave: begun and over
    QVERIFY(texts.front().startsWith("The ring begins with node-"));
    QCOMPARE(
        texts.back(), QString::fromStdString(processShown(node, state)) + " is out of the ring, and no key is lost.");
    for (const auto& [process, known] : state.processes)
        if (known.kind == pb::COORDINATOR)
            state.markEnded(process, "killed", 2);
    narrator.look(state, 2);
    QCOMPARE(narrator.takeTellings().front().text, QString(kRingMasterEnded));
}

// When the past is played again, an event may come before the introduction of the node that it is about.
void SentencesTest::aNodeWithoutANameIsToldByItsId()
{
    pb::Event event;
    event.mutable_walk()->mutable_node_joined()->mutable_node()->set_node(0x4b8bb8db5bbcdaeb);
    event.mutable_walk()->mutable_node_joined()->mutable_node()->set_id(1370066825);
    ClusterState state;
    state.system = walk::kSystem;
    Narrator narrator;
    narrator.take({ 1, 1, 1, std::make_shared<const pb::Event>(event) }, state);
    narrator.look(state, 1);
    const std::vector<Telling> told = narrator.takeTellings();
    QCOMPARE(told.size(), std::size_t(1));
    QCOMPARE(told.front().text,
        QString("The node with id 1370066825 is in the ring and has got 0 keys. Only two nodes took part in it."));
}

void SentencesTest::theNarratorTellsWhatHappensToProcessesOfARing()
{
    ClusterState state;
    Narrator narrator;
    std::uint64_t index = 0;
    std::int64_t now = 0;
    const auto take = [&](ProcessId process, const pb::Event& event) {
        now += 2'000'000'000;
        state.apply(process, event, now);
        narrator.take({ ++index, process, now, std::make_shared<const pb::Event>(event) }, state);
        narrator.look(state, now);
    };
    const auto told = [&narrator] {
        QStringList texts;
        for (const Telling& telling : narrator.takeTellings())
            texts << telling.text;
        return texts;
    };
    const auto begin = [&](ProcessId process, pb::ProcessKind kind, const char* name) {
        pb::Event event;
        pb::ProcessInfo& info = *event.mutable_process_started()->mutable_process();
        info.set_node(process);
        info.set_kind(kind);
        info.set_name(name);
        info.set_system(walk::kSystem);
        take(process, event);
    };
    begin(1, pb::COORDINATOR, "coordinator");
    begin(2, pb::NODE, "node-1");
    begin(3, pb::NODE, "node-2");
    begin(4, pb::CLIENT, "alice");
    QCOMPARE(told(), QStringList());

    pb::Event loses, pauses, goesOn, gated, opened, held, full, killed, ended;
    loses.mutable_fault_begun()->mutable_fault()->set_number(1);
    loses.mutable_fault_begun()->mutable_fault()->mutable_network()->set_drop(0.5);
    take(2, loses);
    QStringList texts = told();
    QCOMPARE(texts.size(), 1);
    QVERIFY2(texts[0].startsWith("node-1 ") && texts[0].endsWith(", on purpose."), qPrintable(texts[0]));
    pauses.mutable_fault_begun()->mutable_fault()->set_number(2);
    pauses.mutable_fault_begun()->mutable_fault()->mutable_pause();
    take(1, pauses);
    goesOn.mutable_fault_ended()->mutable_fault()->set_number(2);
    goesOn.mutable_fault_ended()->mutable_fault()->mutable_pause();
    goesOn.mutable_fault_ended()->mutable_achieved()->set_lasted_ns(2'000'000'000);
    take(1, goesOn);
    QCOMPARE(told(),
        QStringList({ "The master stands still on purpose: to all others it looks dead.",
            "The master goes on after a pause of 2.0 s." }));
    gated.mutable_gate_closed();
    opened.mutable_gate_opened();
    take(3, gated);
    take(3, opened);
    QCOMPARE(told(),
        QStringList({ "node-2 is gated: messages wait at it, and its clock stands still.",
            "node-2 is no longer gated: the messages that waited are delivered." }));
    held.mutable_workload_held()->set_is_held(true);
    take(4, held);
    full.mutable_memory_full()->set_is_full(true);
    take(3, full);
    QCOMPARE(told(),
        QStringList({ "alice begins no new operations: the workload is held.",
            "node-2 has no memory left: it refuses what would make it grow, and searches and deletes go on." }));
    killed.mutable_fault_begun()->mutable_fault()->set_number(3);
    killed.mutable_fault_begun()->mutable_fault()->mutable_crash();
    take(2, killed);
    state.markEnded(2, kKilledOnRequest, now); // the kill has told it
    narrator.look(state, now);
    ended.mutable_process_ended()->set_reason(kKilledOnRequest);
    take(3, ended);
    take(1, killed);
    QCOMPARE(told(),
        QStringList({ "node-1 is killed on purpose: its process ends at once.", "node-2 was killed on request.",
            kRingMasterEnded }));
}

void SentencesTest::theStoryOfAFileKnowsEveryKindOfEvent()
{
    QStringList unknown;
    for (const Kind& kind : eventKinds()) {
        if (kind.number >= 1'000)
            continue; // of another system
        StoryMemory story;
        FileMemory memory;
        const ClusterState state;
        const RunEvent run { 1, 1, 1, std::make_shared<const pb::Event>(emptyOf(kind)) };
        if (!FileTeller(story, memory, run, FileNames(state), state).take())
            unknown << QString::fromStdString(kind.name);
    }
    QCOMPARE(unknown, QStringList());
}

void SentencesTest::anUnknownSystemHasNoStoryAndGeneralSentences()
{
    pb::Event event;
    pb::ProcessInfo& info = *event.mutable_process_started()->mutable_process();
    info.set_node(1);
    info.set_name("seven");
    info.set_kind(pb::COORDINATOR);
    info.set_system("unknown");
    info.set_pool(pb::DATA);
    info.set_is_simulated(true);
    ClusterState state;
    state.apply(1, event, 1);
    QCOMPARE(state.system, std::string("unknown"));
    QCOMPARE(sentence(1, event, state), std::string("seven is simulated."));
    pb::Event further;
    further.mutable_operation_started()->set_kind(pb::SEARCH);
    further.mutable_operation_started()->set_key(17);
    QCOMPARE(sentence(1, further, state), std::string("seven starts to search key 17."));
    further.mutable_operation_done()->set_kind(pb::SEARCH);
    further.mutable_operation_done()->set_key(17);
    further.mutable_operation_done()->set_forwards(2);
    further.mutable_operation_done()->set_result(pb::OK);
    QVERIFY(QString::fromStdString(sentence(1, further, state))
                .startsWith("seven: search of key 17 is done (ok) after 2 steps, in "));
    further.mutable_recruiting_changed()->set_transport(pb::UDP);
    QCOMPARE(sentence(1, further, state), std::string("Idle servers are now reached by the registry, one by one."));
    Narrator narrator;
    narrator.look(state, 1);
    RunEvent run { 1, 1, 1, std::make_shared<const pb::Event>(event) };
    narrator.take(run, state);
    state.markEnded(1, "killed", 2);
    narrator.look(state, 2);
    QVERIFY(narrator.takeTellings().empty());
}

QTEST_GUILESS_MAIN(SentencesTest)
#include "tst_sentences.moc"
