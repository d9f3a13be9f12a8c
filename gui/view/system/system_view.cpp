// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/system/system_view.h"

#include <algorithm>

namespace lhrs::gui {

void HoverCard::measure(const Theme& theme)
{
    size = QSizeF(0, 0);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QFontMetricsF& metrics = theme.metrics(styleOf(i));
        size = QSizeF(std::max(size.width(), metrics.horizontalAdvance(lines[i]) + 1),
            size.height() + metrics.height() + theme.px(kBetween));
    }
}

} // namespace lhrs::gui
