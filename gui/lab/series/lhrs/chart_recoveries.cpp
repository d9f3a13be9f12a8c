// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of recoveries: one bar each, by its phases.
#include "gui/lab/series/lhrs/file_charts.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr std::size_t kBars = 12; // the newest ones; more would be too thin to read

QStringList names(const std::vector<std::uint32_t>& numbers)
{
    QStringList out;
    for (const std::uint32_t number : numbers)
        out << QString::number(number);
    return out;
}

} // namespace

ChartData recoveryChart(const FileSeries& file, const ChartWish& wish)
{
    ChartData chart;
    chart.unit = QStringLiteral("ms");
    chart.from = double(wish.fromNs - wish.originNs) / 1e9;
    chart.to = double(wish.toNs - wish.originNs) / 1e9;
    chart.parts = QStringList { QStringLiteral("before and after"), QStringLiteral("process"),
        QStringLiteral("communication"), QStringLiteral("other") };
    // The same columns and units as in recoveries.csv.
    chart.header = QStringList { "cluster", "recovery", "group", "failed_data", "decode", "slices", "records",
        "begin_s", "detect_s", "total_s", "process_s", "comm_s", "other_s", "transfer_s", "whole_s", "outcome" };
    const bool hasClusters = std::any_of(
        file.recoveries().begin(), file.recoveries().end(), [](const RecoveryRow& row) { return row.cluster > 1; });
    std::size_t unfinished = 0, finished = 0;
    for (const RecoveryRow& row : file.recoveries()) {
        if (row.beginNs > wish.toNs || (row.isFinished && row.endNs < wish.fromNs))
            continue;
        const auto ms = [](std::int64_t ns) { return double(ns) / 1e6; };
        const QString outcome = row.isFinished ? QStringLiteral("finished")
            : row.isGivenUp                    ? QStringLiteral("given up")
                                               : QStringLiteral("under way");
        const auto known = [&](std::int64_t ns) { return row.isFinished ? QVariant(double(ns) / 1e9) : QVariant(); };
        chart.rows.push_back({ row.cluster, qulonglong(row.recovery), row.group, names(row.failedData).join(' '),
            row.isFinished ? QVariant(row.isXor ? "xor" : "rs") : QVariant(), row.slices, row.records,
            row.isOrdered ? QVariant(double(row.beginNs - wish.originNs) / 1e9) : QVariant(),
            row.detectNs ? QVariant(double(*row.detectNs) / 1e9) : QVariant(), known(row.totalNs), known(row.processNs),
            known(row.communicationNs), known(row.otherNs), known(row.transferNs), known(row.wholeNs), outcome });
        if (!row.isFinished) {
            ++unfinished;
            continue;
        }
        ++finished;
        ChartBar bar;
        bar.name = (hasClusters ? QStringLiteral("cluster %1, ").arg(row.cluster) : QString())
            + QStringLiteral("%1 s: data %2")
                  .arg(double(row.beginNs - wish.originNs) / 1e9, 0, 'f', 1)
                  .arg(names(row.failedData).join(QStringLiteral(", ")));
        bar.parts = { std::max(0.0, ms(row.aroundNs())), ms(row.processNs), ms(row.communicationNs), ms(row.otherNs) };
        bar.total = QStringLiteral("%1 ms, %2 records, %3")
                        .arg(ms(row.wholeNs), 0, 'f', 1)
                        .arg(row.records)
                        .arg(row.isXor ? QStringLiteral("XOR") : QStringLiteral("RS"));
        chart.bars.push_back(std::move(bar));
    }
    if (chart.bars.size() > kBars)
        chart.bars.erase(chart.bars.begin(), chart.bars.end() - std::ptrdiff_t(kBars));
    for (const ChartBar& bar : chart.bars) {
        double sum = 0;
        for (const double part : bar.parts)
            sum += part;
        chart.yMax = std::max(chart.yMax, sum);
    }
    if (finished == 0 && unfinished > 0) {
        chart.nothing = QStringLiteral("A recovery is under way; its phases are known when it ends.");
    } else if (finished == 0) {
        chart.nothing = QStringLiteral(
            "No recovery measured yet: a bucket has to fail first. Kill one, and it is rebuilt.");
        chart.remedy = QStringLiteral("faultPanel");
    }
    chart.note = QStringLiteral(
        "from the first suspicion to the bucket enabled again; before and after: suspicion, probes, a spare, enabling; "
        "process: decoding, communication: records on their way, other: orders and waiting");
    if (finished > kBars)
        chart.note = QStringLiteral("the last %1 of %2 recoveries; ").arg(kBars).arg(finished) + chart.note;
    if (unfinished > 0 && finished > 0)
        chart.note += QStringLiteral("; %1 given up or under way").arg(unfinished);
    return chart;
}

} // namespace lhrs::gui
