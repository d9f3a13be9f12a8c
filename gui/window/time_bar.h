// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time_track.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;

namespace lhrs::gui {

class Actions;

// Along the bottom: buttons of time, the track, and in words which instant is shown and how far behind it is.
class TimeBar : public QWidget, public FrameView {
    Q_OBJECT
public:
    TimeBar(Actions& actions, TimeLine& time, const EventFeed& live, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    TimeTrack& track() { return *m_track; }
    // What the words beside the track say: "FOLLOW", "PAUSED, 37 s behind, 41 208 events".
    QString words() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    qreal wordsRoom() const;
    void fitWords();
    void showWords();

    TimeLine& m_time;
    TimeTrack* m_track;
    QLabel* m_words;
    std::vector<std::pair<QPushButton*, Glyph>> m_buttons;
    QPushButton* m_play;
    Theme m_theme;
    bool m_showsPause = true;
};

} // namespace lhrs::gui
