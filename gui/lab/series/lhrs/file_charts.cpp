// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/lhrs/file_charts.h"

#include "gui/lab/series/process/chart_parts.h"

#include <algorithm>

namespace lhrs::gui {

using namespace charts;

std::vector<ChartTheory> messagesTheory(const FileSeries& file)
{
    const std::uint32_t k = file.k();
    // LH* acknowledges searches only. Here each change is acknowledged too, after k parity buckets have applied
    // it.
    const double change = 2 + 2 * double(k);
    std::vector<ChartTheory> theory { { QStringLiteral("LH*: insert 1"), {}, 1, 1 },
        { QStringLiteral("LH*: search 2"), {}, 2, 2 }, { QStringLiteral("LH*: insert 3 at worst"), {}, 3, 3 },
        { QStringLiteral("LH*: search 4 at worst"), {}, 4, 4 } };
    const QString words = QStringLiteral("change 2 + 2k = %1").arg(change);
    const auto same = std::find_if(
        theory.begin(), theory.end(), [&](const ChartTheory& one) { return one.low == change; });
    if (same != theory.end())
        same->name += QStringLiteral(";  ") + words;
    else
        theory.push_back({ words, {}, change, change });
    theory.back().source = QStringLiteral("LH* does not answer inserts; here a change is request, answer, "
                                          "and delta and acknowledgement for each of k = %1 parity buckets")
                               .arg(k);
    return theory;
}

QString fileChartTitle(ChartKind kind)
{
    return kind == ChartKind::Load   ? QStringLiteral("Load factor")
        : kind == ChartKind::Growth  ? QStringLiteral("Growth of the file")
        : kind == ChartKind::Storage ? QStringLiteral("Bytes stored")
                                     : QStringLiteral("Recoveries by phases");
}

const char* fileChartName(ChartKind kind)
{
    return kind == ChartKind::Load   ? "load"
        : kind == ChartKind::Growth  ? "buckets"
        : kind == ChartKind::Storage ? "storage"
                                     : "recovery";
}

ChartData fileChart(const TimeSeries& run, const FileSeries& file, const ChartWish& wish)
{
    if (wish.kind == ChartKind::Repair)
        return recoveryChart(file, wish);
    using Kind = SeriesLevelKind;
    ChartData chart = chartFor(run, wish, {});
    const auto columns = run.columns(wish.fromNs, wish.toNs, std::max<std::size_t>(1, wish.columns));
    const auto level = [](Kind kind, const char* id, const char* name, double factor, double drawn) {
        return LevelShown { std::size_t(kind), id, name, factor, drawn };
    };
    std::vector<LevelShown> shown;
    switch (wish.kind) {
    case ChartKind::Load:
        chart.unit = QStringLiteral("% of M · b");
        shown = { level(Kind::Load, "load_percent", "load factor: records / (M b)", 100, 100) };
        chart.theory.push_back({ QStringLiteral("65-70 %: splits uncontrolled"),
            QStringLiteral("LH*, 2003 report: average load without load control"), 65, 70 });
        chart.theory.push_back(
            { QStringLiteral("80-95 %: with load control"), QStringLiteral("LH*, 2003 report"), 80, 95 });
        chart.nothing = QStringLiteral("There is no file yet: its first insert creates it.");
        chart.remedy = QStringLiteral("insert");
        break;
    case ChartKind::Growth:
        chart.unit = QStringLiteral("data buckets");
        shown = { level(Kind::Buckets, "buckets", "M, data buckets of the file", 1, 1) };
        chart.nothing = QStringLiteral("There is no file yet: its first insert creates it.");
        chart.remedy = QStringLiteral("insert");
        break;
    case ChartKind::Storage:
        chart.unit = QStringLiteral("KiB");
        shown = { level(Kind::DataBytes, "data_bytes", "records in data buckets", 1, 1.0 / 1024),
            level(Kind::ParityBytes, "parity_bytes", "parity records", 1, 1.0 / 1024) };
        chart.nothing = QStringLiteral("No process has reported yet how many bytes it holds.");
        break;
    case ChartKind::Operations:
    case ChartKind::Latency:
    case ChartKind::Messages:
    case ChartKind::Memory:
    case ChartKind::Repair: break;
    }
    addLevels(chart, columns, wish, shown);
    if (wish.kind == ChartKind::Storage && file.m() > 0 && !columns.empty()) {
        const double data = columns.back().level(Kind::DataBytes).last,
                     parity = columns.back().level(Kind::ParityBytes).last;
        chart.note = QStringLiteral("records in memory, as the buckets report every 100 ms");
        if (data > 0)
            chart.note = QStringLiteral("parity is %1 % of the data; full groups: k/m = %2 %; ")
                             .arg(100 * parity / data, 0, 'f', 1)
                             .arg(100.0 * file.k() / file.m(), 0, 'f', 1)
                + chart.note;
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

} // namespace lhrs::gui
