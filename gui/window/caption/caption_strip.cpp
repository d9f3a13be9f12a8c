// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/caption/caption_strip.h"

#include "gui/view/paint/display_list.h"
#include "gui/window/widgets/choice_row.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QIcon>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr qreal kHistoryFrom = 900; // pixels at 100 %: a strip this wide has room for earlier captions too
constexpr qreal kHistoryWide = 290;
constexpr qreal kClearlySmaller = 0.8;

} // namespace

CaptionStrip::CaptionStrip(StoryModel& story, QWidget* parent)
    : QWidget(parent), m_hallStory(new HallStory(this)), m_step(new QLabel(this)), m_badge(new QLabel(this)),
      m_progress(new QLabel(this)), m_caption(new CaptionLabel(this)), m_choices(new ChoiceRow(this)),
      m_history(new QListView(this)), m_next(new QPushButton(tr("Next step"), this)),
      m_run(new QPushButton(tr("Run"), this)), m_stop(new QPushButton(tr("Stop"), this))
{
    setObjectName(QStringLiteral("player"));
    m_caption->setObjectName(QStringLiteral("caption"));
    m_hallStory->setSourceModel(&story);
    makeHistory();
    m_step->setObjectName(QStringLiteral("step"));
    m_badge->setObjectName(QStringLiteral("repeatedBadge"));
    m_badge->setMargin(3);
    m_badge->setAutoFillBackground(true);
    m_badge->hide();
    m_progress->setObjectName(QStringLiteral("progress"));
    m_progress->setToolTip(
        tr("The steps, the expectations that held, and how long the scenario has run, by the wall clock"));
    m_next->setObjectName(QStringLiteral("nextStepButton"));
    m_run->setObjectName(QStringLiteral("runScenarioButton"));
    m_stop->setObjectName(QStringLiteral("stopScenarioButton"));
    m_run->setToolTip(tr("Runs the scenario to its end (Ctrl+R)"));
    m_stop->setToolTip(tr("Stops the scenario (Ctrl+.)"));
    m_step->installEventFilter(this);
    m_step->setMinimumWidth(1); // a long title must not make the window wider
    m_progress->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layOut();
    connect(
        m_hallStory, &QAbstractItemModel::rowsInserted, m_history, &QListView::scrollToBottom, Qt::QueuedConnection);
    connect(m_hallStory, &QAbstractItemModel::rowsInserted, this, &CaptionStrip::arrange);
    connect(m_hallStory, &QAbstractItemModel::modelReset, this, &CaptionStrip::arrange);
    connect(m_next, &QPushButton::clicked, this, &CaptionStrip::nextWanted);
    connect(m_run, &QPushButton::clicked, this, &CaptionStrip::runWanted);
    connect(m_stop, &QPushButton::clicked, this, &CaptionStrip::stopWanted);
    connect(m_choices, &ChoiceRow::voted, this, &CaptionStrip::voted);
    connect(m_choices, &ChoiceRow::wordsMoved, this, &CaptionStrip::showWords);
}

void CaptionStrip::makeHistory()
{
    m_history->setObjectName(QStringLiteral("captionHistory"));
    m_history->setAccessibleName(tr("Captions so far"));
    m_history->setModel(m_hallStory);
    m_history->setWordWrap(true);
    m_history->setTextElideMode(Qt::ElideNone);
    m_history->setSelectionMode(QAbstractItemView::NoSelection);
    m_history->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_history->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_history->setResizeMode(QListView::Adjust);
    m_history->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_history->hide();
}

void CaptionStrip::layOut()
{
    auto* head = new QHBoxLayout;
    head->setSpacing(18); // keeps an ellipsis apart from the next text
    head->addWidget(m_badge);
    head->addWidget(m_step, 1);
    head->addWidget(m_progress);
    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->addLayout(head);
    left->addWidget(m_caption, 1);
    left->addWidget(m_choices);
    auto* buttons = new QVBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(m_next, 1);
    auto* small = new QHBoxLayout;
    small->addWidget(m_run);
    small->addWidget(m_stop);
    buttons->addLayout(small);
    auto* box = new QHBoxLayout(this);
    box->setContentsMargins(14, 6, 10, 8);
    box->setSpacing(14);
    box->addLayout(left, 1);
    box->addWidget(m_history);
    box->addLayout(buttons);
}

// ---- words

void CaptionStrip::setStory(StoryModel& story)
{
    if (m_hallStory->sourceModel() != &story)
        m_hallStory->setSourceModel(&story);
}

void CaptionStrip::setWords(const StripWords& words, const QString& question)
{
    m_words = words;
    m_question = question;
    showWords();
}

void CaptionStrip::showWords()
{
    fitStep();
    const bool isOnButtons = !m_choices->isHidden() && m_choices->hasWords();
    m_caption->setText(m_words.caption, isOnButtons ? m_question : QString());
    m_progress->setText(m_notice.isEmpty() ? m_words.progress : m_notice);
}

void CaptionStrip::ask(const QStringList& choices, const std::vector<int>& votes)
{
    const bool wasShown = !m_choices->isHidden();
    m_choices->ask(choices, votes);
    if (wasShown == choices.isEmpty()) {
        arrange();
        fitHeight();
        showWords();
    }
}

void CaptionStrip::setBadge(const QString& words)
{
    if (words == m_badge->text())
        return;
    m_badge->setText(words);
    m_badge->setVisible(!words.isEmpty());
}

