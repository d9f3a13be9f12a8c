// SPDX-License-Identifier: GPL-3.0-or-later
// The time that the canvas takes for a frame, by the number of buckets, the events per second and the zoom: what it
// asks of the pacer, its layout and drawing, and the painting. Nothing else runs: no cluster, no ingest.
#include "tests/rigs/gui/view_stage.h"

#include <QCommandLineParser>
#include <QFile>
#include <QStringList>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <ctime>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Clock = std::chrono::steady_clock;

// Inserts at changing buckets, at full detail: 11 events each.
class Teller {
public:
    Teller(ListFeed& feed, const FileShape& shape) : m_feed(feed), m_shape(shape) { }

    static constexpr int kEvents = 11;
    void insert()
    {
        const std::uint64_t number = ++m_number;
        const auto a = std::uint32_t(number * 2654435761u % m_shape.buckets);
        const ProcessId client = kFileClients, bucket = kFileData + a, parity = parityProcess(a / m_shape.m, 0);
        const auto rank = std::uint32_t(number % m_shape.records) + 1;
        pb::Event started = of(number);
        started.mutable_operation_started()->set_kind(pb::INSERT);
        started.mutable_operation_started()->set_key(number);
        m_feed.tell(client, started);
        const std::uint64_t request = message("insert", client, bucket, number);
        pb::Event inserted = of(number, client, request);
        inserted.mutable_place()->set_role(pb::DATA);
        inserted.mutable_place()->set_number(a);
        inserted.mutable_record_inserted()->set_key(number);
        inserted.mutable_record_inserted()->set_rank(rank);
        inserted.mutable_record_inserted()->set_count(m_shape.records);
        inserted.mutable_record_inserted()->set_sequence(m_shape.records + number);
        m_feed.tell(bucket, inserted);
        const std::uint64_t delta = message("delta", bucket, parity, number, client, request);
        pb::Event applied = of(number, bucket, delta);
        applied.mutable_place()->set_role(pb::PARITY);
        applied.mutable_place()->set_number(a / m_shape.m);
        applied.mutable_delta_applied()->set_position(a % m_shape.m);
        applied.mutable_delta_applied()->set_rank(rank);
        applied.mutable_delta_applied()->set_members(m_shape.m);
        applied.mutable_delta_applied()->set_sequence(m_shape.records + number);
        applied.mutable_delta_applied()->set_record_groups(m_shape.records);
        m_feed.tell(parity, applied);
        const std::uint64_t held = message("delta_ack", parity, bucket, number, bucket, delta);
        const std::uint64_t answer = message("reply", bucket, client, number, parity, held);
        pb::Event done = of(number, bucket, answer);
        done.mutable_operation_done()->set_kind(pb::INSERT);
        m_feed.tell(client, done);
    }

private:
    static pb::Event of(std::uint64_t operation, ProcessId cause = 0, std::uint64_t sequence = 0)
    {
        pb::Event event;
        event.mutable_operation()->set_client(kFileClients);
        event.mutable_operation()->set_number(operation);
        event.set_cause_process(cause);
        event.set_cause_sequence(sequence);
        return event;
    }
    std::uint64_t message(const char* kind, ProcessId from, ProcessId to, std::uint64_t operation, ProcessId cause = 0,
        std::uint64_t sequence = 0)
    {
        pb::Event sent = of(operation, cause, sequence);
        sent.mutable_message_sent()->set_kind(kind);
        sent.mutable_message_sent()->set_to(to);
        sent.mutable_message_sent()->set_id(++m_messages);
        const std::uint64_t departure = m_feed.tell(from, sent);
        pb::Event received = of(operation, from, departure);
        received.mutable_message_received()->set_kind(kind);
        received.mutable_message_received()->set_from(from);
        received.mutable_message_received()->set_id(m_messages);
        m_feed.tell(to, received);
        return departure;
    }

    ListFeed& m_feed;
    const FileShape m_shape;
    std::uint64_t m_number = 0, m_messages = 0;
};

