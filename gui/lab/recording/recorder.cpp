// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recorder.h"

#include "gui/lab/state/keyframe.h"
#include "gui/lab/recording/recording_place.h"
#include "gui/lab/recording/recording_writer.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QFileInfo>

#include <chrono>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::chrono::milliseconds kTurn(500); // the longest time between transactions
constexpr std::chrono::milliseconds kGather(50); // gathers entries, because each wake-up interrupts another process
constexpr std::size_t kCapturedMax = 100'000; // readings whose digests are remembered
constexpr std::uint64_t kMarkerDistance = 1'000; // minimum number of events between markers that get a keyframe
constexpr std::size_t kItemBytes = 256; // memory cost of a queue entry besides its event
constexpr std::size_t kItemsAtOnce = 64; // entries written between updates of the queue's size

// grow.lhrun -> grow-2.lhrun
QString pathOfPart(const QString& path, int part)
{
    if (part == 1)
        return path;
    const QFileInfo info(path);
    return info.path() + "/" + info.completeBaseName() + "-" + QString::number(part) + "." + info.suffix();
}

} // namespace

// One entry of the queue: an event, a report, a state, or a row of another table.
struct Recorder::Item {
    ProcessId process = 0;
    std::int64_t runNs = 0;
    std::shared_ptr<const pb::Event> event = {};
    std::shared_ptr<const pb::Told> told = {};
    std::shared_ptr<const ClusterState> state = {};
    // If columns contains "event", the id of the newest event is put before the values.
    QString table = {}, columns = {};
    QVariantList values = {};
    QString reason = {}; // of a gap
    std::map<QString, QVariant> metrics = {};
    int row = 0; // of a measurement in its table
    std::size_t bytes = 0;
};

// Data of the writing thread.
struct Recorder::Thread {
    Recorder& recorder;
    RecordingWriter writer = {};
    int part = 1;
    bool wantsNextFile = false;
    struct Moment {
        QVariant ns, event;
    };
    struct Interval {
        Moment begin, end;
    };
    Moment measuringSince = {};
    // By table and row; the rows themselves arrive at the end.
    std::map<std::pair<QString, int>, Interval> measured = {};

    QString begin()
    {
        auto meta = recorder.m_meta;
        meta["part"] = QString::number(part);
        return writer.create(pathOfPart(recorder.m_path, part), meta);
    }

    // Begins the next file with this state.
    void roll(const Item& item)
    {
        wantsNextFile = false;
        writer.finish();
        const QString error = writer.error();
        if (!error.isEmpty())
            return stop(error);
        ++part;
        {
            const std::lock_guard lock(recorder.m_mutex);
            recorder.m_captured.clear(); // the next file contains none of them
        }
        measuringSince = {};
        measured.clear(); // their events are in the former file
        // A writer serves one file only.
        std::destroy_at(&writer);
        std::construct_at(&writer);
        if (const QString problem = begin(); !problem.isEmpty())
            return stop(problem);
        writer.addKeyframe(*item.state, item.runNs);
    }

    void stop(const QString& why)
    {
        const std::lock_guard lock(recorder.m_mutex);
        if (recorder.m_status.stopped.isEmpty())
            recorder.m_status.stopped = why;
    }

    void write(const Item& item)
    {
        if (item.event) {
            writer.addEvent(item.process, *item.event, item.runNs);
        } else if (item.told) {
            writer.addTold(item.process, *item.told, item.runNs, item.reason);
        } else if (item.state) {
            if (wantsNextFile)
                roll(item);
            else
                writer.addKeyframe(*item.state, item.runNs);
        } else if (item.table == "meta") {
            writer.setMeta(item.values[0].toString(), item.values[1].toString());
        } else if (item.table == "measuring") {
            measuringSince = { item.values[0], stored(writer.lastEvent()) };
        } else if (item.table == "measured") {
            measured[{ item.values[1].toString(), item.values[2].toInt() }] = { std::exchange(measuringSince, {}),
                { item.values[0], stored(writer.lastEvent()) } };
        } else if (item.table == "measurement") {
            const auto known = measured.find({ item.values[0].toString(), item.row });
            const Interval when = known == measured.end() ? Interval() : known->second;
            writer.addMeasurement("begin_ns,begin_event,end_ns,end_event," + item.columns,
                QVariantList { when.begin.ns, when.begin.event, when.end.ns, when.end.event } + item.values,
                item.metrics);
        } else {
            QVariantList values = item.values;
            if (item.columns.startsWith("event,"))
                values.prepend(qlonglong(writer.lastEvent()));
            writer.addRow(item.table, item.columns, values);
        }
    }

