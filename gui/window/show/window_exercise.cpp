// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_exercise.h"

#include "gui/window/editor/editor_panel.h"
#include "gui/window/panels/guide_panel.h"
#include "gui/window/show/window_write.h"

#include <QDir>
#include <QFileInfo>
#include <QScopedValueRollback>

#include <algorithm>

namespace lhrs::gui {

WindowExercise::WindowExercise(WindowParts& parts, GuidePanel& panel, const WindowWrite& write)
    : QObject(&parts.window), m_parts(parts), m_guide(panel), m_write(write)
{
    connect(&m_parts.player, &Player::entryShown, this, &WindowExercise::follow);
    connect(&m_parts.player, &Player::runningChanged, this, [this](bool isRunning) {
        if (isRunning && m_isOn && !std::exchange(m_isBegunAnew, false))
            close(); // another run begins; if it is an exercise, its own entries say so
    });
    connect(
        &m_parts.player, &Player::finished, this,
        [this] {
            if (!m_isAgain)
                return;
            m_isAgain = false;
            const QString next = std::exchange(m_next, {});
            if (!next.isEmpty())
                emit openWanted(next);
            else
                start();
        },
        Qt::QueuedConnection); // queued: the player first tells other listeners that the run is over
    connect(&m_parts.commands.link(), &ClusterLink::changed, this, [this] {
        if (m_isOn && m_parts.commands.link().state() == LinkState::None && !m_parts.player.run().hasBegun()
            && !m_parts.timeLine.isReplay())
            close(); // the start page is shown
    });
    // Only while it is on: the guide may be used by the tour.
    GuidePanel& guide = m_guide;
    const auto when = [this, &guide](void (GuidePanel::*wanted)(), void (WindowExercise::*act)()) {
        connect(&guide, wanted, this, [this, act] {
            if (m_isOn)
                (this->*act)();
        });
    };
    when(&GuidePanel::hintWanted, &WindowExercise::ask);
    when(&GuidePanel::againWanted, &WindowExercise::beginAnew);
    when(&GuidePanel::leaveWanted, &WindowExercise::leave);
    connect(&guide, &GuidePanel::nextWanted, this, [this] {
        if (m_isOn)
            open(1);
    });
    connect(&guide, &GuidePanel::backWanted, this, [this] {
        if (m_isOn)
            open(-1);
    });
}

// The reel has reached this entry.
void WindowExercise::follow(const ReelEntry& entry)
{
    if (entry.kind == ReelEntry::Kind::Cluster && m_isOn && m_parts.director.isRecorded())
        close(); // the person has gone back to the beginning
    if (entry.kind == ReelEntry::Kind::Exercise && entry.exercise)
        m_toCome.emplace_back(entry.at.event, *entry.exercise);
    if (entry.kind != ReelEntry::Kind::End || !m_isOn)
        return;
    const ExerciseShown& last = m_toCome.empty() ? m_shown : m_toCome.back().second;
    if (!last.isOver && !m_isAgain)
        m_trouble = tr("It ended before all goals were reached. %1").arg(entry.text);
    show();
}

// Observations are shown only when the picture has reached their events.
bool WindowExercise::refresh(double)
{
    const bool isTold = m_parts.director.isRecorded(); // entries of a recording come at their time already
    while (!m_toCome.empty() && (isTold || m_toCome.front().first <= m_parts.pacer.shownUpTo())) {
        const ExerciseShown next = std::move(m_toCome.front().second);
        m_toCome.pop_front();
        take(next);
    }
    return false;
}

void WindowExercise::take(const ExerciseShown& exercise)
{
    const bool isOther = !m_isOn || exercise.task != m_shown.task || m_shown.isOver;
    m_shown = exercise;
    if (isOther)
        begin();
    show();
}

void WindowExercise::begin()
{
    m_isOn = false;
    emit m_guide.leaveWanted(); // ends whatever used the guide until now
    const ScriptHeader header = headerOf(m_parts.player.scenario().source);
    const bool isRecorded = m_parts.director.isRecorded();
    m_path = isRecorded ? QString() : m_write.editor().path();
    m_place = header.exercise.isEmpty() || isRecorded ? tr("Exercise") : tr("Exercise %1").arg(header.exercise);
    m_title = header.title.isEmpty() || isRecorded ? QString() : header.title;
    m_hints = 0;
    m_trouble.clear();
    m_words = {};
    m_isOn = true;
}

void WindowExercise::show()
{
    if (m_words != GuideWords() && m_guide.words() != m_words)
        m_isOn = false; // something else uses the guide
    if (!m_isOn)
        return;
    m_words = words();
    m_guide.show(m_words);
}

GuideWords WindowExercise::words() const
{
    using State = ExerciseGoal::State;
    GuideWords words;
    words.place = m_place;
    words.title = m_title;
    words.task = m_shown.task;
    QStringList seen, failed;
    for (const ExerciseGoal& goal : m_shown.goals) {
        const bool isHeld = goal.state == State::Held;
        words.goals << (goal.state != State::Open || goal.why.isEmpty() ? goal.text
                                                                        : tr("%1  –  %2").arg(goal.text, goal.why));
        words.held.push_back(isHeld);
        if (isHeld)
            seen << goal.why;
        if (goal.state == State::Failed)
            failed << goal.why;
    }
    words.isDone = m_shown.isOver && m_shown.isHeld();
    words.seen = seen.join(QLatin1Char(' '));
    if (words.isDone)
        words.seen = tr("Solved. %1").arg(words.seen);
    const QString again = m_parts.actions.get("guideAgain")->shortcut().toString(QKeySequence::NativeText);
    if (!m_trouble.isEmpty() || !m_shown.trouble.isEmpty())
        words.trouble = tr("%1 Begin anew: %2.").arg(m_trouble.isEmpty() ? m_shown.trouble : m_trouble, again);
    else if (!failed.isEmpty())
        words.trouble = tr("%1 So this can no longer be reached. Begin anew: %2.")
                            .arg(failed.join(QLatin1Char(' ')), again);
    const bool isRecorded = m_parts.director.isRecorded();
    words.hasHint = !m_shown.hints.isEmpty() && !isRecorded && !words.isDone;
    QStringList hints = m_shown.hints.mid(0, std::max<qsizetype>(1, m_hints));
    if (hints.size() > 1)
        for (qsizetype i = 0; i < hints.size(); ++i)
            hints[i] = QStringLiteral("%1. %2").arg(i + 1).arg(hints[i]);
    words.hint = hints.join(QLatin1Char('\n'));
    if (m_hints > 0 && m_hints < m_shown.hints.size())
        words.hintWords = tr("Next hint");
    words.nextWords = words.isDone ? tr("Next exercise") : tr("Skip");
    words.mayGoOn = !neighbour(1).isEmpty();
    words.mayGoBack = !neighbour(-1).isEmpty();
    return words;
}

// When this is called, the guide has already shown or hidden the hint that it has.
void WindowExercise::ask()
{
    if (m_isAsking)
        return;
    GuidePanel& guide = m_guide;
    const bool hasMore = m_hints < m_shown.hints.size();
    if (hasMore)
        ++m_hints;
    show();
    const QScopedValueRollback guard(m_isAsking, true);
    if (hasMore && !guide.isHintShown())
        guide.press(GuidePanel::Hint); // asking for another hint must not hide it
}

// The script starts its cluster again, and begins from there.
void WindowExercise::beginAnew()
{
    if (m_parts.director.isRecorded()) {
        m_parts.actions.get("toStart")->trigger();
        return;
    }
    if (!m_parts.player.run().hasBegun()) {
        start();
        return;
    }
    m_isAgain = true;
    m_parts.player.run().stop();
}

void WindowExercise::start()
{
    m_toCome.clear();
    m_shown.isOver = false;
    m_shown.trouble.clear();
    for (ExerciseGoal& goal : m_shown.goals)
        goal = { goal.text, ExerciseGoal::State::Open, {} };
    m_trouble.clear();
    show();
    m_isBegunAnew = m_isOn;
    m_parts.player.start();
    m_isBegunAnew = false;
}

void WindowExercise::leave()
{
    m_isAgain = false;
    m_next.clear();
    close();
    if (!m_shown.isOver && !m_parts.director.isRecorded())
        m_parts.player.run().stop(); // the cluster stays, and the person may use it
}

void WindowExercise::close()
{
    m_isOn = false;
    m_toCome.clear();
    if (m_guide.words() == m_words)
        m_guide.hide();
}

QString WindowExercise::neighbour(int direction) const
{
    if (m_path.isEmpty())
        return {};
    const QFileInfo info(m_path);
    const QStringList files = info.dir().entryList({ QStringLiteral("*.js") }, QDir::Files, QDir::Name);
    const qsizetype here = files.indexOf(info.fileName()), at = here + direction;
    return here < 0 || at < 0 || at >= files.size() ? QString() : info.dir().filePath(files[at]);
}

void WindowExercise::open(int direction)
{
    const QString next = neighbour(direction);
    if (next.isEmpty())
        return;
    if (!m_parts.player.run().hasBegun()) {
        emit openWanted(next);
        return;
    }
    m_next = next;
    m_isAgain = true;
    m_parts.player.run().stop();
}

} // namespace lhrs::gui
