// SPDX-License-Identifier: GPL-3.0-or-later
// The window on a real display: X with two monitors and a window manager, keys and mouse from the X server. It is not
// part of ./run test; ./run test display starts the display, and installs what it needs.
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"

#include <QDir>
#include <QDrag>
#include <QLabel>
#include <QMenuBar>
#include <QMimeData>
#include <QMouseEvent>
#include <QProcess>
#include <QScreen>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QWindow>

#include <cstdio>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 30'000;

// The actions of a person at the machine.
void person(const QStringList& does) { QCOMPARE(QProcess::execute(QStringLiteral("xdotool"), does), 0); }
void key(const char* name) { person({ QStringLiteral("key"), QLatin1String(name) }); }
void mouseTo(QPoint at)
{
    person({ QStringLiteral("mousemove"), QStringLiteral("--sync"), QString::number(at.x()), QString::number(at.y()) });
}

// The window has the focus of the X server, and a frame.
bool isManaged(QWidget& window)
{
    return QTest::qWaitForWindowActive(&window, kLimit)
        && QTest::qWaitFor([&] { return window.windowHandle()->frameMargins().top() > 0; }, kLimit);
}

bool isOn(const QWidget& window, const QScreen* screen)
{
    return window.windowHandle()->screen() == screen && screen->geometry().contains(window.frameGeometry().center());
}

// A window of a desktop with a file in it; another program, such as a file manager.
class FileWindow : public QLabel {
public:
    explicit FileWindow(const QString& path) : QLabel(QStringLiteral("drag me")), m_path(path)
    {
        setWindowTitle(QStringLiteral("files"));
        setAlignment(Qt::AlignCenter);
        setGeometry(40, 500, 300, 150);
    }

protected:
    void mousePressEvent(QMouseEvent*) override
    {
        auto* drag = new QDrag(this);
        auto* carried = new QMimeData;
        carried->setUrls({ QUrl::fromLocalFile(m_path) });
        drag->setMimeData(carried);
        std::puts("taken");
        std::fflush(stdout);
        const Qt::DropAction action = drag->exec(Qt::CopyAction | Qt::MoveAction, Qt::MoveAction);
        std::puts(action == Qt::CopyAction ? "copied" : action == Qt::MoveAction ? "moved" : "refused");
        std::fflush(stdout);
    }

private:
    QString m_path;
};

// Waits until the other program has printed that.
bool says(QProcess& program, QString& all, const QString& word)
{
    return QTest::qWaitFor(
        [&] { return all += QString::fromLocal8Bit(program.readAllStandardOutput()), all.contains(word); }, kLimit);
}

struct EventWatch : QObject {
    explicit EventWatch(QEvent::Type wanted) : m_wanted(wanted) { }
    bool eventFilter(QObject*, QEvent* event) override
    {
        seen += event->type() == m_wanted ? 1 : 0;
        return false;
    }
    int seen = 0;

private:
    QEvent::Type m_wanted;
};

} // namespace

class DisplayTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void theProgramStartsAndIsClosedByTheWindowManager();
    void thePresentationFillsTheOtherScreenAndTheNotesStayHere();
    void aRecordingIsDraggedInFromAnotherProgram();
    void aNumberIsTypedAndTheKeyOfAButtonPressed();
};

void DisplayTest::initTestCase()
{
    QCOMPARE(QGuiApplication::platformName(), QString("xcb"));
    QTRY_COMPARE_WITH_TIMEOUT(QGuiApplication::screens().size(), 2, kLimit);
}

void DisplayTest::theProgramStartsAndIsClosedByTheWindowManager()
{
    QProcess program;
    program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program.start(QStringLiteral(LHRS_BIN_DIR "/lhrs-gui"), { QStringLiteral("--sim") });
    QVERIFY(program.waitForStarted());
    QProcess look;
    const auto isShown = [&] {
        look.start(QStringLiteral("xdotool"),
            { QStringLiteral("search"), QStringLiteral("--onlyvisible"), QStringLiteral("--name"),
                QStringLiteral("^LHRS Lab$") });
        look.waitForFinished();
        return !look.readAllStandardOutput().trimmed().isEmpty();
    };
    QTRY_VERIFY_WITH_TIMEOUT(isShown(), kLimit);
    const auto isFocused = [&] {
        look.start(QStringLiteral("xdotool"), { QStringLiteral("getactivewindow"), QStringLiteral("getwindowname") });
        look.waitForFinished();
        return look.readAllStandardOutput().trimmed() == "LHRS Lab";
    };
    QTRY_VERIFY_WITH_TIMEOUT(isFocused(), kLimit);
    key("alt+F4");
    QTRY_COMPARE_WITH_TIMEOUT(program.state(), QProcess::NotRunning, kLimit);
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    QVERIFY(!isShown());
}

