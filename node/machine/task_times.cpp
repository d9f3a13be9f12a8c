// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/task_times.h"

namespace lhrs {

void TaskTimes::advance(Time to)
{
    if (to <= m_at)
        return;
    const Time time = to - m_at;
    m_at = to;
    m_sums.total += time;
    (m_isWorking ? m_sums.process : m_isTransferring ? m_sums.communication : m_sums.other) += time;
    if (m_isTransferring)
        m_sums.transfer += time;
}

void TaskTimes::enter(Time now, const Effects& out)
{
    advance(now - out.preparation());
    m_isWorking = true;
}

void TaskTimes::leave(Time now, const Effects& out, bool isTransferring)
{
    advance(out.time(now));
    m_isWorking = false;
    m_isTransferring = isTransferring;
}

TaskTimes::Sums TaskTimes::sums(Time now, const Effects& out) const
{
    TaskTimes copy = *this;
    copy.advance(out.time(now));
    return copy.m_sums;
}

} // namespace lhrs
