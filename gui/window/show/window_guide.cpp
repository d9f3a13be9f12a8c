// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/show/window_guide.h"

#include "gui/window/panels/guide_panel.h"

#include <array>

namespace lhrs::gui {

namespace {

constexpr std::array kGuideActions { "guideNext", "guideBack", "guideHint", "guideAgain",
    "guideLeave" }; // in the order of the buttons

} // namespace

WindowGuide::WindowGuide(WindowParts& parts, const WindowWrite& write)
    : WindowSubject(parts), m_panel(new GuidePanel), m_exercise(new WindowExercise(parts, *m_panel, write))
{
    Actions& a = m_parts.actions;
    const auto press = [this](GuidePanel::Button which) { return [this, which] { m_panel->press(which); }; };
    a.add({ "guideNext", "Help/Guide", "Guide: go on", "Ctrl+PgDown",
              "Goes on to the next stop of the tour, or of an exercise" },
        press(GuidePanel::Next));
    a.add({ "guideBack", "Help/Guide", "Guide: go back", "Ctrl+PgUp", "Goes back to the stop before" },
        press(GuidePanel::Back));
    a.add({ "guideHint", "Help/Guide", "Guide: hint", "F3", "Shows the hint for what is to be done, or hides it" },
        press(GuidePanel::Hint));
    a.add({ "guideAgain", "Help/Guide", "Guide: begin anew", "Ctrl+F2",
              "Begins this stop of the tour, or this exercise, anew on a new cluster" },
        press(GuidePanel::Again));
    a.add({ "guideLeave", "Help/Guide", "Guide: leave", "Shift+F2",
              "Leaves the tour or the exercise; the cluster stays" },
        press(GuidePanel::Leave));
    for (int i = 0; i < GuidePanel::kButtons; ++i)
        m_panel->setKey(
            GuidePanel::Button(i), a.get(kGuideActions[std::size_t(i)])->shortcut().toString(QKeySequence::NativeText));
    connect(m_panel, &GuidePanel::buttonsChanged, this, &WindowGuide::enable);
}

void WindowGuide::meet(GuidedTour& tour)
{
    m_tour = &tour;
    connect(m_tour, &GuidedTour::stopChanged, this, &WindowGuide::enable);
    enable();
}

void WindowGuide::build()
{
    m_parts.workspaces.setGuide(*m_panel);
    m_parts.clock.add(m_tour, &m_parts.window);
    m_parts.clock.add(m_exercise, &m_parts.window);
}

void WindowGuide::applyTheme() { m_panel->setTheme(m_parts.theme); }

void WindowGuide::enable()
{
    for (int i = 0; i < GuidePanel::kButtons; ++i)
        m_parts.actions.enable({ kGuideActions[std::size_t(i)] }, m_panel->canPress(GuidePanel::Button(i)));
    const int left = m_tour->stopLeft();
    QAction* tour = m_parts.actions.get("tour");
    tour->setText(left == 0 ? tr("Take the tour") : tr("Go on with the tour, stop %1").arg(left));
    tour->setEnabled(!m_tour->isOn());
}

} // namespace lhrs::gui
