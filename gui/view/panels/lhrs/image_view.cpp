// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/lhrs/image_view.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kRebuildImagesEvery = 0.1; // seconds
constexpr qreal kUsualWidth = 520, kScaleMost = 1.4; // pixels at 100 %

} // namespace

ImageView::ImageView(const Pacer& pacer, Selection& selection, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_list(m_theme)
{
    setObjectName(QStringLiteral("imageView"));
    setAccessibleName(tr("Client images beside the file state"));
    setMouseTracking(true);
    connect(&m_selection, &Selection::selectionChanged, this, [this] { m_isDirty = true; });
    connect(&m_selection, &Selection::hoverChanged, this, qOverload<>(&QWidget::update));
}

bool ImageView::refresh(double seconds)
{
    m_time += seconds;
    if ((m_version != m_pacer.version() && m_time - m_builtAt >= kRebuildImagesEvery) || m_isDirty)
        rebuild();
    return false;
}

void ImageView::rebuild()
{
    m_version = m_pacer.version();
    m_builtAt = m_time;
    m_isDirty = false;
    m_list.clear();
    // A view with room to spare is read from a larger distance.
    const qreal scale = m_theme.fontScale()
        * std::clamp(std::floor(width() / m_theme.px(kUsualWidth) * 10) / 10, 1.0, kScaleMost);
    if (m_face.kind() != m_theme.kind() || m_face.fontScale() != std::min(scale, 2.5))
        m_face = Theme(m_theme.kind(), scale);
    m_list.setTheme(m_face);
    const ImagePicture picture = drawImages(m_pacer.state(), m_face, m_selection.selected(), width(), m_list, m_tried);
    // Inside a scroll area: as high as its content.
    if (minimumHeight() != int(std::ceil(picture.height)))
        setMinimumHeight(int(std::ceil(picture.height)));
    setAccessibleDescription(m_list.texts().join(QStringLiteral(". ")));
    update();
}

void ImageView::tryKey(std::optional<std::uint64_t> key)
{
    m_tried = key;
    m_isDirty = true;
}

void ImageView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_isDirty = true;
}

void ImageView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.card);
    m_list.paint(painter);
    marks().paint(painter);
}

DisplayList ImageView::marks() const
{
    DisplayList marks(m_face);
    const ObjectRef object = m_selection.hovered();
    if (const QRectF around = m_list.boundsOf(object); !around.isNull()) {
        marks.setObject(object);
        marks.add(
            DisplayList::Box { around.adjusted(-3, -2, 3, 2), Outline::Rounded, 4, {}, m_theme.text, 2, false, false });
    }
    return marks;
}

void ImageView::resizeEvent(QResizeEvent*) { m_isDirty = true; }

void ImageView::mousePressEvent(QMouseEvent* event)
{
    if (const ObjectRef object = m_list.hitTest(event->position()))
        m_selection.select(object);
}

void ImageView::mouseMoveEvent(QMouseEvent* event) { m_selection.hover(m_list.hitTest(event->position())); }

void ImageView::leaveEvent(QEvent*) { m_selection.point({}); }

} // namespace lhrs::gui
