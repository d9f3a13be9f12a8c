// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_schema.h"

#include "gui/lab/recording/recording_systems.h"
#include "gui/lab/recording/rows/recorded_cells.h"

#include <iterator>
#include <vector>

namespace lhrs::gui {

namespace {

// event.grp, event.place: of the system (SystemNotes); event.op: process.op_base + the client's number.
constexpr RecordedTable kTables[] = {
    { "meta", "key TEXT PRIMARY KEY, value TEXT", 1, 3 },
    { "process",
        "id INTEGER PRIMARY KEY, name TEXT, kind TEXT, host TEXT, pid INTEGER, incarnation INTEGER, started_ns INTEGER,"
        " ended_ns INTEGER, endpoint TEXT, version TEXT, op_base INTEGER",
        1, 3 },
    { "clock", "process INTEGER, t_ns INTEGER, offset_ns INTEGER, error_ns INTEGER", 1, 1 },
    { "cluster",
        "number INTEGER PRIMARY KEY, first_event INTEGER, last_event INTEGER, begin_ns INTEGER, end_ns INTEGER", 2, 3 },
    { "event",
        "id INTEGER PRIMARY KEY, process INTEGER, seq INTEGER, t_ns INTEGER, kind INTEGER, op INTEGER, grp INTEGER,"
        " place INTEGER, body BLOB",
        1, 3 },
    { "event_kind", "kind INTEGER PRIMARY KEY, name TEXT, class TEXT", 1, 3 },
    { "told", "id INTEGER PRIMARY KEY, event INTEGER, process INTEGER, t_ns INTEGER, kind TEXT, body BLOB", 1, 3 },
    { "gap", "process INTEGER, seq_first INTEGER, seq_last INTEGER, t_ns INTEGER, reason TEXT, healed_by INTEGER", 1,
        3 },
    { "keyframe", "id INTEGER PRIMARY KEY, event INTEGER, told INTEGER, t_ns INTEGER, body BLOB", 1, 3 },
    { "keyframe_page", "place INTEGER, page INTEGER, keyframe INTEGER, body BLOB", 1, 3 },
    { "command",
        "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, source TEXT, line INTEGER, call TEXT, arguments TEXT,"
        " reply TEXT, ok INTEGER, took_ns INTEGER",
        1, 3 },
    { "fault",
        "id INTEGER PRIMARY KEY, command INTEGER, kind TEXT, target INTEGER, requested TEXT, achieved TEXT,"
        " begin_ns INTEGER, end_ns INTEGER, lease_ns INTEGER, ended_by TEXT, number INTEGER",
        1, 1 },
    { "fault_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, event INTEGER, command INTEGER, kind TEXT, target INTEGER, requested "
        "TEXT,"
        " achieved TEXT, begin_ns INTEGER, end_ns INTEGER, lease_ns INTEGER, ended_by TEXT, number"
        " INTEGER",
        2, 3 },
    { "caption", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, step TEXT, kind TEXT, text TEXT, source TEXT", 1,
        3 },
    { "marker", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, step TEXT, kind TEXT, text TEXT, source TEXT", 1,
        3 },
    { "reel", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, kind TEXT, entry TEXT", 3, 3 },
    { "question",
        "id INTEGER PRIMARY KEY, t_ns INTEGER, text TEXT, choices TEXT, votes TEXT, answer INTEGER, reveal_ns INTEGER",
        1, 3 },
    { "expectation",
        "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, line INTEGER, text TEXT, ok INTEGER, detail TEXT", 1, 3 },
    { "measurement",
        "id INTEGER PRIMARY KEY, name TEXT, case_number INTEGER, repetition INTEGER, warm_up INTEGER, factors TEXT,"
        " begin_event INTEGER, end_event INTEGER, faults INTEGER, detail TEXT",
        1, 1 },
    { "measurement",
        "id INTEGER PRIMARY KEY, name TEXT, repetition INTEGER, warm_up INTEGER, factors TEXT, begin_ns INTEGER, "
        "end_ns INTEGER,"
        " begin_event INTEGER, end_event INTEGER, faults INTEGER, detail TEXT",
        2, 3 },
    { "metric", "measurement INTEGER, name TEXT, value, unit TEXT", 1, 3 },
    { "lamp",
        "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, invariant TEXT, state TEXT, checks INTEGER, detail TEXT",
        1, 3 },
    { "capture",
        "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, place INTEGER, rank_first INTEGER, rank_count INTEGER,"
        " digest BLOB, body BLOB",
        1, 3 },
    { "operation",
        "op INTEGER PRIMARY KEY, client INTEGER, kind TEXT, key INTEGER, begin_ns INTEGER, end_ns INTEGER, result TEXT,"
        " place INTEGER, rank INTEGER, forwards INTEGER, iam INTEGER, path TEXT, resends INTEGER, messages"
        " INTEGER",
        1, 1 },
    { "operation_row",
        "op INTEGER PRIMARY KEY, cluster INTEGER, client INTEGER, kind TEXT, key INTEGER, begin_ns INTEGER, end_ns "
        "INTEGER,"
        " time_ns INTEGER, result TEXT, place INTEGER, rank INTEGER, forwards INTEGER, iam INTEGER,"
        " path TEXT, resends INTEGER,"
        " messages INTEGER, complete INTEGER",
        2, 3 },
    { "message_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, sent INTEGER, received INTEGER, sender INTEGER, receiver INTEGER, "
        "message INTEGER,"
        " kind TEXT, transport TEXT, size_bytes INTEGER, client INTEGER, op INTEGER, cause_process"
        " INTEGER, cause_seq INTEGER,"
        " resend INTEGER, lost_by TEXT",
        2, 3 },
    { "scenario", "name TEXT, sha256 TEXT, text TEXT", 1, 3 },
    { "config", "name TEXT, json TEXT", 1, 3 },
    { "segment", "name TEXT, first INTEGER, last INTEGER, rows INTEGER, sum TEXT", 2, 3 },
};

struct Index {
    const char* name;
    const char* columns;
};

constexpr Index kEventIndexes[] = {
    { "event_t", "t_ns" },
    { "event_op", "op" },
    { "event_kind_id", "kind, id" },
    { "event_process_seq", "process, seq" },
};

// Columns with the same names as in the CSV tables of scenarios/DATA.md.
// Formatted by hand: the macros stand inside of literals.
// clang-format off
constexpr const char* kViews[] = {
    "CREATE VIEW operation AS SELECT o.cluster, o.op & 17592186044415 AS op, " LHRS_NAME("o.client") " AS client,"
    " o.kind,"
    " CASE WHEN o.key >= 0 THEN o.key ELSE printf('%llu', o.key) END AS key, " LHRS_SECONDS("o.begin_ns") " AS begin_s,"
    " o.time_ns / 1e6 AS time_ms, o.result, 'data ' || o.place AS place, nullif(o.rank, 0) AS rank, o.forwards,"
    " o.iam, o.path, o.resends,"
    " o.messages AS messages_sent, (SELECT count(DISTINCT coalesce(f.number, -f.id)) FROM fault_row f WHERE f.cluster"
    " = o.cluster"
    " AND f.begin_ns <= coalesce(o.end_ns, o.begin_ns) AND (f.end_ns IS NULL OR f.end_ns >= o.begin_ns)) AS faults,"
    " o.complete"
    " FROM operation_row o",

    "CREATE VIEW message AS SELECT m.cluster, " LHRS_NAME("m.sender") " || ':' || printf('%x', m.message) AS id,"
    " CASE WHEN m.client IS NOT NULL THEN " LHRS_NAME("m.client") " END AS client, m.op,"
    " CASE WHEN m.cause_process IS NOT NULL THEN " LHRS_NAME("m.cause_process") " || ':' || m.cause_seq END AS cause,"
    " m.kind, m.transport,"
    " " LHRS_NAME("m.sender") " AS \"from\", CASE WHEN m.receiver IS NOT NULL THEN " LHRS_NAME("m.receiver") " END AS"
    " \"to\", m.size_bytes,"
    " " LHRS_SECONDS("(SELECT t_ns FROM event WHERE id = m.sent)") " AS sent_s,"
    " " LHRS_SECONDS("(SELECT t_ns FROM event WHERE id = m.received)") " AS received_s, m.resend, m.lost_by FROM"
    " message_row m",

    "CREATE VIEW fault AS SELECT f.cluster, f.number AS fault, f.kind, " LHRS_NAME("f.target") " AS target,"
    " f.requested, f.achieved,"
    " " LHRS_SECONDS("f.begin_ns") " AS begin_s, " LHRS_SECONDS("f.end_ns") " AS end_s, f.lease_ns / 1e9 AS lease_s,"
    " f.ended_by, c.source,"
    " c.line, c.call FROM fault_row f LEFT JOIN command c ON c.id = f.command",
};
// clang-format on

// The tables of all systems, after those of any run.
std::vector<RecordedTable> allTables()
{
    std::vector<RecordedTable> all(std::begin(kTables), std::end(kTables));
    for (const RecordedSystem* system : recordedSystems())
        all.insert(all.end(), system->tables.begin(), system->tables.end());
    return all;
}

} // namespace

QStringList recordingTables()
{
    QStringList statements;
    for (const RecordedTable& table : allTables())
        if (table.last == kRecordingVersion)
            statements << QString("CREATE TABLE %1 (%2)").arg(table.name, table.columns);
    // Few rows, searched while the file is open.
    statements << "CREATE INDEX keyframe_page_place ON keyframe_page(place, page, keyframe)";
    return statements + recordingViews();
}

QStringList recordingViews()
{
    QStringList all(std::begin(kViews), std::end(kViews));
    for (const RecordedSystem* system : recordedSystems())
        all += QStringList(system->views.begin(), system->views.end());
    return all;
}

QStringList recordingIndexes()
{
    QStringList statements;
    for (const Index& index : kEventIndexes)
        statements << QString("CREATE INDEX IF NOT EXISTS %1 ON event(%2)").arg(index.name, index.columns);
    return statements;
}

QStringList recordingIndexContents()
{
    QStringList all { "keyframe_page.keyframe_page_place(place, page, keyframe, rowid)" };
    for (const Index& index : kEventIndexes)
        all << QString("event.%1(%2)")
                   .arg(index.name,
                       QString(index.columns).endsWith("id") ? index.columns : QString(index.columns) + ", id");
    return all;
}

QStringList recordingColumns(std::uint32_t version)
{
    QStringList all;
    for (const RecordedTable& table : allTables()) {
        if (version < table.first || version > table.last)
            continue;
        QStringList names;
        for (const QString& column : QString(table.columns).split(','))
            names << column.trimmed().section(' ', 0, 0);
        all << QString("%1(%2)").arg(table.name, names.join(','));
    }
    return all;
}

QString recordingTable(const QString& thing, std::uint32_t version)
{
    const bool isView = version >= 2 && (thing == "operation" || thing == "fault");
    return isView ? thing + "_row" : thing;
}

} // namespace lhrs::gui
