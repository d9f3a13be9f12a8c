// SPDX-License-Identifier: GPL-3.0-or-later
// What the measurements of the window share: a window on a cluster in another process, its frames with their times, the
// processor time, the memory.
#pragma once

#include "tests/bench/played_cluster.h"
#include "tests/rigs/gui/fake_cluster.h"

#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/session.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/window/commands/lhrs/file_line.h"
#include "gui/window/main/main_window.h"

#include <QEventLoop>
#include <QFile>

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <utility>

namespace lhrs::gui {

[[noreturn]] inline void benchFailed(const QString& why)
{
    std::fprintf(stderr, "bench_window: %s\n", qPrintable(why));
    std::exit(1);
}

inline double secondsSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The percentile: this many of 100 values are not larger.
inline double percentile(int percent, std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1, values.size() * std::size_t(percent) / 100)];
}

// The same for times in milliseconds.
inline QString spread(const std::vector<double>& values)
{
    const auto shown = [&values](int percent) {
        const double value = percentile(percent, values);
        return QString::number(value, 'f', value < 10 ? 2 : 1);
    };
    return QStringLiteral("p50 %1, p95 %2, most %3 ms").arg(shown(50), shown(95), shown(100));
}

// Runs the event loop for this long; returns how long it really took.
inline double runLoop(double seconds)
{
    const auto begin = std::chrono::steady_clock::now();
    QEventLoop loop;
    QTimer::singleShot(std::chrono::milliseconds(int(1000 * seconds)), Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
    return secondsSince(begin);
}

inline bool waitFor(int milliseconds, const std::function<bool()>& condition)
{
    return QTest::qWaitFor(condition, milliseconds);
}

// The share of one core that this process, or its thread, has used since the start of the measurement.
template <int kWho> class CpuTimeOf {
public:
    double share() const { return (used() - m_used) / secondsSince(m_begin); }

private:
    static double used()
    {
        rusage usage {};
        ::getrusage(kWho, &usage);
        return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    }
    const std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    const double m_used = used();
};
using CpuTime = CpuTimeOf<RUSAGE_SELF>;
using GuiCpuTime = CpuTimeOf<RUSAGE_THREAD>;

inline double memoryMiB()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    return double(file.readAll().split(' ').value(1).toLongLong()) * double(::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

// Waits until all processes are known, with their snapshots.
inline bool isWhole(const ClusterState& state, std::size_t processes)
{
    return state.processes.size() == processes
        && std::none_of(
            state.processes.begin(), state.processes.end(), [](const auto& p) { return p.second.isIncomplete; });
}

// A window on a cluster of other processes. Frames come as often as the window's clock wants them. The rig makes them
// itself, so that their time is known: what the clock asks of the views, and the painting that follows.
class BenchWindow {
public:
    BenchWindow(std::uint32_t buckets, QSize size) : m_cluster(std::in_place, buckets), m_window(options())
    {
        if (m_cluster->address().isEmpty())
            benchFailed(QStringLiteral("the process of the cluster does not start"));
        m_window.resize(size);
        m_window.show();
        m_window.start().connectTo(m_cluster->address());
        begin(m_cluster->processes());
    }
    // A window on real processes that it starts, with one client.
    BenchWindow(const LocalOptions& local, std::uint32_t recordBytes, QSize size) : m_window(options())
    {
        m_window.resize(size);
        m_window.show();
        m_window.cluster().session().local().setProgramDirectory(LHRS_BIN_DIR);
        m_window.cluster().link().start(local, fileLine(local, recordBytes), recordBytes);
        begin(1 + local.dataServers + local.parityServers + 1);
    }

private:
    void begin(std::size_t processes)
    {
        if (!waitFor(30'000, [&] { return m_window.showsCluster() && isWhole(m_window.pacer().state(), processes); }))
            benchFailed(QStringLiteral("the cluster is not seen"));
        m_before = ingest().counters().lost;
        m_window.clock().stop();
        m_tick.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_tick, &QTimer::timeout, [this] { frame(); });
        m_tick.start(16);
    }

public:
    static MainWindow::Options options()
    {
        MainWindow::Options options;
        options.theme = MainWindow::ThemeChoice::Light;
        return options;
    }

    MainWindow& window() { return m_window; }
    PlayedCluster& cluster() { return *m_cluster; }
    Ingest& ingest() { return m_window.cluster().session().ingest(); }
    std::uint64_t lost() { return ingest().counters().lost - m_before; }
    // Milliseconds that each frame took, and the part of them at work: on a busy machine the wall time includes other
    // programs.
    std::vector<double>& frames() { return m_frames; }
    std::vector<double>& work() { return m_work; }
    // Called when a frame is painted.
    void afterFrame(std::function<void()> call) { m_after = std::move(call); }
    // As in the program, the clock makes the frames.
    void driveByClock()
    {
        m_tick.stop();
        m_window.clock().start();
    }

private:
    static double threadMilliseconds()
    {
        timespec now {};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
    }
    void frame()
    {
        const auto begin = std::chrono::steady_clock::now();
        const double seconds = m_frames.empty() ? 0.016 : std::chrono::duration<double>(begin - m_last).count();
        m_last = begin;
        const double workBefore = threadMilliseconds();
        m_window.clock().step(std::min(seconds, 0.25));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::UpdateRequest); // paints what the frame has changed
        m_frames.push_back(1000 * secondsSince(begin));
        m_work.push_back(threadMilliseconds() - workBefore);
        if (m_tick.interval() != m_window.clock().interval())
            m_tick.setInterval(m_window.clock().interval());
        if (m_after)
            m_after();
    }

    std::optional<PlayedCluster> m_cluster;
    MainWindow m_window;
    QTimer m_tick;
    std::vector<double> m_frames, m_work;
    std::chrono::steady_clock::time_point m_last;
    std::function<void()> m_after;
    std::uint64_t m_before = 0;
};

} // namespace lhrs::gui
