// SPDX-License-Identifier: GPL-3.0-or-later
// The space-time diagram: causes before effects whatever clocks say, arrows that are neither lost nor doubled when lanes
// are folded away, times to pixels and back; and the log for ShiViz, whose clocks know exactly the causes.
#include "tests/fake_cluster.h"
#include "tests/recording_rig.h"

#include "gui/lab/shiviz.h"
#include "gui/view/space_time_view.h"
#include "gui/window/main_window.h"

#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <numeric>
#include <random>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Order = SpaceTimeWish::Order;
using Filter = SpaceTimeWish::Filter;
using Fate = SpaceTimeMessage::Fate;

// Processes that talk: every event gets its number, its cause and its time.
struct Talk {
    std::vector<RunEvent> events;
    std::map<ProcessId, std::uint64_t> sequences, messages;
    std::int64_t now = 0;

    std::size_t tell(ProcessId process, pb::Event event, std::size_t cause = kNoEvent)
    {
        event.set_sequence(++sequences[process]);
        if (cause != kNoEvent) {
            event.set_cause_process(events[cause].process);
            event.set_cause_sequence(events[cause].event->sequence());
        }
        now += 1'000'000;
        RunEvent run;
        run.index = events.size() + 1;
        run.process = process;
        run.runNs = now;
        run.event = std::make_shared<pb::Event>(event);
        events.push_back(run);
        return events.size() - 1;
    }
    std::size_t send(ProcessId from, ProcessId to, const char* kind, std::uint64_t operation = 0, std::uint64_t id = 0, std::uint32_t tries = 0)
    {
        pb::Event event;
        event.mutable_message_sent()->set_id(id != 0 ? id : ++messages[from]);
        event.mutable_message_sent()->set_to(to);
        event.mutable_message_sent()->set_kind(kind);
        event.mutable_message_sent()->set_tries(tries);
        if (operation != 0) {
            event.mutable_operation()->set_client(kFileClients);
            event.mutable_operation()->set_number(operation);
        }
        return tell(from, event);
    }
    std::size_t receive(std::size_t sent, ProcessId at)
    {
        pb::Event event;
        event.mutable_message_received()->set_id(events[sent].event->message_sent().id());
        event.mutable_message_received()->set_from(events[sent].process);
        event.mutable_message_received()->set_kind(events[sent].event->message_sent().kind());
        *event.mutable_operation() = events[sent].event->operation();
        return tell(at, event, sent);
    }
    std::size_t pass(ProcessId from, ProcessId to, const char* kind, std::uint64_t operation = 0) { return receive(send(from, to, kind, operation), to); }
};

// Inserts with their deltas, between the processes of a file.
Talk conversation(int operations, std::uint32_t buckets = 8)
{
    Talk talk;
    for (int i = 1; i <= operations; ++i) {
        const std::uint32_t bucket = std::uint32_t(i) % buckets;
        const ProcessId data = kFileData + bucket, parity = parityProcess(bucket / 4, 0);
        talk.pass(kFileClients, data, "insert", std::uint64_t(i));
        talk.pass(data, parity, "delta", std::uint64_t(i));
        talk.pass(parity, data, "delta_ack", std::uint64_t(i));
        talk.pass(data, kFileClients, "reply", std::uint64_t(i));
    }
    return talk;
}

SpaceTimeWish wishFor(const SpaceTime& model, Order order = Order::Logical)
{
    SpaceTimeWish wish;
    wish.order = order;
    wish.from = order == Order::Logical ? 0 : double(model.firstNs);
    wish.to = order == Order::Logical ? double(model.logicalMax) + 1 : double(model.lastNs);
    return wish;
}

