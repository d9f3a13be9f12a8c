// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of the picture, computed without a window: nothing overlaps, nothing is clipped, everything can be hit.
#include "tests/rigs/gui/picture_faults.h"
#include "tests/rigs/gui/view_stage.h"

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr QSizeF kSmallView(1280, 520), kWideView(1920, 880), kInspectView(800, 520);

// Faults of a layout, as text; empty: none.
QString fault(const ClusterLayout& layout)
{
    const QRectF view(QPointF(0, 0), layout.viewport);
    std::vector<Named> areas { { "clients", layout.clients }, { "file", layout.file }, { "groups", layout.groupsArea },
        { "foot", layout.foot } };
    for (const auto& pool : layout.pools)
        areas.push_back({ "pool " + QString::number(pool.role), pool.frame });
    for (const Named& area : areas) {
        if (!isInside(area.rect, view))
            return area.name + " is not in the view: " + wordsOf(area.rect);
    }
    if (const QString both = overlap(areas); !both.isEmpty())
        return "areas overlap: " + both;
    std::vector<Named> items, frames;
    for (const auto& item : layout.items) {
        const QRectF area = layout.isInGroups(item.object) ? layout.groupsArea : view;
        if (!isInside(item.rect, area))
            return wordsOf(item.object) + " is not in its area: " + wordsOf(item.rect);
        items.push_back({ wordsOf(item.object), item.rect });
    }
    for (const auto& group : layout.groups) {
        if (!isInside(group.frame, layout.groupsArea))
            return QString("group %1 is not in its area: %2").arg(group.number).arg(wordsOf(group.frame));
        frames.push_back({ "group " + QString::number(group.number), group.frame });
        if (group.header.height() > 0 && !isInside(group.header, group.frame))
            return QString("the header of group %1 is not in its frame").arg(group.number);
    }
    for (const auto& pool : layout.pools) {
        for (const auto& item : layout.items) {
            if (item.object.kind == ObjectKind::Spare && pool.frame.contains(item.rect.center())
                && (!isInside(item.rect, pool.frame) || item.rect.top() < pool.title.bottom() - 0.5))
                return wordsOf(item.object) + " is not below its pool's title";
        }
    }
    const QString itemsTwice = overlap(items), groupsTwice = overlap(frames);
    return !itemsTwice.isEmpty() ? "items overlap: " + itemsTwice
        : groupsTwice.isEmpty()  ? QString()
                                 : "groups overlap: " + groupsTwice;
}

} // namespace

class ViewsTest : public QObject {
    Q_OBJECT
private slots:
    void nothingOverlapsAndAllLiesInItsArea_data();
    void nothingOverlapsAndAllLiesInItsArea();
    void fullPoolsAndManyClientsFit();
    void theCardsShowAsMuchAsTheirRoomAllows();
    void manyBucketsAreTilesAndMoreAHeatMap();
    void failuresAreSeenAmongAThousandTiles();
    void theStateOfANarrowCardIsReadToItsEnd();
    void zoomAndPanReachEveryBucket();
    void theFirstGroupKeepsItsOrderFromLeftToRight();
    void aLargeViewIsFilled_data();
    void aLargeViewIsFilled();
    void largeTextLeavesEveryBucketItsNumber_data();
    void largeTextLeavesEveryBucketItsNumber();
    void cellsReachFromEdgeToEdge();
    void noTextIsClippedOrCovered_data();
    void noTextIsClippedOrCovered();
    void theCentreOfEveryObjectHitsIt_data();
    void theCentreOfEveryObjectHitsIt();
    void noFontIsSmallerThanTwelvePixels();
};

void ViewsTest::nothingOverlapsAndAllLiesInItsArea_data()
{
    QTest::addColumn<QSizeF>("view");
    QTest::addColumn<double>("fontScale");
    QTest::newRow("1280 x 720") << kSmallView << 1.0;
    QTest::newRow("1280 x 720, inspect") << kInspectView << 1.0;
    QTest::newRow("1920 x 1080") << kWideView << 1.0;
    QTest::newRow("1280 x 720, 150 %") << QSizeF(1280, 400) << 1.5;
    QTest::newRow("the smallest canvas") << QSizeF(320, 240) << 1.0;
}

