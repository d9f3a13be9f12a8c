// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/story.h"

#include <QPainter>

namespace lhrs::gui {

// ---- the caption

void CaptionLabel::setText(const QString& text)
{
    if (text == m_text)
        return;
    m_text = text;
    update();
}

void CaptionLabel::setTheme(const Theme& theme)
{
    m_theme = theme;
    update();
}

TextStyle CaptionLabel::styleThatFits() const
{
    for (TextSize size : { TextSize::Caption, TextSize::Title, TextSize::Strong, TextSize::Body }) {
        const TextStyle style { size };
        if (m_theme.metrics(style).boundingRect(QRectF(rect()), Qt::TextWordWrap, m_text).height() <= height())
            return style;
    }
    return { TextSize::Small };
}

bool CaptionLabel::fits() const
{
    return m_theme.metrics(styleThatFits()).boundingRect(QRectF(rect()), Qt::TextWordWrap, m_text).height() <= height();
}

void CaptionLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(m_theme.text);
    painter.setFont(m_theme.font(styleThatFits()));
    painter.drawText(rect(), int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextWordWrap, m_text);
}

// ---- the story

void StoryModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (!m_lines.empty())
        emit dataChanged(index(0), index(int(m_lines.size()) - 1));
}

void StoryModel::add(const std::vector<StoryLine>& lines)
{
    if (lines.empty())
        return;
    beginInsertRows({}, int(m_lines.size()), int(m_lines.size() + lines.size()) - 1);
    m_lines.insert(m_lines.end(), lines.begin(), lines.end());
    endInsertRows();
}

void StoryModel::clear()
{
    beginResetModel();
    m_lines.clear();
    endResetModel();
}

int StoryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_lines.size());
}

QVariant StoryModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const StoryLine& line = m_lines[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        switch (line.kind) {
        case StoryLine::Kind::Held: return QStringLiteral("✓ %1").arg(line.text);
        case StoryLine::Kind::Failed: return QStringLiteral("✗ %1").arg(line.text);
        case StoryLine::Kind::Note: return QStringLiteral("note: %1").arg(line.text);
        case StoryLine::Kind::Step:
        case StoryLine::Kind::Say:
        case StoryLine::Kind::Print:
        case StoryLine::Kind::End: break;
        }
        return line.text;
    case Qt::FontRole:
        if (line.kind == StoryLine::Kind::Step || line.kind == StoryLine::Kind::Failed || line.kind == StoryLine::Kind::End)
            return m_theme.font({ TextSize::Body, true });
        return line.kind == StoryLine::Kind::Print ? m_theme.font({ TextSize::Small, false, true }) : m_theme.font({ TextSize::Body });
    case Qt::ForegroundRole:
        if (line.kind == StoryLine::Kind::Held || line.kind == StoryLine::Kind::Note)
            return m_theme.muted;
        return m_theme.text;
    default: return {};
    }
}

} // namespace lhrs::gui
