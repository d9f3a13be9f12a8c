// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/csv_table.h"
#include "gui/lab/tables/lab_error.h"

#include <QString>

namespace lhrs::gui {

// A table that a paper printed, from the directory of these tables. The error names those that there are.
LabResult<CsvTable> publishedTableIn(const QString& directory, const QString& name);

} // namespace lhrs::gui
