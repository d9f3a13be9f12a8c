// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace lhrs::gui {

// Classes of messages: each has a colour, a glyph and a pace of its own.
enum class MessageClass { Operation, Reply, Image, Delta, Ack, Control, Recruit, Bulk };
inline constexpr int kMessageClasses = int(MessageClass::Bulk) + 1;

// The class of a message by its name in message.proto ("delta_ack"); empty for heartbeats, which are not drawn.
std::optional<MessageClass> messageClassOf(std::string_view kind);

} // namespace lhrs::gui
