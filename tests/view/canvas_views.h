// SPDX-License-Identifier: GPL-3.0-or-later
// The canvas beside the other views of the same cluster, the position of the mouse, and where the canvas writes text.
#pragma once

#include "tests/rigs/gui/motion_show.h"

#include "gui/lab/export/run_story.h"
#include "gui/view/panels/event_log.h"
#include "gui/view/panels/lhrs/image_view.h"
#include "gui/view/timeline/space_time_view.h"

#include <QMouseEvent>

#include <algorithm>
#include <vector>

namespace lhrs::gui {

// A cluster that publishes what a test wants, and the views that show it.
struct Views {
    Show show;
    Selection selection;
    ClusterCanvas canvas;
    RunStory story;
    EventLog log;
    SpaceTimeView diagram;
    ImageView images;

    explicit Views(const FileShape& shape)
        : show(shape), canvas(show.pacer, selection), log(show.feed, show.pacer, story, selection),
          diagram(show.feed, show.pacer, selection), images(show.pacer, selection)
    {
        for (QWidget* view : std::initializer_list<QWidget*> { &canvas, &log, &diagram, &images }) {
            view->resize(1280, 620);
            view->show();
        }
        diagram.setOrder(SpaceTimeWish::Order::Time);
        frame();
    }
    // Advances the picture until all events are shown.
    void settle()
    {
        show.untilRest();
        frame(0.2);
        diagram.showAll();
        for (int i = 0; i < 4; ++i)
            frame(0.2);
    }
    void frame(double seconds = kFrame)
    {
        show.frame(seconds);
        canvas.refresh(seconds);
        log.refresh(seconds);
        diagram.refresh(seconds);
        images.refresh(seconds);
    }
    QPoint centreOf(ObjectRef object) const { return canvas.rectOf(object).center().toPoint(); }
    QStringList moving()
    {
        canvas.refresh(kFrame);
        return canvas.movingPicture().texts();
    }
    std::vector<int> markedRows()
    {
        std::vector<int> rows;
        for (int row = 0; row < log.model().rowCount(); ++row)
            if (log.model().isMarked(row))
                rows.push_back(row);
        return rows;
    }
    std::size_t marked(ObjectKind kind)
    {
        const auto& items = diagram.canvas().marks().items();
        const auto isOfKind = [kind](const DisplayList::Item& item) { return item.object.kind == kind; };
        return std::size_t(std::count_if(items.begin(), items.end(), isOfKind));
    }
};

// Moves the mouse there, without waiting, so that no other window takes it away.
inline void moveTo(QWidget& widget, QPointF at)
{
    QMouseEvent move(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &move);
}

// Where the canvas wrote these lines last.
inline QRectF placeOf(const ClusterCanvas& canvas, const std::vector<QString>& lines)
{
    QRectF all;
    for (const DisplayList::Item& item : canvas.movingPicture().items()) {
        const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
        if (text && std::find(lines.begin(), lines.end(), text->text) != lines.end())
            all = all.united(text->box);
    }
    return all;
}

} // namespace lhrs::gui