void DisplayTest::thePresentationFillsTheOtherScreenAndTheNotesStayHere()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.show();
    QVERIFY(isManaged(window));
    QCOMPARE(window.files().openRecording(folder.filePath("run.lhrun")), QString());
    QScreen *first = QGuiApplication::screens()[0], *second = QGuiApplication::screens()[1];
    key("F5");
    QTRY_VERIFY_WITH_TIMEOUT(window.isPresenting() && window.isFullScreen(), kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(isOn(window, second) && window.frameGeometry() == second->geometry(),
        qPrintable(QStringLiteral("%1 x %2 at %3, %4")
                       .arg(window.width())
                       .arg(window.height())
                       .arg(window.x())
                       .arg(window.y())),
        kLimit);
    QVERIFY(window.notes() && !window.menuBar()->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(window.notes()->isVisible() && isOn(*window.notes(), first), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.windowHandle()->frameMargins().isNull(), kLimit);

    // The keys of the clicker, wherever the focus is.
    key("b");
    QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QWidget*>("blankScreen")->isVisible(), kLimit);
    key("Escape");
    QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<QWidget*>("blankScreen")->isVisible(), kLimit);
    QVERIFY(window.isPresenting());
    key("shift+F5"); // in the other direction
    QTRY_VERIFY_WITH_TIMEOUT(isOn(window, first) && window.frameGeometry() == first->geometry(), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(isOn(*window.notes(), second), kLimit);
    key("shift+F5");
    QTRY_VERIFY_WITH_TIMEOUT(isOn(window, second) && window.frameGeometry() == second->geometry(), kLimit);
    key("Escape");
    QTRY_VERIFY_WITH_TIMEOUT(!window.isPresenting() && !window.isFullScreen() && !window.notes(), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.windowHandle()->frameMargins().top() > 0 && window.menuBar()->isVisible(), kLimit);
    QVERIFY(isManaged(window));
    key("alt+F4");
    QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), kLimit);
}

void DisplayTest::aRecordingIsDraggedInFromAnotherProgram()
{
    QTemporaryDir folder;
    makeRecording(folder.filePath("run.lhrun"));
    MainWindow window(options());
    window.move(QGuiApplication::screens()[1]->geometry().topLeft());
    window.show();
    QVERIFY(isManaged(window));
    QProcess files;
    QString told;
    files.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    files.start(QCoreApplication::applicationFilePath(), { QStringLiteral("--files"), folder.filePath("run.lhrun") });
    EventWatch enters(QEvent::DragEnter);
    window.installEventFilter(&enters);
    const QPoint to = window.mapToGlobal(window.rect().center());
    person({ "search", "--sync", "--onlyvisible", "--name", "^files$", "windowactivate", "--sync", "%1", "mousemove",
        "--window", "%1", "100", "60", "mousedown", "1" });
    QVERIFY2(says(files, told, QStringLiteral("taken")), qPrintable(told));
    person({ "mousemove_relative", "--sync", "40", "10" });
    mouseTo(to);
    mouseTo(to + QPoint(5, 5));
    QTRY_VERIFY_WITH_TIMEOUT(enters.seen > 0, kLimit);
    QVERIFY(!window.timeLine().isReplay());
    person({ "mouseup", "1" });
    QTRY_VERIFY_WITH_TIMEOUT(window.timeLine().isReplay() && window.showsCluster(), kLimit);
    QVERIFY2(says(files, told, QStringLiteral("copied")), qPrintable(told)); // not moved
    QVERIFY(QFile::exists(folder.filePath("run.lhrun")));
    files.terminate();
    QVERIFY(files.waitForFinished());
}

// As the hint of an exercise says: set the number, and press Ctrl+U. On X that key clears a field.
void DisplayTest::aNumberIsTypedAndTheKeyOfAButtonPressed()
{
    MainWindow window(options());
    window.move(QGuiApplication::screens()[0]->geometry().topLeft());
    window.show();
    QVERIFY(isManaged(window));
    window.start().startHere(SimulatedOptions { .seed = 5 });
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("insert")->isEnabled(), kLimit);
    window.actions().get("insert")->trigger();
    QTRY_VERIFY2_WITH_TIMEOUT(window.labLine().text().contains("20 ok"), qPrintable(window.labLine().text()), kLimit);
    QSpinBox* count = window.workloads().countBox();
    count->setFocus();
    count->selectAll();
    key("3");
    QTRY_COMPARE_WITH_TIMEOUT(count->text(), QString("3"), kLimit);
    key("ctrl+u");
    QTRY_VERIFY2_WITH_TIMEOUT(window.labLine().text().contains("3 ok"), qPrintable(window.labLine().text()), kLimit);
    QVERIFY2(window.labLine().text().startsWith("lab.client('alice').run({ do: 'update', count: 3 });"),
        qPrintable(window.labLine().text()));
    QCOMPARE(count->text(), QString("3"));
}

int main(int count, char** arguments)
{
    if (count == 3 && QLatin1String(arguments[1]) == QLatin1String("--files")) {
        QApplication application(count, arguments);
        FileWindow files(QString::fromLocal8Bit(arguments[2]));
        files.show();
        return QApplication::exec();
    }
    return runOffscreen<DisplayTest>(count, arguments); // QT_QPA_PLATFORM is set: not offscreen
}
#include "tst_display.moc"
