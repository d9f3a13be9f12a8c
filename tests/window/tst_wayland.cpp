// SPDX-License-Identifier: GPL-3.0-or-later
// The presentation on a desktop that places windows itself: a Wayland compositor with two screens of different sizes.
// It is not part of ./run test; ./run test display starts the compositor, each screen of which is a window of an X
// display.
#include "tests/rigs/lab/signals.h"
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/window/player/presentation.h"

#include <QProcess>
#include <QScreen>
#include <QTest>
#include <QWindow>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 30'000;

// The screens differ in size, and Qt draws the window frame; a window that fills a screen has no frame.
bool fills(const QWidget& widget, const QScreen* screen)
{
    const QWindow* window = widget.windowHandle();
    return widget.isVisible() && widget.isFullScreen() && window->isExposed() && widget.size() == screen->size()
        && window->frameMargins().isNull();
}

QString person(const QStringList& does)
{
    QProcess tool;
    tool.start(QStringLiteral("xdotool"), does);
    tool.waitForFinished(kLimit);
    return QString::fromLocal8Bit(tool.readAllStandardOutput());
}

// On the X display, identified by its size.
QString windowOf(const QScreen& screen)
{
    const QString size = QStringLiteral("%1x%2").arg(screen.size().width()).arg(screen.size().height());
    for (const QString& window : person({ "search", "--class", "weston" }).split('\n', Qt::SkipEmptyParts)) {
        if (person({ "getwindowgeometry", window }).contains(size))
            return window;
    }
    return {};
}

QString whereIs(const QWidget& widget)
{
    const QWindow* window = widget.windowHandle();
    return QStringLiteral("%1 x %2 on %3, frame %4")
        .arg(widget.width())
        .arg(widget.height())
        .arg(window ? window->screen()->name() : QString())
        .arg(window ? window->frameMargins().top() : -1);
}

} // namespace

class WaylandTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void thePresentationFillsTheOtherScreenAndTheNotesThisOne();
    void aScreenThatGoesLeavesThePresentationOnTheOther();
};

void WaylandTest::initTestCase()
{
    QVERIFY(QGuiApplication::platformName().startsWith(QLatin1String("wayland")));
    QTRY_COMPARE_WITH_TIMEOUT(QGuiApplication::screens().size(), 2, kLimit);
    QVERIFY(QGuiApplication::screens()[0]->size() != QGuiApplication::screens()[1]->size());
}

void WaylandTest::thePresentationFillsTheOtherScreenAndTheNotesThisOne()
{
    MainWindow window(options());
    window.resize(800, 500);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window, kLimit));
    const QScreen *first = QGuiApplication::screens()[0], *second = QGuiApplication::screens()[1];
    QAction* swap = window.findChild<QAction*>("swapScreens");
    QVERIFY(swap);
    window.setPresenting(true);
    QTRY_VERIFY2_WITH_TIMEOUT(fills(window, second), qPrintable(whereIs(window)), kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(fills(*window.notes(), first), qPrintable(whereIs(*window.notes())), kLimit);
    for (int times = 0; times < 2; ++times) {
        swap->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(fills(window, first), qPrintable(whereIs(window)), kLimit);
        QTRY_VERIFY2_WITH_TIMEOUT(fills(*window.notes(), second), qPrintable(whereIs(*window.notes())), kLimit);
        swap->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(fills(window, second), qPrintable(whereIs(window)), kLimit);
        QTRY_VERIFY2_WITH_TIMEOUT(fills(*window.notes(), first), qPrintable(whereIs(*window.notes())), kLimit);
    }
    window.setPresenting(false);
    QTRY_VERIFY2_WITH_TIMEOUT(window.windowHandle()->isExposed() && window.size() == QSize(800, 500)
            && window.windowHandle()->frameMargins().top() > 0,
        qPrintable(whereIs(window)), kLimit);
    QVERIFY(!window.notes());
}

void WaylandTest::aScreenThatGoesLeavesThePresentationOnTheOther()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window, kLimit));
    window.setPresenting(true);
    QTRY_VERIFY2_WITH_TIMEOUT(fills(window, QGuiApplication::screens()[1]), qPrintable(whereIs(window)), kLimit);
    // The window manager closes the window that is a screen, like any other window.
    const QString gone = windowOf(*QGuiApplication::screens()[1]);
    QVERIFY(!gone.isEmpty());
    person({ "windowactivate", "--sync", gone, "key", "alt+F4" });
    QTRY_COMPARE_WITH_TIMEOUT(QGuiApplication::screens().size(), 1, kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(fills(window, QGuiApplication::screens()[0]), qPrintable(whereIs(window)), kLimit);
    QVERIFY(window.isPresenting());
    window.setPresenting(false);
    QTRY_VERIFY2_WITH_TIMEOUT(
        !window.isFullScreen() && window.windowHandle()->frameMargins().top() > 0, qPrintable(whereIs(window)), kLimit);
}

int main(int count, char** arguments)
{
    return runOffscreen<WaylandTest>(count, arguments); // QT_QPA_PLATFORM is set: not offscreen
}
#include "tst_wayland.moc"
