// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/chart_data.h"

#include <algorithm>
#include <cmath>
#include <functional>
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

ChartData chartFor(const RunSeries& series, const ChartWish& wish, const QString& unit)
{
    ChartData chart;
    chart.kind = wish.kind;
    chart.title = chartTitle(wish.kind);
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

// One value per column, at its middle, joined by lines.
void addCurve(ChartData& chart, const std::vector<TimeSlice>& columns, const ChartWish& wish, const QString& id,
    const QString& name, int colour, int dash, const std::function<QVariant(const TimeSlice&)>& value)
{
    ChartSeries series { id, name, colour, dash, {}, false, {} };
    std::size_t silent = 0;
    for (const TimeSlice& column : columns) {
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

// A level: both the minimum and the maximum of each column are drawn.
void addLevel(ChartData& chart, const std::vector<TimeSlice>& columns, const ChartWish& wish, const QString& id,
    const QString& name, int colour, int dash, SeriesLevelKind kind, double factor)
{
    ChartSeries series { id, name, colour, dash, {}, true, {} };
    bool isResting = false;
    for (const TimeSlice& column : columns) {
        const SeriesLevel& level = column.level(kind);
        if (!level.isKnown)
            continue;
        const double begin = seconds(std::max(column.beginNs, wish.fromNs), wish),
                     end = seconds(std::min(column.endNs, wish.toNs), wish);
        // An unchanged level needs no points until its next change.
        const bool isSame = level.min == level.max && !series.points.empty()
            && series.points.back().y == factor * level.last;
        if (isSame && &column != &columns.back()) {
            isResting = true;
            continue;
        }
        if (std::exchange(isResting, false) && !isSame)
            series.points.push_back({ begin, series.points.back().y });
        // The final value comes last, so that the line continues from it.
        const bool endsHigh = level.last - level.min > level.max - level.last;
        if (!isSame)
            series.points.push_back({ begin, factor * (endsHigh ? level.min : level.max) });
        if (level.max > level.min || &column == &columns.back())
            series.points.push_back(
                { end, factor * (level.max > level.min ? (endsHigh ? level.max : level.min) : level.last) });
    }
    if (!series.points.empty())
        chart.series.push_back(std::move(series));
}

QStringList timeHeader() { return { QStringLiteral("from_s"), QStringLiteral("to_s") }; }

QVariantList timeCells(const TimeSlice& column, const ChartWish& wish)
{
    return { seconds(column.beginNs, wish), seconds(column.endNs, wish) };
}

QString countedPer(const std::vector<TimeSlice>& columns)
{
    return columns.empty()
        ? QString()
        : QStringLiteral("counted per %1").arg(durationShown(columns.front().endNs - columns.front().beginNs));
}

void sayLost(ChartData& chart, const std::vector<TimeSlice>& columns)
{
    std::uint64_t lost = 0;
    for (const TimeSlice& column : columns)
        lost += column.lostEvents;
    if (lost > 0)
        chart.note += QStringLiteral("; %1 events were lost and are missing here").arg(lost);
}

void sayIdle(ChartData& chart)
{
    chart.nothing = QStringLiteral("No operation has ended in this time.");
    chart.remedy = QStringLiteral("insert");
}

ChartData operationsChart(const RunSeries& series, const ChartWish& wish)
{
    ChartData chart = chartFor(series, wish, QStringLiteral("operations/s"));
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::min(wish.columns, kRates));
    std::array<std::uint64_t, kSeriesOperations> done {};
    for (const TimeSlice& column : columns)
        for (std::size_t kind = 0; kind < kSeriesOperations; ++kind)
            done[kind] += column.kinds[kind].done;
    std::uint64_t all = 0;
    chart.header = timeHeader();
    for (std::size_t kind = 0; kind < kSeriesOperations; ++kind) {
        all += done[kind];
        chart.header << QString::fromLatin1(kKinds[kind]) + "_per_second";
        if (done[kind] > 0)
            addCurve(chart, columns, wish, QString::fromLatin1(kKinds[kind]), QString::fromLatin1(kKinds[kind]),
                int(kind), int(kind), [kind](const TimeSlice& c) {
                    return QVariant(double(c.kinds[kind].done) * kNs / double(c.endNs - c.beginNs));
                });
    }
    for (const TimeSlice& column : columns) {
        QVariantList row = timeCells(column, wish);
        for (const TimeSlice::PerKind& kind : column.kinds)
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

ChartData latencyChart(const RunSeries& series, const ChartWish& wish)
{
    ChartData chart = chartFor(series, wish, QStringLiteral("ms"));
    chart.isLogUsual = true;
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::min(wish.columns, kRates));
    const auto of = [](const TimeSlice& column) {
        LatencyHistogram all;
        for (const TimeSlice::PerKind& kind : column.kinds)
            all.merge(kind.latency);
        return all;
    };
    LatencyHistogram whole;
    for (const TimeSlice& column : columns)
        whole.merge(of(column));
    const auto quantile = [of](double share) {
        return [of, share](const TimeSlice& column) {
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
    for (const TimeSlice& column : columns) {
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

ChartData messagesChart(const RunSeries& series, const ChartWish& wish)
{
    ChartData chart = chartFor(series, wish, QStringLiteral("messages per operation"));
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::min(wish.columns, kRates));
    std::array<std::uint64_t, kSeriesOperations> observed {}, messages {};
    std::uint64_t done = 0, all = 0;
    chart.header = timeHeader();
    for (const TimeSlice& column : columns) {
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
        addCurve(chart, columns, wish, name, name, int(kind), int(kind), [kind](const TimeSlice& c) {
            return known(c.kinds[kind].observed > 0, double(c.kinds[kind].messages) / double(c.kinds[kind].observed));
        });
    }
    for (const TimeSlice& column : columns) {
        QVariantList row = timeCells(column, wish);
        for (const TimeSlice::PerKind& kind : column.kinds)
            row << qulonglong(kind.observed)
                << known(kind.observed > 0, double(kind.messages) / double(std::max<std::uint64_t>(1, kind.observed)));
        chart.rows.push_back(row);
    }
    if (all > 0) {
        // LH* acknowledges searches only. Here each change is acknowledged too, after k parity buckets have applied
        // it.
        const double change = 2 + 2 * double(series.k());
        chart.theory = { { QStringLiteral("LH*: insert 1"), {}, 1, 1 }, { QStringLiteral("LH*: search 2"), {}, 2, 2 },
            { QStringLiteral("LH*: insert 3 at worst"), {}, 3, 3 },
            { QStringLiteral("LH*: search 4 at worst"), {}, 4, 4 } };
        const QString words = QStringLiteral("change 2 + 2k = %1").arg(change);
        const auto same = std::find_if(
            chart.theory.begin(), chart.theory.end(), [&](const ChartTheory& theory) { return theory.low == change; });
        if (same != chart.theory.end())
            same->name += QStringLiteral(";  ") + words;
        else
            chart.theory.push_back({ words, {}, change, change });
        chart.theory.back().source = QStringLiteral("LH* does not answer inserts; here a change is request, answer, "
                                                    "and delta and acknowledgement for each of k = %1 parity buckets")
                                         .arg(series.k());
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

ChartData levelsChart(const RunSeries& series, const ChartWish& wish)
{
    using Kind = SeriesLevelKind;
    ChartData chart = chartFor(series, wish, {});
    const auto columns = series.columns(wish.fromNs, wish.toNs, std::max<std::size_t>(1, wish.columns));
    struct Shown {
        Kind kind;
        const char* id; // id of the column
        const char* name;
        double factor; // to the columns' unit
        double drawn; // to the chart's unit
    };
    std::vector<Shown> shown;
    switch (wish.kind) {
    case ChartKind::Load:
        chart.unit = QStringLiteral("% of M · b");
        shown = { { Kind::Load, "load_percent", "load factor: records / (M b)", 100, 100 } };
        chart.theory.push_back({ QStringLiteral("65-70 %: splits uncontrolled"),
            QStringLiteral("LH*, 2003 report: average load without load control"), 65, 70 });
        chart.theory.push_back(
            { QStringLiteral("80-95 %: with load control"), QStringLiteral("LH*, 2003 report"), 80, 95 });
        chart.nothing = QStringLiteral("There is no file yet: its first insert creates it.");
        chart.remedy = QStringLiteral("insert");
        break;
    case ChartKind::Buckets:
        chart.unit = QStringLiteral("data buckets");
        shown = { { Kind::Buckets, "buckets", "M, data buckets of the file", 1, 1 } };
        chart.nothing = QStringLiteral("There is no file yet: its first insert creates it.");
        chart.remedy = QStringLiteral("insert");
        break;
    case ChartKind::Storage:
        chart.unit = QStringLiteral("KiB");
        shown = { { Kind::DataBytes, "data_bytes", "records in data buckets", 1, 1.0 / 1024 },
            { Kind::ParityBytes, "parity_bytes", "parity records", 1, 1.0 / 1024 } };
        chart.nothing = QStringLiteral("No process has reported yet how many bytes it holds.");
        break;
    case ChartKind::Memory:
        chart.unit = QStringLiteral("MiB");
        shown = { { Kind::MemoryBytes, "memory_bytes", "memory of all processes", 1, 1.0 / (1024 * 1024) } };
        chart.nothing = QStringLiteral("No process has reported yet how much memory it uses.");
        break;
    case ChartKind::Operations:
    case ChartKind::Latency:
    case ChartKind::Messages:
    case ChartKind::Recovery: break;
    }
    chart.header = timeHeader();
    int colour = 0;
    for (const Shown& s : shown) {
        addLevel(chart, columns, wish, QString::fromLatin1(s.id), QString::fromLatin1(s.name), colour, colour, s.kind,
            s.drawn);
        ++colour;
        chart.header << QString::fromLatin1(s.id) + "_min" << QString::fromLatin1(s.id) + "_max"
                     << QString::fromLatin1(s.id) + "_last";
    }
    for (const TimeSlice& column : columns) {
        QVariantList row = timeCells(column, wish);
        for (const Shown& s : shown) {
            const SeriesLevel& level = column.level(s.kind);
            row << known(level.isKnown, s.factor * level.min) << known(level.isKnown, s.factor * level.max)
                << known(level.isKnown, s.factor * level.last);
        }
        chart.rows.push_back(row);
    }
    if (!chart.series.empty()) {
        chart.nothing.clear();
        chart.remedy.clear();
    }
    if (wish.kind == ChartKind::Storage && series.m() > 0 && !columns.empty()) {
        const double data = columns.back().level(Kind::DataBytes).last,
                     parity = columns.back().level(Kind::ParityBytes).last;
        chart.note = QStringLiteral("records in memory, as the buckets report every 100 ms");
        if (data > 0)
            chart.note = QStringLiteral("parity is %1 % of the data; full groups: k/m = %2 %; ")
                             .arg(100 * parity / data, 0, 'f', 1)
                             .arg(100.0 * series.k() / series.m(), 0, 'f', 1)
                + chart.note;
    } else if (wish.kind == ChartKind::Memory) {
        chart.note = QStringLiteral(
            "resident memory, summed over coordinator, servers, spares and clients, as they report every 100 ms");
    } else if (wish.kind == ChartKind::Load && !columns.empty()) {
        chart.note = QStringLiteral(
            "now %1 %; least and greatest of each pixel; it rises between splits, and falls with each split")
                         .arg(100 * columns.back().level(Kind::Load).last, 0, 'f', 1);
    } else {
        chart.note = QStringLiteral("least and greatest of each pixel");
    }
    sayLost(chart, columns);
    measure(chart);
    return chart;
}

} // namespace

QString chartTitle(ChartKind kind)
{
    switch (kind) {
    case ChartKind::Operations: return QStringLiteral("Operations per second");
    case ChartKind::Latency: return QStringLiteral("Latency");
    case ChartKind::Messages: return QStringLiteral("Messages per operation");
    case ChartKind::Load: return QStringLiteral("Load factor");
    case ChartKind::Buckets: return QStringLiteral("Growth of the file");
    case ChartKind::Storage: return QStringLiteral("Bytes stored");
    case ChartKind::Memory: return QStringLiteral("Memory");
    case ChartKind::Recovery: return QStringLiteral("Recoveries by phases");
    }
    return {};
}

QString chartId(ChartKind kind)
{
    static const char* const kIds[] = { "operations", "latency", "messages", "load", "buckets", "storage", "memory",
        "recovery" };
    return QStringLiteral("chart_") + QString::fromLatin1(kIds[std::size_t(kind)]);
}

ChartData chartOf(const RunSeries& series, const ChartWish& wish)
{
    switch (wish.kind) {
    case ChartKind::Operations: return operationsChart(series, wish);
    case ChartKind::Latency: return latencyChart(series, wish);
    case ChartKind::Messages: return messagesChart(series, wish);
    case ChartKind::Recovery: return recoveryChart(series, wish);
    case ChartKind::Load:
    case ChartKind::Buckets:
    case ChartKind::Storage:
    case ChartKind::Memory: break;
    }
    return levelsChart(series, wish);
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