    // Called after each transaction: checks file size and disk space.
    void look()
    {
        const std::int64_t bytes = writer.fileBytes();
        const DiskRoom disk = roomAt(QFileInfo(recorder.m_path).absolutePath());
        if (bytes >= recorder.m_limits.fileBytes && !wantsNextFile) {
            wantsNextFile = true;
            recorder.m_wantsKeyframe = true;
        }
        if (disk.isKnown && disk.free < recorder.m_limits.freeBytes && writer.isOpen()) {
            writer.finish();
            stop(QString(
                "The recording ended, and the run goes on without it: less than %1 MiB is free on the disk of %2.")
                     .arg(recorder.m_limits.freeBytes >> 20)
                     .arg(recorder.m_path));
        }
        if (!writer.error().isEmpty())
            stop(writer.error());
        const std::lock_guard lock(recorder.m_mutex);
        recorder.m_status.path = pathOfPart(recorder.m_path, part);
        recorder.m_status.bytes = bytes;
        recorder.m_status.room = std::max<std::int64_t>(0, disk.free - recorder.m_limits.freeBytes);
    }
};

Recorder::Recorder(
    QString path, std::map<QString, QString> meta, std::function<std::int64_t()> now, RecorderLimits limits)
    : m_path(std::move(path)), m_meta(std::move(meta)), m_now(std::move(now)), m_limits(limits)
{
    m_status.path = m_path;
}

Result<std::unique_ptr<Recorder>> Recorder::start(
    const QString& path, std::map<QString, QString> meta, std::function<std::int64_t()> now, RecorderLimits limits)
{
    std::unique_ptr<Recorder> recorder(new Recorder(path, std::move(meta), std::move(now), limits));
    // The writing thread must create the file, because a Qt database connection belongs to one thread. Its result is
    // awaited.
    std::mutex mutex;
    std::condition_variable made;
    std::optional<QString> error;
    recorder->m_thread = std::jthread([&recorder = *recorder, &mutex, &made, &error] {
        Thread thread { recorder };
        const QString problem = thread.begin();
        {
            const std::lock_guard lock(mutex);
            error = problem;
            made.notify_all();
        }
        if (problem.isEmpty())
            recorder.run(thread);
    });
    std::unique_lock lock(mutex);
    made.wait(lock, [&] { return error.has_value(); });
    if (!error->isEmpty())
        return Error { error->toStdString() };
    return recorder;
}

Recorder::~Recorder() { finish(); }

Recorder::Status Recorder::status() const
{
    const std::lock_guard lock(m_mutex);
    return m_status;
}

void Recorder::flush()
{
    std::unique_lock lock(m_mutex);
    const std::uint64_t wanted = ++m_flushWanted;
    m_changed.notify_all();
    m_changed.wait(lock, [&] { return m_flushed >= wanted || m_isEnding || !m_status.stopped.isEmpty(); });
}

void Recorder::hurry()
{
    {
        const std::lock_guard lock(m_mutex);
        ++m_flushWanted;
    }
    m_changed.notify_all();
}

QString Recorder::finish()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
    return status().stopped;
}

void Recorder::discard()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isDiscarded = true;
    }
    finish();
}

void Recorder::push(Item item)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_isEnding || !m_status.stopped.isEmpty())
            return;
        m_itemBytes += item.bytes;
        m_items.push_back(std::move(item));
    }
    m_changed.notify_all();
}

void Recorder::row(const QString& table, const QString& columns, const QVariantList& values)
{
    push({ .table = table, .columns = columns, .values = values, .bytes = kItemBytes });
}

void Recorder::caption(
    const QString& kind, const QString& step, const QString& text, const QString& source, const Cue& at)
{
    if (at.isThere())
        row("caption", "t_ns,event,step,kind,text,source",
            { qlonglong(at.ns), stored(at.event), step, kind, text, source });
    else
        row("caption", "event,t_ns,step,kind,text,source", { qlonglong(m_now()), step, kind, text, source });
}

