// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/introductions.h"

#include <array>

namespace lhrs {

Envelope::To Introductions::receiverAt(Endpoint address, NodeId known) const
{
    if (!m_envelope.hasKeys() || known.value != 0)
        return known;
    const std::lock_guard lock(m_mutex);
    const auto found = m_numbers.find(address);
    return { found == m_numbers.end() ? NodeId() : found->second, true, false };
}

void Introductions::keep(Endpoint address, std::string_view packet)
{
    const std::lock_guard lock(m_mutex);
    if (m_waiting.size() >= kWaitingMax && !m_waiting.contains(address))
        m_waiting.erase(m_waiting.begin());
    auto& waiting = m_waiting[address];
    if (waiting.size() >= kWaitingOfOne)
        waiting.pop_front();
    waiting.emplace_back(packet);
}

void Introductions::learn(Endpoint address, NodeId process)
{
    std::deque<std::string> waiting;
    {
        const std::lock_guard lock(m_mutex);
        if (m_numbers.size() >= kAddressesMax && !m_numbers.contains(address))
            m_numbers.erase(m_numbers.begin());
        m_numbers[address] = process;
        if (const auto found = m_waiting.find(address); found != m_waiting.end()) {
            waiting = std::move(found->second);
            m_waiting.erase(found);
        }
    }
    for (std::string& packet : waiting) {
        m_envelope.sealAgain(packet, Envelope::To(process, true, false));
        m_send(address, packet);
    }
}

void Introductions::meet(NodeId process)
{
    const std::lock_guard lock(m_mutex);
    if (m_met.size() < kMetMax)
        m_met.insert(process);
}

bool Introductions::hasMet(NodeId process) const
{
    const std::lock_guard lock(m_mutex);
    return m_met.contains(process);
}

void Introductions::introduce(Endpoint address, NodeId sender)
{
    std::array<char, kEnvelopeBytes> packet;
    m_envelope.seal(packet.data(), 0, sender, {}, PacketType::Introduction);
    m_send(address, { packet.data(), packet.size() });
}

} // namespace lhrs
