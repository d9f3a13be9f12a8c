// SPDX-License-Identifier: GPL-3.0-or-later
// The tour in the window, on a simulated cluster: completely by keyboard, completely by mouse, left and resumed, and
// the message when its cluster ends.
#include "gui/lab/local/local_cluster.h"
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/window/panels/guide_panel.h"
#include "gui/window/lhrs/window_tour.h"
#include "gui/view/lhrs/cluster_layout.h"

#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 40'000;

MainWindow::Options remembering(const QTemporaryDir& folder)
{
    MainWindow::Options o = options();
    o.settingsPath = folder.filePath("window.ini");
    return o;
}

// A person at the window, who reads its text and has either a keyboard or a mouse.
class Visitor {
public:
    explicit Visitor(const MainWindow::Options& chosen) : window(chosen)
    {
        window.resize(1280, 720);
        window.show();
        m_isActive = QTest::qWaitForWindowActive(&window);
        // No delays for reading.
        window.canvas().setReducedMotion(true);
    }
    bool isActive() const { return m_isActive; }
    GuidePanel& guide() { return window.guide(); }
    const ClusterState& state() { return window.canvas().state(); }
    bool until(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, kLimit); }
    bool reads(const QString& words)
    {
        return until([&] { return guide().text().contains(words); });
    }
    // The stop has begun, and asks for an action.
    bool isAt(int stop)
    {
        return until([&] {
            const GuideWords& words = guide().words();
            return words.place == QString("Tour, stop %1 of 8").arg(stop) && words.trouble.isEmpty()
                && !words.goals.isEmpty() && !window.pacer().isBusy();
        });
    }
    bool hasTicked(std::size_t goal)
    {
        return until([&] { return goal < guide().words().held.size() && guide().words().held[goal]; });
    }
    bool isDone()
    {
        return until([&] { return guide().words().isDone; });
    }
    QString seen() { return guide().words().seen; }

    // ---- by keys
    void press(Qt::Key key, Qt::KeyboardModifiers with = {})
    {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, key, with);
    }
    bool pressFor(const char* action)
    {
        QAction* wanted = window.actions().get(action);
        if (!until([&] { return wanted->isEnabled(); }))
            return false;
        if (!QApplication::activeWindow()) { // what a window manager does when a dialog has gone
            window.activateWindow();
            if (!QTest::qWaitForWindowActive(&window))
                return false;
        }
        const QKeyCombination key = wanted->shortcut()[0];
        press(key.key(), key.keyboardModifiers());
        return true;
    }
    bool find(const QString& words)
    {
        for (int view = 0; view < 12 && !window.canvas().hasFocus(); ++view) // a field would take the key
            press(Qt::Key_F6);
        inDialog([words](QWidget* dialog) {
            QTest::keyClicks(dialog->focusWidget(), words);
            QTest::keyClick(dialog->focusWidget(), Qt::Key_Return);
        });
        press(Qt::Key_Slash);
        window.activateWindow(); // what a window manager does when a dialog has gone
        return until([&] { return window.canvas().hasFocus(); });
    }
    // What is done to the next dialog.
    void inDialog(const std::function<void(QWidget*)>& act)
    {
        auto* look = new QTimer(&window);
        QObject::connect(look, &QTimer::timeout, &window, [act, look] {
            QWidget* dialog = QApplication::activeModalWidget();
            if (!dialog || !dialog->focusWidget())
                return;
            delete look;
            act(dialog);
        });
        look->start(0);
    }

    // ---- by the mouse
    bool click(QWidget* parent, const char* button)
    {
        auto* wanted = parent->findChild<QPushButton*>(button);
        if (!wanted || !until([&] { return wanted->isEnabled() && wanted->isVisible(); }))
            return false;
        QTest::mouseClick(wanted, Qt::LeftButton);
        return true;
    }
    QPoint headOf(ObjectRef object)
    {
        (void)until([&] { return !window.canvas().isMoving() && !window.canvas().rectOf(object).isNull(); });
        const QRectF card = window.canvas().rectOf(object);
        return QPointF(card.center().x(), card.top() + std::min(8.0, card.height() / 4)).toPoint();
    }
    void clickOn(ObjectRef object) { QTest::mouseClick(&window.canvas(), Qt::LeftButton, {}, headOf(object)); }
    void doubleClickOn(ObjectRef object) { QTest::mouseDClick(&window.canvas(), Qt::LeftButton, {}, headOf(object)); }
    // An entry of the menu that a right click opens.
    bool choose(ObjectRef object, const char* action)
    {
        QAction* wanted = window.actions().get(action);
        bool isChosen = false;
        QTimer::singleShot(0, &window, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu)
                return;
            isChosen = menu->actions().contains(wanted) && wanted->isEnabled();
            QTest::mouseClick(
                menu, Qt::LeftButton, {}, isChosen ? menu->actionGeometry(wanted).center() : QPoint(-50, -50));
            menu->close();
        });
        const QPoint at = headOf(object);
        QContextMenuEvent asked(QContextMenuEvent::Mouse, at, window.canvas().mapToGlobal(at));
        QApplication::sendEvent(&window.canvas(), &asked);
        window.activateWindow();
        return isChosen;
    }

    MainWindow window;

