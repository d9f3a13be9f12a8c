// SPDX-License-Identifier: GPL-3.0-or-later
// A lecture without a lecturer: votes by the mouse, leaving it in the middle, and continuing.
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "tests/rigs/gui/dialog_closer.h"
#include "tests/rigs/gui/show_stage.h"
#include "tests/rigs/gui/text_check.h"
#include "tests/show/tour_story.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/window/widgets/choice_row.h"
#include "gui/window/caption/story_plan.h"
#include "gui/window/commands/clock_bar.h"
#include "gui/window/show/window_time.h"

#include "common/lhrs/linear_hash.h"

#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr int kLimit = 60'000;

// A question with these choices, as the items of a list.
QString asking(const QString& choices)
{
    return QStringLiteral("lab.cluster({ m: 2, k: 0, b: 10, spares: { data: 2, parity: 0 } });\n"
                          "const q = lab.predict({ text: 'Which bucket is split?', choices: [%1] });\n"
                          "lab.print(q.votes);\n")
        .arg(choices);
}

// Steps with one record each.
const QString kTwoSteps = QStringLiteral("lab.cluster({ m: 2, k: 0, b: 10, spares: { data: 2, parity: 0 } });\n"
                                         "const alice = lab.client('alice');\n"
                                         "lab.step('a', 'The first');\n"
                                         "lab.say('Alice inserts a record.');\n"
                                         "alice.insert();\n"
                                         "lab.settle();\n"
                                         "lab.say('She has inserted it.');\n"
                                         "lab.step('b', 'The second');\n"
                                         "alice.insert();\n"
                                         "lab.say('Another one.');\n");

// Answers each question of the window by the button with this text, or by Escape, and keeps the questions.
struct Answerer {
    explicit Answerer(const QString& wanted)
    {
        QObject::connect(&timer, &QTimer::timeout, [this, wanted] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box)
                return;
            const QList<QAbstractButton*> buttons = box->buttons();
            const auto pressed = std::find_if(buttons.begin(), buttons.end(),
                [&](const QAbstractButton* button) { return button->text() == wanted; });
            if (pressed == buttons.end() && wanted != "Esc" && wanted != "Return")
                return;
            asked << box->text();
            if (pressed != buttons.end())
                (*pressed)->click();
            else
                QTest::keyClick(box, wanted == "Esc" ? Qt::Key_Escape : Qt::Key_Return);
        });
        timer.start(5);
    }
    QStringList asked;
    QTimer timer;
};

// Gives the window the focus; without a window manager it does not come back after a question.
bool isActive(ShowStage& stage)
{
    stage.window.activateWindow();
    return QTest::qWaitForWindowActive(&stage.window);
}

bool begin(ShowStage& stage, const QString& script)
{
    return stage.begin(script) && stage.untilStop() && QTest::qWaitForWindowActive(&stage.window);
}

// Frames until the script has ended and the window has noticed.
bool awaitEnd(ShowStage& stage)
{
    return QTest::qWaitFor(
        [&] {
            stage.window.clock().step(0);
            return !stage.window.player().run().hasBegun();
        },
        kLimit);
}

} // namespace

class WindowLectureTest : public QObject {
    Q_OBJECT
private slots:
    void choicesAreButtons();
    void choicesWithoutRoomHaveNumbers();
    void choicesCanBeRead_data();
    void choicesCanBeRead();
    void aLectureIsLeft();
    void aRealRunIsAskedAboutBeforeItIsLeft();
    void escapeAsksAndEscapeGoesOn();
    void stepsInALoopHaveNoTotal();
    void escapeStops();
    void escapeLeavesThePresentationFirst();
    void aQuestionAboutWhatHasEndedGoes();
    void whoStopsSeesNow();
    void theButtonSaysWhatItDoes();
    void oneClockForCardAndBar();
    void aKeyIsWorkedOut();
};

