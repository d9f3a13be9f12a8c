// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/inspect/window_log.h"

#include "gui/view/panels/event_log.h"

#include <QListView>

namespace lhrs::gui {

WindowLog::WindowLog(WindowParts& parts, const RunStory& story) : WindowSubject(parts), m_story(story) { }

void WindowLog::build()
{
    m_log = new EventLog(m_parts.timeLine, m_parts.pacer, m_story, m_parts.selection, &m_parts.window);
    m_parts.workspaces.addDock("logDock", tr("Event log"), m_log, tr("Log"));
    m_parts.clock.add(m_log, m_log);
    connect(m_log, &EventLog::jumpRequested, &m_parts.canvas, &ClusterCanvas::choose);
    auto* said = new QListView(&m_parts.window);
    said->setModel(&m_parts.player.story());
    said->setWordWrap(true);
    said->setAccessibleName(tr("What the scenario said"));
    said->setSelectionMode(QAbstractItemView::NoSelection);
    m_parts.workspaces.addDock("storyDock", tr("Scenario"), said, tr("Story"));
    connect(&m_parts.player.story(), &QAbstractItemModel::rowsInserted, said, &QListView::scrollToBottom,
        Qt::QueuedConnection);
}

void WindowLog::clear() { m_log->model().clear(); }

void WindowLog::restart() { m_log->model().restart(m_parts.timeLine.committed()); }

void WindowLog::applyTheme() { m_log->setTheme(m_parts.theme); }

} // namespace lhrs::gui
