// SPDX-License-Identifier: GPL-3.0-or-later
// Opening a recording: the kind of file, whether it is complete, and which parts are altered.
#include "gui/lab/recording/recording.h"

#include "gui/lab/recording/recording_schema.h"
#include "gui/lab/recording/rows/recording_body.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/recording/recording_place.h"
#include "gui/lab/recording/recording_sums.h"
#include "gui/lab/recording/recording_tables.h"
#include "gui/lab/state/process/sentence_words.h"

#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QSqlError>
#include <QtEndian>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kHeaderBytes = 100; // of an SQLite file
constexpr qint64 kPageSizeAt = 16, kJournalAt = 18, kPagesAt = 28, kVersionAt = 60, kIdAt = 68;
constexpr char kWithLog = 2; // at kJournalAt: the file has a log, as while it is being written
constexpr qint64 kPaddedMax = qint64(64) << 30;
constexpr std::uint64_t kEventBytes = 8; // minimum size of a row; limits the number of events in a file

struct Header {
    std::uint32_t version = 0;
    qint64 length = 0; // length according to the header; 0 if implausible
    bool hasLogMode = false;
};

// Reads the header; an error says why this version cannot read the file as a recording.
QString readHeader(const QString& path, Header& out)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return path + " cannot be read: " + file.errorString() + ".";
    const QByteArray header = file.read(kHeaderBytes);
    if (header.size() < kHeaderBytes || !header.startsWith(QByteArray("SQLite format 3\0", 16)))
        return path + " is not a recording: it does not begin like an .lhrun file.";
    if (qFromBigEndian<quint32>(header.constData() + kIdAt) != kRecordingId)
        return path + " is not a recording: it is an SQLite file of another program.";
    out.version = qFromBigEndian<quint32>(header.constData() + kVersionAt);
    if (out.version == 0 || out.version > kRecordingVersion)
        return QString(
            "%1 is a recording of version %2; this program reads versions 1 to %3. Open it with a later program.")
            .arg(path)
            .arg(out.version)
            .arg(kRecordingVersion);
    const qint64 page = qFromBigEndian<quint16>(header.constData() + kPageSizeAt);
    const qint64 length = (page == 1 ? 65536 : page) * qFromBigEndian<quint32>(header.constData() + kPagesAt);
    out.length = length <= kPaddedMax ? length : 0;
    out.hasLogMode = header[kJournalAt] == kWithLog;
    return {};
}

QString lengthShown(std::int64_t ns) { return QString::number(double(ns) / 1e9, 'f', 3) + " s"; }

// Describes the damage of a table other than the events.
QString tableWords(const QString& name, const SumFindings::Table& table)
{
    QStringList words;
    if (table.isUnreadable)
        words << "cannot be read to its end";
    if (table.missing > 0)
        words << QString("lacks %1 of %2")
                     .arg(text(counted(std::uint64_t(table.missing), "row", "rows")))
                     .arg(table.written);
    std::int64_t changed = 0;
    for (const auto& range : table.changed)
        changed += range.rows;
    if (changed > 0)
        words << QString("has changes among %1").arg(text(counted(std::uint64_t(changed), "row", "rows")));
    if (table.foreign > 0)
        words << QString("has %1 that the recording did not write")
                     .arg(text(counted(std::uint64_t(table.foreign), "row", "rows")));
    return words.isEmpty() ? QString() : QString("the table %1 %2").arg(name, words.join(" and "));
}

} // namespace

Result<std::unique_ptr<Recording>> Recording::open(const QString& path)
{
    std::unique_ptr<Recording> recording(new Recording);
    if (const QString problem = recording->prepare(path); !problem.isEmpty())
        return Error { problem.toStdString() };
    return recording;
}

