// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a ring that walks: everything is at its id and can be read, queries go from node to node as they did,
// and errors are both written and drawn.
#include "common/kinds.h"
#include "tests/rigs/gui/ring_stage.h"
#include "tests/view/golden.h"

#include "gui/view/lhrs/file_picture.h"
#include "gui/view/systems/view_systems.h"
#include "gui/view/walk/ring_drawing.h"
#include "gui/view/walk/ring_picture.h"
#include "gui/view/walk/ring_words.h"
#include "gui/window/start/scenario_pictures.h"

#include <QAccessible>

#include <algorithm>
#include <cmath>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr double kFrame = 1.0 / 60;
constexpr QSizeF kLecture(1280, 560); // the canvas of a window of 1280x720

ObjectRef nodeAt(std::size_t i) { return { ObjectKind::Node, kRingNode + i, 0 }; }

// A ring as the canvas draws it at rest.
struct Still {
    Selection selection;
    std::set<ProcessId> silent;
    Theme theme;
    RingPicture picture;
    DisplayList list;

    explicit Still(const ClusterState& state, QSizeF size = kLecture, const Theme& asked = Theme())
        : theme(asked), list(asked)
    {
        const SystemView::Sight wanted { state, asked, selection, silent, size };
        theme = Theme(asked.kind(), asked.fontScale() * picture.roomScale(wanted));
        const SystemView::Sight sight { state, theme, selection, silent, size };
        picture.layout(sight, false);
        list.setTheme(theme);
        picture.drawResting(sight, list);
    }
    const RingLayout& layout() const { return picture.layoutShown(); }
    int glyphs(Glyph glyph) const
    {
        return int(std::count_if(list.items().begin(), list.items().end(), [glyph](const DisplayList::Item& item) {
            const auto* mark = std::get_if<DisplayList::Mark>(&item.primitive);
            return mark != nullptr && mark->glyph == glyph;
        }));
    }
    // Small circles: keys.
    int dots() const
    {
        return int(std::count_if(list.items().begin(), list.items().end(), [this](const DisplayList::Item& item) {
            const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            return box != nullptr && box->outline == Outline::Circle && box->rect.width() < 10 * theme.px(1)
                && !item.object;
        }));
    }
    int ribbons() const
    {
        return int(std::count_if(list.items().begin(), list.items().end(), [](const DisplayList::Item& item) {
            const auto* line = std::get_if<DisplayList::Line>(&item.primitive);
            return line != nullptr && line->isRibbon;
        }));
    }
    QString text() const { return list.texts().join(QLatin1Char(' ')); }
    // Writes the picture into the folder LHRS_SHOW_RINGS, for manual review.
    void keep(const QString& name) const
    {
        if (const QString folder = qEnvironmentVariable("LHRS_SHOW_RINGS"); !folder.isEmpty())
            list.toImage(picture.layoutShown().viewport.toSize(), 1, theme.canvas)
                .save(QStringLiteral("%1/%2.png").arg(folder, name));
    }
};

// A canvas with a ring whose processes publish what a test wants.
struct Played {
    ListFeed feed;
    Pacer pacer { feed };
    Selection selection;
    ClusterCanvas canvas { pacer, selection };

    explicit Played(const ClusterState& state)
    {
        feed.known() = state;
        canvas.resize(1280, 560);
        canvas.show();
        for (int i = 0; i < 40; ++i)
            frame();
    }
    void frame(double seconds = kFrame)
    {
        pacer.advance(seconds);
        canvas.refresh(seconds);
    }
    template <class Condition> bool until(Condition&& holds, double secondsMax = 60)
    {
        for (double t = 0; t < secondsMax; t += kFrame) {
            if (holds())
                return true;
            frame();
        }
        return false;
    }
    RingPicture& ring() { return canvas.viewOf<RingPicture>(); }

