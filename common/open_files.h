// SPDX-License-Identifier: GPL-3.0-or-later
// How many files a process may have open; sockets, pipes and watched processes count too.
#pragma once

#include <cstdint>
#include <string>

namespace lhrs {

// Raises the soft limit to the hard limit; 200 servers exhaust the usual soft limit of 1,024. Returns the limit that
// applies afterwards.
std::uint64_t raiseOpenFiles();

// Why this process cannot open `more` further files, in a sentence with the numbers and what to do; empty: it can.
std::string openFilesTrouble(std::uint64_t more, const std::string& forWhat);

} // namespace lhrs
