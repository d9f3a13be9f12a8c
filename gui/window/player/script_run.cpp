// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/script_run.h"

#include <QObject>

namespace lhrs::gui {

namespace {

// How the run ended, in words for the audience, and as ReelEntry::number.
ReelEntry endOf(const ScriptResult& result)
{
    const int held = result.expectationsHeld;
    ReelEntry end { .kind = ReelEntry::Kind::End, .text = QObject::tr("The end."), .number = 1 };
    if (result.outcome == ScriptOutcome::Stopped && !result.isLimitReached) { // by a person, which is not a failure
        end.text = QObject::tr("Stopped. PgDn begins it anew.");
        end.number = 2;
    } else if (result.outcome != ScriptOutcome::Held) {
        end.text = result.sentence();
        end.number = 0;
    } else if (held == 1) {
        end.text = QObject::tr("The end. The expectation held.");
    } else if (held > 1) {
        end.text = QObject::tr("The end. All %1 expectations held.").arg(held);
    }
    return end;
}

} // namespace

// ---- the window's thread

void ScriptRun::start(const QString& source, const QString& file, ScriptStops stops)
{
    m_trace.start();
    m_poll.reset();
    {
        const std::lock_guard lock(m_mutex);
        m_news = {};
        m_lastCue = {};
        m_parameters.clear();
        m_clusters.clear();
    }
    m_isHeld = false;
    m_hasBegun = true;
    m_since.start();
    m_engine.setStops(stops);
    m_engine.start(source, file, m_settings);
}

void ScriptRun::goOn(ScriptStops stops)
{
    m_poll.setWaiting(stops != ScriptStops::Nowhere);
    if (!std::exchange(m_isHeld, false)) {
        m_engine.setStops(stops);
        return;
    }
    m_trace.proceed();
    m_engine.proceed(stops);
}

void ScriptRun::pause()
{
    if (isRunning())
        m_engine.setStops(ScriptStops::BeforeCalls);
}

bool ScriptRun::stands() const
{
    if (!isRunning())
        return !m_hasBegun; // so that the end of the run is taken too
    if (!m_isHeld && !m_poll.isOpen())
        return false;
    const std::lock_guard lock(m_mutex);
    return m_news.reel.empty();
}

ScriptRun::News ScriptRun::take()
{
    const bool hasEnded = m_hasBegun && !isRunning(); // asked first: its last words are then taken too
    News news;
    {
        const std::lock_guard lock(m_mutex);
        news = std::exchange(m_news, {});
    }
    news.hasEnded = hasEnded;
    m_isHeld = m_isHeld || news.isHeld;
    if (hasEnded)
        m_hasBegun = m_isHeld = false;
    return news;
}

std::vector<ClusterFacts> ScriptRun::clusters() const
{
    const std::lock_guard lock(m_mutex);
    return m_clusters;
}

RunFacts ScriptRun::facts(RunFacts facts) const
{
    const RunIdentity identity = m_engine.identity();
    facts.run = identity.run;
    facts.isSimulated = identity.isSimulated;
    facts.seed = QString::number(m_settings.seed);
    const std::lock_guard lock(m_mutex);
    facts.parameters = m_parameters;
    return facts;
}

// ---- the script's thread

void ScriptRun::post(ReelEntry entry)
{
    const std::lock_guard lock(m_mutex);
    if (!entry.at.isThere())
        entry.at = m_lastCue; // no cue of its own: the last one of the script
    m_lastCue = entry.at;
    m_news.reel.push_back(std::move(entry));
}

void ScriptRun::onReel(const ReelEntry& entry)
{
    m_listener->onReel(entry);
    post(entry);
}

void ScriptRun::onHeld(int line, const QString& call)
{
    m_trace.hold(line, call);
    const std::lock_guard lock(m_mutex);
    m_news.isHeld = true;
}

void ScriptRun::onStep(const QString& id, const QString& title)
{
    m_listener->onStep(id, title);
    m_trace.step(id, title);
}

void ScriptRun::onExpectation(const Expectation& expectation)
{
    m_listener->onExpectation(expectation);
    if (!expectation.isHeld)
        m_trace.fault(expectation.line,
            expectation.detail.isEmpty() ? expectation.text
                                         : QStringLiteral("%1 (%2)").arg(expectation.text, expectation.detail));
}

std::optional<std::vector<int>> ScriptRun::onQuestion(const Question& question, const std::stop_token& stop)
{
    (void)m_listener->onQuestion(question, stop); // records that the question was asked
    // The script waits before the outcome until the audience has voted and PgDn is pressed.
    return m_poll.ask(question, stop);
}

void ScriptRun::onReveal(const Question& question, int index, const QString& why)
{
    m_listener->onReveal(question, index, why);
}

void ScriptRun::onMark(const QString& text)
{
    m_listener->onMark(text);
    post({ .kind = ReelEntry::Kind::Note, .text = text });
}

void ScriptRun::onParameters(const std::map<QString, QVariant>& parameters)
{
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& [name, value] : parameters)
            m_parameters[name] = value;
    }
    m_listener->onParameters(parameters);
}

void ScriptRun::onCluster(const ClusterFacts& cluster)
{
    {
        const std::lock_guard lock(m_mutex);
        m_clusters.push_back(cluster);
    }
    if (!cluster.patience.isEmpty())
        post({ .kind = ReelEntry::Kind::Note, .text = cluster.patience });
    m_listener->onCluster(cluster);
}

void ScriptRun::onChart(const MeasureChart& chart, bool isNew)
{
    const std::lock_guard lock(m_mutex);
    for (auto& [known, wasNew] : m_news.charts)
        if (known.id == chart.id) {
            known = chart;
            return;
        }
    m_news.charts.emplace_back(chart, isNew);
}

void ScriptRun::onFinished(const ScriptResult& result)
{
    m_trace.finish(result);
    ReelEntry end = endOf(result);
    {
        const std::lock_guard lock(m_mutex);
        end.at = m_lastCue;
    }
    onReel(end);
}

} // namespace lhrs::gui
