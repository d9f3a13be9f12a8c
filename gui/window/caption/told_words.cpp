// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/caption/told_words.h"

#include "gui/show/director.h"
#include "gui/window/caption/story.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr std::size_t kWaitingMost = 3; // sentences

} // namespace

void ToldWords::add(const std::vector<Telling>& told)
{
    for (const Telling& one : told) {
        const auto waits = std::find_if(m_waiting.begin(), m_waiting.end(),
            [&](const Telling& t) { return one.instead != 0 && t.event == one.instead; });
        if (waits != m_waiting.end())
            *waits = one;
        else
            m_waiting.push_back(one);
    }
}

void ToldWords::clear()
{
    m_waiting.clear();
    m_event = 0;
}

// If many are waiting, the older ones go to the story at once, so that the text matches the picture.
std::optional<QString> ToldWords::frame(double seconds, bool isFree, StoryModel& story)
{
    m_time += seconds;
    if (!isFree)
        m_waiting.clear();
    if (m_waiting.empty() || (m_time < m_until && m_waiting.front().instead == 0))
        return std::nullopt;
    Telling told;
    do {
        told = m_waiting.front();
        m_waiting.pop_front();
        const StoryLine line { StoryLine::Kind::Say, told.text };
        if (told.instead != 0 && told.instead == m_event)
            story.replaceLast(line);
        else
            story.add({ line });
        m_event = told.event;
    } while (m_waiting.size() >= kWaitingMost);
    m_until = m_time + Director::readingSeconds(told.text) / double(1 + m_waiting.size());
    return told.text;
}

} // namespace lhrs::gui
