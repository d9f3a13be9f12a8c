// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main/window_status.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/words/process/detail_words.h"
#include "gui/show/words/quantity_words.h"

#include <QFile>

#include <algorithm>
#include <set>

#include <unistd.h>

namespace lhrs::gui {

namespace {

// Resident memory of this process in megabytes.
int memoryUsed()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return int(file.readAll().split(' ').value(1).toLongLong() * ::sysconf(_SC_PAGESIZE) / (1024 * 1024));
}

} // namespace

// Where what is shown comes from, in one word.
void WindowStatus::addOrigin(std::vector<StatusPart>& parts) const
{
    if (m_parts.timeLine.isReplay()) {
        parts.push_back({ Glyph::Clock, m_parts.theme.caution,
            { tr("RECORDED %1").arg(m_files.recordingPath()), tr("RECORDED") }, 10, true });
        if (m_parts.timeLine.recording()->isSimulated())
            parts.push_back({ Glyph::Simulated, m_parts.theme.caution,
                { tr("SIMULATED, seed %1").arg(m_parts.timeLine.recording()->meta(QStringLiteral("seed"))),
                    tr("SIMULATED") },
                10, true });
        if (const QString damage = m_parts.timeLine.recording()->damage(); !damage.isEmpty())
            parts.push_back(
                { Glyph::Warning, m_parts.theme.bad, { tr("DAMAGED: %1").arg(damage), tr("DAMAGED") }, 9, true });
        else if (const QString unfinished = m_parts.timeLine.recording()->unfinished(); !unfinished.isEmpty())
            parts.push_back({ Glyph::Warning, m_parts.theme.caution,
                { tr("WITHOUT ITS END: %1").arg(unfinished), tr("WITHOUT ITS END") }, 9, true });
    } else
        switch (m_parts.commands.link().state()) {
        case LinkState::None:
            parts.push_back({ Glyph::Ring, m_parts.theme.muted, { tr("NO CLUSTER") }, 10, true });
            break;
        case LinkState::Starting:
            parts.push_back({ Glyph::Dots, m_parts.theme.caution, { tr("STARTING") }, 10, true });
            break;
        case LinkState::Here:
            parts.push_back({ m_parts.pacer.state().isSimulated ? Glyph::Simulated : Glyph::Live, m_parts.theme.good,
                { m_parts.pacer.state().isSimulated ? tr("SIMULATED") : tr("LIVE") }, 10, true });
            break;
        case LinkState::Lost:
            if (m_parts.isWithoutCoordinator())
                parts.push_back({ Glyph::Warning, m_parts.theme.bad,
                    { tr("NO COORDINATOR: key operations go on"), tr("NO COORDINATOR") }, 10, true });
            else
                parts.push_back({ Glyph::Cross, m_parts.theme.bad, { tr("COORDINATOR SILENT") }, 10, true });
            break;
        }
}

void WindowStatus::addCluster(std::vector<StatusPart>& parts) const
{
    const IngestCounters counters = m_parts.commands.session().ingest().counters();
    const ClusterState& state = m_parts.pacer.state();
    const auto running = std::count_if(
        state.processes.begin(), state.processes.end(), [](const auto& p) { return !p.second.hasEnded; });
    parts.push_back({ Glyph::Control, {},
        { tr("coordinator %1").arg(m_parts.commands.link().address()), m_parts.commands.link().address() }, 3, false });
    parts.push_back({ Glyph::None, {}, { tr("%1 processes").arg(running) }, 2, false });
    const QString rate = tr("%1 events/s").arg(grouped(std::uint64_t(counters.eventsPerSecond))),
                  level = QString::fromStdString(detailWord(m_parts.commands.session().control().detail()));
    // What the level of detail leaves out is missing in the picture too.
    parts.push_back({ Glyph::None, {},
        { m_parts.commands.session().control().detail() == pb::FULL ? rate : tr("%1, level %2").arg(rate, level),
            rate },
        8, false });
    parts.push_back({ counters.lost > 0 ? Glyph::Warning : Glyph::None, m_parts.theme.caution,
        { tr("%1 events lost").arg(grouped(counters.lost)), tr("%1 lost").arg(grouped(counters.lost)) }, 9,
        counters.lost > 0 });
    if (const std::int64_t behind = m_parts.pacer.isShow() ? 0 : m_parts.pacer.behindNs(); behind > 50'000'000)
        parts.push_back({ Glyph::Clock, m_parts.theme.caution,
            { tr("picture %1 behind").arg(durationWords(behind)), durationWords(behind) }, 7, false });
    std::set<std::uint64_t> armed;
    std::size_t paused = 0;
    std::uint64_t refused = 0;
    for (const auto& [id, process] : state.processes) {
        for (const pb::DropCount& refusal : process.gauges.refused())
            refused += refusal.count();
        bool isPauseArmed = false; // otherwise the program that started the process has paused it
        for (const auto& [number, fault] : process.faults) {
            armed.insert(number);
            isPauseArmed = isPauseArmed || fault.what->has_pause();
        }
        paused += process.isPaused && !isPauseArmed ? 1 : 0;
    }
    if (const std::size_t faults = armed.size() + paused; faults > 0)
        parts.push_back({ Glyph::Warning, m_parts.theme.caution,
            { tr("%1 armed").arg(countedWords(faults, "fault", "faults")), tr("%1 armed").arg(faults) }, 9, true });
    if (refused > 0) // the node inspector says which process refused what
        parts.push_back({ Glyph::Warning, m_parts.theme.caution,
            { tr("%1 messages refused").arg(grouped(refused)), tr("%1 refused").arg(grouped(refused)) }, 9, true });
    if (state.isOfLhrs())
        parts.push_back({ Glyph::Recruit, m_parts.theme.caution,
            { state.recruiting == pb::MULTICAST ? tr("recruiting by multicast") : tr("recruiting by unicast registry"),
                state.recruiting == pb::MULTICAST ? tr("multicast") : tr("unicast registry") },
            4, false });
}

void WindowStatus::update()
{
    std::vector<StatusPart> parts;
    addOrigin(parts);
    for (const WindowSubject* subject : m_subjects)
        subject->addStatus(parts);
    if (m_parts.commands.link().state() != LinkState::None && !m_parts.timeLine.isReplay())
        addCluster(parts);
    const QString frames = tr("%1 frames/s").arg(qRound(m_parts.clock.framesPerSecond()));
    const QString painting = m_parts.clock.makesWay()
        ? tr("%1: makes way for the cluster").arg(frames)
        : tr("%1, %2 ms").arg(frames).arg(m_parts.clock.millisecondsPerFrame(), 0, 'f', 1);
    parts.push_back({ Glyph::None, {}, { painting, frames }, 6, false });
    parts.push_back({ Glyph::None, {}, { tr("%1 MB").arg(memoryUsed()) }, 1, false });
    for (const WindowSubject* subject : m_subjects)
        subject->addLastStatus(parts);
    if (m_parts.isPresenting) // keeps the word of origin and the urgent parts
        std::erase_if(parts, [](const StatusPart& part) { return part.importance < 8 || part.glyph == Glyph::None; });
    m_strip->setParts(std::move(parts));
}

} // namespace lhrs::gui