void WindowLectureTest::choicesAreButtons()
{
    ShowStage stage;
    Player& player = stage.window.player();
    auto* row = player.strip().findChild<ChoiceRow*>();
    QVERIFY(row->isHidden());
    QVERIFY(stage.begin(asking("'bucket 0', 'bucket 1 & 2'")));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.director().await(), Director::Await::Question);
    auto* first = row->findChild<QPushButton*>("choice1");
    auto* second = row->findChild<QPushButton*>("choice2");
    QVERIFY(first && second && first->isVisible() && second->isVisible());
    QVERIFY(QTest::qWaitForWindowActive(&stage.window));
    // They show their text, and the key with the same effect.
    QCOMPARE(first->text(), QString("1: bucket 0"));
    QCOMPARE(second->text(), QString("2: bucket 1 && 2")); // "&&" is painted as "&"
    QCOMPARE(first->accessibleName(), QString("Vote for 1: bucket 0"));
    QVERIFY2(first->toolTip().contains("key 1") && second->toolTip().contains("key 2"), qPrintable(second->toolTip()));
    // The text on the buttons is not painted a second time; a screen reader and the presenter get all of it.
    auto* caption = player.strip().findChild<CaptionLabel*>("caption");
    QCOMPARE(caption->seen(), QString("Which bucket is split?"));
    QVERIFY2(stage.caption().replace(QChar(QChar::Nbsp), QLatin1Char(' ')).contains("1: bucket 0   2: bucket 1 & 2"),
        qPrintable(stage.caption()));
    // A click and the key have the same effect.
    const QWidget* focus = stage.window.focusWidget();
    QTest::mouseClick(second, Qt::LeftButton);
    QTest::keyClick(&stage.window, Qt::Key_2);
    QTest::mouseClick(first, Qt::LeftButton);
    QVERIFY(stage.frame());
    QCOMPARE(first->text(), QString("1: bucket 0 (1 vote)"));
    QCOMPARE(second->text(), QString("2: bucket 1 && 2 (2 votes)"));
    QCOMPARE(second->accessibleDescription(), QString("2 votes"));
    QCOMPARE(stage.window.focusWidget(), focus); // the focus stays where it was
    stage.press("nextStep");
    QVERIFY(stage.frame());
    QVERIFY(row->isHidden());
    QVERIFY(stage.until([&] { return stage.texts(ReelEntry::Kind::Print).contains("[1,2]"); }));
}

void WindowLectureTest::choicesWithoutRoomHaveNumbers()
{
    ShowStage stage;
    const QString long1 = QString("the bucket that is full ").repeated(4);
    const QString long2 = QString("the bucket at n ").repeated(6);
    QVERIFY(stage.begin(asking(QString("'%1', '%2'").arg(long1.trimmed(), long2.trimmed()))));
    QVERIFY(stage.untilStop());
    auto* row = stage.window.player().strip().findChild<ChoiceRow*>();
    auto* first = row->findChild<QPushButton*>("choice1");
    QCOMPARE(first->text(), QString("1"));
    auto* caption = stage.window.player().strip().findChild<CaptionLabel*>("caption");
    QCOMPARE(caption->seen(), stage.caption()); // the question contains the words
    QCOMPARE(stage.window.size(), QSize(1280, 720));
    QTest::mouseClick(first, Qt::LeftButton);
    QVERIFY(stage.frame());
    QCOMPARE(first->text(), QString("1 (1 vote)"));
    QVERIFY2(caption->seen().contains("(1 vote)"), qPrintable(caption->seen()));
}

void WindowLectureTest::choicesCanBeRead_data()
{
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    QTest::addColumn<bool>("isPresented");
    for (const QSize size : { QSize(1280, 720), QSize(1920, 1080) })
        for (const double scale : { 1.0, 1.5, 2.0 })
            QTest::addRow("%dx%d, %.1f", size.width(), size.height(), scale) << size << scale << false;
    QTest::newRow("presented") << QSize(1280, 720) << 1.0 << true;
}

