// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/player/presentation.h"
#include "gui/window/parts/window_parts.h"

#include <QElapsedTimer>
#include <QRect>

#include <memory>

namespace lhrs::gui {

// The presentation: full screen for the audience, notes for the speaker, a blank screen, and the second click.
class WindowPresent : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowPresent(WindowParts& parts);

    // Updates the presenter's window.
    void update() override;
    void applyTheme() override;
    void addStatus(std::vector<StatusPart>& parts) const override;

    void set(bool on);
    NotesWindow* notes() const { return m_notes.get(); } // while presenting
    void closeNotes() { m_notes.reset(); }

signals:
    // The presentation begins or ends: other parts are shown.
    void changed(bool on);
    // The text has to be as large as the screen demands.
    void themeWanted();
    // A key of the notes, which is one of the window.
    void keyPressed(QKeyEvent* event);
    // The person may want to stop the scenario.
    void stopAsked();

private:
    // Moves the focus from a field back to the picture. False: no field had it.
    bool leaveField();
    bool isSecondClick(const QAction* action);
    // The picture for the audience is on the second screen, the notes are on the first; with one screen, the notes are
    // a window behind the picture.
    void place();
    // A screen was added or removed: the presentation moves to an existing screen, and no window stays outside all
    // screens.
    void followScreens();

    BlankScreen* m_blank = nullptr;
    std::unique_ptr<NotesWindow> m_notes;
    SecondClick m_secondClick;
    QElapsedTimer m_since;
    QRect m_placeBefore; // of the window, before the presentation began
    Workspace m_workspaceBefore = Workspace::Lecture;
    bool m_isOnOtherScreen = true; // the picture is on the other screen
    QString m_hallScreen; // the screen that the presentation fills
    QString m_screenNote; // what happened when a screen was added or removed
    double m_screenNoteUntil = 0; // seconds of the window
};

} // namespace lhrs::gui
