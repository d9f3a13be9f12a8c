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
    const QPointF inside = around - m_layoutMotion.target().groupsArea.topLeft();
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
    m_layoutMotion.forget();
    m_motion.clear();
    m_motion.setReduced(m_isReduced);
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
    std::copy_if(objects.begin(), objects.end(), std::back_inserter(placed), [this](ObjectRef object) { return m_layoutMotion.target().isInGroups(object); });
    if (placed.empty()) {
        fit();
        return;
    }
    const auto around = [&](const ClusterLayout& layout) {
        QRectF all;
        for (const ObjectRef object : placed)
            all |= rectIn(layout, object);
        return all;
    };
    // Zooms in until a card shows all details, as far as all objects fit, and then centres the objects.
    for (int step = 0; step < 12; ++step) {
        const ClusterLayout& target = m_layoutMotion.target();
        const QRectF all = around(target);
        m_pan += all.center() - target.groupsArea.center();
        const bool hasRoom = placed.size() == 1 || (all.width() * kZoomStep < target.groupsArea.width() && all.height() * kZoomStep < target.groupsArea.height());
        if (target.detail == CardDetail::Full || m_zoom >= kZoomMax || !hasRoom)
            break;
        zoomBy(kZoomStep, target.groupsArea.center());
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
    const auto client = std::find_if(objects.begin(), objects.end(), [](ObjectRef object) { return object.kind == ObjectKind::Client; });
    if (client != objects.end() && client->a != m_spokenClient) { // has a place even if not all clients have room
        m_spokenClient = client->a;
        relayout(false);
        rebuildResting();
    }
    changed();
}

} // namespace lhrs::gui
