// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/kinds.h"
#include "node/machine/event_stamp.h"

#include <QTest>

#include <set>
#include <vector>

using namespace lhrs;

namespace {

// An event of each kind: of LH*RS, and of the walk.
std::vector<pb::Event> examples()
{
    std::vector<pb::Event> events;
    const auto* body = pb::Event::descriptor()->FindOneofByName("body");
    for (int i = 0; i < body->field_count(); ++i)
        events.emplace_back().GetReflection()->MutableMessage(&events.back(), body->field(i));
    const auto* ofWalk = pb::WalkEvent::descriptor()->FindOneofByName("body");
    for (int i = 0; i < ofWalk->field_count(); ++i) {
        pb::WalkEvent& walk = *events.emplace_back().mutable_walk();
        walk.GetReflection()->MutableMessage(&walk, ofWalk->field(i));
    }
    return events;
}

} // namespace

class KindsTest : public QObject {
    Q_OBJECT
private slots:
    void eachEventSaysWhenItIsKept();
    void whoStepsThroughARunStopsAtWhatChangesTheSystem();
    void eachKindHasANumberAndAName();
    void aMessageOfAnotherSystemHasAName();
    void eachDetailKeepsWhatItsNameSays_data();
    void eachDetailKeepsWhatItsNameSays();
};

void KindsTest::eachEventSaysWhenItIsKept()
{
    QVERIFY(eventKinds().size() > 90);
    for (const Kind& kind : eventKinds())
        QVERIFY2(kind.keep != pb::KEEP_UNSET, kind.name.c_str());
    QCOMPARE(keepOf(pb::Event()), pb::KEEP_ALWAYS);
    QVERIFY(!changesStructure(pb::Event()));
}

void KindsTest::whoStepsThroughARunStopsAtWhatChangesTheSystem()
{
    for (const char* type : { "FileCreated", "SplitOrdered", "BucketFailed", "RecoveryFinished", "RecordRecovered",
             "FaultBegun", "FaultEnded", "RingBegun", "JoinOrdered", "NodeJoined", "NodeLeft", "RingNodeLost" })
        QVERIFY2(eventKindOfType(type)->isStop, type);
    for (const Kind& kind : eventKinds())
        QVERIFY2(!kind.isStop || kind.keep == pb::KEEP_STRUCTURE || kind.type == "RecordRecovered", kind.name.c_str());
}

// Faults, scripts and recordings refer to kinds by number or name, whatever the system is.
void KindsTest::eachKindHasANumberAndAName()
{
    const std::vector<pb::Event> events = examples();
    QCOMPARE(events.size(), eventKinds().size());
    std::set<int> numbers;
    std::set<std::string> names, types;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Kind& kind = eventKinds()[i];
        QCOMPARE(kindOf(events[i]), kind.number);
        QCOMPARE(nameOf(events[i]), kind.name);
        QCOMPARE(typeOf(events[i]), kind.type);
        QCOMPARE(bodyOf(events[i])->GetDescriptor()->name(), kind.type);
        QCOMPARE(eventKind(kind.number), &kind);
        QCOMPARE(eventKindNamed(kind.name), &kind);
        QCOMPARE(eventKindOfType(kind.type), &kind);
        numbers.insert(kind.number);
        names.insert(kind.name);
        types.insert(kind.type);
    }
    QCOMPARE(numbers.size(), events.size());
    QCOMPARE(names.size(), events.size());
    QCOMPARE(types.size(), events.size());
    std::set<std::string> messages;
    for (const Kind& kind : messageKinds())
        messages.insert(kind.name);
    QCOMPARE(messages.size(), messageKinds().size());

    QCOMPARE(kindOf(pb::Event()), 0);
    QCOMPARE(nameOf(pb::Event()), std::string());
    QVERIFY(bodyOf(pb::Event()) == nullptr);
    QVERIFY(eventKind(0) == nullptr && eventKind(-1) == nullptr && eventKind(999) == nullptr
        && eventKind(600'999) == nullptr);
    QVERIFY(eventKindNamed("sequence") == nullptr);
}

void KindsTest::aMessageOfAnotherSystemHasAName()
{
    pb::Message message;
    QCOMPARE(kindOf(message), 0);
    QCOMPARE(std::string(nameOf(message)), std::string());
    message.mutable_walk(); // of the walk, and without a body
    QCOMPARE(kindOf(message), 0);
    message.mutable_walk()->mutable_query();
    QCOMPARE(kindOf(message), 600'001);
    QCOMPARE(std::string(nameOf(message)), std::string("query"));
    QCOMPARE(messageKindNamed("query")->number, 600'001);
    message.Clear();
    message.mutable_delta();
    QCOMPARE(std::string(nameOf(message)), std::string("delta"));
    pb::Command command;
    command.mutable_walk()->mutable_join_ring();
    QCOMPARE(commandKind(kindOf(command))->type, std::string("JoinRing"));
}

void KindsTest::eachDetailKeepsWhatItsNameSays_data()
{
    QTest::addColumn<int>("detail");
    QTest::addColumn<QList<int>>("kept"); // in addition to structural events and those that are always kept
    QTest::addRow("counts") << int(pb::COUNTS) << QList<int> {};
    QTest::addRow("records") << int(pb::RECORDS) << QList<int> { pb::KEEP_CHANGE };
    QTest::addRow("operations") << int(pb::OPERATIONS) << QList<int> { pb::KEEP_OPERATION, pb::KEEP_CHANGE };
    QTest::addRow("sampled, and not of a sampled operation") << int(pb::SAMPLED) << QList<int> {};
    QTest::addRow("full") << int(pb::FULL) << QList<int> { pb::KEEP_OPERATION, pb::KEEP_CHANGE, pb::KEEP_MESSAGE };
}

void KindsTest::eachDetailKeepsWhatItsNameSays()
{
    QFETCH(int, detail);
    QFETCH(QList<int>, kept);
    for (const pb::Event& example : examples()) {
        EventStamper stamper(NodeId { 1 }, Address {});
        stamper.setDetail(pb::Detail(detail), 100);
        Effects effects;
        stamper.prepare(effects, true);
        effects.event() = example;
        stamper.stamp(effects, Time(1), 0, Time(0));
        const pb::Keep keep = keepOf(example);
        const bool isKept = keep == pb::KEEP_STRUCTURE || keep == pb::KEEP_ALWAYS || kept.contains(int(keep));
        QVERIFY2(effects.events().size() == (isKept ? 1u : 0u), nameOf(example).c_str());
    }
}

QTEST_GUILESS_MAIN(KindsTest)
#include "tst_kinds.moc"
