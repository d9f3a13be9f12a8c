// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/view/panels/node_picture.h"
#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"

#include <QWidget>

#include <deque>
#include <map>

namespace lhrs::gui {

// The node inspector: the selected process, beside those that are pinned. It follows the shown instant and remembers
// what it showed before, to mark changes: since the last step while the view stands still, else within the last second.
class NodeView : public QWidget, public FrameView {
    Q_OBJECT
public:
    NodeView(const Pacer& pacer, Selection& selection, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    // True: the shown instant moves by itself; false: it moves by steps.
    void setFollowing(bool on);

    // Chooses a process: the one of the selection, or another, which stays until something else is selected.
    void choose(ProcessId process);
    ProcessId chosen() const { return m_chosen; }
    // Pins the chosen process, or unpins it; at most four are pinned. False: there is no room, or no process is chosen.
    bool togglePin();
    bool isPinned(ProcessId process) const;
    void unpinAll();
    const std::vector<ProcessId>& pinned() const { return m_pinned; }
    // The processes that are shown: the pinned ones, then the chosen one.
    std::vector<ProcessId> shown() const;

    const DisplayList& picture() const { return m_list; }
    const std::vector<NodeFacts>& facts() const { return m_facts; }

signals:
    void shownChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void followSelection();
    void rebuild();
    const NodeFacts* before(const NodeFacts& now);

    const Pacer& m_pacer;
    Selection& m_selection;
    Theme m_theme;
    DisplayList m_list;
    ProcessId m_chosen = 0;
    std::vector<ProcessId> m_pinned;
    std::vector<NodeFacts> m_facts;
    struct Shown {
        double time = 0;
        NodeFacts facts;
    };
    std::map<ProcessId, std::deque<Shown>> m_history; // what was shown each time it changed; newest at the back
    bool m_isFollowing = true, m_isDirty = true;
    std::uint64_t m_version = 0;
    double m_time = 0, m_builtAt = -1;
};

} // namespace lhrs::gui
