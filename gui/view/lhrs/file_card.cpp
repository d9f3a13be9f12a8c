// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/file_card.h"

#include "gui/view/lhrs/cluster_picture.h"

namespace lhrs::gui {

QImage cardOfFile(const ClusterState& state, Theme::Kind kind, QSize size, qreal scale)
{
    LayoutOptions options;
    options.viewport = QSizeF(size);
    options.showLegend = false;
    options.showSpares = false;
    const Theme asked(kind);
    const Theme theme(kind, roomScale(state, asked, options));
    // The words about the level of detail are useful only to a person who can zoom, so they lie below the picture's
    // edge.
    options.viewport.rheight() += layoutCluster(state, theme, options).foot.height();
    const ClusterLayout layout = layoutCluster(state, theme, options);
    CellReader cells;
    DisplayList list(theme);
    do { // cells of many ranks are read in several turns
        cells.beginFrame();
        PictureInput input { state, layout, theme, cells };
        input.layers.legend = input.layers.waiting = false;
        input.plan = cellPlanOf(state, layout.detail);
        list.clear();
        drawCluster(input, list);
    } while (cells.isLate());
    return list.toImage(size, scale, theme.canvas);
}

} // namespace lhrs::gui
