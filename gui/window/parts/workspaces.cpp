// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/parts/workspaces.h"

#include "gui/window/widgets/actions.h"

#include "common/errors.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QVBoxLayout>

#include <algorithm>
#include <string_view>

namespace lhrs::gui {

namespace {

constexpr qreal kPictureFrom = 330; // pixels at 100 % between the bars: from this height on there is a picture
constexpr qreal kLowWindow = 560; // pixels at 100 %
constexpr qreal kCrowdedWindow = 800; // pixels at 100 %, while the guide is above the caption

// The docks of every system in the order of their tabs.
struct DockPlace {
    std::string_view id;
    Workspace workspace;
    Qt::DockWidgetArea area = Qt::RightDockWidgetArea;
};
constexpr DockPlace kPlaces[] = {
    { "nodeDock", Workspace::Inspect },
    { "logDock", Workspace::Inspect },
    { "storyDock", Workspace::Inspect },
    { "faultDock", Workspace::Faults },
    { "chartDock", Workspace::Measure },
    { "spaceTimeDock", Workspace::SpaceTime, Qt::BottomDockWidgetArea },
    { "gateDock", Workspace::Gate },
    { "editorDock", Workspace::Write, Qt::LeftDockWidgetArea },
    { "playDock", Workspace::Write, Qt::BottomDockWidgetArea },
};

// The action of each workspace, checked while it is shown.
constexpr std::pair<Workspace, const char*> kWorkspaceActions[] = { { Workspace::Lecture, "lecture" },
    { Workspace::Inspect, "inspect" }, { Workspace::Faults, "faultPanel" }, { Workspace::Measure, "measure" },
    { Workspace::SpaceTime, "spaceTime" }, { Workspace::Invariants, "invariants" }, { Workspace::Gate, "heldMessages" },
    { Workspace::Write, "write" } };

const DockPlace& placeOf(std::string_view id)
{
    const auto known = std::find_if(
        std::begin(kPlaces), std::end(kPlaces), [id](const DockPlace& place) { return place.id == id; });
    LHRS_CHECK(known != std::end(kPlaces));
    return *known;
}

bool isBelow(std::string_view id) { return id == "logDock" || id == "storyDock"; }

} // namespace

Workspaces::Workspaces(
    Actions& actions, Pacer& pacer, Selection& selection, std::function<bool()> hasCluster, QWidget* parent)
    : QStackedWidget(parent), m_actions(actions), m_pacer(pacer), m_hasCluster(std::move(hasCluster)),
      m_work(new QWidget(this)), m_area(new QMainWindow), m_centre(new QWidget(m_area)),
      m_canvas(new ClusterCanvas(pacer, selection, m_centre))
{
    m_area->setWindowFlags(Qt::Widget); // the constructor makes it a separate window, whatever flags it is given
    m_area->setDockOptions(
        QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks | QMainWindow::GroupedDragging);
    auto* centre = new QVBoxLayout(m_centre);
    centre->setContentsMargins(0, 0, 0, 0);
    centre->addWidget(m_canvas);
    m_area->setCentralWidget(m_centre);
    m_area->installEventFilter(this);
}

void Workspaces::setPages(QWidget* start, QWidget* above, QWidget* below)
{
    // In the order of the Tab key, in which a widget comes when it gets its parent.
    addWidget(start);
    auto* column = new QVBoxLayout(m_work);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(above);
    column->addWidget(m_area, 1);
    column->addWidget(below);
    addWidget(m_work);
}

QDockWidget* Workspaces::addDock(const char* id, const QString& title, QWidget* inside, const QString& shorter)
{
    const DockPlace& place = placeOf(id);
    return insert({ id, place.workspace, int(&place - kPlaces), nullptr, place.area, nullptr, title, shorter }, inside);
}

QDockWidget* Workspaces::addDock(const SystemDock& of, const QString& title, QWidget* inside, const QString& shorter)
{
    return insert({ of.id, of.workspace, -1, of.isFor, Qt::RightDockWidgetArea, nullptr, title, shorter }, inside);
}

QDockWidget* Workspaces::insert(Dock made, QWidget* inside)
{
    made.dock = new QDockWidget(made.title, m_area);
    made.dock->setObjectName(QLatin1String(made.id.data(), qsizetype(made.id.size())));
    made.dock->setWidget(inside);
    made.dock->setAllowedAreas(Qt::AllDockWidgetAreas);
    made.dock->setTitleBarWidget(new QWidget(made.dock)); // the tab serves as title and as handle for dragging
    if (made.shorter.isEmpty())
        made.shorter = made.title;
    const auto before = [](const Dock& a, const Dock& b) {
        return std::pair(a.workspace, a.row) < std::pair(b.workspace, b.row);
    };
    return m_docks.insert(std::upper_bound(m_docks.begin(), m_docks.end(), made, before), made)->dock;
}

const Workspaces::Dock& Workspaces::known(std::string_view id) const
{
    const auto found = std::find_if(m_docks.begin(), m_docks.end(), [id](const Dock& one) { return one.id == id; });
    LHRS_CHECK(found != m_docks.end());
    return *found;
}

QDockWidget* Workspaces::firstOf(Workspace workspace) const
{
    const auto first = std::find_if(
        m_docks.begin(), m_docks.end(), [workspace](const Dock& one) { return one.workspace == workspace; });
    LHRS_CHECK(first != m_docks.end());
    return first->dock;
}

void Workspaces::placeDocks()
{
    for (const Dock& one : m_docks)
        m_area->addDockWidget(one.area, one.dock);
    m_area->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea); // the text uses the whole height
    for (std::size_t i = 1; i < m_docks.size(); ++i) {
        const Dock &before = m_docks[i - 1], &one = m_docks[i];
        if (before.workspace == Workspace::Inspect && one.workspace == Workspace::Inspect
            && isBelow(before.id) == isBelow(one.id))
            m_area->tabifyDockWidget(before.dock, one.dock);
    }
    firstOf(Workspace::Inspect)->raise();
    dockOf("logDock")->raise();
    m_area->setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
}

