// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/player.h"

#include "gui/lab/script/scenario_file.h"
#include "gui/show/words/quantity_words.h"

#include <QFileInfo>

#include <algorithm>
#include <numeric>

namespace lhrs::gui {

namespace {

constexpr int kShortChoice = 30; // letters, including its number and votes

QString questionWords(const ReelEntry& question, const std::vector<int>& votes)
{
    QStringList parts { question.text };
    for (qsizetype i = 0; i < question.names.size(); ++i) {
        const int count = i < qsizetype(votes.size()) ? votes[std::size_t(i)] : 0;
        QString part = QStringLiteral("%1: %2").arg(i + 1).arg(question.names[i]);
        if (count > 0)
            part += QStringLiteral(" (%1)").arg(countedWords(std::uint64_t(count), "vote", "votes"));
        // Lines break between choices, not between a choice and its number; a long choice may be broken in several
        // places.
        if (part.size() <= kShortChoice)
            part.replace(QLatin1Char(' '), QChar::Nbsp);
        else
            part[part.indexOf(QLatin1Char(' '))] = QChar::Nbsp;
        parts << part;
    }
    return parts.join(QStringLiteral("   "));
}

// The correct answer, the number of people who chose it, and why it is correct.
QString answerWords(const ReelEntry& answer, const std::vector<int>& votes)
{
    QString words = answer.names.value(answer.number);
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    words += QStringLiteral(" ✓");
    if (const int all = std::accumulate(votes.begin(), votes.end(), 0);
        all > 0 && std::size_t(answer.number) < votes.size())
        words += Player::tr(" (%1 of %2)")
                     .arg(votes[std::size_t(answer.number)])
                     .arg(countedWords(std::uint64_t(all), "vote", "votes"));
    return answer.text.isEmpty() ? words : words + QStringLiteral("   ") + answer.text;
}

// What the key for the next step does now, in a word and in a sentence.
std::pair<QString, QString> nextWords(const Director& director)
{
    const bool isOn = director.isOn() && !director.isOver();
    if (isOn && (director.isPaused() || director.isAway()))
        return { Player::tr("Go on"), Player::tr("Goes on with the show, where it stood") };
    switch (director.await()) {
    case Director::Await::Begin: return { Player::tr("Begin"), Player::tr("Goes on to the first step") };
    case Director::Await::Step: return { Player::tr("Next step"), Player::tr("Goes on to the next step") };
    case Director::Await::Question:
        return { Player::tr("Answer"), Player::tr("Ends the vote, and shows what happens") };
    case Director::Await::Answer: return { Player::tr("Go on"), Player::tr("Goes on after the answer") };
    case Director::Await::Nothing: break;
    }
    if (director.waitsForPerson())
        return {};
    if (isOn)
        return { Player::tr("Next caption"),
            Player::tr(
                "Does not wait until this caption has been read: goes on to the next one, or to the step's end") };
    return { Player::tr("Begin"), Player::tr("Begins the scenario") };
}

} // namespace

Player::Player(Session& session, Director& director, QObject* parent)
    : QObject(parent), m_director(director), m_strip(new CaptionStrip(m_story.model())), m_run(session)
{
    connect(m_strip, &CaptionStrip::nextWanted, this, &Player::next);
    connect(m_strip, &CaptionStrip::runWanted, this, &Player::runToEnd);
    connect(m_strip, &CaptionStrip::voted, this, &Player::vote);
    setCaption(tr("What happens is told here. Ctrl+O opens a scenario."));
    showButtons();
}

// ---- the scenario

bool Player::load(const QString& path)
{
    if (m_run.isRunning())
        return false;
    m_director.end();
    m_story.clear();
    m_scenario = {};
    m_scenario.file = QFileInfo(path).fileName();
    m_now.step.clear();
    const auto read = readScenario(path);
    if (!read) {
        setCaption(QString::fromStdString(read.error().text));
        return false;
    }
    if (const auto problem = ScriptEngine::check(read->text)) {
        setCaption(
            tr("%1, line %2: %3 %4").arg(m_scenario.file).arg(problem->line).arg(problem->message, problem->hint));
        return false;
    }
    setText(read->text, m_scenario.file);
    return true;
}

void Player::setText(const QString& source, const QString& file)
{
    if (m_run.isRunning())
        return;
    const bool isOther = !isLoaded() || file != m_scenario.file;
    m_scenario = scenarioOf(source, file);
    m_stepsInAll = m_scenario.steps;
    if (isOther) {
        m_now.step = m_scenario.title;
        setCaption(tr("Press PgDn or the clicker to begin."));
        setProgress(m_stepsInAll > 0 ? tr("%1 steps").arg(m_stepsInAll) : QString());
    }
    showButtons();
}

void Player::forgetWords()
{
    if (m_run.isRunning())
        return;
    m_story.clear();
    m_told.clear();
    m_now = {};
    setCaption(tr("What happens is told here. Ctrl+O opens a scenario."));
}

RunFacts Player::runFacts(RunFacts facts) const
{
    facts.scenario = m_scenario.file;
    return m_run.facts(std::move(facts));
}

// ---- commands of a person

void Player::launch(ScriptStops stops)
{
    if (m_run.isRunning())
        return;
    if (const QString problem = m_prepare ? m_prepare() : QString(); !problem.isEmpty()) {
        setCaption(problem);
        return;
    }
    if (!isLoaded())
        return;
    m_story.clear();
    m_charts.clear();
    m_now.step = m_scenario.title;
    m_director.beginLive();
    m_director.setStops(stops != ScriptStops::Nowhere);
    setCaption(tr("The scenario prepares its cluster …"));
    m_run.start(m_scenario.source, m_scenario.file, stops);
    emit runningChanged(true);
    showButtons();
}

void Player::goOn(ScriptStops stops)
{
    if (!m_director.waitsForPerson())
        m_director.setScript(Director::Script::Runs);
    m_run.goOn(stops);
}

void Player::next()
{
    if (!m_run.isRunning() && (!m_director.isOn() || m_director.isOver())) {
        start();
        return;
    }
    switch (m_director.next()) {
    case Director::Went::Answered: m_run.poll().close(); break;
    case Director::Went::NextStep:
        if (m_run.isRunning())
            goOn(ScriptStops::BeforeSteps);
        break;
    case Director::Went::Nowhere:
    case Director::Went::Skipped:
    case Director::Went::Resumed: break;
    }
    showButtons();
}

void Player::nextCall()
{
    if (m_director.await() == Director::Await::Question)
        return next();
    if (!m_run.isRunning())
        return launch(ScriptStops::BeforeCalls);
    if (isHeld())
        (void)m_director.next();
    goOn(ScriptStops::BeforeCalls);
}

void Player::runToEnd()
{
    if (!m_run.isRunning())
        launch(ScriptStops::Nowhere);
    m_director.setStops(false);
    goOn(ScriptStops::Nowhere); // a script that has just begun may already wait at a breakpoint
    showButtons();
}

// A vote counts only for the question that is displayed, and only while the script waits at it. The script may reach it
// before the display does, and a person may have gone back to a question that was answered.
bool Player::mayVote() const
{
    const std::optional<ReelEntry>& shown = m_director.question();
    return !m_past.isOn() && shown && m_director.await() == Director::Await::Question
        && m_run.poll().isOpenFor(shown->text, shown->names);
}

void Player::vote(int choice)
{
    if (mayVote())
        m_run.poll().vote(choice);
}

void Player::voteAgain(int difference)
{
    if (mayVote())
        m_run.poll().voteAgain(difference);
}

void Player::showReel(std::vector<ReelEntry> reel, const std::vector<MeasureChart>& charts)
{
    m_story.clear();
    m_charts.clear();
    for (const MeasureChart& chart : charts)
        m_charts.take(chart, true);
    m_stepsInAll = int(std::count_if(
        reel.begin(), reel.end(), [](const ReelEntry& entry) { return entry.kind == ReelEntry::Kind::Step; }));
    m_now.step.clear();
    setCaption(tr("Ready. Press PgDn or the clicker."));
    m_director.beginRecorded(std::move(reel));
    showButtons();
}

// ---- frames

void Player::collect()
{
    ScriptRun::News news = m_run.take();
    for (ReelEntry& entry : news.reel)
        m_director.add(std::move(entry));
    if (news.isHeld)
        m_director.setScript(Director::Script::Waits);
    for (const auto& [chart, isNew] : news.charts)
        if (m_charts.take(chart, isNew))
            emit chartWished(chart, false);
    if (news.hasEnded) {
        m_director.setScript(Director::Script::Over);
        showButtons();
        emit runningChanged(false);
        emit finished();
    }
}

bool Player::refresh(double seconds)
{
    if (const std::optional<QString> told = m_told.frame(seconds, isFree(), m_story.model()))
        setCaption(*told);
    for (const ReelEntry& entry : m_director.takeShown())
        showEntry(entry);
    showQuestion();
    if (mayVote())
        m_strip->ask(m_director.question()->names, m_run.poll().votes());
    else
        m_strip->ask({}, {});
    m_strip->setBadge(m_director.repeated());
    if (m_director.isOn() && !m_director.isOver())
        showProgress();
    if (m_director.await() == Director::Await::Begin && !m_story.hasSpoken())
        setCaption(tr("Ready. Press PgDn or the clicker."));
    showButtons();
    return false;
}

// Shows the entry that the reel has reached.
void Player::showEntry(const ReelEntry& entry)
{
    using Kind = ReelEntry::Kind;
    const bool hadTask = m_story.hasTask();
    m_story.add(entry);
    switch (entry.kind) {
    case Kind::Step:
        m_now.step = stepWords(entry.id, entry.text);
        setCaption({});
        emit stepShown(m_now.step);
        break;
    case Kind::Caption: setCaption(entry.text); break;
    case Kind::Question:
    case Kind::Answer: showQuestion(); break; // its choices follow at the end of the frame
    case Kind::Chart:
        if (const MeasureChart* chart = m_charts.open(entry.id))
            emit chartWished(*chart, true);
        break;
    case Kind::Camera: emit cameraWished(entry.camera); break;
    case Kind::Highlight: emit highlightWished(entry.names, entry.text, entry.seconds); break;
    case Kind::End:
        if (!hadTask) // in an exercise the guide reports the end
            setProgress(entry.number > 0 ? entry.text : QString());
        if (entry.number != 1 || !m_story.hasSpoken())
            setCaption(entry.text); // even if the scenario has said nothing itself
        break;
    case Kind::Exercise:
        // While a person acts, the picture follows live and the narrator speaks.
        if (entry.exercise && m_run.hasBegun() && !m_director.isRecorded())
            m_director.setScript(entry.exercise->isOver ? Director::Script::Runs : Director::Script::Person);
        if (!hadTask && m_story.hasTask())
            setCaption(tr("Your turn. The task is shown above."));
        break;
    case Kind::Check:
    case Kind::Print:
    case Kind::Note:
    case Kind::Cluster:
    case Kind::Dwell:
    case Kind::Replay: break;
    }
    emit entryShown(entry);
}

// The question with its votes, or its answer.
void Player::showQuestion()
{
    const std::optional<ReelEntry>&question = m_director.question(), &answer = m_director.answer();
    if ((!question && !answer) || isFree()) // the narrator may not be replaced by an answer at the end of the scenario
        return;
    const std::vector<int> votes = m_run.poll().votes();
    const QString words = answer ? answerWords(*answer, votes) : questionWords(*question, votes);
    if (words != m_now.caption)
        setCaption(words);
}

void Player::showProgress()
{
    const int steps = int(m_director.stepsShown());
    // In a repetition the title needs the room beside the badge, and no expectation is checked.
    const bool isAgain = !m_director.repeated().isEmpty();
    QStringList parts;
    if (std::max(steps, m_stepsInAll) > 0)
        parts << (steps > m_stepsInAll ? tr("step %1").arg(steps) : tr("step %1 of %2").arg(steps).arg(m_stepsInAll));
    if (m_story.held() > 0 && !isAgain)
        parts << tr("✓ %1 held").arg(m_story.held());
    if (m_story.failed() > 0)
        parts << tr("✗ %1 failed").arg(m_story.failed());
    if (const PlayState play = m_run.trace().state(); play.isHeld && play.call != QLatin1String("lab.step"))
        parts << tr("stopped before line %1").arg(play.line);
    if (m_run.isRunning() && !isAgain)
        parts << tr("%1 s").arg(m_run.seconds());
    setProgress(parts.join(QStringLiteral("   ")));
}

// ---- what is shown

void Player::setCaption(const QString& text)
{
    m_now.caption = text;
    showWords();
}

void Player::setProgress(const QString& text)
{
    m_now.progress = text;
    showWords();
}

void Player::showPast(const CaptionTrack* track, const CaptionTrack::Instant& instant)
{
    if (!m_past.show(track, instant))
        return;
    m_strip->setStory(m_past.isOn() ? m_past.story() : story());
    showWords();
}

void Player::showWords()
{
    const std::optional<ReelEntry>& question = m_director.question();
    m_strip->setWords(words(), question && !m_past.isOn() ? question->text : QString());
}

void Player::showButtons()
{
    const auto [next, sentence] = nextWords(m_director);
    StripButtons buttons { next, sentence, true, isLoaded() || m_director.isOn(),
        isLoaded() && !m_director.isRecorded(), m_run.isRunning() };
    if (next.isEmpty()) { // a person acts, and the key has no effect now
        buttons.next = tr("Your turn");
        buttons.sentence = tr("The task is shown above the caption");
        buttons.hasKey = buttons.mayNext = false;
    }
    m_strip->setButtons(buttons);
}

void Player::setTheme(const Theme& theme)
{
    story().setTheme(theme);
    m_past.story().setTheme(theme);
    m_strip->setTheme(theme);
}

} // namespace lhrs::gui
