// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/program/door_options.h"

#include "node/process/option_parts.h"

#include <sys/un.h>

#include <algorithm>

namespace lhrs {

namespace {

constexpr const char* kLoopbackOnly
    = "the Redis protocol has no passwords here, so the port opens on 127.0.0.1 only; give the number of a port and "
      "let "
      "clients of other computers come through an encrypted tunnel, or use --resp-socket PATH, which only your user "
      "can open";

} // namespace

void addDoor(CLI::App& app, DoorOptions& options)
{
    addOption(app, "--resp-port",
        "Port on 127.0.0.1 for clients of the Redis protocol (RESP2), which every user of this computer can reach; 0: "
        "the system chooses (none)",
        "PORT", [&options](const std::string& word) -> Result<void> {
            if (word.find(':') != std::string::npos)
                return Error { '"' + word + "\": " + kLoopbackOnly };
            std::uint16_t port = 0;
            const auto read = into<std::uint16_t>(port, 0, 65'535, "a port")(word);
            if (read)
                options.port = port;
            return read;
        });
    addOption(app, "--resp-socket",
        "Unix-domain socket for clients of the Redis protocol, which only the user of this process can open (none)",
        "PATH", [&options](const std::string& word) -> Result<void> {
            constexpr std::size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
            if (word.empty() || word.size() > kMost)
                return Error { "a path has 1 to " + std::to_string(kMost) + " bytes; choose a shorter one" };
            const auto isBlank = [](char c) { return c >= 0 && c <= ' '; };
            if (std::any_of(word.begin(), word.end(), isBlank))
                return Error { "the line \"ready\" names the path, so it has no blanks; choose another one" };
            options.socket = word;
            return {};
        });
}

Result<void> checkDoor(const DoorOptions& options, const ProcessOptions& process)
{
    if (options.port && !process.listen.ip.isLoopback())
        return Error { std::string("--resp-port with --listen beyond loopback: ") + kLoopbackOnly };
    return {};
}

} // namespace lhrs
