// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/charts/lhrs/report_writer.h"

#include "gui/lab/tables/lab_table.h"
#include "gui/view/charts/chart_view.h"
#include "gui/view/paint/picture_export.h"

#include <QDir>
#include <QFile>
#include <QGraphicsScene>
#include <QSaveFile>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLegend>
#include <QtCharts/QLegendMarker>
#include <QtCharts/QLineSeries>
#include <QtCharts/QLogValueAxis>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <cmath>
#include <memory>

namespace lhrs::gui {

namespace {

constexpr QSize kChartSize(960, 540);

QString number(double value, int digits = 3)
{
    const double size = std::abs(value);
    return QString::number(
        value, 'f', size == 0 || size >= 100 ? 0 : std::clamp(digits - 1 - int(std::floor(std::log10(size))), 0, 6));
}

QString save(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return QStringLiteral("%1 cannot be written: %2.").arg(path, file.errorString());
    return {};
}

// The range from the power of ten below the smallest value to the one above the largest.
std::pair<double, double> decades(double least, double most)
{
    const double low = std::pow(10, std::floor(std::log10(least))), high = std::pow(10, std::ceil(std::log10(most)));
    return { low, high > low ? high : 10 * low };
}

QAbstractAxis* axisOf(bool isLog, const QString& title, double least, double most)
{
    if (isLog && least > 0) {
        auto* axis = new QLogValueAxis;
        axis->setBase(10);
        axis->setLabelFormat("%g");
        axis->setMinorTickCount(8);
        const auto [low, high] = decades(least, most);
        axis->setRange(low, high);
        axis->setTitleText(title);
        return axis;
    }
    auto* axis = new QValueAxis;
    axis->setLabelFormat("%g");
    axis->setRange(std::min(0.0, least), most > 0 ? most : 1);
    axis->applyNiceNumbers();
    axis->setTitleText(title);
    return axis;
}

// Our values as solid lines, published ones dashed in the same colour, with a point for each value.
std::unique_ptr<QChartView> viewOf(const PaperChart& chart, const Theme& theme)
{
    auto* picture = new QChart;
    picture->setAnimationOptions(QChart::NoAnimation);
    picture->setTitle(chart.title);
    QFont words = theme.font({ TextSize::Body, true, false });
    picture->setTitleFont(words);
    words.setBold(false);
    picture->legend()->setFont(words);
    picture->setBackgroundRoundness(0);
    double xLeast = HUGE_VAL, xMost = -HUGE_VAL, yLeast = HUGE_VAL, yMost = -HUGE_VAL;
    for (const auto& series : chart.series)
        for (const auto& [x, y] : series.points) {
            xLeast = std::min(xLeast, x);
            xMost = std::max(xMost, x);
            yLeast = std::min(yLeast, y);
            yMost = std::max(yMost, y);
        }
    QAbstractAxis* x = axisOf(chart.isLogX, chart.xTitle, xLeast, xMost);
    QAbstractAxis* y = axisOf(chart.isLogY, chart.yTitle, yLeast, yMost);
    for (QAbstractAxis* axis : { x, y }) {
        axis->setLabelsFont(words);
        axis->setTitleFont(words);
    }
    picture->addAxis(x, Qt::AlignBottom);
    picture->addAxis(y, Qt::AlignLeft);
    for (const auto& series : chart.series) {
        auto* line = new QLineSeries;
        line->setName(series.name);
        QPen pen(ChartView::colourOf(series.colour, theme), series.isPublished ? 1.6 : 2.6,
            series.isPublished ? Qt::DashLine : Qt::SolidLine);
        line->setPen(pen);
        line->setPointsVisible(true);
        for (const auto& [px, py] : series.points)
            line->append(px, py);
        picture->addSeries(line);
        line->attachAxis(x);
        line->attachAxis(y);
    }
    picture->legend()->setAlignment(Qt::AlignRight);
    picture->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    auto view = std::make_unique<QChartView>(picture);
    view->setRenderHint(QPainter::Antialiasing);
    view->resize(kChartSize);
    view->grab(); // makes Qt lay out the chart
    return view;
}

QString shapeWord(const PaperShape& shape)
{
    return !shape.ours  ? QStringLiteral("not measured")
        : shape.holds() ? QStringLiteral("holds")
                        : QStringLiteral("does not hold here");
}

QString shapesTable(const PaperReport& report)
{
    QString out = "<table><tr><th>experiment<th>what the papers say<th>ratio<th>there<th>here<th></tr>\n";
    for (const PaperShape& shape : report.shapes)
        out += QStringLiteral("<tr class=\"%6\"><td>%1<td>%2<td>%3<td class=n>%4<td class=n>%5<td>%7</tr>\n")
                   .arg(shape.experiment, shape.claim.toHtmlEscaped(), shape.ratio.toHtmlEscaped(),
                       number(shape.published), shape.ours ? number(*shape.ours) : QString(),
                       !shape.ours         ? "none"
                           : shape.holds() ? "yes"
                                           : "no",
                       shapeWord(shape));
    return out + "</table>\n";
}

QString rowsTable(const PaperReport& report)
{
    QString out, what;
    for (const PaperRow& row : report.rows) {
        if (row.what != what) {
            out += (what.isEmpty() ? QString() : QStringLiteral("</table>\n"))
                + QStringLiteral(
                    "<h3>%1 <small>%2, %3</small></h3>\n<table><tr><th>condition<th>quantity<th>there<th>here, "
                    "median<th>quartiles<th>n<th>there / here<th>doubt about the printed value</tr>\n")
                      .arg(row.what.toHtmlEscaped(), row.experiment, row.source.toHtmlEscaped());
            what = row.what;
        }
        out += QStringLiteral(
            "<tr><td>%1<td>%2<td class=n>%3 %4<td class=n>%5<td class=n>%6<td class=n>%7<td class=n>%8<td>%9</tr>\n")
                   .arg(row.condition.toHtmlEscaped(), row.quantity, number(row.published, 4), row.unit,
                       row.ours ? number(row.ours->median) + ' ' + row.unit : QStringLiteral("not measured"),
                       row.ours ? number(row.ours->q1) + QString::fromUtf8(" – ") + number(row.ours->q3) : QString(),
                       row.ours ? QString::number(row.ours->n) : QString(),
                       row.ours && row.ours->median > 0 ? number(row.published / row.ours->median) : QString(),
                       row.note.toHtmlEscaped());
    }
    return what.isEmpty() ? QString() : out + "</table>\n";
}

QString csvLines(const QStringList& header, const std::vector<QVariantList>& rows)
{
    QString out = header.join(',') + "\r\n";
    for (const QVariantList& row : rows) {
        QStringList cells;
        for (const QVariant& value : row)
            cells << csvCell(value);
        out += cells.join(',') + "\r\n";
    }
    return out;
}

QByteArray comparisonCsv(const PaperReport& report)
{
    std::vector<QVariantList> rows;
    for (const PaperRow& row : report.rows) {
        const PaperFigure ours = row.ours.value_or(PaperFigure());
        const auto known = [&](int from, double value) {
            return row.ours && ours.n >= from ? QVariant(value) : QVariant();
        };
        rows.push_back({ row.experiment, row.what, row.condition, row.quantity, row.unit, row.published,
            known(1, ours.median), known(2, ours.q1), known(2, ours.q3), row.ours ? QVariant(ours.n) : QVariant(),
            row.ours && ours.median > 0 ? QVariant(row.published / ours.median) : QVariant(), row.source, row.note });
    }
    return csvLines({ "experiment", "what", "condition", "quantity", "unit", "published", "ours_median", "ours_q1",
                        "ours_q3", "n", "published_over_ours", "source", "note" },
        rows)
        .toUtf8();
}

QByteArray shapesCsv(const PaperReport& report)
{
    std::vector<QVariantList> rows;
    for (const PaperShape& shape : report.shapes) {
        const auto bound = [](double value) { return std::isfinite(value) ? QVariant(value) : QVariant(); };
        rows.push_back({ shape.experiment, shape.claim, shape.ratio, shape.published,
            shape.ours ? QVariant(*shape.ours) : QVariant(), bound(shape.low), bound(shape.high), shapeWord(shape) });
    }
    return csvLines({ "experiment", "claim", "ratio", "published_ratio", "ours_ratio", "low", "high", "outcome" }, rows)
        .toUtf8();
}

QString pageOf(const PaperReport& report, const ReportFacts& facts, const QString& charts)
{
    const auto count = [&](auto test) { return std::count_if(report.shapes.begin(), report.shapes.end(), test); };
    const QString sum = QStringLiteral("%1 of the %2 statements hold here, %3 do not, %4 were not measured.")
                            .arg(count([](const PaperShape& s) { return s.holds(); }))
                            .arg(report.shapes.size())
                            .arg(count([](const PaperShape& s) { return s.ours && !s.holds(); }))
                            .arg(count([](const PaperShape& s) { return !s.ours; }));
    QString page = QStringLiteral(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>LH*RS: ours beside the published "
        "figures</title>\n<style>\n"
        "body{font:16px/1.45 'DejaVu Sans',sans-serif;max-width:64em;margin:2em auto;padding:0 "
        "1em;color:#1a1a1a;background:#fff}\n"
        "table{border-collapse:collapse;margin:.6em 0 1.6em;font-size:.85em}th,td{border-bottom:1px solid "
        "#ccc;padding:.25em .7em;text-align:left;vertical-align:top}\n"
        ".n{text-align:right;white-space:nowrap}.yes td:last-child{color:#006b4d;font-weight:bold}.no "
        "td:last-child{color:#a33c00;font-weight:bold}.none{color:#666}\n"
        "svg{width:100%;height:auto;border:1px solid #ddd;margin:.5em "
        "0}small{font-weight:normal;color:#555}.sim{background:#f0e442;padding:.4em "
        ".8em;font-weight:bold}\n</style></head><body>\n"
        "<h1>LH*RS: ours beside the published figures</h1>\n");
    if (report.isSimulated)
        page += "<p class=sim>SIMULATED TIME: these figures are of a simulated cluster, on a virtual clock. They say "
                "nothing about this machine.</p>\n";
    page += QStringLiteral(
        "<p>%1. Written %2, by %3. Runs (start in UTC, seed): %4.</p>\n"
        "<p>The published figures are of five (2003) or six (2004) computers of 1.8 GHz with 1 Gb/s, or, where "
        "configuration 1 is named, of five computers of 733 MHz with 100 Mb/s. Ours are of processes on one machine, "
        "over its loopback interface. Ratios can therefore be compared, but seconds cannot. <i>Process</i> is the time "
        "in which the rebuilding process works, <i>communication</i> that in which it only waits for transfers; the "
        "total is their sum plus "
        "what is neither. Figures are medians of the repetitions, without warm-ups.</p>\n<h2>What "
        "the papers say</h2>\n<p>%5</p>\n")
                .arg(report.machines.join("; ").toHtmlEscaped(), facts.written, facts.version.toHtmlEscaped(),
                    report.runs.join(", ").toHtmlEscaped(), sum);
    page += shapesTable(report) + "<h2>Charts</h2>\n<p>Solid: here. Dashed: published.</p>\n" + charts
        + "<h2>Tables</h2>\n" + rowsTable(report);
    if (!report.missing.isEmpty())
        page += "<h2>Not measured in this run</h2>\n<p>" + report.missing.join(", ").toHtmlEscaped() + "</p>\n";
    return page + "</body></html>\n";
}

} // namespace

QString writeReport(const PaperReport& report, const ReportFacts& facts, const QString& directory, QStringList& files)
{
    const QDir out(directory);
    const auto put = [&](const QString& name, const QByteArray& bytes) {
        const QString problem = save(out.filePath(name), bytes);
        if (problem.isEmpty())
            files << name;
        return problem;
    };
    QString charts;
    const Theme theme;
    const PictureOrigin origin { report.isSimulated ? QStringLiteral("SIMULATED") : QStringLiteral("MEASURED"),
        report.runs.value(0), {} };
    for (const PaperChart& chart : report.charts) {
        const auto view = viewOf(chart, theme);
        for (const char* ending : { "svg", "png" }) {
            const QString name = chart.id + '.' + ending;
            const QString problem = writePicture(out.filePath(name), kChartSize, 2,
                chart.title + QStringLiteral(", ") + origin.line(), [&](QPainter& painter) {
                    painter.fillRect(QRect(QPoint(), kChartSize), Qt::white);
                    view->render(&painter, QRectF(QPointF(), kChartSize), view->viewport()->rect());
                });
            if (!problem.isEmpty())
                return problem;
            files << name;
        }
        QFile svg(out.filePath(chart.id + ".svg"));
        if (!svg.open(QIODevice::ReadOnly))
            return QStringLiteral("%1 cannot be read again: %2.").arg(svg.fileName(), svg.errorString());
        const QString text = QString::fromUtf8(svg.readAll());
        charts += text.mid(text.indexOf("<svg")) + '\n';
    }
    for (const auto& [name, bytes] : { std::pair(QStringLiteral("comparison.csv"), comparisonCsv(report)),
             std::pair(QStringLiteral("shapes.csv"), shapesCsv(report)),
             std::pair(QStringLiteral("report.html"), pageOf(report, facts, charts).toUtf8()) })
        if (const QString problem = put(name, bytes); !problem.isEmpty())
            return problem;
    return {};
}

} // namespace lhrs::gui