// Beside an unclosed file there is a log with rows not yet merged into it. They are merged in a copy, where the final
// tables are created too. SQLite does not open a truncated file, so its copy is extended with zeros. Returns an error
// sentence, or empty.
QString Recording::makeCopy(bool hasLog, qint64 length)
{
    const QString folder = folderWithRoom(QFileInfo(m_path).size() * 2 + QFileInfo(m_path + "-wal").size());
    m_copy = std::make_unique<QTemporaryDir>(folder + "/lhrs-XXXXXX");
    const QString file = m_copy->filePath("copy.lhrun");
    const bool isCopied = m_copy->isValid() && QFile::copy(m_path, file)
        && QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner)
        && (!hasLog
            || (QFile::copy(m_path + "-wal", file + "-wal")
                && QFile::setPermissions(file + "-wal", QFile::ReadOwner | QFile::WriteOwner)))
        && (QFileInfo(file).size() >= length || QFile::resize(file, length));
    if (isCopied)
        return {};
    m_copy.reset();
    return QString("%1 has no end, so it is read from a copy, and %2 has no room for that; set TMPDIR to a folder that "
                   "has %3 MiB.")
        .arg(m_path, folder)
        .arg((QFileInfo(m_path).size() * 2 >> 20) + 1);
}

QString Recording::prepare(const QString& path)
{
    m_path = path;
    Header header;
    if (QString problem = readHeader(path, header); !problem.isEmpty())
        return problem;
    m_version = header.version;
    const bool hasLog = QFileInfo(path + "-wal").size() > 0;
    const bool isCut = !hasLog && QFileInfo(path).size() < header.length;
    const bool hasNoEnd = hasLog || header.hasLogMode;
    if (hasNoEnd || isCut)
        if (const QString problem = makeCopy(hasLog, isCut ? header.length : 0);
            !problem.isEmpty() && (hasLog || isCut))
            return problem;
    const bool isCompleted = hasNoEnd && m_copy != nullptr && !isCut;
    const QString file = m_copy ? m_copy->filePath("copy.lhrun") : path;
    if (QString problem = m_connection.open(
            file, isCompleted ? RecordingConnection::Mode::Write : RecordingConnection::Mode::Frozen);
        !problem.isEmpty())
        return problem;
    for (const char* pragma :
        { "PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA synchronous = OFF" })
        m_connection.run(pragma);
    if (QString problem = checkTables(); !problem.isEmpty())
        return problem;
    for (const auto& row : rows("meta"))
        m_meta[row.at("key").toString()] = row.at("value").toString();
    const bool isFinished = meta("clean") == "1";
    if (isCompleted && !isFinished)
        complete();
    m_connection.run("PRAGMA query_only = ON");
    measure(isCut, isFinished || !hasNoEnd);
    if (!isFinished && hasNoEnd)
        m_unfinished = QString("%1 has no end, because its program was killed: %2 of %3 can be read.")
                           .arg(path, text(counted(m_events, "event", "events")), lengthShown(m_endNs - m_beginNs));
    return {};
}

// Adds what the end of a recording adds.
void Recording::complete()
{
    m_connection.database().transaction();
    bool isMade = true;
    for (const QString& index : recordingIndexes())
        isMade = m_connection.run(index) && isMade;
    isMade = isMade && (m_version < 2 || RecordingTables(m_connection).make().isEmpty());
    // This fails for a damaged file, which is then used unchanged; the damage is reported.
    isMade ? m_connection.database().commit() : m_connection.database().rollback();
}

// Accepts only the known tables and views with their exact text, so that no trigger, other view or virtual table is
// executed.
QString Recording::checkTables()
{
    QSqlQuery query(m_connection.database());
    if (!query.exec("SELECT type, name, sql FROM sqlite_master"))
        return m_path + " cannot be read: " + query.lastError().databaseText() + ".";
    QSet<QString> views;
    if (m_version >= 2)
        for (const QString& view : recordingViews())
            views.insert(view);
    while (query.next()) {
        const QString type = query.value(0).toString(), sql = query.value(2).toString();
        if (type == "trigger" || (type == "view" && !views.contains(sql))
            || sql.simplified().startsWith("CREATE VIRTUAL", Qt::CaseInsensitive))
            return m_path + " is not a recording of this program: it contains a " + type + " ("
                + query.value(1).toString() + ").";
    }
    for (const QString& wanted : recordingColumns(m_version)) {
        const QString name = wanted.section('(', 0, 0);
        QStringList columns;
        if (!query.exec("PRAGMA table_info(" + name + ")"))
            return m_path + " cannot be read: " + query.lastError().databaseText() + ".";
        while (query.next())
            columns << query.value(1).toString();
        if (name + "(" + columns.join(',') + ")" != wanted)
            return m_path + " is not a recording of this program: its table " + name + " is not as it should be.";
    }
    return {};
}

