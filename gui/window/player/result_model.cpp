// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/result_model.h"

namespace lhrs::gui {

void ResultModel::setTheme(const Theme& theme)
{
    m_theme = theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void ResultModel::show(const QString& run, const QString& name, LabTable table)
{
    QStringList columns;
    if (!table.rows().empty())
        columns = QStringList { QStringLiteral("repetition") } + table.factorColumns() + table.metricColumns();
    const int before = rowCount(), now = int(table.rows().size());
    const bool isSame = run == m_run && name == m_name && columns == m_columns && now >= before;
    if (isSame && now == before)
        return;
    if (isSame)
        beginInsertRows({}, before, now - 1);
    else
        beginResetModel();
    m_run = run;
    m_name = name;
    m_table = std::move(table);
    m_columns = columns;
    if (isSame)
        endInsertRows();
    else
        endResetModel();
}

int ResultModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_table.rows().size()); }

int ResultModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int(m_columns.size()); }

QVariant ResultModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const LabTable::Row& row = m_table.rows()[std::size_t(index.row())];
    const QString& column = m_columns[index.column()];
    QVariant value;
    if (index.column() == 0)
        value = row.isWarmUp     ? QVariant(tr("warm-up"))
            : row.repetition > 0 ? QVariant(row.repetition)
                                 : QVariant(QStringLiteral("–"));
    else if (const auto factor = row.factors.find(column);
             factor != row.factors.end() && m_table.factorColumns().contains(column))
        value = factor->second;
    else if (const auto metric = row.metrics.find(column); metric != row.metrics.end())
        value = metric->second;
    switch (role) {
    case Qt::DisplayRole:
        return value.typeId() == QMetaType::Double ? QString::number(value.toDouble(), 'g', 6) : value.toString();
    case Qt::ToolTipRole: return QStringLiteral("%1: %2").arg(column, csvCell(value));
    case Qt::FontRole: return m_theme.font({ TextSize::Small, false, true });
    case Qt::ForegroundRole: return row.isWarmUp ? m_theme.muted : m_theme.text;
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter
            | (value.typeId() == QMetaType::QString && index.column() > 0 ? Qt::AlignLeft : Qt::AlignRight));
    default: return {};
    }
}

QVariant ResultModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return orientation == Qt::Horizontal && role == Qt::DisplayRole && section < m_columns.size()
        ? QVariant(m_columns[section])
        : QVariant();
}

} // namespace lhrs::gui
