// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/transfer/part_transfers.h"

#include "common/kinds.h"
#include "common/wire.h"
#include "node/machine/event_stamp.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kWindowMin = 4, kWindowMax = 64;
constexpr std::uint32_t kOvertaken = 8; // a missing part counts as lost when this many later ones are acknowledged
constexpr std::uint32_t kSilentMax = 8; // resends without an acknowledgement before the transfer is given up
constexpr Time kLongestWait = 500ms;
constexpr std::size_t kIncomingBytesMax = std::size_t(64) << 20;
constexpr std::size_t kIncomingMax = 256;
constexpr std::size_t kCompleteMax = 256;
constexpr Time kForgottenAfter = 10s; // an incomplete transfer without new parts is dropped then

} // namespace

// ---- sending

void PartTransfers::carry(Time now, Effects& out)
{
    std::vector<Effects::Send> taken;
    std::erase_if(out.sends(), [&](const Effects::Send& send) {
        if (send.way == Way::Datagrams)
            taken.push_back(send);
        return send.way == Way::Datagrams;
    });
    for (const Effects::Send& send : taken) {
        const bool isUnderWay = std::any_of(m_outgoing.begin(), m_outgoing.end(), [&](const auto& item) {
            return item.second.to == send.to && item.second.id == send.message->id()
                && item.second.answers == send.message->answers();
        });
        if (isUnderWay)
            continue;
        const std::uint64_t transfer = ++m_lastTransfer;
        Outgoing& outgoing = m_outgoing[transfer];
        outgoing.to = send.to;
        outgoing.node = send.node;
        outgoing.kind = nameOf(*send.message);
        outgoing.id = send.message->id();
        outgoing.answers = send.message->answers();
        if (send.block)
            *blockIn(*send.message) = *send.block;
        outgoing.bytes = send.message->SerializeAsString();
        const std::size_t count = (outgoing.bytes.size() + kPartBytes - 1) / kPartBytes;
        outgoing.parts.resize(count);
        sendMore(send.to, now, out);
    }
}

void PartTransfers::sendPart(
    std::uint64_t transfer, const Outgoing& outgoing, std::uint32_t number, std::uint32_t tries, Effects& out) const
{
    auto* part = out.send(outgoing.to, Way::Auto, tries, outgoing.node).mutable_part();
    part->set_transfer(transfer);
    part->set_number(number);
    part->set_count(std::uint32_t(outgoing.parts.size()));
    part->set_bytes(outgoing.bytes.substr(number * kPartBytes, kPartBytes));
}

void PartTransfers::sendMore(const Address& to, Time now, Effects& out)
{
    Path& path = m_paths[to];
    for (auto& [transfer, outgoing] : m_outgoing) {
        if (outgoing.to != to)
            continue;
        while (path.missing < path.window && outgoing.next < outgoing.parts.size()) {
            if (outgoing.next == 0)
                outgoing.due = now + interval(outgoing);
            outgoing.parts[outgoing.next].sent = path.sent++;
            sendPart(transfer, outgoing, outgoing.next++, 0, out);
            ++path.missing;
        }
    }
}

Time PartTransfers::interval(const Outgoing& outgoing) const
{
    return std::min(
        m_context.ms(m_context.acks.timers().resend_ms()) * (1 << std::min(outgoing.silent, 6u)), kLongestWait);
}

void PartTransfers::shrink(Path& path)
{
    path.window = std::max(kWindowMin, path.window / 2);
    path.isSlow = true;
    path.grown = 0;
    path.recoverFrom = path.sent; // earlier parts belong to the same congestion event
}

// All parts are acknowledged, or the transfer is given up.
void PartTransfers::end(std::map<std::uint64_t, Outgoing>::iterator transfer)
{
    const Outgoing& outgoing = transfer->second;
    Path& path = m_paths[outgoing.to];
    for (std::uint32_t number = outgoing.below; number < outgoing.next; ++number)
        path.missing -= outgoing.parts[number].isThere ? 0 : 1;
    m_outgoing.erase(transfer);
}

void PartTransfers::onPartAck(const pb::Message& message, Time now, Effects& out)
{
    const pb::PartAck& ack = message.part_ack();
    const auto found = m_outgoing.find(ack.transfer());
    if (found == m_outgoing.end() || (found->second.node.value != 0 && found->second.node != NodeId(message.sender())))
        return;
    Outgoing& outgoing = found->second;
    const Address to = outgoing.to;
    Path& path = m_paths[to];
    std::uint32_t fresh = 0, highest = outgoing.below;
    const auto arrived = [&](std::uint64_t number) {
        if (number >= outgoing.next)
            return; // acknowledges a part that was never sent
        highest = std::max(highest, std::uint32_t(number));
        if (!outgoing.parts[number].isThere) {
            outgoing.parts[number].isThere = true;
            --path.missing;
            ++fresh;
        }
    };
    for (std::uint64_t number = outgoing.below; number < std::min<std::uint64_t>(ack.below(), outgoing.next); ++number)
        arrived(number);
    for (std::uint32_t bit = 0; bit < 64; ++bit) {
        if ((ack.above() >> bit & 1) != 0)
            arrived(std::uint64_t(ack.below()) + 1 + bit);
    }
    while (outgoing.below < outgoing.next && outgoing.parts[outgoing.below].isThere)
        ++outgoing.below;
    if (fresh > 0) {
        outgoing.silent = 0;
        outgoing.due = now + interval(outgoing);
        path.grown += fresh;
        if (!path.isSlow || path.grown >= path.window) {
            path.window = std::min(kWindowMax, path.window + (path.isSlow ? 1 : fresh));
            path.grown = 0;
        }
    }
    // Many later parts are acknowledged, so resend this part before its timeout. Only once; a second loss waits for the
    // timeout.
    for (std::uint32_t number = outgoing.below; number + kOvertaken <= highest; ++number) {
        Outgoing::State& part = outgoing.parts[number];
        if (part.isThere || part.isResent)
            continue;
        if (part.sent >= path.recoverFrom)
            shrink(path);
        part.isResent = true;
        sendPart(found->first, outgoing, number, 1, out);
    }
    if (outgoing.below == outgoing.parts.size())
        end(found);
    sendMore(to, now, out);
}

