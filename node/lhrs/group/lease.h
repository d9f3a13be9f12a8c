// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/node_context.h"

#include <compare>
#include <map>
#include <vector>

namespace lhrs {

// A member of a bucket group: data position or parity column.
struct MemberId {
    pb::Role role = pb::NO_ROLE;
    std::uint32_t index = 0;
    auto operator<=>(const MemberId&) const = default;
};
inline MemberId idOf(const pb::Member& member) { return { member.role(), member.index() }; }

// How many grants a member of this view needs: one of each parity bucket that is UP. (lhrs.md 10.2 says kEff, which is
// fewer while data buckets are missing. But those are replaced without our word, and then so many may fail as there are
// parity buckets, all of them with this view: they must not be able to serve on each other's grants.)
std::uint32_t grantsNeeded(const pb::View& view);

// The durations of leases (lhrs.md 14.5).
struct LeaseTimes {
    Time length = 300ms;    // of a grant
    Time renewal = 100ms;   // between two requests
    Time suspicion = 150ms; // without a word
    Time again() const { return 2 * suspicion; } // a silence that goes on
};

// A data bucket's side of the leases that fence its reads (lhrs.md 10.2, ours): it answers reads only while it holds
// enough unexpired grants of other members of its view. A grant counts from the sending of its request, on the asker's
// monotonic clock. Parity buckets are asked first; for one that does not answer another is asked besides.
class LeaseHolder {
public:
    struct Granter {
        MemberId id;
        HolderInfo holder;
    };

    // Takes who can grant from the view; grants of members that stay members go on.
    void setView(const pb::View& view, MemberId self, Time now);
    void setTimes(const LeaseTimes& times) { m_times = times; }
    std::uint32_t needed() const { return m_needed; }
    bool isHeld(Time now) const;
    std::uint32_t held(Time now) const;
    // Until when it is held if none of the grants is renewed; max(): none is needed.
    Time heldUntil() const;
    // `from` granted a request that was sent at `sent`, for `length`.
    void onGrant(MemberId from, Incarnation incarnation, Time sent, Time length);

    // Whom to ask now; call at deadline(). The request is to carry `now` and get it back.
    std::vector<Granter> takeDue(Time now);
    // Members that were asked and said nothing for the time of suspicion; each once, and again while it goes on: whoever
    // looked after the first word may have found it alive, and it died then.
    std::vector<Granter> takeSilent(Time now);
    Time deadline() const;

private:
    struct State {
        Granter granter;
        Time until {};           // of the grant
        Time askedFirst = Time::max(); // since the last answer
        Time suspectAgain {};
    };

    LeaseTimes m_times;
    std::uint32_t m_needed = 0;
    std::vector<State> m_granters; // in the order in which they are asked
    Time m_nextRound = Time::max();
};

// A member's side: whom it granted what. Nobody gets a grant whose incarnation is not that of the view, or has failed
// in it; what was granted before is reported, so that a replacement waits until it has run out.
class LeaseGranter {
public:
    void setView(const pb::View& view, MemberId self, Time now);
    void setTimes(const LeaseTimes& times) { m_times = times; }
    const LeaseTimes& times() const { return m_times; }
    // Grants the request and returns true, or does not.
    bool grant(MemberId asker, Incarnation incarnation, Time now);
    // How long the last grants to members that failed in this view can still run, by the slowest clock.
    Time leftToFailed(Time now) const;
    // Data buckets that should ask us, or have asked, and did not for the time of suspicion; each once, and again.
    std::vector<MemberId> takeSilent(Time now);
    Time deadline() const;

private:
    struct State {
        Incarnation incarnation;
        bool hasFailed = false;
        Time suspectAgain {};
        Time heard {};       // last request, or when this view began
        bool isWatched = false; // it should ask us, or has asked
    };

    LeaseTimes m_times;
    std::map<MemberId, State> m_members;
    std::map<Incarnation, Time> m_until; // of the last grant
    bool m_isAsked = false;              // every data bucket of the view asks us, again and again
};

} // namespace lhrs
