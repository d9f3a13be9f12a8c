// SPDX-License-Identifier: GPL-3.0-or-later
// Every event of every system has a sentence, and the sentences of a ring's events mention nodes and steps.
#include "common/kinds.h"
#include "gui/lab/words/narrator.h"
#include "gui/lab/words/walk/ring_sentences.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"
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
    void anUnknownSystemHasNoStoryAndGeneralSentences();
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

void SentencesTest::anUnknownSystemHasNoStoryAndGeneralSentences()
{
    pb::Event event;
    pb::ProcessInfo& info = *event.mutable_process_started()->mutable_process();
    info.set_node(1);
    info.set_name("seven");
    info.set_kind(pb::COORDINATOR);
    info.set_system("unknown");
    info.set_spare_role(pb::DATA);
    info.set_is_simulated(true);
    ClusterState state;
    state.apply(1, event, 1);
    QCOMPARE(state.system, std::string("unknown"));
    QCOMPARE(sentence(1, event, state), std::string("seven is simulated."));
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
