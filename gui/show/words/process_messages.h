// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of the messages that processes of any system send.
#pragma once

#include "gui/show/words/message_class.h"

namespace lhrs::gui {

inline constexpr MessageRow kProcessMessages[] = {
    { "alive", std::nullopt },
    { "register", std::nullopt },
    { "registered", std::nullopt },
    { "ack", MessageClass::Ack },
};

} // namespace lhrs::gui
