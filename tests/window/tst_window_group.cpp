// SPDX-License-Identifier: GPL-3.0-or-later
// The record group in the window: from pointing at a record to the opened decoder, by mouse and by keyboard, and from a
// published event to red on the screen.
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/group_stage.h"
#include "tests/rigs/gui/picture_faults.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/window/main/main_window.h"
#include "gui/view/lhrs/records/record_group_view.h"
#include "gui/view/lhrs/records/record_table.h"

#include <QClipboard>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 15'000;

MainWindow::Options options()
{
    MainWindow::Options o;
    o.theme = MainWindow::ThemeChoice::Light;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

// A window on a file with four buckets and two parity buckets, whose processes hold encoded records.
struct Watching {
    FakeCluster cluster { { 4, 4, 2 } };
    MainWindow window { options() };

    Watching()
    {
        cluster.setContents([group = groupOf(4, 2)](ProcessId process, const pb::ReadContents& asked) {
            for (const GroupMember& member : group.members) {
                const ProcessId own = member.member.kind == Participant::Kind::Data
                    ? kFileData + member.place.number()
                    : parityProcess(0, member.place.column());
                if (own == process)
                    return pageOf(member, asked.rank_from());
            }
            return pb::ContentsPage();
        });
        window.show();
        window.start().connectTo(cluster.address());
    }
    bool isReady()
    {
        return QTest::qWaitFor(
            [&] {
                const ClusterState& state = window.pacer().state();
                return window.showsCluster() && window.cluster().link().state() == LinkState::Here
                    && state.processes.size() == 4 + 2 + 1 + 2 + 10
                    && std::none_of(state.processes.begin(), state.processes.end(),
                        [](const auto& p) { return p.second.isIncomplete; });
            },
            kLimit);
    }
    bool isDecoded()
    {
        return QTest::qWaitFor(
            [&] {
                return part<RecordGroupView>(window).decoding() && part<RecordGroupView>(window).decoding()->hasBytes;
            },
            kLimit);
    }
    // The key goes to the widget with the focus.
    void press(const char* keys)
    {
        const QKeySequence sequence = QKeySequence::fromString(QString::fromLatin1(keys), QKeySequence::PortableText);
        QWidget* focus = QApplication::focusWidget() ? QApplication::focusWidget() : static_cast<QWidget*>(&window);
        QTest::sendKeyEvent(QTest::Click, focus, sequence[0].key(), QString(), sequence[0].keyboardModifiers());
    }
};

QString words(const RecordGroupView& view) { return view.picture().texts().join(QLatin1Char(' ')); }

} // namespace

class WindowGroupTest : public QObject {
    Q_OBJECT
private slots:
    void aRecordIsOpenedFromTheTableAndFromThePicture();
    void theKeyboardAloneOpensTheDecoderAndReadsIt();
    void aPageThatClosesLeavesTheKeyboardToThePicture();
    void aScenarioOpensItsPageAtAStage();
    void everyKeyOfTheRecordGroupDoesItsAction();
    void aWrongCoefficientIsRedOnTheScreen();
    void theButtonsSayWhatIsShown();
    void nothingIsClippedAt1280x720();
};

