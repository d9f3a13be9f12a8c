// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas as a widget, and the common selection: what is pointed at in one view is marked in all others.
#include "tests/view/canvas_views.h"
#include "tests/view/golden.h"
#include "tests/rigs/gui/picture_faults.h"

#include "gui/view/lhrs/file_picture.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/view/lhrs/records/record_group_view.h"
#include "gui/view/lhrs/records/record_table.h"
#include "gui/lab/replay/time_line.h"
#include "gui/view/timeline/time_track.h"

#include <QTableView>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr ObjectRef kAliceRef { ObjectKind::Client, kAlice, 0 };

} // namespace

class CanvasTest : public QObject {
    Q_OBJECT
private slots:
    void afterAResizeWhatIsClickedIsWhatIsThere();
    void aBucketAProcessAndAKeyAreFound();
    void arrangementsHaveEveryServerOnce();
    void hostsStandSideBySide_data();
    void hostsStandSideBySide();
    void aHostHasItsNameAndWhatIsTooMuch();
    void theBeginningOfARecordingSaysSo();
    void whatTheRatesMeanIsPrinted();
    void aRowOfTheLogMarksItsOperationEverywhere();
    void aClientInThePictureIsMarkedInTheOtherViews();
    void aMessageInTheDiagramMarksItsOperation();
    void aRecordInThePictureMarksItsGroup();
    void aRecordInATableIsMarkedEverywhere();
    void anInstantIsMarkedInLogAndDiagram();
    void nothingIsMarkedWhenTheMouseLeaves();
    void theTimeTrackMarksAKillAndShadesWhatLasts();
    void withReducedMotionChangesFadeAndNothingTravels();
};

void CanvasTest::afterAResizeWhatIsClickedIsWhatIsThere()
{
    Views v({ 8, 4, 1 });
    for (const QSize size : { QSize(1280, 620), QSize(900, 480), QSize(1600, 900) }) {
        v.canvas.resize(size); // no frame between this and the click
        for (const std::uint64_t a : { 0, 3, 7 }) {
            const ObjectRef object { ObjectKind::Data, a, 0 };
            QCOMPARE(v.canvas.restingPicture().hitTest(v.canvas.rectOf(object).center()), object);
            QTest::mouseClick(&v.canvas, Qt::LeftButton, {}, v.centreOf(object));
            QCOMPARE(v.selection.selected(), object);
        }
    }
    v.canvas.zoomBy(3, v.centreOf({ ObjectKind::Data, 3, 0 }));
    const ObjectRef object { ObjectKind::Data, 3, 0 };
    QCOMPARE(v.canvas.restingPicture().hitTest(v.canvas.rectOf(object).center()), object);
}

void CanvasTest::aBucketAProcessAndAKeyAreFound()
{
    Views v({ 8, 4, 1 });
    QVERIFY(v.canvas.findObject("5"));
    QCOMPARE(v.selection.selected(), (ObjectRef { ObjectKind::Data, 5, 0 }));
    QVERIFY(v.canvas.findObject(" Parity 1.0 "));
    QCOMPARE(v.selection.selected(), (ObjectRef { ObjectKind::Parity, 1, 0 }));
    QVERIFY(v.canvas.findObject("alice"));
    QCOMPARE(v.selection.selected(), kAliceRef);
    for (const char* words : { "key 702", "702" }) {
        v.selection.select({});
        QVERIFY(v.canvas.findObject(words));
        QCOMPARE(v.selection.selected(), (ObjectRef { ObjectKind::Data, 2, 0 }));
        QCOMPARE(v.selection.part(), 7u);
        QVERIFY(v.moving().contains("key 702 has rank 7"));
    }
    QVERIFY(v.canvas.findObject("key 5") == false); // the number of a bucket is no key
    QVERIFY(!v.canvas.findObject("key 99999"));
    QVERIFY(!v.canvas.findObject("nobody"));
}

