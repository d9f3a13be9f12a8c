// SPDX-License-Identifier: GPL-3.0-or-later
// A long recording: its size, the time to open it, and the time until another instant is on the screen.
#include "tests/bench/window_measures.h"

#include "tests/bench/bench_window_rig.h"
#include "tests/bench/insert_teller.h"

#include "gui/lab/recording/recorder.h"
#include "gui/lab/tables/run_facts.h"

#include <QFileInfo>
#include <QTemporaryDir>

#include <random>

namespace lhrs::gui {

namespace {

// Writes this many events as the ingest would deliver them, 20,000 per second of the run's clock. `unclosed`: where to
// put a copy of the file as a crash would leave it.
double record(const QString& path, const QString& unclosed, std::uint64_t events, std::uint32_t buckets)
{
    const auto begin = std::chrono::steady_clock::now();
    std::int64_t now = 0;
    auto recorder = Recorder::start(path, metaOf(programFacts("lhrs")), [&now] { return now; });
    if (!recorder)
        benchFailed(QString::fromStdString(recorder.error().text));
    const FileShape shape = benchShape(buckets);
    ClusterState state = fileOf(shape);
    (*recorder)->onKeyframe(state, now);
    InsertTeller inserts(shape, buckets);
    std::uint64_t told = 0;
    while (told < events) {
        for (const InsertTeller::PublishedEvent& one : inserts.insert()) {
            now += 50'000;
            const auto event = std::make_shared<const pb::Event>(one.event);
            state.apply(one.process, *event, now);
            (*recorder)->onEvent(one.process, event, now, event->ByteSizeLong() + sizeof(pb::Event));
            if ((*recorder)->wantsKeyframe())
                (*recorder)->onKeyframe(state, now);
            if (++told % 50'000 == 0)
                (*recorder)->flush(); // no faster than it is written
        }
    }
    (*recorder)->flush();
    if (!QFile::copy(path, unclosed) || !QFile::copy(path + "-wal", unclosed + "-wal"))
        benchFailed(QStringLiteral("no copy of the recording in %1").arg(unclosed));
    if (const QString problem = (*recorder)->finish(); !problem.isEmpty() || (*recorder)->status().lost > 0)
        benchFailed(QStringLiteral("the recording is not complete: ") + problem);
    return secondsSince(begin);
}

// One frame of the window, including its painting.
void paintFrame(MainWindow& window)
{
    window.clock().step(0.25);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::UpdateRequest);
}

struct Opened {
    double recording = 0, window = 0; // ms: read; and painted
};

Opened open(MainWindow& window, const QString& path)
{
    Opened opened;
    auto begin = std::chrono::steady_clock::now();
    {
        auto recording = Recording::open(path);
        if (!recording)
            benchFailed(QString::fromStdString(recording.error().text));
        opened.recording = 1000 * secondsSince(begin);
    }
    begin = std::chrono::steady_clock::now();
    if (const QString problem = window.files().openRecording(path); !problem.isEmpty())
        benchFailed(problem);
    paintFrame(window);
    opened.window = 1000 * secondsSince(begin);
    return opened;
}

} // namespace

std::vector<BenchRow> measureRecording(const BenchOptions& options)
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun"), unclosed = folder.filePath("unclosed.lhrun");
    const double took = record(path, unclosed, options.events, options.buckets);
    const QString length = QStringLiteral("%1 events, %2 buckets").arg(grouped(options.events)).arg(options.buckets);
    std::vector<BenchRow> rows;
    rows.push_back({ QStringLiteral("recording"), length,
        QStringLiteral("%1 MiB, %2 bytes an event; written and closed in %3 s")
            .arg(QFileInfo(path).size() >> 20)
            .arg(double(QFileInfo(path).size()) / double(options.events), 0, 'f', 0)
            .arg(took, 0, 'f', 1),
        {}, {}, took });
    MainWindow window(BenchWindow::options());
    window.resize(options.size);
    window.show();
    window.clock().stop();
    QCoreApplication::processEvents();
    const Opened broken = open(window, unclosed);
    rows.push_back({ QStringLiteral("open, not closed"), length,
        QStringLiteral("%1 ms read, %2 ms painted").arg(broken.recording, 0, 'f', 0).arg(broken.window, 0, 'f', 0),
        QStringLiteral("< 5 s"), broken.window < 5000, broken.window });
    const Opened clean = open(window, path);
    rows.push_back({ QStringLiteral("open, clean"), length,
        QStringLiteral("%1 ms read, %2 ms painted").arg(clean.recording, 0, 'f', 0).arg(clean.window, 0, 'f', 0),
        QStringLiteral("< 1 s"), clean.window < 1000, clean.window });

    std::mt19937_64 random(3);
    const std::int64_t begin = window.timeLine().beginNs(), end = window.timeLine().endNs();
    const auto seeks = [&](int count) {
        std::vector<double> times;
        for (int i = 0; i < count; ++i) {
            const std::int64_t ns = begin + std::int64_t(random() % std::uint64_t(end - begin));
            const auto start = std::chrono::steady_clock::now();
            window.timeLine().seekTime(ns);
            paintFrame(window);
            times.push_back(1000 * secondsSince(start));
            if (!window.timeLine().trouble().isEmpty())
                benchFailed(window.timeLine().trouble());
            QCoreApplication::processEvents();
        }
        return times;
    };
    const int count = std::max(20, int(options.seconds * 10));
    const std::vector<double> canvas = seeks(count);
    rows.push_back({ QStringLiteral("seek, to the painted canvas"), length,
        QStringLiteral("%1; %2 seeks").arg(spread(canvas)).arg(count), QStringLiteral("p95 < 150 ms"),
        percentile(95, canvas) < 150, percentile(95, canvas) });
    window.setWorkspace(MainWindow::Workspace::Inspect);
    window.selection().select({ ObjectKind::Data, 5, 0 });
    paintFrame(window);
    const std::vector<double> table = seeks(count);
    rows.push_back({ QStringLiteral("seek, to log and record table"), length,
        QStringLiteral("%1; %2 seeks").arg(spread(table)).arg(count), QStringLiteral("p95 < 400 ms"),
        percentile(95, table) < 400, percentile(95, table) });
    return rows;
}

} // namespace lhrs::gui
