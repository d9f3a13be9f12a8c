// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/guide_words.h"
#include "gui/view/paint/theme.h"

#include <QWidget>

#include <array>
#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace lhrs::gui {

// The strip above the caption that guides a person: the present position, what to do, and what was seen. It is as high
// as its text needs and covers nothing; where its height is limited, the text scrolls. The window has one
// (MainWindow::guide()), shared by the tour and the exercises. The active one calls show() and handles the signals; the
// other ignores them. The keys of its buttons are actions of the window ("guideNext", "guideBack", "guideHint",
// "guideAgain", "guideLeave").
class GuidePanel : public QWidget {
    Q_OBJECT
public:
    enum Button { Next, Back, Hint, Again, Leave };
    static constexpr int kButtons = 5;

    explicit GuidePanel(QWidget* parent = nullptr);

    using QWidget::show;
    // Shows the panel with these words; cheap if they are unchanged. Screen readers are told what is new.
    void show(const GuideWords& words);
    const GuideWords& words() const { return m_words; }
    // All text that can be read now, line by line.
    QString text() const;
    bool isHintShown() const { return m_isHintShown; }
    void setTheme(const Theme& theme);
    // Limits the height to this many pixels and shows no more words than needed; 0: no limit.
    void setLow(int most);

    QPushButton* button(Button which) const { return m_buttons[which]; }
    // The key of a button, as its tooltip names it.
    void setKey(Button which, const QString& key);
    // Acts like a click, if the button is enabled.
    void press(Button which);
    bool canPress(Button which) const;
    // The person has done everything, and Next is enabled.
    bool isDone() const { return m_words.isDone && canPress(Next); }

signals:
    void nextWanted();
    void backWanted();
    void hintWanted(); // the panel shows or hides the hint by itself
    void againWanted();
    void leaveWanted();
    void buttonsChanged();
    // The surrounding widgets have less room, or more.
    void shownOrHidden();
    // The text for screen readers.
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
    int m_most = 0, m_least = 0; // pixels; the panel does not shrink while one stop is shown
    bool m_isHintShown = false, m_isWide = false;
};

} // namespace lhrs::gui
