// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/object_ref.h"
#include "gui/view/paint/theme.h"

#include <QString>

namespace lhrs::gui {

// The servers of a file, as they are drawn.
inline constexpr Shape kDataShape { Outline::Rectangle, okabe::kBlue };
inline constexpr Shape kParityShape { Outline::CutCorners, okabe::kPurple };
inline constexpr Shape kSpareShape { Outline::Rounded, 0, Shape::Edge::Dashed };

inline QColor dataFill() { return QColor::fromRgb(kDataShape.fill); }
inline QColor parityFill() { return QColor::fromRgb(kParityShape.fill); }

// What a picture of a file shows in one place: data, parity, dummy, spare, client or coordinator, and its condition.
struct Look {
    ObjectKind kind = ObjectKind::Data;
    Condition condition = Condition::Up;
    bool operator==(const Look&) const = default;
};
LookStyle styleOf(const Theme& theme, Look look);
// The state in a word: "up", "starting", ...
QString lookWord(Look look);

// A class of messages in a word: "operation", "delta", ...
QString messageWord(MessageClass messageClass);

} // namespace lhrs::gui
