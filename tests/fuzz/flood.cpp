// SPDX-License-Identifier: GPL-3.0-or-later
// Sends seeded random datagrams to one process on loopback as fast as the system takes them:
//   lhrs-flood PORT COUNT SEED [COORDINATOR_PORT]
// COORDINATOR_PORT names the cluster, so that a share of the datagrams passes the envelope; without it PORT names the
// cluster; 0: none of them is of the cluster, and the same ones are sent again and again, which is faster.
#include "node/transport/udp_socket.h"
#include "tests/fuzz/random_datagrams.h"

#include <netinet/udp.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace lhrs;

volatile std::sig_atomic_t isEnding = 0;
constexpr std::size_t kBatch = 64;

struct Sent {
    std::uint64_t datagrams = 0, failed = 0;
};

// The kernel cuts what one call sends into datagrams of this length, so a call costs little more than that of one.
Result<Sent> sendGarbage(Endpoint to, std::uint64_t wanted)
{
    constexpr int kLength = 60;
    const SystemAddress address(to);
    const Descriptor socket(::socket(familyOf(to.ip), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (::setsockopt(socket.get(), SOL_UDP, UDP_SEGMENT, &kLength, sizeof kLength) != 0
        || ::connect(socket.get(), address.name(), address.size()) != 0)
        return systemError("cannot flood " + textOf(to), errno);
    const std::vector<char> bytes(kBatch * kLength, 'x');
    Sent sent;
    while (sent.datagrams < wanted && isEnding == 0) {
        sent.failed += ::send(socket.get(), bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()) ? 0 : kBatch;
        sent.datagrams += kBatch;
    }
    return sent;
}

Result<Sent> sendRandom(Endpoint to, std::uint64_t wanted, fuzz::RandomDatagrams datagrams)
{
    const auto socket = UdpSocket::open({ kLoopback, 0 });
    if (!socket)
        return socket.error();
    std::vector<std::string> bytes(kBatch);
    std::vector<OutDatagram> out(kBatch);
    Sent sent;
    while (sent.datagrams < wanted && isEnding == 0) {
        const std::size_t count = std::size_t(std::min<std::uint64_t>(kBatch, wanted - sent.datagrams));
        for (std::size_t i = 0; i < count; ++i) {
            bytes[i].assign(datagrams.next());
            out[i] = { to, bytes[i] };
        }
        sent.failed += socket->send({ out.data(), count });
        sent.datagrams += count;
    }
    return sent;
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGTERM, [](int) { isEnding = 1; }); // it says its rate then, too
    if (argc < 4 || argc > 5) {
        std::fprintf(stderr, "usage: %s PORT COUNT SEED [COORDINATOR_PORT]\n", argv[0]);
        return 2;
    }
    const auto number = [argv](int i) { return std::strtoull(argv[i], nullptr, 10); };
    const Endpoint to { kLoopback, std::uint16_t(number(1)) };
    const std::uint64_t wanted = number(2);
    const auto begin = std::chrono::steady_clock::now();
    const Result<Sent> sent = argc == 5 && number(4) == 0
        ? sendGarbage(to, wanted)
        : sendRandom(
            to, wanted, { number(3), Envelope::clusterOf({ kLoopback, std::uint16_t(number(argc == 5 ? 4 : 1)) }) });
    if (!sent) {
        std::fprintf(stderr, "%s\n", sent.error().text.c_str());
        return 1;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("sent %llu datagrams in %.3f s, %.0f per second, %llu failed\n",
        static_cast<unsigned long long>(sent->datagrams), took.count(), double(sent->datagrams) / took.count(),
        static_cast<unsigned long long>(sent->failed));
    return 0;
}
