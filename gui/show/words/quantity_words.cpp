// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/words/quantity_words.h"

namespace lhrs::gui {

QString grouped(std::uint64_t number)
{
    QString digits = QString::number(number);
    for (qsizetype i = digits.size() - 3; i > 0; i -= 3)
        digits.insert(i, QChar(0x202f));
    return digits;
}

QString countedWords(std::uint64_t number, const char* one, const char* many)
{
    return QStringLiteral("%1 %2").arg(grouped(number), QString::fromLatin1(number == 1 ? one : many));
}

QString durationWords(std::int64_t ns)
{
    const double v = double(ns);
    const auto number = [](double x) { return QString::number(x, 'f', x < 9.995 ? 2 : x < 99.95 ? 1 : 0); };
    if (v < 1e6)
        return QStringLiteral("%1 µs").arg(qRound64(v / 1e3));
    if (v < 1e9)
        return QStringLiteral("%1 ms").arg(number(v / 1e6));
    return QStringLiteral("%1 s").arg(number(v / 1e9));
}

} // namespace lhrs::gui
