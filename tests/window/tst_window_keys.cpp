// SPDX-License-Identifier: GPL-3.0-or-later
// The window by keyboard only, on a simulated cluster: everything that the moments of a lecture need is reachable.
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/view/lhrs/words/object_words.h"

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

} // namespace

class WindowKeysTest : public QObject {
    Q_OBJECT
private slots:
    void theMomentsArePlayedWithKeysAlone();
};

// A file grows, a second client makes errors and learns, a bucket dies and comes back, is searched while it is gone,
// and one failure too many is shown (moments M2 to M6). Between the first and the last key the test uses no mouse and
// no function of the window.
void WindowKeysTest::theMomentsArePlayedWithKeysAlone()
{
    QTemporaryDir folder;
    QFile steps(folder.filePath("steps.js"));
    QVERIFY(steps.open(QIODevice::WriteOnly));
    steps.write("lab.step('a', 'What was seen');\nlab.say('Everything by keys.');\nlab.step('b', 'The "
                "end');\nlab.say('No mouse was near.');\n");
    steps.close();
    MainWindow window(options());
    window.resize(1280, 720); // the offscreen screen is smaller
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("m", 2);
    set("b", 10);
    set("dataServers", 9);
    set("seed", 5);
    auto* speed = window.startPage().findChild<QComboBox*>("speed");
    speed->setCurrentIndex(speed->findData(10.0));
    QVERIFY(window.files().openScenario(steps.fileName(), false));

    const ClusterState& state = window.canvas().state();
    QSignalSpy answered(&window.cluster().report(), &CommandReport::answered);
    const auto press = [&](Qt::Key key, Qt::KeyboardModifiers with = {}) {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, key, with);
    };
    // Presses the key of an action when it is enabled; true: its command was answered, and succeeded.
    const auto pressFor = [&](const char* action, bool isAnswered = true) {
        QAction* wanted = window.actions().get(action);
        if (!QTest::qWaitFor([&] { return wanted->isEnabled(); }, kLimit))
            return false;
        answered.clear();
        const int combination = wanted->shortcut()[0].toCombined();
        press(Qt::Key(combination & ~int(Qt::KeyboardModifierMask)),
            Qt::KeyboardModifiers(combination & int(Qt::KeyboardModifierMask)));
        return !isAnswered
            || (QTest::qWaitFor([&] { return !answered.isEmpty(); }, kLimit) && answered.last()[2].toBool());
    };
    const auto says = [&](const QString& words) {
        return QTest::qWaitFor(
            [&] { return window.canvas().restingPicture().texts().join(" | ").contains(words); }, kLimit);
    };
    // Types into the dialog that the key "/" opens; an empty text: only Tab and Enter, for a question.
    const auto typeInDialog = [&](const QString& words) {
        auto* look = new QTimer(&window); // polls for the dialog, as its action may not be enabled yet
        connect(look, &QTimer::timeout, &window, [words, look] {
            QWidget* dialog = QApplication::activeModalWidget();
            if (!dialog || !dialog->focusWidget())
                return;
            delete look;
            if (words.isEmpty())
                QTest::keyClick(dialog, Qt::Key_Tab);
            else
                QTest::keyClicks(dialog->focusWidget(), words);
            QTest::keyClick(dialog->focusWidget(), words.isEmpty() ? Qt::Key_Space : Qt::Key_Return);
        });
        look->start(0);
    };
    const auto find = [&](const QString& words) {
        for (int view = 0; view < 12 && !window.canvas().hasFocus(); ++view) // a field would take the key
            press(Qt::Key_F6);
        typeInDialog(words);
        press(Qt::Key_Slash);
        window.activateWindow(); // what a window manager does when a dialog has gone
        return QTest::qWaitFor([&] { return window.canvas().hasFocus(); }, kLimit);
    };

    QVERIFY(pressFor("startSimulated"));
    QVERIFY(QTest::qWaitFor(
        [&] { return window.showsCluster() && state.file.exists && window.workloads().client() != 0; }, kLimit));
    QVERIFY(pressFor("reducedMotion", false));
    QVERIFY(window.canvas().isMotionReduced());

    // M2: overflow and splits, and one more split by command.
    // A client that has just started may not have heard of the coordinator.
    QVERIFY(QTest::qWaitFor([&] { return pressFor("insert"); }, kLimit));
    QVERIFY2(window.labLine().text().contains("20 operations, 20 ok"), qPrintable(window.labLine().text()));
    QVERIFY(says("20 records"));
    QVERIFY(state.data.size() >= 2);
    while (state.data.size() < 4) {
        const std::size_t before = state.data.size();
        QVERIFY(pressFor("split"));
        QVERIFY(QTest::qWaitFor([&] { return state.data.size() > before; }, kLimit));
    }
    QVERIFY(says(QStringLiteral("= %1").arg(state.data.size())));

    // M3: a second client knows one bucket, and its image is corrected.
    QVERIFY(pressFor("secondClient"));
    QVERIFY(QTest::qWaitFor([&] { return clientsOf(state).size() == 2; }, kLimit));
    const ProcessId second = clientsOf(state).back();
    // A newly started client is selected.
    QVERIFY(QTest::qWaitFor([&] { return window.workloads().client() == second; }, kLimit));
    QVERIFY(find(QString::fromStdString(state.processes.at(second).name)));
    QVERIFY2(window.selection().selected().kind == ObjectKind::Client, qPrintable(window.labLine().text()));
    QVERIFY(find("3"));
    QVERIFY(pressFor("searchHere"));
    QVERIFY2(window.labLine().text().contains("image adjusted"), qPrintable(window.labLine().text()));
    QVERIFY(QTest::qWaitFor([&] { return state.fileClient(second).imageAdjustments == 1; }, kLimit));
    QVERIFY(state.clients.at(second).forwards >= 1);
    QVERIFY(says(QStringLiteral("1 operation, %1 forwarded").arg(state.clients.at(second).forwards)));
    // It has stored nothing: it searches records of the file.
    QVERIFY(pressFor("search"));
    QVERIFY2(window.labLine().text().contains("20 operations, 20 ok"), qPrintable(window.labLine().text()));
    QVERIFY2(window.labLine().text().contains("keys: ["), qPrintable(window.labLine().text()));

    // M4: the menu of a bucket, opened by its key; the bucket is killed there, and recovered on another server.
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
    QVERIFY(QTest::qWaitFor(
        [&] {
            return state.data.at(1).process != former && state.groups.at(0).recovery.isOver
                && state.groups.at(0).state == pb::GROUP_UP;
        },
        kLimit));
    QVERIFY(says(QString::fromStdString(state.processes.at(state.data.at(1).process).name)));

    // A pause is shown and healed; a paused bucket is soon replaced, and is then shown as displaced.
    window.activateWindow();
    QVERIFY(QTest::qWaitFor([&] { return window.canvas().hasFocus(); }, kLimit));
    QVERIFY2(pressFor("pause"), qPrintable(window.labLine().text()));
    QVERIFY(says("paused"));
    QVERIFY(pressFor("healAll"));
    QVERIFY(QTest::qWaitFor(
        [&] { return !window.canvas().restingPicture().texts().join(" | ").contains("paused"); }, kLimit));

    // M5: no message passes, bucket 0 dies and is searched; when messages pass again, its record is computed for the
    // client.
    QVERIFY(find("0"));
    QVERIFY(QTest::qWaitFor(
        [&] {
            return state.groups.at(0).state == pb::GROUP_UP && state.groups.at(0).kEffective() == 1
                && state.data.at(0).count > 0;
        },
        kLimit));
    QVERIFY(pressFor("gate"));
    QVERIFY(QTest::qWaitFor([&] { return window.status().text().contains("MESSAGES GATED"); }, kLimit));
    const ProcessId gone = state.data.at(0).process;
    QVERIFY(pressFor("kill"));
    QVERIFY(says("process gone"));
    QVERIFY(pressFor("searchHere", false));
    QVERIFY(pressFor("gate", false));
    QVERIFY2(QTest::qWaitFor(
                 [&] {
                     return std::any_of(answered.begin(), answered.end(),
                         [](const QList<QVariant>& a) { return a[1].toString().startsWith("ok in bucket 0"); });
                 },
                 kLimit),
        qPrintable(window.labLine().text()));
    // The answer may come before the group is known to lack a member.
    QVERIFY(QTest::qWaitFor(
        [&] {
            return state.data.at(0).process != gone && state.groups.at(0).state == pb::GROUP_UP
                && state.groups.at(0).kEffective() == 1;
        },
        kLimit));

    // M6: both data buckets of a group at once; the second kill asks for confirmation.
    QVERIFY(pressFor("gate"));
    QVERIFY(QTest::qWaitFor([&] { return window.status().text().contains("MESSAGES GATED"); }, kLimit));
    QVERIFY(pressFor("kill"));
    QVERIFY(find("1"));
    typeInDialog({});
    QVERIFY(pressFor("kill"));
    QCOMPARE(answered.last()[0].toString(), QString("lab.kill(lab.data(1));"));
    window.activateWindow();
    QVERIFY(QTest::qWaitFor([&] { return window.canvas().hasFocus(); }, kLimit));
    QVERIFY(pressFor("gate"));
    QVERIFY2(QTest::qWaitFor([&] { return state.groups.at(0).state == pb::GROUP_LOST; }, kLimit),
        qPrintable(window.labLine().text()));
    QVERIFY2(says("LOST: buckets 0, 1"), qPrintable(window.canvas().restingPicture().texts().join(" | ")));
    QVERIFY(says("effective k = 0"));

    // And the steps of a scenario: the first key press starts it, and it stops before the first step.
    QVERIFY(pressFor("nextStep", false));
    QVERIFY(QTest::qWaitFor([&] { return window.player().isHeld(); }, kLimit));
    QVERIFY(pressFor("nextStep", false));
    QVERIFY(QTest::qWaitFor(
        [&] { return window.player().words().caption == "Everything by keys." && window.player().isHeld(); }, kLimit));
    QVERIFY(pressFor("nextStep", false));
    QVERIFY(QTest::qWaitFor([&] { return window.player().words().caption == "No mouse was near."; }, kLimit));
}

int main(int count, char** arguments) { return runOffscreen<WindowKeysTest>(count, arguments); }
#include "tst_window_keys.moc"
