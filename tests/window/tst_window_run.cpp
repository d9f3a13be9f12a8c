// SPDX-License-Identifier: GPL-3.0-or-later
// The window with real processes: a scenario from its first to its last step by the key of the clicker, and a cluster
// from the start page.
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/rigs/lab/signals.h"
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/words/sentences.h"
#include "gui/window/main/main_window.h"
#include "gui/view/lhrs/cluster_layout.h"
#include "gui/view/lhrs/words/outside_places.h"
#include "gui/view/lhrs/records/record_table.h"
#include "gui/window/commands/clock_bar.h"

#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTimer>

#include <sys/resource.h>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 60'000;
constexpr int kPatience = 180'000; // the picture may be 160 hops behind on a busy machine
const QString kScenario = QStringLiteral(LHRS_SOURCE_DIR "/scenarios/grow.js");

MainWindow::Options options(MainWindow::ThemeChoice theme = MainWindow::ThemeChoice::Light)
{
    MainWindow::Options o;
    o.theme = theme;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

// The coordinator's description of the file and of the first group has arrived. A bucket may appear, and be selected,
// earlier.
bool knowsFile(MainWindow& window, std::uint32_t k)
{
    const ClusterState& state = window.canvas().state();
    const auto group = state.groups.find(0);
    return state.file.exists && state.data.contains(0) && group != state.groups.end() && group->second.k == k;
}

} // namespace

class WindowRunTest : public QObject {
    Q_OBJECT
private slots:
    void aClusterFromTheStartPageWorksAndLeavesNothingBehind();
    void aRingFromTheStartPageWorks();
    void aSimulatedClusterIsPausedSteppedAndSlowed();
    void aKilledServerIsShown();
    void aBucketIsKilledFromTheKeyboardAndComesBack();
    void theCoordinatorIsKilledAndStartedAgain();
    void whatTheParityCouldNotReplaceAsksFirst();
    void theScenarioIsPlayedStepByStepWithOneKey();
};

