// SPDX-License-Identifier: GPL-3.0-or-later
// What a presentation has besides the picture: the presenter's own window, the blank screen, and the second click.
#pragma once

#include "gui/view/paint/theme.h"

#include <QLabel>
#include <QWidget>

#include <vector>

class QKeyEvent;
class QPushButton;
class QVBoxLayout;

namespace lhrs::gui {

class Actions;

// In front of a hall nothing is broken by one slip of the finger: what cannot be taken back is done when it is asked for
// a second time within a few seconds.
class SecondClick {
public:
    static constexpr double kPatience = 5; // seconds
    // Whether it may be done now. `what`: the action and what it would hit; `now` in seconds.
    bool mayDo(const QString& what, double now);
    bool isWaiting(double now) const { return !m_what.isEmpty() && now < m_until; }
    void forget() { m_what.clear(); }

private:
    QString m_what;
    double m_until = 0;
};

// Nothing but darkness over the whole window, until it is called off: the hall looks at whoever speaks.
class BlankScreen : public QWidget {
    Q_OBJECT
public:
    explicit BlankScreen(QWidget* over);
    void setOn(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

// What the presenter's window says; the hall does not see it.
struct PresenterWords {
    QString step;               // that is shown
    QStringList notes;          // of it
    QString next;               // the step that PgDn brings; empty: there is none
    QStringList nextNotes;
    QStringList faults;         // that are armed, in words
    QString caption, elapsed, clock;
    bool operator==(const PresenterWords&) const = default;
};

// The presenter's window: the step and its notes, the next step, the clock, what is armed, and the way to heal it all.
class NotesWindow : public QWidget {
    Q_OBJECT
public:
    // Its buttons are actions of the registry, and all of their keys work here too.
    explicit NotesWindow(const Actions& actions);
    void setWords(const PresenterWords& words);
    const PresenterWords& words() const { return m_words; }
    void setTheme(const Theme& theme);

signals:
    void keyPressed(QKeyEvent* event);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QLabel* paragraph(QVBoxLayout* box, const char* id, const QString& name);

    PresenterWords m_words;
    QLabel *m_clock, *m_step, *m_notes, *m_next, *m_nextNotes, *m_faults;
    std::vector<QLabel*> m_headings;
    std::vector<QPushButton*> m_buttons;
};

} // namespace lhrs::gui
