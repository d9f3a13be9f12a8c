// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/reel/reel.h"
#include "gui/lab/series/run_sink.h"
#include "gui/lab/reel/script_observer.h"

#include <QString>
#include <QVariant>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace lhrs::gui {

struct RecorderLimits {
    std::size_t queueBytes = 128u << 20;        // of what waits to be written; beyond it events are lost, and said
    std::int64_t fileBytes = std::int64_t(8) << 30; // then the next file begins: NAME-2.lhrun
    std::int64_t freeBytes = std::int64_t(1) << 30; // of the disk; below it the recording ends (limitsFor of recording_place.h)
    std::uint64_t keyframeEvents = 20'000;
    std::uint64_t keyframeBytes = 4u << 20;
};

// Records a run into an .lhrun file (window.md 5.1): a queue and one thread that writes. Who gives something never waits
// for the disk. When the disk is full the view goes on, and status() says why the recording does not.
class Recorder : public RunSink {
public:
    // `meta`: what the recording says of its run (metaOf); `now`: the run's clock, in ns. An error says why there is no recording.
    static Result<std::unique_ptr<Recorder>> start(const QString& path, std::map<QString, QString> meta,
        std::function<std::int64_t()> now, RecorderLimits limits = {});
    ~Recorder() override;

    struct Status {
        QString path;              // of the present file
        std::uint64_t events = 0;  // given so far
        std::uint64_t lost = 0;    // of those, not recorded
        std::int64_t bytes = 0;    // of the present file, as of the last transaction
        std::int64_t room = 0;     // by how much it may still grow, as the disk was then
        QString stopped;           // why nothing is recorded any more; empty: recording
    };
    Status status() const;

    // Waits until what was given is in the file, where Recording::openLive sees it.
    void flush();
    // The same without waiting for it.
    void hurry();
    // Writes what waits, completes and closes the file. An error is a sentence, empty: complete. Later calls change nothing.
    QString finish();
    // Ends without completing the file, which nobody wants any more: an end as long as the run is not waited for.
    void discard();

    // ---- what is told besides events; any thread

    // kind: step, say, note, print, camera. `source`: window, scenario, play. It stands at the cue; none: at what was written last.
    void caption(const QString& kind, const QString& step, const QString& text, const QString& source, const Cue& at = {});
    // What a scenario shows and says, entry by entry.
    void reel(const ReelEntry& entry);
    void marker(const QString& kind, const QString& text, const QString& source);
    void expectation(const Expectation& expectation);
    void question(const Question& question, const QString& votes, int answer);
    void command(const CallRecord& call, const QString& source);
    // Contents of a bucket that were asked for from that rank on, as many ranks; what is the same as the last time is not
    // written again.
    void capture(const pb::ContentsPage& page, std::uint32_t rankFrom, std::uint32_t count);
    void scenario(const QString& name, const QString& text);
    void config(const QString& name, const QString& json);
    void meta(const QString& key, const QString& value);
    // An observation begins now; it has ended now, and is this row of that table, from 1.
    void measuring();
    void measured(const QString& name, int row);
    // One observation: its factors, and its numbers with their units. `row`: as measured() had it, 0: nobody said when it was.
    void measurement(const QString& name, int repetition, bool isWarmUp, int faults, const QString& factors, const QString& detail,
        const std::map<QString, QVariant>& metrics, int row = 0);

    // ---- from the ingest thread
    void onEvent(ProcessId process, const std::shared_ptr<const pb::Event>& event, std::int64_t runNs, std::size_t bytes) override;
    void onTold(ProcessId process, const pb::Told& told, std::int64_t runNs) override;
    bool wantsKeyframe() const override { return m_wantsKeyframe.load(std::memory_order_relaxed); }
    void onKeyframe(const ClusterState& state, std::int64_t runNs) override;
    void onLamp(const LampShown& lamp, std::int64_t runNs) override;

private:
    struct Item;
    struct Thread;
    Recorder(QString path, std::map<QString, QString> meta, std::function<std::int64_t()> now, RecorderLimits limits);
    struct Loss { std::uint64_t first = 0, last = 0; };
    void push(Item item);
    static Item gapItem(ProcessId process, const Loss& loss, std::int64_t runNs);
    void row(const QString& table, const QString& columns, const QVariantList& values);
    void tellLosses(std::int64_t runNs);
    void run(Thread& thread);

    const QString m_path;
    const std::map<QString, QString> m_meta;
    const std::function<std::int64_t()> m_now;
    const RecorderLimits m_limits;

    std::atomic<bool> m_wantsKeyframe { false };
    std::uint64_t m_eventsSinceKeyframe = 0; // of the ingest thread

    mutable std::mutex m_mutex;  // what follows
    std::condition_variable m_changed;
    std::deque<Item> m_items;
    std::size_t m_itemBytes = 0;
    std::map<ProcessId, Loss> m_losses; // since the queue was full
    std::map<std::pair<std::int64_t, std::uint32_t>, QByteArray> m_captured; // digests, by place and first rank
    std::uint64_t m_markerAt = 0;       // event count at the last marker that had a keyframe
    bool m_isEnding = false, m_isDiscarded = false;
    std::uint64_t m_flushWanted = 0, m_flushed = 0;
    Status m_status;
    std::jthread m_thread;
};

} // namespace lhrs::gui
