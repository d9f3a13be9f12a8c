// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/find_bar.h"

#include "gui/view/paint/flow_layout.h"
#include "gui/view/editor/script_edit.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace lhrs::gui {

FindBar::FindBar(ScriptEdit& edit, QWidget* parent)
    : QWidget(parent), m_edit(edit), m_words(new QLineEdit(this)), m_others(new QLineEdit(this)),
      m_found(new QLabel(this))
{
    setObjectName(QStringLiteral("findBar"));
    auto* flow = new FlowLayout(this, 4);
    flow->setContentsMargins(6, 2, 6, 2);
    m_words->setObjectName(QStringLiteral("findWords"));
    m_words->setPlaceholderText(tr("find"));
    m_words->setAccessibleName(tr("Words to find in the text"));
    m_others->setObjectName(QStringLiteral("replaceWords"));
    m_others->setPlaceholderText(tr("replace by"));
    m_others->setAccessibleName(tr("Words to put in their place"));
    const auto button = [this](const char* id, const QString& words, const QString& help, auto act) {
        auto* made = new QPushButton(words, this);
        made->setObjectName(QLatin1String(id));
        made->setToolTip(help);
        made->setAutoDefault(false);
        connect(made, &QPushButton::clicked, this, act);
        return made;
    };
    flow->addWidget(m_words);
    flow->addWidget(
        button("findNext", tr("Next"), tr("The next place with these words (Enter)"), [this] { find(false); }));
    flow->addWidget(button("findLast", tr("Last"), tr("The place before (Shift+Enter)"), [this] { find(true); }));
    flow->addWidget(m_others);
    flow->addWidget(button(
        "replaceOne", tr("Replace"), tr("Replaces what was found and finds the next place"), [this] { replace(); }));
    flow->addWidget(
        button("replaceAll", tr("All"), tr("Replaces the words everywhere in the text"), [this] { replaceAll(); }));
    flow->addWidget(button("closeFind", tr("Close"), tr("Closes this row (Esc)"), [this] { close(); }));
    flow->addWidget(m_found);
    for (QLineEdit* line : { m_words, m_others })
        line->installEventFilter(this);
    connect(m_words, &QLineEdit::textChanged, m_found, &QLabel::clear);
    hide();
}

void FindBar::open()
{
    if (const QString selected = m_edit.textCursor().selectedText();
        !selected.isEmpty() && !selected.contains(QChar::ParagraphSeparator))
        m_words->setText(selected);
    show();
    m_words->setFocus();
    m_words->selectAll();
}

void FindBar::close()
{
    hide();
    m_edit.setFocus();
}

void FindBar::find(bool isBackward)
{
    const bool isFound = m_edit.findWords(m_words->text(), isBackward);
    m_found->setText(isFound || m_words->text().isEmpty() ? QString() : tr("not in the text"));
}

void FindBar::replace()
{
    QTextCursor cursor = m_edit.textCursor();
    if (cursor.hasSelection() && cursor.selectedText().compare(m_words->text(), Qt::CaseInsensitive) == 0)
        cursor.insertText(m_others->text());
    find(false);
}

void FindBar::replaceAll()
{
    if (m_words->text().isEmpty())
        return;
    int count = 0;
    QTextCursor edit(m_edit.document());
    edit.beginEditBlock(); // one step of undo
    for (QTextCursor at = m_edit.document()->find(m_words->text()); !at.isNull();
         at = m_edit.document()->find(m_words->text(), at)) {
        at.insertText(m_others->text());
        ++count;
    }
    edit.endEditBlock();
    m_found->setText(count == 1 ? tr("replaced once") : tr("replaced %1 times").arg(count));
}

// Esc closes the bar; elsewhere it would end a presentation.
bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (!isEnter && key->key() != Qt::Key_Escape)
        return QWidget::eventFilter(watched, event);
    event->accept();
    if (event->type() == QEvent::KeyPress) {
        if (isEnter)
            find(key->modifiers() & Qt::ShiftModifier);
        else
            close();
    }
    return true;
}

void FindBar::setTheme(const Theme& theme)
{
    m_found->setFont(theme.font({ TextSize::Small }));
    for (QLineEdit* line : { m_words, m_others })
        line->setFixedWidth(int(theme.px(130)));
}

} // namespace lhrs::gui
