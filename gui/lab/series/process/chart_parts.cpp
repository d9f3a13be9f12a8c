// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/process/chart_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr double kNs = 1e9;
constexpr std::size_t kGapColumns = 4; // consecutive columns without a value
constexpr double kThousandsFrom = 10'000;
constexpr std::size_t kRates = 240; // maximum number of columns for counts; narrower columns would mostly count 0 and 1
constexpr const char* kKinds[] = { "insert", "update", "delete", "search" };

double seconds(std::int64_t ns, const ChartWish& wish) { return double(ns - wish.originNs) / kNs; }

QString durationShown(std::int64_t ns)
{
    const auto number = [](double value) { return QString::number(value, 'g', 3); };
    return ns >= 1'000'000'000 ? number(double(ns) / 1e9) + " s"
        : ns >= 1'000'000      ? number(double(ns) / 1e6) + " ms"
                               : number(double(ns) / 1e3) + QString::fromUtf8(" µs");
}

QString countedPer(const std::vector<TimeBin>& columns)
{
    return columns.empty()
        ? QString()
        : QStringLiteral("counted per %1").arg(durationShown(columns.front().endNs - columns.front().beginNs));
}

void sayIdle(ChartData& chart)
{
    chart.nothing = QStringLiteral("No operation has ended in this time.");
    chart.remedy = QStringLiteral("insert");
}

} // namespace

namespace charts {

ChartData chartFor(const TimeSeries& series, const ChartWish& wish, const QString& unit)
{
    ChartData chart;
    chart.unit = unit;
    chart.xTitle = QStringLiteral("seconds since the run began");
    chart.from = seconds(wish.fromNs, wish);
    chart.to = std::max(seconds(wish.toNs, wish), chart.from + 1e-9);
    for (const SeriesShade& shade : series.shades()) {
        const double from = seconds(shade.beginNs, wish), to = shade.endNs != 0 ? seconds(shade.endNs, wish) : chart.to;
        if (to > chart.from && from < chart.to)
            chart.shades.push_back({ shade.kind, std::max(from, chart.from), std::min(to, chart.to),
                QString::fromStdString(shade.words) });
    }
    return chart;
}

void measure(ChartData& chart)
{
    double max = 0, min = std::numeric_limits<double>::infinity();
    for (const ChartSeries& series : chart.series)
        for (const ChartPoint& point : series.points) {
            max = std::max(max, point.y);
            if (point.y > 0)
                min = std::min(min, point.y);
        }
    for (const ChartTheory& theory : chart.theory) {
        max = std::max({ max, theory.low, theory.high });
        if (theory.low > 0)
            min = std::min(min, theory.low);
    }
    // Large values are scaled on the axis to keep its labels short. The rows keep their unit.
    const double factor = max >= kThousandsFrom ? 1e-3 : 1;
    if (factor < 1) {
        chart.unit = QStringLiteral("thousand ") + chart.unit;
        for (ChartSeries& series : chart.series)
            for (ChartPoint& point : series.points)
                point.y *= factor;
        for (ChartTheory& theory : chart.theory) {
            theory.low *= factor;
            theory.high *= factor;
        }
    }
    chart.yMax = max > 0 ? max * factor : 1;
    chart.yMinPositive = std::isfinite(min) ? min * factor : 1;
}

QVariant known(bool isKnown, double value) { return isKnown ? QVariant(value) : QVariant(); }

void addCurve(ChartData& chart, const std::vector<TimeBin>& columns, const ChartWish& wish, const QString& id,
    const QString& name, int colour, int dash, const std::function<QVariant(const TimeBin&)>& value)
{
    ChartSeries series { id, name, colour, dash, {}, false, {} };
    std::size_t silent = 0;
    for (const TimeBin& column : columns) {
        const QVariant y = value(column);
        silent = y.isValid() ? silent : silent + 1;
        if (!y.isValid())
            continue;
        if (silent >= kGapColumns && !series.points.empty())
            series.gaps.push_back(series.points.size());
        silent = 0;
        series.points.push_back({ seconds((column.beginNs + column.endNs) / 2, wish), y.toDouble() });
    }
    if (!series.points.empty())
        chart.series.push_back(std::move(series));
}

void addLevel(ChartData& chart, const std::vector<TimeBin>& columns, const ChartWish& wish, const QString& id,
    const QString& name, int colour, int dash, std::size_t level, double factor)
{
    ChartSeries series { id, name, colour, dash, {}, true, {} };
    bool isResting = false;
    for (const TimeBin& column : columns) {
        const SeriesLevel& shown = column.levels[level];
        if (!shown.isKnown)
            continue;
        const double begin = seconds(std::max(column.beginNs, wish.fromNs), wish),
                     end = seconds(std::min(column.endNs, wish.toNs), wish);
        // An unchanged level needs no points until its next change.
        const bool isSame = shown.min == shown.max && !series.points.empty()
            && series.points.back().y == factor * shown.last;
        if (isSame && &column != &columns.back()) {
            isResting = true;
            continue;
        }
        if (std::exchange(isResting, false) && !isSame)
            series.points.push_back({ begin, series.points.back().y });
        // The final value comes last, so that the line continues from it.
        const bool endsHigh = shown.last - shown.min > shown.max - shown.last;
        if (!isSame)
            series.points.push_back({ begin, factor * (endsHigh ? shown.min : shown.max) });
        if (shown.max > shown.min || &column == &columns.back())
            series.points.push_back(
                { end, factor * (shown.max > shown.min ? (endsHigh ? shown.max : shown.min) : shown.last) });
    }
    if (!series.points.empty())
        chart.series.push_back(std::move(series));
}

void addLevels(
    ChartData& chart, const std::vector<TimeBin>& columns, const ChartWish& wish, const std::vector<LevelShown>& shown)
{
    chart.header = timeHeader();
    int colour = 0;
    for (const LevelShown& s : shown) {
        const QString id = QString::fromLatin1(s.id);
        addLevel(chart, columns, wish, id, QString::fromLatin1(s.name), colour, colour, s.level, s.drawn);
        ++colour;
        chart.header << id + "_min" << id + "_max" << id + "_last";
    }
    for (const TimeBin& column : columns) {
        QVariantList row = timeCells(column, wish);
        for (const LevelShown& s : shown) {
            const SeriesLevel& level = column.levels[s.level];
            row << known(level.isKnown, s.factor * level.min) << known(level.isKnown, s.factor * level.max)
                << known(level.isKnown, s.factor * level.last);
        }
        chart.rows.push_back(row);
    }
    if (!chart.series.empty()) {
        chart.nothing.clear();
        chart.remedy.clear();
    }
}

QStringList timeHeader() { return { QStringLiteral("from_s"), QStringLiteral("to_s") }; }

QVariantList timeCells(const TimeBin& column, const ChartWish& wish)
{
    return { seconds(column.beginNs, wish), seconds(column.endNs, wish) };
}

void sayLost(ChartData& chart, const std::vector<TimeBin>& columns)
{
    std::uint64_t lost = 0;
    for (const TimeBin& column : columns)
        lost += column.lostEvents;
    if (lost > 0)
        chart.note += QStringLiteral("; %1 events were lost and are missing here").arg(lost);
}

} // namespace charts