private:
    bool m_isActive = false;
};

constexpr ObjectRef data(std::uint32_t bucket) { return { ObjectKind::Data, bucket, 0 }; }

} // namespace

class WindowTourTest : public QObject {
    Q_OBJECT
private slots:
    void allOfItByKeys();
    void allOfItByTheMouse();
    void itIsFoundWhereItWasLeft();
    void anotherClusterAndAGoneOneAreSaid();
    void noWordIsClipped_data();
    void noWordIsClipped();
};

void WindowTourTest::allOfItByKeys()
{
    QTemporaryDir folder;
    Visitor v(remembering(folder));
    QVERIFY(v.isActive());
    QCOMPARE(v.window.tour().stopLeft(), 0);
    QVERIFY(v.pressFor("tour"));
    QVERIFY2(v.isAt(1), qPrintable(v.guide().text()));
    QCOMPARE(v.window.tour().stopLeft(), 1);
    QVERIFY(v.pressFor("insert"));
    QVERIFY(v.hasTicked(0));
    QVERIFY(v.find("0"));
    v.press(Qt::Key_Return);
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    const DataBucketState& first = v.state().data.at(0);
    QCOMPARE(first.ranks.count(), 1U);
    QVERIFY2(
        v.seen().contains(QString("key %1 lies in bucket 0 at rank 1").arg(first.ranks.at(1))), qPrintable(v.seen()));

    QVERIFY(v.pressFor("guideNext"));
    QVERIFY(v.isAt(2));
    for (int press = 0; press < 6 && !v.guide().words().held[0]; ++press) {
        const std::uint32_t before = v.state().data.at(0).ranks.count();
        QVERIFY(v.pressFor("insert"));
        QVERIFY(v.until([&] { return v.state().data.size() > 1 || v.state().data.at(0).ranks.count() >= before + 5; }));
    }
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY2(v.seen().contains("Bucket 0 split") && v.seen().contains("bucket 1") && v.seen().contains("bit 1"),
        qPrintable(v.seen()));

    QVERIFY(v.pressFor("nextStep"));
    QVERIFY(v.isAt(3));
    QVERIFY(v.find("1"));
    QVERIFY(v.hasTicked(0));
    for (int press = 0; press < 4 && !v.guide().words().held[1]; ++press) {
        const std::uint32_t before = v.state().data.at(1).ranks.count();
        QVERIFY(v.pressFor("insertHere"));
        QVERIFY(v.until([&] { return v.state().data.at(1).ranks.count() > before; }));
    }
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY2(v.seen().contains("Bucket 1 overflowed with 11 records. The split pointer n stood at 0, so bucket 0 "
                               "split"),
        qPrintable(v.seen()));

    QVERIFY(v.pressFor("guideNext"));
    QVERIFY(v.isAt(4));
    QVERIFY(v.find("bob"));
    QVERIFY(v.hasTicked(0));
    QVERIFY(v.find("2"));
    QVERIFY(v.pressFor("searchHere"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY2(v.seen().startsWith("bob knew of 1 bucket") && v.seen().contains("forwarded by bucket 0"),
        qPrintable(v.seen()));

    QVERIFY(v.pressFor("guideNext"));
    QVERIFY(v.isAt(5));
    QVERIFY(v.find("0"));
    QVERIFY(v.pressFor("recordGroup"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY2(v.seen().contains(" XOR ") && v.seen().contains("bucket 0 (key "), qPrintable(v.seen()));

    QVERIFY(v.pressFor("guideNext"));
    QVERIFY(v.isAt(6));
    const std::uint32_t records = v.state().data.at(1).ranks.count();
    QVERIFY(v.find("1"));
    QVERIFY(v.pressFor("kill"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY2(v.seen().contains(QString("computed %1 records by XOR").arg(records)), qPrintable(v.seen()));

    QVERIFY(v.pressFor("guideNext"));
    QVERIFY2(v.isAt(7), qPrintable(v.guide().text()));
    QVERIFY(v.hasTicked(0));
    QVERIFY(v.find("0"));
    QVERIFY(v.pressFor("kill"));
    QVERIFY(v.hasTicked(1));
    QVERIFY(v.find("1"));
    v.inDialog([](QWidget* dialog) {
        QTest::keyClick(dialog, Qt::Key_Tab);
        QTest::keyClick(dialog->focusWidget(), Qt::Key_Space);
    });
    QVERIFY(v.pressFor("kill"));
    v.window.activateWindow();
    QVERIFY2(v.hasTicked(2), qPrintable(v.guide().text()));
    const std::uint32_t lost = v.state().data.at(0).ranks.count() + v.state().data.at(1).ranks.count();
    QVERIFY(v.pressFor("virtualRun"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY2(v.seen().contains("Buckets 0 and 1 of group 0 failed together")
            && v.seen().contains(QString("%1 records are lost").arg(lost)),
        qPrintable(v.seen()));

    QVERIFY(v.pressFor("guideNext"));
    QVERIFY(v.isAt(8));
    for (int press = 0; press < 12 && !v.guide().words().held[0]; ++press) {
        const std::int64_t before = v.window.timeLine().cursorNs();
        QVERIFY(v.pressFor("formerMarker"));
        QVERIFY(v.until([&] {
            return v.window.timeLine().mode() != TimeLine::Mode::Follow && v.window.timeLine().cursorNs() < before;
        }));
        v.window.clock().step(0.1);
    }
    QVERIFY2(v.hasTicked(0), qPrintable(v.guide().text()));
    QVERIFY(v.pressFor("follow"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY2(v.seen().contains("before the loss: group 0 was whole"), qPrintable(v.seen()));
    QCOMPARE(v.guide().button(GuidePanel::Next)->text(), QString("Finish"));
    QVERIFY(v.pressFor("guideNext"));
    QVERIFY(!v.guide().isVisible());
    QCOMPARE(v.window.tour().stopLeft(), 0); // from the beginning, for the next visitor
}

void WindowTourTest::allOfItByTheMouse()
{
    QTemporaryDir folder;
    Visitor v(remembering(folder));
    QVERIFY(v.isActive());
    // The menu bar of an offscreen platform opens no menu; triggering the entry equals a click there.
    v.window.actions().get("tour")->trigger();
    QVERIFY2(v.isAt(1), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.window, "insertButton"));
    QVERIFY(v.hasTicked(0));
    v.doubleClickOn(data(0));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));

    QVERIFY(v.isAt(2));
    for (int press = 0; press < 6 && !v.guide().words().held[0]; ++press) {
        const std::uint32_t before = v.state().data.at(0).ranks.count();
        QVERIFY(v.click(&v.window, "insertButton"));
        QVERIFY(v.until([&] { return v.state().data.size() > 1 || v.state().data.at(0).ranks.count() >= before + 5; }));
    }
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));

    QVERIFY(v.isAt(3));
    v.clickOn(data(1));
    QVERIFY(v.hasTicked(0));
    for (int press = 0; press < 4 && !v.guide().words().held[1]; ++press) {
        const std::uint32_t before = v.state().data.at(1).ranks.count();
        QVERIFY(v.choose(data(1), "insertHere"));
        QVERIFY(v.until([&] { return v.state().data.at(1).ranks.count() > before; }));
    }
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));

    QVERIFY(v.isAt(4));
    const auto bob = std::find_if(v.state().clients.begin(), v.state().clients.end(),
        [](const auto& client) { return client.second.name == "bob"; });
    QVERIFY(bob != v.state().clients.end());
    QTest::mouseClick(&v.window.canvas(), Qt::LeftButton, {},
        v.window.canvas().rectOf({ ObjectKind::Client, bob->first, 0 }).center().toPoint());
    QVERIFY(v.hasTicked(0));
    QVERIFY(v.choose(data(2), "searchHere"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));

    QVERIFY(v.isAt(5));
    QVERIFY(v.choose(data(0), "recordGroup"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));

    QVERIFY(v.isAt(6));
    QVERIFY(v.choose(data(1), "kill"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));

    QVERIFY2(v.isAt(7), qPrintable(v.guide().text()));
    QVERIFY(v.choose(data(0), "kill"));
    QVERIFY(v.hasTicked(1));
    v.inDialog([](QWidget* dialog) {
        for (QAbstractButton* button : dialog->findChildren<QAbstractButton*>())
            if (button->text().contains("all the same"))
                return QTest::mouseClick(button, Qt::LeftButton);
    });
    QVERIFY(v.choose(data(1), "kill"));
    QVERIFY2(v.hasTicked(2), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.window, "virtualRunButton"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));

    QVERIFY(v.isAt(8));
    TimeTrack& track = v.window.timeBar().track();
    // From the present to the left, as by dragging with the mouse.
    const int y = track.height() / 2, right = int(track.xOf(v.window.timeLine().cursorNs())) - 1;
    QTest::mousePress(&track, Qt::LeftButton, {}, QPoint(right, y));
    for (int x = right; x > 2 && !v.guide().words().held[0]; x -= 3) {
        QMouseEvent move(
            QEvent::MouseMove, QPointF(x, y), track.mapToGlobal(QPointF(x, y)), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(&track, &move);
        v.window.clock().step(0.1);
    }
    QTest::mouseRelease(&track, Qt::LeftButton, {}, QPoint(right, y));
    QVERIFY2(v.hasTicked(0), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.window, "followButton"));
    QVERIFY2(v.isDone(), qPrintable(v.guide().text()));
    QVERIFY(v.click(&v.guide(), "guideNextButton"));
    QVERIFY(!v.guide().isVisible());
    QCOMPARE(v.window.tour().stopLeft(), 0);
}

void WindowTourTest::itIsFoundWhereItWasLeft()
{
    QTemporaryDir folder;
    {
        Visitor v(remembering(folder));
        QVERIFY(v.isActive());
        QCOMPARE(v.window.actions().get("tour")->text(), QString("Take the tour"));
        QVERIFY(v.pressFor("tour"));
        QVERIFY(v.isAt(1));
        QVERIFY(!v.window.actions().get("tour")->isEnabled()); // one tour at a time
        for (int stop = 2; stop <= 4; ++stop) { // a person may go on at once
            QVERIFY(v.pressFor("guideNext"));
            QVERIFY2(v.isAt(stop), qPrintable(v.guide().text()));
        }
        // Its cluster has what the stop needs, and the text says that the tour created it.
        QVERIFY2(v.state().data.size() >= 3 && v.guide().text().contains("the tour has inserted"),
            qPrintable(v.guide().text()));
        QVERIFY(v.pressFor("guideLeave"));
        QVERIFY(!v.guide().isVisible());
        QCOMPARE(v.window.tour().stopLeft(), 4);
        QCOMPARE(v.window.actions().get("tour")->text(), QString("Go on with the tour, stop 4"));
        // In the same window the cluster is still there.
        const ProcessId coordinator = coordinatorOf(v.state());
        QVERIFY(v.pressFor("tour"));
        QVERIFY(v.isAt(4));
        QCOMPARE(coordinatorOf(v.state()), coordinator);
        QVERIFY(v.pressFor("guideBack"));
        QVERIFY(v.isAt(3));
        QVERIFY(v.pressFor("guideNext"));
        QVERIFY(v.isAt(4));
    } // closed without a question
    Visitor v(remembering(folder));
    QVERIFY(v.isActive());
    QVERIFY(!v.guide().isVisible()); // the guide appears only on request
    QCOMPARE(v.window.tour().stopLeft(), 4);
    QCOMPARE(v.window.actions().get("tour")->text(), QString("Go on with the tour, stop 4"));
    v.window.tour().start();
    QVERIFY2(v.isAt(4), qPrintable(v.guide().text()));
    QVERIFY2(v.guide().text().contains("the tour has started a simulated cluster")
            && v.guide().text().contains("bob knows of 1 bucket"),
        qPrintable(v.guide().text()));
}

void WindowTourTest::anotherClusterAndAGoneOneAreSaid()
{
    QTemporaryDir folder;
    Visitor v(remembering(folder));
    QVERIFY(v.isActive());
    v.window.tour().start();
    QVERIFY(v.isAt(1));
    // The process that simulates all others ends.
    v.window.cluster().session().local().stop();
    QVERIFY2(v.reads("does not answer any more"), qPrintable(v.guide().text()));
    QVERIFY(v.guide().text().contains("Begin anew"));
    QVERIFY(v.pressFor("guideAgain"));
    QVERIFY2(v.isAt(1), qPrintable(v.guide().text()));
    QVERIFY(v.guide().words().trouble.isEmpty());
    QVERIFY(v.pressFor("insert"));
    QVERIFY(v.hasTicked(0));
    // A person leaves it.
    QuestionAnswerer answerer(QMessageBox::Discard);
    QVERIFY(v.pressFor("leave"));
    QVERIFY2(v.reads("There is no cluster."), qPrintable(v.guide().text()));
    QVERIFY(v.pressFor("guideAgain"));
    QVERIFY2(v.isAt(1), qPrintable(v.guide().text()));
    QCOMPARE(v.guide().words().held, (std::vector { false, false })); // nothing of the former one counts
    // Another cluster replaces it.
    v.window.start().startHere(SimulatedOptions { .seed = 5 });
    QVERIFY2(v.reads("not the cluster of the tour"), qPrintable(v.guide().text()));
    QVERIFY(v.until([&] { return v.window.cluster().link().state() == LinkState::Here; }));
    QVERIFY(v.pressFor("guideAgain"));
    QVERIFY2(v.isAt(1), qPrintable(v.guide().text()));
    // The coordinator dies.
    QVERIFY(v.until([&] { return v.window.actions().get("insert")->isEnabled(); }));
    v.window.selection().select({ ObjectKind::Coordinator, coordinatorOf(v.state()), 0 });
    QVERIFY(v.pressFor("kill"));
    QVERIFY2(v.reads("The coordinator has ended"), qPrintable(v.guide().text()));
    QVERIFY(v.pressFor("guideLeave"));
    QCOMPARE(v.window.tour().stopLeft(), 1);
}

void WindowTourTest::noWordIsClipped_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    QTest::newRow("1280x720") << QSize(1280, 720) << 1.0;
    QTest::newRow("1280x720, twice as large") << QSize(1280, 720) << 2.0;
    QTest::newRow("1920x1080") << QSize(1920, 1080) << 1.0;
    QTest::newRow("1920x1080, twice as large") << QSize(1920, 1080) << 2.0;
}

// Each stop at its start, with its text.
void WindowTourTest::noWordIsClipped()
{
    QFETCH(const QSize, size);
    QFETCH(const double, scale);
    MainWindow::Options chosen = options();
    chosen.fontScale = scale;
    Visitor v(chosen);
    QVERIFY(v.isActive());
    v.window.resize(size);
    v.window.tour().start();
    for (int stop = 1; stop <= Tour::kStops; ++stop) {
        QVERIFY2(v.isAt(stop), qPrintable(v.guide().text()));
        QVERIFY(v.until([&] { return clipped(v.guide()).isEmpty(); }));
        QCOMPARE(v.window.size(), size);
        QVERIFY2(v.window.canvas().height() >= v.window.height() / 6,
            qPrintable(QString::number(v.window.canvas().height())));
        QVERIFY(v.pressFor("guideNext"));
    }
}

int main(int count, char** arguments) { return runOffscreen<WindowTourTest>(count, arguments); }
#include "tst_window_tour.moc"
