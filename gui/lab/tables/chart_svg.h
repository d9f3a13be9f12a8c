// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/measure_chart.h"

#include <QByteArray>
#include <QSize>
#include <QString>
#include <QStringList>

namespace lhrs::gui {

// How a chart is drawn: on paper, or as the window's theme wants it.
struct SvgLook {
    QString background = "#ffffff", text = "#1a1a1a", muted = "#555555", grid = "#dddddd";
    QStringList colours { "#0072b2", "#d55e00", "#009e73", "#8f3f73" }; // of lines; beyond them the marks differ
    QString family = "DejaVu Sans";
    double em = 14; // pixels of ordinary text
};

// Where the figures are from: the words LIVE or SIMULATED, and the run.
QString chartOrigin(const RunIdentity& identity);
// The size in which a chart is a file.
QSize chartSize(const MeasureChart& chart);
// The chart as SVG, with text as text. Nothing of Qt Gui is needed, so that lhrs-play writes what the window shows.
QByteArray chartSvg(const MeasureChart& chart, const SvgLook& look, QSize size, const QString& origin);

} // namespace lhrs::gui
