// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/hover_words.h"

#include "gui/show/glossary.h"
#include "gui/view/object_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr qreal kBetween = 1; // pixels between two lines, at 100 %

// Of each line the wordings, longest first: the details, of which the first two lines become one.
std::vector<QStringList> shortened(ObjectKind kind, QStringList details)
{
    const QString first = details.takeFirst(), second = details.isEmpty() ? QString() : details.takeFirst();
    std::vector<QStringList> lines;
    switch (kind) {
    case ObjectKind::Data:
    case ObjectKind::Parity: lines.push_back({ QStringLiteral("%1, %2").arg(first, second), first }); break;
    case ObjectKind::Group: lines.push_back({ QStringLiteral("%1, %2").arg(first, second.section(QLatin1String(", "), 0, 0)), first }); break; // with its epoch
    case ObjectKind::Spare:
    case ObjectKind::Displaced: lines.push_back({ QStringLiteral("%1, %2").arg(first, second.section(QLatin1String(", "), 1, 1)), first }); break; // with its pid
    case ObjectKind::Client:
    case ObjectKind::Coordinator: lines.push_back({ second }); break; // image and file state stand in the picture
    case ObjectKind::Dummy: lines.push_back({ first }); break;
    case ObjectKind::None:
    case ObjectKind::Pool:
    case ObjectKind::File:
    case ObjectKind::Message:
    case ObjectKind::Fault: break; // the picture has it beside the mouse
    }
    // A bucket at work says so in the line of its incarnation.
    const QString up = QStringLiteral("state: %1").arg(lookWord(Look::DataUp));
    const auto incarnation = std::find_if(details.begin(), details.end(), [](const QString& line) { return line.startsWith(QLatin1String("incarnation ")); });
    const bool isUp = incarnation != details.end() && details.contains(up);
    for (const QString& line : details) {
        if (isUp && line == *incarnation)
            lines.push_back({ QStringLiteral("%1, %2").arg(line, up), line });
        else if (!isUp || line != up)
            lines.push_back({ line });
    }
    return lines;
}

TextStyle styleOf(const HoverCard& card, std::size_t line) { return line == 0 ? card.first : kBody; }

void measure(const Theme& theme, HoverCard& card)
{
    card.size = QSizeF(0, 0);
    for (std::size_t i = 0; i < card.lines.size(); ++i) {
        const QFontMetricsF& metrics = theme.metrics(styleOf(card, i));
        card.size = QSizeF(std::max(card.size.width(), metrics.horizontalAdvance(card.lines[i]) + 1), card.size.height() + metrics.height() + theme.px(kBetween));
    }
}

} // namespace

HoverCard detailsCard(const ClusterState& state, const Theme& theme, ObjectRef object)
{
    HoverCard card;
    for (const QString& line : detailsOf(state, object))
        card.lines.push_back(line);
    measure(theme, card);
    return card;
}

HoverCard hoverCard(const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term)
{
    const HoverCard details = detailsCard(state, theme, object);
    const Term* explained = termOf(term.empty() ? termIdOf(object) : term);
    if (!explained || details.lines.empty() || object.kind == ObjectKind::Fault) // what a fault breaks is in no other place
        return details;
    std::vector<QStringList> lines { { QStringLiteral("%1: %2").arg(explained->name, explained->brief), explained->name } };
    for (QStringList& line : shortened(object.kind, QStringList(details.lines.begin(), details.lines.end())))
        lines.push_back(std::move(line));
    HoverCard card;
    card.first = kBodyBold;
    qreal high = 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
        high += theme.lineHeight(styleOf(card, i)) + theme.px(kBetween);
    // A card that is lower may be wider.
    const qreal room = details.size.width() * details.size.height() / high;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QFontMetricsF& metrics = theme.metrics(styleOf(card, i));
        const auto fitting = std::find_if(lines[i].begin(), lines[i].end(), [&](const QString& wording) { return metrics.horizontalAdvance(wording) + 1 <= room; });
        card.lines.push_back(fitting == lines[i].end() ? metrics.elidedText(lines[i].back(), Qt::ElideRight, room) : *fitting);
    }
    measure(theme, card);
    return card;
}

} // namespace lhrs::gui