void WindowRunTest::aClusterFromTheStartPageWorksAndLeavesNothingBehind()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("dataServers", 4);
    set("parityServers", 2);
    set("b", 10);
    window.startPage().findChild<QPushButton*>("startLocal")->click();
    QTRY_VERIFY_WITH_TIMEOUT(
        window.showsCluster() && window.pacer().state().file.exists && window.workloads().client() != 0, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("insert")->isEnabled(), kLimit);
    window.workloads().countBox()->setValue(25); // two splits with b = 10
    QSignalSpy answered(&window.cluster().report(), &CommandReport::answered);
    window.canvas().setFocus();
    // A client that has just started may not have heard of the coordinator yet, and reports so. (QTRY_VERIFY evaluates
    // its argument several times, which would start several workloads.)
    const auto isInserted = [&] {
        answered.clear();
        QTest::keyClick(&window.canvas(), Qt::Key_I, Qt::ControlModifier);
        return QTest::qWaitFor([&] { return !answered.isEmpty(); }, kLimit) && answered.last()[2].toBool();
    };
    QVERIFY(QTest::qWaitFor(isInserted, kLimit));
    QVERIFY2(window.labLine().text().contains("25 operations, 25 ok"), qPrintable(window.labLine().text()));
    const auto records = [&] {
        std::uint32_t sum = 0;
        for (const auto& [number, bucket] : window.canvas().state().data)
            sum += bucket.count;
        return sum;
    };
    const bool isAllThere = QTest::qWaitFor(
        [&] { return records() == 25 && window.canvas().state().data.size() >= 3; }, kLimit);
    QVERIFY2(isAllThere,
        qPrintable(QString("%1 records in %2 buckets; %3")
                       .arg(records())
                       .arg(window.canvas().state().data.size())
                       .arg(window.labLine().text())));
    answered.clear();
    QTest::keyClick(&window.canvas(), Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(window.labLine().text().contains("encode to exactly this parity"), kLimit);
    // Bytes are read from the process itself.
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.selection().select({ ObjectKind::Data, 0, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(part<RecordTable>(window).model().rowCount() > 0
            && part<RecordTable>(window).model().index(0, 4).data().toString().size() > 20,
        kLimit);
    // A process may appear before its role is known.
    std::vector<std::uint32_t> pids;
    const auto areAllKnown = [&] {
        pids.clear();
        for (const auto& [id, process] : window.cluster().session().ingest().state().processes)
            if (process.pid > 0)
                pids.push_back(process.pid);
        return pids.size() == 8;
    };
    QVERIFY2(QTest::qWaitFor(areAllKnown, kLimit), qPrintable(QString("%1 processes are known").arg(pids.size())));
    for (const std::uint32_t pid : pids)
        // It has a lower priority than the window.
        QCOMPARE(::getpriority(PRIO_PROCESS, pid), std::min(19, ::getpriority(PRIO_PROCESS, 0) + 10));
    QuestionAnswerer discard(QMessageBox::Discard); // the run has no file
    window.actions().get("leave")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.showsCluster(), kLimit);
    for (const std::uint32_t pid : pids)
        QTRY_VERIFY_WITH_TIMEOUT(!signalOne(pid, 0), kLimit);
}

void WindowRunTest::aRingFromTheStartPageWorks()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    auto* system = window.startPage().findChild<QComboBox*>("system");
    system->setCurrentIndex(system->findData(QStringLiteral("walk")));
    for (const auto& [id, value] : { std::pair("nodes", 3), std::pair("outside", 1) })
        window.startPage().findChild<QSpinBox*>(id)->setValue(value);
    window.startPage().findChild<QPushButton*>("startLocal")->click();
    const auto hasRing = [&](std::size_t nodes) {
        const ClusterState& state = window.pacer().state();
        return window.showsCluster() && state.ring.inRing().size() == nodes && !state.isSimulated;
    };
    QTRY_VERIFY_WITH_TIMEOUT(hasRing(3) && window.workloads().client() != 0, kLimit);
    QVERIFY(!window.pacer().state().file.exists);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("insert")->isEnabled(), kLimit);
    window.workloads().countBox()->setValue(20);
    QSignalSpy answered(&window.cluster().report(), &CommandReport::answered);
    const auto isInserted = [&] { // a client that has just started may not have heard of the master yet
        answered.clear();
        window.actions().get("insert")->trigger();
        return QTest::qWaitFor([&] { return !answered.isEmpty(); }, kLimit) && answered.last()[2].toBool();
    };
    QVERIFY(QTest::qWaitFor(isInserted, kLimit));
    QVERIFY2(window.labLine().text().contains("20 operations, 20 ok"), qPrintable(window.labLine().text()));
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("joinRing")->isEnabled(), kLimit);
    window.actions().get("joinRing")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(hasRing(4), kLimit);
    QuestionAnswerer discard(QMessageBox::Discard); // the run has no file
    window.actions().get("leave")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.showsCluster(), kLimit);
}

