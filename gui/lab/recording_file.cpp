// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording_file.h"

#include <QSqlError>

#include <atomic>

namespace lhrs::gui {

namespace {

QString freshName()
{
    static std::atomic<std::uint64_t> last { 0 };
    return "recording-" + QString::number(++last);
}

struct Table {
    const char* name;
    const char* columns;
};

// Times are ns since the start of the run. event.place: see keyframe.h; event.op: process.op_base + the client's number.
constexpr Table kTables[] = {
    { "meta", "key TEXT PRIMARY KEY, value TEXT" },
    { "process", "id INTEGER PRIMARY KEY, name TEXT, kind TEXT, host TEXT, pid INTEGER, incarnation INTEGER, started_ns INTEGER,"
                 " ended_ns INTEGER, endpoint TEXT, version TEXT, op_base INTEGER" },
    { "clock", "process INTEGER, t_ns INTEGER, offset_ns INTEGER, error_ns INTEGER" },
    { "event", "id INTEGER PRIMARY KEY, process INTEGER, seq INTEGER, t_ns INTEGER, kind INTEGER, op INTEGER, grp INTEGER,"
               " place INTEGER, body BLOB" },
    { "event_kind", "kind INTEGER PRIMARY KEY, name TEXT, class TEXT" },
    { "told", "id INTEGER PRIMARY KEY, event INTEGER, process INTEGER, t_ns INTEGER, kind TEXT, body BLOB" },
    { "gap", "process INTEGER, seq_first INTEGER, seq_last INTEGER, t_ns INTEGER, reason TEXT, healed_by INTEGER" },
    { "keyframe", "id INTEGER PRIMARY KEY, event INTEGER, told INTEGER, t_ns INTEGER, body BLOB" },
    { "keyframe_page", "place INTEGER, page INTEGER, keyframe INTEGER, body BLOB" },
    { "command", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, source TEXT, line INTEGER, call TEXT, arguments TEXT,"
                 " reply TEXT, ok INTEGER, took_ns INTEGER" },
    { "fault", "id INTEGER PRIMARY KEY, command INTEGER, kind TEXT, target INTEGER, requested TEXT, achieved TEXT,"
               " begin_ns INTEGER, end_ns INTEGER, lease_ns INTEGER, ended_by TEXT, number INTEGER" },
    { "caption", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, step TEXT, kind TEXT, text TEXT, source TEXT" },
    { "marker", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, step TEXT, kind TEXT, text TEXT, source TEXT" },
    { "question", "id INTEGER PRIMARY KEY, t_ns INTEGER, text TEXT, choices TEXT, votes TEXT, answer INTEGER, reveal_ns INTEGER" },
    { "expectation", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, line INTEGER, text TEXT, ok INTEGER, detail TEXT" },
    { "measurement", "id INTEGER PRIMARY KEY, name TEXT, case_number INTEGER, repetition INTEGER, warm_up INTEGER, factors TEXT,"
                     " begin_event INTEGER, end_event INTEGER, faults INTEGER, detail TEXT" },
    { "metric", "measurement INTEGER, name TEXT, value, unit TEXT" },
    { "lamp", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, invariant TEXT, state TEXT, checks INTEGER, detail TEXT" },
    { "capture", "id INTEGER PRIMARY KEY, event INTEGER, t_ns INTEGER, place INTEGER, rank_first INTEGER, rank_count INTEGER,"
                 " digest BLOB, body BLOB" },
    { "operation", "op INTEGER PRIMARY KEY, client INTEGER, kind TEXT, key INTEGER, begin_ns INTEGER, end_ns INTEGER, result TEXT,"
                   " place INTEGER, rank INTEGER, forwards INTEGER, iam INTEGER, path TEXT, resends INTEGER, messages INTEGER" },
    { "scenario", "name TEXT, sha256 TEXT, text TEXT" },
    { "config", "name TEXT, json TEXT" },
};

} // namespace

const char* pathColumn(pb::Path path)
{
    return path == pb::FORWARDED ? "forwarded"
        : path == pb::BY_COORDINATOR ? "coordinator"
        : path == pb::RECORD_RECOVERY ? "record recovery" : "direct";
}

QStringList recordingTables()
{
    QStringList statements;
    for (const Table& table : kTables)
        statements << QString("CREATE TABLE %1 (%2)").arg(table.name, table.columns);
    statements << "CREATE INDEX keyframe_page_place ON keyframe_page(place, page, keyframe)"; // few rows, searched while open
    return statements;
}

QStringList recordingIndexes()
{
    return { "CREATE INDEX IF NOT EXISTS event_t ON event(t_ns)", "CREATE INDEX IF NOT EXISTS event_op ON event(op)",
        "CREATE INDEX IF NOT EXISTS event_kind_id ON event(kind, id)",
        "CREATE INDEX IF NOT EXISTS event_process_seq ON event(process, seq)" };
}

QStringList recordingColumns()
{
    QStringList all;
    for (const Table& table : kTables) {
        QStringList names;
        for (const QString& column : QString(table.columns).split(','))
            names << column.trimmed().section(' ', 0, 0);
        all << QString("%1(%2)").arg(table.name, names.join(','));
    }
    return all;
}

RecordingConnection::RecordingConnection()
    : m_name(freshName())
{
}

RecordingConnection::~RecordingConnection() { close(); }

QString RecordingConnection::open(const QString& path, bool isReadOnly)
{
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", m_name);
    if (!database.isValid())
        return "Qt's SQLite driver is not installed; on Debian: apt-get install libqt6sql6-sqlite.";
    database.setDatabaseName(path);
    if (isReadOnly)
        database.setConnectOptions("QSQLITE_OPEN_READONLY");
    if (!database.open())
        return path + " cannot be opened: " + database.lastError().databaseText() + ".";
    return {};
}

void RecordingConnection::close()
{
    if (!QSqlDatabase::contains(m_name))
        return;
    database().close();
    QSqlDatabase::removeDatabase(m_name);
}

bool RecordingConnection::run(const QString& statement)
{
    QSqlQuery query(database());
    if (query.exec(statement))
        return true;
    m_error = query.lastError().databaseText();
    return false;
}

QVariant RecordingConnection::value(const QString& text)
{
    QSqlQuery query(database());
    if (!query.exec(text)) {
        m_error = query.lastError().databaseText();
        return {};
    }
    return query.next() ? query.value(0) : QVariant();
}

} // namespace lhrs::gui
