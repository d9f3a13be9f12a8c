// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/step_model.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

std::vector<StepModel::Row> rowsOf(const std::vector<PlannedStep>& plan, const PlayState& play)
{
    std::vector<StepModel::Row> rows;
    for (const PlannedStep& step : plan)
        rows.push_back({ step.line, step.id, step.title, StepModel::State::Later, 0, 0 });
    const PlayedStep* last = play.steps.empty() ? nullptr : &play.steps.back();
    for (const PlayedStep& step : play.steps) {
        const auto isSame = [&](const StepModel::Row& row) {
            return row.line == step.line && row.id == step.id && row.title == step.title;
        };
        // The row with the same words; else an unused row of this line, whose words were computed; else a new row.
        auto row = std::find_if(rows.begin(), rows.end(), isSame);
        if (row == rows.end())
            row = std::find_if(
                rows.begin(), rows.end(), [&](const StepModel::Row& r) { return r.line == step.line && r.times == 0; });
        if (row == rows.end())
            row = rows.insert(std::upper_bound(rows.begin(), rows.end(), step.line,
                                  [](int line, const StepModel::Row& r) { return line < r.line; }),
                StepModel::Row {});
        row->line = step.line;
        row->id = step.id;
        row->title = step.title;
        row->state = &step == last && play.isRunning && !step.isOver ? StepModel::State::Now : StepModel::State::Done;
        row->seconds = step.seconds;
        ++row->times;
    }
    // The next step is after the last one that has begun.
    auto from = rows.begin();
    if (last != nullptr)
        from = std::find_if(rows.begin(), rows.end(), [&](const StepModel::Row& r) {
            return r.line == last->line && r.id == last->id && r.title == last->title;
        });
    const auto next = std::find_if(from, rows.end(), [](const StepModel::Row& r) { return r.times == 0; });
    if (next != rows.end() && (play.isRunning || play.steps.empty()))
        next->state = StepModel::State::Next;
    return rows;
}

} // namespace

void StepModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(int(m_rows.size()) - 1, Columns - 1));
}

void StepModel::show(const std::vector<PlannedStep>& plan, const PlayState& play)
{
    std::vector<Row> rows = rowsOf(plan, play);
    if (rows.size() != m_rows.size()) {
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
        return;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (rows[row] == m_rows[row])
            continue;
        m_rows[row] = rows[row];
        emit dataChanged(index(int(row), 0), index(int(row), Columns - 1));
    }
}

int StepModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_rows.size()); }

int StepModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : Columns; }

QVariant StepModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    const QString name = row.title.isEmpty() ? tr("(a title that the script makes)") : row.title;
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == Mark)
            return row.state == State::Done ? QStringLiteral("✓")
                : row.state == State::Now   ? QStringLiteral("▶")
                : row.state == State::Next  ? QStringLiteral("…")
                                            : QString();
        if (index.column() == Title)
            return row.times > 1   ? QStringLiteral("(%1)  %2  ×%3").arg(row.id, name).arg(row.times)
                : row.id.isEmpty() ? name
                                   : stepWords(row.id, name);
        return row.times > 0 ? tr("%1 s").arg(row.seconds, 0, 'f', row.seconds < 10 ? 2 : 1) : QString();
    case Qt::AccessibleTextRole:
    case Qt::ToolTipRole: {
        const QString state = row.state == State::Done ? tr("done")
            : row.state == State::Now                  ? tr("under way")
            : row.state == State::Next                 ? tr("next")
                                                       : tr("later");
        return index.column() == Mark || role == Qt::ToolTipRole ? tr("%1: %2, line %3").arg(state, name).arg(row.line)
                                                                 : data(index, Qt::DisplayRole);
    }
    case Qt::FontRole: return m_theme.font({ TextSize::Small, row.state == State::Now });
    case Qt::ForegroundRole: return row.state == State::Later ? m_theme.muted : m_theme.text;
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter
            | (index.column() == Time        ? Qt::AlignRight
                    : index.column() == Mark ? Qt::AlignHCenter
                                             : Qt::AlignLeft));
    default: return {};
    }
}

QVariant StepModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Title ? tr("step") : section == Time ? tr("took") : QString();
}

} // namespace lhrs::gui
