// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/local/local_options.h"

#include <QString>

#include <cstdint>

namespace lhrs::gui {

// The scenario line that starts the same cluster.
QString clusterLine(const LocalOptions& options, std::uint32_t recordBytes);
// The names of the clients that a window starts, from 0: alice, bob, ...
QString clientNameOf(std::uint32_t number);

} // namespace lhrs::gui
