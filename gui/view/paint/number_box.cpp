// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/paint/number_box.h"

#include <QEvent>
#include <QToolTip>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr qsizetype kDigitsMax = 18; // more than any box accepts, but few enough for a double to detect an excess

bool isMark(QChar c) { return c == u'.' || c == u',' || c == u'\u066b'; } // the last: Arabic
// Characters that can only separate thousands: apostrophes, the Arabic separator, spaces of all widths.
bool isBetweenThousands(QChar c) { return c == u'\'' || c == u'\u2019' || c == u'\u066c' || c.isSpace(); }
bool isSign(QChar c) { return c == u'-' || c == u'+' || c == u'\u2212'; }

} // namespace

bool canBecomeNumber(const QString& words)
{
    return std::all_of(words.begin(), words.end(),
        [](QChar c) { return c.digitValue() >= 0 || isMark(c) || isBetweenThousands(c) || isSign(c); });
}

TypedNumber readTyped(const QString& words, int decimals)
{
    const auto refused = [](const QString& sentence) { return TypedNumber { {}, sentence }; };
    const QString typed = words.trimmed();
    QString before, after; // digits before and after the mark, in ASCII
    int marks = 0;
    bool hasSeparators = false, isNegative = false, isOther = false;
    for (qsizetype i = 0; i < typed.size(); ++i) {
        const QChar c = typed[i];
        if (c.digitValue() >= 0)
            (marks == 0 ? before : after) += QChar(u'0' + c.digitValue());
        else if (isMark(c))
            ++marks;
        else if (isBetweenThousands(c))
            hasSeparators = true;
        else if (isSign(c) && i == 0)
            isNegative = c != u'+';
        else
            isOther = true;
    }
    if (typed.isEmpty())
        return refused(QObject::tr("Write a number."));
    if (isOther || (before + after).isEmpty() || (before + after).size() > kDigitsMax)
        return refused(QObject::tr("“%1” is not a number that is possible here.").arg(typed));
    if (hasSeparators || marks > 1)
        return refused(
            QObject::tr("“%1” has separators between thousands. Write the number without them, for example %2.")
                .arg(typed, decimals > 0 ? QStringLiteral("1234.5") : QStringLiteral("12345")));
    const bool isAmbiguous = marks == 1 && after.size() == 3 && !before.isEmpty() && before.size() <= 3
        && before[0] != u'0';
    if (isAmbiguous)
        return refused(decimals > 0
                ? QObject::tr(
                    "“%1” can mean %2%3 or a fraction. Write %2%3, or at most %n digit(s) after the decimal mark.",
                    nullptr, decimals)
                      .arg(typed, before, after)
                : QObject::tr("“%1” can mean %2%3 or a fraction. Write a whole number without separators.")
                      .arg(typed, before, after));
    if (decimals == 0 && marks > 0)
        return refused(QObject::tr("“%1” is not a whole number. Write one without a decimal mark.").arg(typed));
    if (after.size() > decimals)
        return refused(
            QObject::tr("“%1” has too many digits after the decimal mark. Write at most %2.").arg(typed).arg(decimals));
    const double value = QString(before + u'.' + after + u'0').toDouble();
    return { isNegative ? -value : value, {} };
}

void NumberEntry::look(const QString& objection)
{
    m_isRefused = false;
    if (objection == m_objection)
        return;
    m_objection = objection;
    emit changed();
}

void NumberEntry::refuse()
{
    m_isRefused = true;
    if (!m_objection.isEmpty() && m_box.isVisible())
        QToolTip::showText(m_box.mapToGlobal(QPoint(0, m_box.height())), m_objection, &m_box);
}

bool NumberEntry::eventFilter(QObject* object, QEvent* event)
{
    // When the box is entered again after a refusal, the person sees the restored value, so the objection ends.
    if (event->type() == QEvent::FocusIn && m_isRefused)
        look({});
    return QObject::eventFilter(object, event);
}

QString NumberEntry::objectionIn(const QWidget& form)
{
    for (const NumberEntry* entry : form.findChildren<NumberEntry*>())
        if (!entry->m_objection.isEmpty() && entry->m_box.isVisibleTo(&form))
            return entry->m_objection;
    return {};
}

void NumberEntry::follow(const QWidget& form, QObject* context, const std::function<void()>& told)
{
    for (const NumberEntry* entry : form.findChildren<NumberEntry*>())
        connect(entry, &NumberEntry::changed, context, told);
}

} // namespace lhrs::gui
