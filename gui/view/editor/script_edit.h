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

// What is wrong in a line, as a sentence.
struct LineNote {
    int line = 0;
    QString text;
    bool operator==(const LineNote&) const = default;
};

// Where a script is in its text. Line numbers are those of the text as it was when the script began.
struct RunMarks {
    bool isRunning = false, isHeld = false;
    int line = 0; // of the call under way
    std::map<int, double> reached; // lines whose calls have begun, with the time in seconds
    std::vector<LineNote> faults;
    bool operator==(const RunMarks&) const = default;
};

// The text of a scenario: colours, line numbers, breakpoints in the margin, an arrow at the call under way, ticks at
// the calls that have begun, and errors beside their lines. The text may be changed while a script runs: breakpoints
// and marks stay with their lines.
class ScriptEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit ScriptEdit(QWidget* parent = nullptr);

    // Replaces the text and forgets what was known of the previous one.
    void setText(const QString& text);
    // The text with \n as the end of line, otherwise unchanged.
    QString text() const;
    void setTheme(const Theme& theme);

    std::set<int> breakpoints() const;
    // Sets a breakpoint on this line, or on the next line with a call, or removes it. False: there is no call from this
    // line on.
    bool toggleBreakpoint(int line);

    // A script with exactly this text begins: its line numbers refer to this text.
    void beginRun();
    // Where a line of the running script is in the text now; and the reverse, 0: the line is newer than the script.
    int lineNow(int lineOfRun) const;
    int lineOfRun(int lineNow) const;
    std::set<int> breakpointsOfRun() const;
    void showRun(const RunMarks& marks);
    const RunMarks& runMarks() const { return m_marks; }
    // The line that is marked as the current one; 0: none.
    int currentLine() const { return m_marks.isRunning ? lineNow(m_marks.line) : 0; }

    // What the check of the text found; line 0 removes it.
    void setProblem(const LineNote& problem);
    // All errors, by their current line.
    std::map<int, QString> notes() const;

    void goTo(int line);
    int cursorLine() const { return textCursor().blockNumber() + 1; }
    // Inserts a line after the one with the cursor, or in its place if it is empty, with the same indentation.
    void insertLine(const QString& line);
    // Finds the next place with these words after the cursor, wrapping around at the end. False: there is none.
    bool findWords(const QString& words, bool isBackward);
    // While a script runs, PgDn is its next step, in the editor too.
    void setPaging(bool on) { m_hasPaging = on; }

    // Used by the margin.
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
    std::vector<QTextCursor> m_breakpoints, m_lines; // m_lines: the lines of the running script
    RunMarks m_marks;
    LineNote m_problem;
    bool m_hasPaging = true;
};

} // namespace lhrs::gui
