// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/choice_row.h"

#include "gui/show/words/quantity_words.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace lhrs::gui {

namespace {

constexpr qsizetype kKeys = 9; // choices that a digit key votes for

} // namespace

ChoiceRow::ChoiceRow(QWidget* parent) : QWidget(parent), m_row(new QHBoxLayout(this))
{
    setObjectName(QStringLiteral("choices"));
    setAccessibleName(tr("Choices"));
    m_row->setContentsMargins(0, 2, 0, 0);
    m_row->setSpacing(8);
    m_row->addStretch(1);
    hide();
}

void ChoiceRow::ask(const QStringList& choices, const std::vector<int>& votes)
{
    if (choices == m_choices && votes == m_votes)
        return;
    m_choices = choices;
    m_votes = votes;
    while (qsizetype(m_buttons.size()) < choices.size()) {
        const int choice = int(m_buttons.size()) + 1;
        auto* made = new QPushButton(this);
        made->setObjectName(QStringLiteral("choice%1").arg(choice));
        made->setFocusPolicy(Qt::TabFocus); // a click leaves the keyboard with the picture
        connect(made, &QPushButton::clicked, this, [this, choice] { emit voted(choice); });
        m_row->insertWidget(choice - 1, made);
        m_buttons.push_back(made);
    }
    for (qsizetype i = 0; i < qsizetype(m_buttons.size()); ++i) {
        QPushButton* button = m_buttons[std::size_t(i)];
        button->setVisible(i < choices.size());
        if (i >= choices.size())
            continue;
        button->setAccessibleName(tr("Vote for %1: %2").arg(i + 1).arg(choices[i]));
        button->setToolTip(i < kKeys ? tr("Votes for “%1” (key %2)").arg(choices[i]).arg(i + 1)
                                     : tr("Votes for “%1”").arg(choices[i]));
    }
    setVisible(!choices.isEmpty());
    refit();
}

void ChoiceRow::write(bool isLong)
{
    for (qsizetype i = 0; i < m_choices.size(); ++i) {
        const int votes = i < qsizetype(m_votes.size()) ? m_votes[std::size_t(i)] : 0;
        const QString counted = countedWords(std::uint64_t(votes), "vote", "votes");
        QString text = isLong ? QStringLiteral("%1: %2").arg(i + 1).arg(m_choices[i]) : QString::number(i + 1);
        if (votes > 0)
            text += QStringLiteral(" (%1)").arg(counted);
        m_buttons[std::size_t(i)]->setText(text.replace(QLatin1Char('&'), QLatin1String("&&")));
        m_buttons[std::size_t(i)]->setAccessibleDescription(counted);
    }
}

int ChoiceRow::wide() const
{
    int all = 0;
    for (qsizetype i = 0; i < m_choices.size(); ++i)
        all += m_buttons[std::size_t(i)]->sizeHint().width() + m_row->spacing();
    return all;
}

void ChoiceRow::refit()
{
    write(true);
    const bool hasWords = wide() <= width();
    if (!hasWords)
        write(false);
    if (hasWords != m_hasWords) {
        m_hasWords = hasWords;
        emit wordsMoved();
    }
}

QSize ChoiceRow::minimumSizeHint() const { return { 1, QWidget::minimumSizeHint().height() }; }

void ChoiceRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    refit();
}

} // namespace lhrs::gui
