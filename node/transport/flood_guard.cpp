// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/flood_guard.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace lhrs {

bool FloodGuard::isGarbage(Drop reason)
{
    return reason == Drop::TooShort || reason == Drop::WrongMagic || reason == Drop::OtherVersion
        || reason == Drop::OtherCluster;
}

bool FloodGuard::isTimeToTell(Clock::time_point now)
{
    if (m_told && now - *m_told < kToldAgain)
        return false;
    m_told = now;
    return true;
}

void FloodGuard::note(std::uint64_t garbage, std::uint64_t thrownAway, Clock::time_point now)
{
    m_seen += garbage + (m_isOn ? thrownAway : 0);
    if (now - m_periodBegan < kPeriod)
        return;
    // A long wait for the next datagram is a quiet time, not a long period.
    const bool isPeriod = now - m_periodBegan < 2 * kPeriod;
    const std::uint64_t seen = std::exchange(m_seen, 0);
    m_periodBegan = now;
    if (seen >= (m_isOn ? kFew : kMany) && (isPeriod || m_isOn))
        m_lastMany = now;
    if (!m_isOn && isPeriod && seen >= kMany && !m_isImpossible) {
        if (const auto set = m_socket.passOnly(m_cluster); !set) {
            m_isImpossible = true;
            spdlog::warn("datagrams that are none of this cluster flood in, and the kernel does not keep them out: {}",
                set.error().text);
            return;
        }
        m_isOn = true;
        if (isTimeToTell(now))
            spdlog::warn(
                "datagrams that are none of this cluster flood in, {} within {} ms: the kernel throws them away "
                "from now on, and counts them together with what does not fit",
                seen, kPeriod.count());
    } else if (m_isOn && now - m_lastMany >= kOnLeast) {
        m_socket.passAll();
        m_isOn = false;
    }
}

} // namespace lhrs