    pb::Event event(ProcessId cause = 0, std::uint64_t number = 0) const
    {
        pb::Event e;
        e.mutable_operation()->set_client(kRingClient);
        e.mutable_operation()->set_number(1);
        e.set_cause_process(cause);
        e.set_cause_sequence(number);
        return e;
    }
    std::uint64_t send(const char* kind, ProcessId from, ProcessId to, ProcessId cause, std::uint64_t number)
    {
        pb::Event sent = event(cause, number);
        sent.mutable_message_sent()->set_kind(kind);
        sent.mutable_message_sent()->set_to(to);
        sent.mutable_message_sent()->set_id(feed.committed() + 1);
        return feed.tell(from, sent);
    }
    // A search for the key that enters at the first of these nodes and is answered by the last.
    void ask(std::uint64_t key, const std::vector<ProcessId>& way)
    {
        pb::Event started = event();
        started.mutable_operation_started()->set_kind(pb::SEARCH);
        started.mutable_operation_started()->set_key(key);
        feed.tell(kRingClient, started);
        ProcessId from = kRingClient;
        std::uint64_t number = send("query", from, way.front(), 0, 0);
        for (std::size_t i = 0; i + 1 < way.size(); ++i) {
            pb::Event passed = event(from, number);
            passed.mutable_walk()->mutable_query_passed()->set_key(key);
            passed.mutable_walk()->mutable_query_passed()->set_to(way[i + 1]);
            passed.mutable_walk()->mutable_query_passed()->set_steps(std::uint32_t(i + 1));
            feed.tell(way[i], passed);
            number = send("query", way[i], way[i + 1], from, number);
            from = way[i];
        }
        number = send("answer", way.back(), kRingClient, from, number);
        pb::Event done = event(way.back(), number);
        done.mutable_operation_done()->set_kind(pb::SEARCH);
        done.mutable_operation_done()->set_result(pb::OK);
        done.mutable_operation_done()->set_forwards(std::uint32_t(way.size() - 1));
        feed.tell(kRingClient, done);
    }
};

// The nodes clockwise, beginning with this one.
std::vector<ProcessId> clockwiseFrom(const ClusterState& state, std::size_t first, std::size_t count)
{
    const std::vector<std::uint64_t> nodes = ringNodes(state);
    std::vector<ProcessId> way;
    for (std::size_t i = 0; i < count; ++i)
        way.push_back(nodes[(first + i) % nodes.size()]);
    return way;
}

} // namespace

class RingPictureTest : public QObject {
    Q_OBJECT
private slots:
    void nodesAreWhereTheirIdsAre();
    void labelsAreLegible_data();
    void labelsAreLegible();
    void labelsThatHaveNoRoomAreLeftOutNotDrawnOverEachOther();
    void pushedApartStaysNear();
    void whatIsUnderTheMouseIsFound();
    void neighboursHaveDifferentColours();
    void aKeyIsADotAndManyAreBars();
    void aNodeIsDescribedInWords();
    void arrowKeysGoRoundTheRing();
    void screenReadersHearNodesInTheOrderOfTheirIds();
    void aQueryPassesEachNodeInOrderAndItsCountRises();
    void aQueryTravelsAlongTheCircle();
    void aJoinShowsTheRangeThatMoves();
    void movedKeysFly();
    void aLostNodeIsSaidAndDrawn_data();
    void aLostNodeIsSaidAndDrawn();
    void reducedMotionMovesNothing();
    void eachSystemHasItsPicture();
    void listsAndLogsSpeakOfNodes();
    void whatCanBeBrokenIsOfARing();
    void aSystemThatIsNotKnownIsShownAsAFile();
    void theReviewedPicture();
};

void RingPictureTest::nodesAreWhereTheirIdsAre()
{
    const ClusterState state = ringOf({ 0, 1u << 30, 1u << 31, 3u << 30, 12345678 });
    const Still still(state);
    const RingLayout& layout = still.layout();
    const auto centreOf = [&](std::size_t i) { return layout.find(nodeAt(i))->centre - layout.centre; };
    QCOMPARE(centreOf(0), QPointF(0, -layout.radius)); // 0 is at the top
    QVERIFY(std::hypot(centreOf(1).x() - layout.radius, centreOf(1).y()) < 0.01);
    QVERIFY(std::hypot(centreOf(2).x(), centreOf(2).y() - layout.radius) < 0.01);
    QVERIFY(std::hypot(centreOf(3).x() + layout.radius, centreOf(3).y()) < 0.01);
    QVERIFY(std::abs(layout.find(nodeAt(4))->angle - 12345678.0 / 4294967296.0 * 2 * M_PI) < 1e-9);
    QVERIFY(layout.area.contains(
        QRectF(layout.centre - QPointF(layout.radius, layout.radius), 2 * QSizeF(layout.radius, layout.radius))));
    const ClusterState large = [] { // all of 64 bits are used
        ClusterState s = ringOf(1);
        s.ring.bits = 64;
        s.ring.nodes[kRingNode].id = s.ring.nodes[kRingNode].from = 3ULL << 62;
        return s;
    }();
    QVERIFY(std::abs(Still(large).layout().find(nodeAt(0))->angle - 1.5 * M_PI) < 1e-9);
}

