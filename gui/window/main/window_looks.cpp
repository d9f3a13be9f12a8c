// SPDX-License-Identifier: GPL-3.0-or-later
// The looks of the window: light or dark, contrast, text size, thick lines, the preset for a projector; and how they
// are remembered for the next session.
#include "gui/window/main/main_window.h"

#include "gui/window/widgets/bar_shelf.h"
#include "gui/window/panels/guide_panel.h"
#include "gui/window/show/window_guide.h"

#include <QDockWidget>
#include <QListView>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lhrs::gui {

namespace {

constexpr double kThick = 1.8;
constexpr double kHallScale = 1.5;
constexpr int kHallLines = 45; // lines of the smallest text that would fill the height of a presentation
constexpr qreal kFoldedWindow = 470; // pixels at 100 %: in a lower one, bars and captions leave the picture room
constexpr double kPlayerShare = 0.25; // of the height of a folded window
constexpr double kGuideShare = 0.3; // likewise

} // namespace

void MainWindow::makeLookActions()
{
    Actions& a = *m_actions;
    a.add({ "slower", "View/Look", "Show slower", ",",
              "All that moves takes twice the time; how fast it is stands in the time bar" },
        [this] { changeSpeed(0.5); });
    a.add({ "faster", "View/Look", "Show faster", ";",
              "All that moves takes half the time; how fast it is stands in the time bar" },
        [this] { changeSpeed(2); });
    a.add({ "reducedMotion", "View/Look", "Reduced motion", "Ctrl+Shift+M",
              "Nothing travels and nothing pulses; what changes fades over", true },
        [this] {
            m_canvas->setReducedMotion(m_actions->get("reducedMotion")->isChecked());
            keepLooks();
        });
    a.add({ "theme", "View/Look", "Light or dark", "T", "Changes between light and dark" },
        [this] { setThemeChoice(m_parts.theme.isDark() ? ThemeChoice::Light : ThemeChoice::Dark); });
    a.add({ "highContrast", "View/Look", "High contrast", "Ctrl+H",
              "Black on white, or white on black: nothing is said by a shade of grey", true },
        [this] { setHighContrast(!looks().isHighContrast); });
    a.add({ "thickLines", "View/Look", "Thick lines", "Ctrl+T", "All lines and outlines are drawn thicker", true },
        [this] { setThickLines(!looks().hasThickLines); });
    a.add({ "projector", "View/Look", "Projector", "P",
              "150 %, light, thick lines, fewer layers, for a large hall; once more: back", true },
        [this] { setProjector(!m_hall); });
    a.add({ "fontLarger", "View/Look", "Larger text", "Ctrl++; Ctrl+=", "Makes all text larger, up to 250 %" },
        [this] { setFontScale(fontScale() + 0.1); });
    a.add({ "fontSmaller", "View/Look", "Smaller text", "Ctrl+-", "Makes all text smaller, down to 80 %" },
        [this] { setFontScale(fontScale() - 0.1); });
    a.add({ "fontNormal", "View/Look", "Normal text", "Ctrl+0", "Text at 100 %" }, [this] { setFontScale(1); });
}

Theme MainWindow::themeWanted() const
{
    const Looks& look = looks();
    const bool isDark = look.theme == ThemeChoice::Dark || (look.theme == ThemeChoice::System && m_systemIsDark);
    double scale = look.fontScale;
    if (m_parts.isPresenting) // rounded up to whole pixels, so that no font falls below the minimum
        scale = std::max(scale, std::ceil(double(height()) / kHallLines) / Theme::kSmallestPixels);
    return Theme(
        isDark ? Theme::Kind::Dark : Theme::Kind::Light, scale, look.isHighContrast, look.hasThickLines ? kThick : 1);
}

