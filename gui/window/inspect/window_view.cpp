// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/inspect/window_view.h"

#include "gui/view/systems/view_systems.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QInputDialog>
#include <QSpinBox>

namespace lhrs::gui {

WindowView::WindowView(WindowParts& parts, const std::vector<LayerAction>& ofSystems) : WindowSubject(parts)
{
    addViewActions();
    addLayer({ "messages", &Layers::messages, "layerMessages", "Messages", "Shift+M",
        "Draws messages and records on their way" });
    for (const LayerAction& layer : ofSystems)
        addLayer(layer);
    addLayer({ "labels", &Layers::labels, "layerLabels", "Labels", "L", "Writes numbers and names on the servers" });
    addLayer({ "faults", &Layers::faults, "layerFaults", "Faults", "Shift+F",
        "Draws faults on purpose: partitions, links, badges" });
    addLayer({ "legend", &Layers::legend, "layerLegend", "Legend", "Shift+L",
        "Explains the kinds of messages below the picture", false });
}

void WindowView::addViewActions()
{
    Actions& a = m_parts.actions;
    a.add({ "lecture", "View", "Lecture", "Ctrl+1", "The picture and the caption, nothing else", true },
        [this] { m_parts.workspaces.enter(Workspace::Lecture); });
    a.add({ "inspect", "View", "Inspect", "Ctrl+2",
              "The picture with what the selected thing holds, its process, event log and scenario beside it", true },
        [this] { m_parts.workspaces.inspect(); });
    a.add({ "fit", "View/Picture", "Fit", "0", "Shows the whole picture" }, [this] { m_parts.canvas.fit(); });
    a.add({ "fitSelection", "View/Picture", "Fit the selection", "Shift+0",
              "Shows what is selected, large enough to read" },
        [this] { m_parts.canvas.fitTo(m_parts.selection.selected()); });
    a.add({ "zoomIn", "View/Picture", "Zoom in", "Z", "Shows the servers larger, with more detail" },
        [this] { m_parts.canvas.zoomIn(); });
    a.add({ "zoomOut", "View/Picture", "Zoom out", "Shift+Z", "Shows the servers smaller" },
        [this] { m_parts.canvas.zoomOut(); });
    a.add({ "find", "View", "Find …", "/", "Finds a server, a client or a key in the picture by its name" },
        [this] { askForObject(); });
    a.add({ "copyLine", "View", "Copy as scenario words", "Ctrl+Shift+L",
              "Copies what is selected as a scenario names it: lab.data(5)" },
        [this] {
            const QString words = m_parts.selection.selected() ? m_parts.target() : QString();
            QApplication::clipboard()->setText(words);
            m_parts.line.answer(tr("copy"),
                words.isEmpty() ? tr("Select a server or another process first.") : tr("%1 is copied").arg(words),
                !words.isEmpty());
        });
    a.add({ "nextView", "View", "Next view", "F6", "Moves the focus to the next view" }, [this] {
        m_parts.workspaces.focusNext({ &m_parts.canvas, m_parts.workloads->countBox() });
    });
    // Not every desktop maps this shortcut to the context menu; the menu key itself arrives as an event of the desktop.
    a.add({ "contextMenu", "View", "Menu of the selection", "Shift+F10",
              "Opens the menu of what is selected, as the menu key does" },
        [this] {
            QWidget* at = QApplication::focusWidget() ? QApplication::focusWidget() : &m_parts.canvas;
            QContextMenuEvent wanted(
                QContextMenuEvent::Keyboard, at->rect().center(), at->mapToGlobal(at->rect().center()));
            QApplication::sendEvent(at, &wanted);
        });
}

void WindowView::addLayer(const LayerAction& layer)
{
    m_parts.layers.push_back(layer);
    m_parts.actions
        .add({ layer.id, "View/Layers", layer.name, layer.key, layer.sentence, true },
            [this, member = layer.layer] {
                Layers layers = m_parts.canvas.layers();
                layers.*member = !(layers.*member);
                m_parts.canvas.setLayers(layers);
            })
        ->setChecked(true);
}

void WindowView::enable() { m_parts.actions.enable({ "copyLine" }, m_parts.workspaces.showsWork()); }

void WindowView::askForObject()
{
    bool isGiven = false;
    const QString words = QInputDialog::getText(
        &m_parts.window, tr("Find"), wordsOf(m_parts.pacer.state()).wordsToFind(), QLineEdit::Normal, {}, &isGiven);
    if (isGiven && !m_parts.canvas.findObject(words))
        m_parts.line.answer(tr("find %1").arg(words),
            tr("There is no such server or process, and no server holds such a key, as far as the events tell."),
            false);
}

} // namespace lhrs::gui
