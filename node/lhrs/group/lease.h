// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/server_context.h"

#include <compare>
#include <map>
#include <vector>

namespace lhrs {

// A member of a bucket group: a data position or a parity column.
struct MemberId {
    pb::Role role = pb::NO_ROLE;
    std::uint32_t index = 0;
    auto operator<=>(const MemberId&) const = default;
};
inline MemberId idOf(const pb::Member& member) { return { member.role(), member.index() }; }

// How many grants a member of this view needs: one from each parity bucket that is UP. Subtracting the failed members
// would be unsafe: lost data buckets are replaced without a grant from this member. Afterwards as many members may fail
// as there are parity buckets, all of them with this view, and they must not be able to serve reads on each other's
// grants. See "Reads are fenced by leases" in node/lhrs/PROTOCOL.md.
std::uint32_t grantsNeeded(const pb::View& view);

// The durations of leases.
struct LeaseTimes {
    Time length = 300ms; // of a grant
    Time renewal = 100ms; // between two requests for a grant
    Time suspicion = 150ms; // silence after which a member is suspected
    Time again() const { return 2 * suspicion; } // for continued silence
};

// A data bucket's side of the leases that fence its reads: it answers reads only while it holds enough unexpired grants
// from other members of its view. A grant is valid from the sending of its request, on the asker's monotonic clock.
// Parity buckets are asked first; for each one whose answer is late, one further member is asked.
class LeaseHolder {
public:
    struct Granter {
        MemberId id;
        HolderInfo holder;
    };

    // Takes the possible granters from the view; grants of members that stay in the group remain valid.
    void setView(const pb::View& view, MemberId self, Time now);
    void setTimes(const LeaseTimes& times) { m_times = times; }
    std::uint32_t needed() const { return m_needed; }
    bool isHeld(Time now) const;
    std::uint32_t held(Time now) const;
    // When the lease ends if no grant is renewed; max(): no grant is needed.
    Time heldUntil() const;
    // `from` has granted, for `length`, a request that was sent at `sent`.
    void onGrant(MemberId from, Incarnation incarnation, Time sent, Time length);

    // The members to ask now; call at deadline(). The request must carry `now`, which the grant returns.
    std::vector<Granter> takeDue(Time now);
    // Members that were asked and did not answer within the suspicion time. Each is reported once, and again while its
    // silence lasts, because it may have been alive at the first check and failed afterwards.
    std::vector<Granter> takeSilent(Time now);
    Time deadline() const;

private:
    struct State {
        Granter granter;
        Time until {}; // end of the grant
        Time askedFirst = Time::max(); // the first request since its last answer
        Time suspectAgain {};
    };

    LeaseTimes m_times;
    std::uint32_t m_needed = 0;
    std::vector<State> m_granters; // in the order in which they are asked
    Time m_nextRound = Time::max();
};

// The side of a member that grants leases: the grants that it has given. An incarnation that is not in the view, or has
// failed in it, gets no grant. Earlier grants to it are reported, so that a replacement waits until they have run out.
class LeaseGranter {
public:
    void setView(const pb::View& view, MemberId self, Time now);
    void setTimes(const LeaseTimes& times) { m_times = times; }
    const LeaseTimes& times() const { return m_times; }
    // Grants the request and returns true, or refuses it.
    bool grant(MemberId asker, Incarnation incarnation, Time now);
    // How long the last grants to members that have failed in this view can still run, measured by the slowest clock.
    Time leftToFailed(Time now) const;
    // Data buckets that should ask this member, or have asked it, and have been silent for the suspicion time. Each is
    // returned once, and again while its silence lasts.
    std::vector<MemberId> takeSilent(Time now);
    Time deadline() const;

private:
    struct State {
        Incarnation incarnation;
        bool hasFailed = false;
        Time suspectAgain {};
        Time heard {}; // time of the last request, or of the start of this view
        bool isWatched = false; // this data bucket should ask this member, or has asked it
    };

    LeaseTimes m_times;
    std::map<MemberId, State> m_members;
    std::map<Incarnation, Time> m_until; // end of the last grant
    bool m_isAsked = false; // every data bucket of the view asks this member periodically
};

} // namespace lhrs