void RingPictureTest::labelsAreLegible_data()
{
    QTest::addColumn<int>("nodes");
    QTest::addColumn<QSizeF>("size");
    QTest::addColumn<double>("font");
    for (const int nodes : { 1, 2, 8, 32, 64 }) {
        QTest::addRow("%d in a window of 1280x720", nodes) << nodes << kLecture << 1.0;
        QTest::addRow("%d in a hall", nodes) << nodes << QSizeF(1920, 980) << 1.4;
    }
}

void RingPictureTest::labelsAreLegible()
{
    QFETCH(const int, nodes);
    QFETCH(const QSizeF, size);
    QFETCH(const double, font);
    const ClusterState state = ringOf(std::size_t(nodes), 200, 3);
    const Still still(state, size, Theme(Theme::Kind::Light, font));
    const RingLayout& layout = still.layout();
    const QRectF view(QPointF(0, 0), size);
    int labels = 0;
    for (const RingLayout::Item& item : layout.items) {
        QVERIFY2(view.contains(item.rect), qPrintable(ringWords().nameOf(state, item.object)));
        if (item.label.isNull())
            continue;
        ++labels;
        QVERIFY2(view.adjusted(-1, -1, 1, 1).contains(item.label), qPrintable(ringWords().nameOf(state, item.object)));
        QVERIFY(!item.label.adjusted(0.01, 0.01, -0.01, -0.01).intersects(layout.foot));
        for (const RingLayout::Item& other : layout.items) {
            QVERIFY2(&other == &item || !other.label.adjusted(0.01, 0.01, -0.01, -0.01).intersects(item.label),
                qPrintable(ringWords().nameOf(state, other.object)));
            QVERIFY2(!other.rect.intersects(item.label), qPrintable(ringWords().nameOf(state, other.object)));
        }
    }
    QCOMPARE(labels, nodes);
    for (int i = 0; i < nodes; ++i)
        QVERIFY(still.list.texts().contains(QStringLiteral("node-%1").arg(i + 1)));
    still.keep(QStringLiteral("%1_%2").arg(nodes).arg(size.width()));
    QVERIFY(layout.radius >= 60 * still.theme.px(1));
}

void RingPictureTest::labelsThatHaveNoRoomAreLeftOutNotDrawnOverEachOther()
{
    std::vector<std::uint64_t> ids;
    for (std::uint64_t i = 0; i < 150; ++i)
        ids.push_back((1u << 29) + i * 3'000'000); // in an eighth of the circle
    const Still still(ringOf(ids));
    int labels = 0;
    for (const RingLayout::Item& item : still.layout().items) {
        labels += item.label.isNull() ? 0 : 1;
        for (const RingLayout::Item& other : still.layout().items)
            QVERIFY(item.label.isNull() || &other == &item
                || !other.label.adjusted(0.01, 0.01, -0.01, -0.01).intersects(item.label));
    }
    QVERIFY(labels > 40);
    QVERIFY(labels < 150);
}

void RingPictureTest::pushedApartStaysNear()
{
    QCOMPARE(pushedApart({ 10, 50, 90 }, 10, 0, 100), (std::vector<qreal> { 10, 50, 90 })); // nothing to do
    QCOMPARE(pushedApart({ 50, 50 }, 10, 0, 100), (std::vector<qreal> { 45, 55 })); // both move by the same distance
    QCOMPARE(pushedApart({ 0, 0, 0 }, 10, 5, 100), (std::vector<qreal> { 5, 15, 25 })); // away from the edge
    QCOMPARE(pushedApart({ 99, 100 }, 10, 0, 100), (std::vector<qreal> { 90, 100 }));
    QVERIFY(pushedApart({}, 10, 0, 100).empty());
}

