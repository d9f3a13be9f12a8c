// SPDX-License-Identifier: GPL-3.0-or-later
// Closes the dialogs that a window opens, so that a test that presses every key continues.
#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QMessageBox>
#include <QStringList>
#include <QTimer>
#include <QWidget>

namespace lhrs::gui {

// Closes each menu and each dialog as soon as it appears, and keeps the titles of the dialogs.
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

// Presses this button of each question, and keeps the text of the question.
class QuestionAnswerer {
public:
    explicit QuestionAnswerer(QMessageBox::StandardButton button)
    {
        QObject::connect(&m_timer, &QTimer::timeout, [this, button] {
            auto* question = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!question || !question->button(button))
                return;
            asked << question->text();
            question->button(button)->click();
        });
        m_timer.start(5);
    }
    QStringList asked;

private:
    QTimer m_timer;
};

} // namespace lhrs::gui
