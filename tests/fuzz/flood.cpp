// SPDX-License-Identifier: GPL-3.0-or-later
// Sends seeded random datagrams to one process on loopback as fast as the system takes them:
//   lhrs-flood PORT COUNT SEED [COORDINATOR_PORT]
// COORDINATOR_PORT names the cluster, so that a share of the datagrams passes the envelope; without it PORT names the
// cluster; 0: none of them is of the cluster, and the same ones are sent again and again, which is faster.
#include "node/transport/udp_socket.h"
#include "tests/fuzz/random_datagrams.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
volatile std::sig_atomic_t isEnding = 0;
}

int main(int argc, char** argv)
{
    using namespace lhrs;
    std::signal(SIGTERM, [](int) { isEnding = 1; }); // it says its rate then, too
    if (argc < 4 || argc > 5) {
        std::fprintf(stderr, "usage: %s PORT COUNT SEED [COORDINATOR_PORT]\n", argv[0]);
        return 2;
    }
    const auto number = [argv](int i) { return std::strtoull(argv[i], nullptr, 10); };
    const Endpoint to { kLoopback, std::uint16_t(number(1)) };
    const std::uint64_t wanted = number(2);
    fuzz::RandomDatagrams datagrams(
        number(3), Envelope::clusterOf({ kLoopback, std::uint16_t(number(argc - 1 == 4 ? 4 : 1)) }));
    const auto socket = UdpSocket::open({ kLoopback, 0 });
    if (!socket) {
        std::fprintf(stderr, "%s\n", socket.error().text.c_str());
        return 1;
    }
    constexpr std::size_t kBatch = 64;
    const bool isGarbage = argc - 1 == 4 && number(4) == 0;
    std::vector<std::string> bytes(kBatch, std::string(200, 'x'));
    std::vector<OutDatagram> out(kBatch);
    std::uint64_t failed = 0;
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t sent = 0;
    while (sent < wanted && isEnding == 0) {
        const std::size_t count = std::size_t(std::min<std::uint64_t>(kBatch, wanted - sent));
        for (std::size_t i = 0; i < count; ++i) {
            if (!isGarbage)
                bytes[i].assign(datagrams.next());
            out[i] = { to, bytes[i] };
        }
        failed += socket->send({ out.data(), count });
        sent += count;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("sent %llu datagrams in %.3f s, %.0f per second, %llu failed\n", static_cast<unsigned long long>(sent),
        took.count(), double(sent) / took.count(), static_cast<unsigned long long>(failed));
    return 0;
}
