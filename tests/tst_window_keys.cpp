// SPDX-License-Identifier: GPL-3.0-or-later
// The window by the keyboard alone, on a simulated cluster: what the moments of a lecture need is never out of its reach.
#include "tests/view_stage.h"

#include "gui/view/object_words.h"
#include "gui/window/main_window.h"

#include <QComboBox>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTimer>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 30'000;

MainWindow::Options options()
{
    MainWindow::Options o;
    o.theme = MainWindow::ThemeChoice::Light;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

} // namespace

class WindowKeysTest : public QObject {
    Q_OBJECT
private slots:
    void theMomentsArePlayedWithKeysAlone();
};

// A file grows, a second client errs and learns, a bucket dies and comes back (moments M2 to M4): no mouse, and no function of the
// window, between the first key and the last.
void WindowKeysTest::theMomentsArePlayedWithKeysAlone()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("m", 2);
    set("b", 10);
    set("dataServers", 9);
    set("seed", 5);
    auto* speed = window.startPage().findChild<QComboBox*>("speed");
    speed->setCurrentIndex(speed->findData(10.0));

    const ClusterState& state = window.canvas().state();
    QSignalSpy answered(&window.cluster(), &Operator::answered);
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, key, with); };
    // The key of an action, as soon as it may be used; true: its command was answered, and worked.
    const auto pressFor = [&](const char* action, bool isAnswered = true) {
        QAction* wanted = window.actions().get(action);
        if (!QTest::qWaitFor([&] { return wanted->isEnabled(); }, kLimit))
            return false;
        answered.clear();
        const int combination = wanted->shortcut()[0].toCombined();
        press(Qt::Key(combination & ~int(Qt::KeyboardModifierMask)), Qt::KeyboardModifiers(combination & int(Qt::KeyboardModifierMask)));
        return !isAnswered || (QTest::qWaitFor([&] { return !answered.isEmpty(); }, kLimit) && answered.last()[2].toBool());
    };
    const auto says = [&](const QString& words) { return QTest::qWaitFor([&] { return window.canvas().restingPicture().texts().join(" | ").contains(words); }, kLimit); };
    // Typed into the dialog that the key "/" opens.
    const auto typeInDialog = [&](const QString& words) {
        QTimer::singleShot(0, &window, [words] {
            QWidget* dialog = QApplication::activeModalWidget();
            if (!dialog)
                return;
            QTest::keyClicks(dialog->focusWidget(), words);
            QTest::keyClick(dialog->focusWidget(), Qt::Key_Return);
        });
    };
    const auto find = [&](const QString& words) {
        for (int view = 0; view < 12 && !window.canvas().hasFocus(); ++view) // a field would take the key for itself
            press(Qt::Key_F6);
        typeInDialog(words);
        press(Qt::Key_Slash);
        window.activateWindow(); // what a window manager does when a dialog has gone
        return QTest::qWaitFor([&] { return window.canvas().hasFocus(); }, kLimit);
    };

    QVERIFY(pressFor("startSimulated"));
    QVERIFY(QTest::qWaitFor([&] { return window.showsCluster() && state.file.exists && window.workloads().client() != 0; }, kLimit));
    QVERIFY(pressFor("reducedMotion", false));
    QVERIFY(window.canvas().isMotionReduced());

    // M2: overflow, splits; and one split more, by hand.
    QVERIFY(QTest::qWaitFor([&] { return pressFor("insert"); }, kLimit)); // a client that has just started may not have heard of the coordinator
    QVERIFY2(window.labLine().text().contains("20 operations, 20 ok"), qPrintable(window.labLine().text()));
    QVERIFY(says("20 records"));
    QVERIFY(state.data.size() >= 2);
    while (state.data.size() < 4) {
        const std::size_t before = state.data.size();
        QVERIFY(pressFor("split"));
        QVERIFY(QTest::qWaitFor([&] { return state.data.size() > before; }, kLimit));
    }
    QVERIFY(says(QStringLiteral("= %1").arg(state.data.size())));

    // M3: a second client knows one bucket, and is told better.
    QVERIFY(pressFor("secondClient"));
    QVERIFY(QTest::qWaitFor([&] { return clientsOf(state).size() == 2; }, kLimit));
    QVERIFY(find(QString::fromStdString(state.processes.at(clientsOf(state).back()).name)));
    QVERIFY2(window.selection().selected().kind == ObjectKind::Client, qPrintable(window.labLine().text()));
    const ProcessId second = window.selection().selected().a;
    QVERIFY(QTest::qWaitFor([&] { return window.workloads().client() == second; }, kLimit));
    QVERIFY(find("3"));
    QVERIFY(pressFor("searchHere"));
    QVERIFY2(window.labLine().text().contains("image adjusted"), qPrintable(window.labLine().text()));
    QVERIFY(QTest::qWaitFor([&] { return state.clients.at(second).imageAdjustments == 1; }, kLimit));
    QVERIFY(state.clients.at(second).forwards >= 1);
    QVERIFY(says(QStringLiteral("1 operation, %1 forwarded").arg(state.clients.at(second).forwards)));

    // M4: the menu of a bucket, by its key; it is killed there, and comes back on another server.
    QVERIFY(find("1"));
    const ProcessId former = state.data.at(1).process;
    QTimer::singleShot(0, &window, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        for (int i = 0; menu && i < 30 && menu->activeAction() != window.actions().get("kill"); ++i)
            QTest::keyClick(menu, Qt::Key_Down);
        if (menu)
            QTest::keyClick(menu, Qt::Key_Return);
    });
    QVERIFY(QTest::qWaitFor([&] { return window.actions().get("kill")->isEnabled(); }, kLimit));
    answered.clear();
    press(Qt::Key_F10, Qt::ShiftModifier);
    QVERIFY(QTest::qWaitFor([&] { return !answered.isEmpty(); }, kLimit));
    QCOMPARE(answered.last()[0].toString(), QString("lab.kill(lab.data(1));"));
    QVERIFY(QTest::qWaitFor([&] { return state.data.at(1).process != former && state.groups.at(0).recovery.isOver && state.groups.at(0).state == pb::GROUP_UP; }, kLimit));
    QVERIFY(says(QString::fromStdString(state.processes.at(state.data.at(1).process).name)));
}

int main(int count, char** arguments)
{
    return runOffscreen<WindowKeysTest>(count, arguments);
}
#include "tst_window_keys.moc"
