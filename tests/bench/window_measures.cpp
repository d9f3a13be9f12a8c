// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/window_measures.h"

#include "tests/bench/bench_window_rig.h"

#include "gui/lab/control/control_client.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/tables/run_facts.h"
#include "gui/lab/local/session.h"
#include "gui/view/lhrs/file_picture.h"

#include <QTemporaryDir>

#include <random>

namespace lhrs::gui {

namespace {

constexpr int kPatience = 30'000; // ms

} // namespace

// ---- receive, check, fold, record

std::vector<BenchRow> measureIngest(const BenchOptions& options)
{
    constexpr std::uint32_t kRate = 100'000;
    std::vector<BenchRow> rows;
    for (const std::uint32_t buckets : { 8u, 64u }) {
        QTemporaryDir folder;
        PlayedCluster cluster(buckets);
        Session session;
        auto recorder = Recorder::start(folder.filePath("run.lhrun"), metaOf(programFacts("lhrs")),
            [&session] { return session.ingest().nowNs(); });
        if (!recorder)
            benchFailed(QString::fromStdString(recorder.error().text));
        session.ingest().recordTo(recorder->get());
        session.control().watchCluster("tcp://" + cluster.address().toStdString());
        if (!waitFor(kPatience, [&] { return isWhole(session.ingest().state(), cluster.processes()); }))
            benchFailed(QStringLiteral("the cluster is not seen"));
        const std::uint64_t before = session.ingest().counters().events;
        const CpuTime cpu;
        cluster.load(kRate);
        runLoop(options.ingestSeconds);
        const std::uint64_t told = cluster.rest();
        const double busy = cpu.share();
        const double atEnd = double(session.ingest().counters().events - before); // the rest waits in queues
        const bool isAllHere = waitFor(kPatience,
            [&] { return session.ingest().counters().events - before + session.ingest().counters().lost >= told; });
        const std::uint64_t lost = session.ingest().counters().lost
            + (isAllHere ? 0 : told - (session.ingest().counters().events - before + session.ingest().counters().lost));
        session.ingest().recordTo(nullptr);
        const QString problem = (*recorder)->finish();
        if (!problem.isEmpty())
            benchFailed(problem);
        const std::uint64_t unrecorded = (*recorder)->status().lost;
        const double rate = double(told) / options.ingestSeconds;
        // If fewer events than requested were published, the generator is the limit: this machine had no time for it.
        rows.push_back({ QStringLiteral("ingest: receive, check, fold, record"),
            QStringLiteral("%1 buckets, %2 s").arg(buckets).arg(options.ingestSeconds),
            QStringLiteral("%1 events/s told; lost %2, not recorded %3; %4 behind at the end; %5 % of a core")
                .arg(grouped(std::uint64_t(rate)))
                .arg(lost)
                .arg(unrecorded)
                .arg(grouped(std::uint64_t(std::max(0.0, double(told) - atEnd))))
                .arg(qRound(100 * busy)),
            QStringLiteral("100 000/s, 0 lost"), lost + unrecorded == 0 && rate >= 0.99 * kRate,
            double(lost + unrecorded) - rate });
    }
    return rows;
}

// ---- frames

namespace {

// Frames while this many events arrive per second.
BenchRow framesAt(const BenchOptions& options, std::uint32_t rate, std::uint32_t buckets,
    MainWindow::Workspace workspace, bool isBudget)
{
    BenchWindow bench(buckets, options.size);
    bench.window().setWorkspace(workspace);
    bench.cluster().load(rate);
    runLoop(1.5); // until the load is steady
    bench.frames().clear();
    bench.work().clear();
    LoopWatch loop;
    std::vector<double> dots;
    bench.afterFrame(
        [&] { dots.push_back(double(bench.window().canvas().viewOf<FilePicture>().motion().messagesUnderWay())); });
    const GuiCpuTime gui;
    const CpuTime cpu;
    const double passed = runLoop(options.seconds);
    const double guiShare = gui.share(), all = cpu.share();
    const qint64 away = loop.longest();
    bench.afterFrame({});
    const bool isLive = bench.window().pacer().isLive();
    const std::uint64_t told = bench.cluster().rest();
    const std::vector<double> frames = bench.frames(), work = bench.work();
    const double p95 = percentile(95, frames);
    const QString where = workspace == MainWindow::Workspace::Lecture ? QStringLiteral("lecture")
                                                                      : QStringLiteral("inspect");
    return { QStringLiteral("frame, %1").arg(where),
        QStringLiteral("%1 events/s, %2 buckets, %3")
            .arg(grouped(std::uint64_t(double(told) / (passed + 1.5))))
            .arg(buckets)
            .arg(isLive ? QStringLiteral("live") : QStringLiteral("slow show")),
        QStringLiteral(
            "%1; at work %2; loop away %3 ms; %4 frames/s; %5 dots; lost %6; GUI thread %7 %, all %8 % of a core")
            .arg(spread(frames), spread(work))
            .arg(away)
            .arg(double(frames.size()) / passed, 0, 'f', 0)
            .arg(percentile(50, dots))
            .arg(bench.lost())
            .arg(qRound(100 * guiShare))
            .arg(qRound(100 * all)),
        isBudget ? QStringLiteral("p95 < 16, away <= 50") : QString(),
        isBudget ? std::optional(p95 < 16 && away <= 50) : std::nullopt, p95 };
}

} // namespace

std::vector<BenchRow> measureFrames(const BenchOptions& options)
{
    return { framesAt(options, options.rate, options.buckets, MainWindow::Workspace::Lecture, true),
        framesAt(options, options.rate, options.buckets, MainWindow::Workspace::Inspect, true),
        framesAt(options, 600, options.buckets, MainWindow::Workspace::Lecture, true) };
}

// ---- event to pixel

namespace {

// The region of the picture that shows the object.
QString drawnOf(const DisplayList& picture, ObjectRef object)
{
    DisplayList part(picture.theme());
    for (const DisplayList::Item& item : picture.items()) {
        if (item.object == object)
            part.add(item.primitive);
    }
    return part.toText();
}

BenchRow eventToPixelAt(const BenchOptions& options, std::uint32_t rate)
{
    BenchWindow bench(options.buckets, options.size);
    MainWindow& window = bench.window();
    if (rate > 0)
        bench.cluster().load(rate);
    runLoop(1.5);
    std::mt19937 random(7);
    std::vector<double> times;
    const ObjectRef card { ObjectKind::Data, options.buckets - 1, 0 };
    const int marks = std::max(10, int(options.seconds * 5));
    for (int mark = 1; mark <= marks; ++mark) {
        runLoop(0.05 + double(random() % 100) / 1000);
        const QString before = drawnOf(window.canvas().restingPicture(), card);
        bool isPainted = false;
        bench.afterFrame([&] { isPainted = isPainted || drawnOf(window.canvas().restingPicture(), card) != before; });
        const auto begin = std::chrono::steady_clock::now();
        bench.cluster().mark();
        while (!isPainted && secondsSince(begin) < 5)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        times.push_back(1000 * secondsSince(begin));
        bench.afterFrame({});
    }
    const double p95 = percentile(95, times);
    return { QStringLiteral("event to pixel"),
        rate == 0 ? QStringLiteral("quiet, %1 buckets").arg(options.buckets)
                  : QStringLiteral("%1 events/s, %2 buckets").arg(grouped(rate)).arg(options.buckets),
        QStringLiteral("%1; %2 marks").arg(spread(times)).arg(marks), QStringLiteral("p95 < 100 ms"), p95 < 100, p95 };
}

} // namespace

std::vector<BenchRow> measureEventToPixel(const BenchOptions& options)
{
    return { eventToPixelAt(options, 0), eventToPixelAt(options, options.rate) };
}

// ---- memory, idle

std::vector<BenchRow> measureMemory(const BenchOptions& options)
{
    constexpr std::uint32_t kRate = 5'000;
    BenchWindow bench(options.buckets, options.size);
    bench.window().setWorkspace(MainWindow::Workspace::Inspect);
    bench.cluster().load(kRate);
    std::vector<std::pair<double, double>> samples; // seconds, MiB
    const auto begin = std::chrono::steady_clock::now();
    while (secondsSince(begin) < options.memorySeconds) {
        runLoop(1);
        samples.emplace_back(secondsSince(begin), memoryMiB());
    }
    bench.cluster().rest();
    // The ring is full after 40 s; the slope is measured over the second half.
    double n = 0, t = 0, m = 0, tt = 0, tm = 0;
    for (const auto& [at, mib] : samples) {
        if (at < options.memorySeconds / 2)
            continue;
        n += 1, t += at, m += mib, tt += at * at, tm += at * mib;
    }
    const double slope = n > 1 ? (n * tm - t * m) / (n * tt - t * t) : 0;
    const double hour = samples.back().second + std::max(0.0, slope) * (3600 - samples.back().first);
    return { { QStringLiteral("resident memory"),
        QStringLiteral("5 000 events/s, %1 buckets, %2 s").arg(options.buckets).arg(options.memorySeconds),
        QStringLiteral("%1 MiB at the end; %2 MiB/min in the second half, hence %3 MiB after an hour (extrapolated)")
            .arg(samples.back().second, 0, 'f', 0)
            .arg(slope * 60, 0, 'f', 2)
            .arg(hour, 0, 'f', 0),
        QStringLiteral("< 500 MiB"), hour < 500, hour } };
}

std::vector<BenchRow> measureIdle(const BenchOptions& options)
{
    BenchWindow bench(options.buckets, options.size);
    bench.driveByClock();
    runLoop(3); // the last frames of the start-up
    const GuiCpuTime gui;
    const CpuTime cpu;
    runLoop(options.seconds);
    const double guiShare = gui.share(), all = cpu.share();
    return { { QStringLiteral("idle"),
        QStringLiteral("live and quiet, %1 buckets, %2 processes")
            .arg(options.buckets)
            .arg(bench.cluster().processes()),
        QStringLiteral("%1 % of a core, of which GUI thread %2 %")
            .arg(100 * all, 0, 'f', 1)
            .arg(100 * guiShare, 0, 'f', 1),
        QStringLiteral("< 3 %"), all < 0.03, all } };
}

} // namespace lhrs::gui
