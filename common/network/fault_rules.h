// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "proto/fault.pb.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The effect of a network fault on one message. The functions are pure: time and seed are arguments, so a test needs no
// network, and every carrier of messages follows the same rules.
namespace lhrs {

// The random draws of one fault: the same seed gives the same draws (SplitMix64).
class FaultDice {
public:
    explicit FaultDice(std::uint64_t seed) : m_state(seed) { }
    std::uint64_t next()
    {
        m_state += 0x9e3779b97f4a7c15;
        std::uint64_t x = m_state;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }
    // 0..bound-1; 0 if bound is 0.
    std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }

private:
    std::uint64_t m_state;
};

// A NetworkFault with validated numbers. It does not know which peers are affected.
struct NetworkRule {
    static constexpr std::uint32_t kAll = 1'000'000; // shares are per million
    static constexpr std::chrono::nanoseconds kOvertaken = std::chrono::milliseconds(20);

    std::uint32_t drop = 0;
    std::uint32_t duplicate = 0;
    std::uint32_t reorder = 0;
    std::uint32_t corrupt = 0;
    std::uint32_t cut = 0;
    std::chrono::nanoseconds delay {};
    std::chrono::nanoseconds jitter {};
    std::uint64_t bytesPerSecond = 0;
    std::vector<int> kinds; // body numbers of Message; empty: all

    bool doesNothing() const
    {
        return drop == 0 && duplicate == 0 && reorder == 0 && corrupt == 0 && cut == 0 && delay.count() == 0
            && jitter.count() == 0 && bytesPerSecond == 0;
    }
    bool concerns(int kind) const;
};

// An Error names the invalid number and its bounds.
Result<NetworkRule> networkRule(const pb::NetworkFault& fault);

// The effect on one message.
struct Fate {
    bool isDropped = false;
    bool isCorrupted = false;
    bool isCut = false; // stream only: its connection breaks
    bool isDoubled = false;
    bool isReordered = false;
    std::chrono::nanoseconds delay {};
};

// `now` may be from any clock. `linkFree` is when the rate limit admits the next byte to this peer, and is updated. All
// random draws are made whatever their results, so that changing one share does not shift the draws for another.
Fate fateOf(const NetworkRule& rule, FaultDice& dice, bool isStream, std::size_t bytes, std::chrono::nanoseconds now,
    std::chrono::nanoseconds& linkFree);

// Damages a packet in such a way that its check must detect it: a bit is flipped or, for a datagram only, it is cut
// short or the length at `lengthAt` is falsified. In a stream only bits after the first `headerBytes` change, so that
// its receiver can find the next frame.
void corrupt(std::string& packet, FaultDice& dice, bool isStream, std::size_t headerBytes, std::size_t lengthAt);

} // namespace lhrs
