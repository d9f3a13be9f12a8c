// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/directory.h"
#include "node/lhrs/group/server_context.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lhrs {

enum class Recruiting { Auto, Multicast, Registry };

// What the recruiters of one coordinator share: how invitations are sent, which servers they can reach, and the
// invitation numbers.
struct Invitations {
    const Recruiting how;
    const Address self;
    const AckList& acks;
    const Directory& directory;
    bool useRegistry = false; // no multicast arrives, as was detected
    std::uint64_t last = 0;

    pb::Transport transport() const { return useRegistry || how == Recruiting::Registry ? pb::UDP : pb::MULTICAST; }
    // Idle servers of a pool from which a message arrived within the last four alive_ms.
    std::vector<const Directory::Entry*> spares(pb::Role pool, Time now) const
    {
        return directory.spares(pool, now - 4 * std::chrono::milliseconds(acks.timers().alive_ms()));
    }
    // Tells a server that its offer is not accepted.
    static void cancel(const pb::ProcessInfo& process, std::uint64_t invitation, Effects& out);
};

// Recruits servers from the two pools (demo paper, section 3). It invites through the pool's multicast group, takes the
// servers whose offers arrive first, and cancels the other offers. On several hosts it prefers those that have the
// fewest members of the group, so that the end of a host is the end of as few members as can be. If no multicast
// arrives although spares are registered, it uses the registry and reports this. It invites again, at growing
// intervals, until there are enough.
class Recruiter {
public:
    struct Want {
        std::uint32_t data = 0;
        std::uint32_t parity = 0;
    };
    struct Found {
        std::vector<pb::ProcessInfo> data;
        std::vector<pb::ProcessInfo> parity;
        std::uint64_t dataInvitation = 0;
        std::uint64_t parityInvitation = 0;
    };

    explicit Recruiter(Invitations& invitations) : m_shared(invitations) { }

    // Members of the group that the servers will join, by the address of their host.
    using HostLoad = std::map<Ip, std::uint32_t>;

    // Starts over for these numbers of servers; `purpose` says in words what they are for.
    void start(Want want, HostLoad load, std::string purpose, Time now, Effects& out);
    void stop(Effects& out);
    // Returns true if the offer answers the present invitation.
    bool onOffer(const pb::Message& message, Time now);
    void onTime(Time now, Effects& out);
    Time deadline() const { return m_isWanting ? std::min(m_nextRound, m_waitUntil) : Time::max(); }
    // If there are enough open offers of both kinds, takes them, cancels the rest and ends. Otherwise does nothing. For
    // a short time it also waits while a spare of a host with fewer members has not made its offer.
    bool take(Found& found, Time now, Effects& out);

    bool isWanting() const { return m_isWanting; }
    bool isMissing() const;
    // Says what it is waiting for if no spare is left, to be appended to the purpose; "": nothing is known to be
    // missing.
    std::string missing() const;

private:
    struct Offered {
        pb::ProcessInfo process;
        Time at {};
    };
    struct Pool {
        std::uint32_t wanted = 0;
        std::uint64_t invitation = 0;
        std::vector<Offered> offers;
        bool isMissingSaid = false; // no further spare is registered, and this has been reported
        std::uint32_t sayAgain = 2; // the round in which it is reported (again)
    };

    void invite(pb::Role role, Pool& pool, Time now, Effects& out);
    void dropExpired(Pool& pool, Time now);
    // Puts the offers that are taken first, and counts them in `load`. False: a better one is to be expected.
    bool choose(pb::Role role, Pool& pool, HostLoad& load, Time now) const;
    Time offerLife() const;

    Invitations& m_shared;
    std::map<pb::Role, Pool> m_pools;
    HostLoad m_load;
    bool m_isWanting = false;
    bool m_wasHeard = false; // an offer has arrived since the last round
    std::string m_purpose;
    std::uint32_t m_round = 0;
    std::uint32_t m_emptyRounds = 0;
    Time m_nextRound = Time::max();
    Time m_waitUntil = Time::max(); // for a better offer, since there are enough; max: there are not enough
};

} // namespace lhrs
