// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/sim_faults.h"

#include <algorithm>
#include <chrono>

namespace lhrs {

FaultBook* SimFaults::bookOf(const SimProcess& process)
{
    const auto found = m_books.find(process.info.node());
    return found == m_books.end() ? nullptr : &found->second;
}

const FaultBook* SimFaults::bookOf(const SimProcess& process) const
{
    const auto found = m_books.find(process.info.node());
    return found == m_books.end() ? nullptr : &found->second;
}

// ---- commands

bool SimFaults::command(const SimProcess& process, const pb::Command& command, pb::CommandReply& reply)
{
    if (command.has_arm_fault()) {
        std::string text;
        reply.set_refusal(arm(process, command.arm_fault().fault(), text, *reply.mutable_faults()));
        reply.set_text(text);
    } else if (command.has_heal_faults()) {
        heal(process, command.heal_faults().number(), *reply.mutable_faults());
    } else if (command.has_list_faults()) {
        pb::FaultList& list = *reply.mutable_faults();
        if (const FaultBook* book = bookOf(process))
            book->list(list, m_cluster.now());
    } else {
        return false;
    }
    return true;
}

void SimFaults::describe(const SimProcess& process, pb::Snapshot& snapshot) const
{
    pb::FaultList list;
    if (const FaultBook* book = bookOf(process))
        book->list(list, m_cluster.now());
    for (auto& entry : *list.mutable_faults())
        snapshot.add_faults()->Swap(entry.mutable_requested());
}

bool SimFaults::isPaused(const SimProcess& process) const
{
    const FaultBook* book = bookOf(process);
    return book != nullptr && (book->parts() & FaultBook::Pause) != 0;
}

pb::Refusal SimFaults::arm(const SimProcess& process, const pb::Fault& fault, std::string& text, pb::FaultList& list)
{
    const std::uint64_t node = process.info.node();
    FaultBook& book = m_books.try_emplace(node, NodeId(node), Endpoint { process.index, 0 }).first->second;
    const auto armed = book.check(fault);
    if (!armed) {
        text = armed.error().text;
        return pb::BAD_ARGUMENT;
    }
    if (*armed == FaultBook::Armed::Nothing) {
        heal(process, fault.number(), list);
        return pb::NOT_REFUSED;
    }
    if (*armed == FaultBook::Armed::New)
        m_cluster.tell(
            process, [&fault](Effects& out) { *out.event().mutable_fault_begun()->mutable_fault() = fault; });
    book.arm(fault, m_cluster.now());
    book.list(list, m_cluster.now());
    const Time lease = std::chrono::milliseconds(fault.lease_ms());
    if (fault.has_crash() && fault.crash().at().empty()) {
        m_cluster.kill(process.index);
        forget(process);
        return pb::NOT_REFUSED;
    }
    if (fault.has_pause())
        m_cluster.pause(process.index, lease);
    m_cluster.after(lease, [this, node] { expire(node); });
    return pb::NOT_REFUSED;
}

void SimFaults::heal(const SimProcess& process, std::uint64_t number, pb::FaultList& list)
{
    FaultBook* book = bookOf(process);
    if (book == nullptr)
        return;
    const auto healed = book->heal(number, "healed", m_cluster.now());
    ended(process, healed);
    for (const pb::FaultEnded& one : healed) {
        auto* entry = list.add_faults();
        *entry->mutable_requested() = one.fault();
        *entry->mutable_achieved() = one.achieved();
    }
}

// A lease may have ended.
void SimFaults::expire(std::uint64_t node)
{
    const SimProcess* process = m_cluster.numbered(NodeId(node));
    FaultBook* book = process ? bookOf(*process) : nullptr;
    if (book == nullptr)
        return;
    if (process->isGone())
        forget(*process);
    else
        ended(*process, book->expire(m_cluster.now()));
}

void SimFaults::ended(const SimProcess& process, const std::vector<pb::FaultEnded>& faults)
{
    if (faults.empty())
        return;
    if (!isPaused(process))
        m_cluster.wake(process.index);
    for (const pb::FaultEnded& one : faults)
        m_cluster.tell(process, [&one](Effects& out) { *out.event().mutable_fault_ended() = one; });
}

// ---- messages and events

Fate SimFaults::judge(const SimProcess& process, const FaultBook::Passing& passing, Time now)
{
    FaultBook* book = bookOf(process);
    if (book == nullptr || (book->parts() & FaultBook::Traffic) == 0)
        return {};
    const FaultBook::Verdict verdict = book->judge(passing, now);
    Fate fate = verdict.fate;
    if (passing.isStream && passing.isIncoming && !fate.isDropped) {
        // Frames of one stream stay in order.
        Time& last = m_streams[{ process.info.node(), passing.node.value }];
        if (fate.delay.count() > 0 || last > now)
            last = std::max(last + std::chrono::nanoseconds(1), now + fate.delay);
        fate.delay = std::max(fate.delay, last - now);
    }
    if (!verdict.delayedBy.empty()) {
        book->held(verdict.delayedBy);
        m_cluster.after(fate.delay, [this, node = process.info.node(), by = verdict.delayedBy, delay = fate.delay] {
            if (const auto found = m_books.find(node); found != m_books.end())
                found->second.released(by, delay);
        });
    }
    return fate;
}

bool SimFaults::crashesAt(const SimProcess& process, const std::vector<pb::Event*>& events)
{
    FaultBook* book = bookOf(process);
    if (book == nullptr || (book->parts() & FaultBook::Events) == 0)
        return false;
    return std::any_of(
        events.begin(), events.end(), [book](const pb::Event* event) { return book->crashesAt(*event); });
}

} // namespace lhrs
