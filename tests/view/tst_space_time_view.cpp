// SPDX-License-Identifier: GPL-3.0-or-later
// The space-time diagram in the window: of a recording up to its instant, live, and with the common selection.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/view/timeline/space_time_view.h"

#include <QComboBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace lhrs;
using namespace lhrs::gui;

class SpaceTimeViewTest : public QObject {
    Q_OBJECT
private slots:
    void theViewShowsARecordingUpToItsInstant();
    void selectionIsSharedWithTheCanvasAndTheLog();
    void anEmptyDiagramOffersAReset();
    void theLiveDiagramFollows();
    void aDistanceIsMeasured();
};

void SpaceTimeViewTest::theViewShowsARecordingUpToItsInstant()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("spaceTime")->trigger();
    QVERIFY(part<SpaceTimeView>(window).isVisible() && window.canvas().isVisible());
    window.timeLine().seek(200);
    QTRY_COMPARE((window.clock().step(0.2), part<SpaceTimeView>(window).model().events.size()), std::size_t(200));
    window.timeLine().seek(100);
    QTRY_COMPARE((window.clock().step(0.2), part<SpaceTimeView>(window).model().events.size()), std::size_t(100));
    window.timeLine().step(1, TimeLine::Unit::Event);
    QTRY_COMPARE((window.clock().step(0.2), part<SpaceTimeView>(window).model().events.size()), std::size_t(101));
    QVERIFY(part<SpaceTimeView>(window).canvas().picture().texts().size() > 5);
    for (const char* ending : { "svg", "pdf", "png", "shiviz" })
        QCOMPARE(window.exports().write(folder.filePath(QStringLiteral("diagram.") + ending)), QString());
    QVERIFY(window.exports().write(folder.filePath("diagram.csv")).contains(".shiviz"));
}

void SpaceTimeViewTest::selectionIsSharedWithTheCanvasAndTheLog()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("follow")->trigger();
    window.actions().get("spaceTime")->trigger();
    SpaceTimeView& view = part<SpaceTimeView>(window);
    QTRY_VERIFY((window.clock().step(0.2), !view.canvas().layoutShown().lanes.empty()));
    const auto& lanes = view.canvas().layoutShown().lanes;
    const auto lane = std::find_if(
        lanes.begin(), lanes.end(), [](const auto& l) { return l.object.kind == ObjectKind::Data; });
    QVERIFY(lane != lanes.end());
    const ObjectRef object = lane->object;
    QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(20, int(lane->y)));
    QCOMPARE(window.selection().selected(), object);
    window.clock().step(0.2);
    const auto& after = view.canvas().layoutShown().lanes;
    QVERIFY(std::any_of(after.begin(), after.end(), [&](const auto& l) { return l.isSelected && l.object == object; }));
    // A click on a group's name folds it.
    const std::size_t before = after.size();
    const auto head = std::find_if(after.begin(), after.end(), [](const auto& l) { return l.isHead; });
    QVERIFY(head != after.end());
    QTest::mouseClick(&view.canvas(), Qt::LeftButton, {}, QPoint(8, int(head->y)));
    QVERIFY(view.canvas().layoutShown().lanes.size() < before);
    // All views follow an operation.
    window.selection().selectOperation({ kClient, 3 });
    QCOMPARE(view.wish().operation.second, std::uint64_t(3));
    QVERIFY(view.findChild<QPushButton*>("spaceTimeFree")->isVisible());
    QVERIFY2(view.status().contains("following operation"), qPrintable(view.status()));
}

void SpaceTimeViewTest::anEmptyDiagramOffersAReset()
{
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && !window.pacer().state().data.empty(), 15'000);
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
    auto* reset = part<SpaceTimeView>(window).findChild<QPushButton*>("spaceTimeReset");
    QTRY_VERIFY_WITH_TIMEOUT((window.clock().step(0.2), reset->isVisible()), 15'000);
    QTest::mouseClick(reset, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(
        (window.clock().step(0.2), part<SpaceTimeView>(window).canvas().layoutShown().messages >= 5), 15'000);
}

void SpaceTimeViewTest::theLiveDiagramFollows()
{
    FakeCluster cluster { { 4, 4, 1 } };
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && !window.pacer().state().data.empty(), 15'000);
    window.actions().get("spaceTime")->trigger();
    for (int i = 0; i < 30; ++i) {
        pb::Event event;
        event.mutable_message_sent()->set_kind("delta");
        event.mutable_message_sent()->set_to(parityProcess(0, 0));
        event.mutable_message_sent()->set_id(std::uint64_t(i) + 1);
        cluster.tell(kFileData, event);
    }
    QTRY_VERIFY_WITH_TIMEOUT(
        (window.clock().step(0.3), part<SpaceTimeView>(window).model().messages.size() == 30), 15'000);
    QTRY_VERIFY_WITH_TIMEOUT(
        (window.clock().step(0.3), part<SpaceTimeView>(window).canvas().layoutShown().messages == 30), 15'000);
    // The time axis of the clocks shows the same messages.
    part<SpaceTimeView>(window).findChild<QComboBox*>("spaceTimeOrder")->setCurrentIndex(1);
    QCOMPARE(part<SpaceTimeView>(window).wish().order, SpaceTimeWish::Order::Time);
    QCOMPARE(part<SpaceTimeView>(window).canvas().layoutShown().messages, std::size_t(30));
}

void SpaceTimeViewTest::aDistanceIsMeasured()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    window.actions().get("follow")->trigger();
    window.actions().get("spaceTime")->trigger();
    SpaceTimeView& view = part<SpaceTimeView>(window);
    QTRY_VERIFY((window.clock().step(0.2), !view.canvas().layoutShown().lanes.empty()));
    const SpaceTimeLayout& layout = view.canvas().layoutShown();
    const double from = std::ceil(layout.from) + 2;
    QTest::mousePress(&view.canvas(), Qt::LeftButton, Qt::ShiftModifier, QPoint(int(layout.xOf(from)), 60));
    QTest::mouseMove(&view.canvas(), QPoint(int(layout.xOf(from + 7)), 60));
    QCOMPARE(view.canvas().measureWords(), QString("7 steps in the order of causes"));
    const double shown = view.wish().from;
    QTest::mouseRelease(&view.canvas(), Qt::LeftButton, Qt::ShiftModifier, QPoint(int(layout.xOf(from + 7)), 60));
    window.clock().step(0.2);
    QCOMPARE(view.wish().from, shown); // measuring does not scroll
}

int main(int count, char** arguments) { return runOffscreen<SpaceTimeViewTest>(count, arguments); }
#include "tst_space_time_view.moc"
