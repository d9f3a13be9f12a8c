// SPDX-License-Identifier: GPL-3.0-or-later
// One client of Redis that waits for each answer before it sends the next request. redis-benchmark is not enough: it
// counts times in steps of 8 us (its median is 7 or 15 us), and it has no WAIT. "bench_redis PORT COUNT get|set" prints
// one line of JSON. So does "bench_redis PORT COUNT wait COPIES": it sets a value and, in the same packet, sends a WAIT
// that returns when COPIES copies have the value.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kKeys = 25'000;

int fail(const char* what)
{
    std::fprintf(stderr, "bench_redis: %s\n", what);
    return 1;
}

bool sendAll(int socket, const std::string& bytes)
{
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t sent = ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        done += std::size_t(sent);
    }
    return true;
}

std::string word(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

} // namespace

int main(int argc, char** argv)
{
    const std::string what = argc > 3 ? argv[3] : "";
    const bool isGet = what == "get", waits = what == "wait";
    if (argc != (waits ? 5 : 4) || (!isGet && !waits && what != "set"))
        return fail("wants PORT COUNT get, PORT COUNT set, or PORT COUNT wait COPIES");
    const int port = std::atoi(argv[1]), count = std::atoi(argv[2]);
    const std::string copies = waits ? argv[4] : "", value(100, 'x');
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const int one = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::uint16_t(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return fail("nobody listens at that port");
    const std::string expected = isGet ? word(value) : waits ? "+OK\r\n:" + copies + "\r\n" : "+OK\r\n";
    const std::string wait = waits ? "*3\r\n$4\r\nWAIT\r\n" + word(copies) + "$1\r\n0\r\n" : "";
    std::vector<double> times;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        const std::string key = word("key:" + std::to_string(i % kKeys));
        const std::string request = isGet ? "*2\r\n$3\r\nGET\r\n" + key
                                          : "*3\r\n$3\r\nSET\r\n" + key + word(value) + wait;
        const auto sent = std::chrono::steady_clock::now();
        if (!sendAll(socket, request))
            return fail("the server has closed the connection");
        std::string answer;
        while (answer.size() < expected.size()) {
            char buffer[256];
            const ssize_t came = ::recv(socket, buffer, sizeof buffer, 0);
            if (came <= 0)
                return fail("the server has closed the connection");
            answer.append(buffer, std::size_t(came));
        }
        if (answer != expected)
            return fail(
                isGet ? "a key is not there; set them first" : "a copy did not acknowledge, or the server refused");
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - sent).count());
    }
    const double total = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (times.empty())
        return fail("COUNT is 0");
    std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
    std::printf("{\"p50_us\": %.3f, \"per_second\": %.1f}\n", times[times.size() / 2], double(count) / total);
    ::close(socket);
    return 0;
}
