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
// The largest ordinal of a client that is taken over from a former process.
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
    // Whether learn() may be called for this process: false for a client that would be one too many.
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
        if (isNew && process.kind() == pb::CLIENT)
            entry.ordinal = m_clients++;
        m_clientsKnown += isClient(process);
        m_clientsKnown -= isNew ? 0 : isClient(entry.info);
        entry.info = process;
        entry.heard = now;
        return { entry, isNew };
    }

    // A client has this ordinal from a former process of this kind; new clients get later ones.
    void setOrdinal(Entry& entry, std::uint32_t ordinal)
    {
        if (ordinal > kOrdinalMax)
            return; // no file has had so many clients
        entry.ordinal = ordinal;
        m_clients = std::max(m_clients, ordinal + 1);
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

    std::map<NodeId, Entry> m_entries;
    std::uint32_t m_clients = 0; // that have ever registered
    std::size_t m_clientsKnown = 0; // of the entries
};

} // namespace lhrs
