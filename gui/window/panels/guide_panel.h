// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/guide_words.h"
#include "gui/view/paint/theme.h"

#include <QWidget>

#include <array>
#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace lhrs::gui {

// The strip above the caption that leads a person: where one is, what to do, and what was seen. It is as high as its
// text needs,
// and covers nothing; where it may not be so high, the text is scrolled. There is one in the window
// (MainWindow::guide()). The tour
// and exercises share it: whoever leads calls show(), and hears what is wanted; whoever does not lead ignores the
// signals. The keys
// of its buttons are actions of the window ("guideNext", "guideBack", "guideHint", "guideAgain", "guideLeave").
class GuidePanel : public QWidget {
    Q_OBJECT
public:
    enum Button { Next, Back, Hint, Again, Leave };
    static constexpr int kButtons = 5;

    explicit GuidePanel(QWidget* parent = nullptr);

    using QWidget::show;
    // Shows the panel with these words; cheap when they are those that it shows. What is new of them is told to screen
    // readers.
    void show(const GuideWords& words);
    const GuideWords& words() const { return m_words; }
    // All that can be read now, line by line.
    QString text() const;
    bool isHintShown() const { return m_isHintShown; }
    void setTheme(const Theme& theme);
    // At most so many pixels high, and no word more than is needed; 0: what it likes.
    void setLow(int most);

    QPushButton* button(Button which) const { return m_buttons[which]; }
    // The key of the button, as its tool tip names it.
    void setKey(Button which, const QString& key);
    // As a click does, if the button can be clicked.
    void press(Button which);
    bool canPress(Button which) const;
    // All is done that was to be done, and it may go on.
    bool isDone() const { return m_words.isDone && canPress(Next); }

signals:
    void nextWanted();
    void backWanted();
    void hintWanted(); // the panel shows the hint, or hides it again, by itself
    void againWanted();
    void leaveWanted();
    void buttonsChanged();
    // What is around it has less room, or more.
    void shownOrHidden();
    // What a screen reader is told.
    void announced(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLabel* makeLabel(const QString& name);
    void dress(QLabel* label, TextSize size, const QColor& colour);
    void dressWords();
    void refreshWords();
    void refreshButtons();
    void fit();
    void announce(QLabel* label);

    GuideWords m_words;
    QLabel *m_place, *m_title, *m_task, *m_hint, *m_seen, *m_trouble;
    std::vector<QLabel*> m_goals;
    QWidget* m_text;
    QScrollArea* m_scroll;
    QVBoxLayout* m_goalRows;
    std::array<QPushButton*, kButtons> m_buttons {};
    std::array<QString, kButtons> m_keys {};
    Theme m_theme;
    int m_most = 0, m_least = 0; // pixels; it does not shrink while one stop is shown
    bool m_isHintShown = false, m_isWide = false;
};

} // namespace lhrs::gui