void ViewsTest::nothingOverlapsAndAllLiesInItsArea()
{
    QFETCH(const QSizeF, view);
    QFETCH(const double, fontScale);
    const Theme theme(Theme::Kind::Light, fontScale);
    LayoutOptions options;
    options.viewport = view;
    for (const std::uint32_t buckets : { 1u, 2u, 5u, 8u, 33u, 64u, 300u, 1'024u, 3'000u }) {
        for (const std::uint32_t m : { 1u, 2u, 4u, 7u, 32u }) {
            for (const std::uint32_t k : { 0u, 1u, 2u, 3u }) {
                FileShape shape { buckets, m, k };
                shape.records = 0;
                const ClusterState state = fileOf(shape);
                const ClusterLayout layout = layoutCluster(state, theme, options);
                const QString wrong = fault(layout);
                QVERIFY2(wrong.isEmpty(),
                    qPrintable(QString("%1 buckets, m %2, k %3: %4").arg(buckets).arg(m).arg(k).arg(wrong)));
                QCOMPARE(std::size_t(std::count_if(layout.items.begin(), layout.items.end(),
                             [](const auto& i) { return i.object.kind == ObjectKind::Data; })),
                    std::size_t(buckets));
                QCOMPARE(std::size_t(std::count_if(layout.items.begin(), layout.items.end(),
                             [](const auto& i) { return i.object.kind == ObjectKind::Parity; })),
                    state.parity.size());
            }
        }
    }
}

void ViewsTest::fullPoolsAndManyClientsFit()
{
    for (const std::uint32_t many : { 1u, 13u, 60u, 300u }) {
        FileShape shape { 8, 4, 1 };
        shape.dataSpares = many;
        shape.paritySpares = many / 2;
        shape.clients = many;
        const ClusterState state = fileOf(shape);
        LayoutOptions options;
        options.viewport = kSmallView;
        const ClusterLayout layout = layoutCluster(state, Theme(), options);
        QVERIFY2(fault(layout).isEmpty(), qPrintable(fault(layout)));
        const auto shown = std::count_if(layout.items.begin(), layout.items.end(),
            [](const auto& i) { return i.object.kind == ObjectKind::Client; });
        QCOMPARE(std::size_t(shown) + layout.clientsHidden, std::size_t(many));
        QVERIFY(shown > 0);
        QCOMPARE(layout.pools.size(), std::size_t(2));
        QCOMPARE(layout.pools[0].spares + layout.pools[1].spares, std::size_t(many + many / 2));
        const QStringList words = drawn(state, kSmallView).list.texts();
        QCOMPARE(words.contains(QString("+%1").arg(layout.clientsHidden)), layout.clientsHidden > 0);
        options.client = clientsOf(state).back(); // the selected one is among those that are shown
        const ClusterLayout chosen = layoutCluster(state, Theme(), options);
        QVERIFY2(fault(chosen).isEmpty(), qPrintable(fault(chosen)));
        QVERIFY(chosen.find({ ObjectKind::Client, options.client, 0 }) != nullptr);
        QCOMPARE(chosen.clientsHidden, layout.clientsHidden);
    }
}

