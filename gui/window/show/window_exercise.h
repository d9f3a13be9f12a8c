// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/exercise.h"
#include "gui/show/words/guide_words.h"
#include "gui/view/time/frame_clock.h"

#include <QObject>

#include <deque>
#include <utility>

namespace lhrs::gui {

class GuidePanel;
class WindowWrite;
struct WindowParts;
struct ReelEntry;

// An exercise as the window shows it, on the guide strip: the task, its goals and their state, and hints, one after the
// other, when the person asks for them. The script's thread judges what happens (lab.exercise); this class only
// displays it. A recording of an exercise is displayed in the same way.
class WindowExercise : public QObject, public FrameView {
    Q_OBJECT
public:
    // All arguments must outlive this object.
    WindowExercise(WindowParts& parts, GuidePanel& panel, const WindowWrite& write);

    // An exercise is shown; the tour may use the guide afterwards.
    bool isOn() const { return m_isOn; }
    const ExerciseShown& shown() const { return m_shown; }
    bool refresh(double seconds) override;
    // Stops showing the exercise.
    void close();

signals:
    // This exercise is to be opened and started.
    void openWanted(const QString& path);

private:
    void follow(const ReelEntry& entry);
    void take(const ExerciseShown& exercise);
    void begin();
    void show();
    GuideWords words() const;
    // Shows the next hint, or hides the hints after the last one.
    void ask();
    void beginAnew();
    void start();
    void leave();
    // The exercise that is `direction` files further in the same folder; empty: there is none.
    QString neighbour(int direction) const;
    void open(int direction);

    WindowParts& m_parts;
    GuidePanel& m_guide;
    const WindowWrite& m_write;
    ExerciseShown m_shown;
    std::deque<std::pair<std::uint64_t, ExerciseShown>> m_toCome; // with the event that the picture has to show first
    GuideWords m_words; // the words that were shown last
    QString m_place, m_title, m_path;
    QString m_trouble; // why it must be begun again
    qsizetype m_hints = 0; // the number of hints that the person has asked for
    bool m_isOn = false;
    bool m_isAgain = false; // starts again when the script has ended
    bool m_isBegunAnew = false;
    bool m_isAsking = false;
    QString m_next; // the exercise to open then; empty: the same one
};

} // namespace lhrs::gui
