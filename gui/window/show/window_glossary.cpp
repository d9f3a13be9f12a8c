// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_glossary.h"

#include "gui/window/widgets/glossary_sheet.h"

#include <QApplication>

namespace lhrs::gui {

WindowGlossary::WindowGlossary(WindowParts& parts, const std::vector<WindowSubject*>& subjects)
    : WindowSubject(parts), m_subjects(subjects)
{
    m_parts.actions.add(
        { "whatIsThis", "Help", "What is this?", "Shift+F1",
            "Explains the term that the mouse points at or, by the keyboard, the term of the selection" },
        [this] { open(true); });
    m_parts.actions.add({ "glossary", "Help", "Glossary …", "Ctrl+F1",
                            "Explains each letter and word of the window, with an example from what is shown now" },
        [this] { open(false); });
}

// What a person means by "this": a part of a panel under the mouse or with the focus, else a part of the picture.
ClusterCanvas::Asked WindowGlossary::askedAbout() const
{
    const QWidget* focus = QApplication::focusWidget();
    const bool isPointed = m_parts.canvas.underMouse() && m_parts.selection.hovered();
    for (const bool byMouse : { true, false }) {
        if (byMouse ? m_parts.canvas.isWalked() : isPointed)
            continue;
        for (const WindowSubject* subject : m_subjects) {
            const auto [panel, term] = subject->explained();
            if (!panel || !panel->isVisible() || !(byMouse ? panel->underMouse() : panel->isAncestorOf(focus)))
                continue;
            const ObjectRef hovered = m_parts.selection.hovered();
            return { byMouse && hovered ? hovered : m_parts.selection.selected(), term, m_parts.selection.part() };
        }
    }
    return m_parts.canvas.asked();
}

void WindowGlossary::open(bool atWhatIsAsked)
{
    m_asked = askedAbout();
    if (!m_sheet) {
        m_sheet = new GlossarySheet(
            [this](const Term& term) { return exampleOf(term, m_parts.pacer.state(), m_asked.object, m_asked.part); },
            &m_parts.window);
        m_parts.clock.add(m_sheet, m_sheet);
    }
    m_sheet->openAt(atWhatIsAsked ? termOf(m_asked.term.empty() ? termIdOf(m_asked.object) : m_asked.term) : nullptr);
}

} // namespace lhrs::gui
