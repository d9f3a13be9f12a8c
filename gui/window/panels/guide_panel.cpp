// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/panels/guide_panel.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr qreal kGuideEdge = 5; // pixels at 100 %, at its left side
constexpr qreal kWideGuide = 1600; // likewise; such a panel has larger letters

QString goalWords(const QString& goal, bool isHeld)
{
    return (isHeld ? QStringLiteral("✓  ") : QStringLiteral("○  ")) + goal;
}

} // namespace

GuidePanel::GuidePanel(QWidget* parent) : QWidget(parent), m_text(new QWidget), m_scroll(new QScrollArea(this))
{
    setObjectName(QStringLiteral("guide"));
    setAccessibleName(tr("Guide"));
    m_place = makeLabel(QStringLiteral("guidePlace"));
    m_title = makeLabel(QStringLiteral("guideTitle"));
    m_task = makeLabel(QStringLiteral("guideTask"));
    m_hint = makeLabel(QStringLiteral("guideHint"));
    m_seen = makeLabel(QStringLiteral("guideSeen"));
    m_trouble = makeLabel(QStringLiteral("guideTrouble"));
    m_goalRows = new QVBoxLayout;
    m_goalRows->setSpacing(1);
    auto* rows = new QVBoxLayout(m_text);
    rows->setContentsMargins(0, 0, 8, 0);
    rows->setSpacing(3);
    for (QLabel* part : { m_title, m_task })
        rows->addWidget(part);
    rows->addLayout(m_goalRows);
    for (QLabel* part : { m_hint, m_seen, m_trouble })
        rows->addWidget(part);
    rows->addStretch(1);
    m_scroll->setObjectName(QStringLiteral("guideText"));
    m_scroll->setAccessibleName(tr("What to do, and what was seen"));
    m_scroll->setWidget(m_text);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_text->setAutoFillBackground(false);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->viewport()->installEventFilter(this);

    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    m_place->setParent(this);
    m_place->setWordWrap(false);
    m_place->setMinimumWidth(0);
    m_place->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    column->addWidget(m_place);
    auto* below = new QHBoxLayout;
    below->setSpacing(4);
    constexpr std::array kIds { "guideNextButton", "guideBackButton", "guideHintButton", "guideAgainButton",
        "guideLeaveButton" };
    const std::array kWords { tr("Next"), tr("Back"), tr("Hint"), tr("Begin anew"), tr("Leave") };
    for (int i = 0; i < kButtons; ++i) {
        auto* made = new QPushButton(kWords[std::size_t(i)], this);
        made->setObjectName(QLatin1String(kIds[std::size_t(i)]));
        m_buttons[std::size_t(i)] = made;
        connect(made, &QPushButton::clicked, this, [this, i] {
            if (i == Hint) {
                m_isHintShown = !m_isHintShown;
                m_least = m_isHintShown ? m_least : 0; // the picture gets the room of the hint back
                refreshWords();
            }
            emit(this
                     ->*std::array { &GuidePanel::nextWanted, &GuidePanel::backWanted, &GuidePanel::hintWanted,
                         &GuidePanel::againWanted, &GuidePanel::leaveWanted }[std::size_t(i)])();
        });
    }
    auto* first = new QHBoxLayout;
    first->setSpacing(4);
    for (const Button which : { Hint, Back, Next })
        first->addWidget(m_buttons[which]);
    for (const Button which : { Again, Leave })
        below->addWidget(m_buttons[which]);
    column->addLayout(first);
    column->addLayout(below);
    column->addStretch(1);
    auto* box = new QHBoxLayout(this);
    box->setContentsMargins(14, 6, 10, 6);
    box->setSpacing(14);
    box->addWidget(m_scroll, 1);
    box->addLayout(column);
    hide();
}

QLabel* GuidePanel::makeLabel(const QString& name)
{
    auto* made = new QLabel(m_text);
    made->setObjectName(name);
    made->setTextFormat(Qt::PlainText);
    made->setWordWrap(true);
    made->setMinimumWidth(1); // a long word must not make the window wider
    made->hide();
    return made;
}

void GuidePanel::dress(QLabel* label, TextSize size, const QColor& colour)
{
    label->setFont(m_theme.font({ size }));
    QPalette palette = m_theme.palette();
    palette.setColor(QPalette::WindowText, colour);
    label->setPalette(palette);
}

