// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/caption/past_captions.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

bool PastCaptions::show(const CaptionTrack* track, const CaptionTrack::Instant& instant)
{
    if (track == nullptr)
        return std::exchange(m_isOn, false);
    if (m_isOn && instant.said == m_said && instant.step == m_words.step && instant.caption == m_words.caption)
        return false;
    m_isOn = true;
    m_said = instant.said;
    m_story.show(track->lines(), instant.said);
    const auto steps = std::count_if(m_story.lines().begin(), m_story.lines().end(),
        [](const StoryLine& line) { return line.kind == StoryLine::Kind::Step; });
    m_words = { instant.step, instant.caption,
        track->steps() > 0 ? QObject::tr("step %1 of %2").arg(steps).arg(track->steps()) : QString() };
    return true;
}

} // namespace lhrs::gui
