// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/multicast_listener.h"

#include "node/runtime/thread.h"

namespace lhrs {

namespace {

constexpr std::size_t kItemsMax = 256; // invitations are few
constexpr std::size_t kBytesMax = std::size_t(1) << 20;

} // namespace

// The members are declared in the order of their lifetimes.
struct MulticastListener::Membership {
    Membership(UdpSocket joined, const Envelope& envelope, Counters& counters, FaultShim& faults,
        Introductions* introductions, ReplayWindows& windows, const Work& work, ThreadBook* threads)
        : socket(std::move(joined)), inputs(kItemsMax, kBytesMax),
          working(spawn("Mcast Working", [this, &work](std::stop_token stop) { work(inputs, stop); })),
          listening("Mcast Listening",
              { socket, envelope, counters, inputs, pb::MULTICAST, {}, &faults, threads, introductions, nullptr,
                  &windows })
    {
    }

    UdpSocket socket;
    Queue<Input> inputs;
    std::jthread working;
    UdpListener listening;
};

MulticastListener::MulticastListener(const Envelope& envelope, Counters& counters, FaultShim& faults,
    Introductions* introductions, Work work, ThreadBook* threads)
    : m_envelope(envelope), m_counters(counters), m_faults(faults), m_introductions(introductions),
      m_work(std::move(work)), m_threads(threads)
{
}

MulticastListener::~MulticastListener() = default;

Result<void> MulticastListener::join(Endpoint group, Ip interfaceIp)
{
    leave();
    auto socket = UdpSocket::openGroup(group, interfaceIp);
    if (!socket)
        return socket.error();
    auto membership = std::make_unique<Membership>(
        std::move(*socket), m_envelope, m_counters, m_faults, m_introductions, m_windows, m_work, m_threads);
    const std::lock_guard lock(m_mutex);
    m_membership = std::move(membership);
    return {};
}

void MulticastListener::leave()
{
    std::unique_ptr<Membership> ended; // its threads are joined without the lock
    const std::lock_guard lock(m_mutex);
    ended.swap(m_membership);
}

void MulticastListener::sample(pb::NodeSample& out) const
{
    const std::lock_guard lock(m_mutex);
    if (!m_membership)
        return;
    auto& queue = *out.add_queues();
    queue.set_name("Multicast");
    queue.set_length(m_membership->inputs.size());
    queue.set_bound(m_membership->inputs.bound());
    queue.set_high_mark(m_membership->inputs.highMark());
    queue.set_has_high_mark(true);
    queue.set_when_full("datagrams are dropped");
}

} // namespace lhrs
