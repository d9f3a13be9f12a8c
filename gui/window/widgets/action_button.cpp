// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/action_button.h"

#include "gui/window/widgets/actions.h"

#include <QAction>
#include <QPushButton>

namespace lhrs::gui {

QPushButton* makeActionButton(
    Actions& actions, const char* id, const QString& words, const QString& name, QWidget* parent)
{
    QAction* action = actions.get(id);
    auto* made = new QPushButton(words, parent);
    made->setObjectName(name);
    made->setCheckable(action->isCheckable());
    const auto follow = [made, action] {
        made->setEnabled(action->isEnabled());
        made->setToolTip(action->toolTip());
        made->setChecked(action->isChecked());
    };
    follow();
    QObject::connect(made, &QPushButton::clicked, action, [made, action] {
        action->trigger();
        made->setChecked(action->isChecked());
    });
    QObject::connect(action, &QAction::changed, made, follow);
    return made;
}

} // namespace lhrs::gui
