// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/lab_table.h"
#include "gui/view/paint/theme.h"

#include <QAbstractTableModel>

namespace lhrs::gui {

// The rows of one table of measurements as they arrive: repetition, factors and metrics, named as in the CSV file.
class ResultModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setTheme(const Theme& theme);
    // Within one run, rows are only ever added to a table of that name; another `run` starts a new table.
    void show(const QString& run, const QString& name, LabTable table);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QString m_run, m_name;
    LabTable m_table;
    QStringList m_columns; // repetition, factors, metrics
    Theme m_theme;
};

} // namespace lhrs::gui
