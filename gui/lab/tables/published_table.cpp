// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/published_table.h"

#include "gui/lab/tables/near_word.h"

#include <QDir>

namespace lhrs::gui {

LabResult<CsvTable> publishedTableIn(const QString& directory, const QString& name)
{
    const QDir tables(directory);
    if (isTableName(name) && tables.exists(name + ".csv")) {
        const auto table = CsvTable::read(tables.filePath(name + ".csv"));
        if (table)
            return *table;
        return LabError { LabCode::BadArgument, QString::fromStdString(table.error().text) };
    }
    QStringList known;
    for (const QString& entry : tables.entryList({ "*.csv" }, QDir::Files))
        known << entry.chopped(4);
    const QString near = nearestWord(name, known);
    return LabError { LabCode::BadArgument,
        "There is no published table '" + name.left(80) + "' in " + tables.path() + ".",
        !near.isEmpty()       ? "Did you mean " + near + "?"
            : known.isEmpty() ? QString("The directory paper/ beside the scenario is missing.")
                              : "There are " + known.join(", ") + "." };
}

} // namespace lhrs::gui
