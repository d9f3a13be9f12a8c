// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/directory.h"
#include "node/machine/node_context.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lhrs {

enum class Recruiting { Auto, Multicast, Registry };

// What the recruiters of one coordinator share: how invitations travel, whom they can reach, and their numbers.
struct Invitations {
    const Recruiting how;
    const Address self;
    const AckList& acks;
    const Directory& directory;
    bool useRegistry = false; // found out: no multicast arrives
    std::uint64_t last = 0;

    pb::Transport transport() const { return useRegistry || how == Recruiting::Registry ? pb::UDP : pb::MULTICAST; }
    // Idle servers of a pool that have said lately that they live.
    std::vector<const Directory::Entry*> spares(pb::Role pool, Time now) const
    {
        return directory.spares(pool, now - 4 * std::chrono::milliseconds(acks.timers().alive_ms()));
    }
    // "You are not needed": to a server whose offer is not taken.
    static void cancel(const pb::ProcessInfo& process, std::uint64_t invitation, Effects& out);
};

// Gets servers from the two pools (demo paper 3, lhrs.md 14.1): invitation to the pool's multicast group, offers, the
// first that offer are taken, the others cancelled. Where no multicast arrives although spares are registered, the
// registry is used and said so. Invites again, less and less often, until there are enough.
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

    explicit Recruiter(Invitations& invitations) : m_shared(invitations) {}

    // Starts over with what is wanted; `purpose` says for whom, in words.
    void start(Want want, std::string purpose, Time now, Effects& out);
    void stop(Effects& out);
    // True if the offer answers the present invitation.
    bool onOffer(const pb::Message& message, Time now);
    void onTime(Time now, Effects& out);
    Time deadline() const { return m_isWanting ? m_nextRound : Time::max(); }
    // Enough open offers of both kinds: takes them, cancels the rest and ends. Else nothing.
    bool take(Found& found, Time now, Effects& out);

    bool isWanting() const { return m_isWanting; }
    bool isMissing() const;
    // What it waits for where no spare is left, to be put behind what it is for; "": nothing is known to be missing.
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
        bool isMissingSaid = false; // nobody else is registered
        std::uint32_t sayAgain = 2; // the round from which on it is said (again)
    };

    void invite(pb::Role role, Pool& pool, Time now, Effects& out);
    void dropExpired(Pool& pool, Time now);
    Time offerLife() const;

    Invitations& m_shared;
    std::map<pb::Role, Pool> m_pools;
    bool m_isWanting = false;
    bool m_wasHeard = false; // an offer came since the last round
    std::string m_purpose;
    std::uint32_t m_round = 0;
    std::uint32_t m_emptyRounds = 0;
    Time m_nextRound = Time::max();
};

} // namespace lhrs
