// SPDX-License-Identifier: GPL-3.0-or-later
// Exercises in the window: a person acts by keys on a simulated cluster, is judged live, asks for hints, and starts
// again.
#include "gui/lab/local/local_cluster.h"
#include "tests/rigs/gui/text_check.h"
#include "tests/rigs/gui/window_options.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/lab/recording/recording.h"
#include "gui/window/editor/editor_panel.h"
#include "gui/window/panels/guide_panel.h"
#include "gui/window/show/window_exercise.h"
#include "gui/window/show/window_time.h"

#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kPatience = 60'000;

// The goal is exactly one split.
const QString kSplitOnce = QStringLiteral(
    "// %1   @title %2   @exercise %3   @minutes 1   @needs 5 processes\n"
    "lab.cluster({ m: 2, k: 0, b: 10, spares: { data: 3, parity: 0 } });\n"
    "lab.client('alice');\n"
    "lab.exercise({ task: 'Split once (%2).', hints: ['First hint.', 'Second hint.', 'Third hint.'], goals: [{ "
    "text: 'one split',\n"
    "    judge: (events, state) => { const n = events.filter(e => e.kind === 'SplitFinished').length;\n"
    "        return n > 1 ? { failed: true, why: 'There were ' + n + '.' } : { held: n === 1, why: 'Splits so "
    "far: ' + n + '.' }; } },\n"
    "    { text: 'by somebody who has inserted a record', judge: events => { const one = events.find(e => e.kind "
    "=== 'RecordInserted');\n"
    "        return { held: !!one, why: one ? 'Key ' + one.key + ' was inserted.' : 'There is no record.' }; } }] "
    "});\n");

// A window on a simulated cluster, and the keys of a person.
struct Desk {
    MainWindow window;
    QTemporaryDir folder;

    Desk() : window(options())
    {
        window.resize(1280, 720);
        window.show();
        window.director().setSpeed(Director::kFastest);
        window.cluster().session().local().preferSimulated(SimulatedOptions { .seed = 7 });
    }
    QString write(const QString& name, const QString& title, int number)
    {
        QFile file(folder.filePath(name));
        const QByteArray text = kSplitOnce.arg(name, title).arg(number).toUtf8();
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
    }
    bool open(const QString& path)
    {
        return window.files().openScenario(path, true) && awaitTask()
            && QTest::qWaitForWindowActive(&window, kPatience);
    }
    // The exercise is shown, and the person's keys work.
    bool awaitTask()
    {
        return QTest::qWaitFor(
            [this] {
                return window.guide().isVisible() && window.actions().get("split")->isEnabled()
                    && window.actions().get("insert")->isEnabled() && window.player().run().isRunning()
                    && !window.guide().words().goals.isEmpty() && window.guide().words().goals[0].contains("–");
            },
            kPatience);
    }
    void key(const char* action)
    {
        const QKeyCombination keys = window.actions().get(action)->shortcut()[0];
        QTest::keyClick(window.focusWidget() ? window.focusWidget() : &window, keys.key(), keys.keyboardModifiers());
    }
    const GuideWords& words() { return window.guide().words(); }
    QString text() { return window.guide().text(); }
    bool awaitText(const QString& part)
    {
        return QTest::qWaitFor([&] { return text().contains(part); }, kPatience);
    }
};

} // namespace

class WindowExerciseTest : public QObject {
    Q_OBJECT
private slots:
    void theFirstOneIsSolvedByKeys();
    void hintsComeOneAfterTheOther();
    void whatCanNoLongerHoldIsSaidAndBegunAnew();
    void theNextOneIsOpened();
    void whoLeavesHasTheCluster();
    void aRecordingKeepsIt();
    void theKeysInTheTextsAreKeysOfTheWindow();
    void theWordsCanBeRead_data();
    void theWordsCanBeRead();
};

