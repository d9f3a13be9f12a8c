// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/reel/script_observer.h"

namespace lhrs::gui {

QString ScriptResult::sentence() const
{
    if (outcome == ScriptOutcome::Held)
        return {};
    QString text = file + (line > 0 ? QString(", line %1").arg(line) : QString()) + ": " + message;
    return hint.isEmpty() ? text : text + " " + hint;
}

} // namespace lhrs::gui
