// SPDX-License-Identifier: GPL-3.0-or-later
// The space-time diagram: causes before effects whatever the clocks say, arrows that are neither lost nor doubled when
// lanes are folded, times to pixels and back; and the log for ShiViz, whose vector clocks give exactly the causes.
#include "tests/view/golden.h"
#include "tests/view/space_time_talk.h"

#include "gui/lab/export/shiviz.h"
#include "gui/view/system/host_clock.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <deque>
#include <map>
#include <random>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Filter = SpaceTimeWish::Filter;
using Fate = SpaceTimeMessage::Fate;

std::vector<std::uint32_t> numbersOf(const SpaceTime& model)
{
    std::vector<std::uint32_t> numbers;
    for (const SpaceTimeEvent& event : model.events)
        numbers.push_back(event.logical);
    return numbers;
}

} // namespace

class SpaceTimeTest : public QObject {
    Q_OBJECT
private slots:
    void aMessageIsPairedWithItsArrival();
    void aResendIsNotTakenForTheFirst();
    void whatNeverArrivedIsLostAndWhatJustLeftIsNot();
    void anArrivalWithoutSendingKeepsItsArrow();
    void everyEffectStandsRightOfItsCause();
    void wrongClocksNeverChangeTheLogicalPicture();
    void aCircleOfCausesEnds();
    void timesBecomePixelsAndBack_data();
    void timesBecomePixelsAndBack();
    void collapsingKeepsTheNumberOfArrows_data();
    void collapsingKeepsTheNumberOfArrows();
    void tooManyArrowsAreBundledAndCounted();
    void theFilterCountsWhatItHides();
    void aFollowedOperationStandsOut();
    void theSearchFindsKindsAndSentences();
    void theMiddleOfAnArrowIsHit();
    void theSamePictureIsTheSameText();
    void shivizClocksKnowExactlyTheCauses();
    void shivizLinesMatchTheirExpression();
    void faultsAreShadedOnTheirLane();
    void aKillThatHasActedShadesNoMore();
    void gatedTimeIsHatchedAndLosesNoMessage();
    void clocksThatMustBeWrongAreCorrectedAndOthersMeasured();
    void whichOfTwoHostsWasFirstIsSaidToBeUnknown();
};

void SpaceTimeTest::aMessageIsPairedWithItsArrival()
{
    Talk talk;
    const std::size_t sent = talk.send(1, 2, "insert"), received = talk.receive(sent, 2);
    const SpaceTime model = spaceTimeOf(talk.events);
    QCOMPARE(model.messages.size(), std::size_t(1));
    QCOMPARE(model.messages[0].sent, sent);
    QCOMPARE(model.messages[0].received, received);
    QCOMPARE(model.messages[0].fate, Fate::Arrived);
    QCOMPARE(model.events[received].logical, model.events[sent].logical + 1);
}

void SpaceTimeTest::aResendIsNotTakenForTheFirst()
{
    Talk talk;
    talk.send(1, 2, "delta", 0, 7);
    talk.receive(talk.send(1, 2, "delta", 0, 7, 1), 2);
    talk.now += kUnderWayNs * 2;
    talk.send(1, 3, "ack");
    const SpaceTime model = spaceTimeOf(talk.events);
    QCOMPARE(model.messages[0].fate, Fate::Lost);
    QCOMPARE(model.messages[1].fate, Fate::Arrived); // its cause identifies which of the two it was
    // The same for the first one.
    Talk other;
    const std::size_t one = other.send(1, 2, "delta", 0, 7);
    other.receive(one, 2);
    other.send(1, 2, "delta", 0, 7, 1);
    other.now += kUnderWayNs * 2;
    other.send(1, 3, "ack");
    const SpaceTime second = spaceTimeOf(other.events);
    QCOMPARE(second.messages[0].fate, Fate::Arrived);
    QCOMPARE(second.messages[1].fate, Fate::Lost);
    QCOMPARE(second.messages[1].tries, 1u);
}