void Workspaces::inspect()
{
    m_isLarge = false;
    enter(Workspace::Inspect);
}

void Workspaces::enter(Workspace workspace)
{
    m_now = workspace;
    // A scenario can also be written without a cluster.
    setCurrentIndex(m_hasCluster() || workspace == Workspace::Write ? 1 : 0);
    for (const Dock& one : m_docks)
        one.dock->setVisible(one.workspace == workspace && showsWork()
            && (one.isFor == nullptr || one.isFor(m_pacer.state()))
            && !(m_isLarge && workspace == Workspace::Inspect && isBelow(one.id)));
    const bool hasPicture = workspace != Workspace::Measure || !showsWork(); // charts use the whole width
    m_canvas->setVisible(hasPicture);
    m_centre->setVisible(hasPicture);
    m_centre->setMaximumHeight(QWIDGETSIZE_MAX);
    for (const auto& [own, id] : kWorkspaceActions)
        m_actions.get(id)->setChecked(workspace == own);
    arrangeWrite();
    if (showsWork())
        arrangeSide();
}

void Workspaces::open(const char* dock, bool isLarge)
{
    const Workspace workspace = known(dock).workspace;
    if (workspace == Workspace::Inspect)
        m_isLarge = isLarge;
    enter(workspace);
    dockOf(dock)->raise();
}

// The sizes of what is beside the picture or below it.
void Workspaces::arrangeSide()
{
    if (m_now == Workspace::SpaceTime)
        m_area->resizeDocks({ dockOf("spaceTimeDock") }, { m_area->height() * 58 / 100 }, Qt::Vertical);
    const bool isInspect = m_now == Workspace::Inspect;
    if (!isInspect && m_now != Workspace::Faults && m_now != Workspace::Invariants && m_now != Workspace::Gate)
        return;
    // A third of the width, or more if a table needs it.
    const int all = window()->width(), least = int(m_theme.px(330));
    const int wide = m_isLarge && isInspect
        ? std::clamp(all * 54 / 100, least, std::max(least, all - int(m_theme.px(320))))
        : std::clamp(all * (m_isLow ? 44 : 36) / 100, least, std::max(least, all / 2));
    m_area->resizeDocks({ firstOf(m_now) }, { wide }, Qt::Horizontal);
    if (isInspect && !m_isLow) // the table needs more lines than the log
        m_area->resizeDocks({ firstOf(m_now), dockOf("logDock") },
            { m_area->height() * 66 / 100, m_area->height() * 34 / 100 }, Qt::Vertical);
}

