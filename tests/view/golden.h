// SPDX-License-Identifier: GPL-3.0-or-later
// Reviewed texts, kept in tests/pictures: what is drawn must equal them, line by line.
#pragma once

#include <QFile>
#include <QString>
#include <QStringList>

#include <algorithm>

namespace lhrs::gui {

// The first line in which the text differs from tests/pictures/NAME; empty: they are equal. LHRS_REWRITE=1 writes the
// file again, and the difference is to be reviewed like code.
inline QString differenceTo(const QString& name, const QString& text)
{
    QFile file(QStringLiteral(LHRS_SOURCE_DIR "/tests/pictures/") + name);
    if (qEnvironmentVariableIsSet("LHRS_REWRITE")) {
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text.toUtf8()) < 0)
            return name + QStringLiteral(" cannot be written: ") + file.errorString();
        return {};
    }
    if (!file.open(QIODevice::ReadOnly))
        return name + QStringLiteral(" cannot be read: ") + file.errorString()
            + QStringLiteral("; LHRS_REWRITE=1 writes it");
    const QStringList expected = QString::fromUtf8(file.readAll()).split('\n'), now = text.split('\n');
    for (qsizetype i = 0; i < std::max(expected.size(), now.size()); ++i) {
        if (expected.value(i) != now.value(i))
            return QStringLiteral("%1, line %2; LHRS_REWRITE=1 writes the file anew\n  expected: %3\n  drawn: %4")
                .arg(name)
                .arg(i + 1)
                .arg(expected.value(i), now.value(i));
    }
    return {};
}

} // namespace lhrs::gui