void ViewsTest::theCardsShowAsMuchAsTheirRoomAllows()
{
    const auto detailOf = [](std::uint32_t buckets, QSizeF view) {
        LayoutOptions options;
        options.viewport = view;
        FileShape shape { buckets };
        shape.records = 0;
        return layoutCluster(fileOf(shape), Theme(), options).detail;
    };
    for (const std::uint32_t buckets : { 1u, 2u, 4u, 8u })
        QCOMPARE(detailOf(buckets, kSmallView), CardDetail::Full);
    QVERIFY(detailOf(64, kSmallView) <= CardDetail::Compact);
    QVERIFY(detailOf(1'024, kWideView) <= CardDetail::Tile);
    QCOMPARE(detailOf(3'000, kSmallView), CardDetail::Heat);
    CardDetail before = CardDetail::Full;
    for (const std::uint32_t buckets : { 1u, 8u, 16u, 64u, 256u, 1'024u, 3'000u }) {
        const CardDetail now = detailOf(buckets, kWideView);
        QVERIFY(now >= before); // more buckets never increase the detail of each
        before = now;
    }
}

void ViewsTest::manyBucketsAreTilesAndMoreAHeatMap()
{
    const auto shownOf = [](std::uint32_t buckets, qreal zoom) {
        FileShape shape { buckets };
        shape.records = 0;
        const ClusterState state = fileOf(shape);
        const Theme theme;
        LayoutOptions options;
        options.viewport = QSizeF(3'840, 2'000); // room is not the limit
        options.zoom = zoom;
        const ClusterLayout layout = layoutCluster(state, theme, options);
        CellReader cells;
        DisplayList list(theme);
        PictureInput input { state, layout, theme, cells };
        input.plan = cellPlanOf(state, layout.detail);
        drawCluster(input, list);
        return std::pair(layout.detail, list.texts().join(QStringLiteral(" | ")));
    };
    QVERIFY(shownOf(64, 1).first <= CardDetail::Compact);
    QCOMPARE(shownOf(65, 1).first, CardDetail::Tile);
    QVERIFY(shownOf(65, 1).second.contains("more than 64 buckets: tiles, shade = fill; zoom in for cards"));
    QCOMPARE(shownOf(1'024, 1).first, CardDetail::Tile);
    QCOMPARE(shownOf(1'025, 1).first, CardDetail::Heat);
    QVERIFY(shownOf(1'025, 1).second.contains(QString::fromUtf8("more than 1\u202f024 buckets: heat map")));
    const auto [detail, words] = shownOf(1'024, 8);
    QVERIFY(detail <= CardDetail::Compact); // few enough are left in sight
    QVERIFY2(words.contains(QString::fromUtf8("of 1\u202f024 buckets in sight")), qPrintable(words));
}

void ViewsTest::failuresAreSeenAmongAThousandTiles()
{
    FileShape shape { 1'024 };
    shape.records = 0;
    ClusterState state = fileOf(shape);
    state.data[17].state = pb::SPLITTING;
    state.data[300].state = pb::RECOVERING;
    state.groups[75].recovery.isStarted = true;
    DownMember& failed = state.groups[200].down[{ pb::DATA, 1 }];
    failed.process = state.data[801].process;
    state.groups[200].state = pb::GROUP_DEGRADED;
    DownMember& lost = state.groups[10].down[{ pb::DATA, 0 }];
    lost.process = state.data[40].process;
    lost.isLost = true;
    state.groups[10].state = pb::GROUP_LOST;
    auto fault = std::make_shared<pb::Fault>();
    fault->set_number(9);
    fault->mutable_network();
    state.processes[state.data[500].process].faults[9] = { "loses half of what it sends", fault };
    const auto largestOf = [](const DisplayList& list, ObjectRef object, Glyph glyph) {
        qreal side = 0;
        for (const DisplayList::Item& item : list.items())
            if (const auto* mark = std::get_if<DisplayList::Mark>(&item.primitive);
                mark && item.object == object && mark->glyph == glyph)
                side = std::max(side, mark->rect.width());
        return side;
    };
    for (const QSizeF view : { kSmallView, kWideView }) {
        const Drawn picture = drawn(state, view);
        for (const auto& [a, glyph] : { std::pair(17, Glyph::Fork), std::pair(300, Glyph::Turning),
                 std::pair(801, Glyph::Cross), std::pair(40, Glyph::DoubleCross), std::pair(500, Glyph::Warning) })
            QVERIFY2(largestOf(picture.list, { ObjectKind::Data, std::uint64_t(a), 0 }, glyph) >= 8,
                qPrintable(QString::number(a)));
        for (const std::uint64_t group : { 10, 75, 200 }) {
            const bool hasFrame = std::any_of(
                picture.list.items().begin(), picture.list.items().end(), [&](const DisplayList::Item& item) {
                    const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
                    return box && item.object == ObjectRef { ObjectKind::Group, group, 0 } && box->stroke.isValid()
                        && box->width >= 2;
                });
            QVERIFY2(hasFrame, qPrintable(QString("group %1").arg(group)));
        }
    }
}

// The picture beside a panel in a window of 1280 x 720.
void ViewsTest::theStateOfANarrowCardIsReadToItsEnd()
{
    ClusterState state = fileOf({ 8, 4, 2 });
    state.markEnded(state.data[1].process, "killed on request", 0);
    for (const auto& [view, word, other] :
        { std::tuple(QSizeF(580, 470), "gone", "process gone"), std::tuple(kWideView, "process gone", "gone") }) {
        const Drawn picture = drawn(state, view);
        QVERIFY2(picture.list.texts().contains(word) && !picture.list.texts().contains(other),
            qPrintable(picture.list.texts().join(" | ")));
        for (const DisplayList::Item& item : picture.list.items())
            if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
                text && text->text == QLatin1String(word))
                QVERIFY(Theme().width(text->style, text->text) <= text->box.width());
    }
}

void ViewsTest::zoomAndPanReachEveryBucket()
{
    FileShape shape { 256 };
    shape.records = 0;
    const ClusterState state = fileOf(shape);
    const Theme theme;
    LayoutOptions options;
    options.viewport = kSmallView;
    const ClusterLayout whole = layoutCluster(state, theme, options);
    QCOMPARE(whole.pan, QPointF(0, 0));
    QCOMPARE(whole.panMax, QPointF(0, 0));
    options.zoom = 12;
    for (const std::uint32_t a : { 0u, 3u, 100u, 255u }) {
        options.pan = {};
        const ClusterLayout zoomed = layoutCluster(state, theme, options);
        QVERIFY(zoomed.detail < whole.detail);
        options.pan = zoomed.find({ ObjectKind::Data, a, 0 })->rect.center() - zoomed.groupsArea.center();
        const ClusterLayout moved = layoutCluster(state, theme, options);
        QVERIFY(moved.groupsArea.contains(moved.find({ ObjectKind::Data, a, 0 })->rect.center()));
    }
    options.pan = QPointF(1e9, -1e9);
    const ClusterLayout far = layoutCluster(state, theme, options);
    QCOMPARE(far.pan, QPointF(far.panMax.x(), 0.0));
    // Large text in a small window may leave no room at all for the groups.
    for (const QSizeF view : { QSizeF(300, 120), QSizeF(60, 20), QSizeF(0, 0) }) {
        options.viewport = view;
        const ClusterLayout none = layoutCluster(state, Theme(Theme::Kind::Light, 2.5), options);
        QVERIFY(none.panMax.x() >= 0 && none.panMax.y() >= 0 && none.groupsArea.isValid());
    }
}

void ViewsTest::theFirstGroupKeepsItsOrderFromLeftToRight()
{
    const ClusterState state = fileOf({ 6, 4, 2 });
    LayoutOptions options;
    options.viewport = kSmallView;
    const ClusterLayout layout = layoutCluster(state, Theme(), options);
    const auto left = [&](ObjectRef object) { return layout.find(object)->rect.left(); };
    for (const std::uint32_t a : { 0u, 1u, 2u })
        QVERIFY(left({ ObjectKind::Data, a, 0 }) < left({ ObjectKind::Data, a + 1, 0 }));
    // Data, a gap that is wider than those between data buckets, parity; a bucket that does not exist yet keeps its
    // place.
    const qreal between = left({ ObjectKind::Data, 1, 0 }) - layout.find({ ObjectKind::Data, 0, 0 })->rect.right();
    QVERIFY(left({ ObjectKind::Parity, 0, 0 }) - layout.find({ ObjectKind::Data, 3, 0 })->rect.right() > 1.5 * between);
    QVERIFY(left({ ObjectKind::Parity, 0, 0 }) < left({ ObjectKind::Parity, 0, 1 }));
    QVERIFY(layout.find({ ObjectKind::Dummy, 6, 0 }) != nullptr);
    QVERIFY(layout.find({ ObjectKind::Dummy, 7, 0 }) != nullptr);
    QCOMPARE(layout.findProcess(kFileData + 5)->object, (ObjectRef { ObjectKind::Data, 5, 0 }));
}

void ViewsTest::aLargeViewIsFilled_data()
{
    QTest::addColumn<QSizeF>("view");
    QTest::addColumn<double>("fontScale");
    QTest::addColumn<bool>("hasRoom"); // for larger text with four buckets
    QTest::newRow("1280 x 720") << QSizeF(1280, 500) << 1.0 << true;
    QTest::newRow("1280 x 720, a wide dock") << QSizeF(582, 480) << 1.0 << false;
    QTest::newRow("1920 x 1080") << QSizeF(1920, 850) << 1.0 << true;
    QTest::newRow("1920 x 1080, docks") << QSizeF(1220, 850) << 1.0 << true;
    QTest::newRow("1920 x 1080, a wide dock") << QSizeF(878, 840) << 1.0 << false;
    QTest::newRow("1920 x 1080, 150 %") << QSizeF(1920, 760) << 1.5 << true;
    QTest::newRow("3840 x 2160") << QSizeF(3840, 1900) << 1.0 << true;
}

// In front of a hall the cards are visible, not the ground between them.
void ViewsTest::aLargeViewIsFilled()
{
    QFETCH(const QSizeF, view);
    QFETCH(const double, fontScale);
    QFETCH(const bool, hasRoom);
    const Theme asked(Theme::Kind::Light, fontScale);
    qreal before = 3;
    for (const std::uint32_t buckets : { 1u, 4u, 8u, 24u, 64u }) {
        FileShape shape { buckets, 4, buckets >= 8 ? 2u : 1u };
        shape.records = 24;
        const ClusterState state = fileOf(shape);
        LayoutOptions options;
        options.viewport = view;
        const qreal scale = roomScale(state, asked, options);
        QVERIFY(scale >= 1 && scale <= before); // more buckets never increase the room of each
        before = scale;
        if (buckets == 4)
            QCOMPARE(scale > 1.05, hasRoom);
        const Theme theme(Theme::Kind::Light, fontScale * scale);
        const Drawn picture = drawn(state, view, theme);
        const QByteArray what = QByteArray::number(buckets) + " buckets, scale " + QByteArray::number(scale);
        QVERIFY2(fault(picture.layout).isEmpty(), what + ": " + fault(picture.layout).toUtf8());
        // For many tiles in a small view the parity's own label ("0.1") names the group.
        QVERIFY2((buckets > 24 || picture.list.texts().contains("Group 0"))
                && (fontScale > 1 || buckets > 24 || picture.list.texts().filter("j = ").size() > 0),
            what);
        QVERIFY2(textFault(picture.list, view).isEmpty(), what + ": " + textFault(picture.list, view).toUtf8());
        for (const auto& item : picture.layout.items)
            QVERIFY2(
                picture.list.hitTest(item.rect.center()) == item.object, what + ": " + wordsOf(item.object).toUtf8());
        QRectF used;
        for (const auto& group : picture.layout.groups)
            used = used.united(group.frame);
        const qreal high = used.height() / picture.layout.groupsArea.height();
        QVERIFY2(high > 0.6, what + ": only so much of the height is used: " + QByteArray::number(high));
        if (buckets <= 4) {
            const bool hasKeys
                = cellGeometry(theme, picture.layout.find({ ObjectKind::Data, 0, 0 })->rect, cellPlanOf(state)).hasKeys;
            QVERIFY2(hasKeys || view.width() < 900, what + ": keys are not written");
        }
    }
}

void ViewsTest::largeTextLeavesEveryBucketItsNumber_data()
{
    QTest::addColumn<QSizeF>("view");
    QTest::addColumn<double>("fontScale");
    for (const double scale : { 1.6, 2.0, 2.5 }) {
        const QByteArray percent = QByteArray::number(qRound(scale * 100)) + " %";
        for (const QSizeF view :
            { QSizeF(1280, 400), QSizeF(1280, 300), QSizeF(1280, 255), QSizeF(800, 300), QSizeF(1024, 300) })
            QTest::newRow(
                (QByteArray::number(view.width()) + " x " + QByteArray::number(view.height()) + ", " + percent)
                    .constData())
                << view << scale;
    }
}

// The text of the picture is reduced before its buckets are; nothing overlaps.
void ViewsTest::largeTextLeavesEveryBucketItsNumber()
{
    QFETCH(const QSizeF, view);
    QFETCH(const double, fontScale);
    FileShape shape { 8, 4, 1 };
    for (const std::uint32_t spares : { 0u, 6u, 40u }) {
        shape.dataSpares = shape.paritySpares = spares;
        const ClusterState state = fileOf(shape);
        LayoutOptions options;
        options.viewport = view;
        const Theme asked(Theme::Kind::Light, fontScale);
        const qreal scale = roomScale(state, asked, options);
        QVERIFY2(scale <= 1.5 && fontScale * scale >= 0.999, QByteArray::number(scale)); // never below 100 %
        const Drawn picture = drawn(state, view, Theme(Theme::Kind::Light, fontScale * scale));
        QVERIFY2(fault(picture.layout).isEmpty(), qPrintable(fault(picture.layout)));
        QVERIFY2(textFault(picture.list, view).isEmpty(), qPrintable(textFault(picture.list, view)));
        const QStringList words = picture.list.texts();
        if (picture.layout.pools.empty() && spares > 0)
            QVERIFY2(!words.filter(QString("no room for %1 spares").arg(2 * spares)).isEmpty(),
                qPrintable(words.join(" | ")));
        for (std::uint64_t bucket = 0; bucket < 8; ++bucket) {
            const ObjectRef object { ObjectKind::Data, bucket, 0 };
            const bool isNumbered = std::any_of(
                picture.list.items().begin(), picture.list.items().end(), [&](const DisplayList::Item& item) {
                    const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
                    return text && item.object == object
                        && (text->text == QString::number(bucket) || text->text == QString("Bucket %1").arg(bucket));
                });
            QVERIFY2(isNumbered,
                qPrintable(QString("bucket %1 at %2").arg(bucket).arg(wordsOf(picture.layout.find(object)->rect))));
        }
    }
}

void ViewsTest::cellsReachFromEdgeToEdge()
{
    for (const double wide : { 130.0, 171.0, 240.0, 330.0 }) {
        for (const std::uint32_t digits : { 0u, 3u }) {
            CellPlan plan;
            plan.ranks = 40;
            plan.keyDigits = digits;
            const CellGeometry cells = cellGeometry(Theme(), QRectF(10, 10, wide, 300), plan);
            QVERIFY(cells.isValid());
            const qreal right = cells.area.left() + cells.columns * cells.pitchX;
            QVERIFY2(right <= cells.area.right() + 1 && cells.area.right() - right < cells.columns + 1,
                qPrintable(QString("%1: %2 of %3").arg(wide).arg(right).arg(cells.area.right())));
        }
    }
}

void ViewsTest::noTextIsClippedOrCovered_data()
{
    QTest::addColumn<QSizeF>("view");
    QTest::addColumn<double>("fontScale");
    for (const double scale : { 0.8, 1.0, 1.5 }) {
        const QByteArray percent = QByteArray::number(qRound(scale * 100)) + " %";
        QTest::newRow(("1280 x 720, " + percent).constData()) << QSizeF(1280, 560 - 110 * scale + 50) << scale;
        QTest::newRow(("1280 x 720, inspect, " + percent).constData()) << QSizeF(800, 560 - 110 * scale + 50) << scale;
        QTest::newRow(("1920 x 1080, " + percent).constData()) << QSizeF(1920, 860) << scale;
    }
    QTest::newRow("1920 x 1080, 250 %") << QSizeF(1920, 700) << 2.5;
}

void ViewsTest::noTextIsClippedOrCovered()
{
    QFETCH(const QSizeF, view);
    QFETCH(const double, fontScale);
    const Theme theme(Theme::Kind::Light, fontScale);
    for (const std::uint32_t buckets : { 0u, 1u, 3u, 8u, 13u, 40u, 128u, 1'024u }) {
        for (const std::uint32_t clients : { 0u, 1u, 3u, 40u }) {
            FileShape shape { buckets, 4, 2 };
            shape.clients = clients;
            shape.records = buckets > 100 ? 2 : 37;
            ClusterState state = fileOf(shape);
            state.file.splitsOwed = 3;
            if (buckets > 3) { // a split, an overload, a starting bucket, and one without any report
                state.data[1].state = pb::SPLITTING;
                state.data[2].isOverflowed = true;
                state.data[2].count = 57;
                state.data[3].state = pb::INIT;
                SplitState split;
                split.id = 9;
                split.bucket = 1;
                split.newBucket = buckets - 1;
                split.isOrdered = true;
                split.stage = SplitStage::Moving;
                state.splits[9] = split;
                state.parity[{ 0, 0 }].held = { 0, 3, 0, 0 };
                state.parity[{ 0, 1 }].state = pb::INIT;
                state.groups[0].parityIsBeingAdded = true;
            }
            const Drawn picture = drawn(state, view, theme);
            const QString wrong = textFault(picture.list, view);
            QVERIFY2(wrong.isEmpty(),
                qPrintable(QString("%1 buckets, %2 clients: %3").arg(buckets).arg(clients).arg(wrong)));
        }
    }
}

void ViewsTest::theCentreOfEveryObjectHitsIt_data()
{
    QTest::addColumn<int>("buckets");
    QTest::newRow("full cards") << 8;
    QTest::newRow("compact cards") << 64;
    QTest::newRow("tiles") << 512;
    QTest::newRow("heat map") << 3'000;
}

void ViewsTest::theCentreOfEveryObjectHitsIt()
{
    QFETCH(const int, buckets);
    FileShape shape { std::uint32_t(buckets) - 1 };
    shape.records = buckets > 100 ? 1 : 20;
    const Drawn picture = drawn(fileOf(shape), kWideView);
    const bool isHeat = picture.layout.detail == CardDetail::Heat;
    for (const auto& item : picture.layout.items) {
        if (isHeat && item.object.kind == ObjectKind::Dummy)
            continue; // not drawn at this size
        const ObjectRef hit = picture.list.hitTest(item.rect.center());
        QVERIFY2(hit == item.object, qPrintable(wordsOf(item.object) + " hits " + wordsOf(hit)));
    }
    for (const auto& group : picture.layout.groups) {
        if (group.header.height() >= Theme().lineHeight({ TextSize::Small }))
            QCOMPARE(picture.list.hitTest(group.header.topLeft() + QPointF(8, group.header.height() / 2)),
                (ObjectRef { ObjectKind::Group, group.number, 0 }));
    }
    for (const auto& pool : picture.layout.pools)
        QCOMPARE(
            picture.list.hitTest(pool.title.center()), (ObjectRef { ObjectKind::Pool, std::uint64_t(pool.role), 0 }));
    QCOMPARE(picture.list.hitTest(picture.layout.file.center()), (ObjectRef { ObjectKind::File, 0, 0 }));
    QCOMPARE(picture.list.hitTest(QPointF(2, 2)), ObjectRef());
}

void ViewsTest::noFontIsSmallerThanTwelvePixels()
{
    for (int size = 0; size < kTextSizes; ++size) {
        const TextStyle style { TextSize(size) };
        QVERIFY(Theme().font(style).pixelSize() >= 12);
        QVERIFY(Theme(Theme::Kind::Light, 1.5).font(style).pixelSize() >= 18);
        QVERIFY(Theme(Theme::Kind::Light, 2.5).font(style).pixelSize() >= 30);
    }
    // Every text of a picture belongs to one of these.
    QCOMPARE(Theme(Theme::Kind::Dark, 90).fontScale(), Theme::kHallScaleMax);
    QCOMPARE(Theme(Theme::Kind::Dark, 0.1).fontScale(), 0.8);
}

int main(int count, char** arguments) { return runOffscreen<ViewsTest>(count, arguments); }
#include "tst_views.moc"
