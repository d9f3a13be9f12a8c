// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/panels/status_strip.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <limits>
#include <string_view>

namespace lhrs::gui {

StatusStrip::StatusStrip(QWidget* parent) : QWidget(parent), m_list(m_theme)
{
    setObjectName(QStringLiteral("statusStrip"));
    setAccessibleName(tr("Status"));
}

void StatusStrip::setParts(std::vector<StatusPart> parts)
{
    m_parts = std::move(parts);
    arrange();
}

void StatusStrip::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_list.setTheme(theme);
    setFixedHeight(int(theme.lineHeight({ TextSize::Small }) + theme.px(8)));
    arrange();
}

void StatusStrip::arrange()
{
    const qreal u = m_theme.px(1), gap = 18 * u, side = 11 * u;
    const auto styleOf = [](const StatusPart& part) { return TextStyle { TextSize::Small, part.isBold }; };
    const auto widthOf = [&](const StatusPart& part, qsizetype wording) {
        return m_theme.metrics(styleOf(part)).horizontalAdvance(part.wordings[wording]) + 1
            + (part.glyph != Glyph::None ? side + 5 * u : 0);
    };
    std::vector<qsizetype> chosen(m_parts.size(), 0);
    const auto total = [&] {
        qreal sum = 0;
        for (std::size_t i = 0; i < m_parts.size(); ++i)
            sum += chosen[i] >= 0 ? widthOf(m_parts[i], chosen[i]) + gap : 0;
        return sum;
    };
    // Shorten the least important parts first, then leave them out.
    while (total() > width() - 8 * u) {
        std::size_t least = m_parts.size();
        int importance = std::numeric_limits<int>::max();
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            if (chosen[i] >= 0 && m_parts[i].importance < importance) {
                least = i;
                importance = m_parts[i].importance;
            }
        }
        if (least == m_parts.size())
            break;
        const auto longer = std::find_if(m_parts.begin(), m_parts.end(), [&](const StatusPart& part) {
            const auto i = std::size_t(&part - m_parts.data());
            return chosen[i] >= 0 && chosen[i] + 1 < part.wordings.size();
        });
        if (longer != m_parts.end() && chosen[least] + 1 >= m_parts[least].wordings.size())
            ++chosen[std::size_t(longer - m_parts.begin())];
        else if (chosen[least] + 1 < m_parts[least].wordings.size())
            ++chosen[least];
        else
            chosen[least] = -1;
    }
    m_list.clear();
    m_buttons.clear();
    qreal x = 10 * u;
    QStringList words;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        if (chosen[i] < 0)
            continue;
        const StatusPart& part = m_parts[i];
        const qreal wide = widthOf(part, chosen[i]);
        qreal left = x;
        if (part.glyph != Glyph::None) {
            m_list.add(DisplayList::Mark { QRectF(left, (height() - side) / 2, side, side), part.glyph,
                part.colour.isValid() ? part.colour : m_theme.text, {} });
            left += side + 5 * u;
        }
        m_list.text(QRectF(left, 0, x + wide - left, height()), part.wordings[chosen[i]], styleOf(part), m_theme.text);
        words << part.wordings[chosen[i]];
        if (part.action != nullptr)
            m_buttons.emplace_back(QRectF(x, 0, wide, height()), part.action);
        x += wide + gap;
    }
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

void StatusStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.cardHeader);
    m_list.paint(painter);
}

QRectF StatusStrip::partOf(const char* action) const
{
    for (const auto& [rect, known] : m_buttons)
        if (std::string_view(known) == action)
            return rect;
    return {};
}

void StatusStrip::mousePressEvent(QMouseEvent* event)
{
    for (const auto& [rect, action] : m_buttons)
        if (rect.contains(event->position()))
            return emit actionWanted(QString::fromLatin1(action));
    QWidget::mousePressEvent(event);
}

void StatusStrip::resizeEvent(QResizeEvent*) { arrange(); }

} // namespace lhrs::gui
