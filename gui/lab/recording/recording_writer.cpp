// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_writer.h"

#include "common/kinds.h"
#include "common/end_reasons.h"
#include "common/ip.h"
#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/state/keyframe.h"
#include "gui/lab/recording/recording_place.h"
#include "gui/lab/recording/recording_schema.h"
#include "gui/lab/recording/recording_sums.h"
#include "gui/lab/recording/recording_systems.h"
#include "gui/lab/recording/recording_tables.h"
#include "gui/lab/recording/rows/recording_body.h"
#include "gui/lab/words/sentences.h"

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

std::int64_t clockNs()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
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
    case pb::Told::kClock: return "clock";
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

RecordingWriter::RecordingWriter()
{
    for (const RecordedSystem* system : recordedSystems())
        m_notes.push_back(system->notes());
}

QString RecordingWriter::create(const QString& path, const std::map<QString, QString>& meta)
{
    m_path = path;
    if (QFile::exists(path))
        return path + " exists already; name another file for the recording.";
    if (const QString problem = placeProblem(QFileInfo(path).absolutePath()); !problem.isEmpty())
        return problem;
    if (const QString error = m_connection.open(path, RecordingConnection::Mode::Write); !error.isEmpty())
        return error;
    // synchronous = OFF comes first, so that nothing waits for the disk: a window opens only after its recording has
    // begun.
    QStringList statements { "PRAGMA synchronous = OFF", "PRAGMA page_size = 8192",
        QString("PRAGMA application_id = %1").arg(kRecordingId),
        QString("PRAGMA user_version = %1").arg(kRecordingVersion), "PRAGMA journal_mode = WAL" };
    statements += recordingTables();
    for (const QString& statement : std::as_const(statements))
        if (!m_connection.run(statement))
            return path + " cannot be written: " + m_connection.lastError() + ".";
    if (m_connection.value("PRAGMA journal_mode").toString() != "wal")
        return path
            + " cannot be written while it is read, because its file system has no shared memory; record into a folder "
              "of a local disk.";
    m_isOpen = true;
    for (const auto& [key, value] : meta)
        setMeta(key, value);
    setMeta("clean", "0");
    for (const Kind& kind : eventKinds())
        addRow("event_kind", "kind,name,class",
            { kind.number, QString::fromStdString(kind.type),
                kind.keep == pb::KEEP_STRUCTURE ? "structure" : "operation" });
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
    const QString& columns, const QVariantList& values, const std::map<QString, QVariant>& metrics)
{
    addRow("measurement", columns, values);
    const QVariant id = m_isOpen ? m_connection.value("SELECT last_insert_rowid()") : QVariant();
    for (const auto& [name, value] : metrics) // the unit is the suffix of the name: total_s
        addRow("metric", "measurement,name,value,unit",
            { id, name, value, name.contains('_') ? name.section('_', -1) : QString() });
}

void RecordingWriter::setMeta(const QString& key, const QString& value) { addRow("meta", "key,value", { key, value }); }

std::optional<std::int64_t> RecordingWriter::operationOf(const pb::RequestId& id)
{
    if (id.client() == 0 || id.number() >> kOperationBits != 0)
        return {};
    const auto [at, isNew] = m_operationBase.try_emplace(id.client(), m_nextBase << kOperationBits);
    m_nextBase += isNew ? 1 : 0;
    return at->second | std::int64_t(id.number());
}

