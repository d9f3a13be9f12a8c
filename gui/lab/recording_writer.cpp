// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording_writer.h"

#include "gui/lab/keyframe.h"
#include "gui/lab/sentences.h"

#include <QFile>
#include <QFileInfo>
#include <QSqlError>

#include <google/protobuf/util/json_util.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr int kEventColumns = 9, kEventsPerStatement = 20;
constexpr std::int64_t kRowsPerTransaction = 5'000;
constexpr std::int64_t kTransactionNs = 500'000'000;
constexpr int kOperationBits = 44; // of event.op: the client's own number

std::int64_t clockNs()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

QByteArray bytesOf(const google::protobuf::MessageLite& message)
{
    QByteArray bytes(qsizetype(message.ByteSizeLong()), Qt::Uninitialized);
    message.SerializeToArray(bytes.data(), int(bytes.size()));
    return bytes;
}

QString jsonOf(const google::protobuf::Message& message)
{
    std::string json;
    google::protobuf::util::JsonPrintOptions options;
    options.preserve_proto_field_names = true;
    return google::protobuf::util::MessageToJsonString(message, &json, options).ok() ? QString::fromStdString(json)
                                                                                     : QString();
}

QString eventInsert(int rows)
{
    QStringList places;
    for (int i = 0; i < rows; ++i)
        places << "(?,?,?,?,?,?,?,?,?)";
    return "INSERT INTO event VALUES " + places.join(',');
}

const char* toldName(const pb::Told& told)
{
    switch (told.what_case()) {
    case pb::Told::kGap: return "gap";
    case pb::Told::kSnapshot: return "snapshot";
    case pb::Told::kIntroduced: return "introduced";
    case pb::Told::kEnded: return "ended";
    case pb::Told::kPaused: return told.paused().is_paused() ? "paused" : "resumed";
    case pb::Told::kForgotten: return "forgotten";
    case pb::Told::kOrigin: return "origin";
    case pb::Told::kSampled: return "sampled";
    case pb::Told::kJudged: return "judged";
    case pb::Told::WHAT_NOT_SET: break;
    }
    return "";
}

} // namespace

void RecordingWriter::fail(const QString& what)
{
    if (m_error.isEmpty())
        m_error = "The recording " + m_path + " ends here: " + what + ".";
    m_isOpen = false;
}

bool RecordingWriter::run(QSqlQuery& query)
{
    if (query.exec())
        return true;
    fail(query.lastError().databaseText());
    return false;
}

QString RecordingWriter::create(const QString& path, const std::map<QString, QString>& meta)
{
    m_path = path;
    if (QFile::exists(path))
        return path + " exists already; name another file for the recording.";
    if (const QString error = m_connection.open(path, false); !error.isEmpty())
        return error;
    // First that nothing waits for the disk: a window does not open before its recording has begun.
    QStringList statements { "PRAGMA synchronous = OFF", "PRAGMA page_size = 8192", QString("PRAGMA application_id = %1").arg(kRecordingId),
        QString("PRAGMA user_version = %1").arg(kRecordingVersion), "PRAGMA journal_mode = WAL" };
    statements += recordingTables();
    for (const QString& statement : std::as_const(statements))
        if (!m_connection.run(statement))
            return path + " cannot be written: " + m_connection.lastError() + ".";
    m_isOpen = true;
    for (const auto& [key, value] : meta)
        setMeta(key, value);
    setMeta("clean", "0");
    const auto* body = pb::Event::descriptor()->FindOneofByName("body");
    for (int i = 0; i < body->field_count(); ++i) {
        const auto* field = body->field(i);
        pb::Event example;
        example.GetReflection()->MutableMessage(&example, field);
        addRow("event_kind", "kind,name,class",
            { field->number(), QString::fromStdString(field->message_type()->name()),
                changesStructure(example) ? "structure" : "operation" });
    }
    addRow("event_kind", "kind,name,class", { kGapKind, "Gap", "gap" });
    m_rows = std::make_unique<QSqlQuery>(m_connection.database());
    m_row = std::make_unique<QSqlQuery>(m_connection.database());
    if (!m_rows->prepare(eventInsert(kEventsPerStatement)) || !m_row->prepare(eventInsert(1)))
        fail(m_connection.database().lastError().databaseText());
    m_pending.reserve(kEventColumns * kEventsPerStatement);
    commitIfDue(true);
    return m_error;
}

