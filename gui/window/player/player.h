// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/run_facts.h"
#include "gui/lab/script/script_engine.h"
#include "gui/show/director.h"
#include "gui/lab/words/narrator.h"
#include "gui/view/time/frame_clock.h"
#include "gui/view/paint/theme.h"
#include "gui/window/player/caption_track.h"
#include "gui/window/player/play_trace.h"
#include "gui/window/player/story.h"
#include "gui/window/player/story_plan.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QWidget>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

class QListView;
class QPushButton;

namespace lhrs::gui {

class ChoiceRow;
class Session;

// Plays a scenario for an audience: the present step and caption in large letters, and one key to go on. The script
// runs in a thread of its own and never waits for the picture. Its output is put on the reel once per frame, and shown
// here when the director reaches it.
class Player : public QWidget, public FrameView, private ScriptObserver {
    Q_OBJECT
public:
    // The director must outlive the player.
    Player(Session& session, Director& director, QWidget* parent = nullptr);
    ~Player() override;

    // Loads the text of a scenario without running it. False: the file cannot be read, or is not a valid program; the
    // caption says so.
    bool load(const QString& path);
    // Sets the current text of the same scenario or of another one; it has been checked. What the last run said stays.
    void setText(const QString& source, const QString& file);
    // Clears what the last run said, because something else begins. Not to be called while a scenario runs.
    void forgetWords();
    const QString& source() const { return m_source; }
    const QString& file() const { return m_file; }
    // The directory in which scenarios find the published tables.
    void setPaperDirectory(const QString& directory) { m_settings.paperDirectory = directory; }
    // `prepare` is called before each run and may set the newest text. It returns a sentence if the scenario cannot
    // run.
    void setPrepare(std::function<QString()> prepare) { m_prepare = std::move(prepare); }
    bool isLoaded() const { return !m_source.isEmpty(); }
    // A run was started, and finished() has not been emitted for it yet.
    bool hasBegun() const { return m_wasRunning; }
    bool isRunning() const { return m_engine.isRunning(); }
    // The show has reached a step and waits for next().
    bool isHeld() const
    {
        return m_director.await() == Director::Await::Step || m_director.await() == Director::Await::Begin;
    }
    Director& director() { return m_director; }
    // The script goes no further by itself: it has ended, or waits before a step, a question or a call. The reel then
    // has all of its output.
    bool scriptStands() const;
    // What the narrator says of a cluster that no script controls; the sentences are shown one after the other.
    void tell(const std::vector<Telling>& told);
    // The narrator may speak: no script speaks, or the script waits for a person to act.
    bool isFree() const { return !m_director.isOn() || m_director.isOver() || m_director.isFree(); }
    // To be called before the director's frame: moves new output of the script onto the reel.
    void collect();
    // Shows the reel of a recording instead of a script, and the charts that it opens.
    void showReel(std::vector<ReelEntry> reel, std::vector<MeasureChart> charts);

    // Another listener to the script's output, called in the script's thread; it must outlive the player.
    void setListener(ScriptObserver* listener) { m_listener = listener; }
    void setSettings(const ScriptSettings& settings) { m_settings = settings; }
    // Adds the facts of the present or last run to `facts`, those of this run of the program.
    RunFacts runFacts(RunFacts facts) const;
    std::vector<ClusterFacts> clusters() const;
    const ScriptSettings& settings() const { return m_settings; }
    // Runs up to the first step, which then waits for next().
    void start();
    // Goes to the next step; starts the scenario if none runs, and skips a question.
    void next();
    // Runs to the end without stopping at steps.
    void runToEnd();
    // Stops before the next call. nextCall() makes one call only, and starts the scenario if none runs.
    void pause();
    void nextCall();
    void stop();
    // Where the script is and was, and the errors that it found.
    const PlayTrace& trace() const { return m_trace; }
    // A vote for the choice with this number, from 1; or one vote more or fewer for the choice that was named last.
    void vote(int choice);
    void voteAgain(int difference);
    ScriptResult result() const { return m_engine.result(); }
    ScriptEngine& engine() { return m_engine; }

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    StoryModel& story() { return m_story; }
    QString caption() const { return m_caption->text(); }
    QString stepTitle() const;
    // The steps that the scenario announces, and how many of them have been shown.
    const std::vector<PlannedStep>& plan() const { return m_plan; }
    int stepsSeen() const { return int(m_director.stepsShown()); }
    QString elapsedWords() const;