std::size_t countOf(const SpaceTimeLayout& layout)
{
    return std::accumulate(layout.arrows.begin(), layout.arrows.end(), std::size_t(0), [](std::size_t sum, const auto& arrow) { return sum + arrow.count; });
}

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
    void theViewShowsARecordingUpToItsInstant();
    void selectionIsSharedWithTheCanvasAndTheLog();
    void anEmptyDiagramOffersAReset();
    void theLiveDiagramFollows();
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
    QCOMPARE(model.messages[1].fate, Fate::Arrived); // its cause says which of the two it was
    // The same, when it was the first.
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
    QCOMPARE(model.messages[2].fate, Fate::Unknown); // nobody knows what its receiver heard
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
        QCOMPARE(message.sent, sent); // a multicast: its cause is where it comes from
    QVERIFY(model.events[two].logical > model.events[sent].logical);
    QVERIFY(model.events[three].logical > model.events[sent].logical);
}

void SpaceTimeTest::everyEffectStandsRightOfItsCause()
{
    Talk talk = conversation(40);
    std::mt19937 random(5);
    // In the order in which batches of different processes happen to come.
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
    QVERIFY(wrong.backwards > 0); // and it is said
    const ClusterState state = fileOf({ 8, 4, 1 });
    const auto picture = [&](const SpaceTime& model) {
        DisplayList list { Theme() };
        const SpaceTimeWish wish = wishFor(model);
        SpaceTimeLayout layout = layoutSpaceTime(model, state, wish, Theme(), QSizeF(1200, 500));
        for (auto& arrow : layout.arrows)
            arrow.isBackwards = false; // the colour tells of the clocks, the places do not
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
    const SpaceTimeLayout layout = layoutSpaceTime(spaceTimeOf(conversation(2).events), fileOf({ 8, 4, 1 }), wish, Theme(), QSizeF(wide, 400));
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
    // Each arrow still meets a line at both ends, those inside of a group its line.
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
    QCOMPARE(countOf(layout), std::size_t(3'600)); // nothing dropped
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
    QCOMPARE(std::count_if(layout.arrows.begin(), layout.arrows.end(), [](const auto& arrow) { return !arrow.isFaint; }), std::ptrdiff_t(4));
    QCOMPARE(layout.messages, std::size_t(40)); // the others are still there
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
    const SpaceTimeLayout layout = layoutSpaceTime(model, fileOf({ 8, 4, 1 }), wishFor(model), Theme(), QSizeF(1200, 500));
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
        drawSpaceTime(layoutSpaceTime(model, fileOf({ 8, 4, 1 }), wishFor(model), Theme(), QSizeF(1200, 500)), model, wishFor(model), list);
        return list;
    };
    QCOMPARE(draw().toText(), draw().toText());
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
        events.push_back({ lines[i].section(' ', 0, 0), QJsonDocument::fromJson(lines[i].section(' ', 1).toUtf8()).object() });
    QCOMPARE(events.size(), talk.events.size());
    std::map<QString, int> last;
    for (const Event& event : events) {
        // A process counts its own events, without holes.
        QCOMPARE(event.clock[event.host].toInt(), last[event.host] + 1);
        ++last[event.host];
        for (auto other = event.clock.begin(); other != event.clock.end(); ++other)
            QVERIFY(other.value().toInt() <= last[other.key()]); // nothing of the future
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

namespace {

MainWindow::Options options()
{
    MainWindow::Options o;
    o.theme = MainWindow::ThemeChoice::Light;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

} // namespace

void SpaceTimeTest::theViewShowsARecordingUpToItsInstant()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("spaceTime")->trigger();
    QVERIFY(window.spaceTime().isVisible() && window.canvas().isVisible());
    window.timeLine().seek(200);
    QTRY_COMPARE((window.clock().step(0.2), window.spaceTime().model().events.size()), std::size_t(200));
    window.timeLine().seek(100);
    QTRY_COMPARE((window.clock().step(0.2), window.spaceTime().model().events.size()), std::size_t(100));
    window.timeLine().step(1, TimeLine::Unit::Event);
    QTRY_COMPARE((window.clock().step(0.2), window.spaceTime().model().events.size()), std::size_t(101));
    QVERIFY(window.spaceTime().canvas().picture().texts().size() > 5);
    for (const char* ending : { "svg", "pdf", "png", "shiviz" })
        QCOMPARE(window.exportViewTo(folder.filePath(QStringLiteral("diagram.") + ending)), QString());
    QVERIFY(window.exportViewTo(folder.filePath("diagram.csv")).contains(".shiviz"));
}

void SpaceTimeTest::selectionIsSharedWithTheCanvasAndTheLog()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("follow")->trigger();
    window.actions().get("spaceTime")->trigger();
    SpaceTimeView& view = window.spaceTime();
    QTRY_VERIFY((window.clock().step(0.2), !view.canvas().layoutShown().lanes.empty()));
    const auto& lanes = view.canvas().layoutShown().lanes;
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [](const auto& l) { return l.object.kind == ObjectKind::Data; });
    QVERIFY(lane != lanes.end());
    const ObjectRef object = lane->object;
    QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(20, int(lane->y)));
    QCOMPARE(window.selection().selected(), object);
    window.clock().step(0.2);
    const auto& after = view.canvas().layoutShown().lanes;
    QVERIFY(std::any_of(after.begin(), after.end(), [&](const auto& l) { return l.isSelected && l.object == object; }));
    // A group is folded away by its name.
    const std::size_t before = after.size();
    const auto head = std::find_if(after.begin(), after.end(), [](const auto& l) { return l.isHead; });
    QVERIFY(head != after.end());
    QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(8, int(head->y)));
    QVERIFY(view.canvas().layoutShown().lanes.size() < before);
    // An operation is followed everywhere.
    window.selection().selectOperation({ kClient, 3 });
    QCOMPARE(view.wish().operation.second, std::uint64_t(3));
    QVERIFY(view.findChild<QPushButton*>("spaceTimeFree")->isVisible());
    QVERIFY2(view.status().contains("following operation"), qPrintable(view.status()));
}