void RingPictureTest::whatIsUnderTheMouseIsFound()
{
    const ClusterState state = ringOf(8, 40, 2);
    const Still still(state);
    const RingLayout& layout = still.layout();
    for (const RingLayout::Item& item : layout.items) {
        QCOMPARE(still.list.hitTest(item.rect.center()), item.object);
        if (!item.label.isNull())
            QCOMPARE(still.list.hitTest(QPointF(
                         item.isLeft ? item.label.right() - 3 : item.label.left() + 3, item.label.center().y() - 4)),
                item.object);
    }
    // The arc of a node's ids belongs to the node.
    const walk::RingNode& node = state.ring.nodes.at(kRingNode + 2);
    const qreal from = layout.angleOf(node.from), whole = clockwiseAngle(from, layout.angleOf(node.id));
    QCOMPARE(still.list.hitTest(layout.at(from + whole * 0.5, layout.radius)), nodeAt(2));
    QVERIFY(!still.list.hitTest(layout.centre + QPointF(0, layout.radius * 0.8)));
}

void RingPictureTest::neighboursHaveDifferentColours()
{
    for (const std::size_t nodes : { 2, 3, 5, 8, 33, 64 }) {
        const ClusterState state = ringOf(nodes);
        const auto colours = ownerColours(state);
        const std::vector<std::uint64_t> order = ringNodes(state);
        for (std::size_t i = 0; i < nodes; ++i)
            QVERIFY(colours.at(order[i]) != colours.at(order[(i + 1) % nodes]));
    }
}

void RingPictureTest::aKeyIsADotAndManyAreBars()
{
    QCOMPARE(Still(ringOf(8, 50)).dots(), 50);
    QCOMPARE(Still(ringOf(8, 50)).ribbons(), 0);
    const Still many(ringOf(8, kRingDots + 1));
    QCOMPARE(many.dots(), 0);
    QVERIFY(many.ribbons() > 150);
    QVERIFY(many.text().contains("bars: how many keys lie there"));
}

void RingPictureTest::aNodeIsDescribedInWords()
{
    ClusterState state = ringOf({ 1u << 30, 1u << 31 }, 10, 1);
    const RingPicture picture;
    const QString words = picture.sentenceOf(state, nodeAt(1));
    QVERIFY2(words.startsWith("Node node-2, in the ring, id 2147483648; answers for the ids after 1073741824 up to its "
                              "own: 25 % of the circle"),
        qPrintable(words));
    QVERIFY2(words.contains("knows one node, its successor: node-1"), qPrintable(words));
    QVERIFY(picture.sentenceOf(state, { ObjectKind::Node, kRingSpare, 0 }).contains("waits outside"));
    QVERIFY(picture.detailsOf(state, nodeAt(1)).back().startsWith("process node-2"));
    state.processes[kRingNode + 1].isPaused = true;
    QVERIFY(picture.sentenceOf(state, nodeAt(1)).contains("paused: queries wait at it"));
    state.ring.askers[kRingClient] = { 4, 6 };
    QVERIFY(
        picture.sentenceOf(state, { ObjectKind::Client, kRingClient, 0 }).contains("4 queries, 1.5 steps on average"));
    QCOMPARE(picture.find(state, "node-2").object, nodeAt(1));
    const SystemView::Found key = picture.find(state, "key 17");
    QCOMPARE(key.object.a, state.ring.ownerOf(0xa0fd1f9b)->process);
    QCOMPARE(key.words, QString("key 17 has id 2700943259"));
    QVERIFY(!picture.find(state, "no such thing").object);
}

void RingPictureTest::arrowKeysGoRoundTheRing()
{
    const ClusterState state = ringOf(8, 0, 1);
    const RingPicture picture;
    const std::vector<std::uint64_t> order = ringNodes(state);
    ObjectRef at;
    for (const std::uint64_t node : order) {
        at = picture.next(state, at, 1, 0);
        QCOMPARE(at.a, node);
    }
    QCOMPARE(picture.next(state, at, 0, 1).a, kRingSpare);
    QCOMPARE(picture.next(state, at, -1, 0).a, order[6]);
    std::size_t steps = 1; // round all nodes and back
    for (ObjectRef o = picture.next(state, at, 1, 0); o != at && steps < 100; o = picture.next(state, o, 1, 0))
        ++steps;
    QCOMPARE(steps, ringWords().objectsOf(state).size());
}

