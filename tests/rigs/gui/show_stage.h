// SPDX-License-Identifier: GPL-3.0-or-later
// A window that plays a scenario on a simulated cluster in the show's own time. The test makes the frames, and a frame
// is made only when the script has reached its next stop. So a show is the same on every machine, and reading times
// cost no real time.
#pragma once

#include "gui/lab/local/local_cluster.h"
#include "tests/rigs/gui/window_options.h"

#include "gui/lab/live/ingest.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <vector>

namespace lhrs::gui {

class ShowStage {
public:
    static constexpr double kFrame = 0.1; // seconds of the show
    static constexpr int kWriteMost = 20'000; // ms of real time within which a recorder writes what has happened

    explicit ShowStage(MainWindow::Options wanted = options(), QSize size = { 1280, 720 }) : window(wanted)
    {
        window.clock().stop();
        window.resize(size);
        window.show();
        QObject::connect(
            &window.player(), &Player::entryShown, &window, [this](const ReelEntry& entry) { shown.push_back(entry); });
        SimulatedOptions simulated;
        simulated.seed = 7;
        simulated.waitsForScript = true; // seed and calls determine the run
        window.cluster().session().local().preferSimulated(simulated);
        window.player().run().settings().paperDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios/paper");
    }

    // Writes the text into a file and starts it; afterwards the script waits before its first step, or has ended.
    bool begin(const QString& script)
    {
        QFile file(m_folder.filePath("script.js"));
        return file.open(QIODevice::WriteOnly) && file.write(script.toUtf8()) > 0
            && (file.close(), open(file.fileName()));
    }
    bool open(const QString& path)
    {
        if (!window.files().openScenario(path, true) || !awaitScript())
            return false;
        // The window hears of its cluster a moment later, and enables the actions then.
        const auto isHere = [this] {
            return window.cluster().link().state() == LinkState::Here || !window.player().run().isRunning()
                || window.player().run().clusters().empty();
        };
        return QTest::qWaitFor(isHere, 20'000) && frame() && frame() && frame();
    }

    // False: the script does not reach a stop.
    bool awaitScript()
    {
        constexpr int kMost = 120'000; // ms of real time
        return QTest::qWaitFor(
            [this] {
                if (!window.player().run().stands())
                    make(0); // takes what the script has said
                return window.player().run().stands();
            },
            kMost);
    }

    // One frame; false: the script does not reach a stop.
    bool frame(double seconds = kFrame)
    {
        if (!awaitScript())
            return false;
        // The next events are still being written: real time, which is not part of the show's time.
        const auto isWritten = [this] {
            if (window.director().isStarved())
                make(0);
            return !window.director().isStarved();
        };
        if (!QTest::qWaitFor(isWritten, kWriteMost))
            return false;
        make(seconds);
        return true;
    }

    // Frames until the condition holds. False: it did not within this many seconds of the show.
    bool until(const std::function<bool()>& holds, double secondsMost = 600)
    {
        for (const double end = played + secondsMost; played < end;) {
            if (holds())
                return true;
            if (!frame())
                return false;
        }
        return holds();
    }
    // Frames until the show waits for a key or is over.
    bool untilStop(double secondsMost = 600)
    {
        return until(
            [this] { return director().isOver() || director().await() != Director::Await::Nothing; }, secondsMost);
    }
    // A key of the presenter, and all frames up to the next stop.
    bool goOn(double secondsMost = 600)
    {
        press("nextStep");
        return frame() && untilStop(secondsMost);
    }
    void press(const char* action) { window.actions().get(action)->trigger(); }

    Director& director() { return window.director(); }
    QString caption() { return window.player().words().caption; }
    // Texts of that kind that were shown since.
    QStringList texts(ReelEntry::Kind kind) const
    {
        QStringList all;
        for (const ReelEntry& entry : shown)
            if (entry.kind == kind)
                all << entry.text;
        return all;
    }

    MainWindow window;
    std::vector<ReelEntry> shown; // entries that were shown
    double played = 0; // seconds of the show
    std::function<void(double seconds)> onFrame;

private:
    void make(double seconds)
    {
        window.clock().step(seconds);
        played += seconds;
        if (onFrame)
            onFrame(seconds);
    }

    QTemporaryDir m_folder;
};

} // namespace lhrs::gui