    // Captions of a past instant, instead of those of the running script; null: those of the script again.
    void showPast(const CaptionTrack* track, const CaptionTrack::Instant& instant = {});
    // In front of an audience there are no buttons, and the words use all the room.
    void setButtonsShown(bool on);
    // Limits the strip to so many pixels of the window's height; 0: no limit.
    void setLow(int most);
    // The caption's letters are at least as large as those of a picture with this font scale.
    void setPictureScale(qreal scale);
    // A message to the presenter, shown instead of the step count until it is empty.
    void setNotice(const QString& words);

signals:
    void stepShown(const QString& words);
    void stopWanted(); // by the button
    void runningChanged(bool isRunning);
    void finished();
    void cameraWished(const lhrs::gui::CameraWish& wish);
    void highlightWished(const QStringList& targets, const QString& words, double seconds);
    void chartWished(const lhrs::gui::MeasureChart& chart, bool isNew);
    void entryShown(const lhrs::gui::ReelEntry& entry);

private:
    // Output of the script's thread; guarded by m_mutex.
    struct Mail {
        std::vector<ReelEntry> reel;
        std::vector<std::pair<MeasureChart, bool>> charts; // newest state of each, and whether it is new
        bool isHeld = false;
        // The question before which the script waits, until the audience has answered it.
        std::optional<Question> question;
        std::vector<int> votes;
        bool isAnswered = false, mayAsk = true;
    };

    bool wantsCalls() const override { return m_listener != nullptr && m_listener->wantsCalls(); }
    void onCalled(const CallRecord& call) override { m_listener->onCalled(call); }
    void onStarted(const QString& file) override;
    void onCall(int line, const QString& call) override { m_trace.call(line, call); }
    void onHeld(int line, const QString& call) override;
    void onRow(const QString&, int) override { m_trace.row(); }
    bool wantsReel() const override { return true; }
    bool takesTime() const override { return true; }
    bool hasPerson() const override { return true; }
    void onReel(const ReelEntry& entry) override;
    void onStep(const QString& id, const QString& title) override;
    void onSay(const QString& text) override;
    void onNote(const QString& text) override;
    void onPrint(const QString& text) override;
    void onExpectation(const Expectation& expectation) override;
    std::optional<std::vector<int>> onQuestion(const Question& question, const std::stop_token& stop) override;
    void onReveal(const Question& question, int index, const QString& why) override;
    void onMark(const QString& text) override;
    void onParameters(const std::map<QString, QVariant>& parameters) override;
    void onCluster(const ClusterFacts& cluster) override;
    void onChart(const MeasureChart& chart, bool isNew) override;
    void onFinished(const ScriptResult& result) override;
    void post(ReelEntry entry);
    void showEntry(const ReelEntry& entry);
    void showExercise(const ExerciseShown& exercise);
    void showQuestion();
    void showChoices();
    void showProgress();
    void showTold(double seconds);
    std::vector<int> votes() const;
    bool mayVote() const;
    void launch(ScriptStops stops);
    bool isAsking();
    void goOn(ScriptStops stops);
    void setCaption(const QString& text);
    void setProgress(const QString& text);
    void showButtons();
    void showWords();
    void fitStep();
    void fitHeight();
    Theme captionTheme() const;
    void showNotice();
    void arrange();
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

    Director& m_director;
    ScriptSettings m_settings;
    ScriptObserver* m_listener = nullptr;
    std::function<QString()> m_prepare;
    PlayTrace m_trace;
    QString m_source, m_file, m_title;
    std::vector<PlannedStep> m_plan;
    QString m_stepNow, m_captionNow, m_progressNow, m_notice; // of the running script
    bool m_showsPast = false;
    CaptionTrack::Instant m_past;
    QString m_pastProgress;
    int m_votedLast = 0;
    int m_stepsInAll = 0, m_expectationsHeld = 0, m_expectationsFailed = 0;
    bool m_isScriptHeld = false, m_wasRunning = false;
    bool m_hasSpoken = false; // the scenario has shown a caption or a question
    struct ReelChart {
        MeasureChart chart;
        bool isOpen = false; // the reel has reached its place
    };
    std::map<QString, ReelChart> m_charts; // by id
    bool m_hasTask = false; // a task of an exercise has been shown
    std::deque<Telling> m_tellings; // waiting for their turn
    std::uint64_t m_toldEvent = 0; // of the sentence that is shown; 0: it has no event
    double m_time = 0, m_toldUntil = 0;
    // The state for which the buttons were labelled.
    struct ButtonsFor {
        Director::Await await = Director::Await::Nothing;
        bool isRunning = false, isPaused = false, isAway = false, isOver = false;
        bool operator==(const ButtonsFor&) const = default;
    };
    ButtonsFor m_buttonsFor;
    QElapsedTimer m_since;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_answered;
    Mail m_mail; // guarded by m_mutex
    Cue m_lastCue; // guarded too: the last cue from the script
    std::map<QString, QVariant> m_parameters; // guarded too: of the present or last run
    std::vector<ClusterFacts> m_clusters; // guarded too

    StoryModel m_story, m_pastStory;
    HallStory* m_hallStory;
    QLabel *m_step, *m_badge, *m_progress;
    CaptionLabel* m_caption;
    ChoiceRow* m_choices;
    QListView* m_history;
    QPushButton *m_next, *m_run, *m_stop;
    int m_most = 0;
    qreal m_pictureScale = 1;
    Theme m_theme;
    ScriptEngine m_engine; // last member: its thread calls the observer
};

} // namespace lhrs::gui