void SpaceTimeTest::whatNeverArrivedIsLostAndWhatJustLeftIsNot()
{
    Talk talk;
    talk.send(1, 2, "delta");
    pb::Event given;
    given.mutable_message_given_up()->set_id(1);
    talk.send(1, 2, "epoch");
    talk.tell(1, given);
    RunEvent gap;
    gap.process = 9;
    gap.index = 50;
    talk.events.push_back(gap);
    talk.send(1, 9, "delta");
    talk.now += kUnderWayNs * 2;
    talk.send(1, 2, "reply");
    const SpaceTime model = spaceTimeOf(talk.events);
    QCOMPARE(model.messages[0].fate, Fate::GivenUp);
    QCOMPARE(model.messages[1].fate, Fate::Lost);
    QCOMPARE(model.messages[2].fate, Fate::Unknown); // events of its receiver are missing
    QCOMPARE(model.messages[3].fate, Fate::UnderWay);
}

void SpaceTimeTest::anArrivalWithoutSendingKeepsItsArrow()
{
    Talk talk;
    pb::Event invited;
    invited.mutable_invitation_sent()->set_count(2);
    const std::size_t sent = talk.tell(1, invited);
    pb::Event received;
    received.mutable_message_received()->set_from(1);
    received.mutable_message_received()->set_kind("invite");
    received.mutable_message_received()->set_id(3);
    const std::size_t two = talk.tell(2, received, sent), three = talk.tell(3, received, sent);
    const SpaceTime model = spaceTimeOf(talk.events);
    QCOMPARE(model.messages.size(), std::size_t(2));
    for (const SpaceTimeMessage& message : model.messages)
        QCOMPARE(message.sent, sent); // a multicast: its cause gives the origin
    QVERIFY(model.events[two].logical > model.events[sent].logical);
    QVERIFY(model.events[three].logical > model.events[sent].logical);
}

void SpaceTimeTest::everyEffectStandsRightOfItsCause()
{
    Talk talk = conversation(40);
    std::mt19937 random(5);
    // In a random order of the batches of different processes.
    std::map<ProcessId, std::deque<RunEvent>> queues;
    for (const RunEvent& run : talk.events)
        queues[run.process].push_back(run);
    std::vector<RunEvent> mixed;
    while (!queues.empty()) {
        auto at = std::next(queues.begin(), std::ptrdiff_t(random() % queues.size()));
        mixed.push_back(at->second.front());
        at->second.pop_front();
        if (at->second.empty())
            queues.erase(at);
    }
    const SpaceTime model = spaceTimeOf(mixed);
    QCOMPARE(model.events.size(), talk.events.size());
    std::map<ProcessId, std::uint32_t> last;
    for (const SpaceTimeEvent& event : model.events) {
        QVERIFY(event.logical > last[event.run.process]);
        last[event.run.process] = event.logical;
        if (event.cause != kNoEvent)
            QVERIFY(event.logical > model.events[event.cause].logical);
    }
    QCOMPARE(model.messages.size(), std::size_t(160));
    for (const SpaceTimeMessage& message : model.messages)
        QVERIFY(message.sent != kNoEvent && message.received != kNoEvent);
}

void SpaceTimeTest::wrongClocksNeverChangeTheLogicalPicture()
{
    Talk talk = conversation(30);
    const SpaceTime right = spaceTimeOf(talk.events);
    QCOMPARE(right.backwards, std::size_t(0));
    std::mt19937 random(6);
    std::map<ProcessId, std::int64_t> offsets;
    for (RunEvent& run : talk.events) {
        if (!offsets.contains(run.process))
            offsets[run.process] = std::int64_t(random() % 100'000'000) - 50'000'000;
        run.runNs += offsets[run.process];
    }
    const SpaceTime wrong = spaceTimeOf(talk.events);
    QCOMPARE(numbersOf(wrong), numbersOf(right));
    QVERIFY(wrong.backwards > 0); // and it is reported
    const ClusterState state = fileOf({ 8, 4, 1 });
    const auto picture = [&](const SpaceTime& model) {
        DisplayList list { Theme() };
        const SpaceTimeWish wish = wishFor(model);
        SpaceTimeLayout layout = layoutSpaceTime(model, state, wish, Theme(), QSizeF(1200, 500));
        for (auto& arrow : layout.arrows)
            arrow.isBackwards = false; // the colour depends on the clocks, the places do not
        drawSpaceTime(layout, model, wish, list);
        return list.toText();
    };
    QCOMPARE(picture(wrong), picture(right));
}