void Recorder::reel(const ReelEntry& entry)
{
    const QByteArray json = jsonOf(entry);
    push({ .table = "reel",
        .columns = "t_ns,event,kind,entry",
        .values = { qlonglong(entry.at.ns), stored(entry.at.event), kindWord(entry.kind), QString::fromUtf8(json) },
        .bytes = kItemBytes + std::size_t(json.size()) });
}

void Recorder::marker(const QString& kind, const QString& text, const QString& source)
{
    row("marker", "event,t_ns,kind,text,source", { qlonglong(m_now()), kind, text, source });
    const std::lock_guard lock(m_mutex);
    if (m_status.events - m_markerAt >= kMarkerDistance) {
        m_markerAt = m_status.events;
        m_wantsKeyframe = true;
    }
}

void Recorder::expectation(const Expectation& e)
{
    row("expectation", "event,t_ns,line,text,ok,detail",
        { qlonglong(m_now()), e.line, e.text, int(e.isHeld), e.detail });
}

void Recorder::question(const Question& question, const QString& votes, int answer)
{
    QString choices;
    for (const QString& choice : question.choices)
        choices += (choices.isEmpty() ? "" : "\n") + choice;
    row("question", "t_ns,text,choices,votes,answer", { qlonglong(m_now()), question.text, choices, votes, answer });
}

void Recorder::capture(const CapturedPart& part)
{
    const QByteArray digest = QCryptographicHash::hash(part.body, QCryptographicHash::Sha256);
    {
        const std::lock_guard lock(m_mutex);
        if (m_captured.size() > kCapturedMax)
            m_captured.clear();
        QByteArray& known = m_captured[{ part.place, part.first }];
        if (known == digest)
            return;
        known = digest;
    }
    push({ .table = "capture",
        .columns = "event,t_ns,place,rank_first,rank_count,digest,body",
        .values = { qlonglong(m_now()), qlonglong(part.place), part.first, part.count, digest, part.body },
        .bytes = kItemBytes + std::size_t(part.body.size()) });
}

void Recorder::command(const CallRecord& call, const QString& source)
{
    row("command", "event,t_ns,source,line,call,arguments,reply,ok,took_ns",
        { qlonglong(m_now()), source, call.line, call.name, call.arguments, call.reply, int(call.isOk),
            qlonglong(call.tookNs) });
}

void Recorder::scenario(const QString& name, const QString& text)
{
    const QByteArray sum = QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex();
    row("scenario", "name,sha256,text", { name, QString::fromLatin1(sum), text });
}

void Recorder::config(const QString& name, const QString& json) { row("config", "name,json", { name, json }); }

void Recorder::meta(const QString& key, const QString& value) { row("meta", "key,value", { key, value }); }

void Recorder::measurement(const QString& name, int repetition, bool isWarmUp, int faults, const QString& factors,
    const QString& detail, const std::map<QString, QVariant>& metrics, int row)
{
    push({ .table = "measurement",
        .columns = "name,repetition,warm_up,faults,factors,detail",
        .values = { name, repetition, int(isWarmUp), faults, factors, detail },
        .metrics = metrics,
        .row = row,
        .bytes = kItemBytes });
}

void Recorder::measuring() { row("measuring", {}, { qlonglong(m_now()) }); }

void Recorder::measured(const QString& name, int number) { row("measured", {}, { qlonglong(m_now()), name, number }); }

// ---- called by the ingest thread

Recorder::Item Recorder::gapItem(ProcessId process, const Loss& loss, std::int64_t runNs)
{
    auto told = std::make_shared<pb::Told>();
    told->mutable_gap()->set_first(loss.first);
    told->mutable_gap()->set_last(loss.last);
    return { .process = process,
        .runNs = runNs,
        .told = std::move(told),
        .reason = "the recorder's queue was full",
        .bytes = kItemBytes };
}

void Recorder::tellLosses(std::int64_t runNs)
{
    std::map<ProcessId, Loss> losses;
    {
        const std::lock_guard lock(m_mutex);
        if (m_losses.empty() || m_itemBytes > m_limits.queueBytes / 2)
            return;
        losses.swap(m_losses);
    }
    for (const auto& [process, loss] : losses)
        push(gapItem(process, loss, runNs));
    m_wantsKeyframe = true; // restores the effect of the lost events
}

