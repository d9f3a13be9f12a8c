// SPDX-License-Identifier: GPL-3.0-or-later
// The reel and its director: which entry waits for what, what a key does, the speed, and that a recording gives the
// same lecture.
#include "gui/lab/live/ingest.h"
#include "tests/rigs/gui/fake_cluster.h"
#include "tests/rigs/gui/show_stage.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/lab/recording/recording.h"
#include "gui/window/panels/time_bar.h"
#include "gui/window/show/window_time.h"
#include "gui/view/charts/chart_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;
using Kind = ReelEntry::Kind;
using Await = Director::Await;

namespace {

// Each option in one line.
const QString kQuestion = QString::fromUtf8("Which bucket now?   1:\u00a0bucket\u00a00   2:\u00a0bucket\u00a01");
const QString kLecture = QStringLiteral(
    "lab.cluster({ m: 4, k: 1, b: 10, slice: 2, recovery: 'automatic', spares: { data: 6, parity: 3 } });\n"
    "const alice = lab.client('alice');\n"
    "lab.step('a', 'Growth');\n"
    "lab.say('Alice inserts eleven records.');\n"
    "const since = lab.here();\n"
    "alice.run({ do: 'insert', count: 11 });\n"
    "const split = lab.waitFor('SplitFinished', { since: since });\n"
    "lab.settle();\n"
    "const full = lab.events({ kind: 'BucketOverflowed', since: since })[0];\n"
    "lab.say('Bucket 0 is full.', { at: full });\n"
    "lab.say('It has been split.', { at: split });\n"
    "lab.step('b', 'A question');\n"
    "const q = lab.predict({ text: 'Which bucket now?', choices: ['bucket 0', 'bucket 1'] });\n"
    "alice.run({ do: 'insert', count: 5 });\n"
    "q.reveal(1, 'That is how it is.');\n"
    "lab.say('After the answer.');\n"
    "lab.step('c', 'Once more');\n"
    "lab.replay({ from: full, to: split, speed: 0.01, at: [[split, 'It was split here.']] });\n"
    "lab.say('Back in the present.');\n");

// The number of structural events that the picture has shown.
std::size_t bucketsShown(ShowStage& stage) { return stage.window.pacer().state().data.size(); }

} // namespace

class ReelTest : public QObject {
    Q_OBJECT
private slots:
    void anEntryIsKeptAsItIs();
    void whatIsNoEntryIsNone();
    void wordsWaitForThePicture();
    void aQuestionAndItsAnswerStayUntilAKey();
    void aKeySkipsToTheNextCaption();
    void backIsTheStepBefore();
    void anIntervalIsShownOnceMore();
    void aRecordingIsTheSameLecture();
    void aRecordedShowOpensItsCharts();
    void slowIsSlow();
    void theSpeedIsSeen();
    void manyAlikeAreShownTogetherWithTheirNumber();
    void itIsSaidHowLateThePictureIs();
    void aPauseStopsThePictureAlone();
    void somebodyLooksElsewhereAndComesBack();
    void aCallRefusesWhatIsNoInstant();
    void anotherClusterIsCutTo();
    void thePictureWaitsForAScriptThatIsSlower();
    void anAnswerIsReadAlsoAfterACaption();
    void anEndIsSeenInItsTurn();
    void whoeverMarksAnIntervalSeesItAgain();
    void freePlayHasANarrator();
    void theFirstButtonIsForWhoeverHasNeverSeenIt();
};

