// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/director.h"
#include "gui/view/time/frame_clock.h"
#include "gui/window/caption/caption_strip.h"
#include "gui/window/caption/past_captions.h"
#include "gui/window/player/reel_charts.h"
#include "gui/window/player/script_run.h"
#include "gui/window/caption/show_story.h"
#include "gui/window/caption/story_plan.h"
#include "gui/window/caption/told_words.h"

#include <QObject>

#include <functional>
#include <vector>

namespace lhrs::gui {

class Session;

// Plays a scenario for an audience: the present step and caption in large letters, and one key to go on. What the
// script says is put on the reel once per frame, and shown when the director reaches it. The player decides what the
// strip shows: the words of the show, the narrator's, or those of a past instant.
class Player : public QObject, public FrameView {
    Q_OBJECT
public:
    // The director must outlive the player. The strip has no parent yet: its place in the order of the Tab key is where
    // the window puts it.
    Player(Session& session, Director& director, QObject* parent = nullptr);

    // Loads the text of a scenario without running it. False: the file cannot be read, or is not a valid program; the
    // caption says so.
    bool load(const QString& path);
    // Sets the current text of the same scenario or of another one; it has been checked. What the last run said stays.
    void setText(const QString& source, const QString& file);
    // Clears what the last run said, because something else begins. Not to be called while a scenario runs.
    void forgetWords();
    const LoadedScenario& scenario() const { return m_scenario; }
    bool isLoaded() const { return !m_scenario.source.isEmpty(); }
    // `prepare` is called before each run and may set the newest text. It returns a sentence if the scenario cannot
    // run.
    void setPrepare(std::function<QString()> prepare) { m_prepare = std::move(prepare); }
    // Adds the facts of the scenario and of its present or last run.
    RunFacts runFacts(RunFacts facts) const;

    // ---- the show
    // Runs up to the first step, which then waits for next().
    void start() { launch(ScriptStops::BeforeSteps); }
    // Goes to the next step; starts the scenario if none runs, and skips a question.
    void next();
    // Makes one call only, and starts the scenario if none runs.
    void nextCall();
    // Runs to the end without stopping at steps.
    void runToEnd();
    // A vote for the choice with this number, from 1; or one vote more or fewer for the choice that was named last.
    void vote(int choice);
    void voteAgain(int difference);
    // The show has reached a step and waits for next().
    bool isHeld() const
    {
        return m_director.await() == Director::Await::Step || m_director.await() == Director::Await::Begin;
    }
    // Shows the reel of a recording instead of a script, and the charts that it opens.
    void showReel(std::vector<ReelEntry> reel, const std::vector<MeasureChart>& charts);

    // The narrator may speak: no script speaks, or the script waits for a person to act.
    bool isFree() const { return !m_director.isOn() || m_director.isOver() || m_director.isFree(); }
    // Captions of a past instant, instead of those of the running script; null: those of the script again.
    void showPast(const CaptionTrack* track, const CaptionTrack::Instant& instant = {});

    // ---- per frame
    // To be called before the director's frame: moves new output of the script onto the reel.
    void collect();
    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);

    // ---- the parts
    ScriptRun& run() { return m_run; }
    const ScriptRun& run() const { return m_run; }
    CaptionStrip& strip() { return *m_strip; }
    ToldWords& told() { return m_told; } // what the narrator says
    StoryModel& story() { return m_story.model(); }
    // What the strip shows now.
    const StripWords& words() const { return m_past.isOn() ? m_past.words() : m_now; }

signals:
    void stepShown(const QString& words);
    void runningChanged(bool isRunning);
    void finished();
    void cameraWished(const lhrs::gui::CameraWish& wish);
    void highlightWished(const QStringList& targets, const QString& words, double seconds);
    void chartWished(const lhrs::gui::MeasureChart& chart, bool isNew);
    void entryShown(const lhrs::gui::ReelEntry& entry);

private:
    void launch(ScriptStops stops);
    void goOn(ScriptStops stops);
    void showEntry(const ReelEntry& entry);
    void showQuestion();
    void showProgress();
    void showButtons();
    void showWords();
    void setCaption(const QString& text);
    void setProgress(const QString& text);
    bool mayVote() const;

    Director& m_director;
    std::function<QString()> m_prepare;
    LoadedScenario m_scenario;
    int m_stepsInAll = 0; // of the show; 0: unknown
    ShowStory m_story;
    ReelCharts m_charts;
    ToldWords m_told;
    PastCaptions m_past;
    StripWords m_now; // of the present
    CaptionStrip* m_strip;
    ScriptRun m_run;
};

} // namespace lhrs::gui
