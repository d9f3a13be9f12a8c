// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"
#include "gui/window/caption/story.h"

#include <QLabel>
#include <QWidget>

#include <vector>

class QListView;
class QPushButton;

namespace lhrs::gui {

class ChoiceRow;

// The texts of the strip at an instant.
struct StripWords {
    QString step, caption, progress;
};

// What the strip's buttons are for at an instant.
struct StripButtons {
    QString next, sentence; // what the key for the next step does, in a word and in a sentence; none: it does nothing
    bool hasKey = true; // the key can be pressed
    bool mayNext = false, mayRun = false, mayStop = false;
    bool operator==(const StripButtons&) const = default;
};

// The strip below the picture: the step and the caption in large letters, earlier captions, the choices of a question,
// and the buttons of the show.
class CaptionStrip : public QWidget {
    Q_OBJECT
public:
    // The story is the source of the earlier captions; it must outlive the strip, or be replaced.
    explicit CaptionStrip(StoryModel& story, QWidget* parent = nullptr);

    void setStory(StoryModel& story);
    // `question`: the part of the caption that stays in it while the choices are on their buttons; empty: all.
    void setWords(const StripWords& words, const QString& question);
    // Shows the choices with the number of votes for each; no choices: hides them.
    void ask(const QStringList& choices, const std::vector<int>& votes);
    // "again, 400 times slower" while an interval is replayed, else empty.
    void setBadge(const QString& words);
    void setButtons(const StripButtons& buttons);
    // A message to the presenter, shown instead of the progress until it is empty.
    void setNotice(const QString& words);

    // In front of an audience there are no buttons, and the words use all the room.
    void setButtonsShown(bool on);
    // Limits the strip to so many pixels of the window's height; 0: no limit.
    void setLow(int most);
    // The caption's letters are at least as large as those of a picture with this font scale.
    void setPictureScale(qreal scale);
    void setTheme(const Theme& theme);

signals:
    // By the buttons.
    void nextWanted();
    void runWanted();
    void stopWanted();
    void voted(int choice); // from 1

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void layOut();
    void makeHistory();
    void showWords();
    void showButtons();
    void showNotice();
    void fitStep();
    void fitHeight();
    void arrange();
    Theme captionTheme() const;

    StripWords m_words;
    StripButtons m_buttons;
    QString m_question, m_notice;
    HallStory* m_hallStory;
    QLabel *m_step, *m_badge, *m_progress;
    CaptionLabel* m_caption;
    ChoiceRow* m_choices;
    QListView* m_history;
    QPushButton *m_next, *m_run, *m_stop;
    int m_most = 0;
    qreal m_pictureScale = 1;
    Theme m_theme;
};

} // namespace lhrs::gui
