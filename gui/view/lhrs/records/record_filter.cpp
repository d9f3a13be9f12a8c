// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/records/record_filter.h"

#include <QByteArray>
#include <QRegularExpression>

#include <algorithm>

namespace lhrs::gui {

QString hexOf(const std::string& bytes, std::size_t bytesMax)
{
    const std::size_t shown = std::min(bytes.size(), bytesMax);
    QString text = QString::fromLatin1(QByteArray(bytes.data(), qsizetype(shown)).toHex(' '));
    if (shown < bytes.size())
        text += QStringLiteral(" …");
    return text;
}

QString textOf(const std::string& bytes, std::size_t bytesMax)
{
    QString text;
    for (std::size_t i = 0; i < std::min(bytes.size(), bytesMax); ++i)
        text += bytes[i] >= 0x20 && bytes[i] < 0x7f ? QLatin1Char(bytes[i]) : QLatin1Char('.');
    return bytes.size() > bytesMax ? text + QStringLiteral("…") : text;
}

// ---- which rows

RecordFilter RecordFilter::of(const QString& words)
{
    static const QRegularExpression kRange(QStringLiteral("^(rank|key)?\\s*(\\d{1,20})(?:\\s*-\\s*(\\d{1,20}))?$"),
        QRegularExpression::CaseInsensitiveOption);
    const QString text = words.trimmed();
    if (text.isEmpty())
        return {};
    const QRegularExpressionMatch match = kRange.match(text);
    bool isFrom = false, isTo = true;
    const std::uint64_t from = match.captured(2).toULongLong(&isFrom);
    const std::uint64_t to = match.captured(3).isEmpty() ? from : match.captured(3).toULongLong(&isTo);
    if (!match.hasMatch() || !isFrom || !isTo)
        return { Kind::Bytes, 0, 0, text };
    if (match.captured(1).isEmpty())
        return { match.captured(3).isEmpty() ? Kind::Number : Kind::Rank, from, to, text };
    return { match.captured(1).toLower() == QLatin1String("rank") ? Kind::Rank : Kind::Key, from, to, text };
}

bool RecordFilter::takes(std::uint32_t rank, const QStringList& keys, const std::string* bytes) const
{
    switch (kind) {
    case Kind::All: return true;
    case Kind::Rank: return rank >= from && rank <= to;
    case Kind::Number:
        return rank == from
            || std::any_of(keys.begin(), keys.end(), [this](const QString& key) { return key.contains(words); });
    case Kind::Key:
        return std::any_of(keys.begin(), keys.end(),
            [this](const QString& key) { return key.toULongLong() >= from && key.toULongLong() <= to; });
    case Kind::Bytes:
        return bytes
            && (textOf(*bytes, bytes->size()).contains(words, Qt::CaseInsensitive)
                || hexOf(*bytes, bytes->size()).contains(words, Qt::CaseInsensitive));
    }
    return false;
}

QString verdictWord(WitnessVerdict verdict)
{
    switch (verdict) {
    case WitnessVerdict::Equal: return QStringLiteral("equal");
    case WitnessVerdict::Changed: return QStringLiteral("changed");
    case WitnessVerdict::Missing: return QStringLiteral("missing");
    case WitnessVerdict::Extra: return QStringLiteral("extra");
    }
    return {};
}

} // namespace lhrs::gui