void SpaceTimeTest::aCircleOfCausesEnds()
{
    Talk talk;
    pb::Event event;
    event.mutable_record_read()->set_key(1);
    event.set_cause_process(2);
    event.set_cause_sequence(1);
    talk.tell(1, event);
    event.set_cause_process(1);
    talk.tell(2, event);
    const SpaceTime model = spaceTimeOf(talk.events);
    QCOMPARE(model.events.size(), std::size_t(2));
    QVERIFY(model.events[0].logical > 0 && model.events[1].logical > 0);
}

void SpaceTimeTest::timesBecomePixelsAndBack_data()
{
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("to");
    QTest::addColumn<double>("wide");
    QTest::addRow("numbers") << 0.0 << 48.0 << 1200.0;
    QTest::addRow("ns of a long run") << 3.6e12 << 3.6e12 + 2e6 << 1200.0;
    QTest::addRow("narrow") << 1e9 << 2e9 << 300.0;
    QTest::addRow("one") << 5.0 << 5.0 << 800.0;
}

void SpaceTimeTest::timesBecomePixelsAndBack()
{
    QFETCH(double, from);
    QFETCH(double, to);
    QFETCH(double, wide);
    SpaceTimeWish wish;
    wish.from = from;
    wish.to = to;
    const SpaceTimeLayout layout = layoutSpaceTime(
        spaceTimeOf(conversation(2).events), fileOf({ 8, 4, 1 }), wish, Theme(), QSizeF(wide, 400));
    QVERIFY(layout.plot.left() > 0 && layout.plot.right() <= wide);
    QCOMPARE(layout.xOf(layout.from), layout.plot.left());
    QCOMPARE(layout.xOf(layout.to), layout.plot.right());
    for (const double share : { 0.0, 0.1, 0.5, 0.99 }) {
        const double value = layout.from + (layout.to - layout.from) * share;
        QVERIFY(std::abs(layout.valueAt(layout.xOf(value)) - value) <= (layout.to - layout.from) * 1e-6);
    }
    for (std::size_t i = 1; i < layout.lanes.size(); ++i)
        QVERIFY(layout.lanes[i].y > layout.lanes[i - 1].y);
}

void SpaceTimeTest::collapsingKeepsTheNumberOfArrows_data()
{
    QTest::addColumn<QStringList>("groups");
    QTest::addRow("one group") << QStringList { "group 0" };
    QTest::addRow("both groups") << QStringList { "group 0", "group 1" };
    QTest::addRow("all") << QStringList { "group 0", "group 1", "clients", "coordinator", "spares" };
}

void SpaceTimeTest::collapsingKeepsTheNumberOfArrows()
{
    QFETCH(QStringList, groups);
    const SpaceTime model = spaceTimeOf(conversation(40).events);
    const ClusterState state = fileOf({ 8, 4, 1 });
    SpaceTimeWish wish = wishFor(model);
    const SpaceTimeLayout open = layoutSpaceTime(model, state, wish, Theme(), QSizeF(1200, 500));
    wish.collapsed = { groups.begin(), groups.end() };
    const SpaceTimeLayout closed = layoutSpaceTime(model, state, wish, Theme(), QSizeF(1200, 500));
    QCOMPARE(countOf(open), std::size_t(160));
    QCOMPARE(countOf(closed), countOf(open));
    QCOMPARE(closed.messages, open.messages);
    QVERIFY(closed.lanes.size() < open.lanes.size());
    // Each arrow still meets a line at both ends; arrows inside a group meet its line.
    for (const SpaceTimeLayout::Arrow& arrow : closed.arrows) {
        QVERIFY(arrow.fromLane < closed.lanes.size() && arrow.toLane < closed.lanes.size());
        QCOMPARE(arrow.from.y(), closed.lanes[arrow.fromLane].y);
        QCOMPARE(arrow.to.y(), closed.lanes[arrow.toLane].y);
        QCOMPARE(arrow.isInside, arrow.fromLane == arrow.toLane);
    }
    QVERIFY(std::any_of(closed.arrows.begin(), closed.arrows.end(), [](const auto& arrow) { return arrow.isInside; }));
    QVERIFY(std::none_of(open.arrows.begin(), open.arrows.end(), [](const auto& arrow) { return arrow.isInside; }));
}

