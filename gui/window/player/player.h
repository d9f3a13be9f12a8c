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

// Plays a scenario with the audience in mind: the present step and caption large, one key to go on. The script runs in a
// thread of its own and never waits for the picture; what it says and shows goes onto the reel, once per frame, and is seen here
// when the director has come to it.
class Player : public QWidget, public FrameView, private ScriptObserver {
    Q_OBJECT
public:
    // The director must outlive the player.
    Player(Session& session, Director& director, QWidget* parent = nullptr);
    ~Player() override;

    // The text of a scenario; nothing of it runs yet. False: the file cannot be read, or is no program; said in the
    // caption.
    bool load(const QString& path);
    // The same scenario, or another one, as it was written since; it has been checked. What the last run said stays.
    void setText(const QString& source, const QString& file);
    // What the last run said is said no more: something else begins. Not while a scenario runs.
    void forgetWords();
    const QString& source() const { return m_source; }
    const QString& file() const { return m_file; }
    // Where scenarios find the published tables.
    void setPaperDirectory(const QString& directory) { m_settings.paperDirectory = directory; }
    // Asked before each run: it may give the newest text. A sentence says why there is no run.
    void setPrepare(std::function<QString()> prepare) { m_prepare = std::move(prepare); }
    bool isLoaded() const { return !m_source.isEmpty(); }
    // Whether a run was begun whose end has not been told by finished() yet.
    bool hasBegun() const { return m_wasRunning; }
    bool isRunning() const { return m_engine.isRunning(); }
    // The show has come to a step, and waits for next().
    bool isHeld() const { return m_director.await() == Director::Await::Step || m_director.await() == Director::Await::Begin; }
    Director& director() { return m_director; }
    // The script goes no further by itself: it has ended, or waits before a step, a question or a call. Then the reel has all of it.
    bool scriptStands() const;
    // What the narrator says of a cluster that nobody's script drives; one sentence after the other is shown.
    void tell(const std::vector<Telling>& told);
    // No script speaks, or it waits for a person who acts: the narrator may.
    bool isFree() const { return !m_director.isOn() || m_director.isOver() || m_director.isFree(); }
    // Before the director's frame: what the script has left since goes onto the reel.
    void collect();
    // The reel of a recording, in place of a script, and the charts that it opens.
    void showReel(std::vector<ReelEntry> reel, std::vector<MeasureChart> charts);

    // Somebody else who hears what the script says, in its thread; must outlive the player.
    void setListener(ScriptObserver* listener) { m_listener = listener; }
    void setSettings(const ScriptSettings& settings) { m_settings = settings; }
    // What the present or last run is, beside its tables; of this run of the program: facts.
    RunFacts runFacts(RunFacts facts) const;
    std::vector<ClusterFacts> clusters() const;
    const ScriptSettings& settings() const { return m_settings; }
    // Runs up to the first step, which then waits for next().
    void start();
    // The next step; starts the scenario, or answers a question by skipping it.
    void next();
    // Runs to the end without stopping at steps.
    void runToEnd();
    // Stands before the next call; the next call only, which begins the scenario, too.
    void pause();
    void nextCall();
    void stop();
    // Where the script is, was, and what it found.
    const PlayTrace& trace() const { return m_trace; }
    // A vote for the choice with this number, from 1; or one more, or one fewer, for the choice that was named last.
    void vote(int choice);
    void voteAgain(int difference);
    ScriptResult result() const { return m_engine.result(); }
    ScriptEngine& engine() { return m_engine; }

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    StoryModel& story() { return m_story; }
    QString caption() const { return m_caption->text(); }
    QString stepTitle() const;
    // What the scenario announces, and how many of its steps have been shown.
    const std::vector<PlannedStep>& plan() const { return m_plan; }
    int stepsSeen() const { return int(m_director.stepsShown()); }
    QString elapsedWords() const;

    // Captions of an instant of the past, in place of those that the running script says; null: the script's again.
    void showPast(const CaptionTrack* track, const CaptionTrack::Instant& instant = {});
    // In front of a hall there are no buttons, and the words have all the room.
    void setButtonsShown(bool on);
    // The strip takes at most so many pixels of the window's height; 0: what it likes.
    void setLow(int most);
    // The letters of the caption are as those of a picture with this font scale, at least.
    void setPictureScale(qreal scale);
    // A word to whoever presents, in place of the count of steps, until it is empty.
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
    // What the script's thread leaves here; guarded by m_mutex.
    struct Mail {
        std::vector<ReelEntry> reel;
        std::vector<std::pair<MeasureChart, bool>> charts; // the newest of each, and whether it is new
        bool isHeld = false;
        // The question that the script stands before, until the hall has answered it.
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
    bool m_hasSpoken = false; // the scenario, by a caption or a question
    struct ReelChart {
        MeasureChart chart;
        bool isOpen = false; // its place on the reel has been reached
    };
    std::map<QString, ReelChart> m_charts; // by id
    bool m_hasTask = false;   // of an exercise, that has been told
    std::deque<Telling> m_tellings; // that wait for their turn
    std::uint64_t m_toldEvent = 0;  // of the sentence that is shown; 0: it has none
    double m_time = 0, m_toldUntil = 0;
    // What the buttons were written for.
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
    Cue m_lastCue; // likewise, of what the script told last
    std::map<QString, QVariant> m_parameters; // likewise, of the present or last run
    std::vector<ClusterFacts> m_clusters;     // likewise

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
    ScriptEngine m_engine; // last: its thread calls the observer
};

} // namespace lhrs::gui