using namespace charts;

ChartData operationsChart(const TimeSeries& series, const ChartWish& wish)
{
    ChartData chart = chartFor(series, wish, QStringLiteral("operations/s"));
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::min(wish.columns, kRates));
    std::array<std::uint64_t, kSeriesOperations> done {};
    for (const TimeBin& column : columns)
        for (std::size_t kind = 0; kind < kSeriesOperations; ++kind)
            done[kind] += column.kinds[kind].done;
    std::uint64_t all = 0;
    chart.header = timeHeader();
    for (std::size_t kind = 0; kind < kSeriesOperations; ++kind) {
        all += done[kind];
        chart.header << QString::fromLatin1(kKinds[kind]) + "_per_second";
        if (done[kind] > 0)
            addCurve(chart, columns, wish, QString::fromLatin1(kKinds[kind]), QString::fromLatin1(kKinds[kind]),
                int(kind), int(kind), [kind](const TimeBin& c) {
                    return QVariant(double(c.kinds[kind].done) * kNs / double(c.endNs - c.beginNs));
                });
    }
    for (const TimeBin& column : columns) {
        QVariantList row = timeCells(column, wish);
        for (const TimeBin::PerKind& kind : column.kinds)
            row << double(kind.done) * kNs / double(column.endNs - column.beginNs);
        chart.rows.push_back(row);
    }
    chart.note = QStringLiteral("%1 operations, %2").arg(all).arg(countedPer(columns));
    sayLost(chart, columns);
    if (all == 0)
        sayIdle(chart);
    measure(chart);
    return chart;
}

