// SPDX-License-Identifier: GPL-3.0-or-later
// The control client's work for a closed gate: it renews the lease, and tells processes that join later.
#include "gui/lab/control/control_client.h"

#include <future>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kGateTimeout(1000);

} // namespace

pb::Command ControlClient::gateCommand(bool isClosed, std::int64_t atNs)
{
    pb::Command command;
    command.mutable_set_gate()->set_is_closed(isClosed);
    command.mutable_set_gate()->set_lease_ms(std::uint32_t(kHoldLease.count()));
    command.mutable_set_gate()->set_at_ns(atNs);
    return command;
}

bool ControlClient::isGated() const
{
    const std::lock_guard lock(m_mutex);
    return m_isGated;
}

std::string ControlClient::takeGateTrouble()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_gateTrouble, {});
}

void ControlClient::keepGate(bool isClosed)
{
    std::promise<void> done; // done in the control thread, so that no renewal is sent after it
    post([this, isClosed, &done](Thread&) {
        {
            const std::lock_guard lock(m_mutex);
            m_isGated = isClosed;
            m_gateTrouble.clear();
        }
        m_gateAt = Clock::now() + kHoldPeriod;
        done.set_value();
    });
    done.get_future().wait();
}

void ControlClient::tellGate(ProcessId process, std::int64_t atNs)
{
    call(process, gateCommand(true, atNs), kGateTimeout, [this, process](const Answer& answer) {
        if (answer.outcome == Answer::Outcome::Refused)
            giveGateUp((find(process) ? find(process)->info.name() : "a process") + ": " + answer.text
                + "; the gate is open again everywhere");
    });
}

void ControlClient::renewGate()
{
    const auto now = Clock::now();
    if (now < m_gateAt)
        return;
    m_gateAt = now + kHoldPeriod;
    if (isGated())
        for (const KnownProcess& known : directory())
            if (!known.hasEnded)
                tellGate(known.info.node(), now.time_since_epoch().count());
}

// Runs in the control thread. A gate closed at only some processes must not remain.
void ControlClient::giveGateUp(const std::string& why)
{
    {
        const std::lock_guard lock(m_mutex);
        if (!std::exchange(m_isGated, false))
            return;
        m_gateTrouble = why;
    }
    const std::int64_t at = Clock::now().time_since_epoch().count();
    for (const KnownProcess& known : directory())
        if (!known.hasEnded)
            call(known.info.node(), gateCommand(false, at), kGateTimeout, [](const Answer&) {});
}

} // namespace lhrs::gui