void RingPictureTest::screenReadersHearNodesInTheOrderOfTheirIds()
{
    Played p(ringOf(4, 0, 1));
    QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&p.canvas);
    QCOMPARE(list->childCount(), 7); // alice, the master, four nodes, one outside
    const std::vector<std::uint64_t> order = ringNodes(p.pacer.state());
    for (int i = 0; i < 4; ++i)
        QVERIFY(list->child(2 + i)
                    ->text(QAccessible::Name)
                    .startsWith(QStringLiteral("Node %1,").arg(ringNodeName(p.pacer.state(), order[std::size_t(i)]))));
}

void RingPictureTest::aQueryPassesEachNodeInOrderAndItsCountRises()
{
    const ClusterState state = ringOf(8);
    Played p(state);
    const std::vector<ProcessId> way = clockwiseFrom(state, 5, 5);
    p.ask(17, way);
    std::vector<ProcessId> passed;
    std::vector<QString> labels;
    QVERIFY(p.until([&] {
        for (const MessageMotion::Flight& flight : p.ring().motion().flights()) {
            if (flight.messageClass == MessageClass::Operation && (passed.empty() || passed.back() != flight.to)) {
                passed.push_back(flight.to);
                labels.push_back(flight.label);
            }
            if (flight.messageClass == MessageClass::Reply && flight.label == "answer after 4 steps")
                return true;
        }
        return false;
    }));
    QCOMPARE(passed, way);
    QCOMPARE(labels,
        (std::vector<QString> { "search key 17", "search key 17 · 1 step", "search key 17 · 2 steps",
            "search key 17 · 3 steps", "search key 17 · 4 steps" }));
    const RingMotion::Query* query = p.ring().motion().query({ kRingClient, 1 });
    QVERIFY(query != nullptr);
    QCOMPARE(query->way, way);
    QVERIFY(p.until([&] {
        return p.canvas.movingPicture().texts().contains("OK after 4 steps")
            || p.canvas.movingPicture().texts().contains("ok after 4 steps");
    }));
    QVERIFY(p.until([&] { return !p.canvas.isMoving(); }));
    p.selection.selectOperation({ kRingClient, 1 }); // it is followed: its path is drawn again
    p.frame();
    QVERIFY(p.canvas.movingPicture().texts().contains("search key 17 · 4 steps"));
}

void RingPictureTest::aQueryTravelsAlongTheCircle()
{
    const ClusterState state = ringOf(3);
    const Still still(state);
    const RingLayout& layout = still.layout();
    const std::vector<ProcessId> way = clockwiseFrom(state, 2, 2); // past id 0
    MessageMotion::Flight flight;
    flight.messageClass = MessageClass::Operation;
    flight.from = way[0];
    flight.to = way[1];
    MessageMotion::Points points;
    QVERIFY(RingMotion::wayOf(layout, flight, { 0, 0.5, 1 }, points));
    QCOMPARE(points[0], layout.findProcess(way[0])->centre);
    QVERIFY(QLineF(points[2], layout.findProcess(way[1])->centre).length() < 0.01);
    QVERIFY(std::abs(QLineF(points[1], layout.centre).length() - layout.radius) < 0.01);
    flight.from = kRingClient; // from outside it takes the shortest path
    QVERIFY(RingMotion::wayOf(layout, flight, { 0, 0.5, 1 }, points));
    QCOMPARE(points[0], layout.findProcess(kRingClient)->centre);
    flight.to = 77;
    QVERIFY(!RingMotion::wayOf(layout, flight, { 0, 0.5, 1 }, points));
}

void RingPictureTest::aJoinShowsTheRangeThatMoves()
{
    ClusterState state = ringOf({ 1u << 30, 3u << 30 }, 40, 2);
    QVERIFY(!Still(state).layout().find({ ObjectKind::Node, kRingSpare, 0 })->isOnRing);
    beginJoin(state, kRingNode + 1);
    const Still still(state);
    const RingLayout::Item* joining = still.layout().find({ ObjectKind::Node, kRingSpare, 0 });
    QVERIFY(joining->isOnRing);
    QVERIFY(std::abs(joining->angle - M_PI) < 1e-6); // between the two
    still.keep(QStringLiteral("join"));
    QVERIFY2(still.text().contains("node-3 joins"), qPrintable(still.text()));
    QVERIFY2(still.text().contains("node-2 still answers"), qPrintable(still.text()));
    const auto isMoving = [&](const DisplayList::Item& item) {
        const auto* line = std::get_if<DisplayList::Line>(&item.primitive);
        return line != nullptr && line->colour == still.theme.incoming && line->isDashed;
    };
    QCOMPARE(std::count_if(still.list.items().begin(), still.list.items().end(), isMoving), 1);
    state.ring.nodes[kRingNode + 1].given = 1;
    QVERIFY(Still(state).text().contains("no node answers"));
}

