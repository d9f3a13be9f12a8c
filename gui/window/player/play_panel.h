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

// What a scenario is made of and what comes out of it: its steps, the rows that it measures while it measures them, and what it
// has said.
class PlayPanel : public QWidget {
    Q_OBJECT
public:
    PlayPanel(Player& player, Actions& actions, QWidget* parent = nullptr);

    // The lines of both are those of the text as it is now.
    void showSteps(const std::vector<PlannedStep>& plan, const PlayState& play);
    // Takes what the tables of the present or last run have.
    void showRows();
    // Nothing of a former scenario.
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
