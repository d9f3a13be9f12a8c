// SPDX-License-Identifier: GPL-3.0-or-later
// The window by the keyboard alone, on a simulated cluster: what the moments of a lecture need is never out of its reach.
#include "tests/view_stage.h"

#include "gui/view/object_words.h"
#include "gui/window/main_window.h"

#include <QComboBox>
#include <QFile>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
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

// A file grows, a second client errs and learns, a bucket dies and comes back, is searched while it is gone, and one failure too
// many is shown (moments M2 to M6): no mouse, and no function of the window, between the first key and the last.
void WindowKeysTest::theMomentsArePlayedWithKeysAlone()
{
    QTemporaryDir folder;
    QFile steps(folder.filePath("steps.js"));
    QVERIFY(steps.open(QIODevice::WriteOnly));
    steps.write("lab.step('a', 'What was seen');\nlab.say('Everything by keys.');\nlab.step('b', 'The end');\nlab.say('No mouse was near.');\n");
    steps.close();
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
    QVERIFY(window.openScenario(steps.fileName(), false));

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
    // Typed into the dialog that the key "/" opens; an empty text: only Tab and Enter, for a question.
    const auto typeInDialog = [&](const QString& words) {
        QTimer::singleShot(0, &window, [words] {
            QWidget* dialog = QApplication::activeModalWidget();
            if (words.isEmpty())
                QTest::keyClick(dialog, Qt::Key_Tab);
            else
                QTest::keyClicks(dialog->focusWidget(), words);
            QTest::keyClick(dialog->focusWidget(), words.isEmpty() ? Qt::Key_Space : Qt::Key_Return);
        });
    };
    const auto find = [&](const QString& words) {
        typeInDialog(words);
        press(Qt::Key_Slash);
    };

    QVERIFY(pressFor("startSimulated"));
    QVERIFY(QTest::qWaitFor([&] { return window.showsCluster() && state.file.exists && window.workloads().client() != 0; }, kLimit));
    QVERIFY(pressFor("reducedMotion", false));
    QVERIFY(window.canvas().isMotionReduced());

    // M2: overflow, splits; and one split more, by hand.
    QVERIFY(QTest::qWaitFor([&] { return pressFor("insert"); }, kLimit)); // a client that has just started may not have heard of the coordinator
    QVERIFY2(window.labLine().text().contains("20 operations, 20 ok"), qPrintable(window.labLine().text()));
    QVERIFY(says("20 records"));
    const std::size_t grown = state.data.size();
    QVERIFY(grown >= 2);
    QVERIFY(pressFor("split"));
    QVERIFY(QTest::qWaitFor([&] { return state.data.size() >= 4; }, kLimit) || pressFor("split"));
    QVERIFY(QTest::qWaitFor([&] { return state.data.size() >= 4; }, kLimit));
    QVERIFY(says(QStringLiteral("= %1").arg(state.data.size())));

    // M3: a second client knows one bucket, and is told better.
    QVERIFY(pressFor("secondClient"));
    QVERIFY(QTest::qWaitFor([&] { return clientsOf(state).size() == 2; }, kLimit));
    find(QString::fromStdString(state.processes.at(clientsOf(state).back()).name));
    QCOMPARE(window.selection().selected().kind, ObjectKind::Client);
    const ProcessId second = window.selection().selected().a;
    QVERIFY(QTest::qWaitFor([&] { return window.workloads().client() == second; }, kLimit));
    find("3");
    QVERIFY(pressFor("searchHere"));
    QVERIFY(says("1 operation, 1 forwarded"));
    QVERIFY(state.clients.at(second).imageAdjustments == 1);

    // M4: the menu of a bucket, by its key; it is killed there, and comes back on another server.
    find("1");
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

    // A pause, seen and healed.
    QVERIFY(pressFor("pause"));
    QVERIFY(says("paused"));
    QVERIFY(pressFor("healAll"));
    QVERIFY(QTest::qWaitFor([&] { return !window.canvas().restingPicture().texts().contains("paused"); }, kLimit));

    // M5: time stands still, bucket 0 dies and is searched; when time goes on, its record is computed for the client.
    find("0");
    QVERIFY(QTest::qWaitFor([&] { return state.groups.at(0).state == pb::GROUP_UP && state.groups.at(0).kEffective() == 1 && state.data.at(0).count > 0; }, kLimit));
    QVERIFY(pressFor("gate", false));
    QVERIFY(QTest::qWaitFor([&] { return window.status().text().contains("MESSAGES GATED"); }, kLimit));
    QVERIFY(pressFor("kill"));
    QVERIFY(says("process gone"));
    QVERIFY(pressFor("searchHere", false));
    QVERIFY(pressFor("gate", false));
    QVERIFY(QTest::qWaitFor([&] { return window.labLine().text().contains("ok in bucket 0"); }, kLimit));
    QVERIFY(QTest::qWaitFor([&] { return state.groups.at(0).state == pb::GROUP_UP && state.groups.at(0).kEffective() == 1; }, kLimit));

    // M6: both data buckets of a group at once; the second one is asked for.
    QVERIFY(pressFor("gate", false));
    QVERIFY(QTest::qWaitFor([&] { return window.status().text().contains("MESSAGES GATED"); }, kLimit));
    QVERIFY(pressFor("kill"));
    find("1");
    typeInDialog({});
    QVERIFY(pressFor("kill"));
    QVERIFY(pressFor("gate", false));
    QVERIFY(says("LOST: buckets 0, 1"));
    QVERIFY(says("effective k = 0"));

    // And the next step of a scenario.
    QVERIFY(pressFor("nextStep", false));
    QVERIFY(QTest::qWaitFor([&] { return window.player().caption() == "Everything by keys." && window.player().isHeld(); }, kLimit));
    QVERIFY(pressFor("nextStep", false));
    QVERIFY(QTest::qWaitFor([&] { return window.player().caption() == "No mouse was near."; }, kLimit));
}

int main(int count, char** arguments)
{
    return runOffscreen<WindowKeysTest>(count, arguments);
}
#include "tst_window_keys.moc"
