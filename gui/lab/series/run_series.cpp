// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/run_series.h"

#include <utility>

namespace lhrs::gui {

std::vector<int> RunSeries::kinds()
{
    using E = pb::Event;
    std::vector<int> kinds { 0, E::kOperationStartedFieldNumber, E::kOperationDoneFieldNumber,
        E::kMessageSentFieldNumber, E::kFaultBegunFieldNumber, E::kFaultEndedFieldNumber, E::kGateClosedFieldNumber,
        E::kGateOpenedFieldNumber };
    kinds.insert(kinds.end(), FileSeries::kinds().begin(), FileSeries::kinds().end());
    return kinds;
}

void RunSeries::take(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    if (restartIfElsewhere(runNs))
        m_file.clearRecoveries();
    m_hasEvents = true;
    m_file.take(*this, process, event, runNs);
    count(process, event, runNs);
}

void RunSeries::take(ProcessId process, const pb::Told& told, std::int64_t runNs)
{
    if (told.has_ended()) {
        m_file.takeEnd(*this, process, runNs);
        endKills(process, runNs);
    } else if (told.has_forgotten()) {
        forgetCluster(runNs);
        m_file.forgetCluster();
        if (std::exchange(m_hasEvents, false))
            setCluster(m_cluster + 1);
    } else if (told.has_gap()) {
        at(runNs).lostEvents += told.gap().last() - told.gap().first() + 1;
    } else if (told.has_snapshot()) {
        m_file.take(*this, process, told.snapshot(), runNs);
    }
}

void RunSeries::take(const RunEvent& run)
{
    if (run.isGap())
        at(run.runNs).lostEvents += run.gapLast - run.gapFirst + 1;
    else
        take(run.process, *run.event, run.runNs);
}

void RunSeries::setCluster(std::uint32_t number)
{
    m_cluster = number;
    m_file.setCluster(number);
}

RunSeries RunSeries::shown() const
{
    RunSeries copy;
    copy.showOf(*this);
    copy.m_file = m_file.shown();
    return copy;
}

} // namespace lhrs::gui