void GuidePanel::show(const GuideWords& words)
{
    const bool wasShown = isVisibleTo(parentWidget());
    if (words == m_words && wasShown)
        return;
    const GuideWords before = wasShown ? m_words : GuideWords();
    m_words = words;
    if (words.place != before.place || words.title != before.title) {
        m_isHintShown = false;
        m_least = 0;
        m_scroll->verticalScrollBar()->setValue(0);
    }
    show();
    refreshWords();
    if (!wasShown)
        emit shownOrHidden();
    // Announces only the most important new sentence: screen readers read one after the other.
    if (!words.trouble.isEmpty() && words.trouble != before.trouble)
        announce(m_trouble);
    else if (!words.seen.isEmpty() && words.seen != before.seen)
        announce(m_seen);
    else if (words.title != before.title || words.task != before.task)
        announce(m_task);
    else if (words.held != before.held)
        for (std::size_t i = 0; i < words.held.size() && i < m_goals.size(); ++i)
            if (words.held[i] && (i >= before.held.size() || !before.held[i]))
                announce(m_goals[i]);
}

void GuidePanel::announce(QLabel* label)
{
    const QString text = label == m_task ? QStringLiteral("%1. %2. %3").arg(m_words.place, m_words.title, m_words.task)
                                         : label->text();
    label->setAccessibleName(text);
    for (const QAccessible::Event kind : { QAccessible::NameChanged, QAccessible::Alert }) {
        QAccessibleEvent event(label, kind);
        QAccessible::updateAccessibility(&event);
    }
    emit announced(text);
}

void GuidePanel::refreshWords()
{
    const auto set = [](QLabel* label, const QString& text) {
        if (label->text() != text) {
            label->setText(text);
            label->setAccessibleName(text);
        }
        label->setVisible(!text.isEmpty());
    };
    set(m_place, m_words.place);
    set(m_title, m_words.title);
    // The result replaces the task, so that the strip does not grow and the picture keeps its size. In little room,
    // only the next goal is shown, and the hint begins with the task.
    const bool hasAnswer = !m_words.seen.isEmpty() || !m_words.trouble.isEmpty();
    const bool isLow = m_most > 0, hasGoals = !m_words.goals.isEmpty();
    set(m_task, hasGoals && (hasAnswer || isLow) ? QString() : m_words.task);
    while (qsizetype(m_goals.size()) < m_words.goals.size()) {
        m_goals.push_back(makeLabel(QStringLiteral("guideGoal%1").arg(m_goals.size() + 1)));
        m_goalRows->addWidget(m_goals.back());
        dress(m_goals.back(), m_isWide ? TextSize::Strong : TextSize::Body, m_theme.text);
    }
    const auto isHeld = [this](std::size_t i) { return i < m_words.held.size() && m_words.held[i]; };
    bool isNextShown = false;
    for (std::size_t i = 0; i < m_goals.size(); ++i) {
        bool isThere = qsizetype(i) < m_words.goals.size();
        if (isLow)
            isThere = isThere && !hasAnswer && !isHeld(i) && !std::exchange(isNextShown, true);
        set(m_goals[i], isThere ? goalWords(m_words.goals[qsizetype(i)], isHeld(i)) : QString());
    }
    const bool hasHint = m_isHintShown && m_words.hasHint && !m_words.hint.isEmpty();
    const QString hint = isLow && hasGoals ? QStringLiteral("%1 %2").arg(m_words.task, m_words.hint) : m_words.hint;
    set(m_hint, hasHint ? tr("Hint: %1").arg(hint) : QString());
    set(m_seen, m_words.seen.isEmpty() ? QString() : QStringLiteral("✓  ") + m_words.seen);
    set(m_trouble, m_words.trouble.isEmpty() ? QString() : QStringLiteral("✗  ") + m_words.trouble);
    refreshButtons();
    fit();
}

