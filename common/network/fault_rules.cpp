// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/network/fault_rules.h"

#include "common/kinds.h"
#include "proto/message.pb.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace lhrs {

namespace {

constexpr std::uint32_t kDelayMax = 60'000; // ms; bounded because messages that are held back take memory

// Written in such a way that a NaN fails.
bool isShare(double share) { return share >= 0 && share <= 1; }

std::uint32_t millionths(double share) { return std::uint32_t(std::lround(share * double(NetworkRule::kAll))); }

// 0 if there is no message with that name.
int bodyNamed(const std::string& name)
{
    const Kind* kind = messageKindNamed(name);
    return kind != nullptr ? kind->number : 0;
}

} // namespace

bool NetworkRule::concerns(int kind) const
{
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Result<NetworkRule> networkRule(const pb::NetworkFault& fault)
{
    const std::pair<const char*, double> shares[] = { { "drop", fault.drop() }, { "duplicate", fault.duplicate() },
        { "reorder", fault.reorder() }, { "corrupt", fault.corrupt() }, { "cut", fault.cut() } };
    for (const auto& [name, share] : shares)
        if (!isShare(share))
            return Error { std::string(name) + " is a share of the messages, from 0 to 1, not "
                + std::to_string(share) };
    if (fault.delay_ms() > kDelayMax || fault.jitter_ms() > kDelayMax)
        return Error { "delay_ms and jitter_ms are at most " + std::to_string(kDelayMax) };
    NetworkRule rule;
    rule.drop = millionths(fault.drop());
    rule.duplicate = millionths(fault.duplicate());
    rule.reorder = millionths(fault.reorder());
    rule.corrupt = millionths(fault.corrupt());
    rule.cut = millionths(fault.cut());
    rule.delay = std::chrono::milliseconds(fault.delay_ms());
    rule.jitter = std::chrono::milliseconds(fault.jitter_ms());
    rule.bytesPerSecond = fault.bytes_per_second();
    for (const std::string& name : fault.kinds()) {
        const int kind = bodyNamed(name);
        if (kind == 0)
            return Error { "\"" + name
                + "\" is not a message; use the names of the bodies in proto/message.proto, such as insert" };
        rule.kinds.push_back(kind);
    }
    return rule;
}

Fate fateOf(const NetworkRule& rule, FaultDice& dice, bool isStream, std::size_t bytes, std::chrono::nanoseconds now,
    std::chrono::nanoseconds& linkFree)
{
    Fate fate;
    fate.isDropped = dice.below(NetworkRule::kAll) < rule.drop;
    fate.isDoubled = dice.below(NetworkRule::kAll) < rule.duplicate && !isStream;
    fate.isReordered = dice.below(NetworkRule::kAll) < rule.reorder && !isStream;
    fate.isCorrupted = dice.below(NetworkRule::kAll) < rule.corrupt;
    fate.isCut = dice.below(NetworkRule::kAll) < rule.cut && isStream;
    fate.delay = rule.delay + std::chrono::nanoseconds(dice.below(std::uint64_t(rule.jitter.count()) + 1));
    const auto overtaken = NetworkRule::kOvertaken / 2
        + std::chrono::nanoseconds(dice.below(std::uint64_t(NetworkRule::kOvertaken.count() / 2)));
    if (fate.isReordered)
        fate.delay += overtaken;
    if (rule.bytesPerSecond > 0 && !fate.isDropped) {
        // A link with limited rate sends one message after the other.
        const double seconds = double(bytes) / double(rule.bytesPerSecond);
        linkFree = std::max(linkFree, now) + std::chrono::nanoseconds(std::int64_t(std::min(seconds, 3'600.0) * 1e9));
        fate.delay += linkFree - now;
    }
    return fate;
}

void corrupt(std::string& packet, FaultDice& dice, bool isStream, std::size_t headerBytes, std::size_t lengthAt)
{
    const auto flip = [&](std::size_t first, std::size_t end) {
        const std::size_t at = first + std::size_t(dice.below(end - first));
        packet[at] = char(packet[at] ^ (1 << dice.below(8)));
    };
    if (isStream) {
        flip(headerBytes, packet.size());
        return;
    }
    switch (dice.below(3)) {
    case 0: packet.resize(std::size_t(dice.below(packet.size()))); break;
    case 1: flip(lengthAt, lengthAt + 4); break;
    default: flip(0, packet.size()); break;
    }
}

} // namespace lhrs
