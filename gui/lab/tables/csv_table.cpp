// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/csv_table.h"

#include "gui/lab/tables/lab_table.h"

#include <QFile>
#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace lhrs::gui {

bool isTableName(const QString& name)
{
    static const QRegularExpression kName("^[A-Za-z0-9_-]{1,64}$");
    return kName.match(name).hasMatch();
}

std::vector<CsvRecord> csvRecords(const QString& text)
{
    std::vector<CsvRecord> records;
    CsvRecord record { 1, {} };
    QString cell;
    bool isQuoted = false, isEmpty = true; // inside quotes; nothing of the record was read yet
    int line = 1;
    const auto end = [&] {
        if (!isEmpty)
            records.push_back({ record.line, record.cells << std::exchange(cell, {}) });
        record = { line, {} };
        isEmpty = true;
    };
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        line += c == '\n' ? 1 : 0;
        if (isQuoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
            cell += text[i++];
        else if (isQuoted && c != '"')
            cell += c;
        else if (c == '"')
            isQuoted = !isQuoted, isEmpty = false;
        else if (c == ',')
            record.cells << std::exchange(cell, {}), isEmpty = false;
        else if (c == '\n')
            end();
        else if (c != '\r')
            cell += c, isEmpty = false;
    }
    end();
    return records;
}

Result<CsvTable> CsvTable::read(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error { QString("%1 cannot be read: %2.").arg(path, file.errorString()).toStdString() };
    return parse(QString::fromUtf8(file.readAll()), path);
}

Result<CsvTable> CsvTable::parse(const QString& text, const QString& path)
{
    std::vector<CsvRecord> records = csvRecords(text);
    if (records.empty())
        return Error { (path + " is empty: the first line of a table names its columns.").toStdString() };
    CsvTable table;
    table.columns = records.front().cells;
    for (std::size_t i = 1; i < records.size(); ++i) {
        if (records[i].cells.size() > table.columns.size())
            return Error { QString("%1, line %2: %3 cells, but there are %4 columns.")
                               .arg(path)
                               .arg(records[i].line)
                               .arg(records[i].cells.size())
                               .arg(table.columns.size())
                               .toStdString() };
        table.rows.push_back(std::move(records[i].cells));
    }
    return table;
}

QString CsvTable::text() const
{
    QString text;
    const auto add = [&text](const QStringList& cells) {
        QStringList line;
        for (const QString& cell : cells)
            line << csvCell(cell);
        text += line.join(',') + '\n';
    };
    add(columns);
    for (const QStringList& row : rows)
        add(row);
    return text;
}

QString CsvTable::cell(const QStringList& row, const QString& column) const
{
    return row.value(columns.indexOf(column));
}

std::optional<double> CsvTable::number(const QStringList& row, const QString& column) const
{
    bool isNumber = false;
    const double value = cell(row, column).toDouble(&isNumber);
    return isNumber ? std::optional(value) : std::nullopt;
}

std::vector<QStringList> CsvTable::where(const std::map<QString, QString>& wanted) const
{
    std::vector<QStringList> found;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(found), [&](const QStringList& row) {
        return std::all_of(wanted.begin(), wanted.end(), [&](const auto& item) {
            const QString is = cell(row, item.first);
            bool isA = false, isB = false;
            const double a = is.toDouble(&isA), b = item.second.toDouble(&isB);
            return isA && isB ? a == b : is == item.second;
        });
    });
    return found;
}

} // namespace lhrs::gui
