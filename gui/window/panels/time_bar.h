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

// The bar along the bottom: the buttons for time, the track, the speed of the show, and words for the shown instant and
// how far it is behind the run.
class TimeBar : public QWidget, public FrameView {
    Q_OBJECT
public:
    TimeBar(Actions& actions, TimeLine& time, Director& director, const EventFeed& live, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    TimeTrack& track() { return *m_track; }
    // The words beside the track: "FOLLOW", "PAUSED, 37 s behind, 41 208 events".
    QString words() const;
    // "1 x": the speed of the show, as displayed beside the slider.
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
