// SPDX-License-Identifier: GPL-3.0-or-later
// The gate of a simulated cluster in the window: closed by its key; held messages are listed, and drawn where they
// wait; one message is let through and one dropped by the keyboard; a step; opened again. Nothing is missing
// afterwards.
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/view/lhrs/words/object_words.h"
#include "gui/window/panels/gate_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 30'000;

// A window with its own simulated cluster, and keys.
struct GateWindow {
    GateWindow(int seed, double speedWanted, bool isCase = false)
    {
        window.resize(1280, 720);
        window.show();
        const auto set = [&](const char* id, int value) {
            window.startPage().findChild<QSpinBox*>(id)->setValue(value);
        };
        set("m", 2);
        set("b", 50);
        set("dataServers", 4);
        set("seed", seed);
        auto* speed = window.startPage().findChild<QComboBox*>("speed");
        speed->setCurrentIndex(speed->findData(speedWanted));
        SimulatedOptions simulated = window.startPage().simulatedOptions();
        simulated.isCase = isCase;
        window.start().startHere(simulated);
    }
    bool isThere()
    {
        return QTest::qWaitFor(
            [&] { return window.showsCluster() && state().file.exists && window.workloads().client() != 0; }, kLimit);
    }
    const ClusterState& state() { return window.canvas().state(); }
    void press(Qt::Key key, Qt::KeyboardModifiers with = {})
    {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, key, with);
    }
    // Presses the key of an action when it is enabled; true: its command was answered, and succeeded.
    bool pressFor(const char* action, bool isAnswered = true)
    {
        QAction* wanted = window.actions().get(action);
        if (!QTest::qWaitFor([&] { return wanted->isEnabled(); }, kLimit))
            return false;
        answered.clear();
        const int combination = wanted->shortcut()[0].toCombined();
        press(Qt::Key(combination & ~int(Qt::KeyboardModifierMask)),
            Qt::KeyboardModifiers(combination & int(Qt::KeyboardModifierMask)));
        return !isAnswered
            || (QTest::qWaitFor([&] { return !answered.isEmpty(); }, kLimit) && answered.last()[2].toBool());
    }
    QString line() { return window.labLine().text(); }
    std::size_t held() { return window.cluster().gate().held().size(); }
    std::uint32_t records()
    {
        std::uint32_t sum = 0;
        for (const auto& [number, bucket] : state().data)
            sum += bucket.count;
        return sum;
    }
    // Counted by the events of the processes whose gates are closed.
    std::size_t told()
    {
        std::size_t sum = 0;
        for (const auto& [id, process] : state().processes)
            sum += process.isGated ? process.gauges.gate_held() : 0;
        return sum;
    }
    // The list, and the last message.
    QString listed()
    {
        QStringList rows;
        for (const HeldModel::Row& row : part<GatePanel>(window).model().rows())
            rows << row.what + " at " + row.to;
        return rows.join(" | ") + "; " + line();
    }
    bool statusSays(const QString& words) { return window.status().text().contains(words); }
    // Messages held at the process, as the picture shows them: a number beside the gate sign.
    int drawnAt(ProcessId process)
    {
        const ObjectRef object = objectOf(state(), process);
        bool hasSign = false;
        int count = 0;
        const DisplayList picture = window.canvas().restingPicture();
        for (const DisplayList::Item& item : picture.items()) {
            if (item.object != object)
                continue;
            if (const auto* mark = std::get_if<DisplayList::Mark>(&item.primitive); mark && mark->glyph == Glyph::Gate)
                hasSign = true;
            else if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive); text && hasSign && count == 0)
                count = text->text.toInt();
        }
        return count;
    }
    // Moves to the row of such a message by the keys of the list.
    bool choose(const QString& words)
    {
        GatePanel& panel = part<GatePanel>(window);
        return QTest::qWaitFor(
            [&] {
                for (int row = 0; row < panel.model().rowCount(); ++row) {
                    if (!panel.model().index(row, HeldModel::What).data().toString().startsWith(words))
                        continue;
                    panel.table().setFocus();
                    press(Qt::Key_Home, Qt::ControlModifier); // selects the first one
                    for (int i = 0; i < row; ++i)
                        press(Qt::Key_Down);
                    const auto chosen = panel.chosen();
                    return chosen && panel.model().rows()[std::size_t(row)].what.startsWith(words)
                        && chosen->message.number() == panel.model().rows()[std::size_t(row)].held.message.number();
                }
                return false;
            },
            kLimit);
    }

    MainWindow window { options() };
    QSignalSpy answered { &window.cluster().report(), &CommandReport::answered };
};

} // namespace