void WindowLectureTest::choicesCanBeRead()
{
    QFETCH(const QSize, size);
    QFETCH(const double, scale);
    QFETCH(const bool, isPresented);
    MainWindow::Options chosen = options();
    chosen.fontScale = scale;
    ShowStage stage(chosen, size);
    QVERIFY(stage.begin(asking("'never', 'once', 'twice', 'seven times'")));
    QVERIFY(stage.untilStop());
    if (isPresented)
        stage.window.setPresenting(true);
    QVERIFY(stage.frame());
    auto* row = stage.window.player().strip().findChild<ChoiceRow*>();
    auto* caption = stage.window.player().strip().findChild<CaptionLabel*>("caption");
    QTRY_VERIFY_WITH_TIMEOUT(row->isVisible() && row->hasWords(), kLimit);
    const auto tight = [&] { return clipped(stage.window.player().strip()); };
    QTRY_VERIFY2_WITH_TIMEOUT(tight().isEmpty(), qPrintable(tight()), kLimit);
    QVERIFY(caption->fits());
    QVERIFY(caption->geometry().bottom() < row->geometry().top());
    if (isPresented) {
        const QString small = smallerThan(stage.window.height() / 45, stage.window.player().strip());
        QVERIFY2(small.isEmpty(), qPrintable(small));
    }
    stage.window.setPresenting(false);
}

void WindowLectureTest::aLectureIsLeft()
{
    ShowStage stage;
    QVERIFY(begin(stage, kTwoSteps));
    QVERIFY(stage.goOn());
    QAction* leave = stage.window.actions().get("leave");
    QVERIFY(stage.window.player().run().isRunning() && stage.window.showsCluster());
    QVERIFY(leave->isEnabled());
    Answerer none("Esc");
    leave->trigger();
    QVERIFY(awaitEnd(stage));
    QTRY_VERIFY_WITH_TIMEOUT(!stage.window.showsCluster() && stage.window.startPage().isVisible(), kLimit);
    QCOMPARE(stage.window.cluster().link().state(), LinkState::None);
    QCOMPARE(none.asked, QStringList()); // it is available again at every start
    QVERIFY(!stage.window.director().isOn());
    QVERIFY(!leave->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(stage.window.cluster().session().local().processes(), std::size_t(0), kLimit);
    // And another scenario can begin.
    QVERIFY(stage.begin(kTwoSteps));
    QVERIFY2(stage.untilStop(), qPrintable(stage.caption()));
    QVERIFY(stage.window.showsCluster() && leave->isEnabled());
}

void WindowLectureTest::aRealRunIsAskedAboutBeforeItIsLeft()
{
    MainWindow window(options());
    window.show();
    window.director().setSpeed(Director::kFastest);
    QTemporaryDir folder;
    QFile file(folder.filePath("real.js"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kTwoSteps.toUtf8()) > 0);
    file.close();
    QVERIFY(window.files().openScenario(file.fileName(), true));
    QTRY_VERIFY_WITH_TIMEOUT(window.player().isHeld(), kLimit);
    window.actions().get("nextStep")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(window.time().hasUnsaved(), kLimit);
    QVERIFY(window.player().run().hasBegun() && !window.cluster().session().ingest().state().isSimulated);
    {
        QuestionAnswerer stay(QMessageBox::Cancel);
        window.actions().get("leave")->trigger();
        QCOMPARE(stay.asked.size(), 1);
        QVERIFY2(stay.asked[0].contains("in no file yet"), qPrintable(stay.asked[0]));
        QVERIFY(window.player().run().hasBegun()); // nothing was stopped
    }
    QuestionAnswerer discard(QMessageBox::Discard);
    window.actions().get("leave")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!window.showsCluster() && !window.player().run().hasBegun(), kLimit);
    QCOMPARE(discard.asked.size(), 1);
}

