// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/editor/script_edit.h"

#include "gui/view/paint/display_list.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QCoreApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStringListModel>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kIndent = 4;
constexpr qreal kNoteWide = 130; // pixels at 100 %: the least width of a note beside its line

// Numbers and marks beside the lines; a click sets a breakpoint.
class Margin : public QWidget {
public:
    explicit Margin(ScriptEdit* edit) : QWidget(edit), m_edit(edit)
    {
        setObjectName(QStringLiteral("scriptMargin"));
        setCursor(Qt::PointingHandCursor);
    }

protected:
    void paintEvent(QPaintEvent* event) override
    {
        QPainter painter(this);
        m_edit->paintMargin(painter, event->rect());
    }
    void mousePressEvent(QMouseEvent* event) override
    {
        if (const int line = m_edit->lineAt(event->pos().y()); line > 0 && event->button() == Qt::LeftButton)
            m_edit->toggleBreakpoint(line);
    }
    void wheelEvent(QWheelEvent* event) override { QCoreApplication::sendEvent(m_edit->verticalScrollBar(), event); }
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::ToolTip)
            return QWidget::event(event);
        auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), m_edit->marginHelp(m_edit->lineAt(help->pos().y())), this);
        return true;
    }

private:
    ScriptEdit* m_edit;
};

// The mark is after the leading space of a line: text that is inserted before it moves the mark along.
QTextCursor markOf(const QTextBlock& block)
{
    const QString text = block.text();
    qsizetype at = 0;
    while (at < text.size() && text[at].isSpace())
        ++at;
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + int(at));
    return cursor;
}

QString spaceBefore(const QString& line)
{
    const auto end = std::find_if(line.begin(), line.end(), [](QChar c) { return !c.isSpace(); });
    return line.left(end - line.begin());
}

} // namespace

ScriptEdit::ScriptEdit(QWidget* parent)
    : QPlainTextEdit(parent), m_highlighter(new ScriptHighlighter(document())), m_margin(new Margin(this)),
      m_completer(new QCompleter(this)), m_words(new QStringListModel(this))
{
    setObjectName(QStringLiteral("scriptText"));
    setAccessibleName(tr("Text of the scenario"));
    setLineWrapMode(QPlainTextEdit::WidgetWidth);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_completer->setModel(m_words);
    m_completer->setWidget(this);
    m_completer->setCompletionMode(QCompleter::PopupCompletion);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(m_completer, QOverload<const QString&>::of(&QCompleter::activated), this, &ScriptEdit::takeCompletion);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &ScriptEdit::placeMargin);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0)
            m_margin->scroll(0, dy);
        else
            m_margin->update(0, rect.y(), m_margin->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        viewport()->update();
        m_margin->update();
    });
    placeMargin();
}

// ---- the text

void ScriptEdit::setText(const QString& text)
{
    m_breakpoints.clear();
    m_lines.clear();
    m_marks = {};
    m_problem = {};
    setPlainText(text);
    document()->setModified(false);
    emit breakpointsChanged();
}

QString ScriptEdit::text() const
{
    // toPlainText() would turn no-break spaces into plain spaces.
    QString text = document()->toRawText();
    text.replace(QChar::ParagraphSeparator, '\n');
    text.replace(QChar::LineSeparator, '\n');
    return text;
}

void ScriptEdit::setTheme(const Theme& theme)
{
    m_theme = theme;
    setFont(theme.font({ TextSize::Body, false, true }));
    setTabStopDistance(kIndent * QFontMetricsF(font()).horizontalAdvance(' '));
    m_completer->popup()->setFont(font());
    m_highlighter->setTheme(theme);
    placeMargin();
    viewport()->update();
}

void ScriptEdit::goTo(int line)
{
    const QTextBlock block = document()->findBlockByNumber(std::clamp(line, 1, blockCount()) - 1);
    setTextCursor(markOf(block));
    centerCursor();
}

void ScriptEdit::insertLine(const QString& line)
{
    QTextCursor cursor = textCursor();
    cursor.beginEditBlock();
    const QString here = cursor.block().text();
    cursor.movePosition(QTextCursor::EndOfBlock);
    if (here.trimmed().isEmpty())
        cursor.insertText(line);
    else
        cursor.insertText('\n' + spaceBefore(here) + line);
    cursor.endEditBlock();
    setTextCursor(cursor);
    ensureCursorVisible();
}

bool ScriptEdit::findWords(const QString& words, bool isBackward)
{
    if (words.isEmpty())
        return false;
    const QTextDocument::FindFlags flags = isBackward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (find(words, flags))
        return true;
    const QTextCursor before = textCursor();
    moveCursor(isBackward ? QTextCursor::End : QTextCursor::Start);
    if (find(words, flags))
        return true;
    setTextCursor(before);
    return false;
}

