// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/key_scan.h"

#include <algorithm>
#include <utility>

namespace lhrs {

KeyScan::Answer KeyScan::answerFrom(const KeyWindow& window, const Question& question) const
{
    Answer answer { .asker = question.asker, .isCount = question.isCount };
    if (question.isCount)
        answer.count = window.count();
    else
        answer.page = window.page(question.from, question.count);
    return answer;
}

void KeyScan::forget(std::uint32_t asker)
{
    std::erase_if(m_waiting, [asker](const Question& question) { return question.asker == asker; });
    std::erase_if(m_answers, [asker](const Answer& answer) { return answer.asker == asker; });
}

std::vector<KeyScan::Answer> KeyScan::answers(Clock::time_point now)
{
    std::vector<Answer> found = std::exchange(m_answers, {});
    std::erase_if(m_waiting, [&](const Question& question) {
        if (!m_window || isFresh(question) || !m_window->covers(question.from))
            return false;
        m_used = now;
        found.push_back(answerFrom(*m_window, question));
        return true;
    });
    return found;
}

std::unique_ptr<KeyWindow> KeyScan::begin()
{
    if (m_isRunning || m_waiting.empty())
        return nullptr;
    m_isRunning = true;
    std::uint64_t from = m_waiting.front().from;
    for (Question& question : m_waiting) {
        question.isInScan = true;
        from = std::min(from, question.from);
    }
    return std::make_unique<KeyWindow>(from, m_bytesMax);
}

void KeyScan::ended(std::unique_ptr<KeyWindow> window, std::string error, Clock::time_point now)
{
    m_isRunning = false;
    if (error.empty()) {
        window->close();
        m_window = std::move(window);
        m_used = now;
    }
    std::erase_if(m_waiting, [&](Question& question) {
        if (!std::exchange(question.isInScan, false))
            return false;
        if (!error.empty())
            m_answers.push_back({ .asker = question.asker, .isCount = question.isCount, .error = error });
        else if (question.isCount || m_window->covers(question.from))
            m_answers.push_back(answerFrom(*m_window, question));
        else
            return false; // beyond a window that was too small: the next scan begins further on
        return true;
    });
}

void KeyScan::look(Clock::time_point now)
{
    if (m_window && now - m_used > kKept)
        m_window.reset();
}

} // namespace lhrs