void WindowRunTest::aSimulatedClusterIsPausedSteppedAndSlowed()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("dataServers", 4);
    set("parityServers", 2);
    set("b", 10);
    set("seed", 5);
    window.startPage().findChild<QPushButton*>("startSimulated")->click();
    QTRY_VERIFY_WITH_TIMEOUT(
        window.showsCluster() && window.pacer().state().file.exists && window.workloads().client() != 0, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.status().text().contains("SIMULATED"), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(
        part<ClockBar>(window).isVisible() && part<ClockBar>(window).text().startsWith("SIMULATED, seed 5: "), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.actions().get("virtualPause")->isEnabled() && window.actions().get("insert")->isEnabled(), kLimit);
    const auto placesOfButtons = [&window] {
        QList<int> places;
        for (const QPushButton* button : part<ClockBar>(window).findChildren<QPushButton*>())
            places << button->x();
        return places;
    };
    const QList<int> before = placesOfButtons();
    window.actions().get("virtualPause")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(part<ClockBar>(window).text().endsWith(", paused"), kLimit);
    // However often the text changes, it takes no more room than the first time.
    auto* words = part<ClockBar>(window).findChild<QLabel*>("virtualTime");
    QVERIFY2(words->minimumWidth() < words->fontMetrics().horizontalAdvance(words->text()) * 5 / 4,
        qPrintable(QString("%1 pixels for \"%2\"").arg(words->minimumWidth()).arg(words->text())));
    QVERIFY(before.size() >= 5);
    QCOMPARE(placesOfButtons(), before); // the next click must not hit another button
    QVERIFY2(clipped(window).isEmpty(), qPrintable(clipped(window)));
    const auto virtualNs = [&] { return window.cluster().session().control().simulation()->virtual_ns(); };
    const std::int64_t stands = virtualNs();
    window.actions().get("virtualStepMs")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(virtualNs() - stands, std::int64_t(1'000'000), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.labLine().text().startsWith("lab.clock({ step: 'ms' });  virtual time stands at "), kLimit);
    // A command waits for virtual time.
    QSignalSpy answered(&window.cluster().report(), &CommandReport::answered);
    window.workloads().countBox()->setValue(25);
    window.actions().get("insert")->trigger();
    window.actions().get("virtualStepMessage")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(answered.size(), 1, kLimit);
    QVERIFY(answered[0][1].toString().startsWith("virtual time stands at "));
    // Its effect is described in words.
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.labLine().text().startsWith("lab.clock({ step: 'message' });  virtual time stands at ")
            && window.labLine().text().contains(". "),
        qPrintable(window.labLine().text()), kLimit);
    auto* speed = part<ClockBar>(window).findChild<QComboBox*>("virtualSpeed");
    speed->setCurrentIndex(speed->findData(0.25));
    window.actions().get("virtualRun")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(answered.size(), 3, kLimit);
    QVERIFY2(answered[2][1].toString().contains("25 operations, 25 ok"), qPrintable(answered[2][1].toString()));
    QCOMPARE(window.cluster().session().control().simulation()->factor(), 0.25);
    const auto pid = pid_t(window.cluster().session().control().directory().front().info.pid());
    QuestionAnswerer discard(QMessageBox::Discard); // the run has no file
    window.actions().get("leave")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.showsCluster() && !signalOne(pid, 0), kLimit);
    QVERIFY(!window.actions().get("virtualRun")->isEnabled()
        || (window.clock().step(1), !window.actions().get("virtualRun")->isEnabled()));
}

void WindowRunTest::aKilledServerIsShown()
{
    MainWindow window(options());
    window.show();
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("dataServers", 2);
    set("parityServers", 1);
    window.start().startHere();
    QTRY_VERIFY_WITH_TIMEOUT(
        window.canvas().state().data.contains(0) && window.canvas().state().parity.contains({ 0, 0 }), kLimit);
    const ClusterState& state = window.canvas().state();
    LoopWatch loop;
    // The state may know the process before its role.
    const auto pid = [&] {
        const auto holder = state.processes.find(state.parity.at({ 0, 0 }).process);
        return holder == state.processes.end() ? 0 : holder->second.pid;
    };
    QTRY_VERIFY_WITH_TIMEOUT(pid() != 0, kLimit);
    QVERIFY(signalOne(pid(), SIGKILL)); // a process of this test
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().restingPicture().texts().contains("process gone"), kLimit);
    QVERIFY2(loop.longest() < 5'000, qPrintable(QString::number(loop.longest())));
    QVERIFY(window.showsCluster());
}

