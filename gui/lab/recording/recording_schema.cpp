// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_schema.h"

#include <iterator>

namespace lhrs::gui {

namespace {

struct Table {
    const char* name;
    const char* columns;
    std::uint32_t first, last; // versions that contain it
};

// Times are ns since the start of the run. event.place: see keyframe.h; event.op: process.op_base + the client's
// number.
constexpr Table kTables[] = {
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
    { "split_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, split INTEGER, is_merge INTEGER, bucket INTEGER, other INTEGER, "
        "level INTEGER,"
        " records INTEGER, begin_ns INTEGER, locked_ns INTEGER, total_ns INTEGER, batches INTEGER, outcome"
        " TEXT",
        2, 3 },
    { "creation_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, grp INTEGER, col INTEGER, gf INTEGER, scheme TEXT, records INTEGER,"
        " size_bytes INTEGER, total_ns INTEGER, process_ns INTEGER, comm_ns INTEGER, other_ns INTEGER,"
        " transfer_ns INTEGER",
        2, 3 },
    { "recovery_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, recovery INTEGER, grp INTEGER, failed_data TEXT, failed_parity TEXT,"
        " manager INTEGER, survivors TEXT, decode TEXT, slice INTEGER, slices INTEGER, records INTEGER,"
        " size_bytes INTEGER,"
        " begin_ns INTEGER, detect_ns INTEGER, total_ns INTEGER, process_ns INTEGER, comm_ns INTEGER,"
        " other_ns INTEGER,"
        " transfer_ns INTEGER, whole_ns INTEGER, outcome TEXT",
        2, 3 },
    { "failure_row",
        "id INTEGER PRIMARY KEY, cluster INTEGER, grp INTEGER, place INTEGER, process INTEGER, suspected_ns INTEGER,"
        " failed_ns INTEGER, restored_ns INTEGER, reason TEXT",
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

// The time of a column in s of the run.
#define LHRS_SECONDS(column) "(" column " - (SELECT t_ns FROM event WHERE id = 1)) / 1e9"
// The name of a process, or its number.
#define LHRS_NAME(process)                                                                                             \
    "coalesce((SELECT nullif(name, '') FROM process WHERE id = " process "), printf('%x', " process "))"
// "data 5", "parity 0.1"
#define LHRS_PLACE(place)                                                                                              \
    "CASE WHEN " place " >= 0 THEN 'data ' || " place " ELSE 'parity ' || ((-" place                                   \
    " - 1) / 256) || '.' || ((-" place " - 1) % 256) END"

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

    "CREATE VIEW split AS SELECT cluster, split, bucket, other AS new_bucket, level, records AS records_moved,"
    " " LHRS_SECONDS("begin_ns")
    " AS begin_s, locked_ns / 1e6 AS locked_ms, total_ns / 1e9 AS total_s, batches AS parity_batches, outcome FROM"
    " split_row WHERE NOT is_merge",

    "CREATE VIEW merge AS SELECT cluster, split AS merge, bucket, other AS \"into\", level AS level_before, records"
    " AS records_moved, " LHRS_SECONDS("begin_ns")
    " AS begin_s, locked_ns / 1e6 AS locked_ms, total_ns / 1e9 AS total_s, batches AS parity_batches, outcome FROM"
    " split_row WHERE is_merge",

    "CREATE VIEW parity_creation AS SELECT cluster, grp AS \"group\", col AS \"column\", gf, scheme, records,"
    " size_bytes AS bytes, total_ns / 1e9 AS total_s,"
    " process_ns / 1e9 AS process_s, comm_ns / 1e9 AS comm_s, other_ns / 1e9 AS other_s, transfer_ns / 1e9 AS"
    " transfer_s FROM creation_row",

    "CREATE VIEW recovery AS SELECT cluster, recovery, grp AS \"group\", failed_data, failed_parity, manager,"
    " survivors, decode, slice, slices, records, size_bytes AS bytes, " LHRS_SECONDS("begin_ns") " AS begin_s,"
    " detect_ns / 1e9 AS detect_s,"
    " total_ns / 1e9 AS total_s, process_ns / 1e9 AS process_s, comm_ns / 1e9 AS comm_s, other_ns / 1e9 AS other_s,"
    " transfer_ns / 1e9 AS transfer_s, whole_ns / 1e9 AS whole_s, outcome FROM recovery_row",

    "CREATE VIEW failure AS SELECT cluster, grp AS \"group\", " LHRS_PLACE("place") " AS place,"
    " " LHRS_NAME("process") " AS process,"
    " " LHRS_SECONDS("suspected_ns") " AS suspected_s, " LHRS_SECONDS("failed_ns") " AS failed_s,"
    " " LHRS_SECONDS("restored_ns") " AS restored_s, reason FROM failure_row",

    "CREATE VIEW fault AS SELECT f.cluster, f.number AS fault, f.kind, " LHRS_NAME("f.target") " AS target,"
    " f.requested, f.achieved,"
    " " LHRS_SECONDS("f.begin_ns") " AS begin_s, " LHRS_SECONDS("f.end_ns") " AS end_s, f.lease_ns / 1e9 AS lease_s,"
    " f.ended_by, c.source,"
    " c.line, c.call FROM fault_row f LEFT JOIN command c ON c.id = f.command",
};
// clang-format on

} // namespace

QStringList recordingTables()
{
    QStringList statements;
    for (const Table& table : kTables)
        if (table.last == kRecordingVersion)
            statements << QString("CREATE TABLE %1 (%2)").arg(table.name, table.columns);
    // Few rows, searched while the file is open.
    statements << "CREATE INDEX keyframe_page_place ON keyframe_page(place, page, keyframe)";
    return statements + recordingViews();
}

QStringList recordingViews() { return QStringList(std::begin(kViews), std::end(kViews)); }

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
    for (const Table& table : kTables) {
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
