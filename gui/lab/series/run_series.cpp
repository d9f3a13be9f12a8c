// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/run_series.h"

#include <utility>

namespace lhrs::gui {

std::vector<int> RunSeries::kinds()
{
    std::vector<int> kinds { 0, pb::Event::kProcessStartedFieldNumber };
    kinds.insert(kinds.end(), TimeSeries::kinds().begin(), TimeSeries::kinds().end());
    kinds.insert(kinds.end(), FileSeries::kinds().begin(), FileSeries::kinds().end());
    return kinds;
}

void RunSeries::take(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    if (restartIfElsewhere(runNs))
        m_file.clear();
    m_hasEvents = true;
    if (event.has_process_started())
        m_system = event.process_started().process().system();
    m_file.take(*this, process, event, runNs);
    count(process, event, runNs);
}

void RunSeries::take(ProcessId process, const pb::Told& told, std::int64_t runNs)
{
    if (told.has_ended()) {
        m_file.takeEnd(*this, process, runNs);
        endProcess(process, runNs);
    } else if (told.has_forgotten()) {
        forgetCluster(runNs);
        m_file.forgetCluster();
        if (std::exchange(m_hasEvents, false))
            setCluster(m_cluster + 1);
    } else if (told.has_gap()) {
        at(runNs).lostEvents += told.gap().last() - told.gap().first() + 1;
    } else if (told.has_snapshot()) {
        m_system = told.snapshot().info().system();
        m_file.take(*this, process, told.snapshot(), runNs);
    } else if (told.has_introduced()) {
        m_system = told.introduced().system();
    }
}

void RunSeries::learn(const ClusterState& state, std::int64_t runNs)
{
    m_system = state.system;
    TimeSeries::learn(state, runNs);
    m_file.learn(*this, state, runNs);
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
    copy.m_system = m_system;
    copy.m_file = m_file.shown();
    return copy;
}

} // namespace lhrs::gui
