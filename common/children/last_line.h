// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fstream>
#include <string>

namespace lhrs {

// The last line of a log that is not empty; usually it says why a program has ended.
inline std::string lastLine(const std::string& file)
{
    std::ifstream in(file);
    std::string line, last;
    while (std::getline(in, line)) {
        while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
            line.pop_back();
        if (!line.empty())
            last = line;
    }
    return last;
}

} // namespace lhrs