void WindowLectureTest::escapeAsksAndEscapeGoesOn()
{
    ShowStage stage;
    QVERIFY(begin(stage, kTwoSteps));
    QVERIFY(stage.goOn());
    stage.window.canvas().setFocus();
    for (const char* key : { "Esc", "Return", "Go on" }) { // keys pressed without reading continue the lecture
        QVERIFY(isActive(stage));
        stage.window.canvas().setFocus();
        Answerer goesOn(key);
        QTest::keyClick(stage.window.focusWidget(), Qt::Key_Escape);
        QCOMPARE(goesOn.asked, QStringList { "Stop the lecture?" });
        QVERIFY(stage.frame());
        QVERIFY(stage.window.player().run().isRunning());
    }
    QVERIFY(isActive(stage));
    // From a field, Escape goes back to the picture, as always.
    Answerer none("Esc");
    QTRY_VERIFY_WITH_TIMEOUT(stage.window.workloads().countBox()->isEnabled(), kLimit);
    stage.window.workloads().countBox()->setFocus();
    QTest::keyClick(stage.window.focusWidget(), Qt::Key_Escape);
    QVERIFY(stage.window.canvas().hasFocus());
    QCOMPARE(none.asked, QStringList());
    QVERIFY(stage.goOn());
    QVERIFY(stage.until([&] { return stage.director().isOver(); }));
    QTest::keyClick(stage.window.focusWidget(), Qt::Key_Escape); // it has ended: there is nothing to stop
    QCOMPARE(none.asked, QStringList());
}

// A step in a loop is known only when it begins, so no total is shown, as it might be wrong.
void WindowLectureTest::stepsInALoopHaveNoTotal()
{
    QCOMPARE(stepsOf("lab.step('a', 'A');\n// lab.step('x', 'X');\nlab.step('b', 'B');\n"), 2);
    QCOMPARE(stepsOf("lab.step('a', 'A');\nfor (const s of [1, 2])\n    lab.step('b' + s, 'B');\n"), 0);
    ShowStage stage;
    QVERIFY(stage.begin("for (const s of ['a', 'b', 'c'])\n    lab.step(s, 'Once more');\n"));
    QVERIFY(stage.goOn());
    QVERIFY(stage.goOn());
    QVERIFY(stage.frame());
    QStringList labels;
    for (const QLabel* label : stage.window.findChildren<QLabel*>())
        labels << label->text();
    QVERIFY2(labels.filter(QRegularExpression("step 2(?! of)")).size() == 1, qPrintable(labels.join(" | ")));
}

void WindowLectureTest::escapeStops()
{
    ShowStage stage;
    QVERIFY(begin(stage, kTwoSteps));
    QVERIFY(stage.goOn());
    stage.window.canvas().setFocus();
    Answerer stops("Stop");
    QTest::keyClick(stage.window.focusWidget(), Qt::Key_Escape);
    QCOMPARE(stops.asked.size(), 1);
    QVERIFY(awaitEnd(stage));
    QCOMPARE(stage.window.player().run().engine().result().outcome, ScriptOutcome::Stopped);
    QTRY_VERIFY_WITH_TIMEOUT(stage.director().isOver(), kLimit);
    QVERIFY(stage.frame());
    QVERIFY2(stage.caption().startsWith("Stopped."), qPrintable(stage.caption()));
    QVERIFY(stage.window.showsCluster()); // the picture stays
    QCOMPARE(stage.window.cluster().link().state(), LinkState::Here);
    // For a scenario without steps it uses another word.
    QVERIFY(stage.begin("lab.cluster({ m: 2, k: 0, b: 10, spares: { data: 2, parity: 0 } });\n"
                        "lab.predict({ text: 'Which?', choices: ['a', 'b'] });\n"));
    QVERIFY(stage.untilStop() && isActive(stage));
    QTest::keyClick(&stage.window, Qt::Key_Escape);
    QCOMPARE(stops.asked.value(1), QString("Stop the scenario?"));
    QVERIFY(awaitEnd(stage));
    QTRY_VERIFY_WITH_TIMEOUT(stage.director().isOver(), kLimit); // also while it stood before a question
}

void WindowLectureTest::escapeLeavesThePresentationFirst()
{
    ShowStage stage;
    QVERIFY(begin(stage, kTwoSteps));
    QVERIFY(stage.goOn());
    Answerer none("Esc");
    stage.window.setPresenting(true);
    QVERIFY(stage.frame());
    stage.press("blank");
    QTest::keyClick(&stage.window, Qt::Key_Escape);
    QVERIFY(stage.window.isPresenting() && !stage.window.actions().get("blank")->isChecked());
    QTest::keyClick(&stage.window, Qt::Key_Escape);
    QVERIFY(!stage.window.isPresenting());
    QCOMPARE(none.asked, QStringList());
    QVERIFY(stage.window.player().run().isRunning());
}

