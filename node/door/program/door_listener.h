// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "node/transport/socket_address.h"

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace lhrs {

// A listening socket of a door: a port of this computer, or a file that only its owner can open and that ends with the
// door.
class DoorListener {
public:
    // A port on 127.0.0.1; 0: the system chooses.
    static Result<DoorListener> onPort(std::uint16_t port);
    // A socket that a program which has ended left at this path is replaced; anything else there is refused.
    static Result<DoorListener> atPath(const std::string& path);
    DoorListener() = default;
    DoorListener(DoorListener&&) = default;
    DoorListener& operator=(DoorListener&& other) noexcept;
    // Removes the file if it is still the one that was made.
    ~DoorListener();

    int get() const { return m_socket.get(); }
    std::uint16_t port() const { return m_port; }
    // A connection that waits; without a value: there is none, or it could not be accepted.
    Descriptor accept() const;

private:
    Descriptor m_socket;
    std::uint16_t m_port = 0;
    std::string m_path; // empty: it is a port
    dev_t m_device = 0; // of the file
    ino_t m_file = 0;
};

} // namespace lhrs
