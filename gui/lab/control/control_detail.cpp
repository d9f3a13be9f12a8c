// SPDX-License-Identifier: GPL-3.0-or-later
// The detail level of all processes: how the control client sets it and tracks the answers.
#include "gui/lab/control/control_client.h"

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kDetailTimeout(1000);

} // namespace

void ControlClient::setDetail(pb::Detail detail, std::uint32_t sample)
{
    {
        const std::lock_guard lock(m_mutex);
        m_detailChanges += m_detail == detail ? 0 : 1;
        m_detail = detail;
        m_sample = sample;
    }
    for (const KnownProcess& known : directory())
        if (!known.hasEnded)
            tellDetail(known.info.node());
}

pb::Detail ControlClient::detail() const
{
    const std::lock_guard lock(m_mutex);
    return m_detail;
}

std::uint64_t ControlClient::detailChanges() const
{
    const std::lock_guard lock(m_mutex);
    return m_detailChanges;
}

bool ControlClient::awaitDetail(Milliseconds timeout, const std::stop_token& stop) const
{
    std::unique_lock lock(m_mutex);
    return m_detailAnswered.wait_for(lock, stop, timeout, [this] { return m_detailUnanswered == 0; });
}

void ControlClient::refreshTold()
{
    const std::lock_guard lock(m_mutex);
    m_ingest.refresh(std::exchange(m_detailTold, {}));
}

void ControlClient::tellDetail(ProcessId process)
{
    pb::Command command;
    {
        const std::lock_guard lock(m_mutex);
        command.mutable_set_detail()->set_detail(m_detail);
        command.mutable_set_detail()->set_sample(m_sample);
        ++m_detailUnanswered;
    }
    // A snapshot supplies what the old level left out. Where the clock stands still until virtual time moves it,
    // refreshTold() requests the snapshot at a reproducible instant.
    call(process, std::move(command), kDetailTimeout, [this, process](const Answer& answer) {
        {
            const std::lock_guard lock(m_mutex);
            if (answer)
                m_detailTold.push_back(process);
            if (!m_ingest.standsStill())
                m_ingest.refresh(std::exchange(m_detailTold, {}));
            --m_detailUnanswered;
        }
        m_detailAnswered.notify_all();
    });
}

} // namespace lhrs::gui
