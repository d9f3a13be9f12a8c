// SPDX-License-Identifier: GPL-3.0-or-later
// The window beside a cluster of real processes on the same machine, which runs at full speed.
#include "gui/lab/words/process/detail_words.h"
#include "tests/bench/bench_window_rig.h"
#include "tests/bench/window_measures.h"

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kRecordBytes = 100, kRecords = 4'000;

LocalOptions realCluster()
{
    LocalOptions local;
    local.config.set_m(4);
    local.config.set_availability(1);
    local.config.set_b(600);
    local.dataServers = 16;
    local.parityServers = 8;
    return local;
}

BenchRow besideClusterAt(const BenchOptions& options, MainWindow::Workspace workspace, pb::Detail detail)
{
    BenchWindow bench(realCluster(), kRecordBytes, options.size);
    MainWindow& window = bench.window();
    window.setWorkspace(workspace);
    ProcessId client = 0;
    for (const auto& [id, process] : window.pacer().state().processes)
        client = process.kind == pb::CLIENT ? id : client;
    if (client == 0)
        benchFailed(QStringLiteral("the cluster has no client"));
    const auto stored = [&window] {
        std::uint64_t sum = 0;
        for (const auto& [number, bucket] : window.pacer().state().data)
            sum += bucket.count;
        return sum;
    };
    window.cluster().clients().run(client, { .kind = pb::INSERT, .count = kRecords, .window = 8 });
    if (!waitFor(60'000, [&] { return stored() == kRecords; }))
        benchFailed(QStringLiteral("%1 of %2 records were seen").arg(stored()).arg(kRecords));
    window.cluster().link().setDetail(detail);
    window.cluster().clients().run(client, { .kind = pb::UPDATE, .count = 1'000'000'000, .window = 64 });
    runLoop(3); // until the load is steady
    bench.frames().clear();
    bench.work().clear();
    const auto operations = [&window, client] {
        return window.pacer().state().processes.at(client).gauges.operations();
    };
    const std::uint64_t eventsBefore = bench.ingest().counters().events, operationsBefore = operations();
    LoopWatch loop;
    const GuiCpuTime gui;
    const CpuTime cpu;
    const double passed = runLoop(options.seconds);
    const double guiShare = gui.share(), all = cpu.share();
    const qint64 away = loop.longest();
    const std::uint64_t events = bench.ingest().counters().events - eventsBefore,
                        done = operations() - operationsBefore;
    const std::vector<double> frames = bench.frames(), work = bench.work();
    const double p95 = percentile(95, frames);
    const QString where = workspace == MainWindow::Workspace::Lecture ? QStringLiteral("lecture")
                                                                      : QStringLiteral("inspect");
    return { QStringLiteral("frame beside a cluster at full speed, %1, events: %2")
                 .arg(where, QString::fromStdString(detailWord(detail))),
        QStringLiteral("%1 buckets on %2 processors, window 64, %3 updates/s, %4 events/s, %5")
            .arg(window.pacer().state().data.size())
            .arg(::sysconf(_SC_NPROCESSORS_ONLN))
            .arg(grouped(std::uint64_t(double(done) / passed)), grouped(std::uint64_t(double(events) / passed)),
                window.pacer().isLive() ? QStringLiteral("live") : QStringLiteral("slow show")),
        QStringLiteral("%1; at work %2; loop away %3 ms; %4 frames/s; lost %5; GUI thread %6 %, all %7 % of a core")
            .arg(spread(frames), spread(work))
            .arg(away)
            .arg(double(frames.size()) / passed, 0, 'f', 0)
            .arg(bench.lost())
            .arg(qRound(100 * guiShare))
            .arg(qRound(100 * all)),
        QStringLiteral("p95 < 16, away <= 50, lost 0"), p95 < 16 && away <= 50 && bench.lost() == 0, p95 };
}

} // namespace

std::vector<BenchRow> measureBesideCluster(const BenchOptions& options)
{
    std::vector<BenchRow> rows;
    for (const pb::Detail detail : { pb::RECORDS, pb::FULL })
        for (const MainWindow::Workspace workspace : { MainWindow::Workspace::Lecture, MainWindow::Workspace::Inspect })
            rows.push_back(besideClusterAt(options, workspace, detail));
    return rows;
}

} // namespace lhrs::gui
