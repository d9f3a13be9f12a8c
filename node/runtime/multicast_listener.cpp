// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/multicast_listener.h"

#include "node/runtime/thread.h"

namespace lhrs {

namespace {

constexpr std::size_t kItemsMax = 256; // invitations are few
constexpr std::size_t kBytesMax = std::size_t(1) << 20;

} // namespace

// Members in the order in which they must live.
struct MulticastListener::Membership {
    Membership(UdpSocket joined, const Envelope& envelope, Counters& counters, FaultShim& faults, const Work& work)
        : socket(std::move(joined))
        , inputs(kItemsMax, kBytesMax)
        , working(spawn("Mcast Working", [this, &work](std::stop_token stop) { work(inputs, stop); }))
        , listening("Mcast Listening", { socket, envelope, counters, inputs, pb::MULTICAST, {}, &faults })
    {
    }

    UdpSocket socket;
    Queue<Input> inputs;
    std::jthread working;
    UdpListener listening;
};

MulticastListener::MulticastListener(const Envelope& envelope, Counters& counters, FaultShim& faults, Work work)
    : m_envelope(envelope), m_counters(counters), m_faults(faults), m_work(std::move(work))
{
}

MulticastListener::~MulticastListener() = default;

Result<void> MulticastListener::join(Endpoint group, std::uint32_t interfaceIp)
{
    leave();
    auto socket = UdpSocket::openGroup(group, interfaceIp);
    if (!socket)
        return socket.error();
    m_membership = std::make_unique<Membership>(std::move(*socket), m_envelope, m_counters, m_faults, m_work);
    return {};
}

void MulticastListener::leave()
{
    m_membership.reset();
}

} // namespace lhrs
