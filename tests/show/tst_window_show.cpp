// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does to a show besides watching it: stopping it, leaving it, starting something else.
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/rigs/gui/show_stage.h"

#include "gui/window/panels/guide_panel.h"
#include "gui/window/panels/workload_bar.h"
#include "gui/window/show/window_time.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kShowLimit = 60'000; // ms of real time

const QString kTwoSteps = QStringLiteral(
    "lab.cluster({ m: 4, k: 1, b: 10, slice: 2, recovery: 'automatic', spares: { data: 4, parity: 2 } });\n"
    "const alice = lab.client('alice');\n"
    "lab.step('a', 'Growth');\n"
    "lab.say('Alice inserts three records.');\n"
    "alice.run({ do: 'insert', count: 3 });\n"
    "lab.step('b', 'More');\n"
    "lab.say('And two more.');\n"
    "alice.run({ do: 'insert', count: 2 });\n");
const QString kToldHere = QStringLiteral("What happens is told here. Ctrl+O opens a scenario.");

// A cluster for free play, real or simulated, after some work.
bool worksFreely(MainWindow& window)
{
    if (!QTest::qWaitFor([&] { return window.actions().get("insert")->isEnabled(); }, kShowLimit))
        return false;
    window.actions().get("insert")->trigger();
    return QTest::qWaitFor([&] { return window.time().hasUnsaved(); }, kShowLimit);
}

// The question that the window asks when its cluster is left.
QStringList askedWhenLeft(MainWindow& window)
{
    QuestionAnswerer answerer(QMessageBox::Discard);
    QAction* leave = window.actions().get("leave");
    if (!QTest::qWaitFor([&] { return leave->isEnabled(); }, kShowLimit))
        return { QStringLiteral("It cannot be left.") };
    leave->trigger();
    if (!QTest::qWaitFor([&] { return !window.showsCluster(); }, kShowLimit))
        return { QStringLiteral("It is not left.") };
    return answerer.asked;
}

} // namespace

class WindowShowTest : public QObject {
    Q_OBJECT
private slots:
    void aStoppedScenarioIsBegunAnew();
    void wordsOfAShowEndWithIt_data();
    void wordsOfAShowEndWithIt();
    void aSimulatedLectureIsLeftWithoutAQuestion();
    void aLectureThatIsLeftIsForgotten();
    void theTourIsLeftWithoutAQuestion();
    void aFreeRunIsAskedFor_data();
    void aFreeRunIsAskedFor();
    void aLectureOfRealProcessesIsAskedFor();
    void onTheTourNoScenarioIsBegun();
    void theEndCountsWhatHeld_data();
    void theEndCountsWhatHeld();
};

// A show that a person stops has not failed.
void WindowShowTest::aStoppedScenarioIsBegunAnew()
{
    ShowStage stage;
    QVERIFY(stage.begin(kTwoSteps));
    QVERIFY(stage.untilStop() && stage.goOn());
    QCOMPARE(stage.caption(), QString("Alice inserts three records."));
    stage.press("stopScenario");
    QVERIFY(stage.until([&] { return stage.director().isOver(); }));
    QCOMPARE(stage.caption(), QString("Stopped. PgDn begins it anew."));
    QVERIFY(!stage.window.player().story().lines().empty());
    QCOMPARE(stage.window.player().story().lines().back().kind, StoryLine::Kind::End);
    stage.press("nextStep");
    QVERIFY(stage.frame() && stage.untilStop());
    QVERIFY(stage.window.player().run().isRunning());
    QCOMPARE(stage.director().await(), Director::Await::Begin);
    QVERIFY(stage.goOn());
    QCOMPARE(stage.caption(), QString("Alice inserts three records."));
    QCOMPARE(stage.window.pacer().state().data.at(0).count, 3u); // of another file
}

void WindowShowTest::wordsOfAShowEndWithIt_data()
{
    QTest::addColumn<bool>("isTour");
    QTest::newRow("free play") << false;
    QTest::newRow("the tour") << true;
}

void WindowShowTest::wordsOfAShowEndWithIt()
{
    QFETCH(const bool, isTour);
    ShowStage stage;
    QVERIFY(stage.begin(kTwoSteps));
    QVERIFY(stage.untilStop() && stage.goOn());
    stage.press("stopScenario");
    QVERIFY(stage.until([&] { return stage.director().isOver(); }));
    Player& player = stage.window.player();
    QCOMPARE(player.words().step, QString("(a)  Growth"));
    stage.window.clock().start(); // from here on frames come automatically
    if (isTour)
        stage.window.tour().start();
    else
        stage.window.start().startHere(SimulatedOptions { .seed = 5 });
    const auto holdsNothingOld = [&] {
        const auto& lines = player.story().lines();
        return player.words().step.isEmpty() && !player.words().caption.startsWith("Stopped")
            && std::none_of(lines.begin(), lines.end(), [](const StoryLine& line) {
                   return line.text.contains("Growth") || line.text.startsWith("Alice")
                       || line.text.startsWith("Stopped");
               });
    };
    QTRY_VERIFY2_WITH_TIMEOUT(
        holdsNothingOld(), qPrintable(player.words().step + " | " + player.words().caption), kShowLimit);
    QTRY_VERIFY_WITH_TIMEOUT(stage.window.actions().get("insert")->isEnabled(), kShowLimit);
    QVERIFY2(holdsNothingOld(), qPrintable(player.words().step + " | " + player.words().caption));
    QVERIFY(!stage.director().isOn());
    if (!isTour)
        QVERIFY2(
            player.words().caption == kToldHere || !player.story().lines().empty(), qPrintable(player.words().caption));
}

