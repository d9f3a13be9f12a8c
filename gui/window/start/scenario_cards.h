// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"

#include <QAbstractButton>
#include <QPixmap>
#include <QString>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace lhrs::gui {

class FlowLayout;

// A scenario file with the tags in its first comment.
struct ScenarioFile {
    QString path, title, minutes, needs;
    QString experiments {}; // the experiments of the papers that it repeats, "E4 E5"; empty: a lecture
    int exercise = 0; // its number; 0: it is not an exercise
    int lecture = 0; // its place among the lectures; 0: after those that have one
};
// The scenarios of a directory by name, and exercises by number.
std::vector<ScenarioFile> scenariosIn(const QString& directory);
// The teaching scenarios in the order of their numbers, then by name; and the scenarios that measure.
std::vector<ScenarioFile> lecturesAmong(const std::vector<ScenarioFile>& files);
std::vector<ScenarioFile> experimentsAmong(const std::vector<ScenarioFile>& files);

// The picture for a scenario ("grow"), made by lhrs-gui --card-pictures; null: there is none.
QPixmap cardPicture(const QString& name, bool isDark);
// The tables of measurements that the scenario wrote when its picture was made.
QStringList cardTables(const QString& name);

// The texts of a card.
struct CardWords {
    QString picture; // its name
    QString title;
    QString words {}; // a sentence; empty: none
    QString facts {}; // in small letters: minutes, processes, ...
};

// A picture with a title that opens something, by mouse, Enter or Space.
class Card : public QAbstractButton {
    Q_OBJECT
public:
    Card(const CardWords& words, QWidget* parent);

    void say(const CardWords& words);
    const CardWords& words() const { return m_words; }
    // The card cannot be opened; the facts say why.
    void setGrey(bool on);
    bool isGrey() const { return m_isGrey; }
    void setTheme(const Theme& theme);
    int heightFor(int width) const;
    void place(QSize size);

signals:
    void arrow(int key);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    int pictureHeight(int width) const;
    void colour();
    void makePicture();

    CardWords m_words;
    Theme m_theme;
    QLabel *m_picture, *m_title, *m_sentence, *m_facts;
    QVBoxLayout* m_rows;
    QPixmap m_shown; // scaled to the size at which it is drawn
    QString m_shownAs {}; // the picture and looks for which it was made
    bool m_isGrey = false;
};

// A heading, a sentence, and cards side by side as the width allows. Tab focuses one card; arrow keys move between
// them.
class CardSection : public QWidget {
    Q_OBJECT
public:
    CardSection(const QString& id, const QString& heading, const QString& sentence, QWidget* parent);

    Card* add(const QString& id, const CardWords& words);
    void clear();
    const std::vector<Card*>& cards() const { return m_cards; }
    void setSentence(const QString& words);
    // Adds another button below the cards.
    void addBelow(QWidget* widget);
    void setTheme(const Theme& theme);
    void setRoom(int width);

signals:
    void arrow(lhrs::gui::Card* from, int key);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeCurrent(Card* card);

    Theme m_theme;
    QLabel *m_heading, *m_sentence;
    QWidget *m_inside, *m_below;
    FlowLayout *m_flow, *m_belowFlow;
    std::vector<Card*> m_cards;
    int m_room = 0;
};

// The card to which an arrow key leads; null: none on that side. The geometry is that of `page`.
Card* cardBeside(const Card& from, int key, const std::vector<Card*>& cards, const QWidget& page);

} // namespace lhrs::gui
