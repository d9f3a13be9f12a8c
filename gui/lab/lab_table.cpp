// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/lab_table.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>

#include <algorithm>
#include <cmath>
#include <thread>

namespace lhrs::gui {

namespace {

// Linear between neighbours, as most programs for statistics do it.
double quantile(const std::vector<double>& sorted, double share)
{
    const double at = share * double(sorted.size() - 1);
    const std::size_t low = std::size_t(std::floor(at));
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - double(low)) * (sorted[high] - sorted[low]);
}

QVariant cell(const std::map<QString, QVariant>& row, const QString& column)
{
    const auto at = row.find(column);
    return at == row.end() ? QVariant() : at->second;
}

void appendNew(QStringList& columns, const QStringList& more)
{
    for (const QString& column : more)
        if (!columns.contains(column))
            columns << column;
}

QString joined(const QVariantList& cells)
{
    QStringList texts;
    for (const QVariant& value : cells)
        texts << csvCell(value);
    return texts.join(',') + "\r\n";
}

QString joined(const QStringList& names)
{
    QVariantList cells;
    for (const QString& name : names)
        cells << name;
    return joined(cells);
}

} // namespace

LabTable::Summary::Quartiles quartilesOf(std::vector<double> numbers)
{
    std::sort(numbers.begin(), numbers.end());
    return { quantile(numbers, 0.25), quantile(numbers, 0.5), quantile(numbers, 0.75) };
}

QString cellText(const QVariant& value)
{
    if (!value.isValid() || value.isNull())
        return {};
    switch (value.typeId()) {
    case QMetaType::Bool: return value.toBool() ? "true" : "false";
    case QMetaType::Double:
    case QMetaType::Float: return QString::number(value.toDouble(), 'g', 12); // the C locale: a decimal point
    default: return value.toString();
    }
}

QString csvCell(const QVariant& value)
{
    QString text = cellText(value);
    if (text.contains('"') || text.contains(',') || text.contains('\r') || text.contains('\n'))
        text = '"' + text.replace('"', "\"\"") + '"';
    return text;
}

QString machineShown()
{
    QString model = "unknown processor";
    QFile processors("/proc/cpuinfo");
    if (processors.open(QIODevice::ReadOnly))
        for (const QByteArray& line : processors.readAll().split('\n'))
            if (line.startsWith("model name")) {
                model = QString::fromUtf8(line.mid(line.indexOf(':') + 1)).simplified();
                break;
            }
    double gibibytes = 0;
    QFile memory("/proc/meminfo");
    if (memory.open(QIODevice::ReadOnly))
        gibibytes = memory.readLine().simplified().split(' ').value(1).toDouble() / (1024 * 1024);
    const unsigned cores = std::thread::hardware_concurrency();
    return QString("%1, %2 cores, %3 GiB").arg(model).arg(cores).arg(gibibytes, 0, 'f', 0);
}

void LabTable::add(Row row, const QStringList& factorOrder, const QStringList& metricOrder)
{
    appendNew(m_factors, factorOrder);
    appendNew(m_metrics, metricOrder);
    m_rows.push_back(std::move(row));
}

std::vector<LabTable::Summary> LabTable::summary() const
{
    std::vector<Summary> summaries;
    std::vector<std::map<QString, std::vector<double>>> values;
    for (const Row& row : m_rows) {
        if (row.isWarmUp)
            continue;
        auto at = std::find_if(summaries.begin(), summaries.end(),
            [&](const Summary& s) { return s.factors == row.factors; });
        if (at == summaries.end()) {
            summaries.push_back({ row.factors, 0, {} });
            values.emplace_back();
            at = std::prev(summaries.end());
        }
        ++at->n;
        auto& metrics = values[std::size_t(at - summaries.begin())];
        for (const auto& [name, value] : row.metrics) {
            bool isNumber = false;
            const double number = value.toDouble(&isNumber);
            if (isNumber && std::isfinite(number))
                metrics[name].push_back(number);
        }
    }
    for (std::size_t i = 0; i < summaries.size(); ++i)
        for (auto& [name, numbers] : values[i])
            summaries[i].metrics[name] = quartilesOf(std::move(numbers));
    return summaries;
}

QString LabTable::csv(const RunIdentity& identity) const
{
    QString text = joined(QStringList { "run", "simulated", "detail", "repetition", "warm_up" } + m_factors + m_metrics
        + QStringList { "faults", "machine" });
    for (const Row& row : m_rows) {
        QVariantList cells { identity.run, identity.isSimulated, row.detail,
            row.repetition > 0 ? QVariant(row.repetition) : QVariant(), row.isWarmUp };
        for (const QString& column : m_factors)
            cells << cell(row.factors, column);
        for (const QString& column : m_metrics)
            cells << cell(row.metrics, column);
        cells << row.faults << identity.machine;
        text += joined(cells);
    }
    return text;
}

QString LabTable::summaryCsv(const RunIdentity& identity) const
{
    QStringList columns = QStringList { "run", "simulated", "detail" } + m_factors + QStringList { "n" };
    for (const QString& metric : m_metrics)
        columns << metric + "_median" << metric + "_q1" << metric + "_q3";
    QString text = joined(columns);
    const QString detail = m_rows.empty() ? QString() : m_rows.front().detail;
    for (const Summary& s : summary()) {
        QVariantList cells { identity.run, identity.isSimulated, detail };
        for (const QString& column : m_factors)
            cells << cell(s.factors, column);
        cells << s.n;
        for (const QString& metric : m_metrics) {
            const auto at = s.metrics.find(metric);
            const bool isKnown = at != s.metrics.end();
            cells << (isKnown ? QVariant(at->second.median) : QVariant())
                << (isKnown ? QVariant(at->second.q1) : QVariant())
                  << (isKnown ? QVariant(at->second.q3) : QVariant());
        }
        text += joined(cells);
    }
    return text;
}

int LabTables::add(const QString& name, LabTable::Row row, const QStringList& factorOrder,
    const QStringList& metricOrder)
{
    const std::lock_guard lock(m_mutex);
    LabTable& table = m_tables[name];
    table.add(std::move(row), factorOrder, metricOrder);
    return int(table.rows().size());
}

LabTable LabTables::table(const QString& name) const
{
    const std::lock_guard lock(m_mutex);
    const auto at = m_tables.find(name);
    return at == m_tables.end() ? LabTable() : at->second;
}

QStringList LabTables::names() const
{
    const std::lock_guard lock(m_mutex);
    QStringList names;
    for (const auto& [name, table] : m_tables)
        names << name;
    return names;
}

QString LabTables::write(const QString& directory, const RunIdentity& identity) const
{
    if (!QDir().mkpath(directory))
        return "The directory " + directory + " cannot be made; choose another one.";
    for (const QString& name : names()) {
        const LabTable table = this->table(name);
        for (const auto& [suffix, text] : { std::pair(QString(), table.csv(identity)),
            std::pair(QString("_summary"), table.summaryCsv(identity)) }) {
            QSaveFile file(directory + '/' + name + suffix + ".csv");
            if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit())
                return file.fileName() + " cannot be written: " + file.errorString() + ".";
        }
    }
    return {};
}

} // namespace lhrs::gui
