// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/program/door_listener.h"

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>

namespace lhrs {

namespace {

constexpr int kBacklog = 128;

sockaddr_un unixAddress(const std::string& path)
{
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
}

// Makes room for the socket. What is there may only be a socket of this user at which nobody listens any more.
Result<void> makeRoom(const std::string& path)
{
    constexpr const char* kOther = "; remove it, or choose another path with --resp-socket";
    struct stat found { };
    if (::lstat(path.c_str(), &found) != 0)
        return errno == ENOENT ? Result<void>() : systemError("cannot look at " + path, errno);
    if (!S_ISSOCK(found.st_mode) || found.st_uid != ::geteuid())
        return Error { path + " exists and is no socket of this user" + kOther };
    const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = unixAddress(path);
    if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
        || errno != ECONNREFUSED)
        return Error { "another program listens at " + path + "; end it, or choose another path with --resp-socket" };
    ::unlink(path.c_str());
    return {};
}

} // namespace

Result<DoorListener> DoorListener::onPort(std::uint16_t port)
{
    DoorListener made;
    made.m_socket = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int isOn = 1;
    ::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &isOn, sizeof isOn);
    SystemAddress address({ kLoopback, port });
    if (::bind(made.get(), address.name(), address.size()) != 0 || ::listen(made.get(), kBacklog) != 0
        || ::getsockname(made.get(), address.name(), address.sizeToFill()) != 0)
        return Error { systemError("cannot listen at 127.0.0.1:" + std::to_string(port), errno).text
            + "; end the program that uses the port, or choose another one with --resp-port" };
    made.m_port = address.end().port;
    return made;
}

Result<DoorListener> DoorListener::atPath(const std::string& path)
{
    if (const auto room = makeRoom(path); !room)
        return room.error();
    DoorListener made;
    made.m_socket = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sockaddr_un address = unixAddress(path);
    struct stat file { };
    // Nobody can connect before listen(), so the file is never open to others.
    if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return Error { systemError("cannot make the socket " + path, errno).text
            + "; choose another path with --resp-socket" };
    made.m_path = path;
    if (::lstat(path.c_str(), &file) == 0) {
        made.m_device = file.st_dev;
        made.m_file = file.st_ino;
    }
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(made.get(), kBacklog) != 0)
        return systemError("cannot listen at " + path, errno);
    return made;
}

DoorListener& DoorListener::operator=(DoorListener&& other) noexcept
{
    std::swap(m_socket, other.m_socket);
    std::swap(m_port, other.m_port);
    std::swap(m_path, other.m_path);
    std::swap(m_device, other.m_device);
    std::swap(m_file, other.m_file);
    return *this;
}

DoorListener::~DoorListener()
{
    struct stat file { };
    if (!m_path.empty() && m_socket && ::lstat(m_path.c_str(), &file) == 0 && file.st_dev == m_device
        && file.st_ino == m_file)
        ::unlink(m_path.c_str());
}

Descriptor DoorListener::accept() const
{
    Descriptor accepted(::accept4(get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const int isOn = 1;
    if (accepted && m_path.empty())
        ::setsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &isOn, sizeof isOn);
    return accepted;
}

} // namespace lhrs
