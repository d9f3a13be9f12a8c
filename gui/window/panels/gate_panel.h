// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"
#include "gui/window/commands/cluster_commands.h"

#include <QAbstractTableModel>
#include <QWidget>

#include <optional>
#include <vector>

class QAction;
class QLabel;
class QPushButton;
class QTableView;

namespace lhrs::gui {

class Actions;

// "insert from client alice (alice 12)": a held message in words, with its operation.
QString heldWords(const ClusterState& state, const pb::HeldMessage& message);

// The messages that the gates of all processes hold, in order of arrival.
class HeldModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { What, To, Since, Columns };
    struct Row {
        HeldAt held;
        QString what, to, since, more; // more: what else is known of it
        bool isSame(const Row& other) const
        {
            return held.process == other.held.process && held.message.number() == other.held.message.number();
        }
    };
    using QAbstractTableModel::QAbstractTableModel;

    // Returns true if the list of messages has changed. `now`: on the clock by which holds of messages are timed.
    bool show(const std::vector<HeldAt>& held, const ClusterState& state, std::int64_t now);
    const std::vector<Row>& rows() const { return m_rows; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<Row> m_rows;
};

// The messages that closed gates hold: one is chosen, and then released or dropped. The scenario line of the command is
// shown before it is sent.
class GatePanel : public QWidget, public FrameView {
    Q_OBJECT
public:
    GatePanel(const Pacer& pacer, ClusterCommands& cluster, Selection& selection, Actions& actions,
        QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    // A recording has no gates that could be opened.
    void setRecorded(bool isRecorded) { m_isRecorded = isRecorded; }

    // The message that is chosen in the list; nothing: none is chosen, or the list is hidden.
    std::optional<HeldAt> chosen() const;
    HeldModel& model() { return *m_model; }
    QTableView& table() { return *m_table; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take();
    void showState();
    void choose(int row);
    void followSelection();
    int chosenRow() const;

    const Pacer& m_pacer;
    ClusterCommands& m_commands;
    Selection& m_selection;
    QAction *m_release, *m_drop;
    HeldModel* m_model;
    QTableView* m_table;
    QLabel *m_summary, *m_line;
    QPushButton* m_gate;
    bool m_isRecorded = false, m_isChoosing = false;
    double m_time = 0, m_askedAt = -1;
};

} // namespace lhrs::gui
