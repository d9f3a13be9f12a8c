// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/canvas/cluster_canvas.h"

#include <QStackedWidget>

#include <functional>
#include <string_view>
#include <vector>

class QDockWidget;
class QMainWindow;

namespace lhrs::gui {

class Actions;

// In the order in which the key that goes from view to view meets their docks.
enum class Workspace { Lecture, Inspect, Faults, Measure, SpaceTime, Invariants, Gate, Write };

// A dock of one system, which is shown only with its clusters.
struct SystemDock {
    const char* id;
    Workspace workspace;
    bool (*isFor)(const ClusterState& state);
};

// The middle of the window: the start page, or else the picture of the cluster with panels beside it. The panels are
// docks, and each workspace shows some of them.
class Workspaces : public QStackedWidget {
    Q_OBJECT
public:
    // Pacer and selection must outlive this object. `hasCluster`: there is a cluster or a recording to show.
    Workspaces(Actions& actions, Pacer& pacer, Selection& selection, std::function<bool()> hasCluster,
        QWidget* parent = nullptr);

    // Before anything is shown: the start page, the bar above the picture and the one below it.
    void setPages(QWidget* start, QWidget* above, QWidget* below);
    // Puts the panel into a dock. The id says where it is and what it is for; it must be known (checked). `shorter`:
    // the title where many tabs are side by side; empty: the same.
    QDockWidget* addDock(const char* id, const QString& title, QWidget* inside, const QString& shorter = {});
    // The docks of systems come first in their workspace, in the order in which they are added.
    QDockWidget* addDock(const SystemDock& of, const QString& title, QWidget* inside, const QString& shorter = {});
    // Once, when all docks are there: puts them side by side.
    void placeDocks();

    ClusterCanvas& canvas() { return *m_canvas; }
    Workspace now() const { return m_now; }
    // The work page is shown, not the start page.
    bool showsWork() const { return currentWidget() == m_work; }
    void enter(Workspace workspace);
    // Enters the workspace, or leaves it again for the lecture.
    void toggle(Workspace workspace) { enter(m_now == workspace ? Workspace::Lecture : workspace); }
    // Enters the workspace of the dock and brings it to the front of its tabs. `isLarge`: it needs much room, and also
    // uses that of the event log and the scenario.
    void open(const char* dock, bool isLarge = false);
    // Enters the workspace in which one panel is inspected beside the others, none of them large.
    void inspect();
    // Enters the present workspace again, with what is now to be shown in it.
    void again() { enter(m_now); }
    // Adapts the docks to the size of the window.
    void arrange();
    // The window is too small for the guide, which is visible, and for all buttons.
    bool isCrowded() const;
    void setGuide(const QWidget& guide) { m_guide = &guide; }
    void setTheme(const Theme& theme);
    // Moves the focus to the next view. `first`: views before those in docks.
    void focusNext(std::vector<QWidget*> first);

signals:
    // What is shown beside the picture, or the room for it, has changed.
    void arranged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Dock {
        std::string_view id;
        Workspace workspace;
        int row; // in the table of general docks; -1: of a system
        bool (*isFor)(const ClusterState& state); // null: for every system
        Qt::DockWidgetArea area;
        QDockWidget* dock;
        QString title, shorter;
    };
    QDockWidget* insert(Dock made, QWidget* inside);
    const Dock& known(std::string_view id) const;
    QDockWidget* dockOf(std::string_view id) const { return known(id).dock; }
    // The first one of the workspace, in the order of the tabs.
    QDockWidget* firstOf(Workspace workspace) const;
    void arrangeWrite();
    void arrangeSide();

    Actions& m_actions;
    Pacer& m_pacer;
    const std::function<bool()> m_hasCluster;
    QWidget* m_work;
    QMainWindow* m_area; // canvas with the docks; bars above and below use the full width
    QWidget* m_centre; // where the picture is
    ClusterCanvas* m_canvas;
    std::vector<Dock> m_docks; // in the order of their tabs
    Workspace m_now = Workspace::Lecture;
    Theme m_theme;
    const QWidget* m_guide = nullptr;
    bool m_isLarge = false; // what is inspected also uses the room of log and scenario
    bool m_isLow = false; // log and scenario are tabs beside what is inspected
    std::pair<QSize, qreal> m_writeRoom; // the room for which the docks of the editor were given their sizes
};

} // namespace lhrs::gui