void PartTransfers::onTime(Time now, Effects& out)
{
    for (auto it = m_outgoing.begin(); it != m_outgoing.end();) {
        auto& [transfer, outgoing] = *it;
        if (outgoing.due > now) {
            ++it;
            continue;
        }
        Path& path = m_paths[outgoing.to];
        shrink(path);
        if (++outgoing.silent > kSilentMax) { // then the receiver requests the message again, or the sender resends it
            auto* event = out.event().mutable_message_given_up();
            event->set_id(outgoing.id);
            event->set_kind(outgoing.kind);
            event->set_to(outgoing.node.value);
            outgoing.to.to(*event->mutable_address());
            event->set_tries(outgoing.silent);
            const Address to = outgoing.to;
            end(it++);
            sendMore(to, now, out);
            continue;
        }
        std::uint32_t sent = 0;
        for (std::uint32_t number = outgoing.below; number < outgoing.next && sent < path.window; ++number) {
            if (outgoing.parts[number].isThere)
                continue;
            outgoing.parts[number].isResent = true;
            sendPart(transfer, outgoing, number, outgoing.silent, out);
            ++sent;
        }
        outgoing.due = now + interval(outgoing);
        ++it;
    }
}

Time PartTransfers::deadline() const
{
    Time earliest = Time::max();
    for (const auto& [transfer, outgoing] : m_outgoing)
        earliest = std::min(earliest, outgoing.due);
    return earliest;
}

void PartTransfers::clear()
{
    m_outgoing.clear();
    m_paths.clear();
    m_incoming.clear();
    m_incomingBytes = 0;
}

// ---- receiving

std::optional<pb::Message> PartTransfers::onPart(const pb::Message& message, Time now, Effects& out)
{
    const pb::Part& part = message.part();
    const TransferKey key { message.sender(), part.transfer() };
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    auto* ack = answer.mutable_part_ack();
    ack->set_transfer(part.transfer());
    const auto complete = std::find_if(
        m_complete.begin(), m_complete.end(), [&](const auto& item) { return item.first == key; });
    if (complete != m_complete.end()) { // our last acknowledgement was lost
        ack->set_below(complete->second);
        return std::nullopt;
    }
    if (!m_incoming.contains(key))
        makeRoom(now);
    Incoming& incoming = m_incoming[key];
    incoming.touched = now;
    if (incoming.count == 0)
        incoming.count = part.count();
    if (part.number() < incoming.count && incoming.count == part.count()
        && incoming.parts.emplace(part.number(), part.bytes()).second) {
        incoming.bytes += part.bytes().size();
        m_incomingBytes += part.bytes().size();
    }
    while (incoming.parts.contains(incoming.below))
        ++incoming.below;
    ack->set_below(incoming.below);
    std::uint64_t above = 0;
    for (auto it = incoming.parts.upper_bound(incoming.below);
         it != incoming.parts.end() && it->first - incoming.below <= 64; ++it)
        above |= std::uint64_t(1) << (it->first - incoming.below - 1);
    ack->set_above(above);
    if (incoming.below < incoming.count)
        return std::nullopt;
    std::string bytes;
    bytes.reserve(incoming.bytes);
    for (const auto& [number, piece] : incoming.parts)
        bytes += piece;
    m_complete.emplace_back(key, incoming.count);
    if (m_complete.size() > kCompleteMax)
        m_complete.pop_front();
    m_incomingBytes -= incoming.bytes;
    m_incoming.erase(key);
    std::optional<pb::Message> whole(std::in_place);
    if (!parseMessage(bytes, *whole) || whole->has_part())
        return std::nullopt; // not a valid message: the sender is not one of ours
    whole->set_sender(message.sender());
    *whole->mutable_from() = message.from();
    return whole;
}

// Drops transfers that have stalled, and keeps the rest within the limit.
void PartTransfers::makeRoom(Time now)
{
    const auto forget = [this](auto it) {
        m_incomingBytes -= it->second.bytes;
        return m_incoming.erase(it);
    };
    for (auto it = m_incoming.begin(); it != m_incoming.end();)
        it = it->second.touched + kForgottenAfter < now ? forget(it) : std::next(it);
    while (
        !m_incoming.empty() && (m_incoming.size() >= kIncomingMax || m_incomingBytes + kFrameMax > kIncomingBytesMax))
        forget(std::min_element(m_incoming.begin(), m_incoming.end(),
            [](const auto& a, const auto& b) { return a.second.touched < b.second.touched; }));
}

} // namespace lhrs