void ReelTest::anEntryIsKeptAsItIs()
{
    ReelEntry entry { .kind = Kind::Replay,
        .at = { 12, 3'000'000'000'000'000'000, false },
        .until = { 9, -5, true },
        .from = { 1, 2, true },
        .id = "a",
        .text = "Ä \"text\"\n",
        .names = { "data 1", "client bob" },
        .number = 2,
        .seconds = 1.5,
        .slower = 400 };
    entry.captions = { { { 3, 4, true }, "one" }, { { 5, 6, false }, "two" } };
    QCOMPARE(reelEntryOf(jsonOf(entry)), std::optional(entry));
    ReelEntry camera { .kind = Kind::Camera, .at = { 1, 1 } };
    camera.camera = { "data 5", "records", "groups", { { "deltas", true }, { "ranks", false } }, 0.5,
        { { "group", 3 }, { "rank", 4'000'000'000.0 }, { "stage", "inverse" } } };
    QCOMPARE(reelEntryOf(jsonOf(camera)), std::optional(camera));
    for (int kind = 0; kind <= int(Kind::End); ++kind) {
        const ReelEntry plain { .kind = Kind(kind) };
        QCOMPARE(reelEntryOf(jsonOf(plain)), std::optional(plain));
        QVERIFY(!kindWord(Kind(kind)).isEmpty());
    }
}

void ReelTest::whatIsNoEntryIsNone()
{
    for (const char* bad : { "", "{", "[]", "null", "{\"kind\":\"other\"}", "{\"kind\":7}" })
        QVERIFY2(!reelEntryOf(bad), bad);
    const auto odd = reelEntryOf(
        "{\"kind\":\"dwell\",\"seconds\":-3,\"number\":\"x\",\"camera\":[],\"captions\":{},\"at\":4}");
    QVERIFY(odd);
    QCOMPARE(odd->seconds, 0.0);
    QVERIFY(odd->captions.empty() && !odd->at.isThere());
}

void ReelTest::wordsWaitForThePicture()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.director().await(), Await::Begin);
    stage.press("nextStep");
    QVERIFY(stage.until([&] { return stage.caption() == "Alice inserts eleven records."; }));
    // The script has done all that long ago, and waits before the next step; the picture has not begun.
    QVERIFY(stage.awaitScript());
    QVERIFY(stage.window.cluster().session().ingest().state().data.size() == 2);
    QCOMPARE(bucketsShown(stage), std::size_t(1));
    const double said = stage.played;
    QVERIFY(stage.until([&] { return stage.caption() == "Bucket 0 is full."; }));
    QVERIFY(stage.played - said >= Director::readingSeconds("Alice inserts eleven records.") - 0.11);
    QVERIFY(stage.window.pacer().state().data.at(0).count >= 11); // painted
    QCOMPARE(bucketsShown(stage), std::size_t(1)); // and nothing later
    QVERIFY(stage.until([&] { return stage.caption() == "It has been split."; }));
    QCOMPARE(bucketsShown(stage), std::size_t(2));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.director().await(), Await::Step);
}

void ReelTest::aQuestionAndItsAnswerStayUntilAKey()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop() && stage.goOn() && stage.goOn());
    QCOMPARE(stage.director().await(), Await::Question);
    QCOMPARE(stage.caption(), kQuestion);
    for (int i = 0; i < 300; ++i)
        QVERIFY(stage.frame());
    QCOMPARE(stage.director().await(), Await::Question); // half a minute later
    for (const int choice : { 2, 2, 1 })
        stage.window.player().vote(choice);
    QVERIFY(stage.goOn());
    QCOMPARE(stage.director().await(), Await::Answer);
    QVERIFY2(stage.caption().startsWith("Bucket 1 ✓ (2 of 3 votes)") && stage.caption().contains("That is how it is."),
        qPrintable(stage.caption()));
    for (int i = 0; i < 300; ++i)
        QVERIFY(stage.frame());
    QCOMPARE(stage.director().await(), Await::Answer);
    QVERIFY(stage.goOn());
    QCOMPARE(stage.caption(), QString("After the answer."));
    QCOMPARE(stage.director().await(), Await::Step);
}

void ReelTest::aKeySkipsToTheNextCaption()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop());
    stage.press("nextStep");
    QVERIFY(stage.until([&] { return stage.caption() == "Alice inserts eleven records."; }));
    stage.press("nextStep"); // when the answer is already known
    QVERIFY(stage.frame() && stage.frame());
    QCOMPARE(stage.caption(), QString("Bucket 0 is full."));
    QVERIFY(stage.window.pacer().state().data.at(0).count >= 11); // nothing was skipped
    QCOMPARE(bucketsShown(stage), std::size_t(1));
}

