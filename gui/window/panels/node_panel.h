// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/panels/node_view.h"

#include <QWidget>

class QComboBox;
class QPushButton;
class QScrollArea;

namespace lhrs::gui {

class Actions;

// The node inspector with its list of processes and its pins.
class NodePanel : public QWidget, public FrameView {
    Q_OBJECT
public:
    NodePanel(const Pacer& pacer, Selection& selection, Actions& actions, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    NodeView& view() { return *m_view; }
    QComboBox& list() { return *m_list; }
    void setTheme(const Theme& theme);
    // The processes to sample; none while the panel is not visible.
    std::vector<ProcessId> wanted() const;

private:
    void fillList();
    void follow();

    const Pacer& m_pacer;
    Selection& m_selection;
    Actions& m_actions;
    NodeView* m_view;
    QScrollArea* m_scroll;
    QComboBox* m_list;
    std::vector<std::pair<ProcessId, QString>> m_entries;
    double m_time = 0, m_listedAt = -1;
};

} // namespace lhrs::gui
