// SPDX-License-Identifier: GPL-3.0-or-later
// The story of a run: the final list of the narrator's sentences, and the place where it is read, the summary of the
// log.
#include "gui/lab/export/run_story.h"
#include "gui/view/panels/narration_model.h"
#include "gui/view/panels/event_log.h"
#include "gui/window/show/window_time.h"
#include "tests/rigs/gui/show_stage.h"
#include "tests/rigs/gui/window_part.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSet>
#include <QTableView>
#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

const QString kLecture = QStringLiteral(
    "lab.cluster({ m: 4, k: 1, b: 10, spares: { data: 6, parity: 3 } });\n"
    "const alice = lab.client('alice');\n"
    "lab.step('a', 'Growth');\n"
    "const since = lab.here();\n"
    "alice.run({ do: 'insert', count: 11 });\n"
    "const split = lab.waitFor('SplitFinished', { since: since });\n"
    "lab.settle();\n"
    "const full = lab.events({ kind: 'BucketOverflowed', since: since })[0];\n"
    "lab.say('It has been split.', { at: split });\n"
    "lab.step('b', 'Once more');\n"
    "alice.run({ do: 'insert', count: 5 });\n"
    "lab.replay({ from: full, to: split, speed: 0.01, at: [[split, 'It was split here.']] });\n"
    "lab.say('Back in the present.');\n");

} // namespace

class RunStoryTest : public QObject {
    Q_OBJECT
private slots:
    void theStoryIsAsItEnded();
    void whatIsSeenByLookingIsToldOnce();
    void theLogHasASummary();
};

// The final story: a sentence that continues another is listed once, at its last position; a repeated one is not added
// again.
void RunStoryTest::theStoryIsAsItEnded()
{
    RunStory story;
    QVERIFY(story.add({ 5, 50, "A split.", 0 }, 5));
    QVERIFY(story.add({ 9, 90, "A record is lost.", 0 }, 9));
    QVERIFY(story.add({ 12, 120, "Two splits.", 5 }, 12));
    QVERIFY(story.add({ 0, 130, "A process stands still.", 0 }, 13));
    const std::vector<RunStory::Line> wanted { { 9, 90, "A record is lost." }, { 12, 120, "Two splits." },
        { 13, 130, "A process stands still." } };
    QVERIFY(story.lines() == wanted);
    const std::uint64_t version = story.version();
    QVERIFY(!story.add({ 9, 90, "A record is lost.", 0 }, 9)); // a repeat
    QVERIFY(!story.add({ 14, 140, "Three splits.", 5 }, 14)); // its predecessor is replaced already
    QVERIFY(story.lines() == wanted && story.version() == version);
    // An earlier instant is inserted at its place.
    QVERIFY(story.add({ 7, 70, "Between.", 0 }, 13));
    QCOMPARE(story.lines().front().text, QString("Between."));
    story.clear();
    QVERIFY(story.lines().empty());
    // A long run drops its beginning.
    for (std::uint64_t event = 1; event <= RunStory::kLinesMax + 10; ++event)
        QVERIFY(story.add({ event, std::int64_t(event), "x", 0 }, event));
    QCOMPARE(story.lines().size(), RunStory::kLinesMax);
    QCOMPARE(story.lines().front().event, std::uint64_t(11));
}

void RunStoryTest::whatIsSeenByLookingIsToldOnce()
{
    RunStory story;
    QVERIFY(story.add({ 0, 2'000'000'000, "A process stands still.", 0 }, 3));
    QVERIFY(!story.add({ 0, 2'100'000'000, "A process stands still.", 0 }, 3)); // of the same instant, seen again
    QVERIFY(story.add({ 0, 9'000'000'000, "A process stands still.", 0 }, 8)); // a new pause
    QCOMPARE(story.lines().size(), std::size_t(2));
}

// The log's summary is the narrator's story, also while a scenario speaks, up to the shown instant.
void RunStoryTest::theLogHasASummary()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("story.lhrun");
    const auto rowsOf = [](ShowStage& stage) {
        NarrationModel& narration = part<EventLog>(stage.window).narration();
        QStringList rows;
        for (int row = 0; row < narration.rowCount(); ++row)
            rows << narration.index(row, NarrationModel::What).data().toString();
        return rows;
    };
    const auto open = [](ShowStage& stage) {
        stage.window.setWorkspace(MainWindow::Workspace::Inspect);
        part<EventLog>(stage.window).findChild<QComboBox*>("logKind")->setCurrentIndex(int(LogFilter::Kind::Summary));
        return stage.frame() && part<EventLog>(stage.window).findChild<QTableView*>("narrationTable") != nullptr;
    };
    QStringList live;
    {
        ShowStage stage;
        QVERIFY(stage.begin(kLecture));
        QVERIFY(stage.untilStop());
        QVERIFY(open(stage));
        while (!stage.director().isOver())
            QVERIFY(stage.goOn());
        QVERIFY(stage.frame() && stage.frame());
        live = rowsOf(stage);
        QVERIFY2(!live.filter("bucket 0 splits").isEmpty(), qPrintable(live.join('\n')));
        QCOMPARE(QSet<QString>(live.begin(), live.end()).size(), live.size()); // repeated events add no sentence
        auto* table = part<EventLog>(stage.window).findChild<QTableView*>("narrationTable");
        QVERIFY(table->isVisible() && !part<EventLog>(stage.window).findChild<QTableView*>("logTable")->isVisible());
        // The filter finds part of a sentence.
        auto* text = part<EventLog>(stage.window).findChild<QLineEdit*>("logText");
        text->setText("splits");
        QVERIFY(stage.frame());
        QCOMPARE(rowsOf(stage), live.filter("splits"));
        text->setText("no such words");
        QVERIFY(stage.until([&] { return !table->isVisible(); }));
        text->clear();
        QVERIFY(stage.until([&] { return table->isVisible(); }));
        QVERIFY(stage.window.time().save(path));
    }
    ShowStage stage;
    QCOMPARE(stage.window.files().openRecording(path), QString());
    QVERIFY(stage.untilStop());
    QVERIFY(open(stage));
    QVERIFY(rowsOf(stage).size() < live.size()); // the show is at its beginning
    while (!stage.director().isOver())
        QVERIFY(stage.goOn());
    QVERIFY(stage.frame());
    // Events before the first step were not shown live; the recording has them.
    QVERIFY2(rowsOf(stage).value(0).startsWith("The file begins with bucket 0"), qPrintable(rowsOf(stage).value(0)));
    QCOMPARE(rowsOf(stage).mid(rowsOf(stage).size() - live.size()), live);
}

int main(int count, char** arguments) { return runOffscreen<RunStoryTest>(count, arguments); }
#include "tst_run_story.moc"
