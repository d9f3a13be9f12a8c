// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include <vector>

class QHBoxLayout;
class QPushButton;

namespace lhrs::gui {

// The choices of a question, each a button with its number, its words and its votes. If they do not fit side by side,
// the buttons have only their numbers, and the words can be read in the question.
class ChoiceRow : public QWidget {
    Q_OBJECT
public:
    explicit ChoiceRow(QWidget* parent = nullptr);

    // Shows the choices with the number of votes for each; no choices: hides the row.
    void ask(const QStringList& choices, const std::vector<int>& votes);
    // Whether the buttons have room for the words.
    bool hasWords() const { return m_hasWords; }
    // To be called when the font size of the buttons has changed.
    void refit();
    // The row does not force the width of its words on the window.
    QSize minimumSizeHint() const override;

signals:
    // The number of the choice, from 1.
    void voted(int choice);
    // The words moved to the buttons, or away from them.
    void wordsMoved();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void write(bool isLong);
    int wide() const;

    QStringList m_choices;
    std::vector<int> m_votes;
    QHBoxLayout* m_row;
    std::vector<QPushButton*> m_buttons; // may be more than the choices; the rest are hidden
    bool m_hasWords = true;
};

} // namespace lhrs::gui
