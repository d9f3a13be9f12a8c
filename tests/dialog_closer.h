// SPDX-License-Identifier: GPL-3.0-or-later
// Somebody who closes what a window asks, so that a test that presses every key goes on.
#pragma once

#include <QApplication>
#include <QStringList>
#include <QTimer>
#include <QWidget>

namespace lhrs::gui {

// Closes each menu and each dialog as soon as it is there, and keeps the titles of the dialogs.
class DialogCloser {
public:
    DialogCloser()
    {
        QObject::connect(&m_timer, &QTimer::timeout, [this] {
            if (QWidget* menu = QApplication::activePopupWidget()) {
                menu->close();
            } else if (QWidget* dialog = QApplication::activeModalWidget()) {
                seen << dialog->windowTitle();
                dialog->close();
            }
        });
        m_timer.start(5);
    }
    QStringList seen;

private:
    QTimer m_timer;
};

} // namespace lhrs::gui