void SpaceTimeTest::anEmptyDiagramOffersAReset()
{
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window(options());
    window.show();
    window.connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(window.cluster().link() == Operator::Link::Here && !window.pacer().state().data.empty(), 15'000);
    window.actions().get("spaceTime")->trigger();
    std::vector<pb::Event> events;
    for (int i = 0; i < 5; ++i) {
        pb::Event event;
        event.mutable_message_sent()->set_kind("alive");
        event.mutable_message_sent()->set_to(kFileCoordinator);
        event.mutable_message_sent()->set_id(std::uint64_t(i) + 1);
        events.push_back(event);
    }
    cluster.tell(kFileData, events);
    auto* reset = window.spaceTime().findChild<QPushButton*>("spaceTimeReset");
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.2), reset->isVisible()), 15'000);
    QTest::mouseClick(reset, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.2), window.spaceTime().canvas().layoutShown().messages >= 5), 15'000);
}

void SpaceTimeTest::theLiveDiagramFollows()
{
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window(options());
    window.show();
    window.connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(window.cluster().link() == Operator::Link::Here && !window.pacer().state().data.empty(), 15'000);
    window.actions().get("spaceTime")->trigger();
    for (int i = 0; i < 30; ++i) {
        pb::Event event;
        event.mutable_message_sent()->set_kind("delta");
        event.mutable_message_sent()->set_to(parityProcess(0, 0));
        event.mutable_message_sent()->set_id(std::uint64_t(i) + 1);
        cluster.tell(kFileData, event);
    }
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.3), window.spaceTime().model().messages.size() == 30), 15'000);
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.3), window.spaceTime().canvas().layoutShown().messages == 30), 15'000);
    // Time of the clocks shows the same messages.
    window.spaceTime().findChild<QComboBox*>("spaceTimeOrder")->setCurrentIndex(1);
    QCOMPARE(window.spaceTime().wish().order, Order::Time);
    QCOMPARE(window.spaceTime().canvas().layoutShown().messages, std::size_t(30));
}

int main(int count, char** arguments)
{
    return runOffscreen<SpaceTimeTest>(count, arguments);
}
#include "tst_space_time.moc"
