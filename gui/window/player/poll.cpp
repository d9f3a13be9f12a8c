// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/poll.h"

#include <algorithm>

namespace lhrs::gui {

std::optional<std::vector<int>> Poll::ask(const Question& question, const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    m_question = question;
    m_votes.assign(std::size_t(question.choices.size()), 0);
    m_isOpen = true;
    if (!m_changed.wait(lock, stop, [this] { return !m_isOpen || !m_isWaiting; }))
        return std::nullopt;
    return m_isOpen ? std::nullopt : std::optional(m_votes);
}

void Poll::reset()
{
    const std::lock_guard lock(m_mutex);
    m_question.reset();
    m_votes.clear();
    m_isOpen = false;
    m_isWaiting = true;
}

void Poll::setWaiting(bool on)
{
    const std::lock_guard lock(m_mutex);
    m_isWaiting = on;
    m_changed.notify_all();
}

bool Poll::isOpen() const
{
    const std::lock_guard lock(m_mutex);
    return m_isOpen;
}

bool Poll::isOpenFor(const QString& text, const QStringList& choices) const
{
    const std::lock_guard lock(m_mutex);
    return m_isOpen && m_question->text == text && m_question->choices == choices;
}

std::vector<int> Poll::votes() const
{
    const std::lock_guard lock(m_mutex);
    return m_votes;
}

void Poll::vote(int choice)
{
    const std::lock_guard lock(m_mutex);
    if (!m_isOpen || choice < 1 || choice > int(m_votes.size()))
        return;
    ++m_votes[std::size_t(choice - 1)];
    m_votedLast = choice;
}

void Poll::voteAgain(int difference)
{
    const std::lock_guard lock(m_mutex);
    if (!m_isOpen || m_votes.empty())
        return;
    int& votes = m_votes[std::size_t(std::clamp(m_votedLast, 1, int(m_votes.size())) - 1)];
    votes = std::max(0, votes + difference);
}

void Poll::close()
{
    const std::lock_guard lock(m_mutex);
    m_isOpen = false;
    m_changed.notify_all();
}

} // namespace lhrs::gui
