// SPDX-License-Identifier: GPL-3.0-or-later
// The window with a ring that walks: the ring is shown and can be operated; a file can replace it, and it can be shown
// again.
#include "tests/rigs/gui/object_menu.h"
#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/view/lhrs/file_picture.h"
#include "gui/view/walk/ring_layout.h"
#include "gui/view/walk/ring_picture.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/main/main_window.h"

#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QAbstractButton>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QTimer>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 60'000;

const char* const kRing = "lab.cluster({ system: 'walk', nodes: 4, outside: 1 });\n"
                          "lab.client('alice').run({ do: 'insert', count: 40 }); lab.settle();\n";
const char* const kFile = "lab.cluster({ m: 2, k: 0, b: 20, spares: { data: 2, parity: 0 } });\n"
                          "lab.client('a').run({ do: 'insert', count: 5 }); lab.settle();\n";

class Stage {
public:
    MainWindow window { options() };

    Stage()
    {
        window.resize(1280, 720);
        window.show();
        window.start().preferSimulated(SimulatedOptions {});
    }
    // Starts its cluster and stops before the first step.
    bool open(const QString& text)
    {
        const QString path = m_folder.filePath(QStringLiteral("s%1.js").arg(++m_played));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0)
            return false;
        file.close();
        return window.files().openScenario(path, true);
    }
    bool play(const QString& text)
    {
        if (!open(text))
            return false;
        window.player().runToEnd();
        return QTest::qWaitFor([&] { return !window.player().run().isRunning(); }, kLimit)
            && window.player().run().engine().result().outcome == ScriptOutcome::Held;
    }
    const ClusterState& state() { return window.pacer().state(); }
    bool showsRing(std::size_t nodes)
    {
        return QTest::qWaitFor(
            [&] {
                return &window.canvas().view() == &window.canvas().viewOf<RingPicture>()
                    && state().ring.inRing().size() == nodes && !state().ring.now;
            },
            kLimit);
    }
    bool isEnabled(const char* id) { return window.actions().get(id)->isEnabled(); }
    bool isEnabledSoon(const char* id)
    {
        return QTest::qWaitFor([&] { return isEnabled(id); }, kLimit);
    }
    // Whether the dock is open, even if its tab is not in front.
    bool hasDock(const char* name) { return !window.findChild<QDockWidget*>(QLatin1String(name))->isHidden(); }

private:
    QTemporaryDir m_folder;
    int m_played = 0;
};

} // namespace

class WindowRingTest : public QObject {
    Q_OBJECT
private slots:
    void aRingIsShownAndChanged();
    void whatIsOfFilesOnlyIsNotOffered();
    void thePaletteBreaksWhatARingHas();
    void noMenuOffersWhatIsOfFilesOnly();
    void theWindowSpeaksOfTheSystemThatIsShown();
    void aClientOfARingWithoutKeysSaysWhatIsMissing();
    void ringAndFileFollowEachOther();
    void killingANodeOfARingIsAskedFirst();
    void aSimulationThatWaitsForCommandsIsNotCalledSilent();
};

void WindowRingTest::aRingIsShownAndChanged()
{
    Stage s;
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    QVERIFY(QTest::qWaitFor([&] { return s.window.canvas().restingPicture().texts().contains("node-1"); }, kLimit));
    QVERIFY(s.isEnabledSoon("joinRing"));
    s.window.actions().get("joinRing")->trigger();
    QVERIFY(s.showsRing(5));
    QVERIFY(QTest::qWaitFor([&] { return s.window.labLine().text().contains("is in the ring"); }, kLimit));
    QVERIFY(QTest::qWaitFor([&] { return !s.isEnabled("joinRing"); }, kLimit)); // no node waits outside
    s.window.canvas().choose({ ObjectKind::Node, ringNodes(s.state()).front(), 0 });
    QVERIFY(s.isEnabledSoon("leaveRing"));
    const ProcessId leaves = ringNodes(s.state()).front();
    s.window.actions().get("leaveRing")->trigger();
    QVERIFY(s.showsRing(4));
    QCOMPARE(nodesOutside(s.state()), std::vector<std::uint64_t> { leaves });
    QVERIFY(QTest::qWaitFor([&] { return !s.isEnabled("leaveRing"); }, kLimit)); // the selected one is outside
}

