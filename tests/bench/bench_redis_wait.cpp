// SPDX-License-Identifier: GPL-3.0-or-later
// What redis-benchmark cannot do: one client that sets a value and waits until its copies have it, sent together, the next
// after both answers. bench_redis_wait PORT COUNT COPIES says one line of JSON.
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

int fail(const char* what)
{
    std::fprintf(stderr, "bench_redis_wait: %s\n", what);
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
    if (argc != 4)
        return fail("wants PORT COUNT COPIES");
    const int port = std::atoi(argv[1]), count = std::atoi(argv[2]);
    const std::string copies = argv[3];
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    const int one = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(std::uint16_t(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return fail("nobody listens at that port");
    const std::string expected = "+OK\r\n:" + copies + "\r\n";
    const std::string value(100, 'x');
    std::vector<double> times;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) {
        const auto sent = std::chrono::steady_clock::now();
        if (!sendAll(socket, "*3\r\n$3\r\nSET\r\n" + word("key:" + std::to_string(i % 25'000)) + word(value) + "*3\r\n$4\r\nWAIT\r\n"
                    + word(copies) + "$1\r\n0\r\n"))
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
            return fail("a copy did not acknowledge, or the server refused");
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
