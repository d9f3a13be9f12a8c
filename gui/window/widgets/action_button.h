// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QPushButton;
class QString;
class QWidget;

namespace lhrs::gui {

class Actions;

// A button that follows an action of the registry: enabled, checked, help text. `name` is its objectName.
QPushButton* makeActionButton(
    Actions& actions, const char* id, const QString& words, const QString& name, QWidget* parent);

} // namespace lhrs::gui