void CanvasTest::arrangementsHaveEveryServerOnce()
{
    for (const std::uint32_t buckets : { 1u, 6u, 64u, 300u }) {
        const ClusterState state = fileOf({ buckets, 4, 2 });
        const auto servers = std::count_if(
            state.processes.begin(), state.processes.end(), [](const auto& p) { return p.second.kind == pb::NODE; });
        for (const auto& [arrangement, areColumns] : { std::pair(Arrangement::Hosts, false),
                 std::pair(Arrangement::Groups, true), std::pair(Arrangement::Groups, false) }) {
            LayoutOptions options;
            options.viewport = kView;
            options.arrangement = arrangement;
            options.areColumns = areColumns;
            const ClusterLayout layout = layoutCluster(state, Theme(), options);
            std::set<ProcessId> seen;
            for (const ClusterLayout::Item& item : layout.items) {
                QVERIFY2(
                    item.process == 0 || seen.insert(item.process).second, qPrintable(QString::number(item.process)));
                const QRectF area = layout.isInGroups(item.object) ? layout.groupsArea : QRectF(QPointF(0, 0), kView);
                QVERIFY2(area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(item.rect) && item.rect.height() > 0
                        && item.rect.width() > 0,
                    qPrintable(QString("%1 buckets, columns %2, item %3 %4")
                                   .arg(buckets)
                                   .arg(areColumns)
                                   .arg(int(item.object.kind))
                                   .arg(item.object.a)));
                for (const ClusterLayout::Item& other : layout.items)
                    QVERIFY(&other == &item || other.rect.intersected(item.rect).width() < 0.01
                        || other.rect.intersected(item.rect).height() < 0.01);
            }
            QCOMPARE(std::ptrdiff_t(seen.size()), std::ptrdiff_t(servers + 3)); // two clients and the coordinator
        }
    }
}

void CanvasTest::hostsStandSideBySide_data()
{
    QTest::addColumn<int>("hosts");
    QTest::addColumn<qreal>("least"); // width of a card in pixels
    QTest::newRow("one") << 1 << 60.0;
    QTest::newRow("two") << 2 << 60.0;
    QTest::newRow("eight") << 8 << 40.0;
    QTest::newRow("forty") << 40 << 1.0;
}

void CanvasTest::hostsStandSideBySide()
{
    QFETCH(const int, hosts);
    QFETCH(const qreal, least);
    ClusterState state = fileOf({ 12, 4, 2 });
    int next = 0;
    for (auto& [id, process] : state.processes)
        if (process.kind == pb::NODE)
            process.host = "host" + std::to_string(next++ % hosts);
    LayoutOptions options;
    options.viewport = kView;
    options.arrangement = Arrangement::Hosts;
    const ClusterLayout layout = layoutCluster(state, Theme(), options);
    QCOMPARE(layout.groups.size(), std::size_t(std::min(hosts, next)));
    QVERIFY2(layout.card.width() >= least, qPrintable(QString::number(layout.card.width())));
    for (const ClusterLayout::Group& group : layout.groups) {
        QVERIFY(layout.groupsArea.adjusted(-0.5, -0.5, 0.5, 0.5).contains(group.frame));
        for (const ClusterLayout::Group& other : layout.groups)
            QVERIFY(&other == &group || !other.frame.intersects(group.frame));
    }
    std::size_t inFrames = 0;
    for (const ClusterLayout::Item& item : layout.items)
        inFrames += std::size_t(std::count_if(layout.groups.begin(), layout.groups.end(),
            [&](const auto& group) { return group.frame.adjusted(-0.5, -0.5, 0.5, 0.5).contains(item.rect); }));
    QCOMPARE(inFrames, std::size_t(next));
}