// ---- breakpoints, and where a script is

std::set<int> ScriptEdit::breakpoints() const
{
    std::set<int> lines;
    for (const QTextCursor& mark : m_breakpoints)
        lines.insert(mark.blockNumber() + 1);
    return lines;
}

bool ScriptEdit::toggleBreakpoint(int line)
{
    const auto former = m_breakpoints.size();
    std::erase_if(m_breakpoints, [&](const QTextCursor& mark) { return mark.blockNumber() + 1 == line; });
    if (m_breakpoints.size() == former) {
        const std::vector<int> calls = callLinesOf(text());
        const auto call = std::lower_bound(calls.begin(), calls.end(), line);
        if (call == calls.end())
            return false;
        if (!breakpoints().contains(*call))
            m_breakpoints.push_back(markOf(document()->findBlockByNumber(*call - 1)));
    }
    m_margin->update();
    emit breakpointsChanged();
    return true;
}

void ScriptEdit::beginRun()
{
    m_lines.clear();
    m_lines.reserve(std::size_t(blockCount()));
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
        m_lines.push_back(markOf(block));
}

int ScriptEdit::lineNow(int lineOfRun) const
{
    return lineOfRun >= 1 && std::size_t(lineOfRun) <= m_lines.size()
        ? m_lines[std::size_t(lineOfRun) - 1].blockNumber() + 1
        : lineOfRun;
}

int ScriptEdit::lineOfRun(int lineNow) const
{
    if (m_lines.empty())
        return lineNow;
    // If several lines have become one, the last of them: the others are gone.
    const auto after = std::upper_bound(m_lines.begin(), m_lines.end(), lineNow,
        [](int line, const QTextCursor& mark) { return line < mark.blockNumber() + 1; });
    return after != m_lines.begin() && std::prev(after)->blockNumber() + 1 == lineNow ? int(after - m_lines.begin())
                                                                                      : 0;
}

std::set<int> ScriptEdit::breakpointsOfRun() const
{
    std::set<int> lines;
    for (const int line : breakpoints())
        if (const int known = lineOfRun(line); known > 0)
            lines.insert(known);
    return lines;
}

void ScriptEdit::showRun(const RunMarks& marks)
{
    if (marks == m_marks)
        return;
    const int before = currentLine();
    const bool wasHeld = m_marks.isHeld;
    m_marks = marks;
    // The call before which the script waits is scrolled into view. While the script runs on, a person who reads
    // elsewhere is not disturbed.
    if (const int line = currentLine(); marks.isHeld && (line != before || !wasHeld) && line > 0) {
        const QTextBlock block = document()->findBlockByNumber(line - 1);
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() < 0 || place.bottom() > viewport()->height())
            goTo(line);
    }
    viewport()->update();
    m_margin->update();
}

void ScriptEdit::setProblem(const LineNote& problem)
{
    if (problem == m_problem)
        return;
    m_problem = problem;
    viewport()->update();
    m_margin->update();
}

std::map<int, QString> ScriptEdit::notes() const
{
    std::map<int, QString> notes;
    for (const LineNote& fault : m_marks.faults)
        notes[lineNow(fault.line)] = fault.text;
    if (m_problem.line > 0)
        notes[m_problem.line] = m_problem.text;
    return notes;
}

// ---- the margin

int ScriptEdit::marginWidth() const
{
    const int digits = std::max(3, int(QString::number(blockCount()).size()));
    return int(m_theme.px(34) + digits * m_theme.width({ TextSize::Small, false, true }, QStringLiteral("0")));
}

void ScriptEdit::placeMargin()
{
    setViewportMargins(marginWidth(), 0, 0, 0);
    const QRect room = contentsRect();
    m_margin->setGeometry(room.left(), room.top(), marginWidth(), room.height());
}

void ScriptEdit::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    placeMargin();
}

int ScriptEdit::lineAt(int y) const
{
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (y >= place.top() && y < place.bottom())
            return block.blockNumber() + 1;
        if (place.top() > height())
            break;
    }
    return 0;
}

QString ScriptEdit::marginHelp(int line) const
{
    QStringList words;
    const auto all = notes();
    if (const auto note = all.find(line); note != all.end())
        words << note->second;
    if (breakpoints().contains(line))
        words << tr("Breakpoint: a running scenario stops before this line (F9 removes it).");
    if (const auto reached = m_marks.reached.find(lineOfRun(line)); reached != m_marks.reached.end())
        words << tr("First reached after %1 s.").arg(reached->second, 0, 'f', 3);
    if (words.isEmpty())
        words << tr("A click sets a breakpoint here, or on the next line that calls something.");
    return words.join('\n');
}