void WindowRunTest::aBucketIsKilledFromTheKeyboardAndComesBack()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("dataServers", 4);
    set("parityServers", 2);
    window.start().startHere();
    QTRY_VERIFY_WITH_TIMEOUT(
        window.canvas().state().data.contains(0) && window.canvas().state().parity.contains({ 0, 0 }), kLimit);
    QVERIFY2(window.labLine().text().contains("recovery: 'automatic'"), qPrintable(window.labLine().text()));
    const auto data = [&]() -> const DataBucketState& { return window.canvas().state().data.at(0); };
    QTRY_VERIFY_WITH_TIMEOUT(data().state == pb::UP, kLimit);
    // Otherwise the window would ask whether the bucket is to be killed.
    QTRY_VERIFY_WITH_TIMEOUT(knowsFile(window, 1), kLimit);
    const ProcessId former = data().process;
    window.selection().select({ ObjectKind::Data, 0, 0 });
    QSignalSpy said(&window.cluster().report(), &CommandReport::said),
        answered(&window.cluster().report(), &CommandReport::answered);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("kill")->isEnabled(), kLimit);
    window.canvas().setFocus();
    QTest::keyClick(&window.canvas(), Qt::Key_K, Qt::ControlModifier | Qt::AltModifier);
    QTRY_VERIFY_WITH_TIMEOUT(!answered.isEmpty(), kLimit);
    QCOMPARE(said.last()[0].toString(), QString("lab.kill(lab.data(0));"));
    QVERIFY2(answered.last()[2].toBool(), qPrintable(answered.last()[1].toString()));
    QTRY_VERIFY_WITH_TIMEOUT(
        data().process != former && data().state == pb::UP && window.canvas().state().groups.at(0).kEffective() == 1,
        kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().state().groups.at(0).state == pb::GROUP_UP, kLimit);
    QCOMPARE(window.canvas().state().groups.at(0).recovery.buckets, std::vector<std::uint32_t> { 0 });
    // The menu opens by key and offers the same as the action.
    QTRY_VERIFY_WITH_TIMEOUT(
        window.actions().get("kill")->isEnabled() && !window.actions().get("resume")->isEnabled(), kLimit);
    bool hasKill = false;
    QTimer::singleShot(0, &window, [&] {
        if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
            hasKill = menu->actions().contains(window.actions().get("kill"))
                && window.actions().get("kill")->isEnabled()
                && menu->actions().contains(window.actions().get("restart"))
                && !window.actions().get("resume")->isEnabled();
            menu->close();
        }
    });
    QContextMenuEvent byKey(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QCoreApplication::sendEvent(&window.canvas(), &byKey);
    QVERIFY(hasKill);
    // A pause and its end are shown on the card.
    const auto livingSpares = [&] {
        std::vector<ProcessId> spares = sparesOf(window.canvas().state(), pb::DATA);
        std::erase_if(spares, [&](ProcessId id) { return window.canvas().state().processes.at(id).hasEnded; });
        return spares.size();
    };
    QTRY_VERIFY_WITH_TIMEOUT(livingSpares() == 2, kLimit);
    window.selection().select({ ObjectKind::Spare, sparesOf(window.canvas().state(), pb::DATA).front(), 0 });
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("pause")->isEnabled(), kLimit);
    const ProcessId spare = window.selection().selected().a;
    window.actions().get("pause")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().state().processes.at(spare).isPaused, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("resume")->isEnabled(), kLimit);
    window.actions().get("resume")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.canvas().state().processes.at(spare).isPaused, kLimit);
    // A bucket that is cut off is replaced like one that died; it still runs, and is shown outside the file.
    const ProcessId cut = data().process;
    window.selection().select({ ObjectKind::Data, 0, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("cutOff")->isEnabled(), kLimit);
    window.actions().get("cutOff")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.canvas().state().processes.at(cut).cuts.empty(), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(data().process != cut && data().state == pb::UP, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().restingPicture().texts().contains("Displaced: serves nothing"), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.status().text().contains("armed"), kLimit);
    window.actions().get("healAll")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().state().processes.at(cut).cuts.empty(), kLimit);
    // It has learnt that it is displaced, and is a spare.
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().state().displacedData.count(cut) == 0, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(!window.status().text().contains("armed"), kLimit);
}