// Counts the events and finds altered parts. Missing events count as gaps, so that what follows them is readable.
void Recording::measure(bool isCut, bool hasEnd)
{
    const QString file = m_copy ? m_copy->filePath("copy.lhrun") : m_path;
    // For a short run that was killed, all data may still be in the log beside the file.
    const std::uint64_t most = std::uint64_t(QFileInfo(file).size() + QFileInfo(file + "-wal").size()) / kEventBytes;
    SumFindings sums;
    if (m_version >= 2 && hasEnd)
        sums = checkSums(m_connection, m_version);
    for (const auto& [name, table] : sums.tables)
        if (sums.hasSums)
            m_written[name] = table.written;
    const SumFindings::Table& events = sums.tables["event"];
    std::uint64_t wanted = std::max<std::uint64_t>(meta("events").toULongLong(), std::uint64_t(events.written));
    if (wanted == 0)
        wanted = m_connection.value("SELECT max(id) FROM event").toULongLong();
    std::uint64_t there = 0, last = 0, broken = 0;
    std::int64_t lastNs = 0;
    if (wanted <= most && hasEnd && !isCut && sums.hasSums && events.isAsWritten()) {
        there = last = wanted; // all rows are as written
        m_beginNs = m_connection.value("SELECT t_ns FROM event WHERE id = 1").toLongLong();
        lastNs = m_connection.value(QString("SELECT t_ns FROM event WHERE id = %1").arg(wanted)).toLongLong();
    } else {
        pb::Event event;
        pb::Told gap;
        scan("id, t_ns, kind, " + bounded("body"), {}, 0, hasEnd && wanted > 0 ? std::min(most, wanted) : most,
            [&](const QSqlQuery& row) {
                last = row.value(0).toULongLong();
                lastNs = std::max<std::int64_t>(lastNs, row.value(1).toLongLong());
                if (++there == 1)
                    m_beginNs = row.value(1).toLongLong();
                broken += (row.value(2).toInt() == kGapKind ? parseBody(row.value(3), gap)
                                                            : parseBody(row.value(3), event))
                    ? 0
                    : 1;
                return true;
            });
    }
    m_events = std::min(most, hasEnd && wanted > 0 ? wanted : last);
    m_endNs = std::max(m_beginNs, lastNs);
    QStringList words;
    if (m_events > there || wanted > m_events)
        words << QString("of %1 %2 can be read")
                     .arg(text(counted(std::max(wanted, m_events), "event", "events")))
                     .arg(there);
    if (broken > 0)
        words << QString("%1 cannot be understood").arg(text(counted(std::uint64_t(broken), "event", "events")));
    if (words.isEmpty() && sums.hasSums && !events.isAsWritten())
        words << tableWords("event", events);
    for (const auto& [name, table] : sums.tables)
        if (name != "event" && sums.hasSums && !table.isAsWritten())
            words << tableWords(name, table);
    if (hasEnd && m_version >= 2 && !sums.hasSums)
        words << "its checksums are gone";
    if (hasEnd && meta("clean") != "1")
        words << "it does not say that it was closed";
    if (words.isEmpty() && sums.hasSums && !sums.indexes.empty())
        words << "an index (" + sums.indexes.front()
                + ") is not as it was written, so that a search may miss events; all rows are there";
    words.removeAll(QString());
    if (!words.isEmpty() || isCut)
        m_damage = QString("%1 is %2%3.")
                       .arg(m_path, isCut ? QString("cut off") : QString("damaged"),
                           words.isEmpty() ? QString() : ": " + words.join("; "));
}

} // namespace lhrs::gui
