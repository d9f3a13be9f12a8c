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
    const Actions& a = m_parts.actions;
    const bool isAll = !object || object.kind == ObjectKind::File || object.kind == ObjectKind::Message;
    offerOfSystem(menu, object, MenuPlace::First);
    if (object.kind == ObjectKind::Client)
        a.offer(menu, { nullptr, "insert", "update", "search", "delete", "stopWorkload" });
    else if (isAll)
        a.offer(menu, { "secondClient" });
    offerOfSystem(menu, object, MenuPlace::AfterWork);
    if (object.kind == ObjectKind::Client)
        menu.addSeparator();
    if (object.kind == ObjectKind::Fault)
        a.offer(menu, { "heal", "healAll", "faultPanel" });
    else if (isAll)
        a.offer(menu, { "fit" });
    else if (wordsOf(m_parts.pacer.state()).processOf(m_parts.pacer.state(), object) != 0)
        offerFaults(menu);
    offerOfSystem(menu, object, MenuPlace::Last);
}

void WindowMenu::offerOfSystem(QMenu& menu, ObjectRef object, MenuPlace place) const
{
    for (WindowSubject* subject : m_subjects)
        subject->offer(menu, object, place);
}

void WindowMenu::offerFaults(QMenu& menu) const
{
    if (m_parts.commands.session().control().isGated())
        m_gate.offerHeld(menu);
    m_parts.actions.offer(menu,
        { "kill", "pause", "resume", "restart", nullptr, "cutOff", "loseSome", "delayMessages", "heal", "faultPanel" });
}

} // namespace lhrs::gui
