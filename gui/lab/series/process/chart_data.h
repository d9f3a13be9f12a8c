// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/process/time_series.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// The charts of the window, in the order in which they are listed.
enum class ChartKind { Operations, Latency, Messages, Load, Growth, Storage, Memory, Repair };
inline constexpr int kCharts = int(ChartKind::Repair) + 1;

struct ChartPoint {
    double x = 0, y = 0; // x: s since the start of the run; y: in the chart's unit
};

// One line of a chart. Each pixel column has at most two points, its minimum and its maximum.
struct ChartSeries {
    QString id, name; // "insert"; as the legend shows it
    int colour = 0; // of the view's palette
    int dash = 0; // 0 solid, 1 dashed, 2 dotted, 3 dash and dot
    std::vector<ChartPoint> points;
    bool isStepped = false; // each value holds until the next change
    std::vector<std::size_t> gaps; // points before which values are unknown for a while: no line leads to them
};

// A theoretical value: a line or, with `high` above `low`, a band. With its formula and source.
struct ChartTheory {
    QString name, source;
    double low = 0, high = 0;
    bool isBand() const { return high > low; }
};

struct ChartShade {
    SeriesShade::Kind kind = SeriesShade::Kind::Fault;
    double from = 0, to = 0; // s
    QString words;
};

// A bar of the chart of repairs, made of consecutive parts.
struct ChartBar {
    QString name;
    std::vector<double> parts;
    QString total;
};

// A chart as values: the source of the drawing, of its table and of its CSV.
struct ChartData {
    ChartKind kind = ChartKind::Operations;
    QString title, unit, xTitle;
    QString note; // how values were counted, and what is missing
    QString nothing; // why there is nothing to draw; empty if there is something
    QString remedy; // the window's action that would provide data; may be empty
    bool isLogUsual = false; // a logarithmic axis is recommended
    double from = 0, to = 1; // s
    double yMax = 1, yMinPositive = 1;
    std::vector<ChartSeries> series;
    std::vector<ChartTheory> theory;
    std::vector<ChartShade> shades;
    QStringList parts; // of the bars, in the order of their colours
    std::vector<ChartBar> bars;
    QStringList header; // of the table
    std::vector<QVariantList> rows;
};

struct ChartWish {
    ChartKind kind = ChartKind::Operations;
    std::int64_t fromNs = 0, toNs = 0; // on the run's clock
    std::int64_t originNs = 0; // zero of the axis: the start of the run
    std::size_t columns = 400; // pixels
};

} // namespace lhrs::gui