void Workspaces::arrangeWrite()
{
    emit arranged();
    if (m_now != Workspace::Write)
        return;
    // With large text there is no useful room for the picture.
    const bool hasPicture = m_area->height() >= m_theme.px(kPictureFrom);
    m_canvas->setVisible(hasPicture);
    // Low, not hidden: around a hidden centre, Qt makes the docks wider by a separator at each layout, until they leave
    // the window.
    m_centre->setMaximumHeight(hasPicture ? QWIDGETSIZE_MAX : 0);
    const auto room = std::pair(m_area->size(), m_theme.fontScale());
    if (room == m_writeRoom) // what the person has resized stays
        return;
    m_writeRoom = room;
    m_area->resizeDocks({ dockOf("editorDock") },
        { 1 + m_area->width() * (window()->width() < m_theme.px(1100) ? 66 : 58) / 100 }, Qt::Horizontal);
    m_area->resizeDocks({ dockOf("playDock") }, { 1 + m_area->height() * 46 / 100 }, Qt::Vertical);
}

bool Workspaces::isCrowded() const
{
    return m_guide && m_guide->isVisibleTo(window()) && window()->height() < m_theme.px(kCrowdedWindow);
}

void Workspaces::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_canvas->setTheme(theme);
}

// In a window with few lines, two lists above each other would have no lines: log and scenario become tabs beside
// what is inspected.
void Workspaces::arrange()
{
    const bool isLow = isCrowded() || window()->height() < m_theme.px(kLowWindow);
    QDockWidget *log = dockOf("logDock"), *story = dockOf("storyDock");
    if (isLow == m_isLow || log->isFloating() || story->isFloating())
        return;
    m_isLow = isLow;
    if (isLow)
        m_area->tabifyDockWidget(dockOf("nodeDock"), log);
    else
        m_area->addDockWidget(Qt::RightDockWidgetArea, log, Qt::Vertical);
    m_area->tabifyDockWidget(log, story);
    // Six tabs side by side have room for one short word each.
    for (const Dock& one : m_docks)
        one.dock->setWindowTitle(isLow ? one.shorter : one.title);
    again();
    log->raise();
    firstOf(Workspace::Inspect)->raise();
}

bool Workspaces::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_area && event->type() == QEvent::Resize)
        arrangeWrite(); // whether there is room for a picture may have changed
    return QStackedWidget::eventFilter(watched, event);
}

// Includes views whose tab is behind another: the tab comes to the front.
void Workspaces::focusNext(std::vector<QWidget*> first)
{
    std::vector<QWidget*> views = std::move(first);
    for (const Dock& one : m_docks) {
        if (!one.dock->isHidden())
            views.push_back(one.dock->widget());
    }
    const QWidget* focus = QApplication::focusWidget();
    const auto here = std::find_if(views.begin(), views.end(),
        [focus](const QWidget* view) { return view == focus || view->isAncestorOf(focus); });
    QWidget* next = here == views.end() || here + 1 == views.end() ? views.front() : *(here + 1);
    for (const Dock& one : m_docks) {
        if (one.dock->widget() == next)
            one.dock->raise();
    }
    if (next->focusPolicy() == Qt::NoFocus) {
        // The first part of the view that accepts the focus.
        for (QWidget* part : next->findChildren<QWidget*>()) {
            if (part->focusPolicy() != Qt::NoFocus && part->isVisibleTo(next)) {
                next = part;
                break;
            }
        }
    }
    next->setFocus(Qt::TabFocusReason);
}

} // namespace lhrs::gui
