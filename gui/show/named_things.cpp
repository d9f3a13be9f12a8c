// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/named_things.h"

#include <QRegularExpression>

#include <algorithm>
#include <utility>
#include <vector>

namespace lhrs::gui {

QStringList thingsNamed(const QString& text, const QStringList& clients)
{
    std::vector<std::pair<qsizetype, QString>> found; // with the position in the text
    static const QRegularExpression kParity(
        QStringLiteral("\\bparity bucket (\\d+\\.\\d+)"), QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression kBuckets(QStringLiteral("\\bbuckets? (\\d+(?:(?:, | and | or )\\d+)*)(?!\\.\\d)"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression kNumber(QStringLiteral("\\d+"));
    for (auto match = kParity.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch parity = match.next();
        found.emplace_back(parity.capturedStart(), QStringLiteral("parity ") + parity.captured(1));
    }
    for (auto match = kBuckets.globalMatch(text); match.hasNext();) {
        const QRegularExpressionMatch buckets = match.next();
        if (text.mid(buckets.capturedStart() - 7, 7).compare(QLatin1String("parity "), Qt::CaseInsensitive) == 0)
            continue;
        for (auto number = kNumber.globalMatch(buckets.captured(1)); number.hasNext();) {
            const QRegularExpressionMatch one = number.next();
            found.emplace_back(
                buckets.capturedStart(1) + one.capturedStart(), QStringLiteral("data ") + one.captured());
        }
    }
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
