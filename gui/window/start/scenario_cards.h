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

// A scenario file with the tags of its first comment.
struct ScenarioFile {
    QString path, title, minutes, needs;
    QString experiments {}; // of the papers that it repeats, "E4 E5"; empty: a lecture
    int exercise = 0;       // its number; 0: it is none
};
// The scenarios of a directory, by name; exercises by their number.
std::vector<ScenarioFile> scenariosIn(const QString& directory);
// Those that teach, in the order in which they are best seen: the demonstration first. And those that measure.
std::vector<ScenarioFile> lecturesAmong(const std::vector<ScenarioFile>& files);
std::vector<ScenarioFile> experimentsAmong(const std::vector<ScenarioFile>& files);

// The picture that stands for a scenario ("grow"), made by lhrs-gui --card-pictures; null: there is none.
QPixmap cardPicture(const QString& name, bool isDark);
// The tables of measurements that the scenario made when its picture was made.
QStringList cardTables(const QString& name);

// What a card says.
struct CardWords {
    QString picture;  // its name
    QString title;
    QString words {}; // a sentence; empty: none
    QString facts {}; // in small letters: minutes, processes, ...
};

// A picture with a title that opens something: by mouse, Enter or Space.
class Card : public QAbstractButton {
    Q_OBJECT
public:
    Card(const CardWords& words, QWidget* parent);

    void say(const CardWords& words);
    const CardWords& words() const { return m_words; }
    // It cannot be opened; the facts say why.
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
    QPixmap m_shown;       // as large as it is drawn
    QString m_shownAs {};  // which one it is, in which looks
    bool m_isGrey = false;
};

// A heading, a sentence, and cards beside each other as the width allows. Tab comes to one of them; arrows go on.
class CardSection : public QWidget {
    Q_OBJECT
public:
    CardSection(const QString& id, const QString& heading, const QString& sentence, QWidget* parent);

    Card* add(const QString& id, const CardWords& words);
    void clear();
    const std::vector<Card*>& cards() const { return m_cards; }
    void setSentence(const QString& words);
    // Below the cards: what else there is to press.
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

// The card that an arrow key leads to; null: there is none on that side. Geometry is that of `page`.
Card* cardBeside(const Card& from, int key, const std::vector<Card*>& cards, const QWidget& page);

} // namespace lhrs::gui
