// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/lines/system_lines.h"
#include "proto/config.pb.h"

#include <cstdint>

namespace lhrs::gui {

// A file of LH*RS and the servers that it starts with.
struct FileOptions {
    pb::FileConfig config;
    std::uint32_t dataServers = 9; // spares before the file takes any
    std::uint32_t parityServers = 7;
};

SystemLines linesOfFile(const FileOptions& options);

} // namespace lhrs::gui