void SpaceTimeTest::tooManyArrowsAreBundledAndCounted()
{
    const SpaceTime model = spaceTimeOf(conversation(900).events); // 3,600 messages
    const ClusterState state = fileOf({ 8, 4, 1 });
    const SpaceTimeLayout layout = layoutSpaceTime(model, state, wishFor(model), Theme(), QSizeF(1200, 500));
    QCOMPARE(layout.messages, std::size_t(3'600));
    QVERIFY(layout.arrows.size() < kArrowsMax);
    QCOMPARE(countOf(layout), std::size_t(3'600)); // none is missing
    QVERIFY(layout.bundled > 0);
    DisplayList list { Theme() };
    drawSpaceTime(layout, model, wishFor(model), list);
    QVERIFY(list.texts().filter(QString::fromUtf8("× ")).size() > 10);
}

void SpaceTimeTest::theFilterCountsWhatItHides()
{
    Talk talk = conversation(10);
    for (int i = 0; i < 25; ++i)
        talk.pass(kFileData, kFileCoordinator, "alive");
    const SpaceTime model = spaceTimeOf(talk.events);
    SpaceTimeWish wish = wishFor(model);
    const auto laid = [&](Filter filter) {
        wish.filter = filter;
        return layoutSpaceTime(model, fileOf({ 8, 4, 1 }), wish, Theme(), QSizeF(1200, 500));
    };
    QCOMPARE(laid(Filter::Everything).messages, std::size_t(65));
    QCOMPARE(laid(Filter::WithoutSignsOfLife).messages, std::size_t(40));
    QCOMPARE(laid(Filter::WithoutSignsOfLife).hidden, std::size_t(25));
    QCOMPARE(laid(Filter::Operations).hidden, std::size_t(25));
}

void SpaceTimeTest::aFollowedOperationStandsOut()
{
    const SpaceTime model = spaceTimeOf(conversation(10).events);
    SpaceTimeWish wish = wishFor(model);
    wish.operation = { kFileClients, 4 };
    const SpaceTimeLayout layout = layoutSpaceTime(model, fileOf({ 8, 4, 1 }), wish, Theme(), QSizeF(1200, 500));
    QCOMPARE(
        std::count_if(layout.arrows.begin(), layout.arrows.end(), [](const auto& arrow) { return !arrow.isFaint; }),
        std::ptrdiff_t(4));
    QCOMPARE(layout.messages, std::size_t(40)); // the others are still in the model
}

void SpaceTimeTest::theSearchFindsKindsAndSentences()
{
    Talk talk = conversation(5);
    pb::Event event;
    event.mutable_bucket_overflowed()->set_count(41);
    talk.tell(kFileData, event);
    const SpaceTime model = spaceTimeOf(talk.events);
    SpaceTimeWish wish = wishFor(model);
    const auto found = [&](const char* words) {
        wish.search = QString::fromLatin1(words);
        return layoutSpaceTime(model, fileOf({ 8, 4, 1 }), wish, Theme(), QSizeF(1200, 500)).found;
    };
    QCOMPARE(found("delta"), std::size_t(10)); // and their acknowledgements
    QCOMPARE(found("overloaded"), std::size_t(1));
    QCOMPARE(found("nothing like this"), std::size_t(0));
}

void SpaceTimeTest::theMiddleOfAnArrowIsHit()
{
    const SpaceTime model = spaceTimeOf(conversation(6).events);
    const SpaceTimeLayout layout = layoutSpaceTime(
        model, fileOf({ 8, 4, 1 }), wishFor(model), Theme(), QSizeF(1200, 500));
    int hit = 0;
    for (const SpaceTimeLayout::Arrow& arrow : layout.arrows) {
        const SpaceTimeLayout::Arrow* found = layout.arrowAt((arrow.from + arrow.to) / 2);
        QVERIFY(found);
        hit += found->message == arrow.message ? 1 : 0;
    }
    QVERIFY(hit >= int(layout.arrows.size()) - 2); // where two cross, the nearer one
    QVERIFY(!layout.arrowAt({ 2, 2 }));
}

void SpaceTimeTest::theSamePictureIsTheSameText()
{
    const SpaceTime model = spaceTimeOf(conversation(6).events);
    const auto draw = [&] {
        DisplayList list { Theme() };
        drawSpaceTime(layoutSpaceTime(model, fileOf({ 8, 4, 1 }), wishFor(model), Theme(), QSizeF(1200, 500)), model,
            wishFor(model), list);
        return list;
    };
    QCOMPARE(draw().toText(), draw().toText());
    const QString wrong = differenceTo(QStringLiteral("space_time.txt"), draw().toText());
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    const QStringList texts = draw().texts();
    QVERIFY(texts.contains("data 3"));
    QVERIFY2(texts.filter("group 0").size() == 1, qPrintable(texts.join('|')));
}

void SpaceTimeTest::shivizClocksKnowExactlyTheCauses()
{
    Talk talk = conversation(12);
    const SpaceTime model = spaceTimeOf(talk.events);
    const QByteArray log = shivizOf(talk.events, fileOf({ 8, 4, 1 }));
    const QStringList lines = QString::fromUtf8(log).split('\n').mid(2);
    struct Event {
        QString host;
        QJsonObject clock;
    };
    std::vector<Event> events;
    for (qsizetype i = 0; i + 1 < lines.size(); i += 2)
        events.push_back(
            { lines[i].section(' ', 0, 0), QJsonDocument::fromJson(lines[i].section(' ', 1).toUtf8()).object() });
    QCOMPARE(events.size(), talk.events.size());
    std::map<QString, int> last;
    for (const Event& event : events) {
        // A process counts its own events, without gaps.
        QCOMPARE(event.clock[event.host].toInt(), last[event.host] + 1);
        ++last[event.host];
        for (auto other = event.clock.begin(); other != event.clock.end(); ++other)
            QVERIFY(other.value().toInt() <= last[other.key()]); // only past events
    }
}

void SpaceTimeTest::shivizLinesMatchTheirExpression()
{
    Talk talk = conversation(5);
    const QString log = QString::fromUtf8(shivizOf(talk.events, fileOf({ 8, 4, 1 })));
    const QRegularExpression expression(log.section('\n', 0, 0));
    QVERIFY2(expression.isValid(), qPrintable(expression.errorString()));
    QVERIFY(log.section('\n', 1, 1).isEmpty());
    int matched = 0;
    auto matches = expression.globalMatch(log.section('\n', 2));
    while (matches.hasNext()) {
        const auto match = matches.next();
        QVERIFY(!match.captured("host").isEmpty());
        QVERIFY(!match.captured("event").isEmpty());
        QVERIFY(!QJsonDocument::fromJson(match.captured("clock").toUtf8()).isNull());
        ++matched;
    }
    QCOMPARE(matched, int(talk.events.size()));
}

void SpaceTimeTest::faultsAreShadedOnTheirLane()
{
    Talk talk = conversation(3);
    pb::Event event;
    event.mutable_fault_begun()->mutable_fault()->set_number(4);
    event.mutable_fault_begun()->mutable_fault()->mutable_network()->set_drop(0.2);
    const std::size_t begun = talk.tell(kFileData + 1, event);
    talk.pass(kFileClients, kFileData + 1, "search", 9);
    pb::Event ended;
    *ended.mutable_fault_ended()->mutable_fault() = event.fault_begun().fault();
    const std::size_t over = talk.tell(kFileData + 1, ended);
    const SpaceTime model = spaceTimeOf(talk.events);
    const SpaceTimeLayout layout = layoutSpaceTime(
        model, fileOf({ 8, 4, 1 }), wishFor(model), Theme(), QSizeF(1200, 500));
    QCOMPARE(layout.shades.size(), std::size_t(1));
    QCOMPARE(layout.shades[0].box.left(), layout.xOf(model.events[begun].logical));
    QCOMPARE(layout.shades[0].box.right(), layout.xOf(model.events[over].logical));
    QCOMPARE(layout.laneAt(layout.shades[0].box.center().y())->process, kFileData + 1);
    QVERIFY(!layout.shades[0].words.isEmpty());
}

void SpaceTimeTest::aKillThatHasActedShadesNoMore()
{
    Talk talk = conversation(2);
    pb::Event event;
    event.mutable_fault_begun()->mutable_fault()->set_number(4);
    event.mutable_fault_begun()->mutable_fault()->mutable_crash()->set_at("slice_stored");
    const ProcessId victim = kFileData + 1;
    const std::size_t begun = talk.tell(victim, event);
    talk.pass(kFileClients, victim, "search", 9);
    const std::size_t last = talk.events.size() - 1;
    talk.pass(kFileClients, kFileData, "search", 10);
    const SpaceTime model = spaceTimeOf(talk.events);
    ClusterState state = fileOf({ 8, 4, 1 });
    for (const bool hasEnded : { false, true }) {
        if (hasEnded)
            state.markEnded(victim, "killed", talk.now);
        const SpaceTimeLayout layout = layoutSpaceTime(model, state, wishFor(model), Theme(), QSizeF(1200, 500));
        QCOMPARE(layout.shades.size(), std::size_t(1));
        QCOMPARE(layout.shades[0].box.left(), layout.xOf(model.events[begun].logical));
        QCOMPARE(
            layout.shades[0].box.right(), hasEnded ? layout.xOf(model.events[last].logical) : layout.xOf(layout.to));
    }
}

void SpaceTimeTest::gatedTimeIsHatchedAndLosesNoMessage()
{
    Talk talk;
    pb::Event closed, opened;
    closed.mutable_gate_closed();
    opened.mutable_gate_opened();
    talk.pass(1, 2, "insert");
    const std::size_t from = talk.tell(2, closed);
    talk.send(1, 2, "delta");
    talk.now += 40 * kUnderWayNs;
    talk.send(3, 1, "reply"); // its receiver has no gate: lost after some time
    talk.now += 2 * kUnderWayNs;
    talk.tell(3, pb::Event());
    const SpaceTime gated = spaceTimeOf(talk.events);
    QCOMPARE(gated.messages[1].fate, Fate::UnderWay);
    QCOMPARE(gated.messages[2].fate, Fate::Lost);
    const std::size_t to = talk.tell(2, opened);
    talk.now += 2 * kUnderWayNs;
    talk.tell(1, pb::Event());
    const SpaceTime model = spaceTimeOf(talk.events);
    QCOMPARE(model.messages[1].fate, Fate::Lost); // the gate is open again, and the message is still missing
    SpaceTimeWish wish = wishFor(model, SpaceTimeWish::Order::Time);
    const SpaceTimeLayout layout = layoutSpaceTime(model, ClusterState(), wish, Theme(), QSizeF(1200, 500));
    QCOMPARE(layout.shades.size(), std::size_t(1));
    QVERIFY(layout.shades[0].isGate);
    QCOMPARE(layout.shades[0].box.left(), layout.xOf(double(model.events[from].run.runNs)));
    QCOMPARE(layout.shades[0].box.right(), layout.xOf(double(model.events[to].run.runNs)));
    DisplayList list { Theme() };
    drawSpaceTime(layout, model, wish, list);
    QVERIFY(list.toText().contains("hatched"));
}

void SpaceTimeTest::whichOfTwoHostsWasFirstIsSaidToBeUnknown()
{
    Talk talk; // each event is a millisecond after the one before
    const std::size_t sent = talk.send(1, 2, "insert"), alone = talk.send(3, 4, "search"),
                      received = talk.receive(sent, 2), later = talk.send(2, 5, "delta");
    const SpaceTime model = spaceTimeOf(talk.events);
    ClusterState state;
    for (const ProcessId id : { 1, 2, 3 })
        state.processes[id].host = "lab" + std::to_string(id);
    const auto of = [&](std::size_t event) { return unknownOrder(state, model, event).events; };
    // As long as no clock was read, nothing is said.
    QCOMPARE(of(alone), std::size_t(0));
    // 1.5 ms: those that are 1 ms apart may have been the other way round.
    for (const ProcessId id : { 1, 2, 3 })
        state.processes[id].clockErrorNs = 750'000;
    QCOMPARE(of(alone), std::size_t(2)); // the one before and the one after it
    QCOMPARE(unknownOrder(state, model, alone).errorNs, std::int64_t(1'500'000));
    QCOMPARE(of(sent), std::size_t(1));
    QCOMPARE(of(received), std::size_t(1)); // its cause is known
    QCOMPARE(of(later), std::size_t(0));
    // With a larger error also the one that is two events away, but never what a chain of messages orders.
    state.processes[3].clockErrorNs = 1'500'000;
    QCOMPARE(of(later), std::size_t(1));
    QCOMPARE(of(alone), std::size_t(3));
    QCOMPARE(of(sent), std::size_t(1));
    // On one host the order is that of its clock.
    for (const ProcessId id : { 1, 2, 3 })
        state.processes[id].host = "lab1";
    QCOMPARE(of(alone), std::size_t(0));
}

void SpaceTimeTest::clocksThatMustBeWrongAreCorrectedAndOthersMeasured()
{
    Talk talk;
    for (int i = 0; i < 5; ++i) { // each message takes a millisecond
        talk.pass(1, 2, "insert");
        talk.pass(2, 1, "reply");
        talk.pass(2, 3, "delta");
        talk.pass(3, 2, "delta_ack");
    }
    talk.pass(1, 4, "search"); // never answered
    const auto right = alignClocks(spaceTimeOf(talk.events));
    for (const ProcessId process : { 1, 2, 3, 4 })
        QCOMPARE(right.at(process).correctionNs, std::int64_t(0));
    QCOMPARE(*right.at(2).errorNs, std::int64_t(1'000'000));
    QVERIFY(!right.at(4).errorNs);
    // The clock of 3 is 50 ms ahead: its acknowledgements seem to arrive before they were sent.
    for (RunEvent& event : talk.events)
        if (event.process == 3)
            event.runNs += 50'000'000;
    const SpaceTime model = spaceTimeOf(talk.events);
    QCOMPARE(model.backwards, std::size_t(5));
    const SpaceTimeLayout raw = layoutSpaceTime(
        model, ClusterState(), wishFor(model, SpaceTimeWish::Order::Time), Theme(), QSizeF(1200, 500));
    QCOMPARE(raw.backwards, std::size_t(5));
    QCOMPARE(std::count_if(raw.arrows.begin(), raw.arrows.end(), [](const auto& arrow) { return arrow.isBackwards; }),
        std::ptrdiff_t(5));
    QCOMPARE(raw.clocks.size(), std::size_t(3));
    QCOMPARE(std::count_if(raw.clocks.begin(), raw.clocks.end(), [](const auto& clock) { return clock.isWrong; }),
        std::ptrdiff_t(1));
    for (const auto& clock : raw.clocks) {
        QCOMPARE(clock.errorNs, std::int64_t(1'000'000));
        QVERIFY(qAbs(clock.box.width() - std::max(2.0, raw.xOf(raw.from + 2e6) - raw.plot.left())) < 0.01);
        QCOMPARE(clock.box.right(), raw.plot.right());
    }
    const SpaceTimeLayout aligned = layoutSpaceTime(
        model, ClusterState(), wishFor(model, SpaceTimeWish::Order::Aligned), Theme(), QSizeF(1200, 500));
    QCOMPARE(aligned.backwards, std::size_t(0));
    QCOMPARE(aligned.corrected, std::size_t(1));
    QVERIFY(std::none_of(
        aligned.arrows.begin(), aligned.arrows.end(), [](const auto& arrow) { return arrow.isBackwards; }));
}

int main(int count, char** arguments) { return runOffscreen<SpaceTimeTest>(count, arguments); }
#include "tst_space_time.moc"
