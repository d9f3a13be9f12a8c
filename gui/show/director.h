// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/reel.h"
#include "gui/lab/replay/time_line.h"
#include "gui/show/pacer.h"

#include <QString>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lhrs::gui {

// Moves the show along the reel: decides, frame by frame, up to which event the picture goes and when what the script says is said.
//
// An entry has its turn when everything up to its cue has been painted. A caption stays for its reading time, and until all that
// stands before the next one has been painted; a question stays until it is answered, an answer and the end of a step until a key.
// So word and picture never overtake each other, however far the script runs ahead. A recorded reel is the same show: the script
// is missing, and nothing else.
class Director {
public:
    // Both outlive it.
    Director(Pacer& pacer, TimeLine& time) : m_pacer(pacer), m_time(time) {}

    // What the script does meanwhile. Only while it runs on may there be entries to come that belong to what has been received.
    // Person: it waits for somebody who acts on the cluster, so the picture follows what happens.
    enum class Script { None, Runs, Waits, Person, Over };
    // What the show waits for a key for.
    enum class Await { Nothing, Begin, Step, Question, Answer };
    // What a key has done.
    enum class Went { Nowhere, Skipped, Answered, NextStep, Resumed };

    // ---- the reel
    // A script begins: its entries come one by one.
    void beginLive();
    void add(ReelEntry entry);
    void setScript(Script script);
    // The whole reel of a recording, which the time line shows.
    void beginRecorded(std::vector<ReelEntry> reel);
    // No show any more; the picture is as the time line has it.
    void end();
    bool isOn() const { return m_isOn; }
    bool isRecorded() const { return m_isRecorded; }
    // All that there is has been shown, and nothing is to come.
    bool isOver() const { return m_script == Script::Over && nextEntry() == nullptr && !m_again && !m_isAway; }

    bool waitsForPerson() const { return m_script == Script::Person; }
    // Somebody acts, and nothing is told meanwhile.
    bool isFree() const { return waitsForPerson() && nextEntry() == nullptr && !m_again && !m_isAway; }

    // Called while what has happened is not recorded yet.
    void setHurry(std::function<void()> hurry) { m_hurry = std::move(hurry); }

    // Not all up to the gate is recorded yet: the picture stands, for a while.
    bool isStarved() const;

    // ---- per frame
    void advance(double seconds);
    // The entries that had their turn in this frame, in order: what is seen of them beside the caption is the window's.
    std::vector<ReelEntry> takeShown();

    // ---- what a person wants
    Went next();
    // The beginning of this step; of the step before, when this one has just begun.
    void back();
    void setPaused(bool on);
    bool isPaused() const { return m_isPaused; }
    // Somebody looks at another instant; next() comes back from there.
    bool isAway() const { return m_isAway; }
    // All that is known at once: the picture is the newest.
    void toNow();
    // Goes on where it stood before somebody looked at another instant.
    void resume();
    // An interval of the run once more, slowly; also where there is no show. False: nothing of it is recorded.
    bool replay(const ReelEntry& interval);
    // Without stopping at steps, questions and answers.
    void setStops(bool on) { m_hasStops = on; }
    bool hasStops() const { return m_hasStops; }
    // Of pictures and, where it is above 1, of captions: 1 as told. kInstant: without any time, for pictures and tests.
    void setSpeed(double speed);
    double speed() const { return m_speed; }

    // ---- what is to be read
    const QString& caption() const { return m_caption.text; }
    const std::optional<ReelEntry>& question() const { return m_question; } // that is asked
    const std::optional<ReelEntry>& answer() const { return m_answer; }     // of it
    Await await() const;
    // "again, 400 times slower" while an interval is repeated, else empty.
    const QString& repeated() const { return m_repeated; }
    std::size_t stepsShown() const { return m_steps; }
    // By how much the picture is behind the run, in ns of it; 0: it is not.
    std::int64_t behindNs(std::int64_t nowNs) const;
    // The event after which the picture was last cut to: what follows is painted one by one.
    std::uint64_t begunAt() const { return m_begunAt; }
    // Seconds of the show since it began, while it went on.
    double clock() const { return m_clock; }

    // How long a text must stay at least: slow reading.
    static double readingSeconds(const QString& text);
    static constexpr double kSlowest = 0.125, kFastest = 8, kInstant = 1e6;

private:
    struct Caption {
        QString text;
        double since = 0;           // on the clock of the show
        std::optional<Cue> until;   // it stays until that is painted
    };
    struct Repetition {
        std::vector<ReelEntry> entries;
        std::size_t next = 0;
        Cue until;
        std::uint64_t main = 0;     // event at which the show goes on afterwards
        std::int64_t mainNs = 0;    // and up to when words belong to that
        bool wasShow = true;        // else the picture follows the run afterwards
        double hop = 0;             // seconds that a message travels
    };

    const ReelEntry* nextEntry() const;
    Cue turnOf(const ReelEntry& entry) const;
    bool isTaken(const ReelEntry& entry) const;
    void goOnFromNow();
    bool mayApply(const ReelEntry& entry) const;
    void apply(const ReelEntry& entry);
    void applyInTurn();
    void say(const QString& text, const std::optional<Cue>& until);
    bool hasBeenRead() const;
    bool isStopped() const;
    void openGate();
    void setGate(const std::optional<Cue>& gate);
    void lookAhead();
    bool cutTo(std::uint64_t event, std::int64_t ns);
    std::int64_t nsShown() const;
    void beginRepetition(const ReelEntry& entry);
    void endRepetition();
    void leave();
    bool isInstant() const { return m_speed >= kInstant; }
    void setHop();

    Pacer& m_pacer;
    TimeLine& m_time;
    bool m_isOn = false, m_isRecorded = false, m_isPaused = false, m_hasStops = true;
    bool m_isVisit = false;    // no show but a repetition that somebody wanted
    bool m_isAway = false;     // somebody looks at another instant
    Script m_script = Script::None;
    std::vector<ReelEntry> m_reel;
    std::size_t m_next = 0;    // of the reel
    std::size_t m_steps = 0;
    bool m_isGranted = false;  // a key has asked for the next step
    bool m_isSkipping = false; // up to the next caption
    double m_clock = 0, m_postedAt = 0, m_stepAt = 0, m_starvedSince = 0;
    std::chrono::steady_clock::time_point m_lookedAt {};
    std::uint64_t m_awaited = 0; // event up to which is to be recorded before the picture goes on
    bool m_isGivenUp = false;    // it is not, and what there is has been painted
    std::function<void()> m_hurry;
    Cue m_posted;              // of the newest entry
    double m_speed = 1, m_scene = 1; // the person's, and what the scenario asked for by lab.camera
    double m_dwellUntil = 0;
    Caption m_caption;
    std::optional<ReelEntry> m_question, m_answer;
    bool m_isAnswered = false, m_isAnswerSeen = false;
    Cue m_gate;                // behind which nothing is shown while it stands
    std::optional<Repetition> m_again;
    QString m_repeated;
    std::uint64_t m_begunAt = 0;
    std::int64_t m_stoodNs = 0;
    std::uint64_t m_stoodAt = 0; // event up to which the show had come
    std::vector<ReelEntry> m_shown;
};

} // namespace lhrs::gui
