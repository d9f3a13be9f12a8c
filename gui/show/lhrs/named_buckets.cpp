// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/lhrs/named_buckets.h"

#include <QRegularExpression>

namespace lhrs::gui {

NamedThings bucketsNamed(const QString& text)
{
    NamedThings found;
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
    return found;
}

} // namespace lhrs::gui