void RecordingWriter::addRow(const QString& table, const QString& columns, const QVariantList& values)
{
    if (!m_isOpen)
        return;
    QStringList marks;
    for (qsizetype i = 0; i < values.size(); ++i)
        marks << "?";
    QSqlQuery query(m_connection.database());
    if (!query.prepare("INSERT OR REPLACE INTO " + table + " (" + columns + ") VALUES (" + marks.join(',') + ")"))
        return fail(query.lastError().databaseText());
    for (const QVariant& value : values)
        query.addBindValue(value);
    if (run(query))
        ++m_rowsInTransaction;
}

void RecordingWriter::addMeasurement(
    const QString& columns, QVariantList values, const std::map<QString, QVariant>& metrics)
{
    values.prepend(stored(m_lastEvent));
    addRow("measurement", columns, values);
    const QVariant id = m_isOpen ? m_connection.value("SELECT last_insert_rowid()") : QVariant();
    for (const auto& [name, value] : metrics) // the unit is the end of the name: total_s
        addRow("metric", "measurement,name,value,unit",
            { id, name, value, name.contains('_') ? name.section('_', -1) : QString() });
}

void RecordingWriter::setMeta(const QString& key, const QString& value) { addRow("meta", "key,value", { key, value }); }

std::optional<std::int64_t> RecordingWriter::operationOf(const pb::RequestId& id)
{
    if (id.client() == 0 || id.number() >> kOperationBits != 0)
        return {};
    const auto [at, isNew] = m_operationBase.try_emplace(id.client(), std::int64_t(m_operationBase.size()) << kOperationBits);
    return at->second | std::int64_t(id.number());
}

void RecordingWriter::addEvent(ProcessId process, const pb::Event& event, std::int64_t tNs)
{
    if (!m_isOpen)
        return;
    const QByteArray body = bytesOf(event);
    m_bytesSinceKeyframe += std::uint64_t(body.size());
    const auto operation = operationOf(event.operation());
    const pb::Place& place = event.place();
    const bool hasPlace = place.role() == pb::DATA || place.role() == pb::PARITY;
    m_pending << stored(++m_lastEvent) << stored(process) << stored(event.sequence()) << qlonglong(tNs)
              << int(event.body_case()) << (operation ? QVariant(qlonglong(*operation)) : QVariant())
              << (!hasPlace ? QVariant() : place.role() == pb::PARITY ? QVariant(place.number()) : QVariant(place.number() / m_m))
              << (hasPlace ? QVariant(qlonglong(placeNumber(place))) : QVariant()) << body;
    if (m_pending.size() == kEventColumns * kEventsPerStatement)
        flushEvents();
    takeStructure(process, event, tNs);
}

void RecordingWriter::flushEvents()
{
    if (!m_isOpen || m_pending.isEmpty())
        return;
    const bool isFull = m_pending.size() == kEventColumns * kEventsPerStatement;
    QSqlQuery& query = isFull ? *m_rows : *m_row;
    const qsizetype step = isFull ? m_pending.size() : kEventColumns;
    for (qsizetype from = 0; from < m_pending.size(); from += step) {
        for (qsizetype i = 0; i < step; ++i)
            query.bindValue(int(i), m_pending[from + i]);
        if (!run(query))
            return;
    }
    m_rowsInTransaction += m_pending.size() / kEventColumns;
    m_pending.clear();
}