void WindowExerciseTest::theFirstOneIsSolvedByKeys()
{
    Desk desk;
    QVERIFY(desk.open(QStringLiteral(LHRS_SOURCE_DIR "/scenarios/exercises/01_first_split.js")));
    QCOMPARE(desk.words().place, QString("Exercise 1"));
    QCOMPARE(desk.words().title, QString("The first split"));
    QVERIFY2(desk.text().contains("○") && !desk.text().contains("✓"), qPrintable(desk.text()));
    QVERIFY(desk.window.player().isFree()); // the narrator may speak
    QVERIFY(!desk.window.findChild<QPushButton*>("nextStepButton")->isEnabled());
    desk.window.workloads().countBox()->setValue(10);
    desk.key("insert");
    QVERIFY2(desk.awaitText("10 records inserted so far"), qPrintable(desk.text()));
    QVERIFY(desk.window.player().run().isRunning());
    desk.window.workloads().countBox()->setValue(1);
    desk.key("insert");
    QVERIFY2(desk.awaitText("Solved. Bucket 0 overflowed with 11 records"), qPrintable(desk.text()));
    QVERIFY(desk.words().isDone);
    QCOMPARE(desk.words().held, (std::vector<bool> { true, true }));
    QTRY_VERIFY_WITH_TIMEOUT(!desk.window.player().run().hasBegun(), kPatience);
    QCOMPARE(desk.window.player().run().engine().result().outcome, ScriptOutcome::Held);
    QCOMPARE(desk.window.player().run().engine().result().expectationsHeld, 2);
    QVERIFY(desk.words().mayGoOn && !desk.words().mayGoBack); // the second of twelve
}

void WindowExerciseTest::hintsComeOneAfterTheOther()
{
    Desk desk;
    QVERIFY(desk.open(desk.write("a.js", "Hints", 1)));
    QVERIFY2(!desk.text().contains("First hint."), qPrintable(desk.text()));
    desk.key("guideHint");
    QVERIFY2(desk.text().contains("First hint.") && !desk.text().contains("Second"), qPrintable(desk.text()));
    QCOMPARE(desk.window.guide().button(GuidePanel::Hint)->text(), QString("Next hint"));
    desk.key("guideHint");
    QVERIFY2(desk.text().contains("1. First hint.\n2. Second hint.") && !desk.text().contains("Third"),
        qPrintable(desk.text()));
    desk.key("guideHint");
    QVERIFY2(desk.text().contains("3. Third hint."), qPrintable(desk.text()));
    QCOMPARE(desk.window.guide().button(GuidePanel::Hint)->text(), QString("Hide hint"));
    desk.key("guideHint");
    QVERIFY2(!desk.text().contains("First hint."), qPrintable(desk.text()));
    desk.key("guideHint");
    QVERIFY2(desk.text().contains("3. Third hint."), qPrintable(desk.text()));
}

void WindowExerciseTest::whatCanNoLongerHoldIsSaidAndBegunAnew()
{
    Desk desk;
    QVERIFY(desk.open(desk.write("a.js", "Twice", 1)));
    desk.key("split");
    QVERIFY2(desk.awaitText("✓  one split"), qPrintable(desk.text())); // but nothing is inserted yet
    QVERIFY(desk.window.player().run().isRunning() && !desk.words().isDone);
    desk.key("split");
    QVERIFY2(desk.awaitText("✗  There were 2. So this can no longer be reached. Begin anew: Ctrl+F2."),
        qPrintable(desk.text()));
    QVERIFY(desk.window.player().run().isRunning()); // it waits for an insert
    const int clusters = int(desk.window.player().run().clusters().size());
    desk.key("guideAgain");
    QVERIFY(QTest::qWaitFor([&] { return !desk.text().contains("There were 2."); }, kPatience));
    QVERIFY(desk.awaitTask());
    QVERIFY2(desk.awaitText("one split  –  Splits so far: 0."), qPrintable(desk.text()));
    QCOMPARE(int(desk.window.player().run().clusters().size()), clusters); // the clusters of this run
    QTRY_COMPARE_WITH_TIMEOUT(desk.window.pacer().state().file.buckets, 1u, kPatience);
    desk.window.workloads().countBox()->setValue(1);
    desk.key("insert");
    QVERIFY2(desk.awaitText("by somebody who has inserted a record"), qPrintable(desk.text()));
    desk.key("split");
    QVERIFY2(desk.awaitText("Solved. Splits so far: 1."), qPrintable(desk.text()));
}

void WindowExerciseTest::theNextOneIsOpened()
{
    Desk desk;
    const QString first = desk.write("01.js", "Number one", 1);
    QVERIFY(!desk.write("02.js", "Number two", 2).isEmpty());
    QVERIFY(desk.open(first));
    QVERIFY(desk.words().mayGoOn && !desk.words().mayGoBack);
    QCOMPARE(desk.window.guide().button(GuidePanel::Next)->text(), QString("Skip"));
    desk.key("guideNext");
    QVERIFY2(desk.awaitText("Exercise 2"), qPrintable(desk.text()));
    QVERIFY(desk.awaitTask());
    QVERIFY2(desk.words().task.contains("Number two") && !desk.words().mayGoOn && desk.words().mayGoBack,
        qPrintable(desk.text()));
    QVERIFY(part<EditorPanel>(desk.window).path().endsWith("02.js"));
}

