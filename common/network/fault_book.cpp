// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/network/fault_book.h"

#include "common/kinds.h"

#include <algorithm>
#include <bit>

namespace lhrs {

namespace {

constexpr int kDelayClasses = 18; // upper bounds 1 ms, 2 ms, ... 65 s; the last class has all longer delays

bool isEvent(const std::string& name) { return eventKindNamed(name) != nullptr; }

NetworkRule everythingIsDropped()
{
    NetworkRule rule;
    rule.drop = NetworkRule::kAll;
    return rule;
}

// The rule of a network fault or a partition, nothing for other faults; check() has validated it.
std::optional<NetworkRule> ruleOf(const pb::Fault& fault)
{
    if (fault.has_network())
        return *networkRule(fault.network());
    if (fault.has_partition())
        return everythingIsDropped();
    return std::nullopt;
}

// Whether a fault that is armed again is the same fault as before.
bool isSame(pb::Fault a, pb::Fault b)
{
    a.clear_lease_ms();
    b.clear_lease_ms();
    return a.SerializeAsString() == b.SerializeAsString();
}

} // namespace

Result<FaultBook::Armed> FaultBook::check(const pb::Fault& fault) const
{
    if (fault.number() == 0)
        return Error { "a fault needs a number; 0 stands for all of them" };
    if (fault.lease_ms() == 0 || fault.lease_ms() > kLeaseMax)
        return Error { "the lease of a fault is 1 to " + std::to_string(kLeaseMax)
            + " ms; then it ends, unless it is armed again" };
    if (!pb::FaultWay_IsValid(fault.has_network() ? fault.network().way() : fault.partition().way()))
        return Error { "way is BOTH_WAYS, OUTGOING or INCOMING" };
    if (fault.has_network()) {
        const auto rule = networkRule(fault.network());
        if (!rule)
            return rule.error();
        if (rule->doesNothing())
            return Armed::Nothing;
    } else if (fault.has_partition() && fault.partition().peers().empty()) {
        return Error { "a partition needs the processes of the other side" };
    } else if (fault.has_crash() && !fault.crash().at().empty() && !isEvent(fault.crash().at())) {
        return Error { "\"" + fault.crash().at()
            + "\" is not an event; use a name from proto/event.proto such as split_prepared" };
    } else if (fault.what_case() == pb::Fault::WHAT_NOT_SET) {
        return Error { "the fault does not say what is to be broken: network, partition, pause or crash" };
    }
    if (const auto found = m_entries.find(fault.number()); found != m_entries.end()) {
        if (!isSame(found->second.fault, fault))
            return Error { "another fault is armed under this number; heal that one first" };
        return Armed::Renewed;
    }
    if (m_entries.size() >= kFaultsMax)
        return Error { "no more than " + std::to_string(kFaultsMax) + " faults at a time; heal some first" };
    return Armed::New;
}

void FaultBook::arm(const pb::Fault& fault, Time now)
{
    const auto [at, isNew] = m_entries.try_emplace(fault.number());
    Entry& entry = at->second;
    entry.fault = fault;
    entry.end = now + std::chrono::milliseconds(fault.lease_ms());
    if (!isNew)
        return;
    entry.begin = now;
    // Processes that get the same fault must draw different random numbers.
    entry.dice = FaultDice(fault.seed() ^ m_self.value);
    if (const auto rule = ruleOf(fault))
        entry.rule = *rule;
    const auto takePeers = [&entry](const auto& network) {
        entry.peers.assign(network.peers().begin(), network.peers().end());
        entry.isForAll = entry.peers.empty();
        entry.isAllBut = network.all_but_peers();
        entry.way = network.way();
    };
    if (fault.has_network())
        takePeers(fault.network());
    else if (fault.has_partition())
        takePeers(fault.partition());
    if (fault.has_crash())
        entry.eventsLeft = std::max(fault.crash().count(), 1u);
}

template <class Wanted>
std::vector<pb::FaultEnded> FaultBook::take(Wanted isWanted, const std::string& reason, Time now)
{
    std::vector<pb::FaultEnded> ended;
    for (auto it = m_entries.begin(); it != m_entries.end();) {
        if (!isWanted(it->second)) {
            ++it;
            continue;
        }
        pb::FaultEnded& one = ended.emplace_back();
        *one.mutable_fault() = it->second.fault;
        one.set_reason(reason);
        *one.mutable_achieved() = effectOf(it->second, now);
        it = m_entries.erase(it);
    }
    return ended;
}

std::vector<pb::FaultEnded> FaultBook::heal(std::uint64_t number, const std::string& reason, Time now)
{
    return take([number](const Entry& entry) { return number == 0 || entry.fault.number() == number; }, reason, now);
}

std::vector<pb::FaultEnded> FaultBook::expire(Time now)
{
    return take([now](const Entry& entry) { return entry.end <= now; }, "its lease ended", now);
}

std::optional<FaultBook::Time> FaultBook::nextExpiry() const
{
    std::optional<Time> next;
    for (const auto& [number, entry] : m_entries)
        next = std::min(next.value_or(entry.end), entry.end);
    return next;
}

void FaultBook::list(pb::FaultList& out, Time now) const
{
    for (const auto& [number, entry] : m_entries) {
        auto* listed = out.add_faults();
        *listed->mutable_requested() = entry.fault;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(entry.end - now).count();
        listed->set_lease_left_ms(std::uint32_t(std::max<std::int64_t>(left, 0)));
        *listed->mutable_achieved() = effectOf(entry, now);
    }
}

pb::FaultEffect FaultBook::effectOf(const Entry& entry, Time now)
{
    pb::FaultEffect effect = entry.effect;
    effect.set_events_left(entry.eventsLeft);
    effect.set_lasted_ns((now - entry.begin).count());
    return effect;
}

unsigned FaultBook::parts() const
{
    unsigned parts = 0;
    for (const auto& [number, entry] : m_entries) {
        if (entry.fault.has_pause())
            parts |= Part::Pause;
        else if (entry.fault.has_crash())
            parts |= Part::Events;
        else
            parts |= Part::Traffic;
    }
    return parts;
}

bool FaultBook::concerns(const Entry& entry, const Passing& passing) const
{
    if (!(entry.fault.has_network() || entry.fault.has_partition()) || !entry.rule.concerns(passing.kind))
        return false;
    if (entry.way != pb::BOTH_WAYS && (entry.way == pb::INCOMING) != passing.isIncoming)
        return false;
    // Messages to the process itself cross no network.
    if (passing.isIncoming ? passing.node == m_self : passing.end == m_selfEnd)
        return false;
    if (entry.isForAll)
        return true;
    if (passing.isMulticast && !passing.isIncoming)
        return false;
    const bool isPeer = std::any_of(entry.peers.begin(), entry.peers.end(), [&](const pb::FaultPeer& peer) {
        if (passing.node.value != 0 && passing.node.value == peer.node())
            return true;
        const auto port = passing.isStream ? peer.address().tcp_port() : peer.address().udp_port();
        return !passing.isIncoming && passing.end.port == port && passing.end.ip == Ip::from(peer.address());
    });
    return isPeer != entry.isAllBut;
}

FaultBook::Verdict FaultBook::judge(const Passing& passing, Time now)
{
    Verdict verdict;
    Fate& all = verdict.fate;
    for (auto& [number, entry] : m_entries) {
        if (all.isDropped || !concerns(entry, passing))
            continue;
        Time& linkFree = entry.linkFree[{ passing.isIncoming ? passing.node.value : 0, passing.end }];
        const Fate fate = fateOf(entry.rule, entry.dice, passing.isStream, passing.bytes, now, linkFree);
        pb::FaultEffect& effect = entry.effect;
        effect.set_messages(effect.messages() + 1);
        all.isDropped = fate.isDropped;
        if (fate.isDropped) {
            effect.set_dropped(effect.dropped() + 1);
            continue;
        }
        effect.set_duplicated(effect.duplicated() + (fate.isDoubled ? 1 : 0));
        effect.set_reordered(effect.reordered() + (fate.isReordered ? 1 : 0));
        effect.set_corrupted(effect.corrupted() + (fate.isCorrupted ? 1 : 0));
        effect.set_cut(effect.cut() + (fate.isCut ? 1 : 0));
        if (fate.delay.count() > 0)
            verdict.delayedBy.push_back(number);
        all.isCorrupted |= fate.isCorrupted;
        all.isCut |= fate.isCut;
        all.isDoubled |= fate.isDoubled;
        all.isReordered |= fate.isReordered;
        all.delay += fate.delay;
    }
    return verdict;
}

// Only faults that are still armed are changed.
template <class Change> void FaultBook::change(const std::vector<std::uint64_t>& numbers, Change change)
{
    for (const std::uint64_t number : numbers)
        if (const auto found = m_entries.find(number); found != m_entries.end())
            change(found->second.effect);
}

void FaultBook::held(const std::vector<std::uint64_t>& by)
{
    change(by, [](pb::FaultEffect& effect) { effect.set_waiting(effect.waiting() + 1); });
}

void FaultBook::overflowed(const std::vector<std::uint64_t>& by)
{
    change(by, [](pb::FaultEffect& effect) { effect.set_overflowed(effect.overflowed() + 1); });
}

void FaultBook::released(const std::vector<std::uint64_t>& by, Time delay)
{
    const auto ms = std::uint64_t(std::chrono::duration_cast<std::chrono::milliseconds>(delay).count());
    const int delayClass = std::min(int(std::bit_width(ms)), kDelayClasses - 1);
    change(by, [&](pb::FaultEffect& effect) {
        if (effect.waiting() == 0)
            return; // an earlier fault with the same number held it back
        effect.set_waiting(effect.waiting() - 1);
        effect.set_delayed(effect.delayed() + 1);
        effect.set_delay_sum_ns(effect.delay_sum_ns() + delay.count());
        effect.set_delay_max_ns(std::max(effect.delay_max_ns(), delay.count()));
        while (effect.delays_size() <= delayClass)
            effect.add_delays(0);
        effect.set_delays(delayClass, effect.delays(delayClass) + 1);
    });
}

bool FaultBook::crashesAt(const pb::Event& event)
{
    const std::string& name = nameOf(event);
    if (name.empty())
        return false;
    for (auto& [number, entry] : m_entries)
        if (entry.fault.has_crash() && entry.fault.crash().at() == name && entry.eventsLeft > 0
            && --entry.eventsLeft == 0)
            return true;
    return false;
}

} // namespace lhrs
