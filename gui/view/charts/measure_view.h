// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/chart_svg.h"
#include "gui/view/paint/theme.h"

#include <QWidget>

#include <memory>

class QSvgRenderer;

namespace lhrs::gui {

// Shows one chart that a script asked for: the same SVG that lhrs-play writes, in the window's colours and size.
class MeasureView : public QWidget {
    Q_OBJECT
public:
    explicit MeasureView(QWidget* parent = nullptr);
    ~MeasureView() override;

    void setChart(const MeasureChart& chart, const QString& origin);
    const MeasureChart& chart() const { return m_chart; }
    void setTheme(const Theme& theme);
    const QByteArray& svg() const { return m_svg; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void draw();

    MeasureChart m_chart;
    QString m_origin;
    Theme m_theme;
    QByteArray m_svg;
    std::unique_ptr<QSvgRenderer> m_renderer;
};

// Writes a chart to a file on light paper; the ending of the name chooses .svg, .pdf or .png. Returns an error as a
// sentence, or an empty string.
QString writeMeasureChart(const QString& path, const MeasureChart& chart, const QString& origin);

} // namespace lhrs::gui
