// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario as a show: run in the window on a simulated cluster, in the show's own time, and judged by the rules for a
// good show.
#pragma once

#include "tests/rigs/gui/show_judge.h"
#include "tests/rigs/gui/show_stage.h"
#include "tests/show/show_frames.h"

#include "gui/lab/script/scenario_file.h"

#include <QTest>

namespace lhrs::gui {

// The scenarios that tell; the others measure.
inline constexpr const char* kShows[] = { "demo.js", "grow.js", "stale_image.js", "degraded_search.js", "recover_k.js",
    "beyond_k.js", "raise_availability.js", "parity_by_hand.js", "walk.js" };

inline constexpr double kAfterReading = 1; // seconds after the reading time until the key is pressed

inline void addShowColumns()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<bool>("isPresented");
    QTest::addColumn<QStringList>("sets");
}

// Plays the row of the table, and fails the test for each fault.
inline void playShow()
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

} // namespace lhrs::gui
