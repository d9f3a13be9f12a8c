// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/timeline/time_track.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;
class QSlider;

namespace lhrs::gui {

class Actions;
class Director;

// Along the bottom: buttons of time, the track, how fast the show goes, and in words which instant is shown and how far behind the
// run it is.
class TimeBar : public QWidget, public FrameView {
    Q_OBJECT
public:
    TimeBar(Actions& actions, TimeLine& time, Director& director, const EventFeed& live, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    TimeTrack& track() { return *m_track; }
    // What the words beside the track say: "FOLLOW", "PAUSED, 37 s behind, 41 208 events".
    QString words() const;
    // "1 x": how fast the show goes, as it stands beside the slider.
    QString speedWords() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    qreal wordsRoom() const;
    void fitWords();
    void showWords();
    void showSpeed();

    TimeLine& m_time;
    Director& m_director;
    const EventFeed& m_live;
    TimeTrack* m_track;
    QLabel* m_words;
    QSlider* m_speed;
    QLabel* m_speedWords;
    std::vector<std::pair<QPushButton*, Glyph>> m_buttons;
    QPushButton* m_play;
    Theme m_theme;
    bool m_showsPause = true;
};

} // namespace lhrs::gui
