// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/gate_limits.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lhrs {

// Why an incoming or outgoing message was dropped. No message is sent about a drop; drops are counted here and reported
// to watchers as MessageDropped with the count.
enum class Drop : std::size_t {
    TooShort,
    WrongMagic,
    OtherVersion,
    WrongType,
    WrongLength,
    OtherCluster,
    OtherReceiver,
    WrongTag,
    OtherKey,
    Replayed,
    Unintroduced,
    NotOfItsRole,
    Malformed,
    QueueFull,
    KernelQueueFull,
    Flood,
    StreamQueueFull,
    StreamClosed,
    TooManyConnections,
    NotSent,
    Fault,
    Gate,
    kCount,
};

// The reason in words, for events and the log.
constexpr const char* textOf(Drop reason)
{
    constexpr std::array<const char*, std::size_t(Drop::kCount)> kTexts {
        "too short for an envelope",
        "wrong magic",
        "another version of the protocol",
        "wrong type or flags",
        "wrong length",
        "another cluster",
        "meant for another process",
        "wrong tag",
        "sealed without a key, or with one that does not allow this",
        "it had arrived before, or is too old",
        "sent to the address before the process number was known",
        "not a message that its sender's key allows",
        "malformed message",
        "queue to the working threads full",
        "receive buffer of the kernel full",
        "thrown away by the kernel during a flood of what is none of this cluster",
        "queue of the stream full",
        "stream closed before everything was sent",
        "too many connections",
        "could not be sent",
        "lost by an armed fault",
        kDroppedAtGate,
    };
    return kTexts[std::size_t(reason)];
}

// Whether such a message is refused because of what it is: no message of this cluster, or one that no key of its sender
// allows. The others are lost because of what happened to a process or to the network.
constexpr bool isRefusal(Drop reason)
{
    switch (reason) {
    case Drop::TooShort:
    case Drop::WrongMagic:
    case Drop::OtherVersion:
    case Drop::WrongType:
    case Drop::WrongLength:
    case Drop::OtherCluster:
    case Drop::WrongTag:
    case Drop::OtherKey:
    case Drop::Replayed:
    case Drop::NotOfItsRole:
    case Drop::Malformed:
    case Drop::Flood: return true;
    case Drop::OtherReceiver:
    case Drop::Unintroduced:
    case Drop::QueueFull:
    case Drop::KernelQueueFull:
    case Drop::StreamQueueFull:
    case Drop::StreamClosed:
    case Drop::TooManyConnections:
    case Drop::NotSent:
    case Drop::Fault:
    case Drop::Gate:
    case Drop::kCount: break;
    }
    return false;
}

// What has been received, sent and dropped since the start of the process. Any thread may count and read.
class Counters {
public:
    void received(std::uint64_t messages) { m_in.fetch_add(messages, std::memory_order_relaxed); }
    void sent(std::uint64_t messages) { m_out.fetch_add(messages, std::memory_order_relaxed); }
    void dropped(Drop reason, std::uint64_t count = 1)
    {
        m_dropped[std::size_t(reason)].fetch_add(count, std::memory_order_relaxed);
        m_droppedSum.fetch_add(count, std::memory_order_relaxed);
    }
    std::uint64_t in() const { return m_in.load(std::memory_order_relaxed); }
    std::uint64_t out() const { return m_out.load(std::memory_order_relaxed); }
    std::uint64_t of(Drop reason) const { return m_dropped[std::size_t(reason)].load(std::memory_order_relaxed); }
    std::uint64_t droppedSum() const { return m_droppedSum.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> m_in = 0;
    std::atomic<std::uint64_t> m_out = 0;
    std::atomic<std::uint64_t> m_droppedSum = 0;
    std::array<std::atomic<std::uint64_t>, std::size_t(Drop::kCount)> m_dropped {};
};

} // namespace lhrs
