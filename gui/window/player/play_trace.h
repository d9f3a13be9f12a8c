// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/script_observer.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace lhrs::gui {

// A step that a script has reached, in the order in which steps were reached.
struct PlayedStep {
    int line = 0;
    QString id, title;
    double seconds = 0; // until the next step; without the time in which the script waited to be told to go on
    bool isOver = false;
};

// An error in a line: a failed expectation with both values, or the error that ended the script.
struct LineFault {
    int line = 0;
    QString text;
    bool operator==(const LineFault&) const = default;
};

// How far a script has come in its text.
struct PlayState {
    std::uint64_t version = 0; // changes whenever something else changes
    bool isRunning = false, isHeld = false;
    int line = 0; // of the call that is under way, or before which the script waits
    QString call;
    std::map<int, double> reached; // lines whose calls have begun, with the first time in seconds of the run
    std::vector<PlayedStep> steps;
    std::vector<LineFault> faults;
    std::uint64_t rows = 0; // of all tables
};

// Records where a script is. The script's thread reports calls, steps, faults, rows and the end. The window's thread
// starts and continues the script, and reads the state.
class PlayTrace {
public:
    void start();
    void call(int line, const QString& call);
    void hold(int line, const QString& call);
    void proceed(); // told to go on
    void step(const QString& id, const QString& title);
    void fault(int line, const QString& text);
    void row();
    void finish(const ScriptResult& result);

    std::uint64_t version() const;
    PlayState state() const;

private:
    using Clock = std::chrono::steady_clock;
    double now() const; // seconds of the run, without waiting
    void release();
    void endStep();

    mutable std::mutex m_mutex; // guards the members below
    PlayState m_state;
    Clock::time_point m_start, m_heldSince;
    Clock::duration m_held {};
    double m_stepBegan = 0;
};

} // namespace lhrs::gui
