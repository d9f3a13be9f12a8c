// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/narration_model.h"

#include "gui/view/systems/view_systems.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

NarrationModel::NarrationModel(const RunStory& story, const EventFeed& feed, const Pacer& pacer, QObject* parent)
    : QAbstractTableModel(parent), m_story(story), m_feed(feed), m_pacer(pacer)
{
}

void NarrationModel::setText(const QString& text)
{
    m_isStale = m_isStale || text != m_text;
    m_text = text;
}

bool NarrationModel::refresh()
{
    const std::uint64_t until = m_pacer.shownUpTo();
    if (!std::exchange(m_isStale, false) && m_version == m_story.version() && m_until == until)
        return false;
    m_version = m_story.version();
    m_until = until;
    std::vector<RunStory::Line> rows;
    m_hidden = 0;
    for (const RunStory::Line& line : m_story.lines()) {
        if (line.event > until)
            break;
        if (m_text.isEmpty() || line.text.contains(m_text, Qt::CaseInsensitive))
            rows.push_back(line);
        else
            ++m_hidden;
    }
    // Equal rows at the beginning stay, so that the list does not jump.
    const auto same = std::mismatch(m_rows.begin(), m_rows.end(), rows.begin(), rows.end()).first - m_rows.begin();
    if (same == std::ptrdiff_t(m_rows.size()) && m_rows.size() == rows.size())
        return false;
    if (same < std::ptrdiff_t(m_rows.size())) {
        beginRemoveRows({}, int(same), int(m_rows.size()) - 1);
        m_rows.resize(std::size_t(same));
        endRemoveRows();
    }
    if (rows.size() > m_rows.size()) {
        beginInsertRows({}, int(same), int(rows.size()) - 1);
        m_rows = std::move(rows);
        endInsertRows();
    }
    return true;
}

Pointed NarrationModel::pointedOfRow(int row) const
{
    if (row < 0 || row >= int(m_rows.size()))
        return {};
    const RunStory::Line& line = m_rows[std::size_t(row)];
    Pointed pointed;
    if (line.event > 0) {
        const EventPage page = m_feed.eventsSince(line.event - 1, 1);
        if (!page.events.empty() && page.events.front().index == line.event)
            pointed.object = wordsOf(m_pacer.state()).objectOf(m_pacer.state(), page.events.front().process);
    }
    pointed.atNs = line.runNs;
    return pointed;
}

int NarrationModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int NarrationModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(Columns); }

QVariant NarrationModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunStory::Line& line = m_rows[std::size_t(index.row())];
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Time ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)
        return {};
    if (index.column() == What)
        return line.text;
    return QStringLiteral("%1 s").arg(m_pacer.state().shownSeconds(line.runNs), 0, 'f', 3);
}

QVariant NarrationModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal)
        return {};
    return section == Time ? tr("time") : tr("what happened, and why");
}

} // namespace lhrs::gui
