// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/process/event_ring.h"
#include "gui/lab/recording/rows/captured_part.h"
#include "gui/lab/recording/rows/recording_file.h"
#include "gui/lab/reel/reel.h"

#include <QString>
#include <QTemporaryDir>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lhrs::gui {

// Reads an .lhrun file, which is untrusted input. The file is opened read-only (a copy, if it was never closed) and
// compared with its checksums. Only known tables are queried; bodies are bounded and parsed as if received from the
// network. Used by one thread.
class Recording {
public:
    static constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

    // An error says what the file is, and what to do about it.
    static Result<std::unique_ptr<Recording>> open(const QString& path);

    // Opens the file that a recorder of this program is writing. It shows what is committed now; refresh() shows what
    // was committed later.
    static Result<std::unique_ptr<Recording>> openLive(const QString& path);
    void refresh();

    QString meta(const QString& key) const; // empty: no such key
    bool isSimulated() const { return meta("simulated") == "1"; }
    // What is missing or altered, in one sentence; empty if nothing is.
    QString damage() const { return m_damage; }
    // Says that the run has no end, because its program was killed; empty if it has one.
    QString unfinished() const { return m_unfinished; }

    // Events and gaps are numbered from 1; an event missing in the file is returned as a gap.
    std::uint64_t events() const { return m_events; }
    std::int64_t beginNs() const { return m_beginNs; }
    std::int64_t endNs() const { return m_endNs; }
    // The newest event at or before this time; 0: none.
    std::uint64_t eventAt(std::int64_t ns);
    // The event with this sequence number of the process; 0: it is missing.
    std::uint64_t eventNumbered(ProcessId process, std::uint64_t sequence);
    // The same interface as the ring of a live run: events above the cursor, at most `max`. An unreadable event is
    // returned as a gap.
    EventPage eventsSince(std::uint64_t cursor, std::size_t max);
    // The state after this event was folded, rebuilt from the keyframe before it. `told`: receives the id (table
    // told) of the last report in the state. Of the reports after the event, those made up to `ns` are included.
    Result<ClusterState> stateAt(std::uint64_t event, std::uint64_t* told = nullptr, std::int64_t ns = kEndOfTime);
    // Advances a state from one event to a later one. False: the events between cannot be read. `told`: the last
    // report in the state. While a run is still being recorded, a report may be added later for an event that has
    // been passed.
    bool fold(ClusterState& state, std::uint64_t from, std::uint64_t to);
    bool fold(ClusterState& state, std::uint64_t from, std::uint64_t to, std::uint64_t& told, std::int64_t ns)
    {
        return foldTail(state, from, told, to, ns);
    }
    // The next event of these kinds (field numbers of the body) above the cursor, or with `isBack` the last one at or
    // below it. 0: none.
    std::uint64_t nextOf(const std::vector<int>& kinds, std::uint64_t cursor, bool isBack);
    std::vector<RunEvent> allOf(const std::vector<int>& kinds);
    // The events of these kinds in (cursor, last], at most `max`; `next` of the page is the cursor for the next call.
    EventPage eventsOf(const std::vector<int>& kinds, std::uint64_t cursor, std::uint64_t last, std::size_t max);
    // A report besides events, in order; gaps and samples of watched nodes are left out. `event`: the event that it
    // follows.
    struct Word {
        std::uint64_t event = 0;
        ProcessId process = 0;
        std::int64_t tNs = 0;
        pb::Told told;
    };
    std::vector<Word> words();
    // The number of events in each of `parts` equal intervals of the run.
    std::vector<std::uint32_t> density(int parts);
    // The event before each keyframe, ascending.
    std::vector<std::uint64_t> keyframes();

    struct Note { // a caption or marker
        std::uint64_t event = 0;
        std::int64_t tNs = 0;
        QString kind, step, text;
    };
    std::vector<Note> captions() { return notes("caption"); }
    std::vector<Note> markers() { return notes("marker"); }
    // What the scenario showed and said, in order. Empty for a file from a version without a reel, and if none of it
    // is readable.
    std::vector<ReelEntry> reel();
    // Calls `take` with what was read up to that event of any of these numbers of a place, the newest first, until it
    // returns false.
    void captured(std::int64_t place, std::uint32_t first, std::uint32_t count, std::uint64_t event,
        const std::function<bool(const CapturedPart&)>& take);
    // All rows of a known table as maps of column names; for exports.
    std::vector<std::map<QString, QVariant>> rows(const QString& table);

private:
    Recording() = default;
    QString prepare(const QString& path);
    QString makeCopy(bool hasLog, qint64 length);
    QString checkTables();
    void complete();
    void measure(bool isCut, bool hasEnd);
    void scan(const QString& columns, const QString& condition, std::uint64_t from, std::uint64_t last,
        const std::function<bool(const QSqlQuery&)>& take);
    std::vector<Note> notes(const QString& table);
    Result<ClusterState> stateOfKeyframe(std::uint64_t keyframe, const QByteArray& body);
    // `told`: the last report in the state before the call; the last one up to `until` afterwards.
    bool foldTail(ClusterState& state, std::uint64_t event, std::uint64_t& told, std::uint64_t until, std::int64_t ns);
    std::uint64_t lastWordOf(std::uint64_t event, std::int64_t ns);
    std::uint64_t lastToldAt(std::uint64_t event);
    static RunEvent entryOf(const QSqlQuery& row);

    QString m_path, m_damage, m_unfinished;
    std::uint32_t m_version = kRecordingVersion;
    std::map<QString, std::int64_t> m_written; // rows of each table according to the checksums
    std::unique_ptr<QTemporaryDir> m_copy;
    RecordingConnection m_connection;
    std::map<QString, QString> m_meta;
    std::uint64_t m_events = 0;
    std::int64_t m_beginNs = 0, m_endNs = 0;
};

} // namespace lhrs::gui
