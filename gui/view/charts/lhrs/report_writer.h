// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/lhrs/paper_report.h"

#include <QString>
#include <QStringList>

namespace lhrs::gui {

struct ReportFacts {
    QString version; // of this program, and of the libraries that matter
    QString written; // when, UTC
};

// Writes report.html (self-contained: the charts are in it), comparison.csv, shapes.csv, and each chart as .svg and
// .png into the directory. Returns an error as a sentence, or an empty string; `files` receives the names.
QString writeReport(const PaperReport& report, const ReportFacts& facts, const QString& directory, QStringList& files);

} // namespace lhrs::gui
