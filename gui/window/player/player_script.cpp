// SPDX-License-Identifier: GPL-3.0-or-later
// What the script reports in its thread: kept until the next frame takes it.
#include "gui/window/player/player.h"

namespace lhrs::gui {

void Player::post(ReelEntry entry)
{
    const std::lock_guard lock(m_mutex);
    if (!entry.at.isThere())
        entry.at = m_lastCue; // no cue of its own: the last one of the script
    m_lastCue = entry.at;
    m_mail.reel.push_back(std::move(entry));
}

void Player::onReel(const ReelEntry& entry)
{
    if (m_listener)
        m_listener->onReel(entry);
    post(entry);
}

void Player::onStarted(const QString& file)
{
    if (m_listener)
        m_listener->onStarted(file);
}

void Player::onHeld(int line, const QString& call)
{
    m_trace.hold(line, call);
    const std::lock_guard lock(m_mutex);
    m_mail.isHeld = true;
}

void Player::onStep(const QString& id, const QString& title)
{
    if (m_listener)
        m_listener->onStep(id, title);
    m_trace.step(id, title);
}

void Player::onSay(const QString& text)
{
    if (m_listener)
        m_listener->onSay(text);
}

void Player::onNote(const QString& text)
{
    if (m_listener)
        m_listener->onNote(text);
}

void Player::onPrint(const QString& text)
{
    if (m_listener)
        m_listener->onPrint(text);
}

void Player::onExpectation(const Expectation& expectation)
{
    if (m_listener)
        m_listener->onExpectation(expectation);
    if (!expectation.isHeld)
        m_trace.fault(expectation.line,
            expectation.detail.isEmpty() ? expectation.text
                                         : QStringLiteral("%1 (%2)").arg(expectation.text, expectation.detail));
}

std::optional<std::vector<int>> Player::onQuestion(const Question& question, const std::stop_token& stop)
{
    if (m_listener)
        (void)m_listener->onQuestion(question, stop); // records that the question was asked
    std::unique_lock lock(m_mutex);
    m_mail.question = question;
    m_mail.votes.assign(std::size_t(question.choices.size()), 0);
    m_mail.isAnswered = false;
    // The script waits before the outcome until the audience has voted and PgDn is pressed.
    if (!m_answered.wait(lock, stop, [this] { return m_mail.isAnswered || !m_mail.mayAsk; }))
        return std::nullopt;
    return m_mail.isAnswered ? std::optional(m_mail.votes) : std::nullopt;
}

void Player::onReveal(const Question& question, int index, const QString& why)
{
    if (m_listener)
        m_listener->onReveal(question, index, why);
}

void Player::onParameters(const std::map<QString, QVariant>& parameters)
{
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& [name, value] : parameters)
            m_parameters[name] = value;
    }
    if (m_listener != nullptr)
        m_listener->onParameters(parameters);
}

void Player::onCluster(const ClusterFacts& cluster)
{
    {
        const std::lock_guard lock(m_mutex);
        m_clusters.push_back(cluster);
    }
    if (!cluster.patience.isEmpty())
        post({ .kind = ReelEntry::Kind::Note, .text = cluster.patience });
    if (m_listener != nullptr)
        m_listener->onCluster(cluster);
}

void Player::onMark(const QString& text)
{
    if (m_listener)
        m_listener->onMark(text);
    post({ .kind = ReelEntry::Kind::Note, .text = text });
}

void Player::onChart(const MeasureChart& chart, bool isNew)
{
    const std::lock_guard lock(m_mutex);
    for (auto& [known, wasNew] : m_mail.charts)
        if (known.id == chart.id) {
            known = chart;
            return;
        }
    m_mail.charts.emplace_back(chart, isNew);
}

void Player::onFinished(const ScriptResult& result)
{
    m_trace.finish(result);
    // Stopped by a person, which is not a failure.
    const bool isStopped = result.outcome == ScriptOutcome::Stopped && !result.isLimitReached;
    const int held = result.expectationsHeld;
    QString words = tr("The end.");
    if (isStopped)
        words = tr("Stopped. PgDn begins it anew.");
    else if (result.outcome != ScriptOutcome::Held)
        words = result.sentence();
    else if (held == 1)
        words = tr("The end. What was expected held.");
    else if (held > 1)
        words = tr("The end. All %1 expectations held.").arg(held);
    ReelEntry end { .kind = ReelEntry::Kind::End,
        .text = words,
        .number = result.outcome == ScriptOutcome::Held ? 1
            : isStopped                                 ? 2
                                                        : 0 };
    {
        const std::lock_guard lock(m_mutex);
        end.at = m_lastCue;
    }
    onReel(end);
}

} // namespace lhrs::gui