void RecordingWriter::addTold(ProcessId process, const pb::Told& told, std::int64_t tNs, const QString& reason)
{
    if (!m_isOpen)
        return;
    if (told.has_gap()) {
        m_pending << stored(++m_lastEvent) << stored(process) << stored(told.gap().first()) << qlonglong(tNs) << kGapKind
                  << QVariant() << QVariant() << QVariant() << bytesOf(told);
        if (m_pending.size() == kEventColumns * kEventsPerStatement)
            flushEvents();
        addRow("gap", "process,seq_first,seq_last,t_ns,reason",
            { stored(process), stored(told.gap().first()), stored(told.gap().last()), qlonglong(tNs), reason });
        return;
    }
    if (told.has_sampled())
        m_bytesSinceKeyframe += told.sampled().ByteSizeLong(); // they may be many, and a seek folds them, too
    addRow("told", "id,event,process,t_ns,kind,body",
        { stored(++m_lastTold), stored(m_lastEvent), stored(process), qlonglong(tNs), toldName(told), bytesOf(told) });
    if (told.has_introduced()) {
        addProcess(told.introduced(), tNs);
    } else if (told.has_snapshot()) {
        addProcess(told.snapshot().info(), tNs);
        if (told.snapshot().has_file() && told.snapshot().file().config().m() > 0)
            m_m = told.snapshot().file().config().m();
        addRow("gap", "process,t_ns,reason,healed_by",
            { stored(process), qlonglong(tNs), "healed by a snapshot", stored(m_lastEvent) });
    } else if (told.has_ended()) {
        update("UPDATE process SET ended_ns = ? WHERE id = ?", { qlonglong(tNs), stored(process) });
    }
}

void RecordingWriter::addProcess(const pb::ProcessInfo& info, std::int64_t tNs)
{
    if (info.node() == 0)
        return;
    pb::RequestId first;
    first.set_client(info.node());
    const QVariant base = info.kind() == pb::CLIENT ? QVariant(qlonglong(*operationOf(first))) : QVariant();
    static constexpr const char* kKinds[] = { "", "node", "coordinator", "client" };
    const int kind = int(info.kind());
    const std::uint32_t ip = info.address().ip();
    if (info.is_simulated() && m_seed != info.seed()) {
        m_seed = info.seed();
        setMeta("simulated", "1");
        setMeta("seed", QString::number(info.seed()));
    }
    if (m_processes.insert(info.node()).second)
        addRow("process", "id,started_ns", { stored(info.node()), qlonglong(tNs) });
    update("UPDATE process SET name = ?, kind = ?, host = ?, pid = ?, endpoint = ?, version = ?, op_base = ? WHERE id = ?",
        { QString::fromStdString(info.name()), kind >= 0 && kind < 4 ? kKinds[kind] : "",
            QString("%1.%2.%3.%4").arg(ip >> 24).arg(ip >> 16 & 255).arg(ip >> 8 & 255).arg(ip & 255), info.pid(),
            QString::fromStdString(info.events_endpoint()), QString::fromStdString(info.version()), base, stored(info.node()) });
}

void RecordingWriter::update(const QString& statement, const QVariantList& values)
{
    if (!m_isOpen)
        return;
    QSqlQuery query(m_connection.database());
    if (!query.prepare(statement))
        return fail(query.lastError().databaseText());
    for (const QVariant& value : values)
        query.addBindValue(value);
    run(query);
}

