// SPDX-License-Identifier: GPL-3.0-or-later
// How the player shows the reel's present entries; once per frame.
#include "gui/window/player/player.h"

#include "gui/show/quantity_words.h"
#include "gui/window/widgets/choice_row.h"

#include <QPushButton>

#include <algorithm>
#include <numeric>

namespace lhrs::gui {

namespace {

constexpr int kShortChoice = 30; // letters, including its number and votes
constexpr std::size_t kTellingsMost = 3; // waiting sentences of the narrator

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

} // namespace

bool Player::scriptStands() const
{
    if (!isRunning())
        return !m_wasRunning; // so that the end of the run is taken too
    const std::lock_guard lock(m_mutex);
    return m_mail.reel.empty() && (m_isScriptHeld || (m_mail.question && !m_mail.isAnswered));
}

void Player::collect()
{
    std::vector<ReelEntry> reel;
    std::vector<std::pair<MeasureChart, bool>> charts;
    bool isHeld = false;
    {
        const std::lock_guard lock(m_mutex);
        reel = std::exchange(m_mail.reel, {});
        charts = std::exchange(m_mail.charts, {});
        isHeld = std::exchange(m_mail.isHeld, false);
    }
    for (ReelEntry& entry : reel)
        m_director.add(std::move(entry));
    if (isHeld) {
        m_isScriptHeld = true;
        m_director.setScript(Director::Script::Waits);
    }
    // A chart is opened when the reel reaches it, and grows from then on.
    for (const auto& [chart, isNew] : charts) {
        ReelChart& known = m_charts[chart.id];
        known.chart = chart;
        if (isNew)
            known.isOpen = false;
        if (known.isOpen)
            emit chartWished(chart, false);
    }
    if (m_wasRunning && !isRunning()) {
        m_wasRunning = m_isScriptHeld = false;
        m_director.setScript(Director::Script::Over);
        showButtons();
        emit runningChanged(false);
        emit finished();
    }
}

void Player::showReel(std::vector<ReelEntry> reel, std::vector<MeasureChart> charts)
{
    m_story.clear();
    m_charts.clear();
    for (MeasureChart& chart : charts)
        m_charts[chart.id].chart = std::move(chart);
    m_expectationsHeld = m_expectationsFailed = 0;
    m_stepsInAll = int(std::count_if(
        reel.begin(), reel.end(), [](const ReelEntry& entry) { return entry.kind == ReelEntry::Kind::Step; }));
    m_hasSpoken = false;
    m_stepNow.clear();
    setCaption(tr("Ready. Press PgDn or the clicker."));
    m_director.beginRecorded(std::move(reel));
    showButtons();
}

// Shows the entry that the reel has reached.
void Player::showEntry(const ReelEntry& entry)
{
    using Kind = ReelEntry::Kind;
    switch (entry.kind) {
    case Kind::Step: {
        m_stepNow = QStringLiteral("(%1)  %2").arg(entry.id, entry.text);
        m_story.add({ { StoryLine::Kind::Step, m_stepNow } });
        setCaption({});
        emit stepShown(m_stepNow);
        break;
    }
    case Kind::Caption:
        m_hasSpoken = true;
        m_story.add({ { StoryLine::Kind::Say, entry.text } });
        setCaption(entry.text);
        break;
    case Kind::Question:
        m_hasSpoken = true;
        m_story.add({ { StoryLine::Kind::Say, entry.text } });
        showQuestion();
        break;
    case Kind::Answer:
        m_story.add(
            { { StoryLine::Kind::Say, QStringLiteral("%1. %2").arg(entry.names.value(entry.number), entry.text) } });
        showQuestion();
        break;
    case Kind::Check:
        ++(entry.number > 0 ? m_expectationsHeld : m_expectationsFailed);
        m_story.add({ { entry.number > 0 ? StoryLine::Kind::Held : StoryLine::Kind::Failed,
            entry.id.isEmpty() ? entry.text : QStringLiteral("%1 (%2)").arg(entry.text, entry.id) } });
        break;
    case Kind::Print: m_story.add({ { StoryLine::Kind::Print, entry.text } }); break;
    case Kind::Note: m_story.add({ { StoryLine::Kind::Note, entry.text } }); break;
    case Kind::Chart:
        if (const auto known = m_charts.find(entry.id); known != m_charts.end()) {
            known->second.isOpen = true;
            emit chartWished(known->second.chart, true);
        }
        break;
    case Kind::Camera: emit cameraWished(entry.camera); break;
    case Kind::Highlight: emit highlightWished(entry.names, entry.text, entry.seconds); break;
    case Kind::End: {
        const bool isHeld = entry.number > 0;
        m_story.add({ { isHeld ? StoryLine::Kind::End : StoryLine::Kind::Failed, entry.text } });
        if (!m_hasTask) // in an exercise the guide reports the end
            setProgress(isHeld ? entry.text : QString());
        if (entry.number != 1 || !m_hasSpoken)
            setCaption(entry.text); // even if the scenario has said nothing itself
        break;
    }
    case Kind::Exercise:
        if (entry.exercise)
            showExercise(*entry.exercise);
        break;
    case Kind::Cluster:
    case Kind::Dwell:
    case Kind::Replay: break;
    }
    emit entryShown(entry);
}

// While a person acts, the picture follows live and the narrator speaks.
void Player::showExercise(const ExerciseShown& exercise)
{
    if (m_wasRunning && !m_director.isRecorded())
        m_director.setScript(exercise.isOver ? Director::Script::Runs : Director::Script::Person);
    if (!m_hasTask) {
        m_hasTask = true;
        m_story.add({ { StoryLine::Kind::Step, exercise.task } });
        setCaption(tr("Your turn. What is to be done stands above."));
    }
    if (exercise.isOver)
        for (const ExerciseGoal& goal : exercise.goals)
            m_story.add({ { goal.state == ExerciseGoal::State::Held ? StoryLine::Kind::Held : StoryLine::Kind::Failed,
                QStringLiteral("%1: %2").arg(goal.text, goal.why) } });
    showButtons();
}

void Player::tell(const std::vector<Telling>& told)
{
    for (const Telling& one : told) {
        const auto waits = std::find_if(m_tellings.begin(), m_tellings.end(),
            [&](const Telling& t) { return one.instead != 0 && t.event == one.instead; });
        if (waits != m_tellings.end())
            *waits = one;
        else
            m_tellings.push_back(one);
    }
}

// Each sentence is shown for some time. If many are waiting, the older ones go to the story at once, so that the text
// matches the picture.
void Player::showTold(double seconds)
{
    m_time += seconds;
    if (!isFree())
        m_tellings.clear();
    if (m_tellings.empty() || (m_time < m_toldUntil && m_tellings.front().instead == 0))
        return;
    Telling told;
    do {
        told = m_tellings.front();
        m_tellings.pop_front();
        const StoryLine line { StoryLine::Kind::Say, told.text };
        if (told.instead != 0 && told.instead == m_toldEvent)
            m_story.replaceLast(line);
        else
            m_story.add({ line });
        m_toldEvent = told.event;
    } while (m_tellings.size() >= kTellingsMost);
    m_toldUntil = m_time + Director::readingSeconds(told.text) / double(1 + m_tellings.size());
    setCaption(told.text);
}

std::vector<int> Player::votes() const
{
    const std::lock_guard lock(m_mutex);
    return m_mail.question ? m_mail.votes : std::vector<int>();
}

// A vote counts only for the question that is displayed, and only while the script waits at it. The script may reach it
// before the display does, and a person may have gone back to a question that was answered.
bool Player::mayVote() const
{
    const std::optional<ReelEntry>& shown = m_director.question();
    if (m_showsPast || !shown || m_director.await() != Director::Await::Question)
        return false;
    const std::lock_guard lock(m_mutex);
    const std::optional<Question>& asked = m_mail.question;
    return asked && !m_mail.isAnswered && asked->text == shown->text && asked->choices == shown->names;
}

void Player::showChoices()
{
    const bool wasShown = !m_choices->isHidden(), isShown = mayVote();
    m_choices->ask(isShown ? m_director.question()->names : QStringList(), isShown ? votes() : std::vector<int>());
    if (wasShown != isShown) {
        arrange();
        fitHeight();
        showWords();
    }
}

void Player::showQuestion()
{
    const std::optional<ReelEntry>&question = m_director.question(), &answer = m_director.answer();
    if ((!question && !answer) || isFree()) // the narrator may not be replaced by an answer at the end of the scenario
        return;
    const QString words = answer ? answerWords(*answer, votes()) : questionWords(*question, votes());
    if (words != m_captionNow)
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
    if (m_expectationsHeld > 0 && !isAgain)
        parts << tr("✓ %1 held").arg(m_expectationsHeld);
    if (m_expectationsFailed > 0)
        parts << tr("✗ %1 failed").arg(m_expectationsFailed);
    if (const PlayState play = m_trace.state(); play.isHeld && play.call != QLatin1String("lab.step"))
        parts << tr("stands before line %1").arg(play.line);
    if (isRunning() && !isAgain)
        parts << tr("%1 s").arg(m_since.elapsed() / 1000);
    setProgress(parts.join(QStringLiteral("   ")));
}

bool Player::refresh(double seconds)
{
    showTold(seconds);
    const std::vector<ReelEntry> shown = m_director.takeShown();
    for (const ReelEntry& entry : shown)
        showEntry(entry);
    showQuestion();
    showChoices();
    if (m_badge->text() != m_director.repeated()) {
        m_badge->setText(m_director.repeated());
        m_badge->setVisible(!m_director.repeated().isEmpty());
    }
    if (m_director.isOn() && !m_director.isOver())
        showProgress();
    if (m_director.await() == Director::Await::Begin && !m_hasSpoken)
        setCaption(tr("Ready. Press PgDn or the clicker."));
    const ButtonsFor now { m_director.await(), isRunning(), m_director.isPaused(), m_director.isAway(),
        m_director.isOver() };
    if (now != m_buttonsFor) {
        m_buttonsFor = now;
        showButtons();
    }
    return false;
}

QString Player::elapsedWords() const
{
    const qint64 seconds = isRunning() ? m_since.elapsed() / 1000 : 0;
    return QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
}

} // namespace lhrs::gui
