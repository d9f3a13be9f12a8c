// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/process/chart_data.h"
#include "gui/view/paint/theme.h"

#include <QtCharts/QChartView>

#include <optional>
#include <set>
#include <vector>

class QAbstractAxis;
class QIODevice;
class QLineSeries;

namespace lhrs::gui {

// Draws one ChartData with Qt Charts. Qt draws the lines and bars; faults and theory are drawn behind them, names and
// the instant that the window shows above them. A click chooses an instant.
class ChartView : public QChartView {
    Q_OBJECT
public:
    explicit ChartView(QWidget* parent = nullptr);
    ~ChartView() override;

    void setChart(const ChartData& told);
    const ChartData& shown() const { return m_data; }
    void setTheme(const Theme& theme);
    void setLogarithmic(bool on);
    bool isLogarithmic() const { return m_isLog; }
    // Series that are switched off, by id.
    void setHiddenSeries(const std::set<QString>& ids);
    // The instant that the window shows, in seconds of the axis.
    void setInstant(double seconds);
    // The instant under the mouse in any view; nothing: none.
    void setPointed(std::optional<double> seconds);
    std::optional<double> pointed() const { return m_pointed; }

    // Maps a point of the chart to pixels of this widget, and a pixel to a time.
    QPointF positionOf(double x, double y) const;
    double secondsAt(qreal x) const;
    QRectF plotRect() const;
    // The words that are painted in addition to Qt's axes.
    QStringList texts() const;
    std::vector<QRectF> textBoxes() const;

    // Paints the scene as it is, in the size of the widget, with one line of words above it and one below.
    void paintTo(QPainter& painter, const QSizeF& size, const QString& head, const QString& foot);
    static QColor colourOf(int number, const Theme& theme);
    static Qt::PenStyle dashOf(int number);

signals:
    void instantChosen(double seconds);
    // The mouse is over this instant; negative infinity: over none.
    void instantPointed(double seconds);

protected:
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Label {
        QRectF box;
        QString text;
        QColor colour;
        TextStyle style;
    };
    struct Piece { // a part of a series, from one gap to the next
        std::size_t series = 0, first = 0, last = 0; // last: one past its last point
        QLineSeries* line = nullptr;
    };
    void rebuild();
    void rebuildLines();
    void rebuildBars();
    void setRanges();
    void dress(QAbstractAxis& axis, const QString& title) const;
    double shownY(double y) const;
    std::vector<Piece> piecesOf(const ChartData& chart) const;
    void fill(const Piece& piece);
    std::vector<Label> labels() const;

    ChartData m_data;
    Theme m_theme;
    std::set<QString> m_hidden;
    QString m_shape; // the shape of the data for which the chart's objects were made
    std::vector<Piece> m_pieces;
    QAbstractSeries* m_anchor = nullptr; // the series whose axes define positions
    QAbstractAxis *m_xAxis = nullptr, *m_yAxis = nullptr;
    bool m_isLog = false;
    std::optional<double> m_pointed;
    double m_instant = 0, m_yLow = 0, m_yHigh = 1;
};

} // namespace lhrs::gui