void RingPictureTest::movedKeysFly()
{
    ClusterState state = ringOf({ 1u << 30, 3u << 30 }, 40, 1);
    beginJoin(state, kRingNode + 1);
    Played p(state);
    pb::Event taken;
    taken.mutable_walk()->mutable_range_taken()->set_change(1);
    taken.mutable_walk()->mutable_range_taken()->set_giver(kRingNode + 1);
    taken.mutable_walk()->mutable_range_taken()->set_from(1u << 30);
    taken.mutable_walk()->mutable_range_taken()->set_to(1u << 31);
    taken.mutable_walk()->mutable_range_taken()->set_keys(12);
    p.feed.tell(kRingSpare, taken);
    QVERIFY(p.until([&] { return p.ring().motion().keysUnderWay() == 12; }));
    QVERIFY(p.until([&] { return p.canvas.movingPicture().texts().contains("answers for 12 keys from now on"); }));
    QVERIFY(p.until([&] { return p.ring().motion().keysUnderWay() == 0; }));
}

void RingPictureTest::aLostNodeIsSaidAndDrawn_data()
{
    QTest::addColumn<bool>("hasEnded");
    QTest::addColumn<bool>("isDark");
    QTest::newRow("ended, light") << true << false;
    QTest::newRow("ended, dark") << true << true;
    QTest::newRow("silent, light") << false << false;
}

void RingPictureTest::aLostNodeIsSaidAndDrawn()
{
    QFETCH(const bool, hasEnded);
    QFETCH(const bool, isDark);
    ClusterState state = ringOf(6, 60);
    QCOMPARE(Still(state).glyphs(Glyph::Cut), 0);
    const std::uint32_t keys = state.ring.nodes[kRingNode + 2].keys;
    QVERIFY(keys > 1);
    if (hasEnded)
        state.processes[kRingNode + 2].hasEnded = true;
    else
        state.ring.lost.insert(kRingNode + 2);
    const Still still(state, kLecture, Theme(isDark ? Theme::Kind::Dark : Theme::Kind::Light));
    still.keep(QStringLiteral("lost_%1_%2").arg(hasEnded).arg(isDark));
    QCOMPARE(still.glyphs(Glyph::Cut), 1); // on the path to it
    QCOMPARE(still.glyphs(hasEnded ? Glyph::Gone : Glyph::Cross), 1);
    QVERIFY2(still.text().contains("the ring is broken at node-3"), qPrintable(still.text()));
    QVERIFY2(still.text().contains(QStringLiteral("%1 keys of node-3 cannot be reached").arg(keys)),
        qPrintable(still.text()));
    QVERIFY2(still.text().contains(QStringLiteral("%1 keys out of reach").arg(keys)), qPrintable(still.text()));
}

void RingPictureTest::reducedMotionMovesNothing()
{
    const ClusterState state = ringOf(8);
    Played p(state);
    p.canvas.setReducedMotion(true);
    p.ask(17, clockwiseFrom(state, 0, 4));
    for (int i = 0; i < 200; ++i) {
        p.frame();
        QVERIFY(p.ring().motion().flights().empty());
        QVERIFY(!p.canvas.isMoving());
    }
    QCOMPARE(p.pacer.state().ring.asked().steps, std::uint64_t(3));
}

void RingPictureTest::eachSystemHasItsPicture()
{
    const ClusterState state = ringOf(4);
    Played p(state);
    QCOMPARE(&p.canvas.view(), static_cast<const SystemView*>(&p.ring()));
    p.selection.select(nodeAt(1));
    p.feed.known() = fileOf({ 4, 2, 1, 2, 2, 1, 40, 4 });
    p.pacer.reset();
    QVERIFY(p.until([&] { return &p.canvas.view() == &p.canvas.viewOf<FilePicture>(); }));
    QVERIFY(!p.selection.selected()); // it was of the other cluster
    QVERIFY(!p.canvas.rectOf({ ObjectKind::Data, 2, 0 }).isNull());
    p.feed.known() = state;
    p.pacer.reset();
    QVERIFY(p.until([&] { return &p.canvas.view() == &p.ring(); }));
    QVERIFY(!p.canvas.rectOf(nodeAt(1)).isNull());
    QVERIFY(p.canvas.rectOf({ ObjectKind::Data, 2, 0 }).isNull());
    QVERIFY(p.canvas.restingPicture().texts().contains("node-2"));
}

