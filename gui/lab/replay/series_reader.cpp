// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/replay/series_reader.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr std::int64_t kBins = 1'024;
constexpr std::int64_t kAround = 1'000'000'000; // ns read before and after an interval, at most

} // namespace

SeriesReader::SeriesReader(Recording& recording)
    : m_recording(recording), m_fromNs(recording.beginNs()), m_toNs(recording.endNs()), m_readFromNs(m_fromNs),
      m_readToNs(m_toNs),
      m_series({ std::clamp<std::int64_t>((m_toNs - m_fromNs) / kBins, 1, RunSeries::Limits().binNs),
          RunSeries::Limits().binsMax }),
      m_words(recording.words()), m_clusters(m_words), m_lastEvent(recording.events())
{
}

SeriesReader::SeriesReader(Recording& recording, std::int64_t fromNs, std::int64_t toNs)
    : m_recording(recording), m_fromNs(fromNs), m_toNs(std::max(toNs, fromNs + 1)),
      m_readFromNs(m_fromNs - std::min(kAround, m_toNs - m_fromNs)),
      m_readToNs(m_toNs + std::min(kAround, m_toNs - m_fromNs)),
      m_series({ std::max<std::int64_t>(1, (m_toNs - m_fromNs) / kBins), 4 * kBins }), m_words(recording.words()),
      m_clusters(m_words), m_lastEvent(recording.eventAt(m_readToNs))
{
    m_firstEvent = m_cursor = m_recording.eventAt(m_readFromNs - 1);
    if (auto state = m_recording.stateAt(m_cursor))
        m_series.learn(*state, m_readFromNs);
    m_series.setCluster(m_clusters.of(m_cursor + 1));
    while (m_nextWord < m_words.size() && m_words[m_nextWord].event <= m_cursor)
        ++m_nextWord;
}

double SeriesReader::progress() const
{
    return m_isDone || m_lastEvent <= m_firstEvent
        ? 1.0
        : double(m_cursor - m_firstEvent) / double(m_lastEvent - m_firstEvent);
}

bool SeriesReader::step(std::size_t events)
{
    if (m_isDone)
        return false;
    const EventPage page = m_recording.eventsOf(RunSeries::kinds(), m_cursor, m_lastEvent, events);
    const auto tellUpTo = [&](std::uint64_t event) {
        for (; m_nextWord < m_words.size() && m_words[m_nextWord].event < event; ++m_nextWord) {
            const Recording::Word& word = m_words[m_nextWord];
            m_series.take(word.process, word.told, word.tNs);
            if (word.told.has_forgotten())
                m_series.setCluster(m_clusters.of(word.event + 1));
        }
    };
    for (const RunEvent& run : page.events) {
        tellUpTo(run.index);
        m_series.take(run);
    }
    m_cursor = page.next;
    if (page.events.size() >= events)
        return true;
    tellUpTo(m_lastEvent + 1);
    m_isDone = true;
    return false;
}

} // namespace lhrs::gui