void WindowRingTest::whatIsOfFilesOnlyIsNotOffered()
{
    Stage s;
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    QVERIFY(s.isEnabledSoon("joinRing"));
    for (const char* id : { "split", "raiseK", "addParity", "audit", "imageFrozen", "addSpares", "tryKey", "byHost",
             "sendKey", "asColumns", "invariants", "recover", "recordGroup" })
        QVERIFY2(!s.isEnabled(id), id);
    s.window.canvas().choose({ ObjectKind::Node, ringNodes(s.state()).front(), 0 });
    s.window.setWorkspace(MainWindow::Workspace::Inspect);
    for (const char* dock : { "bucketDock", "imageDock", "groupDock", "invariantDock" })
        QVERIFY2(!s.hasDock(dock), dock);
    QVERIFY(s.hasDock("nodeDock"));
    QVERIFY(s.hasDock("logDock"));
}

void WindowRingTest::noMenuOffersWhatIsOfFilesOnly()
{
    Stage s;
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    QVERIFY(s.isEnabledSoon("joinRing"));
    QVERIFY(QTest::qWaitFor([&] { return !clientsOf(s.state()).empty() && !ringNodes(s.state()).empty(); }, kLimit));
    const QStringList faults { "kill", "pause", "resume", "restart", "-", "cutOff", "loseSome", "delayMessages", "heal",
        "faultPanel" },
        last { "-", "Only this place in the event log" }, ring { "joinRing", "leaveRing", "copyLine", "-" };
    const auto offered = [&](ObjectRef object) { return menuOf(s.window, object); };
    const ProcessId client = clientsOf(s.state()).front(), node = ringNodes(s.state()).front();
    QCOMPARE(
        offered({ ObjectKind::Node, node, 0 }).mid(1), (QStringList { "Show what it does" } + ring + faults + last));
    QCOMPARE(offered({ ObjectKind::Coordinator, coordinatorOf(s.state()), 0 }),
        (QStringList { "master" } + ring + faults + last));
    QCOMPARE(offered({ ObjectKind::Client, client, 0 }),
        (QStringList { "client alice", "-", "insert", "update", "search", "delete", "stopWorkload", "-" } + faults
            + last));
    QCOMPARE(offered({ ObjectKind::Fault, 1, 0 }).mid(1), (QStringList { "heal", "healAll", "faultPanel" } + last));
    QCOMPARE(offered({}), (QStringList { "ring" } + ring + QStringList { "secondClient", "fit" } + last));
}

// The fault palette speaks of the cluster that is shown, and again of the other one.
void WindowRingTest::thePaletteBreaksWhatARingHas()
{
    Stage s;
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    QVERIFY(s.isEnabledSoon("faultPanel"));
    s.window.actions().get("faultPanel")->trigger();
    auto* steps = s.window.findChild<QComboBox*>("faultStep");
    auto* messages = s.window.findChild<QComboBox*>("faultMessages");
    QVERIFY(QTest::qWaitFor([&] { return steps->findText("RangeTaken") >= 0; }, kLimit));
    QVERIFY(steps->findText("SplitPrepared") < 0);
    QVERIFY(messages->findText("keys that move") >= 0 && messages->findText("delta") < 0);
    QVERIFY(s.play(kFile));
    QVERIFY(QTest::qWaitFor([&] { return steps->findText("SplitPrepared") >= 0; }, kLimit));
    QVERIFY(steps->findText("RangeTaken") < 0 && messages->findText("delta") >= 0);
}

// What a person begins with, and where contents are shown, is that of the cluster that is shown.
void WindowRingTest::theWindowSpeaksOfTheSystemThatIsShown()
{
    Stage s;
    QVERIFY(s.play(kFile));
    QVERIFY(QTest::qWaitFor([&] { return s.state().file.exists && !clientsOf(s.state()).empty(); }, kLimit));
    const ObjectRef client { ObjectKind::Client, clientsOf(s.state()).front(), 0 };
    emit s.window.canvas().inspectRequested(client);
    QCOMPARE(s.window.workspace(), MainWindow::Workspace::Inspect);
    QVERIFY(s.hasDock("imageDock") && s.window.selection().selected() == client);
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    const ObjectRef node { ObjectKind::Node, ringNodes(s.state()).front(), 0 };
    emit s.window.canvas().inspectRequested(node);
    QVERIFY(s.hasDock("nodeDock") && !s.hasDock("imageDock") && s.window.selection().selected() == node);
    s.window.actions().get("newScenario")->trigger();
    const QString text = s.window.editor().edit().text();
    QVERIFY2(text.contains("system: 'walk'"), qPrintable(text));
}