void WindowShowTest::aSimulatedLectureIsLeftWithoutAQuestion()
{
    ShowStage stage;
    QVERIFY(stage.begin(kTwoSteps));
    QVERIFY(stage.untilStop());
    while (!stage.director().isOver())
        QVERIFY(stage.goOn());
    QVERIFY(stage.window.time().hasUnsaved());
    stage.window.clock().start();
    QCOMPARE(askedWhenLeft(stage.window), QStringList());
}

// "The scenario is being stopped" is true for a moment, and not beside the next lecture.
void WindowShowTest::aLectureThatIsLeftIsForgotten()
{
    ShowStage stage;
    QVERIFY(stage.begin(kTwoSteps));
    QVERIFY(stage.untilStop());
    stage.window.clock().start();
    QVERIFY(stage.window.player().run().hasBegun());
    stage.window.labLine().answer("lab.clock", "virtual time stands at 1.06 s", true);
    QCOMPARE(askedWhenLeft(stage.window), QStringList());
    QCOMPARE(stage.window.labLine().text().trimmed(), QString());
}

void WindowShowTest::theTourIsLeftWithoutAQuestion()
{
    MainWindow window(options());
    window.show();
    window.tour().start();
    QVERIFY(worksFreely(window));
    QCOMPARE(askedWhenLeft(window), QStringList());
}

void WindowShowTest::aFreeRunIsAskedFor_data()
{
    QTest::addColumn<bool>("isSimulated");
    QTest::newRow("simulated") << true;
    QTest::newRow("real processes") << false;
}

void WindowShowTest::aFreeRunIsAskedFor()
{
    QFETCH(const bool, isSimulated);
    MainWindow window(options());
    window.show();
    isSimulated ? window.start().startHere(SimulatedOptions { .seed = 5 }) : window.start().startHere();
    QVERIFY(worksFreely(window));
    const QStringList asked = askedWhenLeft(window);
    QCOMPARE(asked.size(), 1);
    QVERIFY2(asked[0].startsWith("This run is in no file yet:"), qPrintable(asked[0]));
}

// Events of real processes are not shown twice.
void WindowShowTest::aLectureOfRealProcessesIsAskedFor()
{
    ShowStage stage;
    stage.window.cluster().session().local().preferSimulated(std::nullopt);
    QVERIFY(stage.begin(kTwoSteps));
    QVERIFY(stage.untilStop());
    while (!stage.director().isOver())
        QVERIFY(stage.goOn());
    stage.window.clock().start();
    const QStringList asked = askedWhenLeft(stage.window);
    QCOMPARE(asked.size(), 1);
    QVERIFY2(asked[0].startsWith("This run is in no file yet:"), qPrintable(asked[0]));
}

// PgDn goes on in the guide when all is done; otherwise it has no effect, and the earlier scenario does not start.
void WindowShowTest::onTheTourNoScenarioIsBegun()
{
    ShowStage stage;
    QVERIFY(stage.begin(kTwoSteps));
    QVERIFY(stage.untilStop());
    stage.press("stopScenario");
    QVERIFY(stage.until([&] { return stage.director().isOver(); }));
    QVERIFY(stage.window.player().isLoaded());
    MainWindow& window = stage.window;
    window.clock().start();
    window.tour().start();
    const auto isAt = [&](int stop) {
        return QTest::qWaitFor(
            [&] {
                const GuideWords& words = window.guide().words();
                return words.place == QString("Tour, stop %1 of 8").arg(stop) && words.trouble.isEmpty()
                    && !words.goals.isEmpty();
            },
            kShowLimit);
    };
    QVERIFY2(isAt(1), qPrintable(window.guide().text()));
    QTRY_VERIFY_WITH_TIMEOUT(window.actions().get("insert")->isEnabled(), kShowLimit);
    stage.press("nextStep");
    QVERIFY(!window.player().run().isRunning());
    QVERIFY(isAt(1));
    stage.press("insert");
    QTRY_VERIFY_WITH_TIMEOUT(window.guide().words().held[0], kShowLimit);
    window.selection().select({ ObjectKind::Data, 0, 0 });
    QTest::keyClick(&window.canvas(), Qt::Key_Return); // opens its records
    QTRY_VERIFY2_WITH_TIMEOUT(window.guide().words().isDone, qPrintable(window.guide().text()), kShowLimit);
    stage.press("nextStep");
    QVERIFY2(isAt(2), qPrintable(window.guide().text()));
    QVERIFY(!window.player().run().isRunning());
}

void WindowShowTest::theEndCountsWhatHeld_data()
{
    QTest::addColumn<int>("expectations");
    QTest::addColumn<QString>("words");
    QTest::newRow("none") << 0 << QString("The end.");
    QTest::newRow("one") << 1 << QString("The end. The expectation held.");
    QTest::newRow("two") << 2 << QString("The end. All 2 expectations held.");
}

void WindowShowTest::theEndCountsWhatHeld()
{
    QFETCH(const int, expectations);
    QFETCH(const QString, words);
    ShowStage stage;
    QVERIFY(stage.begin(QString("lab.expect(true, 'so it is');\n").repeated(expectations) + "lab.print('end');\n"));
    QVERIFY(stage.until([&] { return stage.director().isOver(); }));
    QCOMPARE(stage.caption(), words);
}

int main(int count, char** arguments) { return runOffscreen<WindowShowTest>(count, arguments); }
#include "tst_window_show.moc"
