// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include <cstdint>

namespace lhrs::gui {

// What a place held in these numbers, as it was read during the run.
struct CapturedPart {
    std::int64_t place = 0;
    std::uint32_t first = 0, count = 0;
    QByteArray body;
};

} // namespace lhrs::gui
