// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/csv_table.h"
#include "gui/lab/tables/lab_error.h"

#include <QString>

namespace lhrs::gui {

// A published table, read from the directory of these tables. The error lists the tables that exist.
LabResult<CsvTable> publishedTableIn(const QString& directory, const QString& name);

} // namespace lhrs::gui
