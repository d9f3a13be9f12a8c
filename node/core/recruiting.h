// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/core/directory.h"
#include "node/core/node_context.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lhrs {

enum class Recruiting { Auto, Multicast, Registry };

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

    Recruiter(Recruiting how, Address self, const AckList& acks) : m_how(how), m_self(self), m_acks(acks) {}

    // Starts over with what is wanted; `purpose` says for whom, in words.
    void start(Want want, std::string purpose, const Directory& directory, Time now, Effects& out);
    void stop(Effects& out);
    void onOffer(const pb::Message& message, Time now, Effects& out);
    void onTime(const Directory& directory, Time now, Effects& out);
    Time deadline() const { return m_isWanting ? m_nextRound : Time::max(); }
    // Enough open offers of both kinds: takes them, cancels the rest and ends. Else nothing.
    bool take(Found& found, Time now, Effects& out);

    bool isWanting() const { return m_isWanting; }
    bool isMissing() const;
    const std::string& purpose() const { return m_purpose; }
    pb::Transport transport() const { return m_useRegistry || m_how == Recruiting::Registry ? pb::UDP : pb::MULTICAST; }

private:
    struct Offered {
        pb::ProcessInfo process;
        Time at {};
    };
    struct Pool {
        std::uint32_t wanted = 0;
        std::uint64_t invitation = 0;
        std::vector<Offered> offers;
        bool isMissingSaid = false; // once per start: nobody else is registered
    };

    void invite(pb::Role role, Pool& pool, const Directory& directory, Time now, Effects& out);
    void cancel(const pb::ProcessInfo& process, std::uint64_t invitation, Effects& out) const;
    void dropExpired(Pool& pool, Time now);
    Time offerLife() const;

    const Recruiting m_how;
    const Address m_self;
    const AckList& m_acks;
    std::map<pb::Role, Pool> m_pools;
    bool m_isWanting = false;
    bool m_useRegistry = false;
    bool m_wasHeard = false; // an offer came since the last round
    std::string m_purpose;
    std::uint32_t m_round = 0;
    std::uint32_t m_emptyRounds = 0;
    Time m_nextRound = Time::max();
    std::uint64_t m_lastInvitation = 0;
};

} // namespace lhrs
