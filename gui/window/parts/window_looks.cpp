// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/parts/window_looks.h"

#include "gui/window/widgets/remembered.h"

#include <QApplication>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kThick = 1.8;
constexpr double kHallScale = 1.5;
constexpr int kHallLines = 45; // lines of the smallest text that would fill the height of a presentation

} // namespace

WindowLooks::WindowLooks(WindowParts& parts, Remembered& remembered)
    : WindowSubject(parts), m_remembered(remembered), m_systemIsDark(Theme::systemIsDark())
{
    Actions& a = m_parts.actions;
    a.add({ "slower", "View/Look", "Show slower", ",",
              "Everything that moves takes twice as long; the time bar shows the speed" },
        [this] { m_parts.director.setSpeed(m_parts.director.speed() * 0.5); });
    a.add({ "faster", "View/Look", "Show faster", ";",
              "Everything that moves takes half as long; the time bar shows the speed" },
        [this] { m_parts.director.setSpeed(m_parts.director.speed() * 2); });
    a.add({ "reducedMotion", "View/Look", "Reduced motion", "Ctrl+Shift+M",
              "Nothing travels and nothing pulses; changes fade in", true },
        [this] {
            m_parts.canvas.setReducedMotion(m_parts.actions.get("reducedMotion")->isChecked());
            keep();
        });
    a.add({ "theme", "View/Look", "Light or dark", "T", "Switches between light and dark" },
        [this] { setThemeChoice(m_parts.theme.isDark() ? ThemeChoice::Light : ThemeChoice::Dark); });
    a.add({ "highContrast", "View/Look", "High contrast", "Ctrl+H",
              "Black on white, or white on black: nothing depends on a shade of grey", true },
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

Theme WindowLooks::wanted() const
{
    const Looks& look = looks();
    const bool isDark = look.theme == ThemeChoice::Dark || (look.theme == ThemeChoice::System && m_systemIsDark);
    double scale = look.fontScale;
    if (m_parts.isPresenting) // rounded up to whole pixels, so that no font falls below the minimum
        scale = std::max(scale, std::ceil(double(m_parts.window.height()) / kHallLines) / Theme::kSmallestPixels);
    return Theme(
        isDark ? Theme::Kind::Dark : Theme::Kind::Light, scale, look.isHighContrast, look.hasThickLines ? kThick : 1);
}

void WindowLooks::apply()
{
    m_parts.theme = wanted();
    qApp->setPalette(m_parts.theme.palette());
    qApp->setFont(m_parts.theme.font({ TextSize::Small }));
    qApp->setStyleSheet(m_parts.theme.styleSheet());
    // With a style sheet, the application's font does not reach existing widgets.
    for (QWidget* widget : QApplication::allWidgets()) {
        if (!widget->testAttribute(Qt::WA_SetFont))
            widget->setFont(QFont());
    }
    emit changed();
}

void WindowLooks::fit()
{
    if (m_parts.isPresenting && !(wanted() == m_parts.theme))
        apply();
}

void WindowLooks::setThemeChoice(ThemeChoice choice)
{
    looks().theme = choice;
    apply();
    keep();
}

void WindowLooks::setHighContrast(bool on)
{
    looks().isHighContrast = on;
    apply();
    keep();
}

void WindowLooks::setThickLines(bool on)
{
    looks().hasThickLines = on;
    apply();
    keep();
}

void WindowLooks::setFontScale(double scale)
{
    looks().fontScale = std::clamp(scale, Theme::kFontScaleMin, Theme::kFontScaleMax);
    apply();
    keep();
}

void WindowLooks::setProjector(bool on)
{
    if (on == m_hall.has_value())
        return;
    m_hall = on ? std::optional(Looks { ThemeChoice::Light, kHallScale, m_looks.isHighContrast, true }) : std::nullopt;
    // Hides what is too small, or too much at once, for the last row; the key of each layer shows it again.
    for (const LayerAction& layer : m_parts.layers)
        if (!layer.isForHall)
            setLayer(layer, !on);
    apply();
    keep();
}

void WindowLooks::setLayer(const LayerAction& layer, bool on)
{
    Layers layers = m_parts.canvas.layers();
    layers.*(layer.layer) = on;
    m_parts.canvas.setLayers(layers);
    m_parts.actions.get(layer.id)->setChecked(on);
}

void WindowLooks::recall(const Given& given)
{
    const QString theme = m_remembered.text("looks/theme", "system");
    m_looks.theme = theme == QLatin1String("light") ? ThemeChoice::Light
        : theme == QLatin1String("dark")            ? ThemeChoice::Dark
                                                    : ThemeChoice::System;
    m_looks.fontScale = m_remembered.number("looks/fontScale", Theme::kFontScaleMin, Theme::kFontScaleMax, 1);
    m_looks.isHighContrast = m_remembered.flag("looks/highContrast", false);
    m_looks.hasThickLines = m_remembered.flag("looks/thickLines", false);
    if (m_remembered.flag("looks/reducedMotion", false)) {
        m_parts.actions.get("reducedMotion")->setChecked(true);
        m_parts.canvas.setReducedMotion(true);
    }
    // Looks that are given on the command line replace the projector preset.
    const bool isSaid = given.theme || given.fontScale || given.isHighContrast;
    m_looks.theme = given.theme.value_or(m_looks.theme);
    m_looks.fontScale = given.fontScale.value_or(m_looks.fontScale);
    m_looks.isHighContrast = given.isHighContrast.value_or(m_looks.isHighContrast);
    if (!isSaid && m_remembered.flag("looks/projector", false))
        setProjector(true);
    tick();
}

void WindowLooks::tick()
{
    const auto set = [this](const char* id, bool on) { m_parts.actions.get(id)->setChecked(on); };
    set("highContrast", looks().isHighContrast);
    set("thickLines", looks().hasThickLines);
    set("projector", m_hall.has_value());
}

void WindowLooks::keep()
{
    tick();
    m_remembered.keep("looks/theme",
        m_looks.theme == ThemeChoice::Light      ? "light"
            : m_looks.theme == ThemeChoice::Dark ? "dark"
                                                 : "system");
    m_remembered.keep("looks/fontScale", m_looks.fontScale);
    m_remembered.keep("looks/highContrast", m_looks.isHighContrast);
    m_remembered.keep("looks/thickLines", m_looks.hasThickLines);
    m_remembered.keep("looks/projector", m_hall.has_value());
    m_remembered.keep("looks/reducedMotion", m_parts.canvas.isMotionReduced());
}

} // namespace lhrs::gui
