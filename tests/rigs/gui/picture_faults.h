// SPDX-License-Identifier: GPL-3.0-or-later
// Finds faults of a picture in its display list.
#pragma once

#include "gui/view/paint/display_list.h"

#include <algorithm>
#include <vector>

namespace lhrs::gui {

struct Named {
    QString name;
    QRectF rect;
};

inline bool isInside(const QRectF& rect, const QRectF& area)
{
    return area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(rect) && rect.width() > 0 && rect.height() > 0;
}

// Two of the rectangles that overlap, as text; empty if none do.
inline QString overlap(std::vector<Named> all, qreal tolerance = 0.01)
{
    std::sort(all.begin(), all.end(), [](const Named& x, const Named& y) { return x.rect.top() < y.rect.top(); });
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRectF& rect = all[i].rect;
        for (std::size_t j = i + 1; j < all.size() && all[j].rect.top() < rect.bottom() - tolerance; ++j) {
            const QRectF common = rect.intersected(all[j].rect);
            if (common.width() > tolerance && common.height() > tolerance)
                return QString("%1 and %2").arg(all[i].name, all[j].name);
        }
    }
    return {};
}

inline QString wordsOf(ObjectRef o) { return QString("%1 %2.%3").arg(int(o.kind)).arg(o.a).arg(o.b); }

inline QString wordsOf(const QRectF& r)
{
    return QString("(%1, %2, %3 x %4)").arg(r.x()).arg(r.y()).arg(r.width()).arg(r.height());
}

// Texts that leave the view or cover another text, as text; empty if there are none.
inline QString textFault(const DisplayList& list, QSizeF size)
{
    std::vector<Named> texts;
    for (const DisplayList::Item& item : list.items()) {
        const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
        if (!text)
            continue;
        // The painted area: letters reach from ascent to descent; the leading may touch the next line.
        const QRectF rect = list.textRect(*text);
        if (!isInside(rect, QRectF(QPointF(0, 0), size)))
            return QString("“%1” leaves the view: %2").arg(text->text, wordsOf(rect));
        if (rect.width() > text->box.width() + 0.5)
            return QString("“%1” is wider than its box").arg(text->text);
        texts.push_back({ "“" + text->text + "”", rect });
    }
    const QString both = overlap(texts, 1.0);
    return both.isEmpty() ? QString() : "texts overlap: " + both;
}

} // namespace lhrs::gui