void ReelTest::backIsTheStepBefore()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop() && stage.goOn() && stage.goOn() && stage.goOn() && stage.goOn());
    QCOMPARE(stage.window.player().words().step, QString("(b)  A question"));
    stage.press("formerMarker"); // PgUp: the beginning of this step
    QVERIFY(stage.frame());
    QCOMPARE(stage.window.player().words().step, QString("(b)  A question"));
    QCOMPARE(stage.window.pacer().state().data.at(0).count + stage.window.pacer().state().data.at(1).count, 11u);
    stage.press("formerMarker"); // pressed again at once: the previous step
    QVERIFY(stage.frame());
    QCOMPARE(stage.window.player().words().step, QString("(a)  Growth"));
    QCOMPARE(bucketsShown(stage), std::size_t(1));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.caption(), QString("It has been split."));
    QCOMPARE(bucketsShown(stage), std::size_t(2));
    // And forward again, to the earlier position and beyond.
    QVERIFY(stage.goOn());
    QCOMPARE(stage.director().await(), Await::Question);
    QVERIFY(stage.goOn() && stage.goOn() && stage.goOn());
    QCOMPARE(stage.caption(), QString("Back in the present."));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.window.player().run().engine().result().outcome, ScriptOutcome::Held);
}

void ReelTest::anIntervalIsShownOnceMore()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop() && stage.goOn() && stage.goOn() && stage.goOn() && stage.goOn());
    const ClusterState before = stage.window.pacer().state();
    stage.press("nextStep");
    QVERIFY(stage.until([&] { return !stage.director().repeated().isEmpty(); }));
    QVERIFY2(stage.director().repeated().startsWith("again, ") && stage.director().repeated().endsWith(" times slower"),
        qPrintable(stage.director().repeated()));
    QVERIFY(stage.window.player().strip().findChild<QLabel*>("repeatedBadge")->isVisible());
    QCOMPARE(bucketsShown(stage), std::size_t(1)); // the past
    const double begun = stage.played;
    QVERIFY(stage.until([&] { return stage.caption() == "It was split here."; }));
    QVERIFY(stage.played - begun > 0.5);
    QCOMPARE(bucketsShown(stage), std::size_t(2));
    QVERIFY(stage.until([&] { return stage.caption() == "Back in the present."; }));
    QVERIFY(stage.director().repeated().isEmpty());
    QCOMPARE(stage.window.pacer().state().data.at(0).count, before.data.at(0).count);
}

void ReelTest::aRecordingIsTheSameLecture()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("lecture.lhrun");
    std::vector<ReelEntry> live, recorded;
    {
        ShowStage stage;
        QVERIFY(stage.begin(kLecture));
        QVERIFY(stage.untilStop());
        while (!stage.director().isOver())
            QVERIFY(stage.goOn());
        live = stage.shown;
        QVERIFY(stage.window.time().save(path));
    }
    ShowStage stage;
    QCOMPARE(stage.window.files().openRecording(path), QString());
    QVERIFY(stage.window.player().strip().isVisible());
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.director().await(), Await::Begin);
    QStringList stops;
    while (!stage.director().isOver()) {
        QVERIFY(stage.goOn());
        stops << stage.caption();
    }
    recorded = stage.shown;
    const auto words = [](const std::vector<ReelEntry>& reel) {
        QStringList all;
        for (const ReelEntry& entry : reel)
            all << kindWord(entry.kind) + " " + entry.text;
        return all;
    };
    QCOMPARE(words(recorded), words(live));
    QCOMPARE(stops,
        QStringList({ "It has been split.", kQuestion, "Bucket 1 ✓   That is how it is.", "After the answer.",
            "Back in the present." }));
    // And back, without a cluster.
    stage.press("formerMarker");
    QVERIFY(stage.frame());
    QCOMPARE(stage.window.player().words().step, QString("(c)  Once more"));
}

// A chart opens at its position on the reel, with the measured values, also without a script.
void ReelTest::aRecordedShowOpensItsCharts()
{
    const QString script
        = "lab.cluster({ m: 4, k: 1, b: 10, spares: { data: 4, parity: 2 } });\n"
          "lab.step('a', 'Measured');\nconst t = lab.row('sizes', { records: 8, bytes: 100 });\n"
          "lab.row('sizes', { records: 16, bytes: 200 });\n"
          "lab.say('Nothing is drawn yet.');\nlab.chart({ table: 'sizes', x: 'records', y: 'bytes' });\n"
          "lab.say('Now it is.');\n";
    QTemporaryDir folder;
    const QString path = folder.filePath("charts.lhrun");
    {
        ShowStage stage;
        QVERIFY(stage.begin(script));
        QVERIFY(stage.untilStop());
        while (!stage.director().isOver())
            QVERIFY(stage.goOn());
        QCOMPARE(stage.texts(Kind::Chart).size(), 1);
        QVERIFY(stage.window.time().save(path));
    }
    ShowStage stage;
    std::vector<std::pair<QString, QString>> opened; // chart, and the caption when it was opened
    connect(&stage.window.player(), &Player::chartWished, this, [&](const MeasureChart& chart, bool isNew) {
        if (isNew)
            opened.emplace_back(chart.title, stage.caption());
    });
    QCOMPARE(stage.window.files().openRecording(path), QString());
    QVERIFY(stage.untilStop());
    while (!stage.director().isOver())
        QVERIFY(stage.goOn());
    QCOMPARE(opened.size(), std::size_t(1));
    QCOMPARE(opened.front().second, QString("Nothing is drawn yet."));
    const MeasureChart* shown = part<ChartPanel>(stage.window).measured();
    QVERIFY(shown);
    QCOMPARE(shown->panels.size(), std::size_t(1));
    // After going back over it, it opens again.
    stage.press("formerMarker");
    QVERIFY(stage.until([&] { return stage.director().isOver() || !stage.caption().isEmpty(); }));
    while (!stage.director().isOver())
        QVERIFY(stage.goOn());
    QCOMPARE(opened.size(), std::size_t(2));
}

