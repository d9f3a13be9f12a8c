// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/lease.h"

#include "common/failpoints.h"

#include <algorithm>

namespace lhrs {

namespace {

bool hasFailed(pb::MemberState state)
{
    return state == pb::FAILED || state == pb::RECOVERING || state == pb::MEMBER_LOST;
}

} // namespace

std::uint32_t grantsNeeded(const pb::View& view)
{
    return std::uint32_t(std::count_if(view.members().begin(), view.members().end(),
        [](const pb::Member& member) { return member.role() == pb::PARITY && member.state() == pb::UP; }));
}

// ---- the asker

void LeaseHolder::setView(const pb::View& view, MemberId self, Time now)
{
    m_needed = grantsNeeded(view);
    std::vector<State> granters;
    for (const pb::Role role : { pb::PARITY, pb::DATA }) {
        for (const pb::Member& member : view.members()) {
            const bool canGrant = member.state() == pb::UP || member.state() == pb::SPLITTING
                || member.state() == pb::MERGING;
            if (member.role() != role || idOf(member) == self || !canGrant)
                continue;
            State state { { idOf(member), HolderInfo::from(member.holder()) }, {}, Time::max(), {} };
            const auto known = std::find_if(m_granters.begin(), m_granters.end(), [&](const State& s) {
                return s.granter.id == state.granter.id && s.granter.holder == state.granter.holder;
            });
            granters.push_back(known == m_granters.end() ? state : *known);
        }
    }
    m_granters = std::move(granters);
    m_nextRound = m_needed == 0 ? Time::max() : now;
}

bool LeaseHolder::isHeld(Time now) const { return held(now) >= m_needed; }

std::uint32_t LeaseHolder::held(Time now) const
{
    return std::uint32_t(
        std::count_if(m_granters.begin(), m_granters.end(), [now](const State& s) { return s.until > now; }));
}

Time LeaseHolder::heldUntil() const
{
    if (m_needed == 0)
        return Time::max();
    std::vector<Time> ends;
    for (const State& state : m_granters)
        ends.push_back(state.until);
    std::sort(ends.rbegin(), ends.rend());
    return m_needed <= ends.size() ? ends[m_needed - 1] : Time();
}

void LeaseHolder::onGrant(MemberId from, Incarnation incarnation, Time sent, Time length)
{
    for (State& state : m_granters) {
        if (state.granter.id != from || state.granter.holder.incarnation != incarnation)
            continue;
        state.until = std::max(state.until, sent + std::min(length, m_times.length));
        state.askedFirst = Time::max();
        state.suspectAgain = {};
    }
}

std::vector<LeaseHolder::Granter> LeaseHolder::takeDue(Time now)
{
    std::vector<Granter> due;
    if (now < m_nextRound)
        return due;
    // A bucket without a valid lease asks again sooner: a granter may have learned of it only now.
    m_nextRound = now + (isHeld(now) ? m_times.renewal : m_times.renewal / 4);
    // As many granters as are needed, and one more for each granter whose answer is late.
    std::uint32_t wanted = m_needed;
    for (State& state : m_granters) {
        if (wanted == 0) { // no longer asked, so its silence means nothing
            state.askedFirst = Time::max();
            continue;
        }
        const bool isLate = state.askedFirst != Time::max();
        if (!isLate) {
            state.askedFirst = now;
            --wanted;
        }
        due.push_back(state.granter);
    }
    return due;
}

std::vector<LeaseHolder::Granter> LeaseHolder::takeSilent(Time now)
{
    std::vector<Granter> silent;
    for (State& state : m_granters) {
        if (state.askedFirst == Time::max() || now - state.askedFirst < m_times.suspicion || now < state.suspectAgain)
            continue;
        state.suspectAgain = now + m_times.again();
        silent.push_back(state.granter);
    }
    return silent;
}

Time LeaseHolder::deadline() const
{
    Time earliest = m_nextRound;
    for (const State& state : m_granters) {
        if (state.askedFirst != Time::max())
            earliest = std::min(earliest, std::max(state.askedFirst + m_times.suspicion, state.suspectAgain));
    }
    return earliest;
}

// ---- the granter

namespace {

// A grant runs by the asker's clock, which may be slower than this one. Each clock may be wrong by 5 %. Together that
// is 10.5 % of the whole length, however little of it is left by this clock.
Time longestOf(Time grantedUntil, const LeaseTimes& times) { return grantedUntil + times.length / 8; }

} // namespace

void LeaseGranter::setView(const pb::View& view, MemberId self, Time now)
{
    // Every data bucket asks all parity buckets that are UP, so each parity bucket notices a data bucket that stops
    // asking.
    m_isAsked = std::any_of(view.members().begin(), view.members().end(), [&](const pb::Member& member) {
        return self.role == pb::PARITY && member.role() == pb::PARITY && member.index() == self.index
            && member.state() == pb::UP;
    });
    std::map<MemberId, State> members;
    for (const pb::Member& member : view.members()) {
        const Incarnation incarnation(member.holder().incarnation());
        // The target of a split asks from its Confirm on, so its silence is noticed even if it fails before its first
        // request.
        const bool isActive = member.role() == pb::DATA
            && (member.state() == pb::UP || member.state() == pb::SPLITTING || member.state() == pb::MERGING
                || member.state() == pb::INIT);
        const auto known = m_members.find(idOf(member));
        const bool hasAsked = known != m_members.end() && known->second.incarnation == incarnation
            && known->second.isWatched;
        members[idOf(member)] = { incarnation, hasFailed(member.state()), {}, now,
            m_isAsked && (isActive || hasAsked) };
    }
    m_members = std::move(members);
    std::erase_if(m_until, [&](const auto& item) { return longestOf(item.second, m_times) <= now; });
}

bool LeaseGranter::grant(MemberId asker, Incarnation incarnation, Time now)
{
    const auto found = m_members.find(asker);
    if (found == m_members.end() || found->second.incarnation != incarnation
        || (found->second.hasFailed && !LHRS_MUTANT(FailedStillGranted)))
        return false;
    found->second.heard = now;
    found->second.isWatched = m_isAsked; // data members are asked only when a parity bucket is late
    found->second.suspectAgain = {};
    m_until[incarnation] = now + m_times.length;
    return true;
}

Time LeaseGranter::leftToFailed(Time now) const
{
    Time left {};
    for (const auto& [id, state] : m_members) {
        const auto until = m_until.find(state.incarnation);
        if (state.hasFailed && until != m_until.end())
            left = std::max(left, longestOf(until->second, m_times) - now);
    }
    return left;
}

std::vector<MemberId> LeaseGranter::takeSilent(Time now)
{
    std::vector<MemberId> silent;
    for (auto& [id, state] : m_members) {
        if (!state.isWatched || state.hasFailed || now - state.heard < m_times.suspicion || now < state.suspectAgain)
            continue;
        state.suspectAgain = now + m_times.again();
        silent.push_back(id);
    }
    return silent;
}

Time LeaseGranter::deadline() const
{
    Time earliest = Time::max();
    for (const auto& [id, state] : m_members) {
        if (state.isWatched && !state.hasFailed)
            earliest = std::min(earliest, std::max(state.heard + m_times.suspicion, state.suspectAgain));
    }
    return earliest;
}

} // namespace lhrs
