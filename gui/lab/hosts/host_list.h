// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs::gui {

// One computer on which processes of a cluster run.
struct HostEntry {
    std::string name = {}; // as the launcher takes it, for instance of a Host in the user's ssh configuration
    std::string by = "ssh"; // the launcher: here (this computer), ssh, slurm, podman, docker
    std::string address = {}; // at which its processes listen; empty: as it says itself
    std::string programs = {}; // directory of the programs there; empty: the one here, or else its PATH
    std::string config = {}; // configuration file of ssh; empty: the user's
    std::map<std::string, std::uint32_t> most = {}; // servers of a pool that it takes; any number of the others
    bool operator==(const HostEntry&) const = default;
};

inline constexpr std::size_t kHostsMax = 256;

// Reads a list of hosts: a line for each, its name and then words such as address=10.0.0.2 max-data=3. `#` begins a
// comment. Errors begin with the place: "FILE:3: ".
Result<std::vector<HostEntry>> parseHosts(std::string_view text, const std::string& file);
// The same from a file.
Result<std::vector<HostEntry>> readHosts(const std::string& file);
// Sets one word of an entry. The error is a sentence without a place.
Result<void> setHostWord(HostEntry& entry, const std::string& word, const std::string& value);
// Whether the entries can be the hosts of one cluster.
Result<void> checkHosts(const std::vector<HostEntry>& hosts);
// The names of the words, for messages.
std::string hostWords();

} // namespace lhrs::gui