void CanvasTest::aHostHasItsNameAndWhatIsTooMuch()
{
    ClusterState state = fileOf({ 6, 4, 2 });
    // Of group 0 three members on one host, and two on another; of group 1 one each.
    std::map<ProcessId, std::string> hosts { { state.data.at(3).process, "lab2" },
        { state.parity.at({ 0, 0 }).process, "lab2" }, { state.parity.at({ 0, 1 }).process, "lab3" } };
    for (const std::uint32_t bucket : { 0u, 1u, 2u })
        hosts[state.data.at(bucket).process] = "lab1";
    for (auto& [id, process] : state.processes)
        process.host = hosts.contains(id) ? hosts[id] : "host" + std::to_string(id);
    LayoutOptions options;
    options.viewport = kView;
    options.arrangement = Arrangement::Hosts;
    const auto crowdedOf = [&](const QString& host) {
        const ClusterLayout layout = layoutCluster(state, Theme(), options);
        for (const ClusterLayout::Group& group : layout.groups)
            if (group.host.startsWith(host + " (127.0.0.1"))
                return group.crowded;
        return QString("no such host");
    };
    // Its clock is that of the process that was read last.
    const auto clockOf = [&] {
        for (const ClusterLayout::Group& group : layoutCluster(state, Theme(), options).groups)
            if (group.host.startsWith("lab1 "))
                return group.clock;
        return QString("no such host");
    };
    QCOMPARE(clockOf(), QString());
    ProcessState& exact = state.processes.at(state.data.at(0).process);
    exact.clockErrorNs = 250'000;
    exact.clockOffsetNs = -200'000;
    QCOMPARE(clockOf(), "clock right to ± " + durationWords(250'000));
    exact.clockOffsetNs = -30'000'000;
    QCOMPARE(clockOf(), "clock − " + durationWords(30'000'000) + " ± " + durationWords(250'000));
    exact.clockOffsetNs = 30'000'000;
    QCOMPARE(clockOf(), "clock + " + durationWords(30'000'000) + " ± " + durationWords(250'000));
    QCOMPARE(crowdedOf("lab1"), QString("3 members of group 0"));
    QCOMPARE(crowdedOf("lab2"), QString());
    state.processes.at(state.data.at(0).process).host = "lab3";
    QCOMPARE(crowdedOf("lab1"), QString());
    // One host has everything, which needs no warning.
    for (auto& [id, process] : state.processes)
        process.host = "lab1";
    QCOMPARE(crowdedOf("lab1"), QString());
}

void CanvasTest::theBeginningOfARecordingSaysSo()
{
    FileShape shape { 0, 4, 1 };
    shape.clients = shape.dataSpares = shape.paritySpares = 0;
    Views v(shape);
    QVERIFY(!v.canvas.restingPicture().texts().join(' ').contains("recorded run begins"));
    v.canvas.setRecorded(true);
    v.frame(0.2);
    const QString words = v.canvas.restingPicture().texts().join(" | ");
    QVERIFY2(words.contains("Here the recorded run begins") && words.contains("there is no file yet")
            && !words.contains("recruits"),
        qPrintable(words));
    QVERIFY2(words.contains("no client yet") && !words.contains("starts one"), qPrintable(words));
}

void CanvasTest::whatTheRatesMeanIsPrinted()
{
    Views v({ 8, 4, 1 });
    std::uint64_t number = 0;
    for (int frame = 0; frame < 80; ++frame) {
        for (int i = 0; i < 300; ++i, ++number)
            v.show.message("search", kAlice, kFileData + number % 8, number + 1);
        v.frame();
    }
    const QString foot = v.canvas.restingPicture().texts().join(" | ");
    QVERIFY2(foot.contains("ribbons: width by messages per second, the widest"), qPrintable(foot.right(400)));
    QVERIFY2(foot.contains("dots: 1 of"), qPrintable(foot.right(400)));
}

// ---- the common selection

void CanvasTest::aRowOfTheLogMarksItsOperationEverywhere()
{
    Views v({ 8, 4, 1 });
    for (std::uint64_t operation = 1; operation <= 3; ++operation)
        v.show.insert(operation, 20 + std::uint32_t(operation), 1);
    v.settle();
    auto* table = v.log.findChild<QTableView*>("logTable");
    int row = 0;
    while (row < v.log.model().rowCount() && v.log.model().pointedOfRow(row).operation != OperationId { kAlice, 2 })
        ++row;
    QVERIFY(row < v.log.model().rowCount());
    table->scrollTo(v.log.model().index(row, EventLogModel::What));
    const QPoint at = table->visualRect(v.log.model().index(row, EventLogModel::What)).center();
    moveTo(*table->viewport(), at);
    QCOMPARE(v.selection.pointed().operation, (OperationId { kAlice, 2 }));
    // The picture marks alice and the bucket that it visited, with their text.
    const QStringList words = v.moving();
    QVERIFY2(words.contains("insert key 4711"), qPrintable(words.join(" | ")));
    const DisplayList& moving = v.canvas.movingPicture();
    QVERIFY(!moving.boundsOf(kAliceRef).isNull() && !moving.boundsOf({ ObjectKind::Data, 0, 0 }).isNull());
    // The diagram marks the messages and the instant. The log marks the other rows.
    QCOMPARE(v.marked(ObjectKind::Message), std::size_t(4)); // insert, delta, acknowledgement, reply
    const std::vector<int> rows = v.markedRows();
    QVERIFY(rows.size() > 3);
    for (const int marked : rows)
        QCOMPARE(v.log.model().pointedOfRow(marked).operation, (OperationId { kAlice, 2 }));
    // Once selected, it is followed until another one is selected.
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(v.selection.operation(), (OperationId { kAlice, 2 }));
    QCOMPARE(v.diagram.wish().operation, (OperationId { kAlice, 2 }));
}

void CanvasTest::aClientInThePictureIsMarkedInTheOtherViews()
{
    Views v({ 8, 4, 1 });
    v.show.insert(1, 21, 1);
    v.settle();
    moveTo(v.canvas, v.centreOf(kAliceRef));
    QCOMPARE(v.selection.hovered(), kAliceRef);
    QVERIFY(!v.images.marks().items().empty());
    QCOMPARE(v.marked(ObjectKind::Client), std::size_t(1));
    const std::vector<int> rows = v.markedRows();
    QVERIFY(!rows.empty() && int(rows.size()) < v.log.model().rowCount());
    for (const int marked : rows)
        QCOMPARE(v.log.model().objectOfRow(marked), kAliceRef);
    // And from the images view back to the picture.
    moveTo(v.canvas, QPoint(640, 300));
    const auto& drawn = v.images.picture().items();
    const auto own = std::find_if(drawn.begin(), drawn.end(), [](const DisplayList::Item& item) {
        return item.object == kAliceRef && std::holds_alternative<DisplayList::Text>(item.primitive);
    });
    QVERIFY(own != drawn.end());
    moveTo(v.images, v.images.picture().textRect(std::get<DisplayList::Text>(own->primitive)).center().toPoint());
    QCOMPARE(v.selection.hovered(), kAliceRef);
}

void CanvasTest::aMessageInTheDiagramMarksItsOperation()
{
    Views v({ 8, 4, 1 });
    v.show.insert(7, 21, 1);
    v.settle();
    const auto& arrows = v.diagram.canvas().layoutShown().arrows;
    QVERIFY(!arrows.empty());
    const QPointF middle = (arrows.front().from + arrows.front().to) / 2;
    moveTo(v.diagram.canvas(), middle.toPoint());
    QCOMPARE(v.selection.pointed().operation, (OperationId { kAlice, 7 }));
    QVERIFY(v.moving().contains("insert key 4711"));
    QVERIFY(v.markedRows().size() > 3);
}

void CanvasTest::aRecordInThePictureMarksItsGroup()
{
    Views v({ 8, 4, 1 });
    const ObjectRef bucket { ObjectKind::Data, 1, 0 };
    const CellGeometry cells = cellGeometry(v.canvas.theme(), v.canvas.rectOf(bucket), cellPlanOf(v.canvas.state()));
    QVERIFY(cells.isValid());
    moveTo(v.canvas, cells.cellOf(5).center().toPoint());
    QCOMPARE(v.selection.part(), 5u);
    QCOMPARE(v.selection.partObject(), bucket);
    v.moving();
    // A frame around the cell of rank 5 of each member: four data buckets and one parity bucket.
    const auto& items = v.canvas.movingPicture().items();
    const auto frames = std::count_if(items.begin(), items.end(), [&](const DisplayList::Item& item) {
        const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
        return box && box->width == 2.5 && std::abs(box->rect.width() - cells.cellOf(5).width() - 6) < 0.1;
    });
    QCOMPARE(frames, std::ptrdiff_t(5));
}

void CanvasTest::aRecordInATableIsMarkedEverywhere()
{
    Views v({ 8, 4, 1 });
    for (std::uint64_t operation = 1; operation <= 3; ++operation)
        v.show.insert(operation, 20 + std::uint32_t(operation), 1);
    v.settle();
    HeldContents contents;
    WitnessBook witnesses;
    RecordTable table(v.show.pacer, contents, v.selection);
    RecordGroupView group(v.show.pacer, contents, witnesses, v.selection);
    const ObjectRef bucket { ObjectKind::Data, 0, 0 };
    v.selection.select(bucket);
    table.resize(600, 700);
    table.show();
    table.refresh(0.2);
    group.resize(700, 500);
    group.open(bucket, 22);
    auto* rows = table.findChild<QTableView*>("records");
    const auto mouseOverRank = [&](std::uint32_t rank) {
        const QModelIndex index = table.model().index(table.model().rowOfRank(rank), 0);
        rows->scrollTo(index);
        moveTo(*rows->viewport(), rows->visualRect(index).center());
    };
    mouseOverRank(22);
    // The canvas marks the cells of the record group, the group its member, the log the events of the record and its
    // parity.
    QCOMPARE(v.selection.part(), 22u);
    QCOMPARE(v.selection.partObject(), bucket);
    v.moving();
    QVERIFY(!v.canvas.movingPicture().items().empty());
    QVERIFY(!group.marks().boundsOf(bucket).isNull());
    QStringList told;
    for (const int row : v.markedRows())
        told << v.log.model().index(row, EventLogModel::What).data().toString();
    QVERIFY2(told.size() == 2 && told.join('|').contains("rank 22") && !told.join('|').contains("rank 21"),
        qPrintable(told.join(" | ")));
    mouseOverRank(20); // another record, which is not in the open group
    QVERIFY(group.marks().items().empty());
    // The other direction: a record of another bucket of the group, in the picture; a member of the record group; a row
    // of the log.
    const ObjectRef other { ObjectKind::Data, 1, 0 };
    const CellGeometry cells = cellGeometry(v.canvas.theme(), v.canvas.rectOf(other), cellPlanOf(v.canvas.state()));
    moveTo(v.canvas, cells.cellOf(7).center().toPoint());
    QCOMPARE(table.model().marked(), 7u);
    const auto brushOf = [&](std::uint32_t rank) {
        return table.model().index(table.model().rowOfRank(rank), 0).data(Qt::BackgroundRole);
    };
    QVERIFY(brushOf(7).isValid() && !brushOf(8).isValid());
    moveTo(group, group.picture().boundsOf(other).center().toPoint());
    QCOMPARE(v.selection.partObject(), other);
    QCOMPARE(table.model().marked(), 22u);
    Pointed far;
    far.object = { ObjectKind::Data, 6, 0 }; // of the other group
    far.part = 3;
    v.selection.point(far);
    QCOMPARE(table.model().marked(), 0u);
    mouseOverRank(5);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(rows->viewport(), &leave);
    QCOMPARE(v.selection.pointed(), Pointed());
    QCOMPARE(table.model().marked(), 0u);
}

void CanvasTest::anInstantIsMarkedInLogAndDiagram()
{
    Views v({ 8, 4, 1 });
    for (std::uint64_t operation = 1; operation <= 3; ++operation)
        v.show.insert(operation, 20 + std::uint32_t(operation), 1);
    v.settle();
    const int row = v.log.model().rowCount() / 2;
    Pointed pointed;
    pointed.atNs = v.log.model().pointedOfRow(row).atNs;
    v.selection.point(pointed);
    const std::vector<int> rows = v.markedRows();
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(v.log.model().pointedOfRow(rows.front()).atNs, pointed.atNs);
    const DisplayList& marks = v.diagram.canvas().marks();
    QCOMPARE(marks.items().size(), std::size_t(1));
    QVERIFY(std::holds_alternative<DisplayList::Line>(marks.items().front().primitive));
}

void CanvasTest::nothingIsMarkedWhenTheMouseLeaves()
{
    Views v({ 8, 4, 1 });
    v.show.insert(1, 21, 1);
    v.settle();
    v.selection.point({ kAliceRef, { kAlice, 1 } });
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&v.canvas, &leave);
    QCOMPARE(v.selection.pointed(), Pointed {});
    QVERIFY(v.markedRows().empty() && v.diagram.canvas().marks().items().empty() && v.images.marks().items().empty());
}

void CanvasTest::theTimeTrackMarksAKillAndShadesWhatLasts()
{
    ListFeed feed;
    TimeLine time(feed, [] { return Result<std::unique_ptr<Recording>>(Error { "none" }); });
    TimeTrack track(time, feed);
    track.resize(600, 24);
    track.reset();
    const auto shades = [&] {
        feed.passTime(1'000'000'000);
        track.refresh(1);
        const auto& items = track.picture().items();
        return std::count_if(items.begin(), items.end(), [](const DisplayList::Item& item) {
            const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            return box && box->fill.isValid() && box->fill.alpha() < 255;
        });
    };
    pb::Event event;
    pb::Fault& fault = *event.mutable_fault_begun()->mutable_fault();
    fault.set_number(1);
    fault.mutable_crash();
    feed.tell(kBucket0, event);
    QCOMPARE(shades(), std::ptrdiff_t(0));
    QCOMPARE(track.marks().size(), std::size_t(1));
    fault.set_number(2);
    fault.mutable_pause();
    feed.tell(kBucket0 + 1, event);
    QCOMPARE(shades(), std::ptrdiff_t(1));
}

// The old lines, the new lines, and the progress: "−" and "+" mark the lines of the picture that differ.
void CanvasTest::withReducedMotionChangesFadeAndNothingTravels()
{
    Views v({ 2, 2, 1, 2, 2, 1, 40, 4 });
    v.canvas.setReducedMotion(true);
    for (int i = 0; i < 20; ++i)
        v.frame();
    QCOMPARE(v.canvas.fadeShare(), 1.0);
    const QImage before = v.canvas.grab().toImage();
    const QStringList left = v.canvas.picture().toText().split('\n');
    // The bucket fails; another process takes the place of bucket 1: its card would move.
    pb::Event failed;
    failed.mutable_bucket_failed()->set_role(pb::DATA);
    failed.mutable_bucket_failed()->set_index(0);
    failed.mutable_bucket_failed()->set_process(kFileData);
    failed.mutable_bucket_failed()->set_reason("it does not answer probes");
    v.show.feed.tell(kFileCoordinator, failed);
    v.show.feed.known().data.at(1).process = kFileSpares;
    v.show.feed.known().processes.at(kFileSpares).place = v.show.feed.known().processes.at(kFileData + 1).place;
    v.show.feed.known().processes.at(kFileData + 1).place.Clear();
    v.frame(0.3); // now it is shown
    QCOMPARE(v.canvas.fadeShare(), 0.0);
    QVERIFY(v.canvas.refresh(ClusterCanvas::kFade / 2)); // it requests the next frame
    QCOMPARE(v.canvas.fadeShare(), 0.5);
    const QStringList come = v.canvas.picture().toText().split('\n');
    QStringList lines { "fade: 0.5" };
    for (const QString& line : left)
        if (!come.contains(line))
            lines << "- " + line;
    for (const QString& line : come)
        if (!left.contains(line))
            lines << "+ " + line;
    const QString wrong = differenceTo("canvas_fade.txt", lines.join('\n') + '\n');
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    for (const ClusterLayout::Item& item : v.canvas.viewOf<FilePicture>().layoutShown().items)
        QVERIFY(!item.isMoving);
    // Each pixel is halfway between its old and its new value.
    const QImage halfway = v.canvas.grab().toImage();
    v.canvas.refresh(ClusterCanvas::kFade);
    v.canvas.refresh(kFrame);
    QCOMPARE(v.canvas.fadeShare(), 1.0);
    const QImage after = v.canvas.grab().toImage();
    int changed = 0, wrongPixels = 0;
    for (int y = 0; y < after.height(); y += 2)
        for (int x = 0; x < after.width(); x += 2) {
            const QColor a = before.pixelColor(x, y), b = after.pixelColor(x, y), c = halfway.pixelColor(x, y);
            changed += a != b ? 1 : 0;
            wrongPixels += std::abs((a.red() + b.red()) / 2 - c.red()) > 3
                    || std::abs((a.green() + b.green()) / 2 - c.green()) > 3
                    || std::abs((a.blue() + b.blue()) / 2 - c.blue()) > 3
                ? 1
                : 0;
        }
    QVERIFY2(changed > 500 && wrongPixels == 0,
        qPrintable(QString("%1 pixels changed, %2 are not halfway").arg(changed).arg(wrongPixels)));
    QVERIFY(!v.canvas.isMoving());
}

int main(int count, char** arguments) { return runOffscreen<CanvasTest>(count, arguments); }
#include "tst_canvas.moc"
