// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/caption/story.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPainter>
#include <QRegularExpression>

#include <algorithm>

namespace lhrs::gui {

namespace {

// The accessible name of the caption is its text; changes are announced.
class CaptionAccessible : public QAccessibleWidget {
public:
    explicit CaptionAccessible(CaptionLabel* caption)
        : QAccessibleWidget(caption, QAccessible::Notification), m_caption(caption)
    {
    }
    QString text(QAccessible::Text which) const override
    {
        if (which == QAccessible::Name)
            return m_caption->text();
        return which == QAccessible::Description ? CaptionLabel::tr("Caption") : QAccessibleWidget::text(which);
    }

private:
    CaptionLabel* m_caption;
};

// The text as it is painted: no-break spaces keep a number with the word before it and the unit after it, and a choice
// with its number.
QString boundWords(QString text)
{
    static const QRegularExpression kNamed(QStringLiteral("(?<=\\w) (?=\\d)")),
        kUnit(QStringLiteral("(?<=\\d) (?=(ms|s|[kMG]?[Bb](/s)?|%)(?!\\w))")),
        kChoice(QStringLiteral("(?<=\\d:) (?=\\S)"));
    for (const QRegularExpression& kept : { kNamed, kUnit, kChoice })
        text.replace(kept, QString(QChar::Nbsp));
    return text;
}

QAccessibleInterface* makeCaptionAccessible(const QString&, QObject* object)
{
    auto* caption = qobject_cast<CaptionLabel*>(object);
    return caption ? new CaptionAccessible(caption) : nullptr;
}

} // namespace

// ---- the caption

CaptionLabel::CaptionLabel(QWidget* parent) : QWidget(parent)
{
    static const bool isInstalled = [] {
        QAccessible::installFactory(makeCaptionAccessible);
        return true;
    }();
    Q_UNUSED(isInstalled)
}

void CaptionLabel::setText(const QString& text, const QString& seen)
{
    if (const QString painted = seen.isEmpty() ? text : seen; painted != m_seen) {
        m_seen = painted;
        m_painted = boundWords(painted);
        update();
    }
    if (text == m_text)
        return;
    m_text = text;
    for (const QAccessible::Event kind : { QAccessible::NameChanged, QAccessible::Alert }) {
        QAccessibleEvent event(this, kind);
        QAccessible::updateAccessibility(&event);
    }
    emit announced(text);
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
        if (m_theme.metrics(style).boundingRect(QRectF(rect()), Qt::TextWordWrap, m_painted).height() <= height())
            return style;
    }
    return { TextSize::Small };
}

bool CaptionLabel::fits() const
{
    return m_theme.metrics(styleThatFits()).boundingRect(QRectF(rect()), Qt::TextWordWrap, m_painted).height()
        <= height();
}

void CaptionLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(m_theme.text);
    painter.setFont(m_theme.font(styleThatFits()));
    painter.drawText(rect(), int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextWordWrap, m_painted);
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

void StoryModel::replaceLast(const StoryLine& line)
{
    if (m_lines.empty())
        return add({ line });
    m_lines.back() = line;
    const QModelIndex last = index(int(m_lines.size()) - 1);
    emit dataChanged(last, last);
}

void StoryModel::show(const std::vector<StoryLine>& lines, std::size_t count)
{
    count = std::min(count, lines.size());
    const std::size_t both = std::min(count, m_lines.size());
    const auto same = std::size_t(
        std::mismatch(m_lines.begin(), m_lines.begin() + std::ptrdiff_t(both), lines.begin()).first - m_lines.begin());
    if (same < m_lines.size()) {
        beginRemoveRows({}, int(same), int(m_lines.size()) - 1);
        m_lines.resize(same);
        endRemoveRows();
    }
    add({ lines.begin() + std::ptrdiff_t(same), lines.begin() + std::ptrdiff_t(count) });
}

void StoryModel::clear()
{
    beginResetModel();
    m_lines.clear();
    endResetModel();
}

int StoryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_lines.size()); }

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
        if (line.kind == StoryLine::Kind::Step || line.kind == StoryLine::Kind::Failed
            || line.kind == StoryLine::Kind::End)
            return m_theme.font({ TextSize::Body, true });
        return line.kind == StoryLine::Kind::Print ? m_theme.font({ TextSize::Small, false, true })
                                                   : m_theme.font({ TextSize::Body });
    case Qt::ForegroundRole:
        if (line.kind == StoryLine::Kind::Held || line.kind == StoryLine::Kind::Note)
            return m_theme.muted;
        return m_theme.text;
    case kKindRole: return int(line.kind);
    default: return {};
    }
}

bool HallStory::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const int kind = sourceModel()->index(row, 0, parent).data(StoryModel::kKindRole).toInt();
    return kind != int(StoryLine::Kind::Note) && kind != int(StoryLine::Kind::Print);
}

} // namespace lhrs::gui
