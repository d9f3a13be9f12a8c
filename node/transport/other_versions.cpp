// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/transport/other_versions.h"

#include "node/transport/envelope.h"
#include "node/transport/socket_address.h"

#include <spdlog/spdlog.h>

#include <array>

namespace lhrs {

void OtherVersions::onDatagram(Endpoint from, std::string_view packet)
{
    const std::optional<std::uint8_t> version = Envelope::otherVersionIn(packet);
    if (!version)
        return;
    bool isFirst = false, isTold = false;
    {
        const std::lock_guard lock(m_mutex);
        if (!m_seen.contains(from) && m_seen.size() >= kAddressesMax)
            return;
        const auto now = std::chrono::steady_clock::now();
        const auto [entry, isNew] = m_seen.try_emplace(from);
        Seen& seen = entry->second;
        isFirst = isNew;
        seen.version = *version;
        isTold = !Envelope::isVersionNotice(packet) && packet.size() >= kEnvelopeBytes
            && (!seen.told || now - *seen.told >= kNoticePeriod);
        if (isTold)
            seen.told = now;
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
