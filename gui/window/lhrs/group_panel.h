// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/records/record_group_view.h"

#include <QWidget>

class QComboBox;
class QPushButton;
class QScrollArea;
class QSpinBox;

namespace lhrs::gui {

class Actions;

// The record group view with its buttons: pages, steps, the symbol, other survivors, witness, copy and export.
class GroupPanel : public QWidget {
    Q_OBJECT
public:
    GroupPanel(const Pacer& pacer, ContentsSource& source, WitnessBook& witnesses, Selection& selection,
        Actions& actions, QWidget* parent = nullptr);

    RecordGroupView& view() { return *m_view; }
    void setTheme(const Theme& theme);
    // Without its buttons the audience of a presentation sees two more lines of the matrix; their keys still work.
    void setBarVisible(bool on) { m_bar->setVisible(on); }

private:
    QPushButton* button(Actions& actions, const char* id, const QString& words);
    void follow();
    void showEnd();

    RecordGroupView* m_view;
    QWidget* m_bar = nullptr;
    QScrollArea* m_scroll;
    QSpinBox* m_symbol;
    QPushButton *m_base = nullptr, *m_back = nullptr, *m_forward = nullptr, *m_other = nullptr, *m_own = nullptr,
                *m_target = nullptr;
    std::vector<QPushButton*> m_pages;
};

} // namespace lhrs::gui