// At an eighth of the speed a step takes eight times as long; the reading time is unchanged. The show's time also
// passes while it waits for what a busy machine has not computed yet, so the shortest of some tries counts.
void ReelTest::slowIsSlow()
{
    const QString script
        = "lab.cluster({ m: 4, k: 1, b: 10, slice: 2, recovery: 'automatic', spares: { data: 6, parity: 3 } });\n"
          "const alice = lab.client('alice'); alice.run({ do: 'insert', count: 8 });\n"
          "lab.step('a', 'Recovery');\nconst since = lab.here(); lab.kill(lab.data(0));\n"
          "lab.waitFor('RecoveryFinished', { since: since, timeout: 30 }); lab.settle(); lab.print('end');\n";
    std::map<double, double> took;
    const auto isEight = [&took] { return took[0.125] > 6.5 * took[1] && took[0.125] < 9 * took[1]; };
    for (int turn = 0; turn < 6 && (turn < 2 || !isEight()); ++turn) {
        const double speed = turn % 2 == 0 ? 1.0 : 0.125;
        ShowStage stage;
        QVERIFY(stage.begin(script));
        QVERIFY(stage.untilStop());
        stage.director().setSpeed(speed);
        const double begun = stage.played;
        stage.press("nextStep");
        QVERIFY(stage.until([&] { return stage.texts(Kind::Print).contains("end"); }, 3'600));
        const double now = stage.played - begun;
        took[speed] = took.contains(speed) ? std::min(took[speed], now) : now;
    }
    QVERIFY2(isEight(), qPrintable(QString("%1 s and %2 s").arg(took[1]).arg(took[0.125])));
}

void ReelTest::theSpeedIsSeen()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop());
    const auto* words = stage.window.timeBar().findChild<QLabel*>("showSpeedWords");
    auto* slider = stage.window.timeBar().findChild<QSlider*>("showSpeed");
    QVERIFY(words->isVisible() && slider->isVisible());
    QCOMPARE(words->text(), QString("1 x"));
    stage.press("slower");
    stage.press("slower");
    QVERIFY(stage.frame());
    QCOMPARE(words->text(), QString("0.25 x"));
    QCOMPARE(slider->value(), -2);
    slider->setValue(1);
    QVERIFY(stage.frame());
    QCOMPARE(stage.director().speed(), 2.0);
    for (int i = 0; i < 9; ++i)
        stage.press("faster");
    QCOMPARE(stage.director().speed(), Director::kFastest);
    stage.window.setPresenting(true); // also in front of a hall
    QVERIFY(stage.frame());
    QVERIFY(words->isVisible() && slider->isVisible());
    stage.window.setPresenting(false);
}

void ReelTest::manyAlikeAreShownTogetherWithTheirNumber()
{
    ShowStage stage;
    QVERIFY(stage.begin("lab.cluster({ m: 4, k: 1, b: 1000, spares: { data: 2, parity: 2 } });\nconst alice = "
                        "lab.client('alice');\nlab.step('a', 'A');\n"
                        "lab.say('Many.');\nalice.run({ do: 'insert', count: 300 });\nlab.say('Done.');\n"));
    QVERIFY(stage.untilStop());
    stage.press("nextStep");
    std::vector<int> counted; // the inserts so far
    const double begun = stage.played;
    QVERIFY(stage.until([&] {
        for (const QString& text : stage.window.canvas().movingPicture().texts())
            if (const auto more = QRegularExpression("^(\\d+) inserts so far$").match(text); more.hasMatch())
                counted.push_back(more.captured(1).toInt());
        return stage.caption() == "Done.";
    }));
    QVERIFY(counted.size() > 3 && counted.front() < 100 && counted.back() > 200);
    // The first one in full, the others at a readable pace.
    QVERIFY2(stage.played - begun < 10, qPrintable(QString::number(stage.played - begun)));
    QCOMPARE(stage.window.pacer().state().data.at(0).count, 300u);
}

