// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class Remembered;

// The looks of the window: light or dark, contrast, text size, thick lines, the preset for a projector; and how they
// are remembered for the next session.
class WindowLooks : public WindowSubject {
    Q_OBJECT
public:
    // System follows the desktop's palette as it was at program start.
    enum class ThemeChoice { Light, Dark, System };
    // Choices that are not given are those of the last session.
    struct Given {
        std::optional<ThemeChoice> theme = {};
        std::optional<bool> isHighContrast = {};
        std::optional<double> fontScale = {};
    };

    WindowLooks(WindowParts& parts, Remembered& remembered);

    // Restores the choices of the last session. Looks that are given replace the projector preset.
    void recall(const Given& given);
    void setThemeChoice(ThemeChoice choice);
    void setHighContrast(bool on);
    void setThickLines(bool on);
    void setFontScale(double scale);
    double fontScale() const { return looks().fontScale; }
    // On: light, large, with thick lines, and without text that only the first rows could read. Off: the previous
    // choices.
    void setProjector(bool on);
    // Gives the parts and the application the theme of these looks. In a presentation no text is smaller than 1/45 of
    // the window's height.
    void apply();
    // The window has another height.
    void fit();

signals:
    // The theme of the parts has changed.
    void changed();

private:
    struct Looks {
        ThemeChoice theme = ThemeChoice::System;
        double fontScale = 1;
        bool isHighContrast = false, hasThickLines = false;
    };
    const Looks& looks() const { return m_hall ? *m_hall : m_looks; }
    Looks& looks() { return m_hall ? *m_hall : m_looks; }
    Theme wanted() const;
    void keep();
    void tick();
    void setLayer(const LayerAction& layer, bool on);

    Remembered& m_remembered;
    Looks m_looks;
    std::optional<Looks> m_hall; // while the projector preset is on: the looks in force
    const bool m_systemIsDark;
};

} // namespace lhrs::gui
