// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/ack_list.h"

#include "common/failpoints.h"
#include "common/kinds.h"
#include "common/wire.h"
#include "node/machine/event_stamp.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr Time kLongestInterval = 1s;

Time ms(std::uint32_t n) { return std::chrono::milliseconds(n); }

} // namespace

pb::Timers withDefaults(pb::Timers t)
{
    const auto fill = [](std::uint32_t given, std::uint32_t normal) { return given ? given : normal; };
    t.set_resend_ms(fill(t.resend_ms(), 30));
    t.set_client_resends_max(fill(t.client_resends_max(), 2));
    t.set_resends_max(fill(t.resends_max(), 3));
    t.set_ack_period_ms(fill(t.ack_period_ms(), 10));
    t.set_offer_ms(fill(t.offer_ms(), 500));
    t.set_invite_ms(fill(t.invite_ms(), 150));
    t.set_alive_ms(fill(t.alive_ms(), 500));
    t.set_operation_ms(fill(t.operation_ms(), 5000));
    t.set_staging_ms(fill(t.staging_ms(), 10000));
    t.set_held_max(fill(t.held_max(), 4096));
    t.set_stream_resend_ms(fill(t.stream_resend_ms(), 1000));
    t.set_lease_ms(fill(t.lease_ms(), 300));
    t.set_renew_ms(fill(t.renew_ms(), 100));
    t.set_suspect_ms(fill(t.suspect_ms(), 150));
    t.set_probe_ms(fill(t.probe_ms(), 30));
    t.set_probes_max(fill(t.probes_max(), 3));
    t.set_lost_ms(fill(t.lost_ms(), 10000));
    t.set_restart_ms(fill(t.restart_ms(), 1500));
    return t;
}

pb::Timers scaled(const pb::Timers& timers, double factor)
{
    pb::Timers t = withDefaults(timers);
    const auto times = [factor](std::uint32_t ms) { return std::uint32_t(std::clamp(ms * factor, 1.0, 1e9)); };
    t.set_resend_ms(times(t.resend_ms()));
    t.set_ack_period_ms(times(t.ack_period_ms()));
    t.set_offer_ms(times(t.offer_ms()));
    t.set_invite_ms(times(t.invite_ms()));
    t.set_alive_ms(times(t.alive_ms()));
    t.set_operation_ms(times(t.operation_ms()));
    t.set_staging_ms(times(t.staging_ms()));
    t.set_stream_resend_ms(times(t.stream_resend_ms()));
    t.set_lease_ms(times(t.lease_ms()));
    t.set_renew_ms(times(t.renew_ms()));
    t.set_suspect_ms(times(t.suspect_ms()));
    t.set_probe_ms(times(t.probe_ms()));
    t.set_lost_ms(times(t.lost_ms()));
    t.set_restart_ms(times(t.restart_ms()));
    return t;
}

Time AckList::interval(const Entry& entry) const
{
    // The resend interval is max(30 ms, 4 x smoothed round trip) and doubles each time. A stream retransmits by itself,
    // so its interval is longer. After this process was paused, every measured round trip is as long as the pause; the
    // cap keeps resends coming.
    const Time adapted = std::max(ms(m_timers.resend_ms()), std::min(4 * m_roundTrip, kLongestInterval));
    const Time first = entry.way != Way::Auto ? ms(m_timers.stream_resend_ms()) : adapted;
    return std::min(first * (1 << std::min(entry.tries, 6u)), std::max(kLongestInterval, first));
}

std::uint64_t AckList::send(pb::Message message, const Address& to, NodeId node, Way way, Patience patience,
    Purpose purpose, Time now, Effects& out, Effects::Block block)
{
    const std::uint64_t id = ++m_lastId;
    if (std::string* const own = blockIn(message); !block && own && own->size() >= kBlockApart)
        block = std::make_shared<const std::string>(std::exchange(*own, {}));
    pb::Message& sent = out.send(to, way, 0, node);
    if (sent.has_operation() && !message.has_operation())
        *message.mutable_operation() = sent.operation();
    message.set_id(id);
    sent = message;
    out.sends().back().block = block;
    Entry entry { std::move(message), std::move(block), to, node, way, patience, purpose, 0, now, {} };
    entry.due = now + interval(entry);
    m_pending.emplace(id, std::move(entry));
    return id;
}

std::optional<AckList::Entry> AckList::acknowledge(std::uint64_t id, Time now)
{
    const auto found = m_pending.find(id);
    if (found == m_pending.end())
        return std::nullopt;
    const bool stays = LHRS_MUTANT(TimerNeverCancelled);
    Entry entry = stays ? found->second : std::move(found->second);
    if (!stays)
        m_pending.erase(found);
    // Karn's rule: only a message that was sent once measures the round trip. A stream's time would measure the size of
    // its block.
    if (entry.tries == 0 && entry.way == Way::Auto)
        m_roundTrip = m_roundTrip == Time() ? now - entry.sent : (7 * m_roundTrip + (now - entry.sent)) / 8;
    return entry;
}

std::size_t AckList::forgetIf(const std::function<bool(const Entry&)>& test)
{
    return std::erase_if(m_pending, [&](const auto& item) { return test(item.second); });
}

bool AckList::any(const std::function<bool(const Entry&)>& test) const
{
    return std::any_of(m_pending.begin(), m_pending.end(), [&](const auto& item) { return test(item.second); });
}

std::set<NodeId> AckList::silent() const
{
    std::set<NodeId> nodes;
    for (const auto& [id, entry] : m_pending) {
        if (entry.patience == Patience::KeepTrying && entry.tries >= m_timers.resends_max() && entry.node.value != 0)
            nodes.insert(entry.node);
    }
    return nodes;
}

void AckList::onTime(Time now, Effects& out, const std::function<void(const Entry&)>& givenUp)
{
    std::vector<Entry> ended;
    for (auto it = m_pending.begin(); it != m_pending.end();) {
        Entry& entry = it->second;
        if (entry.due > now) {
            ++it;
            continue;
        }
        if (entry.patience == Patience::GiveUp && entry.tries >= m_timers.resends_max()) {
            ended.push_back(std::move(entry));
            it = m_pending.erase(it);
            continue;
        }
        ++entry.tries;
        entry.due = now + interval(entry);
        out.send(entry.to, entry.way, entry.tries, entry.node) = entry.message;
        out.sends().back().block = entry.block;
        ++it;
    }
    for (const Entry& entry : ended) {
        auto* event = out.event().mutable_message_given_up();
        event->set_id(entry.message.id());
        event->set_kind(nameOf(entry.message));
        event->set_to(entry.node.value);
        entry.to.to(*event->mutable_address());
        event->set_tries(entry.tries);
        givenUp(entry);
    }
}

Time AckList::deadline() const
{
    Time earliest = Time::max();
    for (const auto& [id, entry] : m_pending)
        earliest = std::min(earliest, entry.due);
    // The list is scanned once per period, not once per message.
    return earliest == Time::max() ? earliest : earliest + ms(m_timers.ack_period_ms());
}

} // namespace lhrs
