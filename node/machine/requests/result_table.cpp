// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/requests/result_table.h"

#include "common/failpoints.h"

#include <algorithm>

namespace lhrs {

namespace {

bool byNumber(const ResultTable::Entry& entry, std::uint64_t number) { return entry.number < number; }

} // namespace

ResultTable::Client& ResultTable::clientOf(std::uint64_t client)
{
    if (m_clients.size() >= kClientsMax && !m_clients.contains(client)) {
        const auto oldest = std::min_element(m_clients.begin(), m_clients.end(),
            [](const auto& a, const auto& b) { return a.second.heard < b.second.heard; });
        m_clients.erase(oldest);
    }
    return m_clients[client];
}

void ResultTable::forget(std::uint64_t client, std::uint64_t doneBelow, Time now)
{
    Client& c = clientOf(client);
    c.heard = std::max(c.heard, now);
    if (doneBelow <= c.doneBelow)
        return;
    c.doneBelow = doneBelow;
    c.entries.erase(c.entries.begin(), std::lower_bound(c.entries.begin(), c.entries.end(), doneBelow, byNumber));
}

bool ResultTable::isBygone(const pb::RequestId& request) const
{
    const auto c = m_clients.find(request.client());
    return c != m_clients.end() && request.number() < c->second.doneBelow;
}

const ResultTable::Entry* ResultTable::find(const pb::RequestId& request) const
{
    const auto c = m_clients.find(request.client());
    if (c == m_clients.end())
        return nullptr;
    const auto& entries = c->second.entries;
    const auto e = std::lower_bound(entries.begin(), entries.end(), request.number(), byNumber);
    return e != entries.end() && e->number == request.number() ? &*e : nullptr;
}

void ResultTable::keep(std::uint64_t client, const Entry& entry, Time now)
{
    Client& c = clientOf(client);
    c.heard = std::max(c.heard, now);
    if (entry.number < c.doneBelow)
        return;
    const auto e = std::lower_bound(c.entries.begin(), c.entries.end(), entry.number, byNumber);
    if (e == c.entries.end() || e->number != entry.number)
        c.entries.insert(e, entry);
    else
        *e = entry;
    if (LHRS_MUTANT(ResultsEvicted) && c.entries.size() > 1)
        c.entries.erase(c.entries.begin());
}

void ResultTable::expire(Time before)
{
    for (auto& [client, c] : m_clients) {
        if (c.entries.empty() || c.heard >= before)
            continue;
        c.doneBelow = std::max(c.doneBelow, c.entries.back().number + 1);
        c.entries.clear();
        c.entries.shrink_to_fit();
    }
}

void ResultTable::take(
    const std::function<bool(Key)>& leaves, const std::function<void(std::uint64_t, const Entry&)>& to)
{
    for (auto& [client, c] : m_clients) {
        std::erase_if(c.entries, [&, id = client](const Entry& entry) {
            if (!leaves(entry.key))
                return false;
            to(id, entry);
            return true;
        });
    }
}

void ResultTable::each(const std::function<void(std::uint64_t, const Entry&)>& to) const
{
    for (const auto& [client, c] : m_clients) {
        for (const Entry& entry : c.entries)
            to(client, entry);
    }
}

void ResultTable::eachClient(const std::function<void(std::uint64_t, std::uint64_t)>& to) const
{
    for (const auto& [client, c] : m_clients) {
        if (c.doneBelow > 0)
            to(client, c.doneBelow);
    }
}

std::size_t ResultTable::size() const
{
    std::size_t sum = 0;
    for (const auto& [client, c] : m_clients)
        sum += c.entries.size();
    return sum;
}

} // namespace lhrs
