// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/export/result_folder.h"

#include <QString>
#include <QStringList>

namespace lhrs::gui {

struct MergeResult {
    QStringList written;   // names of files
    int runs = 0;          // in the target
    QStringList conflicts; // sentences: nothing is written when there are any
    QString problem;       // a sentence; empty: merged
};

// Puts the tables of several result folders together in another one: rows of all runs, columns united. A run that is in two of them
// is taken once where its rows are the same, and is a conflict where they differ.
MergeResult mergeResults(const QStringList& directories, const QString& target, FolderUse use);

} // namespace lhrs::gui
