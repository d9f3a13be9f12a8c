// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/named_thing.h"

#include <QRegularExpression>

namespace lhrs::gui {

// The processes of a ring that a text mentions: "node-3", and "master".
inline NamedThings nodesNamed(const QString& text)
{
    static const QRegularExpression kName(
        QStringLiteral("\\b(node-\\d+|master)\\b"), QRegularExpression::CaseInsensitiveOption);
    NamedThings found;
    for (auto match = kName.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch name = match.next();
        found.emplace_back(name.capturedStart(), name.captured().toLower());
    }
    return found;
}

} // namespace lhrs::gui
