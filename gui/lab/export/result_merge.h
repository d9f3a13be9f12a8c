// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/export/result_folder.h"

#include <QString>
#include <QStringList>

namespace lhrs::gui {

struct MergeResult {
    QStringList written; // names of files
    int runs = 0; // number of runs in the target
    QStringList conflicts; // sentences; if there are any, nothing is written
    QString problem; // a sentence; empty if merged
};

// Merges the tables of several result folders into another folder: rows of all runs, with merged columns. A run that
// is in two folders is taken once if its rows are equal, and is a conflict otherwise.
MergeResult mergeResults(const QStringList& directories, const QString& target, FolderUse use);

} // namespace lhrs::gui
