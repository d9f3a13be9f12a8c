// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"
#include "gui/view/paint/theme.h"
#include "gui/window/commands/cluster_commands.h"
#include "gui/window/commands/process_picker.h"

#include <QAbstractTableModel>
#include <QWidget>

#include <map>
#include <vector>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QSpinBox;
class QTableView;

namespace lhrs::gui {

class Actions;
class SystemWords;

// The faults that are armed: what was asked for, beside the effect so far.
class ArmedModel : public QAbstractTableModel {
    Q_OBJECT
public:
    struct Row {
        std::uint64_t number = 0; // 0: a paused process
        std::vector<ProcessId> processes;
        QString fault, left, achieved;
        bool operator==(const Row&) const = default;
    };
    using QAbstractTableModel::QAbstractTableModel;

    void setFaults(const std::vector<FaultArmed>& faults, const ClusterState& state);
    const std::vector<Row>& rows() const { return m_rows; }
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<Row> m_rows;
};

// The fault palette: all faults that can be injected, their targets and durations, and the faults that are active now.
// The scenario line of a fault is shown before the fault is armed.
class FaultPanel : public QWidget, public FrameView {
    Q_OBJECT
public:
    FaultPanel(const Pacer& pacer, ClusterCommands& cluster, Actions& actions, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);

    // The wish that the form describes, and why it cannot be armed; empty: it can.
    FaultWish wish() const;
    QString objection() const;
    // Selects these processes as the targets.
    void aimAt(const std::vector<ProcessId>& processes);
    void arm();
    void healSelected();
    ArmedModel& model() { return *m_model; }

signals:
    // The form has changed; so may have what can be armed.
    void changed();

private:
    void makeForm();
    void makeNetwork();
    void makeStep();
    void makeLease();
    // The line of the scenario follows the field.
    template <class Field, class Signal> void follow(Field* field, Signal signal);
    QWidget* labelled(const QString& words, QWidget* field);
    void showKind();
    void showLine();
    void takeSystem(const SystemWords& words);
    void takeProcesses();

    const Pacer& m_pacer;
    const SystemWords* m_words = nullptr; // whose words are in the lists
    ClusterCommands& m_commands;
    QComboBox *m_kind, *m_kinds, *m_direction, *m_step;
    ProcessPicker *m_first, *m_second;
    QLabel *m_firstLabel, *m_secondLabel, *m_line, *m_nothing;
    std::vector<std::pair<QLabel*, QWidget*>> m_cells; // of the network's fields
    std::map<QString, QDoubleSpinBox*> m_shares;
    std::map<QString, QSpinBox*> m_numbers;
    QSpinBox *m_count, *m_lease;
    QCheckBox* m_kept;
    QWidget *m_network, *m_partition, *m_atStep;
    QTableView* m_table;
    ArmedModel* m_model;
    std::vector<ProcessPicker::Choice> m_choices;
    double m_time = 0, m_askedAt = -1;
};

} // namespace lhrs::gui