void WindowGroupTest::aRecordIsOpenedFromTheTableAndFromThePicture()
{
    Watching w;
    QVERIFY(w.isReady());
    RecordGroupView& view = part<RecordGroupView>(w.window);
    QVERIFY(!view.isOpen());
    w.window.resize(1600, 900); // cards with room for a cell per rank
    const ObjectRef bucket { ObjectKind::Data, 1, 0 };
    QPoint cell;
    const auto findCell = [&] {
        cell = {};
        const QRectF card = w.window.canvas().rectOf(bucket);
        for (int y = int(card.top()); y < int(card.bottom()) && cell.isNull(); ++y) {
            for (int x = int(card.left()); x < int(card.right()) && cell.isNull(); ++x) {
                if (w.window.canvas().partAt(bucket, QPointF(x, y)) == 3)
                    cell = QPoint(x, y);
            }
        }
        return !cell.isNull();
    };
    QTRY_VERIFY_WITH_TIMEOUT(w.window.width() == 1600 && !w.window.canvas().isMoving() && findCell()
            && w.window.canvas().restingPicture().hitTest(cell + QPoint(2, 2)) == bucket,
        kLimit);
    QTest::mouseDClick(&w.window.canvas(), Qt::LeftButton, {}, cell + QPoint(2, 2));
    QVERIFY(view.isOpen());
    QCOMPARE(view.rank(), 3u);
    QCOMPARE(w.window.workspace(), MainWindow::Workspace::Inspect);
    QTRY_VERIFY_WITH_TIMEOUT(view.isVisible() && view.width() > 300, kLimit);
    QVERIFY(w.isDecoded());
    QVERIFY2(words(view).contains("Record group (0, 3)"), qPrintable(words(view)));
    QCOMPARE(view.decoding()->supposed, std::vector { dataMember(1) });
    // A row of the table.
    auto* table = part<RecordTable>(w.window).findChild<QTableView*>();
    emit table->activated(table->model()->index(6, 0));
    QCOMPARE(view.rank(), 7u);
    // The whole workspace again, and then only the record group in it.
    auto* log = w.window.findChild<QDockWidget*>("logDock");
    QVERIFY(!log->isVisible());
    w.window.actions().get("inspect")->trigger();
    QVERIFY(log->isVisible());
}

void WindowGroupTest::theKeyboardAloneOpensTheDecoderAndReadsIt()
{
    Watching w;
    QVERIFY(w.isReady());
    QVERIFY(QTest::qWaitForWindowActive(&w.window));
    QTRY_VERIFY_WITH_TIMEOUT(!w.window.canvas().rectOf({ ObjectKind::Data, 1, 0 }).isNull(), kLimit);
    w.press("Ctrl+2");
    w.window.canvas().setFocus();
    for (int tries = 0; tries < 30 && w.window.selection().selected().kind != ObjectKind::Data; ++tries)
        w.press(tries % 5 == 4 ? "Down" : "Right");
    QCOMPARE(w.window.selection().selected().kind, ObjectKind::Data);
    w.press("Ctrl+G");
    RecordGroupView& view = part<RecordGroupView>(w.window);
    QVERIFY(view.isOpen());
    QVERIFY(w.isDecoded());
    QTRY_VERIFY_WITH_TIMEOUT(view.hasFocus(), kLimit);
    const std::size_t steps = view.decoding()->steps.size();
    for (std::size_t i = 1; i < steps; ++i)
        w.press("Right");
    QVERIFY2(words(view).contains("computed, equal to those"), qPrintable(words(view)));
    w.press("Alt+V");
    QVERIFY(words(view).contains("What was computed, beside what was there"));
    w.press("Alt+U");
    QVERIFY(words(view).contains("The delta: old ^ new"));
    w.press("Alt+D");
    w.press("Alt+O");
    QCOMPARE(view.decoding()->choice, 1u);
    w.press("Alt+C");
    const QString copied = QApplication::clipboard()->text();
    QVERIFY2(copied.contains("The inverse of H") && copied.contains("Record group (0,"), qPrintable(copied));
    w.press("Alt+PgDown");
    QCOMPARE(view.rank(), 2u);
}