void ReelTest::itIsSaidHowLateThePictureIs()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop());
    stage.press("nextStep");
    QVERIFY(stage.until([&] { return stage.caption() == "Alice inserts eleven records."; }));
    QVERIFY2(stage.window.timeBar().words().startsWith("SHOW"), qPrintable(stage.window.timeBar().words()));
    stage.press("follow"); // End: jump to the present
    QVERIFY(stage.frame());
    QCOMPARE(stage.caption(), QString("It has been split."));
    QCOMPARE(bucketsShown(stage), std::size_t(2));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.director().await(), Await::Step);
    QCOMPARE(stage.window.timeBar().words(), QString("FOLLOW"));
    QCOMPARE(stage.texts(Kind::Caption).size(), 3); // the story has everything that was said
}

void ReelTest::aPauseStopsThePictureAlone()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop());
    stage.press("nextStep");
    QVERIFY(stage.until([&] { return stage.caption() == "Alice inserts eleven records."; }));
    stage.press("playPause");
    const std::uint64_t stands = stage.window.pacer().shownUpTo();
    for (int i = 0; i < 200; ++i)
        QVERIFY(stage.frame());
    QCOMPARE(stage.caption(), QString("Alice inserts eleven records."));
    QCOMPARE(stage.window.pacer().shownUpTo(), stands);
    QVERIFY2(stage.window.timeBar().words().startsWith("PAUSED"), qPrintable(stage.window.timeBar().words()));
    stage.press("playPause");
    QVERIFY(stage.until([&] { return stage.caption() == "It has been split."; }));
}

void ReelTest::somebodyLooksElsewhereAndComesBack()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop());
    stage.press("nextStep");
    QVERIFY(stage.until([&] { return stage.caption() == "Bucket 0 is full."; }));

    stage.press("toStart");

    QVERIFY(stage.frame());
    QCOMPARE(stage.window.timeLine().mode(), TimeLine::Mode::Paused);
    QVERIFY(stage.window.canvas().state().data.empty() || stage.window.canvas().state().data.at(0).count == 0);
    stage.press("nextStep"); // back to the earlier position
    QVERIFY(stage.frame());
    QVERIFY(stage.window.pacer().state().data.at(0).count >= 11);
    QCOMPARE(bucketsShown(stage), std::size_t(1));
    QCOMPARE(stage.caption(), QString("Bucket 0 is full."));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.caption(), QString("It has been split."));
}

void ReelTest::aCallRefusesWhatIsNoInstant()
{
    ShowStage stage;
    QVERIFY(stage.begin(
        "lab.cluster({ k: 0, spares: { data: 2, parity: 0 } });\nfor (const bad of [() => lab.say('A', { at: 3 }), () "
        "=> lab.say('A', { during: { from: lab.here() } }), () => lab.replay({ from: lab.here(), to: 'x' }),\n"
        "    () => lab.replay({ from: lab.here(), to: lab.here(), at: [[lab.here(), 7]] })])\n"
        "    lab.expectError('BadArgument', bad);\nlab.say('All refused.');\n"));
    QVERIFY(stage.untilStop());
    QCOMPARE(stage.window.player().run().engine().result().sentence(), QString());
    QCOMPARE(stage.texts(Kind::Caption), QStringList({ "All refused." }));
}

const QString kTwoClusters = QStringLiteral("lab.step('a', 'The first file');\n"
                                            "lab.say('Before there is a file.');\n"
                                            "lab.cluster({ m: 4, k: 1, b: 20, spares: { data: 4, parity: 2 } });\n"
                                            "lab.say('Bucket 0 alone.');\n"
                                            "while (lab.file().M < 3) lab.split();\n"
                                            "lab.settle();\n"
                                            "lab.say('Three buckets.');\n"
                                            "lab.split(); lab.settle();\n"
                                            "lab.cluster({ m: 4, k: 0, b: 20, spares: { data: 4, parity: 0 } });\n"
                                            "lab.say('Bucket 0 alone again.');\n");