ChartData latencyChart(const TimeSeries& series, const ChartWish& wish)
{
    ChartData chart = chartFor(series, wish, QStringLiteral("ms"));
    chart.isLogUsual = true;
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::min(wish.columns, kRates));
    const auto of = [](const TimeBin& column) {
        LatencyHistogram all;
        for (const TimeBin::PerKind& kind : column.kinds)
            all.merge(kind.latency);
        return all;
    };
    LatencyHistogram whole;
    for (const TimeBin& column : columns)
        whole.merge(of(column));
    const auto quantile = [of](double share) {
        return [of, share](const TimeBin& column) {
            const LatencyHistogram all = of(column);
            return known(all.count() > 0, double(all.quantile(share)) / 1e6);
        };
    };
    addCurve(chart, columns, wish, QStringLiteral("p50"), QStringLiteral("p50 (half are faster)"), 0, 0, quantile(0.5));
    addCurve(chart, columns, wish, QStringLiteral("p99"), QStringLiteral("p99"), 1, 1, quantile(0.99));
    addCurve(chart, columns, wish, QStringLiteral("max"), QStringLiteral("slowest"), 2, 2, quantile(1));
    chart.header = timeHeader() << "ended"
                                << "p50_ms"
                                << "p99_ms"
                                << "max_ms";
    for (const TimeBin& column : columns) {
        const LatencyHistogram all = of(column);
        const bool isKnown = all.count() > 0;
        chart.rows.push_back(timeCells(column, wish)
            << qulonglong(all.count()) << known(isKnown, double(all.quantile(0.5)) / 1e6)
            << known(isKnown, double(all.quantile(0.99)) / 1e6) << known(isKnown, double(all.max()) / 1e6));
    }
    chart.note = QStringLiteral("at the clients, first request to answer, all kinds, %1").arg(countedPer(columns));
    if (whole.count() > 0)
        chart.note = QStringLiteral("p50 %1, p99 %2, slowest %3; ")
                         .arg(durationShown(whole.quantile(0.5)), durationShown(whole.quantile(0.99)),
                             durationShown(whole.max()))
            + chart.note;
    else
        sayIdle(chart);
    sayLost(chart, columns);
    measure(chart);
    return chart;
}

ChartData messagesChart(const TimeSeries& series, const ChartWish& wish, const std::vector<ChartTheory>& theory)
{
    ChartData chart = chartFor(series, wish, QStringLiteral("messages per operation"));
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::min(wish.columns, kRates));
    std::array<std::uint64_t, kSeriesOperations> observed {}, messages {};
    std::uint64_t done = 0, all = 0;
    chart.header = timeHeader();
    for (const TimeBin& column : columns) {
        done += column.done();
        for (std::size_t kind = 0; kind < kSeriesOperations; ++kind) {
            observed[kind] += column.kinds[kind].observed;
            messages[kind] += column.kinds[kind].messages;
        }
    }
    QStringList means;
    for (std::size_t kind = 0; kind < kSeriesOperations; ++kind) {
        const QString name = QString::fromLatin1(kKinds[kind]);
        all += observed[kind];
        chart.header << name + "_observed" << name + "_messages_per_operation";
        if (observed[kind] == 0)
            continue;
        means << QStringLiteral("%1 %2").arg(name).arg(double(messages[kind]) / double(observed[kind]), 0, 'f', 2);
        addCurve(chart, columns, wish, name, name, int(kind), int(kind), [kind](const TimeBin& c) {
            return known(c.kinds[kind].observed > 0, double(c.kinds[kind].messages) / double(c.kinds[kind].observed));
        });
    }
    for (const TimeBin& column : columns) {
        QVariantList row = timeCells(column, wish);
        for (const TimeBin::PerKind& kind : column.kinds)
            row << qulonglong(kind.observed)
                << known(kind.observed > 0, double(kind.messages) / double(std::max<std::uint64_t>(1, kind.observed)));
        chart.rows.push_back(row);
    }
    if (all > 0) {
        chart.theory = theory;
        chart.note = QStringLiteral("mean: %1; resends included; of %2 of %3 operations, %4")
                         .arg(means.join(", "))
                         .arg(all)
                         .arg(done)
                         .arg(countedPer(columns));
    } else if (done > 0) {
        chart.nothing = QStringLiteral("Messages were not observed: the processes published no messages in this time.");
        chart.remedy = QStringLiteral("detailFull");
    } else {
        sayIdle(chart);
    }
    sayLost(chart, columns);
    measure(chart);
    return chart;
}

ChartData memoryChart(const TimeSeries& series, const ChartWish& wish)
{
    ChartData chart = chartFor(series, wish, QStringLiteral("MiB"));
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::max<std::size_t>(1, wish.columns));
    chart.nothing = QStringLiteral("No process has reported yet how much memory it uses.");
    addLevels(chart, columns, wish,
        { { std::size_t(RunLevel::MemoryBytes), "memory_bytes", "memory of all processes", 1, 1.0 / (1024 * 1024) } });
    chart.note = QStringLiteral("resident memory, summed over all processes, as they report every 100 ms");
    sayLost(chart, columns);
    measure(chart);
    return chart;
}

} // namespace lhrs::gui
