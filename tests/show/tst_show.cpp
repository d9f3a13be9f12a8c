// SPDX-License-Identifier: GPL-3.0-or-later
// Every scenario as a show: run in the window on a simulated cluster, in the show's own time, and judged by the rules
// for a good show.
#include "tests/show/show_frames.h"
#include "tests/rigs/gui/show_judge.h"
#include "tests/rigs/gui/show_stage.h"

#include "gui/lab/script/scenario_file.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr double kAfterReading = 1; // seconds after the reading time until the key is pressed

} // namespace

class ShowTest : public QObject {
    Q_OBJECT
private slots:
    void theShowIsWellTold_data();
    void theShowIsWellTold();
};

void ShowTest::theShowIsWellTold_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("isPresented");
    QTest::addColumn<QStringList>("sets");
    constexpr QSize kSmall(1280, 720), kHall(1920, 1080), kWall(3840, 2160);
    const auto row = [=](const char* file, const QStringList& sets = {}) {
        QTest::newRow(file) << QString(file) << kSmall << false << sets;
    };
    for (const char* file : { "demo.js", "grow.js", "stale_image.js", "degraded_search.js", "recover_k.js",
             "beyond_k.js", "raise_availability.js", "parity_by_hand.js", "walk.js" }) {
        row(file);
        QTest::newRow(qPrintable(QString("%1 in a hall").arg(file))) << QString(file) << kHall << true << QStringList();
    }
    QTest::newRow("demo.js on a wall") << QString("demo.js") << kWall << true << QStringList();
    QTest::newRow("demo.js on a small projector") << QString("demo.js") << kSmall << true << QStringList();
    // Experiments, which are shortened here.
    row("recovery_ways.js", { "records=4000", "repetitions=1", "slice=500", "searches=200" });
    row("reading_a_measurement.js", { "records=500", "searches=300", "repetitions=2" });
    row("parity_tables.js", { "repetitions=1", "sizes=200" });
    row("recovery_tables.js", { "repetitions=1", "records=2000", "parts=5" });
    row("record_recovery.js", { "repetitions=1", "records=2000", "counts=100" });
    row("search_times.js", { "repetitions=1", "records=2000", "counts=500" });
    row("file_creation.js", { "repetitions=1", "records=600", "b=240" });
    row("network_speed.js", { "repetitions=1", "records=2000", "slice=200" });
}

void ShowTest::theShowIsWellTold()
{
    QFETCH(const QString, file);
    QFETCH(QSize, size);
    QFETCH(bool, isPresented);
    QFETCH(const QStringList, sets);
    const QString path = QStringLiteral(LHRS_SOURCE_DIR "/scenarios/") + file;
    if (ShowFrames::isInHall()) {
        isPresented = true;
        size = { 1920, 1080 };
    }
    MainWindow::Options wanted = options();
    if (ShowFrames::isDark())
        wanted.theme = MainWindow::ThemeChoice::Dark;
    ShowStage stage(wanted, size);
    MainWindow& window = stage.window;
    ShowFrames frames(window, QTest::currentDataTag());
    if (isPresented) {
        window.setPresenting(true);
        window.setWindowState(Qt::WindowNoState); // the test screen has its own size
        window.resize(size);
    }
    ScriptSettings& settings = window.player().run().settings();
    for (const QString& set : sets)
        settings.sets[set.section('=', 0, 0)] = set.section('=', 1);
    ShowJudge judge(window);
    bool isDrawn = true;
    stage.onFrame = [&](double seconds) {
        judge.look(seconds);
        isDrawn = frames.look(seconds) && isDrawn;
    };
    QVERIFY(stage.open(path));
    Director& director = window.director();
    for (double readAt = -1; !director.isOver();) {
        QVERIFY2(stage.frame(), qPrintable(stage.caption()));
        QVERIFY2(stage.played < 3'600, qPrintable(stage.caption()));
        if (director.await() == Director::Await::Nothing) {
            readAt = -1;
            continue;
        }
        if (readAt < 0)
            readAt = stage.played + Director::readingSeconds(director.caption()) + kAfterReading;
        if (stage.played < readAt)
            continue;
        readAt = -1;
        judge.pressed();
        stage.press("nextStep");
    }
    const ScriptResult result = window.player().run().engine().result();
    QVERIFY2(result.outcome == ScriptOutcome::Held, qPrintable(result.sentence()));
    QVERIFY(isDrawn);
    // A shortened scenario is not judged by its length.
    judge.finish(sets.isEmpty() ? headerOf(window.player().scenario().source).minutes.toDouble() : 0);
    for (const QString& fault : judge.faults())
        qWarning("%s", qPrintable(fault));
    QCOMPARE(judge.faults().size(), 0);
}

int main(int count, char** arguments) { return runOffscreen<ShowTest>(count, arguments); }
#include "tst_show.moc"
