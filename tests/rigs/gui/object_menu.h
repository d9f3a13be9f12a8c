// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/main/main_window.h"

#include <QApplication>
#include <QMenu>
#include <QTimer>

namespace lhrs::gui {

// What the menu of the object offers: the ids of actions, the words of other entries and of its title, "-" for a
// separator.
inline QStringList menuOf(MainWindow& window, ObjectRef object)
{
    QStringList entries;
    QTimer::singleShot(0, &window, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (menu == nullptr)
            return;
        for (const QAction* action : menu->actions())
            entries << (!action->objectName().isEmpty() ? action->objectName()
                    : action->text().isEmpty()          ? QStringLiteral("-")
                                                        : action->text());
        menu->close();
    });
    emit window.canvas().menuRequested(object, window.mapToGlobal(QPoint(300, 300)));
    return entries;
}

} // namespace lhrs::gui
