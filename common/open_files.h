// SPDX-License-Identifier: GPL-3.0-or-later
// How many files a process may have open: sockets, pipes and processes that it watches count, too.
#pragma once

#include <cstdint>
#include <string>

namespace lhrs {

// Raises the soft limit, of which 200 servers use up the usual 1,024, to the hard one. Gives the limit that holds then.
std::uint64_t raiseOpenFiles();

// Why this process cannot have so many more files open, in a sentence with the numbers and what to do; empty: it can.
std::string openFilesTrouble(std::uint64_t more, const std::string& forWhat);

} // namespace lhrs
