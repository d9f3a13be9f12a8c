// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a test's window: the light theme, whatever the desktop's theme is, and the scenarios of the tree.
#pragma once

#include "gui/window/main/main_window.h"

namespace lhrs::gui {

inline MainWindow::Options options()
{
    MainWindow::Options o;
    o.theme = MainWindow::ThemeChoice::Light;
    o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
    return o;
}

} // namespace lhrs::gui