// Where there is no picture: the processes that can be broken, the place of an event, the process to be inspected.
void RingPictureTest::listsAndLogsSpeakOfNodes()
{
    const ClusterState state = ringOf(4, 0, 1);
    const SystemWords& words = wordsOf(state);
    const std::vector<ObjectRef> listed = words.objectsOf(state);
    for (const ProcessId node : { ProcessId(kRingNode), ProcessId(kRingNode + 3), ProcessId(kRingSpare) }) {
        const ObjectRef object = words.objectOf(state, node);
        QCOMPARE(object, (ObjectRef { ObjectKind::Node, node, 0 }));
        QCOMPARE(std::count(listed.begin(), listed.end(), object), 1);
        QCOMPARE(words.processOf(state, object), node);
        QCOMPARE(words.placeOf(pb::Event(), node), object);
    }
    QCOMPARE(words.nameOf(state, nodeAt(1)), QString("node-2"));
    QCOMPARE(words.laneGroupOf(state, nodeAt(1)).name, QString("nodes"));
    const ObjectRef master = words.objectOf(state, kRingMaster);
    QCOMPARE(words.nameOf(state, master), QString("master")); // as in the picture
    QCOMPARE(words.laneGroupOf(state, master).name, QString("master"));
    QVERIFY(words.placeLine(nodeAt(1)).isEmpty()); // a scenario names the process
    QCOMPARE(&wordsOf(fileOf({ 4, 2, 1, 2, 2, 1, 40, 4 })), &wordsOf(ClusterState()));
}

// What can be broken on purpose: each step is an event of a ring, each message one of a ring, and none is left out.
void RingPictureTest::whatCanBeBrokenIsOfARing()
{
    const SystemWords& words = wordsOf(ringOf(4, 0, 1));
    for (const QString& step : words.stepsToKillAt())
        QVERIFY2(pb::WalkEvent::descriptor()->FindFieldByName(eventKindOfType(step.toStdString())->name) != nullptr,
            qPrintable(step));
    QStringList named;
    for (const SystemWords::MessagesNamed& one : words.messagesToBreak())
        named << one.kinds;
    QCOMPARE(int(named.size()), pb::WalkMessage::descriptor()->field_count());
    QVERIFY(named.contains("query") && named.contains("keys") && !named.contains("insert"));
    QCOMPARE(words.messagesToBreak().front().words, QString("query"));
    QVERIFY(wordsOf(fileOf({ 4, 2, 1, 2, 2, 1, 40, 4 })).stepsToKillAt().contains("SplitPrepared"));
}

// A later program may have recorded it.
void RingPictureTest::aSystemThatIsNotKnownIsShownAsAFile()
{
    Played p(ringOf(4));
    ClusterState state = fileOf({ 4, 2, 1, 2, 2, 1, 40, 4 });
    QCOMPARE(&wordsOf(state), &wordsOf(ClusterState()));
    QVERIFY(&wordsOf(state) != &wordsOf(p.pacer.state()));
    const QImage card = cardImage(state, Theme::Kind::Light);
    state.system = "another";
    QCOMPARE(&wordsOf(state), &wordsOf(ClusterState()));
    QVERIFY(!card.isNull());
    QCOMPARE(cardImage(state, Theme::Kind::Light), card);
    p.feed.known() = state;
    p.pacer.reset();
    QVERIFY(p.until([&] { return &p.canvas.view() == &p.canvas.viewOf<FilePicture>(); }));
}

void RingPictureTest::theReviewedPicture()
{
    ClusterState state = ringOf({ 1u << 29, 1u << 30, 1u << 31, 3u << 30 }, 12, 2);
    beginJoin(state, kRingNode + 2);
    state.processes[kRingNode + 3].hasEnded = true;
    state.ring.askers[kRingClient] = { 12, 18 };
    const QString wrong = differenceTo(QStringLiteral("ring_light.txt"), Still(state).list.toText());
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

int main(int count, char** arguments) { return runOffscreen<RingPictureTest>(count, arguments); }
#include "tst_ring_picture.moc"
