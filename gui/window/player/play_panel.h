// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/player/result_model.h"
#include "gui/window/player/step_model.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QListView;
class QPushButton;
class QTableView;
class QTabWidget;

namespace lhrs::gui {

class Actions;
class Player;

// The contents and results of a scenario: its steps, the rows of its measurements as they arrive, and what it has said.
class PlayPanel : public QWidget {
    Q_OBJECT
public:
    PlayPanel(Player& player, Actions& actions, QWidget* parent = nullptr);

    // The line numbers in both arguments refer to the present text.
    void showSteps(const std::vector<PlannedStep>& plan, const PlayState& play);
    // Takes the new rows from the tables of the present or last run.
    void showRows();
    // Removes everything of the previous scenario.
    void clear();
    void setTheme(const Theme& theme);

    StepModel& steps() { return *m_steps; }
    ResultModel& results() { return *m_results; }

signals:
    void lineChosen(int line);

private:
    void chooseTable();

    Player& m_player;
    QTabWidget* m_tabs;
    StepModel* m_steps;
    ResultModel* m_results;
    QTableView *m_stepView, *m_resultView;
    QListView* m_said;
    QComboBox* m_table;
    QLabel *m_noSteps, *m_noRows;
    QPushButton* m_export;
    std::vector<QLabel*> m_labels;
};

} // namespace lhrs::gui
