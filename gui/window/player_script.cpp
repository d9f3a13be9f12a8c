// SPDX-License-Identifier: GPL-3.0-or-later
// What the script says, in its thread: kept until the next frame takes it.
#include "gui/window/player.h"

namespace lhrs::gui {

void Player::post(StoryLine::Kind kind, const QString& text)
{
    const std::lock_guard lock(m_mutex);
    m_mail.lines.push_back({ kind, text });
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
    const QString words = QStringLiteral("(%1)  %2").arg(id, title);
    if (m_listener)
        m_listener->onStep(id, title);
    m_trace.step(id, title);
    post(StoryLine::Kind::Step, words);
    const std::lock_guard lock(m_mutex);
    m_mail.step = words;
    ++m_mail.steps;
}

void Player::onSay(const QString& text)
{
    if (m_listener)
        m_listener->onSay(text);
    post(StoryLine::Kind::Say, text);
    const std::lock_guard lock(m_mutex);
    m_mail.caption = text;
    m_mail.question.reset();
}

void Player::onNote(const QString& text)
{
    post(StoryLine::Kind::Note, text);
}

void Player::onPrint(const QString& text)
{
    if (m_listener)
        m_listener->onPrint(text);
    post(StoryLine::Kind::Print, text);
}

void Player::onExpectation(const Expectation& expectation)
{
    if (m_listener)
        m_listener->onExpectation(expectation);
    const QString words = expectation.detail.isEmpty() ? expectation.text : QStringLiteral("%1 (%2)").arg(expectation.text, expectation.detail);
    post(expectation.isHeld ? StoryLine::Kind::Held : StoryLine::Kind::Failed, words);
    if (!expectation.isHeld)
        m_trace.fault(expectation.line, words);
    const std::lock_guard lock(m_mutex);
    ++(expectation.isHeld ? m_mail.held : m_mail.failed);
}

void Player::onCamera(const CameraWish& wish)
{
    const std::lock_guard lock(m_mutex);
    m_mail.cameras.push_back(wish);
}

void Player::onHighlight(const QStringList& targets, const QString& text, double seconds)
{
    const std::lock_guard lock(m_mutex);
    m_mail.highlights.push_back({ targets, text, seconds });
}

std::optional<std::vector<int>> Player::onQuestion(const Question& question, const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    m_mail.lines.push_back({ StoryLine::Kind::Say, question.text });
    m_mail.question = question;
    m_mail.votes.assign(std::size_t(question.choices.size()), 0);
    m_mail.isAnswered = false;
    m_mail.reveal = -1;
    m_mail.why.clear();
    // The script stands before the outcome until the hall has voted and PgDn is pressed.
    if (!m_answered.wait(lock, stop, [this] { return m_mail.isAnswered || !m_mail.mayAsk; }))
        return std::nullopt;
    return m_mail.isAnswered ? std::optional(m_mail.votes) : std::nullopt;
}

void Player::onReveal(const Question& question, int index, const QString& why)
{
    post(StoryLine::Kind::Say, QStringLiteral("%1: %2. %3").arg(question.text, question.choices.value(index), why));
    const std::lock_guard lock(m_mutex);
    m_mail.question = question;
    m_mail.isAnswered = true;
    m_mail.reveal = index;
    m_mail.why = why;
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
        post(StoryLine::Kind::Note, cluster.patience);
    if (m_listener != nullptr)
        m_listener->onCluster(cluster);
}

void Player::onMark(const QString& text)
{
    post(StoryLine::Kind::Note, text);
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
    const std::lock_guard lock(m_mutex);
    m_mail.isFinished = true;
}

} // namespace lhrs::gui
