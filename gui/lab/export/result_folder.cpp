// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/result_folder.h"

#include "gui/lab/recording/recording_systems.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <set>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace lhrs::gui {

namespace {

constexpr std::size_t kOpenMax = 64; // measurement files open at once

const QString kRuns = "runs", kClusters = "clusters", kSummary = "_summary";

QStringList textsOf(const QVariantList& cells)
{
    QStringList texts;
    for (const QVariant& value : cells)
        texts << cellText(value);
    return texts;
}

QString line(const QStringList& cells)
{
    QStringList texts;
    for (const QString& cell : cells)
        texts << csvCell(cell);
    return texts.join(',') + "\r\n";
}

Result<CsvTable> readTable(const QString& path)
{
    if (!QFileInfo::exists(path))
        return CsvTable {};
    return CsvTable::read(path);
}

} // namespace

QStringList resultTables(const QString& directory)
{
    QStringList names;
    for (const QString& entry : QDir(directory).entryList({ "*.csv" }, QDir::Files, QDir::Name)) {
        QFile file(directory + '/' + entry);
        if (file.open(QIODevice::ReadOnly) && file.readLine().startsWith("run,simulated,"))
            names << entry.chopped(4);
    }
    return names;
}

QStringList unitedColumns(QStringList columns, const QStringList& more)
{
    qsizetype at = 0;
    for (const QString& column : more) {
        const qsizetype there = columns.indexOf(column);
        if (there < 0)
            columns.insert(at, column);
        at = (there < 0 ? at : there) + 1;
    }
    return columns;
}

QStringList underColumns(const CsvTable& table, const QStringList& row, const QStringList& columns)
{
    QStringList cells;
    for (const QString& column : columns)
        cells << table.cell(row, column);
    return cells;
}

QString measuredFileName(const QString& table)
{
    static const std::set<QString> kOfTheRun = [] {
        std::set<QString> all { "runs", "clusters", "operations", "messages", "faults", "gaps", "captions", "markers",
            "commands", "expectations", "invariants" };
        for (const RecordedSystem* system : recordedSystems())
            all.insert(system->exported.begin(), system->exported.end());
        return all;
    }();
    return kOfTheRun.contains(table) ? "measured_" + table : table;
}

QString outcomeWord(ScriptOutcome outcome)
{
    switch (outcome) {
    case ScriptOutcome::Held: return "ok";
    case ScriptOutcome::ExpectationFailed: return "expectation failed";
    case ScriptOutcome::ScriptError: return "script error";
    case ScriptOutcome::NoCluster: return "no cluster";
    case ScriptOutcome::Stopped: return "stopped";
    }
    return {};
}

ResultFolder::ResultFolder(const QString& directory) : m_directory(directory) { }

ResultFolder::~ResultFolder()
{
    if (m_lock >= 0)
        ::close(m_lock);
}

