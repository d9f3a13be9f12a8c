// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/event_ring.h"
#include "gui/lab/recording/recording_file.h"
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

// Reads an .lhrun file (window.md 5.1), and trusts nothing in it: the file is opened read-only (a copy, if it was never
// closed), compared with its checksums, only known tables are asked, bodies are bounded and parsed as from the wire. Of one thread.
class Recording {
public:
    static constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

    // An error says what the file is, and what to do.
    static Result<std::unique_ptr<Recording>> open(const QString& path);

    // The file that a recorder of this program is writing: what is committed by now, and with refresh() by then.
    static Result<std::unique_ptr<Recording>> openLive(const QString& path);
    void refresh();

    QString meta(const QString& key) const; // empty: no such key
    bool isSimulated() const { return meta("simulated") == "1"; }
    // What is missing or not as it was written, in one sentence; empty: all is there.
    QString damage() const { return m_damage; }
    // That the run has no end, because its program was killed; empty: it has one.
    QString unfinished() const { return m_unfinished; }

    // Events and gaps are numbered from 1; one that is missing in the file comes as a gap.
    std::uint64_t events() const { return m_events; }
    std::int64_t beginNs() const { return m_beginNs; }
    std::int64_t endNs() const { return m_endNs; }
    // The newest event that is not later; 0: none is.
    std::uint64_t eventAt(std::int64_t ns);
    // The event with this number of that process; 0: it is not there.
    std::uint64_t eventNumbered(ProcessId process, std::uint64_t sequence);
    // As the ring of a live run: events above the cursor, at most `max`. One that cannot be read comes as a gap.
    EventPage eventsSince(std::uint64_t cursor, std::size_t max);
    // The state when this event had been folded, from the keyframe before it.
    // `told`: takes the last word that it has (id of the table told). Of what was told after the event it has what was told by `ns`.
    Result<ClusterState> stateAt(std::uint64_t event, std::uint64_t* told = nullptr, std::int64_t ns = kEndOfTime);
    // Takes a state from one event to a later one. False: what lies between cannot be read. `told`: the last word that the state
    // has; while a run is still recorded, words for an event that has been passed may come later.
    bool fold(ClusterState& state, std::uint64_t from, std::uint64_t to);
    bool fold(ClusterState& state, std::uint64_t from, std::uint64_t to, std::uint64_t& told, std::int64_t ns) { return foldTail(state, from, told, to, ns); }
    // Of these kinds (numbers of the body), above the cursor; the next, or with `isBack` the last at or below it. 0: none.
    std::uint64_t nextOf(const std::vector<int>& kinds, std::uint64_t cursor, bool isBack);
    std::vector<RunEvent> allOf(const std::vector<int>& kinds);
    // Those of them in (cursor, last], at most `max`; `next` of the page is where to go on.
    EventPage eventsOf(const std::vector<int>& kinds, std::uint64_t cursor, std::uint64_t last, std::size_t max);
    // What was told besides events, gaps and samples of watched nodes excepted, in order; `event`: the one after which it stands.
    struct Word {
        std::uint64_t event = 0;
        ProcessId process = 0;
        std::int64_t tNs = 0;
        pb::Told told;
    };
    std::vector<Word> words();
    // How many events there are in each of so many equal parts of the run.
    std::vector<std::uint32_t> density(int parts);
    // Keyframes by the event before them, ascending.
    std::vector<std::uint64_t> keyframes();

    struct Note { // of caption or marker
        std::uint64_t event = 0;
        std::int64_t tNs = 0;
        QString kind, step, text;
    };
    std::vector<Note> captions() { return notes("caption"); }
    std::vector<Note> markers() { return notes("marker"); }
    // What the scenario showed and said, in order. Of a file that was made before there was a reel, and of one of which nothing is
    // readable there: none.
    std::vector<ReelEntry> reel();
    // What was read of these ranks of a place up to that event, the newest reading of each rank; nothing: nobody had read
    // any of them.
    std::optional<pb::ContentsPage> captured(const pb::Place& place, std::uint32_t rankFrom, std::uint32_t count, std::uint64_t event);
    // All rows of a known table, columns by name; for exports.
    std::vector<std::map<QString, QVariant>> rows(const QString& table);

private:
    Recording() = default;
    QString prepare(const QString& path);
    QString makeCopy(bool hasLog, qint64 length);
    QString checkTables();
    void complete();
    void measure(bool isCut, bool hasEnd);
    void scan(const QString& columns, const QString& condition, std::uint64_t from, std::uint64_t last, const std::function<bool(const QSqlQuery&)>& take);
    std::vector<Note> notes(const QString& table);
    Result<ClusterState> stateOfKeyframe(std::uint64_t keyframe, const QByteArray& body);
    // `told`: the last word that is in the state; afterwards that of `until`.
    bool foldTail(ClusterState& state, std::uint64_t event, std::uint64_t& told, std::uint64_t until, std::int64_t ns);
    std::uint64_t lastWordOf(std::uint64_t event, std::int64_t ns);
    std::uint64_t lastToldAt(std::uint64_t event);
    static RunEvent entryOf(const QSqlQuery& row);

    QString m_path, m_damage, m_unfinished;
    std::uint32_t m_version = kRecordingVersion;
    std::map<QString, std::int64_t> m_written; // rows of each table, as the sums tell
    std::unique_ptr<QTemporaryDir> m_copy;
    RecordingConnection m_connection;
    std::map<QString, QString> m_meta;
    std::uint64_t m_events = 0;
    std::int64_t m_beginNs = 0, m_endNs = 0;
};

} // namespace lhrs::gui
