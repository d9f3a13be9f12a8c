// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/caption/story_plan.h"

#include "gui/lab/script/script_engine.h"

#include <QRegularExpression>

namespace lhrs::gui {

namespace {

// The string literal that begins at `at`, which is moved behind it; null: there is none.
QString literalAt(const QString& source, qsizetype& at)
{
    while (at < source.size() && source[at].isSpace())
        ++at;
    if (at >= source.size() || (source[at] != QLatin1Char('\'') && source[at] != QLatin1Char('"')))
        return {};
    const QChar quote = source[at++];
    QString text = QStringLiteral("");
    for (; at < source.size() && source[at] != quote && source[at] != QLatin1Char('\n'); ++at) {
        if (source[at] == QLatin1Char('\\') && at + 1 < source.size())
            text += source[++at] == QLatin1Char('n') ? QLatin1Char(' ') : source[at];
        else
            text += source[at];
    }
    if (at >= source.size() || source[at] != quote)
        return {};
    ++at;
    // A literal that is combined with something else is known only when the script runs.
    qsizetype next = at;
    while (next < source.size() && source[next].isSpace())
        ++next;
    return next < source.size() && (source[next] == QLatin1Char(',') || source[next] == QLatin1Char(')')) ? text
                                                                                                          : QString();
}

} // namespace

std::vector<PlannedStep> planOf(const QString& source)
{
    static const QRegularExpression kCall(
        QStringLiteral("^[ \\t]*lab\\.(step|note)\\("), QRegularExpression::MultilineOption);
    std::vector<PlannedStep> steps;
    for (auto calls = kCall.globalMatch(source); calls.hasNext();) {
        const QRegularExpressionMatch call = calls.next();
        qsizetype at = call.capturedEnd();
        const QString first = literalAt(source, at);
        if (call.capturedView(1) == QLatin1String("note")) {
            if (!steps.empty() && !first.isEmpty())
                steps.back().notes << first;
            continue;
        }
        PlannedStep step { first, {}, {}, int(QStringView(source).left(call.capturedStart()).count(u'\n')) + 1 };
        if (!first.isNull() && at < source.size() && source[at] == QLatin1Char(',')) {
            ++at;
            step.title = literalAt(source, at);
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

int stepsOf(const QString& source)
{
    static const QRegularExpression kAll(
        QStringLiteral("^([ \\t]*)lab\\.step\\("), QRegularExpression::MultilineOption);
    int steps = 0;
    for (auto calls = kAll.globalMatch(source); calls.hasNext(); ++steps) {
        if (calls.next().capturedLength(1) > 0)
            return 0;
    }
    return steps;
}

QString stepWords(const QString& id, const QString& title) { return QStringLiteral("(%1)  %2").arg(id, title); }

LoadedScenario scenarioOf(const QString& source, const QString& file)
{
    const QString title = headerOf(source).title;
    return { source, file, title.isEmpty() ? file : title, planOf(source), stepsOf(source) };
}

} // namespace lhrs::gui