void WindowGroupTest::aPageThatClosesLeavesTheKeyboardToThePicture()
{
    Watching w;
    QVERIFY(w.isReady());
    QVERIFY(QTest::qWaitForWindowActive(&w.window));
    QTRY_VERIFY_WITH_TIMEOUT(!w.window.canvas().rectOf({ ObjectKind::Data, 1, 0 }).isNull(), kLimit);
    w.window.selection().select({ ObjectKind::Data, 1, 0 });
    w.press("Ctrl+G");
    RecordGroupView& view = part<RecordGroupView>(w.window);
    QTRY_VERIFY_WITH_TIMEOUT(view.hasFocus(), kLimit);
    w.window.setWorkspace(MainWindow::Workspace::Lecture);
    QVERIFY(!view.isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(w.window.canvas().hasFocus(), kLimit);
}

// A caption refers to the member that it names; a person goes on from there.
void WindowGroupTest::aScenarioOpensItsPageAtAStage()
{
    Watching w;
    QVERIFY(w.isReady());
    RecordGroupView& view = part<RecordGroupView>(w.window);
    CameraWish wish;
    wish.view = QStringLiteral("update");
    wish.fit = QStringLiteral("data 2");
    wish.page = { { "group", 0 }, { "rank", 1 }, { "stage", "column 1" } };
    emit w.window.player().cameraWished(wish);
    QVERIFY(w.isDecoded());
    QVERIFY2(words(view).contains("P[2][1] is 2284"), qPrintable(words(view)));
    wish.view = QStringLiteral("decode");
    wish.page["stage"] = "inverse";
    emit w.window.player().cameraWished(wish);
    QVERIFY(w.isDecoded());
    QCOMPARE(view.decoding()->lost, std::vector<Participant> { Participant::data(Position(2)) });
    QCOMPARE(view.decoding()->step().kind, DecodingStep::Kind::Inverse);
    view.step(1);
    QCOMPARE(view.decoding()->step().kind, DecodingStep::Kind::Term);
    view.refresh(1);
    QCOMPARE(view.decoding()->step().kind, DecodingStep::Kind::Term);
    wish.page["stage"] = "bytes";
    emit w.window.player().cameraWished(wish);
    QVERIFY(w.isDecoded());
    QCOMPARE(view.decoding()->step().kind, DecodingStep::Kind::Bytes);
    // Where a little of the page has no room, its last lines, the verdict, are in sight.
    auto* scroll = view.window()->findChild<QWidget*>("groupPanel")->findChild<QScrollArea*>();
    const QScrollBar& bar = *scroll->verticalScrollBar();
    scroll->setFixedHeight(view.minimumHeight() - 30);
    QTRY_VERIFY_WITH_TIMEOUT(bar.maximum() > 0 && bar.maximum() <= 40, kLimit);
    QCOMPARE(bar.value(), bar.maximum());
    view.step(-1); // a person goes on from here, and scrolls
    scroll->verticalScrollBar()->setValue(0);
    view.refresh(1);
    QCOMPARE(bar.value(), 0);
}

void WindowGroupTest::everyKeyOfTheRecordGroupDoesItsAction()
{
    Watching w;
    QVERIFY(w.isReady());
    QVERIFY(QTest::qWaitForWindowActive(&w.window));
    w.window.selection().select({ ObjectKind::Data, 1, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(w.window.actions().get("recordGroup")->isEnabled(), kLimit);
    w.window.actions().get("recordGroup")->trigger();
    QVERIFY(w.isDecoded());
    int pressed = 0;
    QList<QAction*> ours;
    for (const QAction* menu : w.window.menuBar()->actions()) {
        if (menu->text() == "Record group")
            ours = menu->menu()->actions();
    }
    for (QAction* action : ours) {
        if (action->isSeparator() || action->objectName() == "exportGroup") // it opens a file dialog
            continue;
        QVERIFY2(action->isEnabled(), qPrintable(action->objectName()));
        QSignalSpy triggered(action, &QAction::triggered);
        w.press(action->shortcut().toString(QKeySequence::PortableText).toLatin1().constData());
        QVERIFY2(triggered.size() == 1, qPrintable(action->objectName() + " is not done by its key"));
        ++pressed;
    }
    QVERIFY2(pressed >= 16, qPrintable(QString::number(pressed)));
}

void WindowGroupTest::aWrongCoefficientIsRedOnTheScreen()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.selection().select({ ObjectKind::Data, 1, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(w.window.actions().get("recordGroup")->isEnabled(), kLimit);
    w.window.actions().get("recordGroup")->trigger();
    QVERIFY(w.isDecoded());
    RecordGroupView& view = part<RecordGroupView>(w.window);
    const auto reds = [&] {
        const QImage image = view.grab().toImage();
        const QRgb bad = Theme().bad.rgb();
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x)
                count += image.pixel(x, y) == bad ? 1 : 0;
        }
        return count;
    };
    const int before = reds();
    const RecordGroup group = groupOf(4, 2);
    const auto told = toldOf(
        group, { dataMember(0), dataMember(2), dataMember(3), parityMember(1) }, { dataMember(1) });
    told->set_recovery(5);
    pb::Event event;
    event.mutable_place()->set_role(pb::PARITY);
    event.mutable_place()->set_column(1);
    *event.mutable_decoder_chosen() = *told;
    w.cluster.tell(parityProcess(0, 1), event);
    QTRY_VERIFY_WITH_TIMEOUT(view.decoding()->group.decoder != nullptr, kLimit);
    QVERIFY(!view.decoding()->managerDiffers);
    event.mutable_decoder_chosen()->mutable_lost(0)->set_coefficients(0, 0x91a1);
    w.cluster.tell(parityProcess(0, 1), event);
    QTRY_VERIFY_WITH_TIMEOUT(words(view).contains("is 91a1; the code gives 91a0"), kLimit);
    QVERIFY(reds() > before + 100);
}

void WindowGroupTest::theButtonsSayWhatIsShown()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.selection().select({ ObjectKind::Data, 1, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(w.window.actions().get("recordGroup")->isEnabled(), kLimit);
    w.window.actions().get("recordGroup")->trigger();
    QVERIFY(w.isDecoded());
    RecordGroupView& view = part<RecordGroupView>(w.window);
    const auto button = [&](const char* name) { return w.window.findChild<QPushButton*>(QLatin1String(name)); };
    QTest::mouseClick(button("groupCompareButton"), Qt::LeftButton);
    QCOMPARE(view.page(), GroupPage::Compare);
    QVERIFY(button("groupCompareButton")->isChecked() && !button("groupDecodeButton")->isChecked());
    QTest::mouseClick(button("groupDecodeButton"), Qt::LeftButton);
    QTest::mouseClick(button("groupForwardButton"), Qt::LeftButton);
    QCOMPARE(view.decoding()->wish.step, std::size_t(1));
    QTest::mouseClick(button("groupBaseButton"), Qt::LeftButton);
    QCOMPARE(button("groupBaseButton")->text(), QString("decimal"));
    auto* symbol = w.window.findChild<QSpinBox*>("groupSymbol");
    symbol->setValue(7);
    QCOMPARE(view.decoding()->wish.symbol, std::size_t(7));
    view.moveSymbol(1);
    QCOMPARE(symbol->value(), 8);
    QTest::mouseClick(button("takeWitnessButton"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(button("takeWitnessButton")->isChecked(), kLimit);
    QTest::mouseClick(button("takeWitnessButton"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!button("takeWitnessButton")->isChecked(), kLimit);
}

void WindowGroupTest::nothingIsClippedAt1280x720()
{
    Watching w;
    QVERIFY(w.isReady());
    w.window.resize(1280, 720);
    w.window.selection().select({ ObjectKind::Data, 1, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(w.window.actions().get("recordGroup")->isEnabled(), kLimit);
    w.window.actions().get("recordGroup")->trigger();
    QVERIFY(w.isDecoded());
    QTRY_VERIFY_WITH_TIMEOUT(part<RecordGroupView>(w.window).width() > 500, kLimit);
    for (const double scale : { 1.0, 1.5 }) {
        w.window.looks().setFontScale(scale);
        QCoreApplication::processEvents();
        w.window.clock().step(0.05);
        RecordGroupView& view = part<RecordGroupView>(w.window);
        QVERIFY(view.decoding() && view.decoding()->hasBytes);
        for (std::size_t step = 0; step < view.decoding()->steps.size(); ++step) {
            view.setStep(step);
            const QString wrong = textFault(
                view.picture(), QSizeF(view.width(), std::max(view.height(), view.pictureSize().height())));
            QVERIFY2(wrong.isEmpty(), qPrintable(QString("step %1: %2").arg(step).arg(wrong)));
        }
    }
}

int main(int count, char** arguments) { return runOffscreen<WindowGroupTest>(count, arguments); }
#include "tst_window_group.moc"
