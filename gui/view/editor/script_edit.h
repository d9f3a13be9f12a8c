// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/editor/script_highlighter.h"
#include "gui/view/paint/theme.h"

#include <QPlainTextEdit>
#include <QTextCursor>

#include <map>
#include <set>
#include <vector>

class QCompleter;
class QStringListModel;

namespace lhrs::gui {

// What is wrong with a line, in a sentence.
struct LineNote {
    int line = 0;
    QString text;
    bool operator==(const LineNote&) const = default;
};

// Where a script is in the text. Its lines are those of the text as it was when the script began.
struct RunMarks {
    bool isRunning = false, isHeld = false;
    int line = 0;                  // of the call under way
    std::map<int, double> reached; // lines whose calls have begun, and when, in seconds
    std::vector<LineNote> faults;
    bool operator==(const RunMarks&) const = default;
};

// The text of a scenario: colours, line numbers, breakpoints in the margin, an arrow at the call under way, ticks where the
// script has been, and what is wrong in the line where it is. The text may be changed while a script runs: breakpoints and
// marks stay with their lines.
class ScriptEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ScriptEdit(QWidget* parent = nullptr);

    // Another text, of which nothing is known yet.
    void setText(const QString& text);
    // As it is, with \n.
    QString text() const;
    void setTheme(const Theme& theme);

    std::set<int> breakpoints() const;
    // Puts one on this line, or on the next one that calls something, or takes it away. False: nothing is called from there on.
    bool toggleBreakpoint(int line);

    // A script with just this text begins: lines are counted from here.
    void beginRun();
    // Where a line of the running script stands now; and the other way round, 0: it is newer than the script.
    int lineNow(int lineOfRun) const;
    int lineOfRun(int lineNow) const;
    std::set<int> breakpointsOfRun() const;
    void showRun(const RunMarks& marks);
    const RunMarks& runMarks() const { return m_marks; }
    // The line that is shown as the current one; 0: none.
    int currentLine() const { return m_marks.isRunning ? lineNow(m_marks.line) : 0; }

    // What the check of the text found; a line 0 takes it away.
    void setProblem(const LineNote& problem);
    // All that is wrong, by the line as it is now.
    std::map<int, QString> notes() const;

    void goTo(int line);
    int cursorLine() const { return textCursor().blockNumber() + 1; }
    // A line of its own after the one with the cursor, or in its place if that is empty, as far in as that one.
    void insertLine(const QString& line);
    // The next place with these words from the cursor on, and on from the beginning. False: there is none.
    bool findWords(const QString& words, bool isBackward);
    // While a script runs, PgDn is its next step, also here.
    void setPaging(bool on) { m_hasPaging = on; }

    // For the margin.
    int marginWidth() const;
    void paintMargin(QPainter& painter, const QRect& rect);
    int lineAt(int y) const;
    QString marginHelp(int line) const;

signals:
    void breakpointsChanged();
    void saveWanted();
    void saveAsWanted();
    void newWanted();
    void findWanted();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class OwnKey { None, Save, SaveAs, New, Find, Complete, Swallowed, Page };
    OwnKey ownKey(const QKeyEvent& event) const;
    void breakLine();
    void complete(bool isAsked);
    void takeCompletion(const QString& word);
    void placeMargin();

    Theme m_theme;
    ScriptHighlighter* m_highlighter;
    QWidget* m_margin;
    QCompleter* m_completer;
    QStringListModel* m_words;
    std::vector<QTextCursor> m_breakpoints, m_lines; // m_lines: of the running script
    RunMarks m_marks;
    LineNote m_problem;
    bool m_hasPaging = true;
};

} // namespace lhrs::gui
