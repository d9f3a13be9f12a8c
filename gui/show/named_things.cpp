// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/named_things.h"

#include "gui/show/show_systems.h"

#include <QRegularExpression>

#include <algorithm>

namespace lhrs::gui {

QStringList thingsNamed(const QString& text, const QStringList& clients)
{
    NamedThings found = placesNamed(text);
    for (const QString& client : clients) {
        const QRegularExpression name(QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(client)),
            QRegularExpression::CaseInsensitiveOption);
        if (const qsizetype at = client.isEmpty() ? -1 : text.indexOf(name); at >= 0)
            found.emplace_back(at, QStringLiteral("client ") + client);
    }
    if (const qsizetype at = text.indexOf(QLatin1String("coordinator"), 0, Qt::CaseInsensitive); at >= 0)
        found.emplace_back(at, QStringLiteral("coordinator"));
    std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    QStringList things;
    for (const auto& [at, name] : found)
        if (!things.contains(name))
            things << name;
    return things;
}

} // namespace lhrs::gui
