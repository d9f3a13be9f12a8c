// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/flow_layout.h"

#include <QWidget>

#include <algorithm>
#include <utility>
#include <vector>

namespace lhrs::gui {

FlowLayout::FlowLayout(QWidget* parent, int spacing) : QLayout(parent) { setSpacing(spacing); }

FlowLayout::~FlowLayout() { qDeleteAll(m_items); }

void FlowLayout::addItem(QLayoutItem* item) { m_items.append(item); }

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < m_items.size() ? m_items[index] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const { return arrange(QRect(0, 0, width, 0), false); }

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::oneRowWidth() const
{
    int wide = contentsMargins().left() + contentsMargins().right() - spacing();
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty())
            wide += item->sizeHint().width() + spacing();
    return wide;
}

int FlowLayout::arrange(const QRect& rect, bool isReal) const
{
    const QRect inside = rect.marginsRemoved(contentsMargins());
    int x = inside.x(), y = inside.y(), rowHeight = 0;
    std::vector<std::pair<QLayoutItem*, QRect>> row;
    const auto finishRow = [&] {
        for (const auto& [item, at] : row) // widgets of different heights are centred on one line
            if (isReal)
                item->setGeometry(at.translated(0, (rowHeight - at.height()) / 2));
        row.clear();
    };
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size = item->sizeHint();
        if (x + size.width() > inside.right() + 1 && rowHeight > 0) {
            finishRow();
            x = inside.x();
            y += rowHeight + spacing();
            rowHeight = 0;
        }
        row.emplace_back(item, QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        rowHeight = std::max(rowHeight, size.height());
    }
    finishRow();
    return y + rowHeight - rect.y() + contentsMargins().bottom();
}

} // namespace lhrs::gui
