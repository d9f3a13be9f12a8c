// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/csv_table.h"

#include "gui/lab/lab_table.h"

#include <QFile>
#include <QRegularExpression>

#include <algorithm>

namespace lhrs::gui {

QStringList csvCells(const QString& line)
{
    static const QRegularExpression kCell("(?:^|,)(?:\"((?:[^\"]|\"\")*)\"|([^,]*))");
    QStringList cells;
    for (auto it = kCell.globalMatch(line); it.hasNext();) {
        const auto match = it.next();
        cells << (match.capturedStart(1) >= 0 ? match.captured(1).replace("\"\"", "\"") : match.captured(2));
    }
    return cells;
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
    const QStringList lines = QString(text).remove('\r').split('\n', Qt::SkipEmptyParts);
    if (lines.isEmpty())
        return Error { (path + " is empty: the first line of a table names its columns.").toStdString() };
    CsvTable table;
    table.columns = csvCells(lines.first());
    for (qsizetype i = 1; i < lines.size(); ++i) {
        table.rows.push_back(csvCells(lines[i]));
        if (table.rows.back().size() > table.columns.size())
            return Error { QString("%1, line %2: %3 cells, but there are %4 columns.").arg(path).arg(i + 1).arg(table.rows.back().size()).arg(table.columns.size()).toStdString() };
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

QString CsvTable::cell(const QStringList& row, const QString& column) const { return row.value(columns.indexOf(column)); }

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