void GuidePanel::refreshButtons()
{
    const QString next = !m_words.nextWords.isEmpty() ? m_words.nextWords
        : m_words.isDone                              ? tr("Next   PgDn")
                                                      : tr("Skip");
    m_buttons[Next]->setText(next);
    const QString hint = m_isHintShown ? tr("Hide hint") : tr("Hint");
    m_buttons[Hint]->setText(m_words.hintWords.isEmpty() ? hint : m_words.hintWords);
    const std::array<bool, kButtons> can { m_words.mayGoOn, m_words.mayGoBack, m_words.hasHint, true, true };
    for (int i = 0; i < kButtons; ++i)
        m_buttons[std::size_t(i)]->setEnabled(can[std::size_t(i)]);
    const std::array sentences { tr("Goes on"), tr("Goes back to the one before"), tr("Shows a hint, or hides it"),
        tr("Begins this one anew"), tr("Leaves; it is found again where it was left") };
    for (int i = 0; i < kButtons; ++i) {
        QPushButton* made = m_buttons[std::size_t(i)];
        const QString key = m_keys[std::size_t(i)];
        made->setToolTip(key.isEmpty() ? sentences[std::size_t(i)]
                                       : QStringLiteral("%1 "
                                                        "(%2)")
                                             .arg(sentences[std::size_t(i)], key));
        made->setAccessibleName(made->text());
    }
    emit buttonsChanged();
}

QString GuidePanel::text() const
{
    QStringList lines;
    std::vector<const QLabel*> parts { m_place, m_title, m_task };
    parts.insert(parts.end(), m_goals.begin(), m_goals.end());
    parts.insert(parts.end(), { m_hint, m_seen, m_trouble });
    for (const QLabel* part : parts)
        if (!part->isHidden())
            lines << part->text();
    return lines.join(QLatin1Char('\n'));
}

void GuidePanel::setKey(Button which, const QString& key)
{
    m_keys[which] = key;
    refreshButtons();
}

bool GuidePanel::canPress(Button which) const { return isVisibleTo(parentWidget()) && m_buttons[which]->isEnabled(); }

void GuidePanel::press(Button which)
{
    if (canPress(which))
        m_buttons[which]->click();
}

void GuidePanel::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_least = 0;
    dress(m_place, TextSize::Small, theme.muted);
    dress(m_title, TextSize::Title, theme.text);
    dressWords();
    fit();
}

// In a wide window the text is read from a larger distance.
void GuidePanel::dressWords()
{
    const TextSize size = m_isWide ? TextSize::Strong : TextSize::Body;
    std::vector<QLabel*> labels { m_task, m_hint, m_seen };
    labels.insert(labels.end(), m_goals.begin(), m_goals.end());
    for (QLabel* label : labels)
        dress(label, size, m_theme.text);
    dress(m_trouble, size, m_theme.bad);
}

void GuidePanel::setLow(int most)
{
    if (most == m_most)
        return;
    m_most = most;
    m_least = 0;
    refreshWords();
}

// A frame of its own distinguishes it from the caption below.
void GuidePanel::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.card);
    painter.fillRect(QRect(0, 0, int(m_theme.px(kGuideEdge)), height()), m_theme.selection);
}

void GuidePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) {
        m_least = 0;
        if (const bool isWide = width() >= m_theme.px(kWideGuide); isWide != m_isWide) {
            m_isWide = isWide;
            dressWords();
        }
        fit();
    }
}

void GuidePanel::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    emit buttonsChanged(); // their keys no longer do anything
    if (isHidden())
        emit shownOrHidden();
}

// The viewport gets its width later than the panel, and a new one when a button beside it gets longer words.
bool GuidePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_scroll->viewport() && event->type() == QEvent::Resize)
        fit();
    return QWidget::eventFilter(watched, event);
}

void GuidePanel::fit()
{
    if (m_text->layout() == nullptr || isHidden())
        return;
    m_text->layout()->invalidate();
    m_text->layout()->activate();
    const QMargins around = layout()->contentsMargins();
    const int wide = std::max(1, m_scroll->viewport()->width());
    int high = m_text->heightForWidth(wide);
    const int sides = layout()->itemAt(1)->sizeHint().height();
    high = std::max({ high, sides, m_least });
    m_least = high;
    if (m_most > 0)
        high = std::min(high, std::max(m_most - around.top() - around.bottom(), sides));
    const bool isScrolled = m_text->heightForWidth(wide) > high;
    m_scroll->setFocusPolicy(isScrolled ? Qt::StrongFocus : Qt::NoFocus);
    m_scroll->setVerticalScrollBarPolicy(isScrolled ? Qt::ScrollBarAlwaysOn : Qt::ScrollBarAlwaysOff);
    const int whole = high + around.top() + around.bottom();
    if (whole != height() || minimumHeight() != whole)
        setFixedHeight(whole);
}

} // namespace lhrs::gui
