// SPDX-License-Identifier: GPL-3.0-or-later
// "What is this?": the term for what is under the mouse, or for what is selected.
#include "gui/window/main/main_window.h"

#include "gui/window/widgets/glossary_sheet.h"

#include <QApplication>

namespace lhrs::gui {

void MainWindow::makeGlossaryActions()
{
    m_actions->add({ "whatIsThis", "Help", "What is this?", "Shift+F1",
                       "Explains the term that the mouse points at or, by the keyboard, that of what is selected" },
        [this] { openGlossary(true); });
    m_actions->add({ "glossary", "Help", "Glossary …", "Ctrl+F1",
                       "Explains each letter and word of the window, with an example from what is shown now" },
        [this] { openGlossary(false); });
}

// What a person means by "this": a part of a panel under the mouse or with the focus, else a part of the picture.
ClusterCanvas::Asked MainWindow::askedAbout() const
{
    std::vector<std::pair<const QWidget*, std::string_view>> panels;
    for (const WindowSubject* subject : m_subjects)
        if (const auto explained = subject->explained(); explained.first)
            panels.push_back(explained);
    panels.emplace_back(m_imagePanel, "client-image");
    const QWidget* focus = QApplication::focusWidget();
    const bool isPointed = m_canvas->underMouse() && m_selection->hovered();
    for (const bool byMouse : { true, false }) {
        if (byMouse ? m_canvas->isWalked() : isPointed)
            continue;
        for (const auto& [panel, term] : panels) {
            if (!panel->isVisible() || !(byMouse ? panel->underMouse() : panel->isAncestorOf(focus)))
                continue;
            const ImageView& images = m_imagePanel->view();
            const std::string_view part = panel == m_imagePanel && images.underMouse()
                ? images.picture().termAt(images.mapFromGlobal(QPointF(QCursor::pos())))
                : std::string_view();
            const ObjectRef object = byMouse && m_selection->hovered() ? m_selection->hovered()
                                                                       : m_selection->selected();
            return { object, part.empty() ? term : part, m_selection->rank() };
        }
    }
    return m_canvas->asked();
}

void MainWindow::openGlossary(bool atWhatIsAsked)
{
    m_asked = askedAbout();
    if (!m_glossary) {
        m_glossary = new GlossarySheet(
            [this](const Term& term) { return exampleOf(term, m_pacer.state(), m_asked.object, m_asked.rank); }, this);
        m_clock->add(m_glossary, m_glossary);
    }
    m_glossary->openAt(
        atWhatIsAsked ? termOf(m_asked.term.empty() ? termIdOf(m_asked.object) : m_asked.term) : nullptr);
}

} // namespace lhrs::gui