class WindowGateTest : public QObject {
    Q_OBJECT
private slots:
    void messagesAreHeldListedDrawnLetThroughAndLostByKeys();
    void pausedTimeAndTheGateAreTwoThings();
    void aCaseSaysThatItHasNone();
};

void WindowGateTest::messagesAreHeldListedDrawnLetThroughAndLostByKeys()
{
    GateWindow w(4'500'300, 1.0);
    QVERIFY(QTest::qWaitForWindowActive(&w.window));
    QVERIFY(w.isThere());
    QVERIFY(QTest::qWaitFor([&] { return w.pressFor("insert"); }, kLimit));
    QVERIFY2(w.line().contains("20 operations, 20 ok"), qPrintable(w.line()));

    QVERIFY(w.pressFor("gate"));
    QVERIFY2(w.line().contains("hold what arrives"), qPrintable(w.line()));
    QVERIFY(QTest::qWaitFor([&] { return w.statusSays("MESSAGES GATED"); }, kLimit));
    QTRY_VERIFY_WITH_TIMEOUT(w.window.actions().get("gate")->isChecked(), kLimit);
    QVERIFY(w.pressFor("heldMessages", false));
    GatePanel& panel = part<GatePanel>(w.window);
    QTRY_VERIFY_WITH_TIMEOUT(panel.isVisible(), kLimit);
    const auto* summary = panel.findChild<QLabel*>("heldSummary");
    QVERIFY(w.pressFor("insert", false));
    QVERIFY2(w.choose("insert from client"), qPrintable(w.listed()));
    QTRY_VERIFY2_WITH_TIMEOUT(
        summary->text().contains("held, the oldest first; all clocks stand"), qPrintable(summary->text()), kLimit);

    // Kind, place, duration in virtual time, transport.
    const HeldModel::Row row = panel.model().rows()[std::size_t(panel.table().currentIndex().row())];
    // With its operation.
    QVERIFY2(row.what.contains("insert from client") && row.what.contains('('), qPrintable(row.what));
    QVERIFY2(row.to.startsWith("data "), qPrintable(row.to));
    QVERIFY2(row.more.contains("by UDP") || row.more.contains("by TCP"), qPrintable(row.more));
    QVERIFY2(row.since.endsWith(" s"), qPrintable(row.since));
    QTRY_VERIFY_WITH_TIMEOUT(panel.model().rows().front().since.section(' ', 0, 0).toDouble() >= 0.5, kLimit);
    const double seconds = panel.model().rows().front().since.section(' ', 0, 0).toDouble();
    QVERIFY2(seconds < 60, qPrintable(panel.model().rows().front().since)); // since its arrival, by virtual time

    // Drawn at its receiver, and counted in the status line.
    const ProcessId receiver = row.held.process;
    QTRY_VERIFY_WITH_TIMEOUT(w.drawnAt(receiver) > 0, kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(w.told() == w.held() && w.statusSays(QStringLiteral("MESSAGES GATED: %1").arg(w.told())),
        qPrintable(QStringLiteral("%1, %2: %3").arg(w.told()).arg(w.held()).arg(w.window.status().text())), kLimit);

    // Enter lets the selected one through, and the effects of its step are shown.
    QVERIFY2(w.choose("insert from client"), qPrintable(w.listed()));
    w.answered.clear();
    w.press(Qt::Key_Return);
    QVERIFY(QTest::qWaitFor([&] { return !w.answered.isEmpty() && w.answered.last()[2].toBool(); }, kLimit));
    QTRY_VERIFY2_WITH_TIMEOUT(w.line().contains("takes one step. "), qPrintable(w.line()), kLimit);
    QVERIFY2(w.choose("delta from"), qPrintable(w.listed()));
    // Del drops one.
    w.answered.clear();
    w.press(Qt::Key_Delete);
    QVERIFY(QTest::qWaitFor([&] { return !w.answered.isEmpty() && w.answered.last()[2].toBool(); }, kLimit));
    QVERIFY2(w.line().contains("delta from") && w.line().contains("is lost on its way to"), qPrintable(w.line()));
    QVERIFY(w.answered.last()[0].toString().contains("drop: true"));
    // Alt+5: releases the oldest one; if none is held, time advances to the next timer.
    const QSignalSpy listed(&w.window.cluster().gate(), &ClusterGate::listed);
    for (int i = 0; i < 60 && w.held() > 0; ++i) {
        const qsizetype before = listed.count();
        QVERIFY2(w.pressFor("virtualStepMessage"), qPrintable(w.line()));
        QTRY_VERIFY_WITH_TIMEOUT(listed.count() > before, kLimit);
    }
    QVERIFY2(w.pressFor("virtualStepMessage"), qPrintable(w.line()));
    QVERIFY2(w.line().contains("lab.release({ clock: true })"), qPrintable(w.line()));

    // Open again: everything that was begun completes, and nothing is missing.
    QVERIFY(w.pressFor("gate"));
    QTRY_VERIFY_WITH_TIMEOUT(!w.statusSays("MESSAGES GATED") && !w.window.actions().get("gate")->isChecked(), kLimit);
    QTRY_VERIFY2_WITH_TIMEOUT(summary->text().contains("The gate is open"), qPrintable(summary->text()), kLimit);
    QVERIFY(!panel.table().isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(w.records(), 40u, kLimit);
    QVERIFY2(w.pressFor("auditAll"), qPrintable(w.line()));
    QVERIFY2(!w.line().contains("unequal"), qPrintable(w.line()));
}

void WindowGateTest::pausedTimeAndTheGateAreTwoThings()
{
    GateWindow w(4'500'301, 1.0);
    QVERIFY(QTest::qWaitForWindowActive(&w.window));
    QVERIFY(w.isThere());
    QVERIFY(w.pressFor("virtualPause"));
    QTRY_VERIFY2_WITH_TIMEOUT(w.statusSays("VIRTUAL TIME STANDS"), qPrintable(w.window.status().text()), kLimit);
    QVERIFY(!w.statusSays("MESSAGES GATED") && !w.window.actions().get("gate")->isChecked());
    QVERIFY(w.pressFor("gate"));
    QTRY_VERIFY2_WITH_TIMEOUT(w.statusSays("MESSAGES GATED"), qPrintable(w.window.status().text()), kLimit);
    QVERIFY(w.statusSays("VIRTUAL TIME STANDS"));
    // Even while time is paused, a message reaches its receiver.
    QVERIFY(w.pressFor("insert", false));
    const auto hasInsert = [&] {
        const std::vector<HeldAt>& held = w.window.cluster().gate().held();
        return std::any_of(held.begin(), held.end(), [](const HeldAt& one) { return one.message.kind() == "insert"; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(hasInsert() || (w.pressFor("virtualStepMessage") && hasInsert()), kLimit);
    QVERIFY(w.pressFor("virtualStepMs"));
    QVERIFY2(w.line().contains("virtual time stands at"), qPrintable(w.line()));
    QVERIFY(w.pressFor("gate"));
    QTRY_VERIFY_WITH_TIMEOUT(!w.statusSays("MESSAGES GATED"), kLimit);
    QVERIFY(w.statusSays("VIRTUAL TIME STANDS"));
    QVERIFY(w.pressFor("virtualRun"));
    QTRY_VERIFY_WITH_TIMEOUT(!w.statusSays("VIRTUAL TIME STANDS"), kLimit);
}

void WindowGateTest::aCaseSaysThatItHasNone()
{
    GateWindow w(4'500'302, 0.01, true);
    QVERIFY(QTest::qWaitForWindowActive(&w.window));
    const auto mayBeAsked = [&] { return w.window.showsCluster() && w.window.actions().get("gate")->isEnabled(); };
    QVERIFY(QTest::qWaitFor(mayBeAsked, kLimit));
    QVERIFY(!w.pressFor("gate"));
    QVERIFY2(w.line().contains("watched, not operated, and has no gate"), qPrintable(w.line()));
    QTRY_VERIFY_WITH_TIMEOUT(!w.window.actions().get("gate")->isChecked(), kLimit);
}

int main(int count, char** arguments) { return runOffscreen<WindowGateTest>(count, arguments); }
#include "tst_window_gate.moc"
