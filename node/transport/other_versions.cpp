// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/other_versions.h"

#include "node/transport/envelope.h"
#include "node/transport/socket_address.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <utility>

namespace lhrs {

void OtherVersions::onDatagram(Endpoint from, std::string_view packet)
{
    const std::optional<std::uint8_t> version = Envelope::otherVersionIn(packet);
    if (!version)
        return;
    bool isFirst = false, isTold = false;
    {
        const std::lock_guard lock(m_mutex);
        const auto now = std::chrono::steady_clock::now();
        if (!m_seen.contains(from) && m_seen.size() >= kAddressesMax) {
            const auto oldest = std::min_element(m_seen.begin(), m_seen.end(), [this](const auto& a, const auto& b) {
                return std::pair(a.first == m_important, a.second.heard)
                    < std::pair(b.first == m_important, b.second.heard);
            });
            m_seen.erase(oldest);
        }
        const auto [entry, isNew] = m_seen.try_emplace(from);
        Seen& seen = entry->second;
        isFirst = isNew && m_lines++ < kLinesMax;
        seen.version = *version;
        seen.heard = now;
        if (now - m_second >= kNoticePeriod) {
            m_second = now;
            m_toldInSecond = 0;
        }
        isTold = !Envelope::isVersionNotice(packet) && packet.size() >= kEnvelopeBytes
            && (!seen.told || now - *seen.told >= kNoticePeriod) && m_toldInSecond < kAddressesMax;
        if (isTold) {
            seen.told = now;
            ++m_toldInSecond;
        }
    }
    if (isFirst)
        spdlog::warn("what is at {} speaks version {} of the protocol, and this process version {}: nothing of it is "
                     "handled; install the same version of LHRS Lab on all computers of the cluster",
            textOf(from), *version, kProtocolVersion);
    if (!isTold)
        return;
    std::array<char, kEnvelopeBytes> notice;
    Envelope::writeVersionNotice(notice.data());
    m_send(from, { notice.data(), notice.size() });
}

std::optional<std::uint8_t> OtherVersions::at(Endpoint address) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_seen.find(address);
    return found == m_seen.end() ? std::nullopt : std::optional(found->second.version);
}

} // namespace lhrs