// The picture reaches the end of the former file, then cuts to the next one, without mixing them.
void ReelTest::anotherClusterIsCutTo()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("two.lhrun");
    const auto judge = [](ShowStage& stage) {
        QVERIFY(stage.untilStop());
        stage.press("nextStep");
        std::size_t most = 0;
        QVERIFY(stage.until([&] { return stage.caption() == "Before there is a file."; }));
        QVERIFY(stage.until([&] { return stage.caption() == "Bucket 0 alone."; }));
        QCOMPARE(bucketsShown(stage), std::size_t(1));
        QVERIFY(stage.until([&] { return stage.caption() == "Three buckets."; }));
        QCOMPARE(bucketsShown(stage), std::size_t(3));
        QVERIFY(stage.until([&] {
            if (stage.caption() == "Three buckets.")
                most = std::max(most, bucketsShown(stage));
            return stage.caption() == "Bucket 0 alone again.";
        }));
        QCOMPARE(most, std::size_t(4)); // the last split was painted as well
        const ClusterState& state = stage.window.pacer().state();
        QCOMPARE(state.data.size(), std::size_t(1));
        QVERIFY(state.parity.empty());
        QCOMPARE(std::count_if(state.processes.begin(), state.processes.end(),
                     [](const auto& entry) { return entry.second.hasEnded; }),
            std::ptrdiff_t(0));
        QVERIFY(stage.untilStop());
        QVERIFY(stage.director().isOver());
    };
    {
        ShowStage stage;
        QVERIFY(stage.begin(kTwoClusters));
        judge(stage);
        QVERIFY(stage.window.time().save(path));
    }
    ShowStage stage;
    QCOMPARE(stage.window.files().openRecording(path), QString());
    judge(stage);
}

