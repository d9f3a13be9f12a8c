// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/effects.h"
#include "proto/control.pb.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace lhrs {

// Clients that are known at once: whoever has the client key can register any number of made-up ones.
inline constexpr std::size_t kClientsMax = 10'000;
// The largest ordinal after which new clients are counted on: one of them may claim any.
inline constexpr std::uint32_t kOrdinalMax = 1'000'000;

// A process that has contacted the one that all register with.
struct KnownProcess {
    pb::ProcessInfo info;
    Time heard {}; // the last time
    std::uint32_t ordinal = 0; // of a client: 0, 1, ... in the order in which clients first registered
};

// All of them, by number. Entry: what a system knows of a process, derived from KnownProcess.
template <typename Entry> class KnownProcesses {
public:
    // To be asked before learn() is called for what may be a client: false for one too many.
    bool hasRoomFor(const pb::ProcessInfo& process) const
    {
        return process.kind() != pb::CLIENT || m_clientsKnown < kClientsMax
            || m_entries.contains(NodeId(process.node()));
    }

    // The process has sent a message. Returns its entry, and whether it is new.
    std::pair<Entry&, bool> learn(const pb::ProcessInfo& process, Time now)
    {
        const auto [at, isNew] = m_entries.try_emplace(NodeId(process.node()));
        Entry& entry = at->second;
        if (isNew && process.kind() == pb::CLIENT) {
            while (m_nextOrdinal > kOrdinalMax && isHeld(m_nextOrdinal))
                ++m_nextOrdinal;
            entry.ordinal = m_nextOrdinal++;
        }
        m_clientsKnown += isClient(process);
        m_clientsKnown -= isNew ? 0 : isClient(entry.info);
        entry.info = process;
        entry.heard = now;
        return { entry, isNew };
    }

    // A client says that it has this ordinal from a former coordinator or master; new clients get others.
    void setOrdinal(Entry& entry, std::uint32_t ordinal)
    {
        entry.ordinal = ordinal;
        if (ordinal <= kOrdinalMax)
            m_nextOrdinal = std::max(m_nextOrdinal, ordinal + 1);
    }

    Entry* find(NodeId node)
    {
        const auto at = m_entries.find(node);
        return at == m_entries.end() ? nullptr : &at->second;
    }
    const Entry* find(NodeId node) const
    {
        const auto at = m_entries.find(node);
        return at == m_entries.end() ? nullptr : &at->second;
    }

    // This process itself was stopped for `slept`, so it cannot have heard from any process in that time.
    void excuse(Time slept)
    {
        for (auto& [node, entry] : m_entries)
            entry.heard += slept;
    }

    // Forgets the processes for which this holds.
    template <typename Condition> void eraseIf(Condition condition)
    {
        std::erase_if(m_entries, [&](const auto& item) {
            const bool isOver = condition(item.first, item.second);
            m_clientsKnown -= isOver ? isClient(item.second.info) : 0;
            return isOver;
        });
    }

    // Adds a row for each process; `describe(entry, row)` adds what the system knows of it.
    template <typename Describe> void list(pb::ProcessList& out, Time now, Describe describe) const
    {
        using std::chrono::milliseconds;
        for (const auto& [node, entry] : m_entries) {
            auto& row = *out.add_processes();
            *row.mutable_process() = entry.info;
            row.set_silent_ms(std::uint32_t(std::chrono::duration_cast<milliseconds>(now - entry.heard).count()));
            describe(entry, row);
        }
    }

    auto begin() { return m_entries.begin(); }
    auto end() { return m_entries.end(); }
    auto begin() const { return m_entries.begin(); }
    auto end() const { return m_entries.end(); }

private:
    static std::size_t isClient(const pb::ProcessInfo& process) { return process.kind() == pb::CLIENT ? 1 : 0; }

    bool isHeld(std::uint32_t ordinal) const
    {
        return std::any_of(m_entries.begin(), m_entries.end(),
            [&](const auto& item) { return isClient(item.second.info) == 1 && item.second.ordinal == ordinal; });
    }

    std::map<NodeId, Entry> m_entries;
    std::uint32_t m_nextOrdinal = 0;
    std::size_t m_clientsKnown = 0; // of the entries
};

} // namespace lhrs
