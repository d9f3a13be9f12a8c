// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_options.h"

#include <QString>

#include <cstdint>

namespace lhrs::gui {

// The scenario line that starts the same file.
QString fileLine(const LocalOptions& options, std::uint32_t recordBytes);

} // namespace lhrs::gui
