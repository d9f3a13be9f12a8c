// SPDX-License-Identifier: GPL-3.0-or-later
// Marks above the picture of a file: the record group and the operation that are under the mouse in some view.
#include "gui/view/lhrs/file_picture.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>

namespace lhrs::gui {

// Marks all records of the rank that is under the mouse in a table: they are one record group.
void FilePicture::drawRecordGroup(const Sight& sight, const PictureInput& input, DisplayList& out) const
{
    const ObjectRef selected = sight.selection.partObject();
    const std::uint32_t rank = sight.selection.part(), m = sight.state.m();
    if (rank == 0 || rank > input.plan.ranks
        || (selected.kind != ObjectKind::Data && selected.kind != ObjectKind::Parity))
        return;
    const std::uint64_t group = selected.kind == ObjectKind::Data ? selected.a / m : selected.a;
    for (const ClusterLayout::Item& item : m_layout.items) {
        const bool isMember = (item.object.kind == ObjectKind::Data && item.object.a / m == group)
            || (item.object.kind == ObjectKind::Parity && item.object.a == group);
        const CellGeometry cells = cellGeometry(sight.theme, item.rect, input.plan);
        if (!isMember || !cells.isValid())
            continue;
        out.add(DisplayList::Box { cells.cellOf(rank).adjusted(-3, -3, 3, 3), Outline::Rectangle, 0, {},
            sight.theme.text, 2.5, false, false });
    }
}

// The path of the operation that is under the mouse in some view, or that is followed: its client, and the buckets that
// it visited.
void FilePicture::drawOperation(const Sight& sight, DisplayList& out) const
{
    const OperationId operation = sight.selection.shownOperation();
    const ClusterState& state = sight.state;
    const ObjectRef client { ObjectKind::Client, operation.first, 0 };
    const ClusterLayout::Item* from = m_layout.find(client);
    if (operation.first == 0 || !from)
        return;
    const qreal u = sight.theme.px(1);
    const auto ring = [&](const QRectF& rect, Outline outline) {
        out.add(DisplayList::Box {
            rect.adjusted(-5 * u, -5 * u, 5 * u, 5 * u), outline, 7 * u, {}, sight.theme.card, 5 * u, false, false });
        out.add(DisplayList::Box {
            rect.adjusted(-5 * u, -5 * u, 5 * u, 5 * u), outline, 7 * u, {}, sight.theme.focus, 2.5 * u, true, false });
    };
    out.setObject(client);
    ring(from->rect, Outline::Circle);
    QString words = QStringLiteral("operation %1").arg(grouped(operation.second));
    if (const OperationState* told = state.fileClient(operation.first).operation(operation.second)) {
        words = QStringLiteral("%1 key %2").arg(QString::fromStdString(operationWord(told->kind))).arg(told->key);
        std::vector<std::uint32_t> way = told->path;
        if (way.empty())
            way.push_back(told->computedBucket);
        if (told->isDone && way.back() != told->bucket)
            way.push_back(told->bucket);
        QPointF before = from->rect.center();
        for (const std::uint32_t bucket : way) {
            const ClusterLayout::Item* item = m_layout.find({ ObjectKind::Data, bucket, 0 });
            if (!item)
                continue;
            out.setObject(item->object);
            const QPointF at = m_layout.anchor(item->rect);
            out.add(DisplayList::Line { { before, at }, sight.theme.focus, 2 * u, true, 10 * u });
            if (m_layout.groupsArea.intersects(item->rect))
                ring(item->rect, Outline::Rectangle);
            before = at;
        }
    }
    const TextStyle style { TextSize::Small, true };
    const qreal wide = sight.theme.width(style, words) + 10 * u;
    const QRectF box(from->rect.left(), from->rect.bottom() + 4 * u, wide, sight.theme.lineHeight(style) + 4 * u);
    out.setObject(client);
    out.add(DisplayList::Box { box, Outline::Rounded, 4 * u, sight.theme.card, sight.theme.focus, 1.5, false, false });
    out.text(box, words, style, sight.theme.text, Qt::AlignCenter);
    out.setObject({});
}

} // namespace lhrs::gui