// Large text in a small window: the panels around the picture shrink, so that the window does not outgrow its screen.
void MainWindow::foldPanels()
{
    const bool isFolded = height() < m_parts.theme.px(kFoldedWindow);
    m_shelf->setLow(isFolded);
    m_player->strip().setLow(m_workspaces->isCrowded() ? 1
            : isFolded                                 ? int(height() * kPlayerShare)
                                                       : 0); // the guide has priority
    m_guide->panel().setLow(isFolded ? int(height() * kGuideShare) : 0);
}

void MainWindow::setThemeChoice(ThemeChoice choice)
{
    looks().theme = choice;
    applyTheme();
    keepLooks();
}

void MainWindow::setHighContrast(bool on)
{
    looks().isHighContrast = on;
    applyTheme();
    keepLooks();
}

void MainWindow::setThickLines(bool on)
{
    looks().hasThickLines = on;
    applyTheme();
    keepLooks();
}

void MainWindow::setFontScale(double scale)
{
    looks().fontScale = std::clamp(scale, Theme::kFontScaleMin, Theme::kFontScaleMax);
    applyTheme();
    keepLooks();
}

void MainWindow::setProjector(bool on)
{
    if (on == m_hall.has_value())
        return;
    m_hall = on ? std::optional(Looks { ThemeChoice::Light, kHallScale, m_looks.isHighContrast, true }) : std::nullopt;
    // Hides what is too small, or too much at once, for the last row; the key of each layer shows it again.
    setLayer("layerLegend", &Layers::legend, !on);
    setLayer("layerDeltas", &Layers::deltas, !on);
    applyTheme();
    keepLooks();
}

void MainWindow::setLayer(const char* action, bool Layers::*layer, bool on)
{
    Layers layers = m_canvas->layers();
    layers.*layer = on;
    m_canvas->setLayers(layers);
    m_actions->get(action)->setChecked(on);
}

void MainWindow::recallLooks(const Options& options)
{
    const QString theme = m_remembered.text("looks/theme", "system");
    m_looks.theme = theme == QLatin1String("light") ? ThemeChoice::Light
        : theme == QLatin1String("dark")            ? ThemeChoice::Dark
                                                    : ThemeChoice::System;
    m_looks.fontScale = m_remembered.number("looks/fontScale", Theme::kFontScaleMin, Theme::kFontScaleMax, 1);
    m_looks.isHighContrast = m_remembered.flag("looks/highContrast", false);
    m_looks.hasThickLines = m_remembered.flag("looks/thickLines", false);
    if (m_remembered.flag("looks/reducedMotion", false)) {
        m_actions->get("reducedMotion")->setChecked(true);
        m_canvas->setReducedMotion(true);
    }
    // Looks that are given on the command line replace the projector preset.
    const bool isSaid = options.theme || options.fontScale || options.isHighContrast;
    m_looks.theme = options.theme.value_or(m_looks.theme);
    m_looks.fontScale = options.fontScale.value_or(m_looks.fontScale);
    m_looks.isHighContrast = options.isHighContrast.value_or(m_looks.isHighContrast);
    if (!isSaid && m_remembered.flag("looks/projector", false))
        setProjector(true);
    tickLooks();
}

void MainWindow::tickLooks()
{
    const auto tick = [this](const char* id, bool on) { m_actions->get(id)->setChecked(on); };
    tick("highContrast", looks().isHighContrast);
    tick("thickLines", looks().hasThickLines);
    tick("projector", m_hall.has_value());
}

void MainWindow::keepLooks()
{
    tickLooks();
    m_remembered.keep("looks/theme",
        m_looks.theme == ThemeChoice::Light      ? "light"
            : m_looks.theme == ThemeChoice::Dark ? "dark"
                                                 : "system");
    m_remembered.keep("looks/fontScale", m_looks.fontScale);
    m_remembered.keep("looks/highContrast", m_looks.isHighContrast);
    m_remembered.keep("looks/thickLines", m_looks.hasThickLines);
    m_remembered.keep("looks/projector", m_hall.has_value());
    m_remembered.keep("looks/reducedMotion", m_canvas->isMotionReduced());
}

} // namespace lhrs::gui
