// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/charts/measure_view.h"

#include "gui/view/charts/chart_view.h"
#include "gui/view/paint/picture_export.h"

#include <QPainter>
#include <QSaveFile>
#include <QSvgRenderer>

namespace lhrs::gui {

namespace {

constexpr int kColours = 4; // of ChartView::colourOf

SvgLook lookOf(const Theme& theme)
{
    SvgLook look;
    look.background = theme.card.name();
    look.text = theme.text.name();
    look.muted = theme.muted.name();
    look.grid = theme.grid.name();
    look.colours.clear();
    for (int i = 0; i < kColours; ++i)
        look.colours << ChartView::colourOf(i, theme).name();
    const QFont font = theme.font({ TextSize::Strong, false, false });
    look.family = font.family();
    look.em = font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF() * 96 / 72;
    return look;
}

} // namespace

MeasureView::MeasureView(QWidget* parent) : QWidget(parent), m_renderer(std::make_unique<QSvgRenderer>())
{
    setObjectName(QStringLiteral("measureView"));
    setAutoFillBackground(false);
}

MeasureView::~MeasureView() = default;

void MeasureView::setChart(const MeasureChart& chart, const QString& origin)
{
    m_chart = chart;
    m_origin = origin;
    setAccessibleName(chart.title);
    setAccessibleDescription(chart.nothing.isEmpty()
            ? tr("%1 panels; its values are in the table").arg(chart.panels.size())
            : chart.nothing);
    draw();
}

void MeasureView::setTheme(const Theme& theme)
{
    m_theme = theme;
    draw();
}

void MeasureView::draw()
{
    m_svg.clear(); // rebuilt when it is next visible
    update();
}

void MeasureView::paintEvent(QPaintEvent*)
{
    if (m_svg.isEmpty()) {
        m_svg = chartSvg(m_chart, lookOf(m_theme), size(), m_origin);
        m_renderer->load(m_svg);
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    m_renderer->render(&painter, QRectF(rect()));
}

void MeasureView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    draw();
}

QString writeMeasureChart(const QString& path, const MeasureChart& chart, const QString& origin)
{
    const QSize size = chartSize(chart);
    SvgLook look;
    look.family = Theme().font({ TextSize::Strong, false, false }).family();
    const QByteArray svg = chartSvg(chart, look, size, origin);
    if (path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
        QSaveFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(svg) != svg.size() || !file.commit())
            return QStringLiteral("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString());
        return {};
    }
    QSvgRenderer renderer(svg);
    return writePicture(
        path, size, 2, chart.title, [&](QPainter& painter) { renderer.render(&painter, QRectF(QPointF(), size)); });
}

} // namespace lhrs::gui