void RecordingWriter::addEvent(ProcessId process, const pb::Event& event, std::int64_t tNs)
{
    if (!m_isOpen)
        return;
    if (event.sequence() == 1) {
        m_whole.insert(process);
        m_healing.erase(process); // there were no events before it
    } else if (!m_healing.empty()) {
        if (const auto healing = m_healing.extract(process))
            healed(process, healing.mapped());
    }
    const QByteArray body = bytesOf(event);
    m_bytesSinceKeyframe += std::uint64_t(body.size());
    const auto operation = operationOf(event.operation());
    QVariant group, place;
    for (const auto& notes : m_notes) {
        if (const auto number = notes->groupOf(event))
            group = qlonglong(*number);
        if (const auto number = notes->placeOf(event))
            place = qlonglong(*number);
    }
    m_pending << stored(++m_lastEvent) << stored(process) << stored(event.sequence()) << qlonglong(tNs) << kindOf(event)
              << (operation ? QVariant(qlonglong(*operation)) : QVariant()) << group << place << body;
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
        m_whole.erase(process);
        m_pending << stored(++m_lastEvent) << stored(process) << stored(told.gap().first()) << qlonglong(tNs)
                  << kGapKind << QVariant() << QVariant() << QVariant() << bytesOf(told);
        if (m_pending.size() == kEventColumns * kEventsPerStatement)
            flushEvents();
        addRow("gap", "process,seq_first,seq_last,t_ns,reason",
            { stored(process), stored(told.gap().first()), stored(told.gap().last()), qlonglong(tNs), reason });
        return;
    }
    if (told.has_sampled())
        m_bytesSinceKeyframe += told.sampled().ByteSizeLong(); // samples may be many, and a seek must fold them too
    addRow("told", "id,event,process,t_ns,kind,body",
        { stored(++m_lastTold), stored(m_lastEvent), stored(process), qlonglong(tNs), toldName(told), bytesOf(told) });
    if (told.has_introduced()) {
        addProcess(told.introduced(), tNs);
    } else if (told.has_snapshot()) {
        addProcess(told.snapshot().info(), tNs);
        for (const auto& notes : m_notes)
            notes->take(told.snapshot());
        if (!m_whole.contains(process))
            m_healing.try_emplace(process, Healing { tNs, m_lastEvent, told.snapshot().sequence() > 0 });
    } else if (told.has_ended()) {
        update("UPDATE process SET ended_ns = ? WHERE id = ?", { qlonglong(tNs), stored(process) });
        endFaults(process, told.ended().reason(), tNs);
    } else if (told.has_paused()) {
        pauseFault(process, told.paused().is_paused(), tNs);
    } else if (told.has_forgotten() && m_lastEvent > m_clusterBegan) {
        m_clusterBegan = m_lastEvent;
        ++m_cluster;
        endHealing();
        m_operationBase.clear(); // a process of the next cluster may have the same number
        m_whole.clear();
    }
}

void RecordingWriter::healed(ProcessId process, const Healing& healing)
{
    m_whole.insert(process);
    addRow("gap", "process,t_ns,reason,healed_by",
        { stored(process), qlonglong(healing.tNs), "healed by a snapshot", stored(healing.after) });
}

// For processes without further events.
void RecordingWriter::endHealing()
{
    for (const auto& [process, healing] : std::exchange(m_healing, {})) {
        if (healing.containsEvents)
            healed(process, healing);
    }
}

// A kill is instantaneous. In a simulation the process reports it too, before or after its end is known; both give
// one row.
void RecordingWriter::addKill(ProcessId process, std::int64_t tNs, const QString& endedBy, const pb::Fault* fault)
{
    const QVariant known = m_connection.value(
        QString("SELECT id FROM fault_row WHERE kind = 'kill' AND target = %1 AND cluster = %2")
            .arg(qlonglong(process))
            .arg(m_cluster));
    if (known.isNull())
        addRow("fault_row", "event,cluster,kind,target,begin_ns,end_ns,ended_by",
            { stored(m_lastEvent), m_cluster, "kill", stored(process), qlonglong(tNs), qlonglong(tNs), endedBy });
    if (fault != nullptr)
        update("UPDATE fault_row SET number = ?, requested = ? WHERE kind = 'kill' AND target = ? AND cluster = ?",
            { stored(fault->number()), jsonOf(*fault), stored(process), m_cluster });
}

void RecordingWriter::endFaults(ProcessId process, const std::string& reason, std::int64_t tNs)
{
    const bool isKill = reason == kKilledOnRequest || reason == kStartedAgain;
    if (isKill)
        addKill(process, tNs, QString::fromStdString(reason), nullptr);
    update("UPDATE fault_row SET end_ns = ?, ended_by = ? WHERE target = ? AND end_ns IS NULL",
        { qlonglong(tNs), isKill ? QString::fromStdString(reason) : QString("the process ended"), stored(process) });
}

