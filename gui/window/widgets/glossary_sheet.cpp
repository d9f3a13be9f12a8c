// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/glossary_sheet.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr double kExampleEvery = 0.5; // seconds: numbers that change faster cannot be read
constexpr int kLinesHigh = 25, kLettersWide = 115; // of the sheet, if the window has room for it

} // namespace

GlossarySheet::GlossarySheet(Example example, QWidget* parent)
    : QDialog(parent), m_example(std::move(example)), m_words(new QLineEdit(this)), m_list(new QListWidget(this)),
      m_entry(new QTextBrowser(this)), m_related(new QLabel(this))
{
    setObjectName(QStringLiteral("glossarySheet"));
    setWindowTitle(tr("Glossary"));
    m_words->setObjectName(QStringLiteral("glossaryWords"));
    m_words->setAccessibleName(tr("Words of a term or of its meaning"));
    m_words->setPlaceholderText(tr("find a term"));
    m_words->setClearButtonEnabled(true);
    m_words->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("glossaryTerms"));
    m_list->setAccessibleName(tr("Terms found"));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_entry->setObjectName(QStringLiteral("glossaryEntry"));
    m_entry->setAccessibleName(tr("Meaning, example and source"));
    m_entry->setOpenLinks(false);
    m_related->setObjectName(QStringLiteral("glossaryRelated"));
    m_related->setAccessibleName(tr("Related terms"));
    m_related->setWordWrap(true);
    m_related->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false); // Enter is used by the search

    auto* left = new QVBoxLayout;
    left->addWidget(m_words);
    left->addWidget(m_list, 1);
    auto* right = new QVBoxLayout;
    right->addWidget(m_entry, 1);
    right->addWidget(m_related);
    auto* both = new QHBoxLayout;
    both->addLayout(left);
    both->addLayout(right, 1);
    auto* box = new QVBoxLayout(this);
    box->addLayout(both, 1);
    box->addWidget(buttons);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_words, &QLineEdit::textChanged, this, &GlossarySheet::search);
    connect(m_words, &QLineEdit::returnPressed, m_entry, [this] { m_entry->setFocus(Qt::OtherFocusReason); });
    connect(m_list, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && row < int(m_found.size()))
            show(m_found[std::size_t(row)]);
    });
    connect(m_related, &QLabel::linkActivated, this, [this](const QString& id) { openAt(termOf(id.toStdString())); });
    search({});
    resizeList();
}

void GlossarySheet::openAt(const Term* term)
{
    if (!isVisible()) {
        const QSize wanted(fontMetrics().averageCharWidth() * kLettersWide, fontMetrics().lineSpacing() * kLinesHigh);
        resize(parentWidget() ? wanted.boundedTo(parentWidget()->size() * 0.9) : wanted);
    }
    if (!m_words->text().isEmpty())
        m_words->clear(); // the term may not be among the matches
    if (term) {
        const auto at = std::find(m_found.begin(), m_found.end(), term);
        m_list->setCurrentRow(int(at - m_found.begin()));
        show(term); // also for the current term: its example is a new one now
    }
    QDialog::show();
    raise();
    activateWindow();
    (term ? static_cast<QWidget*>(m_entry) : m_words)->setFocus(Qt::OtherFocusReason);
}

void GlossarySheet::search(const QString& words)
{
    const Term* before = m_shown;
    m_found = findTerms(words);
    {
        const QSignalBlocker quiet(m_list); // one signal, not one for each row
        m_list->clear();
        for (const Term* term : m_found)
            m_list->addItem(term->name);
    }
    const auto at = std::find(m_found.begin(), m_found.end(), before);
    const bool isKept = words.isEmpty() && at != m_found.end();
    m_list->setCurrentRow(m_found.empty() ? -1 : isKept ? int(at - m_found.begin()) : 0);
    if (m_found.empty())
        show(nullptr);
}

void GlossarySheet::show(const Term* term)
{
    m_shown = term;
    write();
    m_entry->verticalScrollBar()->setValue(0);
    QStringList links;
    for (const char* const id : term ? term->related : std::vector<const char*>()) {
        if (const Term* other = termOf(id))
            links << QStringLiteral("<a href=\"%1\">%2</a>").arg(QLatin1String(other->id), other->name.toHtmlEscaped());
    }
    m_related->setText(links.isEmpty() ? QString() : tr("See also: %1").arg(links.join(QStringLiteral(", "))));
}

void GlossarySheet::write()
{
    m_writtenAt = m_time;
    m_written = m_shown ? m_example(*m_shown) : QString();
    if (!m_shown) {
        m_entry->setHtml(tr("<p>No term has these words.</p>"));
        return;
    }
    const int scrolled = m_entry->verticalScrollBar()->value();
    const auto part = [](const QString& title, const QString& words) {
        return words.isEmpty() ? QString() : QStringLiteral("<p><b>%1</b><br>%2</p>").arg(title, words.toHtmlEscaped());
    };
    m_entry->setHtml(QStringLiteral("<h2>%1</h2><p style=\"font-size:large\">%2</p>")
                         .arg(m_shown->name.toHtmlEscaped(), m_shown->meaning.toHtmlEscaped())
        + part(tr("In the picture"), m_written.isEmpty() ? tr("Nothing that is shown now is an example.") : m_written)
        + part(tr("Source"), m_shown->source));
    m_entry->verticalScrollBar()->setValue(scrolled);
}

bool GlossarySheet::refresh(double seconds)
{
    m_time += seconds;
    if (m_shown && m_time - m_writtenAt >= kExampleEvery) {
        if (m_example(*m_shown) == m_written)
            m_writtenAt = m_time;
        else
            write();
    }
    return false;
}

// Makes the list as wide as its longest name.
void GlossarySheet::resizeList()
{
    int wide = 0;
    for (const Term& term : glossary())
        wide = std::max(wide, m_list->fontMetrics().horizontalAdvance(term.name));
    const int wanted = wide + m_list->verticalScrollBar()->sizeHint().width() + 2 * m_list->frameWidth()
        + 2 * m_list->fontMetrics().averageCharWidth();
    m_list->setFixedWidth(wanted);
    m_words->setFixedWidth(wanted);
}

// The size of the text or the colour of links has changed.
void GlossarySheet::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        resizeList();
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        show(m_shown);
}

// Letters without another use go to the search field.
void GlossarySheet::keyPressEvent(QKeyEvent* event)
{
    const bool isWord = !event->text().isEmpty() && event->text().front().isPrint()
        && !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    if (!isWord || m_words->hasFocus()) {
        QDialog::keyPressEvent(event);
        return;
    }
    m_words->setFocus(Qt::OtherFocusReason);
    m_words->insert(event->text());
}

// The up and down keys move in the list while the person types.
bool GlossarySheet::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_words && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            m_list->setCurrentRow(
                std::clamp(m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1), 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace lhrs::gui