void ScriptEdit::paintMargin(QPainter& painter, const QRect& rect)
{
    const TextStyle style { TextSize::Small, false, true };
    painter.fillRect(rect, m_theme.cardHeader);
    const std::set<int> stops = breakpoints();
    const auto wrong = notes();
    std::set<int> reached;
    for (const auto& [line, seconds] : m_marks.reached)
        reached.insert(lineNow(line));
    const int now = currentLine(), wide = marginWidth();
    const qreal mark = m_theme.px(14), first = fontMetrics().height();
    painter.setRenderHint(QPainter::Antialiasing);
    const auto glyph = [&](Glyph which, QColor colour, QRectF place) {
        painter.drawImage(place.topLeft(), glyphImage(which, colour, int(place.width())));
    };
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > rect.bottom())
            break;
        const int line = block.blockNumber() + 1;
        const qreal middle = place.top() + first / 2;
        if (stops.contains(line)) {
            painter.setPen(QPen(m_theme.text, m_theme.stroke()));
            painter.setBrush(m_theme.bad);
            painter.drawEllipse(QPointF(m_theme.px(9), middle), m_theme.px(5), m_theme.px(5));
        }
        painter.setFont(m_theme.font({ TextSize::Small, line == cursorLine(), true }));
        painter.setPen(line == cursorLine() ? m_theme.text : m_theme.muted);
        painter.drawText(QRectF(0, place.top(), wide - m_theme.px(17), first), Qt::AlignRight | Qt::AlignVCenter,
            QString::number(line));
        const QRectF at(wide - m_theme.px(15), middle - mark / 2, mark, mark);
        if (line == now) {
            // A full arrow: the script waits before this call. A hollow one: the call is under way.
            QPolygonF arrow { QPointF(at.left() + 1, at.top() + 2), QPointF(at.right() - 1, middle),
                QPointF(at.left() + 1, at.bottom() - 2) };
            painter.setPen(QPen(m_theme.focus, 1.6 * m_theme.stroke()));
            painter.setBrush(m_marks.isHeld ? QBrush(m_theme.focus) : QBrush(Qt::NoBrush));
            painter.drawPolygon(arrow);
        } else if (wrong.contains(line)) {
            glyph(Glyph::Cross, m_theme.badText, at);
        } else if (reached.contains(line)) {
            painter.setPen(m_theme.muted);
            painter.setFont(m_theme.font(style));
            painter.drawText(at, Qt::AlignCenter, QStringLiteral("✓"));
        }
    }
    painter.setPen(m_theme.grid);
    painter.drawLine(QPointF(wide - 0.5, rect.top()), QPointF(wide - 0.5, rect.bottom()));
}

void ScriptEdit::paintEvent(QPaintEvent* event)
{
    const auto wrong = notes();
    const int now = currentLine();
    struct Note {
        QRectF place;
        QString words;
    };
    std::vector<Note> beside;
    {
        QPainter painter(viewport());
        for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
            QRectF place = blockBoundingGeometry(block).translated(contentOffset());
            if (place.top() > event->rect().bottom())
                break;
            place.setWidth(viewport()->width());
            const int line = block.blockNumber() + 1;
            const auto note = wrong.find(line);
            const auto tint = [&](QColor colour, int alpha) {
                colour.setAlpha(alpha);
                painter.fillRect(place, colour);
            };
            if (line == cursorLine())
                tint(m_theme.cardHeader, 150);
            if (note != wrong.end())
                tint(m_theme.bad, 46);
            if (line == now)
                tint(m_theme.selection, m_marks.isHeld ? 90 : 45);
            if (note == wrong.end() || block.layout()->lineCount() == 0)
                continue;
            const QTextLine last = block.layout()->lineAt(block.layout()->lineCount() - 1);
            const qreal from = last.naturalTextRect().right() + m_theme.px(24), top = place.top() + last.y();
            if (viewport()->width() - from >= m_theme.px(kNoteWide))
                beside.push_back(
                    { QRectF(from, top, viewport()->width() - from - m_theme.px(6), last.height()), note->second });
        }
    }
    QPlainTextEdit::paintEvent(event);
    QPainter painter(viewport());
    const TextStyle style { TextSize::Small };
    painter.setFont(m_theme.font(style));
    for (const Note& note : beside) {
        const QString words = m_theme.metrics(style).elidedText(
            QStringLiteral("✗ ") + note.words, Qt::ElideRight, note.place.width());
        painter.setPen(m_theme.badText);
        painter.drawText(note.place, Qt::AlignLeft | Qt::AlignVCenter, words);
    }
}

// ---- keys

