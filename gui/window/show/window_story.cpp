// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_story.h"

#include "gui/lab/export/run_export.h"

#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::uint64_t kWholeEvents = 200'000; // recordings of up to so many events have their story told at once

} // namespace

WindowStory::WindowStory(WindowParts& parts) : WindowSubject(parts)
{
    m_parts.pacer.setWitness(
        [this](const RunEvent& event, const ClusterState& state) { m_narrator.take(event, state); });
}

// Tells what has happened since the last frame.
void WindowStory::frame()
{
    if (!m_parts.hasCluster())
        return;
    m_narrator.look(m_parts.pacer.state(), m_parts.pacer.shownNs());
    const std::vector<Telling> tellings = m_narrator.takeTellings();
    if (!m_isWhole)
        for (const Telling& one : tellings)
            m_told.add(one, m_parts.pacer.shownUpTo());
    if (m_parts.player.isFree())
        m_parts.player.told().add(tellings);
}

void WindowStory::forget()
{
    m_narrator.reset();
    m_told.clear();
}

void WindowStory::showRun()
{
    const bool wasOfRecording = std::exchange(m_isOfRecording, m_parts.timeLine.isReplay());
    if (!m_isOfRecording) {
        m_told = std::exchange(m_live, {});
        m_isWhole = false;
        return;
    }
    if (!wasOfRecording)
        m_live = std::move(m_told);
    Recording& recording = *m_parts.timeLine.recording();
    m_isWhole = recording.events() <= kWholeEvents;
    m_told = m_isWhole ? storyOf(recording) : RunStory();
}

} // namespace lhrs::gui
