// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/result_merge.h"

#include <QFileInfo>

#include <map>
#include <utility>

namespace lhrs::gui {

namespace {

// The rows of one run in one table, under the columns of their original folder.
struct RunRows {
    QString directory;
    CsvTable table;
};

// Whether both have the same cells under the same names; a column that only one of them has must be empty.
bool areSame(const CsvTable& a, const CsvTable& b)
{
    const QStringList columns = unitedColumns(a.columns, b.columns);
    if (a.rows.size() != b.rows.size())
        return false;
    for (std::size_t i = 0; i < a.rows.size(); ++i)
        if (underColumns(a, a.rows[i], columns) != underColumns(b, b.rows[i], columns))
            return false;
    return true;
}

struct MergedTable {
    QStringList columns;
    std::vector<QString> order; // of the runs
    std::map<QString, RunRows> runs; // by id
};

} // namespace

MergeResult mergeResults(const QStringList& directories, const QString& target, FolderUse use)
{
    MergeResult result;
    std::map<QString, MergedTable> tables; // by name
    QStringList sources = directories;
    if (use == FolderUse::Append && !resultTables(target).isEmpty() && !sources.contains(target))
        sources.prepend(target);
    for (const QString& directory : std::as_const(sources)) {
        const QStringList names = resultTables(directory);
        if (names.isEmpty()) {
            result.problem = directory
                + (QFileInfo(directory).isDir() ? " has no tables of results." : " is not a directory.");
            return result;
        }
        for (const QString& name : names) {
            const auto read = CsvTable::read(directory + '/' + name + ".csv");
            if (!read) {
                result.problem = QString::fromStdString(read.error().text);
                return result;
            }
            MergedTable& merged = tables[name];
            merged.columns = unitedColumns(merged.columns, read->columns);
            std::map<QString, CsvTable> here;
            std::vector<QString> order;
            for (const QStringList& row : read->rows) {
                const QString run = read->cell(row, "run");
                auto [at, isNew] = here.try_emplace(run, CsvTable { read->columns, {} });
                at->second.rows.push_back(row);
                if (isNew)
                    order.push_back(run);
            }
            for (const QString& run : order) {
                const auto former = merged.runs.find(run);
                if (former == merged.runs.end()) {
                    merged.order.push_back(run);
                    merged.runs[run] = { directory, here[run] };
                } else if (!areSame(former->second.table, here[run])) {
                    result.conflicts << QString("%1.csv: the rows of run %2 in %3 are not those in %4.")
                                            .arg(name, run, directory, former->second.directory);
                }
            }
        }
    }
    if (!result.conflicts.isEmpty()) {
        result.problem = "Nothing was merged: the same run has different rows.";
        return result;
    }
    auto folder = ResultFolder::open(target, use);
    if (!folder) {
        result.problem = QString::fromStdString(folder.error().text);
        return result;
    }
    for (const auto& [name, merged] : tables) {
        CsvTable table { merged.columns, {} };
        for (const QString& run : merged.order)
            for (const QStringList& row : merged.runs.at(run).table.rows)
                table.rows.push_back(underColumns(merged.runs.at(run).table, row, table.columns));
        if (name == "runs")
            result.runs = int(merged.order.size());
        if (result.problem = (*folder)->write(name, table); !result.problem.isEmpty())
            return result;
        result.written << name + ".csv";
    }
    return result;
}

} // namespace lhrs::gui
