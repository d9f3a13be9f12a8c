// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <QByteArray>
#include <QString>

namespace lhrs::gui {

// The text of a scenario as an editor has it: lines end with \n, and what else was in the file is remembered for saving.
struct ScenarioText {
    QString text;
    bool hasCrLf = false; // lines end as in a DOS file
    bool hasBom = false;
    QByteArray digest;    // of the file's bytes: whether it is still the same on the disk
    QString remark;       // what is different now from the file, in a sentence; empty: nothing
};

// At most one MiB of UTF-8; everything else is an error in one sentence that names the file.
Result<ScenarioText> readScenario(const QString& path);

// The bytes of the text with these line ends.
QByteArray bytesOf(const QString& text, bool hasCrLf, bool hasBom);
// Writes the text so that the file is the old or the new one, never half of it, and gives its digest.
Result<QByteArray> writeScenario(const QString& path, const QString& text, bool hasCrLf, bool hasBom);

// Of the bytes that are at that path now; empty: there is no file that can be read.
QByteArray digestOfFile(const QString& path);

// Why the file is not written in its place, so that a copy is saved: nobody may write it, or it came with the program.
// Empty: it may be written.
QString whyReadOnly(const QString& path, const QString& scenarioDirectory);

} // namespace lhrs::gui