void RecordingWriter::takeStructure(ProcessId process, const pb::Event& event, std::int64_t tNs)
{
    if (event.has_file_created()) {
        m_m = std::max(1u, event.file_created().config().m());
    } else if (event.has_process_started()) {
        addProcess(event.process_started().process(), tNs);
    } else if (event.has_node_recruited()) {
        update("UPDATE process SET incarnation = ? WHERE id = ?",
            { stored(event.node_recruited().incarnation()), stored(process) });
    } else if (event.has_fault_begun()) {
        const pb::Fault& fault = event.fault_begun().fault();
        const auto* what = pb::Fault::descriptor()->FindFieldByNumber(fault.what_case());
        addRow("fault", "kind,target,requested,begin_ns,lease_ns,number",
            { what != nullptr ? QString::fromStdString(what->name()) : QString(), stored(process), jsonOf(fault),
                qlonglong(tNs), qlonglong(fault.lease_ms()) * 1'000'000, stored(fault.number()) });
    } else if (event.has_fault_ended()) {
        update("UPDATE fault SET end_ns = ?, ended_by = ?, achieved = ? WHERE number = ? AND target = ? AND end_ns IS NULL",
            { qlonglong(tNs), QString::fromStdString(event.fault_ended().reason()), jsonOf(event.fault_ended().achieved()),
                stored(event.fault_ended().fault().number()), stored(process) });
    }
}

void RecordingWriter::addKeyframe(const ClusterState& state, std::int64_t tNs)
{
    if (!m_isOpen)
        return;
    m_bytesSinceKeyframe = 0;
    if (state.file.config.m() > 0)
        m_m = state.file.config.m();
    const std::uint64_t id = ++m_lastKeyframe;
    addRow("keyframe", "id,event,told,t_ns,body",
        { stored(id), stored(m_lastEvent), stored(m_lastTold), qlonglong(tNs), bytesOf(keyframeOf(state, false)) });
    std::map<std::int64_t, RankMap> pages;
    const auto keep = [&](std::int64_t place, const RankMap& ranks) {
        const auto before = m_pages.find(place);
        for (const std::uint32_t page : ranks.pages())
            if (before == m_pages.end() || !ranks.sharesPage(before->second, page))
                addRow("keyframe_page", "place,page,keyframe,body",
                    { qlonglong(place), page, stored(id), bytesOf(pageOf(ranks, page)) });
        pages.emplace(place, ranks);
    };
    for (const auto& [bucket, data] : state.data)
        keep(dataPlace(bucket), data.ranks);
    for (const auto& [bucket, parity] : state.parity)
        keep(parityPlace(parity.group, parity.column), parity.ranks);
    m_pages = std::move(pages);
}

void RecordingWriter::commitIfDue(bool isNow)
{
    if (!m_isOpen)
        return;
    if (isNow || m_rowsInTransaction >= kRowsPerTransaction || clockNs() - m_transactionBegan >= kTransactionNs) {
        flushEvents();
        QSqlDatabase database = m_connection.database();
        if (m_isInTransaction && !database.commit())
            return fail(database.lastError().databaseText());
        m_isInTransaction = false;
    }
    if (!m_isInTransaction && m_isOpen) {
        if (!m_connection.database().transaction())
            return fail(m_connection.database().lastError().databaseText());
        m_isInTransaction = true;
        m_rowsInTransaction = 0;
        m_transactionBegan = clockNs();
    }
}

std::int64_t RecordingWriter::fileBytes()
{
    return m_isOpen ? m_connection.value("PRAGMA page_count").toLongLong() * 8192 : 0;
}