// CPU time of this thread: on a busy machine the wall time depends on other programs.
double cpuMilliseconds()
{
    timespec now {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

double quantile(const std::vector<double>& sorted, double q)
{
    return sorted.empty() ? 0 : sorted[std::min(sorted.size() - 1, std::size_t(q * double(sorted.size())))];
}

void measure(std::uint32_t buckets, int eventsPerSecond, double zoom, int frames, QSize size, const QString& picture)
{
    FileShape shape { buckets, 4, 1 };
    shape.b = 200;
    shape.records = 150;
    ListFeed feed;
    feed.known() = fileOf(shape);
    Pacer pacer(feed);
    Selection selection;
    ClusterCanvas canvas(pacer, selection);
    canvas.resize(size);
    canvas.show();
    if (!QTest::qWaitForWindowExposed(&canvas))
        std::fprintf(stderr, "bench_canvas: no window, so nothing is painted\n");
    Teller teller(feed, shape);
    double owed = 0;
    std::vector<double> all, cpu, pacing, making, painting;
    for (int i = -60; i < frames; ++i) {
        for (owed += eventsPerSecond / 60.0; owed > Teller::kEvents; owed -= Teller::kEvents)
            teller.insert();
        if (i == -30 && zoom > 1) // around a bucket in the middle
            canvas.zoomBy(zoom, canvas.rectOf({ ObjectKind::Data, buckets / 2, 0 }).center());
        const double worked = cpuMilliseconds();
        const Clock::time_point begin = Clock::now();
        pacer.advance(1.0 / 60);
        const Clock::time_point paced = Clock::now();
        canvas.refresh(1.0 / 60);
        const Clock::time_point made = Clock::now();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::UpdateRequest); // paints what the frame has changed
        const Clock::time_point end = Clock::now();
        if (i < 0)
            continue;
        const auto ms = [](Clock::time_point x, Clock::time_point y) {
            return std::chrono::duration<double, std::milli>(y - x).count();
        };
        all.push_back(ms(begin, end));
        cpu.push_back(cpuMilliseconds() - worked);
        pacing.push_back(ms(begin, paced));
        making.push_back(ms(paced, made));
        painting.push_back(ms(made, end));
    }
    for (auto* times : { &all, &cpu, &pacing, &making, &painting })
        std::sort(times->begin(), times->end());
    std::printf("%6u  %8d  %5.1f  %7.2f  %7.2f  %7.2f  %7.2f  %7.2f  %7.2f  %7.2f  %6zu  %6zu  %s\n", buckets,
        eventsPerSecond, canvas.zoom(), quantile(all, 0.5), quantile(all, 0.95), all.back(), quantile(cpu, 0.95),
        quantile(pacing, 0.95), quantile(making, 0.95), quantile(painting, 0.95),
        canvas.restingPicture().items().size(), canvas.movingPicture().items().size(),
        pacer.isLive() ? "live" : "slow show");
    std::fflush(stdout);
    if (!picture.isEmpty())
        canvas.grab().save(picture.arg(buckets).arg(eventsPerSecond));
}

} // namespace

int main(int count, char** arguments)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(count, arguments);
    QApplication::setStyle(new FieldStyle);
    Theme::registerFonts();
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Frames of the canvas alone, by the number of buckets."));
    parser.addHelpOption();
    const QCommandLineOption buckets(QStringLiteral("buckets"), QStringLiteral("Data buckets, several with commas."),
        QStringLiteral("N"), QStringLiteral("64,256,1024,3000"));
    const QCommandLineOption rate(QStringLiteral("rate"), QStringLiteral("Events a second, several with commas."),
        QStringLiteral("N"), QStringLiteral("0,300,20000"));
    const QCommandLineOption zoom(QStringLiteral("zoom"), QStringLiteral("Of the groups, several with commas."),
        QStringLiteral("X"), QStringLiteral("1,6"));
    const QCommandLineOption frames(
        QStringLiteral("frames"), QStringLiteral("Of each measurement."), QStringLiteral("N"), QStringLiteral("300"));
    const QCommandLineOption size(
        QStringLiteral("size"), QStringLiteral("Of the canvas."), QStringLiteral("WxH"), QStringLiteral("1280x520"));
    const QCommandLineOption picture(QStringLiteral("picture"),
        QStringLiteral("Keep the last frame; %1 is the number of buckets, %2 the rate."), QStringLiteral("FILE.png"));
    parser.addOptions({ buckets, rate, zoom, frames, size, picture });
    parser.process(application);
    const QStringList sides = parser.value(size).split('x');
    const QSize pixels(std::max(640, sides.value(0).toInt()), std::max(300, sides.value(1).toInt()));
    std::printf("canvas of %d x %d, %s frames each; times in ms; p95 of the processor time and of the parts: pacer "
                "(fold and copies of the state), making of the picture, painting\n",
        pixels.width(), pixels.height(), qPrintable(parser.value(frames)));
    std::printf("%6s  %8s  %5s  %7s  %7s  %7s  %7s  %7s  %7s  %7s  %6s  %6s  %s\n", "bucket", "events/s", "zoom", "p50",
        "p95", "most", "cpu", "pacer", "making", "paint", "rest", "moving", "picture");
    for (const QString& n : parser.value(buckets).split(','))
        for (const QString& events : parser.value(rate).split(','))
            for (const QString& factor : parser.value(zoom).split(','))
                measure(std::max(1u, n.toUInt()), std::max(0, events.toInt()), std::clamp(factor.toDouble(), 1.0, 32.0),
                    std::max(10, parser.value(frames).toInt()), pixels, parser.value(picture));
    return 0;
}
