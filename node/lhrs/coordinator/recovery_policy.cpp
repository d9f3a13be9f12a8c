// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/coordinator/recovery_policy.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kAlivesMissed = 10; // Alive messages that a bucket may miss before the command is refused

const char* wordOf(pb::RecoveryWay way)
{
    return way == pb::RECOVERY_AUTOMATIC ? "automatic"
        : way == pb::RECOVERY_ON_ALARM   ? "on alarm"
        : way == pb::RECOVERY_MANUAL     ? "manual"
                                         : "off";
}

} // namespace

bool RecoveryPolicy::set(const pb::Command& command, Time now, Effects& out)
{
    const pb::RecoveryWay wanted = command.set_recovery().recovery(), former = m_parts.file.config().recovery();
    if (wanted != pb::RECOVERY_AUTOMATIC && wanted != pb::RECOVERY_ON_ALARM && wanted != pb::RECOVERY_MANUAL) {
        m_parts.refuse(command.ticket(), pb::BAD_ARGUMENT,
            "recovery: automatic, on alarm or manual is wanted; only a new file can be without recovery", out);
        return false;
    }
    if (former == pb::RECOVERY_OFF) {
        m_parts.refuse(command.ticket(), pb::REFUSED,
            "the buckets of this file have no leases, so none can be replaced; make a file with --recovery automatic, "
            "alarm or manual",
            out);
        return false;
    }
    m_waiters.push_back({ command.ticket(), former,
        now + kAlivesMissed * std::chrono::milliseconds(m_parts.acks.timers().alive_ms()) });
    const bool isNew = wanted != former;
    if (isNew) {
        const std::uint64_t epoch = m_parts.file.coordinatorEpoch();
        m_stamp = (m_stamp >> 32 == epoch ? m_stamp : epoch << 32) + 1;
        become(wanted, "an operator asked for it", out);
        m_open.clear();
        for (const auto& [g, group] : m_parts.file.groups()) {
            for (const auto& [q, member] : group.data)
                m_open.insert(member.holder.node);
            for (const auto& [p, member] : group.parity)
                m_open.insert(member.holder.node);
        }
    }
    answerWaiters(out);
    return isNew;
}

void RecoveryPolicy::become(pb::RecoveryWay way, const std::string& reason, Effects& out)
{
    auto* event = out.event().mutable_recovery_way_changed();
    event->set_recovery(way);
    event->set_former(m_parts.file.config().recovery());
    event->set_reason(reason);
    m_parts.file.setRecovery(way);
}

void RecoveryPolicy::tell(pb::Registered& out) const
{
    out.set_recovery(m_parts.file.config().recovery());
    out.set_recovery_stamp(m_stamp);
}

void RecoveryPolicy::onAlive(const pb::Alive& alive, Effects& out)
{
    if (isKnownTo(alive) && m_open.erase(NodeId(alive.process().node())) > 0)
        answerWaiters(out);
}

void RecoveryPolicy::learn(const pb::StateReport& report, Effects& out)
{
    if (report.recovery_stamp() <= m_stamp)
        return;
    m_stamp = report.recovery_stamp();
    if (report.recovery() != m_parts.file.config().recovery())
        become(report.recovery(), "a former coordinator had been asked for it", out);
}

void RecoveryPolicy::answerWaiters(Effects& out)
{
    // A member that has failed since then need not know: its report no longer counts.
    std::erase_if(m_open, [this](NodeId node) {
        const auto g = m_parts.file.groupOfNode(node);
        if (!g)
            return true;
        const FileState::Group& group = m_parts.file.group(*g);
        const auto isFailed = [node](const auto& item) {
            return item.second.holder.node == node && item.second.hasFailed();
        };
        return std::any_of(group.data.begin(), group.data.end(), isFailed)
            || std::any_of(group.parity.begin(), group.parity.end(), isFailed);
    });
    if (!m_open.empty())
        return;
    for (const Waiter& waiter : std::exchange(m_waiters, {})) {
        auto* change = out.reply(waiter.ticket).mutable_recovery();
        change->set_recovery(m_parts.file.config().recovery());
        change->set_former(waiter.former);
    }
}

void RecoveryPolicy::onTime(Time now, Effects& out)
{
    if (m_waiters.empty())
        return;
    answerWaiters(out);
    std::erase_if(m_waiters, [&](const Waiter& waiter) {
        if (now < waiter.until)
            return false;
        m_parts.refuse(waiter.ticket, pb::TIMED_OUT,
            std::string("recovery is ") + wordOf(m_parts.file.config().recovery()) + " now, but "
                + std::to_string(m_open.size())
                + " buckets have not said that they know; should the coordinator end and only those be left, its "
                  "successor would not",
            out);
        return true;
    });
}

Time RecoveryPolicy::deadline() const
{
    Time earliest = Time::max();
    for (const Waiter& waiter : m_waiters)
        earliest = std::min(earliest, waiter.until);
    return earliest;
}

} // namespace lhrs