// The coordinator is killed by the action of its card; key operations continue. Another one finds the file from its
// buckets, and the window continues with it.
void WindowRunTest::theCoordinatorIsKilledAndStartedAgain()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("dataServers", 3);
    set("parityServers", 1);
    set("b", 10);
    window.start().startHere();
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().state().data.contains(0) && window.workloads().client() != 0
            && window.actions().get("insert")->isEnabled(),
        kLimit);
    QSignalSpy answered(&window.cluster().report(), &CommandReport::answered);
    // A client that has just started may not have heard of the coordinator yet.
    const auto works = [&](const char* action) {
        return QTest::qWaitFor(
            [&] {
                answered.clear();
                window.actions().get(action)->trigger();
                return QTest::qWaitFor([&] { return !answered.isEmpty(); }, kLimit) && answered.last()[2].toBool();
            },
            kLimit);
    };
    window.workloads().countBox()->setValue(4);
    QVERIFY(works("insert"));
    const ProcessId former = coordinatorOf(window.canvas().state());
    window.selection().select({ ObjectKind::Coordinator, former, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("kill")->isEnabled(), kLimit);
    QVERIFY(works("kill"));
    QTRY_VERIFY_WITH_TIMEOUT(window.status().text().contains("NO COORDINATOR"), kLimit);
    const auto says = [&](const char* text) {
        return window.canvas().restingPicture().texts().join(" | ").contains(text);
    };
    QTRY_VERIFY_WITH_TIMEOUT(says("coordinator gone") && says("key operations go on"), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.actions().get("insert")->isEnabled() && !window.actions().get("split")->isEnabled(), kLimit);
    QVERIFY(works("insert"));
    QVERIFY2(window.labLine().text().contains("4 operations, 4 ok"), qPrintable(window.labLine().text()));
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("restart")->isEnabled(), kLimit);
    answered.clear();
    window.actions().get("restart")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(coordinatorOf(window.canvas().state()) != former, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && !window.canvas().state().file.isBeingFound, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(!says("key operations go on") && !says("coordinator gone"), kLimit);
    QTRY_COMPARE_WITH_TIMEOUT(window.selection().selected(),
        (ObjectRef { ObjectKind::Coordinator, coordinatorOf(window.canvas().state()), 0 }), kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("split")->isEnabled(), kLimit);
    QVERIFY(works("split")); // it knows the file, and gives orders
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().state().data.size() == 2, kLimit);
}

void WindowRunTest::whatTheParityCouldNotReplaceAsksFirst()
{
    MainWindow window(options());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto set = [&](const char* id, int value) { window.startPage().findChild<QSpinBox*>(id)->setValue(value); };
    set("k", 0);
    set("dataServers", 2);
    set("parityServers", 0);
    window.start().startHere();
    QTRY_VERIFY_WITH_TIMEOUT(knowsFile(window, 0), kLimit);
    const ProcessId process = window.canvas().state().data.at(0).process;
    window.selection().select({ ObjectKind::Data, 0, 0 });
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("kill")->isEnabled(), kLimit);
    QString asked;
    const auto answerBy = [&](const QString& button) {
        QTimer::singleShot(0, &window, [&asked, button] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box)
                return;
            asked = box->text();
            for (QAbstractButton* choice : box->buttons())
                if (choice->text().contains(button))
                    choice->click();
        });
        window.actions().get("kill")->trigger();
    };
    answerBy("Cancel");
    QVERIFY2(asked.contains("Group 0 has no parity bucket") && asked.contains("lost for good"), qPrintable(asked));
    const std::string holder = window.canvas().state().processes.at(process).name;
    QVERIFY2(asked.contains(QString::fromStdString("If data 0 (process " + holder + ") ends now")), qPrintable(asked));
    QVERIFY(!window.cluster().session().ingest().state().processes.at(process).hasEnded);
    answerBy("Kill it");
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().state().processes.at(process).hasEnded, kLimit);
    QTRY_VERIFY_WITH_TIMEOUT(window.canvas().restingPicture().texts().contains("process gone"), kLimit);
}

