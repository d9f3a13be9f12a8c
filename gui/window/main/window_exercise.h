// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/exercise.h"
#include "gui/show/guide_words.h"
#include "gui/view/time/frame_clock.h"

#include <QObject>

#include <deque>
#include <utility>

namespace lhrs::gui {

class MainWindow;
struct ReelEntry;

// An exercise as the window shows it, on the strip that leads a person: the task, its goals and how they stand, hints
// one after the
// other for whoever asks. What happens is judged by the script's thread (lab.exercise); here it is only told. A
// recording of an
// exercise is shown in the same way.
class WindowExercise : public QObject, public FrameView {
    Q_OBJECT
public:
    // Of the window, which outlives it.
    explicit WindowExercise(MainWindow& window);

    // An exercise is shown; somebody else may lead afterwards.
    bool isOn() const { return m_isOn; }
    const ExerciseShown& shown() const { return m_shown; }
    bool refresh(double seconds) override;
    // Nothing of it is shown any more.
    void close();

private:
    void follow(const ReelEntry& entry);
    void take(const ExerciseShown& exercise);
    void begin();
    void show();
    GuideWords words() const;
    // Its hints as far as they were asked for; the next one, or hides them after the last.
    void ask();
    void beginAnew();
    void start();
    void leave();
    // The exercise so many files further in the same folder; empty: there is none.
    QString neighbour(int direction) const;
    void open(int direction);

    MainWindow& m_window;
    ExerciseShown m_shown;
    std::deque<std::pair<std::uint64_t, ExerciseShown>> m_toCome; // with the event that the picture has to show before
    GuideWords m_words;        // that were shown last
    QString m_place, m_title, m_path;
    QString m_trouble;         // why it must be begun anew
    qsizetype m_hints = 0;     // that were asked for
    bool m_isOn = false;
    bool m_isAgain = false;    // begins when the script has ended
    bool m_isBegunAnew = false;
    bool m_isAsking = false;
    QString m_next;            // to be opened then; empty: the same
};

} // namespace lhrs::gui
