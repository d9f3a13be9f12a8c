// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"
#include "gui/window/player/play_trace.h"
#include "gui/window/caption/story_plan.h"

#include <QAbstractTableModel>

namespace lhrs::gui {

// The steps of a scenario in the order of its text: which steps are over and how long they took, which one is under
// way, and which is next. A step that the script creates while it runs, and that the text does not announce, gets its
// row then.
class StepModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Mark, Title, Time, Columns };
    enum class State { Later, Next, Now, Done };
    struct Row {
        int line = 0;
        QString id, title;
        State state = State::Later;
        double seconds = 0;
        int times = 0; // how often the script reached it
        bool operator==(const Row&) const = default;
    };

    using QAbstractTableModel::QAbstractTableModel;
    void setTheme(const Theme& theme);
    void show(const std::vector<PlannedStep>& plan, const PlayState& play);
    const std::vector<Row>& rows() const { return m_rows; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<Row> m_rows;
    Theme m_theme;
};

} // namespace lhrs::gui