void WindowRunTest::theScenarioIsPlayedStepByStepWithOneKey()
{
    MainWindow window(options());
    ScriptSettings& settings = window.player().run().settings();
    settings.paperDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios/paper");
    settings.sets["repetitions"] = "1";
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QVERIFY(window.files().openScenario(kScenario, true));
    window.director().setSpeed(Director::kFastest);
    QSignalSpy finished(&window.player(), &Player::finished);
    LoopWatch loop;
    int pressed = 0;
    // PgDn starts a step, the answer to a question, and what follows it; no other key is ever pressed.
    const auto waits = [&] { return window.director().await() != Director::Await::Nothing; };
    const auto done = [&] {
        std::uint64_t sum = 0;
        for (const auto& [process, client] : window.cluster().session().ingest().state().clients)
            sum += client.done;
        return sum;
    };
    while (!window.director().isOver()) {
        bool hasStopped = false;
        // As long as operations are answered, it does not hang.
        for (std::uint64_t before = ~0ull; !hasStopped && done() != before;) {
            before = done();
            hasStopped = QTest::qWaitFor([&] { return window.director().isOver() || waits(); }, kLimit);
        }
        QVERIFY2(
            hasStopped, qPrintable(QString("after %1 keys, at: %2").arg(pressed).arg(window.player().words().caption)));
        if (window.director().isOver())
            break;
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, Qt::Key_PageDown);
        ++pressed;
        QVERIFY(QTest::qWaitFor([&] { return !waits(); }, kPatience));
        QVERIFY(pressed < 30);
    }
    const ScriptResult result = window.player().run().engine().result();
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence()));
    const std::vector<StoryLine>& story = window.player().story().lines();
    QCOMPARE(std::count_if(
                 story.begin(), story.end(), [](const StoryLine& line) { return line.kind == StoryLine::Kind::Step; }),
        11);
    QCOMPARE(pressed, 15); // eleven steps, two questions, two answers
    QCOMPARE(finished.size(), 1);
    QVERIFY2(loop.longest() < 5'000, qPrintable(QString::number(loop.longest())));
    // The picture comes to rest, and equals the state of the fold.
    const bool isAtRest = QTest::qWaitFor(
        [&] { return !window.pacer().isBusy() && window.canvas().state().data.size() == 4; }, kPatience);
    QVERIFY2(isAtRest,
        qPrintable(QString("%1 events wait, %2 ms behind, %3 buckets")
                       .arg(window.pacer().waiting())
                       .arg(window.pacer().behindNs() / 1'000'000)
                       .arg(window.canvas().state().data.size())));
    std::uint32_t records = 0;
    for (const auto& [number, bucket] : window.canvas().state().data)
        records += bucket.count;
    QCOMPARE(records, 25'000u);
    QVERIFY(window.player().story().rowCount() > 40);
    for (const StoryLine& line : story)
        QVERIFY2(line.kind != StoryLine::Kind::Failed, qPrintable(line.text));
    static const QRegularExpression kBuckets(QString::fromUtf8("M = (2² \\+ 0 = )?4"));
    QTRY_COMPARE_WITH_TIMEOUT(window.canvas().restingPicture().texts().filter(kBuckets).size(), 1, kLimit);
    QCOMPARE(window.cluster().session().ingest().counters().lost, std::uint64_t(0));
}

int main(int count, char** arguments)
{
    // 25,000 inserts and searches take minutes on a busy machine; each wait has its own limit.
    qputenv("QTEST_FUNCTION_TIMEOUT", "540000");
    return runOffscreen<WindowRunTest>(count, arguments);
}
#include "tst_window_run.moc"
