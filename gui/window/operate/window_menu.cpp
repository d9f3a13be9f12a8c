// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_menu.h"

#include "gui/view/systems/view_systems.h"
#include "gui/window/operate/window_gate.h"

#include <QMenu>

namespace lhrs::gui {

WindowMenu::WindowMenu(WindowParts& parts, const std::vector<WindowSubject*>& subjects, WindowGate& gate)
    : WindowSubject(parts), m_subjects(subjects), m_gate(gate)
{
    connect(&m_parts.canvas, &ClusterCanvas::menuRequested, this, &WindowMenu::show);
}

void WindowMenu::show(ObjectRef object, QPoint at)
{
    QMenu menu(&m_parts.window);
    const ClusterState& state = m_parts.pacer.state();
    menu.setObjectName(QStringLiteral("objectMenu"));
    m_parts.endPreviewWith(menu);
    menu.addSection(wordsOf(state).nameOf(state, object ? object : ObjectRef { ObjectKind::File, 0, 0 }));
    m_parts.enableActions(); // for the object that is selected now
    fill(menu, object);
    menu.addSeparator();
    connect(menu.addAction(tr("Only this place in the event log")), &QAction::triggered, this, [this, object] {
        m_parts.canvas.choose(object);
        m_parts.workspaces.enter(Workspace::Inspect);
    });
    menu.exec(at);
}

void WindowMenu::fill(QMenu& menu, ObjectRef object)
{
    switch (object.kind) {
    case ObjectKind::Data:
    case ObjectKind::Parity:
        offer(menu, { "recordGroup" });
        offerContents(menu, tr("Show the contents"), object);
        offer(menu, { "fitSelection", "copyLine", nullptr });
        if (object.kind == ObjectKind::Data)
            offer(menu, { "insertHere", "searchHere", "split", nullptr });
        offerFaults(menu);
        offer(menu, { nullptr, "addParity", "audit", "recover" });
        break;
    case ObjectKind::Node:
        offerOfSystem(menu, object);
        offerFaults(menu);
        break;
    case ObjectKind::Displaced: offerFaults(menu); break;
    case ObjectKind::Group: offer(menu, { "addParity", "audit", "recover", "acknowledgeLoss" }); break;
    case ObjectKind::Client:
        offerContents(menu, tr("Show its image"), object);
        offer(menu,
            { nullptr, "insert", "update", "search", "delete", "stopWorkload", "imageAdjusting", "imageFrozen",
                "imageExact", "forgetImage", nullptr });
        offerFaults(menu);
        break;
    case ObjectKind::Spare:
        offerFaults(menu);
        offer(menu, { nullptr, "addSpares" });
        break;
    case ObjectKind::Pool: offer(menu, { "addSpares" }); break;
    case ObjectKind::Coordinator:
        offerOfSystem(menu, object);
        offerFaults(menu);
        offer(menu, { nullptr, "split", "raiseK" });
        break;
    case ObjectKind::Fault: offer(menu, { "heal", "healAll", "faultPanel" }); break;
    case ObjectKind::None:
    case ObjectKind::Dummy:
    case ObjectKind::File:
    case ObjectKind::Message:
        offerOfSystem(menu, object);
        offer(menu, { "split", "raiseK", "secondClient", "addSpares", "fit" });
        break;
    }
}

void WindowMenu::offer(QMenu& menu, std::initializer_list<const char*> ids) const
{
    for (const char* id : ids)
        id ? menu.addAction(m_parts.actions.get(id)) : void(menu.addSeparator());
}

void WindowMenu::offerOfSystem(QMenu& menu, ObjectRef object) const
{
    for (WindowSubject* subject : m_subjects)
        subject->offer(menu, object);
}

void WindowMenu::offerContents(QMenu& menu, const QString& words, ObjectRef object) const
{
    connect(menu.addAction(words), &QAction::triggered, &m_parts.canvas,
        [this, object] { emit m_parts.canvas.inspectRequested(object); });
}

void WindowMenu::offerFaults(QMenu& menu) const
{
    if (m_parts.commands.session().control().isGated())
        m_gate.offerHeld(menu);
    offer(menu,
        { "kill", "pause", "resume", "restart", nullptr, "cutOff", "loseSome", "delayMessages", "heal", "faultPanel" });
}

} // namespace lhrs::gui
