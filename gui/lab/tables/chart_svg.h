// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/measure_chart.h"

#include <QByteArray>
#include <QSize>
#include <QString>
#include <QStringList>

namespace lhrs::gui {

// The look of a chart: for paper, or in the colours of the window's theme.
struct SvgLook {
    QString background = "#ffffff", text = "#1a1a1a", muted = "#555555", grid = "#dddddd";
    // Of lines; beyond them lines differ by their marks.
    QStringList colours { "#0072b2", "#d55e00", "#009e73", "#8f3f73" };
    QString family = "DejaVu Sans";
    double em = 14; // size of ordinary text, in pixels
};

// The origin of the figures: the word LIVE, SIMULATED or, of a chart without a value of this run, PUBLISHED; and the
// run.
QString chartOrigin(const RunIdentity& identity, const MeasureChart* chart = nullptr);
// The size of a chart in a file.
QSize chartSize(const MeasureChart& chart);
// The chart as SVG, with text as text. It does not need Qt Gui, so that lhrs-play writes the same picture that the
// window shows.
QByteArray chartSvg(const MeasureChart& chart, const SvgLook& look, QSize size, const QString& origin);

} // namespace lhrs::gui
