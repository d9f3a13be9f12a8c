// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/lab_table.h"

#include <QFile>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <thread>

namespace lhrs::gui {

namespace {

// Linear interpolation between neighbours, as in most statistics programs.
double quantile(const std::vector<double>& sorted, double share)
{
    const double at = share * double(sorted.size() - 1);
    const std::size_t low = std::size_t(std::floor(at));
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - double(low)) * (sorted[high] - sorted[low]);
}

QVariant valueOf(const std::map<QString, QVariant>& row, const QString& column)
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

QString machineRead()
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

} // namespace

LabTable::Summary::Quartiles quartilesOf(std::vector<double> numbers)
{
    std::sort(numbers.begin(), numbers.end());
    return { quantile(numbers, 0.25), quantile(numbers, 0.5), quantile(numbers, 0.75), int(numbers.size()),
        medianInterval(numbers) };
}

QString shortestText(double number)
{
    // Plain digits in the usual range, where whole numbers are exact or nearly so; otherwise an exponent.
    const double size = std::abs(number);
    const bool isFixed = number == 0 || (size >= 1e-4 && size < 1e16);
    std::array<char, 64> text {};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
        isFixed ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    return QString::fromLatin1(text.data(), end - text.data());
}

QString cellText(const QVariant& value)
{
    if (!value.isValid() || value.isNull())
        return {};
    switch (value.typeId()) {
    case QMetaType::Bool: return value.toBool() ? "true" : "false";
    case QMetaType::Double:
    case QMetaType::Float: return shortestText(value.toDouble()); // the C locale: a decimal point
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
    static const QString kMachine = machineRead();
    return kMachine;
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
    // By the text of the factors; a map, because a table may have as many cases as rows.
    std::map<QString, std::size_t> known;
    for (const Row& row : m_rows) {
        if (row.isWarmUp)
            continue;
        QString text;
        for (const auto& [name, value] : row.factors)
            text += name + QChar(0) + cellText(value) + QChar(0) + QChar(value.typeId()) + QChar(0);
        const auto [place, isNew] = known.try_emplace(std::move(text), summaries.size());
        if (isNew) {
            summaries.push_back({ row.factors, row.detail, 0, {} });
            values.emplace_back();
        }
        Summary& at = summaries[place->second];
        ++at.n;
        if (at.detail != row.detail)
            at.detail.clear();
        auto& metrics = values[place->second];
        for (const auto& [name, value] : row.metrics) {
            bool isNumber = false;
            const double number = value.toDouble(&isNumber);
            if (isNumber && std::isfinite(number))
                metrics[name].push_back(number);
        }
    }
    for (std::size_t i = 0; i < summaries.size(); ++i)
        summaries[i].isReached = m_goal.percent > 0
            && std::all_of(m_goal.metrics.begin(), m_goal.metrics.end(),
                [&](const QString& metric) { return isWithin(values[i][metric], m_goal.percent); });
    for (std::size_t i = 0; i < summaries.size(); ++i)
        for (auto& [name, numbers] : values[i])
            summaries[i].metrics[name] = quartilesOf(std::move(numbers));
    return summaries;
}

QStringList LabTable::columns() const
{
    QStringList columns { "run", "simulated", "detail", "repetition", "warm_up" };
    appendNew(columns, m_factors);
    appendNew(columns, m_metrics);
    appendNew(columns, { "faults", "machine" });
    return columns;
}

bool LabTable::isOfEveryTable(const QString& column)
{
    static const QStringList kColumns = LabTable().columns();
    return kColumns.contains(column);
}

QVariant LabTable::cell(const Row& row, const QString& column, const RunIdentity& identity) const
{
    if (column == "run")
        return identity.run;
    if (column == "simulated")
        return identity.isSimulated;
    if (column == "detail")
        return row.detail;
    if (column == "repetition")
        return row.repetition > 0 ? QVariant(row.repetition) : QVariant();
    if (column == "warm_up")
        return row.isWarmUp;
    if (column == "faults")
        return row.faults;
    if (column == "machine")
        return identity.machine;
    const QVariant factor = valueOf(row.factors, column);
    return factor.isValid() ? factor : valueOf(row.metrics, column);
}

QStringList LabTable::summaryColumns() const
{
    QStringList columns { "run", "simulated", "detail" };
    appendNew(columns, m_factors);
    columns << "n";
    if (m_goal.percent > 0)
        columns << "within_percent"
                << "reached";
    for (const QString& metric : m_metrics)
        if (!m_factors.contains(metric))
            for (const char* statistic : { "_median", "_q1", "_q3", "_ci95_low", "_ci95_high" })
                columns << metric + QLatin1String(statistic);
    return columns;
}

std::vector<QVariantList> LabTable::summaryCells(const RunIdentity& identity) const
{
    std::vector<QVariantList> rows;
    for (const Summary& s : summary()) {
        QVariantList cells { identity.run, identity.isSimulated, s.detail };
        for (const QString& column : m_factors)
            cells << valueOf(s.factors, column);
        cells << s.n;
        if (m_goal.percent > 0)
            cells << m_goal.percent << s.isReached;
        for (const QString& metric : m_metrics) {
            if (m_factors.contains(metric))
                continue;
            const auto at = s.metrics.find(metric);
            const Summary::Quartiles none, &q = at == s.metrics.end() ? none : at->second;
            const auto known = [](bool isKnown, double value) { return isKnown ? QVariant(value) : QVariant(); };
            cells << known(q.n > 0, q.median) << known(q.n > 1, q.q1) << known(q.n > 1, q.q3)
                  << known(q.interval.has_value(), q.interval.value_or(MedianInterval()).low)
                  << known(q.interval.has_value(), q.interval.value_or(MedianInterval()).high);
        }
        rows.push_back(cells);
    }
    return rows;
}

Result<int> LabTables::add(
    const QString& name, LabTable::Row row, const QStringList& factorOrder, const QStringList& metricOrder)
{
    const std::lock_guard lock(m_mutex);
    LabTable& table = m_tables[name];
    table.add(std::move(row), factorOrder, metricOrder);
    if (m_sink != nullptr)
        if (const QString problem = m_sink->onRow(name, table); !problem.isEmpty())
            return Error { problem.toStdString() };
    return int(table.rows().size());
}

void LabTables::setGoal(const QString& name, LabTable::Goal goal)
{
    const std::lock_guard lock(m_mutex);
    m_tables[name].setGoal(std::move(goal));
}

std::size_t LabTables::rows() const
{
    const std::lock_guard lock(m_mutex);
    std::size_t rows = 0;
    for (const auto& [name, table] : m_tables)
        rows += table.rows().size();
    return rows;
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

} // namespace lhrs::gui
