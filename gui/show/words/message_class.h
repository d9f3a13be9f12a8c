// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace lhrs::gui {

// Classes of messages: each has a colour, a glyph and a pace of its own.
enum class MessageClass { Operation, Reply, Image, Change, Ack, Control, Recruit, Bulk };
inline constexpr int kMessageClasses = int(MessageClass::Bulk) + 1;

// The class of one kind of message, by its name in message.proto or in the file of its system. Empty: a sign of life,
// which is not drawn. Kinds without a row are Control.
struct MessageRow {
    std::string_view kind;
    std::optional<MessageClass> messageClass;
};

} // namespace lhrs::gui