void WindowLectureTest::aQuestionAboutWhatHasEndedGoes()
{
    ShowStage stage;
    QVERIFY(begin(stage, kTwoSteps));
    QVERIFY(stage.goOn());
    int boxes = 0;
    QTimer meanwhile; // the lecture ends while the question is open
    connect(&meanwhile, &QTimer::timeout, this, [&] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (!box || boxes > 0)
            return;
        ++boxes;
        stage.window.player().run().stop();
        stage.director().setSpeed(Director::kInstant);
        stage.director().setStops(false);
        QVERIFY(QTest::qWaitFor(
            [&] {
                stage.window.clock().step(0.1);
                return !stage.window.player().run().hasBegun() && stage.director().isOver();
            },
            kLimit));
    });
    meanwhile.start(5);
    QTest::keyClick(&stage.window, Qt::Key_Escape); // returns when the box is closed
    QCOMPARE(boxes, 1);
}

void WindowLectureTest::whoStopsSeesNow()
{
    for (const bool isButton : { true, false }) {
        ShowStage stage;
        QVERIFY(begin(stage, kTwoSteps));
        stage.press("nextStep");
        QVERIFY(stage.frame()); // the script is before the second step, the show is at the first
        QCOMPARE(stage.caption(), QString("Alice inserts a record."));
        if (isButton)
            stage.window.player().strip().findChild<QPushButton*>("stopScenarioButton")->click();
        else
            stage.press("stopScenario");
        QVERIFY(awaitEnd(stage));
        QTRY_VERIFY_WITH_TIMEOUT(stage.director().isOver(), kLimit);
        QVERIFY(stage.frame());
        QVERIFY2(stage.caption().startsWith("Stopped."), qPrintable(stage.caption()));
    }
}

void WindowLectureTest::theButtonSaysWhatItDoes()
{
    ShowStage stage;
    QVERIFY(begin(stage, kTwoSteps));
    auto* next = stage.window.player().strip().findChild<QPushButton*>("nextStepButton");
    QCOMPARE(next->text(), QString("Begin   PgDn"));
    stage.press("nextStep");
    QVERIFY(stage.until([&] { return stage.caption() == "Alice inserts a record."; }));
    QVERIFY(stage.frame());
    // While it plays, PgDn goes to the next caption, although this one has not been read yet.
    QCOMPARE(next->text(), QString("Next caption   PgDn"));
    for (const char* words : { "goes on to the next one", "PgDn" })
        QVERIFY2(next->toolTip().contains(words), qPrintable(next->toolTip()));
    const double said = stage.played;
    for (const char* away : { "playPause", "toStart" }) { // it is paused at another instant
        stage.press(away);
        QVERIFY(stage.frame());
        QCOMPARE(next->text(), QString("Go on   PgDn"));
        next->click();
        QVERIFY(stage.frame());
        QCOMPARE(next->text(), QString("Next caption   PgDn"));
    }
    next->click();
    QVERIFY(stage.until([&] { return stage.caption() == "She has inserted it."; }));
    QVERIFY(stage.played - said < Director::readingSeconds("Alice inserts a record."));
    QVERIFY(stage.untilStop() && stage.frame());
    QCOMPARE(next->text(), QString("Next step   PgDn"));
    QVERIFY2(next->toolTip().contains("next step"), qPrintable(next->toolTip()));
    QVERIFY(stage.goOn() && stage.until([&] { return stage.director().isOver(); }) && stage.frame());
    QCOMPARE(next->text(), QString("Begin   PgDn"));
}

