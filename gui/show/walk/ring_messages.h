// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of the messages of a ring.
#pragma once

#include "gui/show/words/message_class.h"

namespace lhrs::gui {

inline constexpr MessageRow kRingMessages[] = {
    { "query", MessageClass::Operation },
    { "answer", MessageClass::Reply },
    { "astray", MessageClass::Reply },
    { "keys", MessageClass::Bulk },
};

} // namespace lhrs::gui