// What the events tell of each operation, as one row.
void RecordingWriter::writeOperations()
{
    struct Told {
        std::int64_t op = 0, beganNs = 0, endNs = 0;
        ProcessId client = 0;
        bool isAdjusted = false, isDone = false;
        std::uint64_t messages = 0;
        pb::OperationDone done;
    } told;
    QSqlQuery insert(m_connection.database());
    insert.prepare("INSERT OR REPLACE INTO operation VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    const auto write = [&] {
        if (!told.isDone)
            return;
        const pb::OperationDone& done = told.done;
        const QVariantList values { qlonglong(told.op), stored(told.client), QString::fromStdString(operationWord(done.kind())), stored(done.key()),
            qlonglong(told.beganNs != 0 ? told.beganNs : told.endNs - done.time_ns()), qlonglong(told.endNs),
            QString::fromStdString(resultWord(done.result())), qlonglong(done.bucket()), done.rank(), done.forwards(),
            int(done.image_adjusted() || told.isAdjusted), pathColumn(done.path()), done.resends(),
            told.messages > 0 ? stored(told.messages) : QVariant() }; // none: at this detail they were not observed
        for (int i = 0; i < int(values.size()); ++i)
            insert.bindValue(i, values[i]);
        run(insert);
    };
    // Operation by operation: what servers tell of one often comes after the client's last word on it.
    QSqlQuery rows(m_connection.database());
    rows.setForwardOnly(true);
    if (!rows.exec("SELECT op, t_ns, process, body FROM event WHERE op IS NOT NULL ORDER BY op, id"))
        return fail(rows.lastError().databaseText());
    pb::Event event;
    while (rows.next() && m_isOpen) {
        const std::int64_t op = rows.value(0).toLongLong();
        const QByteArray body = rows.value(3).toByteArray();
        if (!event.ParseFromArray(body.data(), int(body.size())))
            return fail("an event that was just written cannot be read");
        if (op != told.op) {
            write();
            told = Told();
            told.op = op;
        }
        if (event.has_operation_started()) {
            told.beganNs = rows.value(1).toLongLong();
        } else if (event.has_image_adjusted()) {
            told.isAdjusted = true;
        } else if (event.has_message_sent()) {
            ++told.messages;
        } else if (event.has_operation_done()) {
            told.isDone = true;
            told.endNs = rows.value(1).toLongLong();
            told.client = ProcessId(rows.value(2).toLongLong());
            told.done = event.operation_done();
        }
    }
    write();
}

QString RecordingWriter::saveCopy(const QString& from, const QString& to)
{
    if (QFileInfo(from).canonicalFilePath() == QFileInfo(to).canonicalFilePath())
        return to + " is the file that the run is recorded into; name another one for the copy.";
    // Beside it until it is complete: what is replaced is not lost when something fails.
    const QString part = to + ".part";
    QFile::remove(part);
    QString problem = writeCopy(from, part);
    if (problem.isEmpty() && std::rename(QFile::encodeName(part).constData(), QFile::encodeName(to).constData()) != 0)
        problem = to + " cannot be written: " + QString::fromLocal8Bit(std::strerror(errno)) + ".";
    if (!problem.isEmpty())
        QFile::remove(part);
    return problem.replace(part, to);
}

QString RecordingWriter::writeCopy(const QString& from, const QString& to)
{
    {
        RecordingConnection source;
        if (QString problem = source.open(from, true); !problem.isEmpty())
            return problem;
        QSqlQuery query(source.database());
        query.prepare("VACUUM INTO ?");
        query.addBindValue(to);
        if (!query.exec())
            return to + " cannot be written: " + query.lastError().databaseText() + ".";
    }
    RecordingWriter copy;
    copy.m_path = to;
    if (QString problem = copy.m_connection.open(to, false); !problem.isEmpty())
        return problem;
    copy.m_isOpen = true;
    copy.m_lastEvent = copy.m_connection.value("SELECT max(id) FROM event").toULongLong();
    copy.finish();
    return copy.m_error;
}

void RecordingWriter::finish()
{
    if (!m_isOpen)
        return;
    commitIfDue(true);
    // Rows of one operation lie together by this index.
    if (const QString index = recordingIndexes()[1]; !m_connection.run(index))
        fail(m_connection.lastError());
    writeOperations();
    setMeta("events", QString::number(m_lastEvent));
    setMeta("clean", "1");
    commitIfDue(true);
    if (m_isInTransaction)
        m_connection.database().commit();
    m_isInTransaction = false;
    m_rows.reset();
    m_row.reset();
    QStringList last = recordingIndexes();
    last << "PRAGMA wal_checkpoint(TRUNCATE)" << "PRAGMA journal_mode = DELETE";
    for (const QString& statement : std::as_const(last))
        if (m_isOpen && !m_connection.run(statement))
            fail(m_connection.lastError());
    m_isOpen = false;
    m_connection.close();
}

} // namespace lhrs::gui