Result<std::unique_ptr<ResultFolder>> ResultFolder::open(const QString& directory, FolderUse use)
{
    const auto error = [](const QString& sentence) { return Error { sentence.toStdString() }; };
    if (QFileInfo(directory).isFile())
        return error(
            "The directory " + directory + " cannot be made: there is a file of that name; choose another one.");
    if (!QDir().mkpath(directory))
        return error("The directory " + directory + " cannot be made; choose another one.");
    std::unique_ptr<ResultFolder> folder(new ResultFolder(directory));
    folder->m_lock = ::open(QFile::encodeName(directory).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // A file system without locks is accepted.
    if (folder->m_lock >= 0 && ::flock(folder->m_lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return error("Another run writes its results into " + directory
            + "; choose another directory for this one (lhrs-play --merge puts them together).");
    QStringList there = resultTables(directory);
    for (QString& name : there)
        name += ".csv";
    if (use == FolderUse::New && !there.isEmpty())
        return error(QString(
            "The directory %1 has results already (%2%3). --append adds this run to them, --overwrite removes them.")
                         .arg(directory, there.mid(0, 3).join(", "), there.size() > 3 ? ", ..." : ""));
    if (use == FolderUse::Overwrite)
        for (const QString& name : there)
            if (QFile file(directory + '/' + name); !file.remove())
                return error(file.fileName() + " cannot be removed: " + file.errorString() + ".");
    return folder;
}

CompleteRuns::CompleteRuns(const QString& directory)
{
    const auto runs = readTable(directory + '/' + kRuns + ".csv");
    if (directory.isEmpty() || !runs)
        return;
    for (const QStringList& row : runs->where({ { "outcome", "ok" } }))
        m_inputs << runs->cell(row, "inputs");
}

QString ResultFolder::begin(const RunFacts& facts)
{
    m_facts = facts;
    m_clusters.clear();
    m_streams.clear();
    m_written.clear();
    for (const QString& name : resultTables(m_directory)) {
        auto table = readTable(pathOf(name));
        if (!table)
            return QString::fromStdString(table.error().text);
        const auto isOurs = [&](const QStringList& row) { return table->cell(row, "run") == m_facts.run; };
        if (std::erase_if(table->rows, isOurs) == 0)
            continue;
        if (const QString error = write(name, *table); !error.isEmpty())
            return error;
    }
    return writeRun();
}

QString ResultFolder::write(const QString& name, const CsvTable& table)
{
    QSaveFile file(pathOf(name));
    QString text = line(table.columns);
    for (const QStringList& row : table.rows)
        text += line(underColumns(table, row, table.columns));
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
        return file.fileName() + " cannot be written: " + file.errorString() + ".";
    return {};
}

QString ResultFolder::put(const QString& name, const QStringList& columns, const std::vector<QVariantList>& rows)
{
    m_streams.erase(name);
    auto former = readTable(pathOf(name));
    if (!former)
        return QString::fromStdString(former.error().text);
    CsvTable table { unitedColumns(former->columns, columns), {} };
    const auto addOurs = [&] {
        const CsvTable ours { columns, {} };
        for (const QVariantList& row : rows)
            table.rows.push_back(underColumns(ours, textsOf(row), table.columns));
    };
    bool isAdded = false;
    for (const QStringList& row : former->rows) {
        const bool isOurs = former->cell(row, "run") == m_facts.run;
        if (isOurs && !std::exchange(isAdded, true))
            addOurs();
        if (!isOurs)
            table.rows.push_back(underColumns(*former, row, table.columns));
    }
    if (!isAdded)
        addOurs();
    if (!m_written.contains(name + ".csv"))
        m_written << name + ".csv";
    return write(name, table);
}

QString ResultFolder::putFile(const QString& name, const QByteArray& bytes)
{
    QSaveFile file(m_directory + '/' + name);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return file.fileName() + " cannot be written: " + file.errorString() + ".";
    if (!m_written.contains(name))
        m_written << name;
    return {};
}

QString ResultFolder::writeRun() { return put(kRuns, runColumns(m_facts), { runCells(m_facts) }); }

// Rewrites the file with the measurement's present columns, and opens it at its end.
QString ResultFolder::widen(const QString& name, Stream& stream, const LabTable& table)
{
    stream.file.reset();
    const QString path = pathOf(name);
    auto former = readTable(path);
    if (!former)
        return QString::fromStdString(former.error().text);
    CsvTable wide { unitedColumns(former->columns, table.columns()), {} };
    if (wide.columns != former->columns) {
        for (const QStringList& row : former->rows)
            wide.rows.push_back(underColumns(*former, row, wide.columns));
        if (const QString error = write(name, wide); !error.isEmpty())
            return error;
    }
    stream.columns = wide.columns;
    stream.factors = table.factorColumns().size();
    stream.metrics = table.metricColumns().size();
    return {};
}

QString ResultFolder::onRow(const QString& tableName, const LabTable& table)
{
    const QString name = measuredFileName(tableName);
    if (!m_written.contains(name + ".csv"))
        m_written << name + ".csv";
    if (m_streams.size() > kOpenMax && !m_streams.contains(name))
        for (auto& [other, stream] : m_streams)
            stream.file.reset();
    Stream& stream = m_streams[name];
    if (stream.factors != table.factorColumns().size() || stream.metrics != table.metricColumns().size())
        if (const QString error = widen(name, stream, table); !error.isEmpty())
            return error;
    if (!stream.file) {
        stream.file = std::make_unique<QFile>(pathOf(name));
        if (!stream.file->open(QIODevice::Append | QIODevice::Unbuffered))
            return stream.file->fileName() + " cannot be written: " + stream.file->errorString() + ".";
    }
    QVariantList cells;
    for (const QString& column : std::as_const(stream.columns))
        cells << table.cell(table.rows().back(), column, identity());
    // Unbuffered and as a whole, so that a measured row stays in the file even if this program ends.
    const QByteArray bytes = line(textsOf(cells)).toUtf8();
    if (stream.file->write(bytes) != bytes.size())
        return stream.file->fileName() + " cannot be written: " + stream.file->errorString() + ".";
    return {};
}

QString ResultFolder::onParameters(const std::map<QString, QVariant>& parameters)
{
    for (const auto& [name, value] : parameters)
        m_facts.parameters[name] = value;
    return writeRun();
}

QString ResultFolder::onCluster(const ClusterFacts& cluster)
{
    m_facts.isSimulated = m_facts.isSimulated || cluster.isSimulated;
    m_clusters.push_back(cluster);
    std::vector<QVariantList> rows;
    for (const ClusterFacts& one : m_clusters)
        rows.push_back(clusterCells(m_facts, one));
    const QString error = put(kClusters, clusterColumns(cluster), rows);
    return error.isEmpty() ? writeRun() : error;
}

QString ResultFolder::finish(const LabTables& tables, const QString& outcome)
{
    m_streams.clear();
    for (const QString& name : tables.names()) {
        const LabTable table = tables.table(name);
        std::vector<QVariantList> rows;
        for (const LabTable::Row& row : table.rows()) {
            rows.emplace_back();
            for (const QString& column : table.columns())
                rows.back() << table.cell(row, column, identity());
        }
        if (const QString error = put(measuredFileName(name), table.columns(), rows); !error.isEmpty())
            return error;
        if (const QString error = put(
                measuredFileName(name) + kSummary, table.summaryColumns(), table.summaryCells(identity()));
            !error.isEmpty())
            return error;
    }
    m_facts.outcome = outcome;
    return writeRun();
}

QStringList ResultFolder::written() const { return m_written; }

} // namespace lhrs::gui
