// SPDX-License-Identifier: GPL-3.0-or-later
// The strip that guides a person through the tour or an exercise: its place in the window, and its keys.
#include "gui/window/panels/guide_panel.h"
#include "gui/window/main/main_window.h"
#include "gui/window/subjects/window_write.h"

#include <QVBoxLayout>

#include <array>

namespace lhrs::gui {

namespace {

constexpr std::array kGuideActions { "guideNext", "guideBack", "guideHint", "guideAgain",
    "guideLeave" }; // in the order of the buttons

} // namespace

// Above the caption, which continues to tell what happens.
void MainWindow::makeGuide()
{
    m_guide = new GuidePanel(centralWidget());
    m_workspaces->setGuide(*m_guide);
    auto* rows = qobject_cast<QVBoxLayout*>(centralWidget()->layout());
    rows->insertWidget(rows->indexOf(m_player), m_guide);

    Actions& a = *m_actions;
    const auto press = [this](GuidePanel::Button which) { return [this, which] { m_guide->press(which); }; };
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
    const auto enable = [this] {
        for (int i = 0; i < GuidePanel::kButtons; ++i)
            m_actions->get(kGuideActions[std::size_t(i)])->setEnabled(m_guide->canPress(GuidePanel::Button(i)));
    };
    for (int i = 0; i < GuidePanel::kButtons; ++i)
        m_guide->setKey(
            GuidePanel::Button(i), a.get(kGuideActions[std::size_t(i)])->shortcut().toString(QKeySequence::NativeText));
    connect(m_guide, &GuidePanel::buttonsChanged, this, enable);
    connect(m_guide, &GuidePanel::shownOrHidden, this, [this] {
        m_write->showButtons();
        foldPanels();
        m_workspaces->arrange();
    });
    enable();
    makeTour();
}

} // namespace lhrs::gui