void CaptionStrip::setNotice(const QString& words)
{
    if (words == m_notice)
        return;
    m_notice = words;
    showNotice();
    if (words.isEmpty())
        return;
    QAccessibleEvent event(m_progress, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void CaptionStrip::showNotice()
{
    m_progress->setFont(m_theme.font({ TextSize::Small, !m_notice.isEmpty() }));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, m_notice.isEmpty() ? m_theme.text : m_theme.badText);
    m_progress->setPalette(colours);
    showWords();
}

// A step title that does not fit beside the step count ends with an ellipsis; the tooltip has all of it.
void CaptionStrip::fitStep()
{
    const QString& all = m_words.step;
    const QString shown = m_step->fontMetrics().elidedText(all, Qt::ElideRight, m_step->width());
    if (shown != m_step->text())
        m_step->setText(shown);
    if (const QString tip = shown == all ? QString() : all; tip != m_step->toolTip())
        m_step->setToolTip(tip);
}

// ---- buttons

void CaptionStrip::setButtons(const StripButtons& buttons)
{
    if (buttons == m_buttons)
        return;
    m_buttons = buttons;
    showButtons();
}

void CaptionStrip::showButtons()
{
    m_next->setEnabled(m_buttons.mayNext);
    m_run->setEnabled(m_buttons.mayRun);
    m_stop->setEnabled(m_buttons.mayStop);
    m_next->setText(m_buttons.hasKey ? tr("%1   PgDn").arg(m_buttons.next) : m_buttons.next);
    m_next->setToolTip(m_buttons.hasKey ? tr("%1 (PgDn, or the clicker)").arg(m_buttons.sentence) : m_buttons.sentence);
}

void CaptionStrip::setButtonsShown(bool on)
{
    for (QPushButton* button : { m_next, m_run, m_stop })
        button->setVisible(on);
    fitHeight();
}

// ---- looks

void CaptionStrip::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_caption->setTheme(captionTheme());
    m_step->setFont(theme.font({ TextSize::Strong, true }));
    m_next->setFont(theme.font({ TextSize::Strong, true }));
    m_badge->setFont(theme.font({ TextSize::Strong, true }));
    QPalette badge = palette();
    badge.setColor(QPalette::Window, theme.caution);
    badge.setColor(QPalette::WindowText, inkOn(theme.caution));
    m_badge->setPalette(badge);
    const int pixels = int(theme.px(14));
    const auto icon = [&](Glyph glyph) {
        QIcon made(QPixmap::fromImage(glyphImage(glyph, theme.text, pixels)));
        QColor pale = theme.text;
        pale.setAlpha(110);
        made.addPixmap(QPixmap::fromImage(glyphImage(glyph, pale, pixels)), QIcon::Disabled);
        return made;
    };
    m_next->setIcon(icon(Glyph::Next));
    m_run->setIcon(icon(Glyph::Play));
    m_stop->setIcon(icon(Glyph::Stop));
    // As wide as its longest text, so that it does not move.
    m_next->setText(tr("Next caption   PgDn"));
    m_next->setMinimumWidth(0);
    m_next->setMinimumWidth(std::max(int(theme.px(170)), m_next->sizeHint().width()));
    showButtons();
    showNotice();
    arrange();
    m_choices->refit();
    fitHeight();
}

// The picture grows and shrinks a little with the strip below it, so the caption shrinks only when the picture is
// clearly smaller.
void CaptionStrip::setPictureScale(qreal scale)
{
    if (scale <= m_pictureScale && scale > m_pictureScale * kClearlySmaller)
        return;
    m_pictureScale = scale;
    setTheme(Theme(m_theme));
}

Theme CaptionStrip::captionTheme() const
{
    return Theme(
        m_theme.kind(), std::max(m_theme.fontScale(), m_pictureScale), m_theme.isHighContrast(), m_theme.stroke());
}

void CaptionStrip::setLow(int most)
{
    m_most = most;
    fitHeight();
}

// Two lines of the largest caption beside the title of the step; a lower strip has a smaller caption.
void CaptionStrip::fitHeight()
{
    const Theme caption = captionTheme();
    const qreal letters = std::max(
        std::min(caption.lineHeight({ TextSize::Caption }), m_theme.lineHeight({ TextSize::Caption })),
        caption.lineHeight({ TextSize::Title }));
    const int usual = int(2 * letters + m_theme.lineHeight({ TextSize::Strong }) + m_theme.px(18));
    // The buttons are above each other; without them there is one line of words.
    const int least = m_next->isHidden()
        ? int(m_theme.lineHeight({ TextSize::Strong }) + caption.lineHeight({ TextSize::Body }) * 2) + 14
        : m_next->minimumSizeHint().height() + m_run->minimumSizeHint().height() + 18;
    const int choices = m_choices->isHidden() ? 0 : m_choices->sizeHint().height(); // the question stays above them
    setFixedHeight(m_most > 0 ? std::min(usual, std::max(least + choices, m_most)) : usual);
}

// Earlier captions are beside the present one if there is room for both.
void CaptionStrip::arrange()
{
    // A question and its choices use the whole width.
    const bool hasRoom = width() >= m_theme.px(kHistoryFrom) && m_hallStory->rowCount() > 1 && m_choices->isHidden();
    m_history->setFixedWidth(int(m_theme.px(kHistoryWide)));
    m_history->setVisible(hasRoom);
    m_history->scrollToBottom();
}

void CaptionStrip::resizeEvent(QResizeEvent*) { arrange(); }

bool CaptionStrip::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_step && event->type() == QEvent::Resize)
        fitStep();
    return QWidget::eventFilter(watched, event);
}

} // namespace lhrs::gui