// As fast as frames come, with a script that runs in parallel.
void ReelTest::thePictureWaitsForAScriptThatIsSlower()
{
    for (int round = 0; round < 5; ++round) {
        ShowStage stage;
        QVERIFY(stage.begin(
            "lab.cluster({ m: 4, k: 1, b: 20, spares: { data: 4, parity: 2 } });\nconst alice = lab.client('alice');\n"
            "lab.step('a', 'one');\nlab.say('Bucket 0 alone.');\nwhile (lab.file().M < 3)\n    "
            "lab.split();\nlab.settle();\nlab.say('Three.');\n"));
        QVERIFY(stage.untilStop());
        stage.press("nextStep");
        QVERIFY(QTest::qWaitFor(
            [&] {
                stage.window.clock().step(0.016);
                return stage.caption() == "Bucket 0 alone.";
            },
            20'000));
        QCOMPARE(bucketsShown(stage), std::size_t(1));
    }
}

void ReelTest::anAnswerIsReadAlsoAfterACaption()
{
    ShowStage stage;
    QVERIFY(stage.begin("lab.step('a', 'A');\nconst q = lab.predict({ text: 'Which?', choices: ['this', 'that'] "
                        "});\nlab.say('A word between.');\nq.reveal(1, 'So it is.');\nlab.say('Afterwards.');\n"));
    QVERIFY(stage.untilStop() && stage.goOn() && stage.goOn());
    QCOMPARE(stage.director().await(), Await::Answer);
    QCOMPARE(stage.caption(), QString("That ✓   So it is."));
    QVERIFY(stage.goOn());
    QCOMPARE(stage.caption(), QString("Afterwards."));
}

// No event reports the end of a process; still it has its place among the events.
void ReelTest::anEndIsSeenInItsTurn()
{
    for (const bool hasStops : { true, false }) {
        ShowStage stage;
        QVERIFY(stage.begin("lab.cluster({ m: 4, k: 1, b: 10, recovery: 'automatic', spares: { data: 4, parity: 2 } "
                            "});\nconst alice = lab.client('alice');\n"
                            "lab.step('a', 'A');\nlab.say('Alice inserts.');\nalice.run({ do: 'insert', count: 15 "
                            "});\nlab.settle();\nlab.say('All is well.');\n"
                            "lab.step('b', 'B');\nlab.say('Bucket 0 will end.');\nconst since = "
                            "lab.here();\nlab.kill(lab.data(0));\nlab.say('Its process is gone.');\n"
                            "lab.waitFor('RecoveryFinished', { since: since, timeout: 30 "
                            "});\nlab.settle();\nlab.say('It is back.');\n"));
        QVERIFY(stage.untilStop());
        const auto ended = [&] {
            const ClusterState& state = stage.window.canvas().state();
            return std::count_if(state.processes.begin(), state.processes.end(),
                [](const auto& entry) { return entry.second.hasEnded; });
        };
        hasStops ? stage.press("nextStep") : stage.press("runScenario");
        bool isEarly = false;
        const auto until = [&](const char* caption) {
            return stage.until([&] {
                isEarly = isEarly
                    || (ended() > 0 && stage.caption() != "Its process is gone."
                        && stage.caption() != "Bucket 0 will end.");
                if (stage.director().await() == Await::Step)
                    stage.press("nextStep");
                return stage.caption() == caption;
            });
        };
        QVERIFY(until("All is well."));
        QVERIFY(until("Bucket 0 will end."));
        QCOMPARE(ended(), std::ptrdiff_t(0));
        QVERIFY(until("Its process is gone."));
        QCOMPARE(ended(), std::ptrdiff_t(1));
        QVERIFY(!isEarly);
        QVERIFY(until("It is back."));
    }
}

// A person's own entries: marks, and one key.
void ReelTest::whoeverMarksAnIntervalSeesItAgain()
{
    ShowStage stage;
    QVERIFY(stage.begin(kLecture));
    QVERIFY(stage.untilStop() && stage.goOn());
    QCOMPARE(bucketsShown(stage), std::size_t(2));
    const std::int64_t begin = stage.window.timeLine().beginNs();
    stage.window.timeBar().track().addMark({ begin, 0, TimeMark::Kind::Own, "from here" });
    stage.press("again");
    QVERIFY(stage.frame());
    QVERIFY2(stage.director().repeated().startsWith("again"), qPrintable(stage.director().repeated()));
    QVERIFY(stage.until([&] { return bucketsShown(stage) < 2; }, 30));
    QVERIFY(stage.until([&] { return stage.director().repeated().isEmpty(); }, 600));
    QCOMPARE(bucketsShown(stage), std::size_t(2));
    QCOMPARE(stage.caption(), QString("It has been split."));
    QVERIFY(stage.goOn()); // and the lecture goes on
    QCOMPARE(stage.director().await(), Await::Question);
}

// No script drives the cluster: what happens is told, with its cause.
void ReelTest::freePlayHasANarrator()
{
    FakeCluster cluster({ 4, 4, 1 });
    MainWindow window(options());
    window.show();
    window.start().connectTo(cluster.address());
    QTRY_VERIFY_WITH_TIMEOUT(
        window.cluster().link().state() == LinkState::Here && window.pacer().state().processes.size() == 18, 60'000);
    QVERIFY2(
        window.player().strip().isVisible() && window.player().words().caption.startsWith("What happens is told here."),
        qPrintable(window.player().words().caption));
    pb::Event failed;
    failed.mutable_bucket_failed()->set_role(pb::DATA);
    failed.mutable_bucket_failed()->set_index(2);
    failed.mutable_bucket_failed()->set_process(kFileData + 2);
    failed.mutable_bucket_failed()->set_k_left(0);
    cluster.tell(kFileCoordinator, failed);
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.player().words().caption.startsWith("Bucket 2 does not answer and is declared failed"),
        qPrintable(window.player().words().caption), 60'000);
    QCOMPARE(window.player().story().lines().back().text, window.player().words().caption); // and it stays readable
}

void ReelTest::theFirstButtonIsForWhoeverHasNeverSeenIt()
{
    MainWindow window(options());
    window.show();
    auto* button = window.startPage().findChild<QPushButton*>("neverSeen");
    QVERIFY(button->isVisible() && button->text().startsWith("Never seen LH*RS?"));
    QSignalSpy wanted(&window.startPage(), &StartPage::scenarioWanted);
    window.startPage().disconnect(&window.files()); // nothing is to be started
    button->click();
    QCOMPARE(wanted.size(), 1);
    QCOMPARE(wanted[0][0].toString(), QString(LHRS_SOURCE_DIR "/scenarios/demo.js"));
}

int main(int count, char** arguments) { return runOffscreen<ReelTest>(count, arguments); }
#include "tst_reel.moc"