void WindowExerciseTest::whoLeavesHasTheCluster()
{
    Desk desk;
    QVERIFY(desk.open(desk.write("a.js", "Left", 1)));
    desk.key("guideLeave");
    QVERIFY(!desk.window.guide().isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!desk.window.player().run().isRunning(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(
        desk.window.cluster().link().state() == LinkState::Here && desk.window.actions().get("split")->isEnabled(),
        kPatience);
    desk.key("split");
    QTRY_COMPARE_WITH_TIMEOUT(desk.window.pacer().state().file.buckets, 2u, kPatience);
    QVERIFY(!desk.window.guide().isVisible());
}

void WindowExerciseTest::aRecordingKeepsIt()
{
    QTemporaryDir folder;
    const QString saved = folder.filePath("run.lhrun");
    {
        Desk desk;
        QVERIFY(desk.open(desk.write("a.js", "Kept", 1)));
        desk.window.workloads().countBox()->setValue(1);
        desk.key("insert");
        QVERIFY2(desk.awaitText("Key "), qPrintable(desk.text()));
        desk.key("split");
        QVERIFY2(desk.awaitText("Solved."), qPrintable(desk.text()));
        QTRY_VERIFY_WITH_TIMEOUT(!desk.window.player().run().hasBegun(), kPatience);
        QVERIFY(desk.window.time().save(saved));
    }
    const auto recording = Recording::open(saved);
    QVERIFY(recording);
    std::vector<ExerciseShown> kept;
    for (const ReelEntry& entry : (*recording)->reel())
        if (entry.exercise)
            kept.push_back(*entry.exercise);
    QVERIFY(kept.size() >= 3);
    QVERIFY(!kept.front().isOver && kept.front().goals[0].state == ExerciseGoal::State::Open
        && kept.front().hints.size() == 3);
    QVERIFY(kept.back().isOver && kept.back().isHeld() && kept.back().goals[1].why.contains("was inserted"));
    // Without a cluster it says the same.
    MainWindow window(options());
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.files().openRecording(saved).isEmpty());
    window.director().setSpeed(Director::kInstant);
    QVERIFY(QTest::qWaitFor(
        [&] {
            if (window.director().await() != Director::Await::Nothing)
                window.actions().get("nextStep")->trigger();
            return window.guide().isVisible() && window.guide().words().isDone;
        },
        kPatience));
    QVERIFY2(window.guide().text().contains("Solved.") && !window.guide().words().hasHint,
        qPrintable(window.guide().text()));
    window.files().closeRecording();
    QVERIFY(!window.guide().isVisible());
}

void WindowExerciseTest::theKeysInTheTextsAreKeysOfTheWindow()
{
    Desk desk;
    QStringList known;
    for (const QAction* action : desk.window.actions().all())
        for (const QKeySequence& key : action->shortcuts())
            known << key.toString(QKeySequence::PortableText);
    static const QRegularExpression kKey("\\b((?:(?:Ctrl|Alt|Shift)\\+)+\\w+|F\\d+)\\b");
    const QDir folder(QStringLiteral(LHRS_SOURCE_DIR "/scenarios/exercises"));
    int named = 0;
    for (const QString& name : folder.entryList({ "*.js" })) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (auto keys = kKey.globalMatch(QString::fromUtf8(file.readAll())); keys.hasNext(); ++named) {
            const QString key = keys.next().captured(1);
            QVERIFY2(known.contains(key), qPrintable(name + ": " + key));
        }
    }
    QVERIFY(named >= 8);
}

void WindowExerciseTest::theWordsCanBeRead_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    QTest::newRow("1280x720") << QSize(1280, 720) << 1.0;
    QTest::newRow("1280x720, twice as large") << QSize(1280, 720) << 2.0;
    QTest::newRow("1920x1080, twice as large") << QSize(1920, 1080) << 2.0;
}

void WindowExerciseTest::theWordsCanBeRead()
{
    QFETCH(const QSize, size);
    QFETCH(const double, scale);
    Desk desk;
    desk.window.resize(size);
    desk.window.looks().setFontScale(scale);
    QVERIFY(desk.open(QStringLiteral(LHRS_SOURCE_DIR "/scenarios/exercises/12_without_a_coordinator.js")));
    for (int i = 0; i < 4; ++i)
        desk.key("guideHint");
    QVERIFY2(desk.text().contains("4. In the window"), qPrintable(desk.text()));
    QTRY_VERIFY_WITH_TIMEOUT(clipped(desk.window.guide()).isEmpty(), kPatience);
    QCOMPARE(desk.window.size(), size);
}

QTEST_MAIN(WindowExerciseTest)
#include "tst_window_exercise.moc"
