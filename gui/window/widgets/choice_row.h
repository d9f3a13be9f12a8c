// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

#include <vector>

class QHBoxLayout;
class QPushButton;

namespace lhrs::gui {

// The choices of a question, each a button with its number, its words and its votes. Where they have no room beside
// each other the buttons have their numbers only, and the words are to be read in the question.
class ChoiceRow : public QWidget {
    Q_OBJECT
public:
    explicit ChoiceRow(QWidget* parent = nullptr);

    // Shows them, and how many have voted for each; no choices: hides the row.
    void ask(const QStringList& choices, const std::vector<int>& votes);
    // Whether the buttons have room for the words.
    bool hasWords() const { return m_hasWords; }
    // The letters of the buttons have another size.
    void refit();
    // It is as wide as it may be, not as wide as its words.
    QSize minimumSizeHint() const override;

signals:
    // Of the choice with this number, from 1.
    void voted(int choice);
    // The words went to the buttons, or from there.
    void wordsMoved();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void write(bool isLong);
    int wide() const;

    QStringList m_choices;
    std::vector<int> m_votes;
    QHBoxLayout* m_row;
    std::vector<QPushButton*> m_buttons; // there may be more than choices, which are hidden
    bool m_hasWords = true;
};

} // namespace lhrs::gui
