// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace lhrs::gui {

struct HostEntry;

// A way to start a program on another computer and to be connected with its standard input and output: one that people
// have already. Nothing else is wanted of it, because lhrs-host, which it starts, does the rest.
struct Launcher {
    const char* name; // as in HostEntry::by
    // The command line that starts lhrs-host on the host. `programs`: the directory of this program, where it is looked
    // for first if the entry names none.
    std::vector<std::string> (*line)(const HostEntry& host, const std::string& programs);
};

inline constexpr const char* kLauncherHere = "here"; // no launcher: this computer

// Null: there is none of that name. The one for this computer has no line.
const Launcher* findLauncher(const std::string& name);
std::string launcherNames(); // for messages

// One file each.
std::vector<std::string> sshLine(const HostEntry& host, const std::string& programs);
std::vector<std::string> slurmLine(const HostEntry& host, const std::string& programs);
std::vector<std::string> podmanLine(const HostEntry& host, const std::string& programs);
std::vector<std::string> dockerLine(const HostEntry& host, const std::string& programs);

// In single quotes, where a shell changes nothing.
std::string shellQuoted(const std::string& text);
// What a POSIX shell on the host is given: lhrs-host of the entry's directory, of `programs`, or of the PATH.
std::string shellCommand(const HostEntry& host, const std::string& programs);

} // namespace lhrs::gui
