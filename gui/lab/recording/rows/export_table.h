// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QVariantList>

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// An exported table of a run. The first columns run, simulated and detail are added on writing.
struct ExportTable {
    QString name;
    QStringList columns;
    std::vector<QVariantList> rows;
};

// Cells of a table: empty if unknown, times in s and ms.
inline QVariant known(bool isKnown, const QVariant& value) { return isKnown ? value : QVariant(); }
inline double seconds(std::int64_t ns) { return double(ns) / 1e9; }
inline double milliseconds(std::int64_t ns) { return double(ns) / 1e6; }

} // namespace lhrs::gui
