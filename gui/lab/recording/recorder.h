// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/recording/rows/captured_part.h"
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
    // Limit of data waiting to be written; beyond it events are lost, and the loss is reported.
    std::size_t queueBytes = 128u << 20;
    std::int64_t fileBytes = std::int64_t(8) << 30; // then the next file begins: NAME-2.lhrun
    // Free disk space; below it the recording ends (limitsFor in recording_place.h).
    std::int64_t freeBytes = std::int64_t(1) << 30;
    std::uint64_t keyframeEvents = 20'000;
    std::uint64_t keyframeBytes = 4u << 20;
};

// Records a run into an .lhrun file, with a queue and one writing thread. A caller never waits for the disk. When the
// disk is full the view continues, and status() says why the recording has stopped.
class Recorder : public RunSink {
public:
    // `meta`: the recording's description of its run (metaOf); `now`: the run's clock, in ns. An error says why there
    // is no recording.
    static Result<std::unique_ptr<Recorder>> start(const QString& path, std::map<QString, QString> meta,
        std::function<std::int64_t()> now, RecorderLimits limits = {});
    ~Recorder() override;

    struct Status {
        QString path; // of the present file
        std::uint64_t events = 0; // given so far
        std::uint64_t lost = 0; // of those, not recorded
        std::int64_t bytes = 0; // size of the present file at the last transaction
        std::int64_t room = 0; // by how much it could still grow, given the free disk space at that time
        QString stopped; // why the recording has stopped; empty: it goes on
    };
    Status status() const;

    // Waits until everything given so far is in the file and visible to Recording::openLive.
    void flush();
    // The same, without waiting for it.
    void hurry();
    // Writes the queue, completes the file and closes it. Returns an error sentence, or empty if complete. Later
    // calls have no effect.
    QString finish();
    // Ends without completing a file that is no longer wanted. Completing it could take as long as the run.
    void discard();

    // ---- reports besides events; any thread

    // kind: step, say, note, print, camera. `source`: window, scenario, play. Placed at the cue; without one, after
    // the last written event.
    void caption(
        const QString& kind, const QString& step, const QString& text, const QString& source, const Cue& at = {});
    // One entry of what a scenario shows and says.
    void reel(const ReelEntry& entry);
    void marker(const QString& kind, const QString& text, const QString& source);
    void expectation(const Expectation& expectation);
    void question(const Question& question, const QString& votes, int answer);
    void command(const CallRecord& call, const QString& source);
    // What was read of a place. A part equal to the last one from that number on is not written again.
    void capture(const CapturedPart& part);
    void scenario(const QString& name, const QString& text);
    void config(const QString& name, const QString& json);
    void meta(const QString& key, const QString& value);
    // Marks the start of an observation, and its end with its table and its row, from 1.
    void measuring();
    void measured(const QString& name, int row);
    // One observation: its factors, and its metrics with units. `row`: as passed to measured(); 0: its interval is
    // unknown.
    void measurement(const QString& name, int repetition, bool isWarmUp, int faults, const QString& factors,
        const QString& detail, const std::map<QString, QVariant>& metrics, int row = 0);

    // ---- called by the ingest thread
    void onEvent(ProcessId process, const std::shared_ptr<const pb::Event>& event, std::int64_t runNs,
        std::size_t bytes) override;
    void onTold(ProcessId process, const pb::Told& told, std::int64_t runNs) override;
    bool wantsKeyframe() const override { return m_wantsKeyframe.load(std::memory_order_relaxed); }
    void onKeyframe(const ClusterState& state, std::int64_t runNs) override;
    void onInvariant(const InvariantShown& invariant, std::int64_t runNs) override;

private:
    struct Item;
    struct Thread;
    Recorder(QString path, std::map<QString, QString> meta, std::function<std::int64_t()> now, RecorderLimits limits);
    struct Loss {
        std::uint64_t first = 0, last = 0;
    };
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
    std::uint64_t m_eventsSinceKeyframe = 0; // ingest thread only

    mutable std::mutex m_mutex; // guards the members below
    std::condition_variable m_changed;
    std::deque<Item> m_items;
    std::size_t m_itemBytes = 0;
    std::map<ProcessId, Loss> m_losses; // losses since the queue became full
    // Digests of captured parts, by place and first number.
    std::map<std::pair<std::int64_t, std::uint32_t>, QByteArray> m_captured;
    std::uint64_t m_markerAt = 0; // event count at the last marker with a keyframe
    bool m_isEnding = false, m_isDiscarded = false;
    std::uint64_t m_flushWanted = 0, m_flushed = 0;
    Status m_status;
    std::jthread m_thread;
};

} // namespace lhrs::gui
