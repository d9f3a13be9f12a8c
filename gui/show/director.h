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

// Moves the show along the reel: for each frame it decides up to which event the picture goes and which entries of
// the script are shown.
//
// An entry has its turn when everything up to its cue has been painted. A caption stays for its reading time, and
// until everything before the next caption has been painted. A question stays until it is answered; an answer, and
// the end of a step, until a key is pressed. Captions and picture thus stay in step, however far the script runs
// ahead. A recorded reel gives the same show, without a script.
class Director {
public:
    // Both must outlive this object.
    Director(Pacer& pacer, TimeLine& time) : m_pacer(pacer), m_time(time) { }

    // What the script does meanwhile. Only a running script can add entries for events that were already received.
    // Person: the script waits for a person to act on the cluster, so the picture follows what happens.
    enum class Script { None, Runs, Waits, Person, Over };
    // The stop at which the show waits for a key.
    enum class Await { Nothing, Begin, Step, Question, Answer };
    // The effect of a key.
    enum class Went { Nowhere, Skipped, Answered, NextStep, Resumed };

    // ---- the reel
    // A script begins; its entries arrive one by one.
    void beginLive();
    void add(ReelEntry entry);
    void setScript(Script script);
    // The complete reel of a recording, which the time line shows.
    void beginRecorded(std::vector<ReelEntry> reel);
    // Ends the show; the picture is then that of the time line.
    void end();
    bool isOn() const { return m_isOn; }
    bool isRecorded() const { return m_isRecorded; }
    // Everything has been shown, and nothing more will come.
    bool isOver() const { return m_script == Script::Over && nextEntry() == nullptr && !m_again && !m_isAway; }

    bool waitsForPerson() const { return m_script == Script::Person; }
    // A person acts, and nothing is being told.
    bool isFree() const { return waitsForPerson() && nextEntry() == nullptr && !m_again && !m_isAway; }

    // Sets a function that is called while events that have happened are not recorded yet.
    void setHurry(std::function<void()> hurry) { m_hurry = std::move(hurry); }

    // Not everything up to the gate is recorded yet: the picture waits for a while.
    bool isStarved() const;

    // ---- per frame
    void advance(double seconds);
    // The entries whose turn came in this frame, in order. The window shows their effects besides the caption.
    std::vector<ReelEntry> takeShown();

    // ---- requests of a person
    Went next();
    // Goes to the beginning of this step, or of the previous one if this one has just begun.
    void back();
    void setPaused(bool on);
    bool isPaused() const { return m_isPaused; }
    // A person looks at another instant; next() returns from there.
    bool isAway() const { return m_isAway; }
    // Skips to the newest state: everything known is shown at once.
    void toNow();
    // Continues where the show was before a person looked at another instant.
    void resume();
    // Replays an interval of the run slowly; also without a show. False: nothing of it is recorded.
    bool replay(const ReelEntry& interval);
    // Whether the show stops at steps, questions and answers.
    void setStops(bool on) { m_hasStops = on; }
    bool hasStops() const { return m_hasStops; }
    // Speed of pictures and, above 1, of captions; 1: as scripted. kInstant: takes no time, for pictures and tests.
    void setSpeed(double speed);
    double speed() const { return m_speed; }

    // ---- text to be read
    const QString& caption() const { return m_caption.text; }
    const std::optional<ReelEntry>& question() const { return m_question; } // the question being asked
    const std::optional<ReelEntry>& answer() const { return m_answer; } // the answer to it
    Await await() const;
    // "again, 400 times slower" while an interval is replayed, else empty.
    const QString& repeated() const { return m_repeated; }
    std::size_t stepsShown() const { return m_steps; }
    // How far the picture is behind the run, in ns of run time; 0: not at all.
    std::int64_t behindNs(std::int64_t nowNs) const;
    // The event that the picture last jumped to; later events are painted one by one.
    std::uint64_t begunAt() const { return m_begunAt; }
    // How often the picture has jumped to an instant other than the one it showed: nothing that was moving before
    // belongs to the picture afterwards.
    std::uint64_t cuts() const { return m_cuts; }
    // Duration of the show, in s, without pauses.
    double clock() const { return m_clock; }

    // The minimum display time of a text, for a slow reader, in s.
    static double readingSeconds(const QString& text);
    static constexpr double kSlowest = 0.125, kFastest = 8, kInstant = 1e6;

private:
    struct Caption {
        QString text;
        double since = 0; // on the clock of the show
        std::optional<Cue> until; // it stays until that cue is painted
    };
    struct Repetition {
        std::vector<ReelEntry> entries;
        std::size_t next = 0;
        Cue until;
        std::uint64_t main = 0; // event at which the show continues afterwards
        std::int64_t mainNs = 0; // and the time up to which reports are included there
        bool wasShow = true; // false: afterwards the picture follows the run
        double hop = 0; // travel time of a message, in s
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
    bool m_isVisit = false; // no show, only a replay that a person requested
    bool m_isAway = false; // a person looks at another instant
    Script m_script = Script::None;
    std::vector<ReelEntry> m_reel;
    std::size_t m_next = 0; // index in the reel
    std::size_t m_steps = 0;
    bool m_isGranted = false; // a key has requested the next step
    bool m_isSkipping = false; // skips to the next caption
    double m_clock = 0, m_postedAt = 0, m_stepAt = 0, m_starvedSince = 0;
    std::chrono::steady_clock::time_point m_lookedAt {};
    std::uint64_t m_awaited = 0; // event that must be recorded before the picture continues
    bool m_isGivenUp = false; // it is not recorded yet, and all that is there has been painted
    std::function<void()> m_hurry;
    Cue m_posted; // of the newest entry
    double m_speed = 1, m_scene = 1; // set by the person, and set by the scenario with lab.camera
    double m_dwellUntil = 0;
    Caption m_caption;
    std::optional<ReelEntry> m_question, m_answer;
    bool m_isAnswered = false, m_isAnswerSeen = false;
    Cue m_gate; // nothing beyond it is shown while it is set
    std::optional<Repetition> m_again;
    QString m_repeated;
    std::uint64_t m_begunAt = 0, m_cuts = 0;
    std::int64_t m_stoodNs = 0;
    std::uint64_t m_stoodAt = 0; // event that the show had reached
    std::vector<ReelEntry> m_shown;
};

} // namespace lhrs::gui