void Recorder::onEvent(
    ProcessId process, const std::shared_ptr<const pb::Event>& event, std::int64_t runNs, std::size_t bytes)
{
    bool isFirst = false; // the thread may be asleep and must be woken
    {
        const std::lock_guard lock(m_mutex);
        isFirst = m_items.empty();
        ++m_status.events;
        if (m_itemBytes + bytes > m_limits.queueBytes || !m_losses.empty()) {
            ++m_status.lost;
            Loss& loss = m_losses.try_emplace(process, Loss { event->sequence(), 0 }).first->second;
            loss.last = event->sequence();
        } else {
            m_itemBytes += bytes + kItemBytes;
            m_items.push_back({ .process = process, .runNs = runNs, .event = event, .bytes = bytes + kItemBytes });
        }
    }
    if (++m_eventsSinceKeyframe >= m_limits.keyframeEvents)
        m_wantsKeyframe = true;
    tellLosses(runNs);
    if (isFirst)
        m_changed.notify_all();
}

void Recorder::onTold(ProcessId process, const pb::Told& told, std::int64_t runNs)
{
    push({ .process = process,
        .runNs = runNs,
        .told = std::make_shared<pb::Told>(told),
        .reason = "never arrived",
        .bytes = kItemBytes + told.ByteSizeLong() });
}

void Recorder::onKeyframe(const ClusterState& state, std::int64_t runNs)
{
    m_eventsSinceKeyframe = 0;
    m_wantsKeyframe = false;
    push({ .runNs = runNs, .state = std::make_shared<ClusterState>(state), .bytes = kItemBytes });
}

void Recorder::onInvariant(const InvariantShown& invariant, std::int64_t runNs)
{
    // Time and count have columns of their own; only the reason is kept here.
    const QString words = QString::fromStdString(invariant.detail);
    const QString why = invariant.state == InvariantState::Violated ? words.section(": ", 1)
        : invariant.state == InvariantState::Holds                  ? QString()
                                                                    : words.section(';', 0, 0);
    row("lamp", "event,t_ns,invariant,state,checks,detail",
        { qlonglong(runNs), QString::fromStdString(invariantName(invariant.number)),
            QString::fromLatin1(invariantStateWord(invariant.state)), QVariant(qulonglong(invariant.checks)), why });
}

// ---- the writing thread

void Recorder::run(Thread& thread)
{
    auto looked = std::chrono::steady_clock::now();
    while (true) {
        std::deque<Item> items;
        bool isEnding = false, isDiscarded = false;
        std::uint64_t flush = 0;
        {
            std::unique_lock lock(m_mutex);
            const auto isWanted = [this] { return m_isEnding || m_flushWanted > m_flushed; };
            m_changed.wait_for(lock, kTurn, [&] { return !m_items.empty() || isWanted(); });
            m_changed.wait_for(lock, kGather, isWanted);
            items.swap(m_items);
            isEnding = m_isEnding;
            isDiscarded = m_isDiscarded;
            flush = m_flushWanted;
        }
        if (isDiscarded)
            return thread.writer.abandon();
        std::size_t written = 0, bytes = 0;
        for (const Item& item : items) {
            thread.write(item);
            thread.writer.commitIfDue(false);
            if (thread.writer.bytesSinceKeyframe() >= m_limits.keyframeBytes)
                m_wantsKeyframe = true;
            bytes += item.bytes;
            if (++written % kItemsAtOnce != 0 && written < items.size())
                continue;
            const std::lock_guard lock(m_mutex);
            m_itemBytes -= std::exchange(bytes, 0);
        }
        thread.writer.commitIfDue(flush > m_flushed);
        if (flush > m_flushed) {
            const std::lock_guard lock(m_mutex);
            m_flushed = flush;
            m_changed.notify_all();
        }
        if (const auto now = std::chrono::steady_clock::now(); now - looked >= kTurn || isEnding) {
            looked = now;
            thread.look();
        }
        if (isEnding)
            break;
    }
    std::map<ProcessId, Loss> losses;
    {
        const std::lock_guard lock(m_mutex);
        losses.swap(m_losses);
    }
    for (const auto& [process, loss] : losses)
        thread.write(gapItem(process, loss, m_now()));
    thread.writer.finish();
    if (!thread.writer.error().isEmpty())
        thread.stop(thread.writer.error());
}

} // namespace lhrs::gui
