// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

namespace lhrs::gui {

// A sentence of the story, and when it holds.
struct Telling {
    std::uint64_t event = 0; // index of the event that told it; 0: found by look(), without an event
    std::int64_t runNs = 0;
    QString text; // one sentence, or two if the first is the cause of the second
    std::uint64_t instead = 0; // event of the earlier telling that this one continues and replaces; 0: none
};

} // namespace lhrs::gui
