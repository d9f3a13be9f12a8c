// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <QByteArray>
#include <QString>

namespace lhrs::gui {

// The text of a scenario as an editor holds it: lines end with \n, and the file's other properties are remembered for
// saving.
struct ScenarioText {
    QString text;
    bool hasCrLf = false; // the file's lines end with CR LF
    bool hasBom = false;
    QByteArray digest; // of the file's bytes, to detect changes on disk
    QString remark; // how the text differs from the file, in a sentence; empty if it does not
};

// Reads at most 1 MiB of UTF-8. Everything else is an error in one sentence that names the file.
Result<ScenarioText> readScenario(const QString& path);

// The text as bytes, with these line ends.
QByteArray bytesOf(const QString& text, bool hasCrLf, bool hasBom);
// Replaces the file atomically and returns its digest.
Result<QByteArray> writeScenario(const QString& path, const QString& text, bool hasCrLf, bool hasBom);

// The digest of the file at that path now; empty if no file can be read.
QByteArray digestOfFile(const QString& path);

// Why the file cannot be written, so that a copy must be saved: it is write-protected, or it came with the program.
// Empty if it may be written.
QString whyReadOnly(const QString& path, const QString& scenarioDirectory);

} // namespace lhrs::gui
