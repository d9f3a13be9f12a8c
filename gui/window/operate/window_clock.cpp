// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_clock.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/words/quantity_words.h"
#include "gui/window/commands/clock_bar.h"

#include <array>
#include <cstdlib>

namespace lhrs::gui {

namespace {

constexpr std::size_t kStepEvents = 200;
constexpr qsizetype kStepWords = 3; // sentences
constexpr std::int64_t kSameBegin = 1'000'000; // ns
constexpr std::array kClockActions { "virtualRun", "virtualPause", "virtualStepEvent", "virtualStepMessage",
    "virtualStepMs" };

} // namespace

WindowClock::WindowClock(WindowParts& parts) : WindowSubject(parts)
{
    Actions& a = m_parts.actions;
    a.add(
        { "virtualRun", "Time", "Run virtual time", "Ctrl+Space", "A simulated cluster goes on, at the chosen speed" },
        [this] { m_parts.commands.clock().run(m_bar->speed()); });
    a.add({ "virtualPause", "Time", "Pause virtual time", "Ctrl+Shift+Space",
              "A simulated cluster stands still: nothing happens in it" },
        [this] { m_parts.commands.clock().pause(); });
    a.add({ "virtualStepEvent", "Time", "One event on", "Alt+4",
              "A simulated cluster goes on to its next event, and stops" },
        [this] { stepClock(ClockStep::Event); });
    a.add({ "virtualStepMessage", "Time", "One message on", "Alt+5",
              "A simulated cluster goes on until a message arrives, and stops; in a gated one, simulated or real, the "
              "oldest message is let through" },
        [this] { stepClock(ClockStep::Message); });
    a.add({ "virtualStepMs", "Time", "One ms on", "Alt+6",
              "A simulated cluster goes on by a millisecond of virtual time, and stops" },
        [this] { stepClock(ClockStep::Millisecond); });
    for (const char* id : kClockActions)
        a.enable({ id }, false);
}

QWidget* WindowClock::makeBar()
{
    m_bar = new ClockBar(m_parts.actions);
    connect(m_bar, &ClockBar::speedChosen, this, [this](double factor) { m_parts.commands.clock().run(factor); });
    // The show of a scenario may still be at the previous cluster.
    connect(&m_parts.player, &Player::runningChanged, this, [this](bool isRunning) {
        if (isRunning)
            m_clusterShown = 0;
    });
    connect(&m_parts.player, &Player::entryShown, this, [this](const ReelEntry& entry) {
        if (entry.kind == ReelEntry::Kind::Cluster)
            m_clusterShown = entry.number;
    });
    return m_bar;
}

void WindowClock::applyTheme() { m_bar->setTheme(m_parts.theme); }

void WindowClock::noteStep()
{
    if (m_parts.commands.session().control().simulation())
        m_steppedFrom = m_parts.commands.session().ingest().committed();
}

void WindowClock::stepClock(ClockStep step)
{
    noteStep();
    m_parts.commands.clock().step(step);
}

// Uses one clock: times of a simulated cluster are counted from the zero of its virtual time, which the bar above the
// picture shows. The show of a scenario may still be at the previous cluster.
void WindowClock::alignBegin()
{
    const auto zero = m_parts.commands.clock().zeroNs();
    const std::vector<ClusterFacts> clusters = m_parts.player.run().clusters();
    const bool isOther = m_parts.pacer.isShow() && !clusters.empty() && m_clusterShown != clusters.back().number;
    if (!zero || isOther || m_parts.timeLine.isReplay() || m_parts.commands.link().state() == LinkState::None)
        return;
    if (std::abs(*zero - m_parts.timeLine.beginNs()) > kSameBegin)
        m_parts.timeLine.beginRun(*zero);
}

void WindowClock::update()
{
    alignBegin();
    nameStep();
    const auto simulation = m_parts.timeLine.isReplay() ? std::nullopt
                                                        : m_parts.commands.session().control().simulation();
    const bool isThere = simulation && m_parts.commands.link().state() != LinkState::None;
    const bool goes = isThere && !simulation->is_over();
    // Hidden in a presentation: an audience does not read it, and the picture needs the room.
    m_bar->show(isThere && !m_parts.isPresenting ? simulation : std::nullopt);
    const bool isGated = !m_parts.timeLine.isReplay() && m_parts.commands.session().control().isGated();
    for (const char* id : kClockActions)
        m_parts.actions.enable({ id }, goes || (isGated && std::string_view(id) == "virtualStepMessage"));
}

// Describes in words what a step of a simulated cluster has done: a change in the picture is easily missed.
void WindowClock::nameStep()
{
    if (!m_steppedFrom || m_parts.commands.session().ingest().committed() <= *m_steppedFrom
        || m_parts.line.text().endsWith(QStringLiteral("…")))
        return; // or the simulator has not answered yet
    const EventPage page = m_parts.commands.session().ingest().eventsSince(*m_steppedFrom, kStepEvents);
    m_steppedFrom.reset();
    QStringList words;
    const ClusterState state = m_parts.commands.session().ingest().state();
    for (const RunEvent& event : page.events)
        words << QString::fromStdString(sentence(event, state));
    const qsizetype all = words.size();
    words = words.mid(0, kStepWords);
    if (all > words.size())
        words << tr("and %1").arg(countedWords(std::uint64_t(all - words.size()), "event more", "events more"));
    // After the answer of the simulator.
    const QString text = m_parts.line.text(), line = text.section(QStringLiteral("  "), 0, 0),
                  outcome = text.section(QStringLiteral("  "), 1);
    m_parts.line.answer(line,
        outcome.isEmpty() ? words.join(QLatin1Char(' '))
                          : QStringLiteral("%1. %2").arg(outcome, words.join(QLatin1Char(' '))),
        true);
}

} // namespace lhrs::gui
