// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/words/hover_words.h"

#include "gui/show/glossary.h"
#include "gui/view/lhrs/words/object_words.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

// The line that begins with these words; empty: there is none.
QString lineWith(const QStringList& lines, const char* beginning)
{
    const auto found = std::find_if(
        lines.begin(), lines.end(), [&](const QString& line) { return line.startsWith(QLatin1String(beginning)); });
    return found == lines.end() ? QString() : *found;
}

// The wordings of each line, longest first: the details, with two short ones joined into one line, or one left out.
std::vector<QStringList> shortened(ObjectKind kind, QStringList details)
{
    const auto both = [](const QString& one, const QString& other) {
        return other.isEmpty() ? QStringList { one } : QStringList { QStringLiteral("%1, %2").arg(one, other), one };
    };
    const QString first = details.takeFirst();
    std::vector<QStringList> lines;
    switch (kind) {
    case ObjectKind::Data: {
        const QString sequence = lineWith(details, "last change: ");
        lines.push_back({ first });
        for (const QString& line : details) {
            if (line.startsWith(QLatin1String("position ")))
                lines.push_back(both(line, sequence));
            else if (line != sequence)
                lines.push_back({ line });
        }
        return lines;
    }
    case ObjectKind::Parity:
        details.removeOne(lineWith(details, "parity column ")); // its name contains it
        lines.push_back({ first });
        break;
    case ObjectKind::Group: { // the epoch joins the first line
        const QString epoch = lineWith(details, "epoch ");
        details.removeOne(epoch);
        lines.push_back(both(first, epoch.section(QLatin1String(", "), 0, 0)));
        break;
    }
    case ObjectKind::Client:
    case ObjectKind::Coordinator:
    case ObjectKind::Spare:
    case ObjectKind::Displaced: { // the first line has name and state; the pid joins it
        const QString process = lineWith(details, "process ");
        details.removeOne(process);
        lines.push_back(both(first, process.section(QLatin1String(", "), 1, 1)));
        break;
    }
    case ObjectKind::Dummy:
        details.clear();
        lines.push_back({ first });
        break;
    case ObjectKind::None:
    case ObjectKind::Pool:
    case ObjectKind::File:
    case ObjectKind::Message:
    case ObjectKind::Node:
    case ObjectKind::Fault: break; // the picture shows it beside the mouse
    }
    for (const QString& line : details)
        lines.push_back({ line });
    return lines;
}

} // namespace

HoverCard detailsCard(const ClusterState& state, const Theme& theme, ObjectRef object)
{
    HoverCard card;
    for (const QString& line : detailsOf(state, object))
        card.lines.push_back(line);
    card.measure(theme);
    return card;
}

HoverCard hoverCard(const ClusterState& state, const Theme& theme, ObjectRef object, std::string_view term)
{
    const HoverCard details = detailsCard(state, theme, object);
    const Term* explained = termOf(term.empty() ? termIdOf(object) : term);
    if (!explained || details.lines.empty() || object.kind == ObjectKind::Fault) // only this card tells what it breaks
        return details;
    std::vector<QStringList> lines { { QStringLiteral("%1: %2").arg(explained->name, explained->brief),
        explained->name } };
    for (QStringList& line : shortened(object.kind, QStringList(details.lines.begin(), details.lines.end())))
        lines.push_back(std::move(line));
    HoverCard card;
    card.first = kBodyBold;
    qreal high = 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
        high += theme.lineHeight(card.styleOf(i)) + theme.px(HoverCard::kBetween);
    // A lower card may be wider.
    const qreal room = details.size.width() * details.size.height() / high;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const QFontMetricsF& metrics = theme.metrics(card.styleOf(i));
        const auto fitting = std::find_if(lines[i].begin(), lines[i].end(),
            [&](const QString& wording) { return metrics.horizontalAdvance(wording) + 1 <= room; });
        card.lines.push_back(
            fitting == lines[i].end() ? metrics.elidedText(lines[i].back(), Qt::ElideRight, room) : *fitting);
    }
    card.measure(theme);
    return card;
}

} // namespace lhrs::gui
