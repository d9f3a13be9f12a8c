// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/process/event_ring.h"

#include "common/kinds.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

void EventRing::push(ProcessId process, std::int64_t runNs, std::shared_ptr<const pb::Event> event, std::size_t bytes)
{
    add({ .process = process, .runNs = runNs, .event = std::move(event) }, bytes);
}

void EventRing::pushGap(ProcessId process, std::int64_t runNs, std::uint64_t first, std::uint64_t last)
{
    add({ .process = process, .runNs = runNs, .event = nullptr, .gapFirst = first, .gapLast = last }, 0);
}

void EventRing::add(RunEvent event, std::size_t bytes)
{
    event.index = ++m_lastIndex;
    bytes += sizeof(Entry);
    m_bytes += bytes;
    m_entries.push_back({ std::move(event), bytes });
    while (m_entries.size() > m_eventsMax || (m_bytes > m_bytesMax && m_entries.size() > 1)) {
        m_bytes -= m_entries.front().bytes;
        if (const RunEvent& dropped = m_entries.front().event; !dropped.isGap())
            m_dropped[kindOf(*dropped.event)] = dropped.index;
        m_entries.pop_front();
    }
}

EventPage EventRing::since(std::uint64_t cursor, std::size_t max) const
{
    EventPage page;
    const std::uint64_t first = firstIndex();
    std::uint64_t from = cursor + 1;
    if (from < first) {
        page.missed = first - from;
        for (const auto& [kind, index] : m_dropped)
            if (index > cursor)
                page.missedKinds.insert(kind);
        from = first;
    }
    page.next = std::max(cursor, from - 1);
    for (std::uint64_t index = from; index <= m_lastIndex && page.events.size() < max; ++index) {
        page.events.push_back(m_entries[std::size_t(index - first)].event);
        page.next = index;
    }
    return page;
}

} // namespace lhrs::gui
