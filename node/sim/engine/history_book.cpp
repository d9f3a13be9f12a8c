// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/history_book.h"

#include "common/check/linearize.h"

namespace lhrs {

namespace {

constexpr std::uint32_t kOpenMax = 6; // a key with more changes of unknown outcome is retired
constexpr std::uint64_t kNobody = 0xffffff;

} // namespace

check::Outcome outcomeOf(pb::ResultCode result)
{
    switch (static_cast<int>(result)) {
    case pb::OK: return check::Outcome::Ok;
    case pb::NOT_FOUND: return check::Outcome::NotFound;
    case pb::EXISTS: return check::Outcome::Exists;
    case pb::RETRY: return check::Outcome::Retry;
    case pb::LOST: return check::Outcome::Lost;
    case pb::INVALID: return check::Outcome::Invalid;
    default: return check::Outcome::Unknown;
    }
}

void HistoryBook::invoked(
    check::RequestName request, check::RequestKind kind, std::uint64_t key, std::string_view value, std::int64_t now)
{
    if (m_open.contains(request))
        return;
    const std::uint32_t process = m_processes.try_emplace(request.client, std::uint32_t(m_processes.size() + 1))
                                      .first->second;
    Key& of = m_keys[key];
    std::uint64_t written = 0;
    if (check::isWrite(kind))
        written = of.values.try_emplace(std::string(value), check::fingerprint(process, request.number)).first->second;
    m_open[request] = { key, of.history.invoke(process, kind, written, now), kind, false };
}

void HistoryBook::answered(check::RequestName request, check::Outcome outcome, std::string_view value, std::int64_t now)
{
    const auto open = m_open.find(request);
    if (open == m_open.end())
        return;
    open->second.isAnswered = true;
    Key& of = m_keys.at(open->second.key);
    const bool isSearch = open->second.kind == check::RequestKind::Search;
    std::uint64_t found = 0;
    if (isSearch && outcome == check::Outcome::Ok) {
        const auto known = of.values.find(value);
        found = known != of.values.end() ? known->second : check::fingerprint(kNobody, ++m_invented);
    }
    of.open += !isSearch && check::certaintyOf(outcome) == check::Certainty::Open ? 1 : 0;
    of.history.answer(open->second.index, outcome, now, found);
}

void HistoryBook::toldLost(std::uint64_t key, std::int64_t now)
{
    if (const auto of = m_keys.find(key); of != m_keys.end())
        of->second.history.lost({ now, now, false });
}

void HistoryBook::abandoned(std::uint64_t client, std::int64_t now)
{
    for (const auto& [request, open] : m_open)
        if (request.client == client && !open.isAnswered)
            answered(request, open.kind == check::RequestKind::Search ? check::Outcome::Retry : check::Outcome::Unknown,
                {}, now);
}

check::Violations HistoryBook::judge(const std::function<bool(std::uint64_t key)>& isLeftOut)
{
    for (const auto& [key, of] : m_keys) {
        if (isLeftOut(key))
            continue;
        if (of.open > kOpenMax) {
            ++m_undecided;
            continue;
        }
        m_judged += of.history.operations().size();
        if (check::Violations found = check::checkHistory(key, of.history); !found.empty())
            return found;
    }
    return {};
}

} // namespace lhrs