// A process stopped by a signal cannot report the pause itself.
void RecordingWriter::pauseFault(ProcessId process, bool isPaused, std::int64_t tNs)
{
    if (isPaused)
        addRow("fault_row", "event,cluster,kind,target,begin_ns",
            { stored(m_lastEvent), m_cluster, "pause", stored(process), qlonglong(tNs) });
    else
        update("UPDATE fault_row SET end_ns = ?, ended_by = 'resumed' WHERE target = ? AND kind = 'pause' AND number "
               "IS NULL AND end_ns IS NULL",
            { qlonglong(tNs), stored(process) });
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
    if (info.is_simulated() && m_seed != info.seed()) {
        m_seed = info.seed();
        setMeta("simulated", "1");
        setMeta("seed", QString::number(info.seed()));
    }
    if (m_processes.insert(info.node()).second)
        addRow("process", "id,started_ns", { stored(info.node()), qlonglong(tNs) });
    update(
        "UPDATE process SET name = ?, kind = ?, host = ?, pid = ?, endpoint = ?, version = ?, op_base = ? WHERE id = ?",
        { QString::fromStdString(info.name()), kind >= 0 && kind < 4 ? kKinds[kind] : "",
            QString::fromStdString(Ip::from(info.address()).text()), info.pid(),
            QString::fromStdString(info.events_endpoint()), QString::fromStdString(info.version()), base,
            stored(info.node()) });
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
    for (const auto& notes : m_notes)
        notes->take(event);
    if (event.has_process_started()) {
        addProcess(event.process_started().process(), tNs);
    } else if (event.has_node_recruited()) {
        update("UPDATE process SET incarnation = ? WHERE id = ?",
            { stored(event.node_recruited().incarnation()), stored(process) });
    } else if (event.has_fault_begun()) {
        const pb::Fault& fault = event.fault_begun().fault();
        if (isInstant(fault))
            return addKill(process, tNs, QString::fromLatin1(kKilledOnRequest), &fault);
        const auto* what = pb::Fault::descriptor()->FindFieldByNumber(fault.what_case());
        addRow("fault_row", "event,cluster,kind,target,requested,begin_ns,lease_ns,number",
            { stored(m_lastEvent), m_cluster,
                what != nullptr ? QString::fromStdString(std::string(what->name())) : QString(), stored(process),
                jsonOf(fault), qlonglong(tNs), qlonglong(fault.lease_ms()) * 1'000'000, stored(fault.number()) });
    } else if (event.has_fault_ended()) {
        update("UPDATE fault_row SET end_ns = ?, ended_by = ?, achieved = ? WHERE number = ? AND target = ? AND end_ns "
               "IS NULL",
            { qlonglong(tNs), QString::fromStdString(event.fault_ended().reason()),
                jsonOf(event.fault_ended().achieved()), stored(event.fault_ended().fault().number()),
                stored(process) });
    }
}

void RecordingWriter::addKeyframe(const ClusterState& state, std::int64_t tNs)
{
    if (!m_isOpen)
        return;
    m_bytesSinceKeyframe = 0;
    const std::uint64_t id = ++m_lastKeyframe;
    addRow("keyframe", "id,event,told,t_ns,body",
        { stored(id), stored(m_lastEvent), stored(m_lastTold), qlonglong(tNs), bytesOf(keyframeOf(state, false)) });
    for (const auto& notes : m_notes)
        notes->keyframe(state, [&](std::int64_t place, std::uint32_t page, const QByteArray& body) {
            addRow("keyframe_page", "place,page,keyframe,body", { qlonglong(place), page, stored(id), body });
        });
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

QString RecordingWriter::saveCopy(const QString& from, const QString& to)
{
    if (QFileInfo(from).canonicalFilePath() == QFileInfo(to).canonicalFilePath())
        return to + " is the file that the run is recorded into; name another one for the copy.";
    // Written beside the target until complete, so that an existing file survives a failure.
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
        if (QString problem = source.open(from, RecordingConnection::Mode::Read); !problem.isEmpty())
            return problem;
        QSqlQuery query(source.database());
        query.prepare("VACUUM INTO ?");
        query.addBindValue(to);
        if (!query.exec())
            return to + " cannot be written: " + query.lastError().databaseText() + ".";
    }
    RecordingWriter copy;
    copy.m_path = to;
    if (QString problem = copy.m_connection.open(to, RecordingConnection::Mode::Write); !problem.isEmpty())
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
    endHealing();
    commitIfDue(true);
    for (const QString& index : recordingIndexes()) // one of the indexes keeps the rows of an operation together
        if (m_isOpen && !m_connection.run(index))
            fail(m_connection.lastError());
    if (m_isOpen)
        if (const QString problem = RecordingTables(m_connection).make(); !problem.isEmpty())
            fail(problem);
    setMeta("events", QString::number(m_lastEvent));
    setMeta("clean", "1");
    if (m_isOpen && !writeSums(m_connection))
        fail(m_connection.lastError());
    commitIfDue(true);
    if (m_isInTransaction)
        m_connection.database().commit();
    m_isInTransaction = false;
    m_rows.reset();
    m_row.reset();
    const QStringList last { "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE" };
    for (const QString& statement : last)
        if (m_isOpen && !m_connection.run(statement))
            fail(m_connection.lastError());
    m_isOpen = false;
    m_connection.close();
}

void RecordingWriter::abandon()
{
    m_isOpen = false;
    m_rows.reset();
    m_row.reset();
    m_connection.close();
}

} // namespace lhrs::gui
