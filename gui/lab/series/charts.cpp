// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/charts.h"

#include "gui/lab/series/lhrs/file_charts.h"
#include "gui/lab/series/process/chart_parts.h"

namespace lhrs::gui {

QString chartTitle(ChartKind kind)
{
    switch (kind) {
    case ChartKind::Operations: return QStringLiteral("Operations per second");
    case ChartKind::Latency: return QStringLiteral("Latency");
    case ChartKind::Messages: return QStringLiteral("Messages per operation");
    case ChartKind::Memory: return QStringLiteral("Memory");
    case ChartKind::Load:
    case ChartKind::Growth:
    case ChartKind::Storage:
    case ChartKind::Repair: break;
    }
    return fileChartTitle(kind);
}

QString chartId(ChartKind kind)
{
    const char* name = kind == ChartKind::Operations ? "operations"
        : kind == ChartKind::Latency                 ? "latency"
        : kind == ChartKind::Messages                ? "messages"
        : kind == ChartKind::Memory                  ? "memory"
                                                     : fileChartName(kind);
    return QStringLiteral("chart_") + QString::fromLatin1(name);
}

namespace {

ChartData chartOfFile(const RunSeries& series, const ChartWish& wish)
{
    if (series.isOfFile())
        return fileChart(series, series.file(), wish);
    ChartData chart = charts::chartFor(series, wish, {});
    chart.header = charts::timeHeader();
    chart.nothing = QStringLiteral("Only a file has this chart, and there is no file in this run.");
    return chart;
}

} // namespace

ChartData chartOf(const RunSeries& series, const ChartWish& wish)
{
    const auto make = [&] {
        switch (wish.kind) {
        case ChartKind::Operations: return operationsChart(series, wish);
        case ChartKind::Latency: return latencyChart(series, wish);
        case ChartKind::Messages:
            return messagesChart(
                series, wish, series.isOfFile() ? messagesTheory(series.file()) : std::vector<ChartTheory>());
        case ChartKind::Memory: return memoryChart(series, wish);
        case ChartKind::Load:
        case ChartKind::Growth:
        case ChartKind::Storage:
        case ChartKind::Repair: break;
        }
        return chartOfFile(series, wish);
    };
    ChartData chart = make();
    chart.kind = wish.kind;
    chart.title = chartTitle(wish.kind);
    return chart;
}

QString chartCsv(const ChartData& chart, const RunIdentity& identity, const QString& detail)
{
    const auto line = [](const QVariantList& cells) {
        QStringList texts;
        for (const QVariant& cell : cells)
            texts << csvCell(cell);
        return texts.join(',') + "\r\n";
    };
    QVariantList header { "run", "simulated", "detail" };
    for (const QString& name : chart.header)
        header << name;
    QString text = line(header);
    for (const QVariantList& row : chart.rows)
        text += line(QVariantList { identity.run, identity.isSimulated, detail } + row);
    return text;
}

} // namespace lhrs::gui
