// SPDX-License-Identifier: GPL-3.0-or-later
// How the window does under load (window.md 3.3): processes publish so many events a second on their PUB sockets, the
// ingest folds them, the window draws them offscreen. Prints frames, the time that a frame takes, how long the event loop
// was away, and what was lost.
#include "tests/fake_cluster.h"

#include "gui/lab/ingest.h"
#include "gui/window/main_window.h"

#include <QCommandLineParser>

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Clock = std::chrono::steady_clock;

// The events of one insert as the processes tell them at full detail with k = 1; 13 of them.
class InsertTeller {
public:
    InsertTeller(FakeCluster& cluster, std::uint32_t buckets, std::uint32_t m, std::uint32_t ranks)
        : m_cluster(cluster), m_buckets(buckets), m_m(m), m_ranks(ranks), m_rank(buckets, 0)
    {
    }

    // Collected by process, in the order of each.
    void insert()
    {
        const std::uint64_t number = ++m_number;
        const auto a = std::uint32_t(number * 2654435761u % m_buckets);
        const ProcessId client = kFileClients, bucket = kFileData + a, parity = parityProcess(a / m_m, 0);
        m_rank[a] = m_rank[a] % m_ranks + 1;
        pb::Event& started = add(client, number, {});
        started.mutable_operation_started()->set_kind(pb::INSERT);
        started.mutable_operation_started()->set_key(number);
        started.mutable_operation_started()->set_bucket(a);
        const Cause request = message("insert", client, bucket, number, {});
        pb::Event& inserted = add(bucket, number, request);
        place(inserted, pb::DATA, a);
        inserted.mutable_record_inserted()->set_key(number % 99'999);
        inserted.mutable_record_inserted()->set_rank(m_rank[a]);
        inserted.mutable_record_inserted()->set_count(m_ranks);
        inserted.mutable_record_inserted()->set_sequence(number);
        const Cause delta = message("delta", bucket, parity, number, request);
        pb::Event& applied = add(parity, number, delta);
        place(applied, pb::PARITY, a / m_m);
        applied.mutable_delta_applied()->set_position(a % m_m);
        applied.mutable_delta_applied()->set_sequence(number);
        applied.mutable_delta_applied()->set_rank(m_rank[a]);
        applied.mutable_delta_applied()->set_members(m_m);
        applied.mutable_delta_applied()->set_record_groups(m_ranks);
        const Cause held = message("delta_ack", parity, bucket, number, delta);
        add(bucket, number, held).mutable_change_acknowledged()->set_sequence(number);
        const Cause reply = message("reply", bucket, client, number, held);
        add(client, number, reply).mutable_operation_done()->set_kind(pb::INSERT);
    }
    void publish()
    {
        for (auto& [process, events] : m_told) {
            if (!events.empty())
                m_cluster.tell(process, std::exchange(events, {}));
        }
    }
    static constexpr int kEvents = 13;

private:
    struct Cause {
        ProcessId process = 0;
        std::uint64_t sequence = 0;
    };
    pb::Event& add(ProcessId process, std::uint64_t operation, Cause cause)
    {
        ++m_sequence[process];
        pb::Event& event = m_told[process].emplace_back();
        event.mutable_operation()->set_client(kFileClients);
        event.mutable_operation()->set_number(operation);
        event.set_cause_process(cause.process);
        event.set_cause_sequence(cause.sequence);
        return event;
    }
    static void place(pb::Event& event, pb::Role role, std::uint32_t number)
    {
        event.mutable_place()->set_role(role);
        event.mutable_place()->set_number(number);
    }
    Cause message(const char* kind, ProcessId from, ProcessId to, std::uint64_t operation, Cause cause)
    {
        pb::Event& sent = add(from, operation, cause);
        sent.mutable_message_sent()->set_kind(kind);
        sent.mutable_message_sent()->set_to(to);
        sent.mutable_message_sent()->set_id(++m_messages);
        const Cause departure { from, m_sequence[from] };
        pb::Event& received = add(to, operation, departure);
        received.mutable_message_received()->set_kind(kind);
        received.mutable_message_received()->set_from(from);
        received.mutable_message_received()->set_id(m_messages);
        return departure;
    }

    FakeCluster& m_cluster;
    const std::uint32_t m_buckets, m_m, m_ranks;
    std::vector<std::uint32_t> m_rank;
    std::map<ProcessId, std::vector<pb::Event>> m_told;
    std::map<ProcessId, std::uint64_t> m_sequence;
    std::uint64_t m_number = 0, m_messages = 0;
};

// The time of each frame: what the clock asks of the views, and the painting that follows.
class FrameWatch {
public:
    explicit FrameWatch(MainWindow& window) : m_window(window) {}
    // Instead of the clock's own timer, so that a frame's time is known.
    void frame()
    {
        const Clock::time_point begin = Clock::now();
        const double seconds = m_last == Clock::time_point {} ? 0.016 : std::chrono::duration<double>(begin - m_last).count();
        m_last = begin;
        m_window.clock().step(std::min(seconds, 0.25));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::UpdateRequest); // paints what the frame has changed
        milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
    std::vector<double> milliseconds;

private:
    MainWindow& m_window;
    Clock::time_point m_last;
};

double quantile(std::vector<double>& sorted, double q)
{
    return sorted.empty() ? 0 : sorted[std::min(sorted.size() - 1, std::size_t(q * double(sorted.size())))];
}

double cpuSeconds(int who)
{
    rusage usage {};
    getrusage(who, &usage);
    return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// The event loop for so long; how long it was.
double runLoop(double seconds)
{
    const Clock::time_point begin = Clock::now();
    double passed = 0;
    while ((passed = std::chrono::duration<double>(Clock::now() - begin).count()) < seconds)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    return passed;
}

void measure(std::uint32_t eventsPerSecond, std::uint32_t buckets, double seconds, QSize size, MainWindow::Workspace workspace)
{
    FileShape shape { buckets, 4, 1 };
    shape.b = 200;
    shape.records = 150;
    FakeCluster cluster(shape);
    MainWindow::Options options;
    options.theme = MainWindow::ThemeChoice::Light;
    MainWindow window(options);
    window.resize(size);
    window.show();
    window.connectTo(cluster.address());
    const std::size_t processes = buckets + (buckets + 3) / 4 + 1 + shape.clients + shape.dataSpares + shape.paritySpares;
    const bool isReady = QTest::qWaitFor([&] {
        const ClusterState& state = window.pacer().state();
        return window.showsCluster() && state.processes.size() == processes
            && std::none_of(state.processes.begin(), state.processes.end(), [](const auto& p) { return p.second.isIncomplete; });
    }, 30'000);
    if (!isReady) {
        std::fprintf(stderr, "bench_window: the cluster is not seen\n");
        std::exit(1);
    }
    window.setWorkspace(workspace);
    QCoreApplication::processEvents();
    Ingest& ingest = window.cluster().session().ingest();
    const std::uint64_t before = ingest.counters().events;

    std::atomic<std::uint64_t> told { 0 };
    std::mutex pause;
    std::condition_variable_any paused;
    std::jthread teller([&](const std::stop_token& stop) {
        InsertTeller inserts(cluster, buckets, 4, shape.records);
        const Clock::time_point begin = Clock::now();
        for (Clock::time_point next = begin; !stop.stop_requested(); next += std::chrono::milliseconds(2)) {
            std::unique_lock lock(pause);
            (void)paused.wait_until(lock, stop, next, [] { return false; });
            const auto due = std::uint64_t(std::chrono::duration<double>(Clock::now() - begin).count() * eventsPerSecond);
            while (told < due) {
                inserts.insert();
                told += InsertTeller::kEvents;
            }
            inserts.publish();
        }
    });

    window.clock().stop();
    FrameWatch frames(window);
    QTimer tick;
    tick.setTimerType(Qt::PreciseTimer);
    QObject::connect(&tick, &QTimer::timeout, [&] { frames.frame(); });
    tick.start(16);
    runLoop(1); // until the load is steady
    frames.milliseconds.clear();
    LoopWatch loop;
    const double cpuBefore = cpuSeconds(RUSAGE_SELF), guiBefore = cpuSeconds(RUSAGE_THREAD);
    const double passed = runLoop(seconds);
    const double gui = cpuSeconds(RUSAGE_THREAD) - guiBefore, all = cpuSeconds(RUSAGE_SELF) - cpuBefore;
    const qint64 longest = loop.longest();
    const std::size_t count = frames.milliseconds.size();
    const bool isLive = window.pacer().isLive();
    teller.request_stop();
    teller.join();
    const bool isAllHere = QTest::qWaitFor([&] { return ingest.counters().events - before + ingest.counters().lost >= told; }, 10'000);
    std::sort(frames.milliseconds.begin(), frames.milliseconds.end());
    std::printf("%7u  %6u  %9s  %7.1f  %7.2f  %7.2f  %7.2f  %7.2f  %6lld  %8llu  %7.2f  %5.0f  %s%s\n", eventsPerSecond, buckets,
        workspace == MainWindow::Workspace::Lecture ? "lecture" : "inspect", double(count) / passed, quantile(frames.milliseconds, 0.5),
        quantile(frames.milliseconds, 0.95), quantile(frames.milliseconds, 0.99), frames.milliseconds.empty() ? 0 : frames.milliseconds.back(),
        static_cast<long long>(longest), static_cast<unsigned long long>(ingest.counters().lost), 1000 * gui / double(std::max<std::size_t>(1, count)), 100 * all / passed,
        isLive ? "live" : "slow show", isAllHere ? "" : ", not all arrived");
    std::fflush(stdout);
}

} // namespace

int main(int count, char** arguments)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(count, arguments);
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    Theme::registerFonts();
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
        if (type != QtDebugMsg && !text.contains(QLatin1String("propagateSizeHints")))
            std::fprintf(stderr, "%s\n", qPrintable(text));
    });
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Frames of the window while events arrive."));
    parser.addHelpOption();
    const QCommandLineOption rate(QStringLiteral("rate"), QStringLiteral("Events a second; without it 20000 and 50000."), QStringLiteral("N"));
    const QCommandLineOption buckets(QStringLiteral("buckets"), QStringLiteral("Data buckets; without it 64 and 8."), QStringLiteral("N"));
    const QCommandLineOption seconds(QStringLiteral("seconds"), QStringLiteral("Of each measurement."), QStringLiteral("S"), QStringLiteral("10"));
    const QCommandLineOption size(QStringLiteral("size"), QStringLiteral("Of the window."), QStringLiteral("WxH"), QStringLiteral("1920x1080"));
    parser.addOptions({ rate, buckets, seconds, size });
    parser.process(application);
    const QStringList sides = parser.value(size).split('x');
    const QSize pixels(std::max(640, sides.value(0).toInt()), std::max(400, sides.value(1).toInt()));
    std::printf("window of %d x %d, frames at most every 16 ms, %.0f s each; times in ms; cpu: of the GUI thread for each frame; all: of the process, in %% of a core\n", pixels.width(), pixels.height(), parser.value(seconds).toDouble());
    std::printf("%7s  %6s  %9s  %7s  %7s  %7s  %7s  %7s  %6s  %8s  %7s  %5s  %s\n", "events", "bucket", "workspace", "frame/s", "p50", "p95", "p99", "most", "gap", "lost", "cpu", "all", "picture");
    const std::vector<std::uint32_t> rates = parser.isSet(rate) ? std::vector<std::uint32_t> { parser.value(rate).toUInt() } : std::vector<std::uint32_t> { 20'000, 50'000 };
    const std::vector<std::uint32_t> sizes = parser.isSet(buckets) ? std::vector<std::uint32_t> { parser.value(buckets).toUInt() } : std::vector<std::uint32_t> { 64, 8 };
    for (const std::uint32_t events : rates) {
        for (const std::uint32_t file : sizes) {
            for (const auto workspace : { MainWindow::Workspace::Lecture, MainWindow::Workspace::Inspect })
                measure(events, file, parser.value(seconds).toDouble(), pixels, workspace);
        }
    }
    return 0;
}
