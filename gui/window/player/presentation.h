// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a presentation other than the picture: the presenter's window, the blank screen, and the second click.
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

// Protects a presentation from a single wrong click: an action that cannot be undone is carried out only when it is
// requested a second time within a few seconds.
class SecondClick {
public:
    static constexpr double kPatience = 5; // seconds
    // Whether the action may be carried out now. `what`: the action and its target; `now` in seconds.
    bool mayDo(const QString& what, double now);
    bool isWaiting(double now) const { return !m_what.isEmpty() && now < m_until; }
    void forget() { m_what.clear(); }

private:
    QString m_what;
    double m_until = 0;
};

// A black cover over the whole window, until it is removed: the audience looks at the speaker.
class BlankScreen : public QWidget {
    Q_OBJECT
public:
    explicit BlankScreen(QWidget* over);
    void setOn(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
};

// The contents of the presenter's window, which the audience does not see.
struct PresenterWords {
    QString step; // the step that is shown
    QStringList notes; // for that step
    QString next; // the step that PgDn brings; empty: there is none
    QStringList nextNotes;
    QStringList faults; // the armed faults, in words
    QString caption, elapsed, clock;
    bool operator==(const PresenterWords&) const = default;
};

// The presenter's window: the step and its notes, the next step, the clock, the armed faults, and a button that ends
// them all.
class NotesWindow : public QWidget {
    Q_OBJECT
public:
    // Its buttons are actions of the registry; the keys of all actions work in this window too.
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
