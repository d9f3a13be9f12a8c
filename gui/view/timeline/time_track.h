// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/replay/time_line.h"
#include "gui/view/paint/display_list.h"
#include "gui/view/system/system_words.h"
#include "gui/view/time/frame_clock.h"

#include <QWidget>

#include <deque>
#include <optional>
#include <vector>

namespace lhrs::gui {

// An event of the run that is worth finding again.
struct TimeMark {
    enum class Kind { Step, OfSystem, Fault, Gap, Own };
    std::int64_t ns = 0;
    std::uint64_t event = 0; // its number in the recording; 0: only the time is known
    Kind kind = Kind::Own;
    QString words;
    SystemWords::EventMark look {}; // of an event of the system
};
// The mark for an event; nothing: the event is too common to have one.
std::optional<TimeMark> markOf(const RunEvent& run);

// The run from its beginning to now: how much happened when, marks, faults, and the shown instant. Dragging moves that
// instant.
class TimeTrack : public QWidget, public FrameView {
    Q_OBJECT
public:
    // Both arguments must outlive the track.
    TimeTrack(TimeLine& time, const EventFeed& live, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    // Another cluster or recording: starts from nothing.
    void reset();
    // Adds a mark of a person or a script.
    void addMark(TimeMark mark);
    const std::deque<TimeMark>& marks() const { return m_marks; }
    const DisplayList& picture() const { return m_list; }

    // Maps an instant to pixels of the widget, and back. Also read by tests.
    qreal xOf(std::int64_t ns) const;
    std::int64_t nsAt(qreal x) const;

    // The instant under the mouse in any view; nothing: none.
    void setPointed(std::optional<std::int64_t> ns);
    std::optional<std::int64_t> pointed() const { return m_pointed; }

signals:
    void instantPointed(std::optional<std::int64_t> ns);
    void seekWanted(qint64 ns);
    void markChosen(quint64 event, qint64 ns);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void readRecording();
    void take(const RunEvent& run);
    void rebuild();
    const TimeMark* markNear(qreal x) const;

    TimeLine& m_time;
    const EventFeed& m_live;
    Theme m_theme;
    DisplayList m_list;
    std::vector<std::uint32_t> m_counts; // events by part of the run
    std::int64_t m_partNs = 50'000'000;
    std::int64_t m_beginNs = 0;
    std::deque<TimeMark> m_marks;
    struct Shade {
        std::uint64_t number = 0; // of the fault; 0: the gate, which is the same for all processes
        std::int64_t beginNs = 0, endNs = 0; // endNs 0: it has not ended
        ProcessId victim = 0; // the target of a kill that waits for a step: the shade ends when it dies
    };
    std::deque<Shade> m_shades;
    void endShades(ProcessId victim, std::int64_t ns);
    std::uint64_t m_seen = 0; // cursor in the live feed
    const Recording* m_shownRecording = nullptr;
    double m_sinceBuilt = 1;
    bool m_isDragging = false;
    std::optional<std::int64_t> m_pointed;

    static constexpr std::size_t kMarksMax = 5'000, kShadesMax = 1'000;
};

} // namespace lhrs::gui