// The start page was open for a while. Still the times of the picture start with the cluster, and equal those of the
// bar that shows its virtual time.
void WindowLectureTest::oneClockForCardAndBar()
{
    MainWindow window(options());
    window.show();
    window.director().setSpeed(Director::kFastest);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().session().ingest().nowNs() > 700'000'000, kLimit); // since the window was opened
    window.cluster().session().local().preferSimulated(SimulatedOptions { .seed = 7 });
    QTemporaryDir folder;
    QFile file(folder.filePath("ends.js"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("lab.cluster({ m: 2, k: 1, b: 10, recovery: 'off', spares: { data: 2, parity: 1 } });\n"
               "lab.step('a', 'A failure');\nlab.kill(lab.data(0));\nlab.say('It is gone.');\n"
               "lab.step('b', 'Afterwards');\nlab.say('Still.');\n");
    file.close();
    QVERIFY(window.files().openScenario(file.fileName(), true));
    QTRY_VERIFY_WITH_TIMEOUT(window.player().isHeld(), kLimit);
    window.actions().get("nextStep")->trigger();
    const auto ended = [&]() -> const ProcessState* {
        const auto& all = window.pacer().state().processes;
        const auto hasEnded = [](const auto& known) { return known.second.hasEnded; };
        const auto found = std::find_if(all.begin(), all.end(), hasEnded);
        return found == all.end() ? nullptr : &found->second;
    };
    QTRY_VERIFY_WITH_TIMEOUT(ended() && window.cluster().clock().zeroNs(), kLimit);
    const auto difference = [&] { // ns between the two clocks
        const std::int64_t zero = window.cluster().clock().zeroNs().value_or(0);
        return std::abs(window.pacer().state().shownSeconds(zero + 5'000'000'000) - 5);
    };
    QTRY_VERIFY2_WITH_TIMEOUT(difference() < 0.002, qPrintable(QString::number(difference())), kLimit);
    // Events from before the start of its clock are shown at 0.
    const std::int64_t made = *window.cluster().clock().zeroNs() - 1'000'000;
    QCOMPARE(window.pacer().state().shownSeconds(made), 0.0);
    const double shown = window.pacer().state().shownSeconds(ended()->endedNs);
    const double now = double(window.cluster().session().control().simulation()->virtual_ns()) / 1e9;
    QVERIFY2(shown > 0 && shown <= now, qPrintable(QString("ended at %1 s, it is %2 s").arg(shown).arg(now)));
    QVERIFY2(part<ClockBar>(window).text().contains("SIMULATED, seed 7: "), qPrintable(part<ClockBar>(window).text()));
}

// i and n must match the figures in the picture.
void WindowLectureTest::aKeyIsWorkedOut()
{
    struct Split {
        std::uint32_t from, to, full; // buckets
        FileImage before, after;
    };
    const auto seen = [](const Split& split, std::uint64_t key) {
        TourStory story(3);
        story.setBuckets(split.to, split.before.i, split.before.n);
        const std::string full = std::to_string(split.full),
                          way
            = QStringLiteral("split: 1 bucket: %1 new_bucket: %2").arg(split.from).arg(split.to).toStdString();
        const std::string overflowed = "bucket_overflowed { count: 12 } place { role: DATA number: " + full + " }";
        story.tell(TourStory::kData + split.full, overflowed.c_str());
        story.tell(TourStory::kCoordinator, ("split_ordered { " + way + " }").c_str());
        story.setBuckets(split.to + 1, split.after.i, split.after.n);
        story.put(split.to, 1, key);
        story.tell(TourStory::kCoordinator, ("split_finished { " + way + " moved: 4 }").c_str());
        return story.words().seen;
    };
    const Split one { 0, 2, 1, { 1, 0 }, { 1, 1 } }, other { 1, 3, 2, { 1, 1 }, { 2, 0 } };
    const QString first = seen(one, 6), second = seen(other, 7);
    QVERIFY2(first.contains("Key 6: 6 mod 2 = 0 is below n, so 6 mod 4 = 2 counts: bucket 2."), qPrintable(first));
    QVERIFY2(second.contains("Key 7: 7 mod 4 = 3 is not below n, so it counts: bucket 3."), qPrintable(second));
    QVERIFY2(!seen(one, 5).contains("Key 5"), "it is in another bucket"); // and an example must be true
}

QTEST_MAIN(WindowLectureTest)
#include "tst_window_lecture.moc"
