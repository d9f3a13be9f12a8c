// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/file/recruiting.h"

#include "common/lhrs/failpoint_list.h"

#include <algorithm>
#include <utility>

namespace lhrs {

namespace {
// The shortage is reported again about every 5 s while it lasts. A server that was started after the last report may
// have been used for another purpose, and a window that connected later has not seen the report.
constexpr std::uint32_t kRoundsToSayAgain = 8;
}

Time Recruiter::offerLife() const
{
    // The server measures the time from its own sending; an offer is used only while it is certainly still open there.
    return std::chrono::milliseconds(m_shared.acks.timers().offer_ms()) * 3 / 4;
}

void Recruiter::start(Want want, HostLoad load, std::string purpose, Time now, Effects& out)
{
    m_pools.clear();
    m_load = std::move(load);
    m_pools[pb::DATA].wanted = want.data;
    m_pools[pb::PARITY].wanted = want.parity;
    for (auto& [role, pool] : m_pools)
        pool.invitation = ++m_shared.last;
    m_isWanting = true;
    m_purpose = std::move(purpose);
    m_round = 0;
    m_wasHeard = false;
    m_emptyRounds = 0;
    m_nextRound = now;
    m_waitUntil = Time::max();
    onTime(now, out);
}

bool Recruiter::isMissing() const
{
    return m_isWanting
        && std::any_of(m_pools.begin(), m_pools.end(), [](const auto& p) { return p.second.isMissingSaid; });
}

std::string Recruiter::missing() const
{
    std::string words;
    for (const auto& [role, pool] : m_pools) {
        if (!m_isWanting || !pool.isMissingSaid || pool.offers.size() >= pool.wanted)
            continue;
        words += (words.empty() ? ", which waits for " : " and ") + std::to_string(pool.wanted - pool.offers.size())
            + (role == pb::DATA ? " data server" : " parity server")
            + (pool.wanted - pool.offers.size() > 1 ? "s" : "");
    }
    return words.empty() ? words : words + ": no such spare is left";
}

void Recruiter::stop(Effects& out)
{
    for (auto& [role, pool] : m_pools) {
        for (const Offered& offer : pool.offers)
            Invitations::cancel(offer.process, pool.invitation, out);
        pool = {};
    }
    m_isWanting = false;
    m_nextRound = m_waitUntil = Time::max();
}

void Invitations::cancel(const pb::ProcessInfo& process, std::uint64_t invitation, Effects& out)
{
    out.send(Address::from(process.address()), Way::Auto, 0, NodeId(process.node()))
        .mutable_cancel()
        ->set_invitation(invitation);
}

void Recruiter::dropExpired(Pool& pool, Time now)
{
    std::erase_if(pool.offers, [&](const Offered& offer) { return offer.at + offerLife() < now; });
}

void Recruiter::invite(pb::Role role, Pool& pool, Time now, Effects& out)
{
    const auto fill = [&](pb::Invite& invite, bool byRegistry) {
        invite.set_invitation(pool.invitation);
        invite.set_role(role);
        invite.set_count(pool.wanted);
        invite.set_by_registry(byRegistry);
        m_shared.self.to(*invite.mutable_coordinator());
    };
    if (m_shared.transport() == pb::MULTICAST) {
        if (out.fires(Failpoint::InviteTwice))
            fill(*out.multicast(role).mutable_invite(), false);
        fill(*out.multicast(role).mutable_invite(), false);
    } else {
        for (const Directory::Entry* spare : m_shared.spares(role, now))
            fill(*out.send(Address::from(spare->info.address()), Way::Auto, 0, NodeId(spare->info.node()))
                      .mutable_invite(),
                true);
    }
    auto* event = out.event().mutable_invitation_sent();
    event->set_invitation(pool.invitation);
    event->set_role(role);
    event->set_count(pool.wanted);
    event->set_transport(m_shared.transport());
}

bool Recruiter::onOffer(const pb::Message& message, Time now)
{
    const pb::Offer& offer = message.offer();
    for (auto& [role, pool] : m_pools) {
        if (pool.invitation != offer.invitation() || !m_isWanting)
            continue;
        m_wasHeard = true;
        const auto known = std::find_if(pool.offers.begin(), pool.offers.end(),
            [&](const Offered& o) { return o.process.node() == offer.process().node(); });
        if (known != pool.offers.end())
            known->at = now;
        else
            pool.offers.push_back({ offer.process(), now });
        return true;
    }
    return false;
}

bool Recruiter::choose(pb::Role role, Pool& pool, HostLoad& load, Time now) const
{
    // The load of a host that has none is not entered: the map stays as small as the group.
    const auto loadOf = [&load](const pb::ProcessInfo& process) {
        const auto at = load.find(Ip::from(process.address()));
        return at == load.end() ? 0u : at->second;
    };
    for (std::uint32_t taken = 0; taken < pool.wanted; ++taken) {
        const auto first = pool.offers.begin() + taken;
        // Of equals the first that answered.
        const auto best = std::min_element(first, pool.offers.end(),
            [&](const Offered& a, const Offered& b) { return loadOf(a.process) < loadOf(b.process); });
        const std::uint32_t least = loadOf(best->process);
        const auto isBetter = [&](const Directory::Entry* spare) {
            return loadOf(spare->info) < least
                && std::none_of(pool.offers.begin(), pool.offers.end(),
                    [&](const Offered& offer) { return offer.process.node() == spare->info.node(); });
        };
        if (least > 0 && now < m_waitUntil) {
            const auto spares = m_shared.spares(role, now);
            if (std::any_of(spares.begin(), spares.end(), isBetter))
                return false;
        }
        ++load[Ip::from(best->process.address())];
        std::rotate(first, best, best + 1); // the others keep their order
    }
    return true;
}

bool Recruiter::take(Found& found, Time now, Effects& out)
{
    if (!m_isWanting)
        return false;
    for (auto& [role, pool] : m_pools) {
        dropExpired(pool, out.fires(Failpoint::OfferExpiresEarly) ? now + offerLife() * 3 / 4 : now);
        if (pool.offers.size() < pool.wanted) {
            m_waitUntil = Time::max();
            return false;
        }
    }
    const bool areEnoughNow = m_waitUntil == Time::max();
    if (areEnoughNow)
        m_waitUntil = now + std::chrono::milliseconds(m_shared.acks.timers().invite_ms());
    HostLoad load = m_load;
    for (auto& [role, pool] : m_pools)
        if (!choose(role, pool, load, now)) {
            if (areEnoughNow && m_round > 1) // the better spare may have registered after the last invitation
                m_nextRound = now;
            return false;
        }
    const auto takeFrom = [&](Pool& pool, std::vector<pb::ProcessInfo>& taken, std::uint64_t& invitation) {
        invitation = pool.invitation;
        // Demo paper, section 3: the servers that answer first are selected; the others are told that they are not
        // needed.
        for (std::size_t o = 0; o < pool.offers.size(); ++o) {
            if (o < pool.wanted)
                taken.push_back(pool.offers[o].process);
            else
                Invitations::cancel(pool.offers[o].process, pool.invitation, out);
        }
        pool = {};
    };
    takeFrom(m_pools[pb::DATA], found.data, found.dataInvitation);
    takeFrom(m_pools[pb::PARITY], found.parity, found.parityInvitation);
    m_isWanting = false;
    m_nextRound = m_waitUntil = Time::max();
    return true;
}

void Recruiter::onTime(Time now, Effects& out)
{
    if (!m_isWanting || now < m_nextRound)
        return;
    // Offers of the last round may have expired since then, but they did arrive, so multicast works.
    const bool isHeardByNobody = m_round > 0 && !std::exchange(m_wasHeard, false);
    bool areSparesRegistered = false;
    for (auto& [role, pool] : m_pools) {
        dropExpired(pool, now);
        if (pool.wanted == 0)
            continue;
        areSparesRegistered = areSparesRegistered || m_shared.spares(role, now).size() >= pool.wanted;
    }
    m_emptyRounds = isHeardByNobody && areSparesRegistered ? m_emptyRounds + 1 : 0;
    if (m_shared.how == Recruiting::Auto && !m_shared.useRegistry && m_emptyRounds >= 2) {
        m_shared.useRegistry = true;
        auto* event = out.event().mutable_recruiting_changed();
        event->set_transport(pb::UDP);
        event->set_reason(
            "spares are registered, but none answers a multicast invitation; they are invited one by one");
    }
    for (auto& [role, pool] : m_pools) {
        if (pool.wanted == 0)
            continue;
        const bool isRegistered = m_shared.spares(role, now).size() >= pool.wanted;
        if (m_round >= pool.sayAgain && pool.offers.size() < pool.wanted && !isRegistered) {
            pool.isMissingSaid = true;
            pool.sayAgain = m_round + kRoundsToSayAgain;
            auto* event = out.event().mutable_spare_missing();
            event->set_role(role);
            event->set_wanted(pool.wanted - std::uint32_t(pool.offers.size()));
            event->set_purpose(m_purpose);
        }
        if (pool.offers.size() < pool.wanted || m_round > 0)
            invite(role, pool, now, out); // also renews the open offers
    }
    m_nextRound = now + std::chrono::milliseconds(m_shared.acks.timers().invite_ms()) * (1 << std::min(m_round, 2u));
    ++m_round;
}

} // namespace lhrs
