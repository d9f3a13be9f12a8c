// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QPushButton;
class QString;
class QWidget;

namespace lhrs::gui {

class Actions;

// A button for an action of the registry that follows it: enabled, checked, its words of help. `name` is its objectName.
QPushButton* makeActionButton(Actions& actions, const char* id, const QString& words, const QString& name, QWidget* parent);

} // namespace lhrs::gui
