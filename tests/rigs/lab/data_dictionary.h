// SPDX-License-Identifier: GPL-3.0-or-later
// The columns that the section of a file in scenarios/DATA.md describes, in order.
#pragma once

#include <QFile>
#include <QRegularExpression>
#include <QString>
#include <QStringList>

namespace lhrs::gui {

inline QStringList documentedColumns(const QString& section)
{
    QFile file(LHRS_SOURCE_DIR "/scenarios/DATA.md");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression kRow("^\\| `([^`]+)` \\|");
    QStringList columns;
    QString name;
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        if (line.startsWith("## "))
            name = line.mid(3);
        else if (const auto match = kRow.match(line); name == section && match.hasMatch())
            columns << match.captured(1);
    }
    return columns;
}

} // namespace lhrs::gui