// What the client of a ring could search for is known only to the clients themselves.
void WindowRingTest::aClientOfARingWithoutKeysSaysWhatIsMissing()
{
    Stage s;
    QVERIFY(s.play("lab.cluster({ system: 'walk', nodes: 4 }); lab.client('bob'); lab.settle();\n"));
    QVERIFY(s.showsRing(4));
    QVERIFY(s.isEnabledSoon("search"));
    s.window.actions().get("search")->trigger();
    QVERIFY2(QTest::qWaitFor([&] { return s.window.labLine().text().contains("no key is known here"); }, kLimit),
        qPrintable(s.window.labLine().text()));
}

void WindowRingTest::ringAndFileFollowEachOther()
{
    Stage s;
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    s.window.canvas().choose({ ObjectKind::Node, ringNodes(s.state()).back(), 0 });
    s.window.setWorkspace(MainWindow::Workspace::Inspect);
    QVERIFY(s.play(kFile));
    QVERIFY(QTest::qWaitFor(
        [&] {
            return s.state().file.exists && !s.window.canvas().rectOf({ ObjectKind::Data, 0, 0 }).isNull();
        },
        kLimit));
    QVERIFY(s.isEnabledSoon("split"));
    QVERIFY(!s.isEnabled("joinRing") && !s.isEnabled("leaveRing"));
    QVERIFY(s.hasDock("bucketDock"));
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    QVERIFY(!s.state().file.exists);
    QVERIFY(s.isEnabledSoon("joinRing"));
    QVERIFY(!s.hasDock("bucketDock"));
}

void WindowRingTest::killingANodeOfARingIsAskedFirst()
{
    Stage s;
    QVERIFY(s.play(kRing));
    QVERIFY(s.showsRing(4));
    const ProcessId node = ringNodes(s.state()).front();
    s.window.canvas().choose({ ObjectKind::Node, node, 0 });
    QVERIFY(s.isEnabledSoon("kill"));
    QString asked;
    const auto answer = [&](QMessageBox::ButtonRole role) {
        QTimer::singleShot(200, &s.window, [&s, &asked, role] {
            auto* question = s.window.findChild<QMessageBox*>("killQuestion");
            asked = question->text();
            for (QAbstractButton* button : question->buttons())
                if (question->buttonRole(button) == role)
                    button->click();
        });
        s.window.actions().get("kill")->trigger();
    };
    answer(QMessageBox::RejectRole);
    QVERIFY2(asked.contains("No other process has the keys of a node"), qPrintable(asked));
    QVERIFY(!s.state().processes.at(node).hasEnded);
    answer(QMessageBox::DestructiveRole);
    QVERIFY(QTest::qWaitFor(
        [&] { return s.window.canvas().restingPicture().texts().join(' ').contains("the ring is broken at"); },
        kLimit));
}

// While a scenario is paused before a step, virtual time waits for its next command, and nothing is queried meanwhile.
void WindowRingTest::aSimulationThatWaitsForCommandsIsNotCalledSilent()
{
    constexpr int kLongerThanSilence = 2'500; // ms
    Stage s;
    SimulatedOptions waiting;
    waiting.waitsForScript = true;
    s.window.start().preferSimulated(waiting);
    QVERIFY(s.open(QLatin1String(kRing) + QStringLiteral("lab.step('a', 'A step');\nlab.say('It stands.');\n")));
    QVERIFY(s.showsRing(4));
    QVERIFY(QTest::qWaitFor(
        [&] {
            const auto known = s.window.cluster().session().control().simulation();
            return known && known->waits_for_commands();
        },
        kLimit));
    QVERIFY(!QTest::qWaitFor([&] { return s.window.cluster().link().state() == LinkState::Lost; }, kLongerThanSilence));
    QVERIFY(s.window.player().run().isRunning());
}

int main(int count, char** arguments) { return runOffscreen<WindowRingTest>(count, arguments); }
#include "tst_window_ring.moc"
