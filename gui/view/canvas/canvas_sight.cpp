// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the picture is in sight, and what it highlights.
#include "gui/view/canvas/cluster_canvas.h"

#include <algorithm>
#include <iterator>

namespace lhrs::gui {

namespace {

constexpr qreal kZoomStep = 1.4;
constexpr qreal kZoomMax = 32;

} // namespace

void ClusterCanvas::zoomBy(qreal factor, QPointF around)
{
    const qreal zoom = std::clamp(m_zoom * factor, 1.0, kZoomMax);
    const QPointF inside = around - m_view->area().topLeft();
    m_pan = (m_pan + inside) * (zoom / m_zoom) - inside;
    m_zoom = zoom;
    relayout(false);
}

void ClusterCanvas::fit()
{
    m_zoom = 1;
    m_pan = QPointF();
    relayout(!m_isReduced);
}

void ClusterCanvas::standStill()
{
    m_view->forget();
    relayout(false);
}

void ClusterCanvas::cut()
{
    standStill();
    fit();
}

void ClusterCanvas::fitTo(const std::vector<ObjectRef>& objects)
{
    std::vector<ObjectRef> placed;
    std::copy_if(objects.begin(), objects.end(), std::back_inserter(placed),
        [this](ObjectRef object) { return m_view->isInArea(object); });
    if (placed.empty()) {
        fit();
        return;
    }
    const auto aroundAll = [&] {
        QRectF all;
        for (const ObjectRef object : placed)
            all |= m_view->targetOf(state(), object);
        return all;
    };
    // Zooms in until a thing shows all details, as far as all objects fit, and then centres the objects.
    for (int step = 0; step < 12; ++step) {
        const QRectF all = aroundAll(), area = m_view->area();
        m_pan += all.center() - area.center();
        const bool hasRoom = placed.size() == 1
            || (all.width() * kZoomStep < area.width() && all.height() * kZoomStep < area.height());
        if (m_view->isLegible() || m_zoom >= kZoomMax || !hasRoom)
            break;
        zoomBy(kZoomStep, area.center());
    }
    relayout(false);
}

void ClusterCanvas::highlight(const std::vector<ObjectRef>& objects, const QString& words, double seconds)
{
    for (std::size_t i = 0; i < objects.size(); ++i)
        m_highlights.push_back({ objects[i], i == 0 ? words : QString(), m_time + seconds });
}

void ClusterCanvas::speakOf(const std::vector<ObjectRef>& objects, double seconds)
{
    m_spokenOf = objects;
    m_spokenSince = m_time;
    m_spokenUntil = m_time + seconds;
    const auto client = std::find_if(
        objects.begin(), objects.end(), [](ObjectRef object) { return object.kind == ObjectKind::Client; });
    if (client != objects.end() && client->a != m_spokenClient) { // has a place even if not all clients have room
        m_spokenClient = client->a;
        relayout(false);
        rebuildResting();
    }
    changed();
}

} // namespace lhrs::gui