ScriptEdit::OwnKey ScriptEdit::ownKey(const QKeyEvent& event) const
{
    const int key = event.key();
    if (event.modifiers() == Qt::ControlModifier) {
        switch (key) {
        case Qt::Key_S: return OwnKey::Save;
        case Qt::Key_N: return OwnKey::New;
        case Qt::Key_F: return OwnKey::Find;
        case Qt::Key_Space: return OwnKey::Complete;
        // While a person types, these keys are not commands to the cluster.
        case Qt::Key_D:
        case Qt::Key_I:
        case Qt::Key_U:
        case Qt::Key_W: return OwnKey::Swallowed;
        default: return OwnKey::None;
        }
    }
    if (event.modifiers() == (Qt::ControlModifier | Qt::ShiftModifier) && key == Qt::Key_S)
        return OwnKey::SaveAs;
    const bool isPage = key == Qt::Key_PageDown || key == Qt::Key_PageUp;
    return isPage && m_hasPaging && (event.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0 ? OwnKey::Page
                                                                                                         : OwnKey::None;
}

bool ScriptEdit::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && ownKey(*static_cast<QKeyEvent*>(event)) != OwnKey::None) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QTextCursor at = cursorForPosition(viewport()->mapFromGlobal(help->globalPos()));
        const auto all = notes();
        const auto note = all.find(at.blockNumber() + 1);
        const QString words = note != all.end() ? note->second : callHelp(at.block().text(), at.positionInBlock());
        if (words.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), words, viewport());
        return true;
    }
    return QPlainTextEdit::event(event);
}

void ScriptEdit::keyPressEvent(QKeyEvent* event)
{
    const bool isChoosing = m_completer->popup()->isVisible();
    if (isChoosing
        && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Tab
            || event->key() == Qt::Key_Escape || event->key() == Qt::Key_Backtab)) {
        event->ignore(); // the completion list handles it
        return;
    }
    switch (ownKey(*event)) {
    case OwnKey::Save: emit saveWanted(); return;
    case OwnKey::SaveAs: emit saveAsWanted(); return;
    case OwnKey::New: emit newWanted(); return;
    case OwnKey::Find: emit findWanted(); return;
    case OwnKey::Complete: complete(true); return;
    case OwnKey::Swallowed: return;
    case OwnKey::Page:
    case OwnKey::None: break;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier))) {
        breakLine();
        return;
    }
    if (event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier && !textCursor().hasSelection()) {
        insertPlainText(QString(kIndent - textCursor().positionInBlock() % kIndent, ' '));
        return;
    }
    if (event->text() == QLatin1String("}")) {
        QTextCursor cursor = textCursor();
        const QString before = cursor.block().text().left(cursor.positionInBlock());
        if (!before.isEmpty() && before.trimmed().isEmpty() && !cursor.hasSelection()) {
            cursor.movePosition(
                QTextCursor::Left, QTextCursor::KeepAnchor, int(std::min(before.size(), qsizetype(kIndent))));
            setTextCursor(cursor);
        }
    }
    QPlainTextEdit::keyPressEvent(event);
    if (!event->text().isEmpty()
        && (event->text()[0].isLetterOrNumber() || event->text()[0] == '.'
            || (isChoosing && event->key() == Qt::Key_Backspace)))
        complete(false);
    else if (isChoosing)
        m_completer->popup()->hide();
}

void ScriptEdit::breakLine()
{
    QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    QString space = spaceBefore(before);
    if (before.trimmed().endsWith('{'))
        space += QString(kIndent, ' ');
    cursor.insertText('\n' + space);
    setTextCursor(cursor);
    ensureCursorVisible();
}

// ---- completion

void ScriptEdit::complete(bool isAsked)
{
    const QTextCursor cursor = textCursor();
    const Completions found = completionsFor(cursor.block().text().left(cursor.positionInBlock()), text());
    if (found.words.isEmpty() || isReadOnly()) {
        m_completer->popup()->hide();
        return;
    }
    m_words->setStringList(found.words);
    m_completer->setCompletionPrefix({});
    QAbstractItemView* popup = m_completer->popup();
    popup->setCurrentIndex(m_completer->completionModel()->index(0, 0));
    if (found.words.size() == 1 && isAsked) {
        takeCompletion(found.words[0]);
        return;
    }
    QRect place = cursorRect();
    place.setWidth(popup->sizeHintForColumn(0) + popup->verticalScrollBar()->sizeHint().width() + int(m_theme.px(12)));
    m_completer->complete(place);
}

void ScriptEdit::takeCompletion(const QString& word)
{
    QTextCursor cursor = textCursor();
    const Completions found = completionsFor(cursor.block().text().left(cursor.positionInBlock()), text());
    cursor.setPosition(cursor.block().position() + int(found.start), QTextCursor::KeepAnchor);
    cursor.insertText(word);
    setTextCursor(cursor);
}

} // namespace lhrs::gui
