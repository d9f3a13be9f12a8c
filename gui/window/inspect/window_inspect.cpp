// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/inspect/window_inspect.h"

#include "gui/lab/reel/reel.h"
#include "gui/view/paint/picture_export.h"
#include "gui/window/panels/node_panel.h"

#include <QComboBox>

namespace lhrs::gui {

WindowInspect::WindowInspect(WindowParts& parts) : WindowSubject(parts)
{
    Actions& a = m_parts.actions;
    a.add({ "nodeInspector", "View", "Node inspector", "N",
              "What the selected process does: its threads, queues, waiting messages, sequences" },
        [this] {
            m_parts.workspaces.open("nodeDock", true);
            if (m_panel->view().chosen() == 0)
                m_panel->view().choose(m_parts.process());
            m_panel->list().setFocus(Qt::ShortcutFocusReason);
        });
    a.add({ "pinNode", "View", "Pin the node", "Shift+N",
              "Keeps the inspected process beside the next one, up to four; once more: unpins it", true },
        [this] {
            if (!m_panel->view().togglePin())
                m_parts.line.answer(tr("pin"),
                    m_panel->view().chosen() == 0 ? tr("Choose a process in the node inspector first.")
                                                  : tr("Four are pinned already; unpin one of them first."),
                    false);
            m_parts.actions.get("pinNode")->setChecked(m_panel->view().isPinned(m_panel->view().chosen()));
        });
    a.add({ "unpinNodes", "View", "Unpin all nodes", "Ctrl+Alt+U", "Only the chosen process is inspected again" },
        [this] { m_panel->view().unpinAll(); });
    a.enable({ "unpinNodes" }, false);
}

void WindowInspect::build()
{
    m_panel = new NodePanel(m_parts.pacer, m_parts.selection, m_parts.actions, &m_parts.window);
    m_parts.workspaces.addDock("nodeDock", tr("Node"), m_panel);
    m_parts.clock.add(m_panel, m_panel);
}

void WindowInspect::applyTheme() { m_panel->setTheme(m_parts.theme); }

void WindowInspect::forget()
{
    m_panel->view().unpinAll();
    m_panel->view().choose(0);
}

void WindowInspect::frame() { m_panel->view().setFollowing(m_parts.timeLine.mode() != TimeLine::Mode::Paused); }

void WindowInspect::update()
{
    const bool isRunning = !m_parts.timeLine.isReplay() && m_parts.isGoing();
    m_parts.commands.session().control().watchNodes(isRunning ? m_panel->wanted() : std::vector<ProcessId>());
}

ProcessId WindowInspect::chosen() const { return m_panel->view().chosen(); }

std::pair<const QWidget*, std::string_view> WindowInspect::explained() const { return { m_panel, "lease" }; }

std::optional<ViewExport> WindowInspect::inFront()
{
    if (!m_parts.isInspected(*m_panel))
        return std::nullopt;
    const auto write = [this](const QString& path) {
        if (isCsv(path))
            return tr("The node inspector has no rows; choose .svg, .pdf or .png. Its samples are in the recording.");
        return writePicture(
            path, m_panel->view().picture(), m_panel->view().size(), tr("what the process does"), m_parts.origin());
    };
    return ViewExport { QStringLiteral("node"), tr("Pictures (*.svg *.pdf *.png)"), write };
}

bool WindowInspect::showContents(ObjectRef object)
{
    m_parts.workspaces.open("nodeDock", object.kind == ObjectKind::Client);
    m_parts.canvas.choose(object);
    m_panel->view().choose(m_parts.process());
    return true;
}

bool WindowInspect::openPage(const CameraWish& wish, ObjectRef /*looked*/)
{
    if (wish.view == QLatin1String("node") && !wish.fit.isEmpty()) // the processes side by side
        inspectNodes(wish.fit.split(QLatin1Char(','), Qt::SkipEmptyParts));
    else if (wish.view == QLatin1String("node"))
        m_parts.trigger(QStringLiteral("nodeInspector"));
    return false;
}

void WindowInspect::inspectNodes(const QStringList& names)
{
    NodeView& view = m_panel->view();
    view.unpinAll();
    for (const QString& name : names) {
        if (view.chosen() != 0 && name != names.front())
            view.togglePin();
        if (const ObjectRef object = m_parts.objectNamed(name.trimmed())) {
            m_parts.selection.select(object);
            view.choose(m_parts.process());
        }
    }
    m_parts.workspaces.open("nodeDock", true);
}

} // namespace lhrs::gui
