// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lhrs {

inline constexpr std::size_t kKeyBytes = 32;
using KeyBytes = std::array<std::uint8_t, kKeyBytes>;

// Whose key a file holds, and so what its holder may do. Cluster: be a server or the coordinator, and everything else.
// Client: read and write records. Operator: command and break the cluster.
enum class KeyRole { Cluster, Client, Operator };

const char* wordOf(KeyRole role); // "cluster"

// What one key file holds: its secret, and the public keys of peers that its holder cannot derive from the secret. The
// secret is wiped from memory at the end.
struct KeyFile {
    KeyRole role = KeyRole::Cluster;
    KeyBytes secret {};
    KeyBytes servers {}; // of the ZeroMQ sockets of servers and coordinator; not in a cluster key
    KeyBytes clients {}; // of those of client processes; in an operator key
    KeyBytes operators {}; // of the programs that command; in a client key

    KeyFile() = default;
    KeyFile(const KeyFile&) = default;
    KeyFile& operator=(const KeyFile&) = default;
    ~KeyFile();
};

// The names of the three files in a folder of keys.
inline constexpr const char* kClusterKeyName = "cluster.key";
inline constexpr const char* kClientKeyName = "client.key";
inline constexpr const char* kOperatorKeyName = "operator.key";

// The text of a key file, and the reverse. A text is at most kKeyTextMax bytes long.
inline constexpr std::size_t kKeyTextMax = 1'024;
std::string textOf(const KeyFile& key);
Result<KeyFile> parseKey(std::string_view text);

// Draws a new cluster key and writes the three files, readable by their owner only, into the folder, which it makes if
// it is missing. A folder that already has one of the files is left as it is, with an Error.
Result<void> makeKeys(const std::string& folder);

// Reads a key file. A file that is missing or damaged, that others may read or write, or that belongs to another user,
// is refused with a sentence that says what to do.
Result<KeyFile> readKeyFile(const std::string& path);

} // namespace lhrs
