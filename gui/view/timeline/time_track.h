// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/replay/time_line.h"
#include "gui/view/paint/display_list.h"
#include "gui/view/time/frame_clock.h"

#include <QWidget>

#include <deque>
#include <optional>
#include <vector>

namespace lhrs::gui {

// Something of the run that is worth finding again.
struct TimeMark {
    enum class Kind { Step, Split, ParityAdded, Failed, Recovered, Lost, Fault, Gap, Own };
    std::int64_t ns = 0;
    std::uint64_t event = 0; // of the recording; 0: only the time is known
    Kind kind = Kind::Own;
    QString words;
};
// The mark that an event stands for; nothing: it is one of many.
std::optional<TimeMark> markOf(const RunEvent& run);

// The run from its beginning to now: how much happened when, marks, faults, and the instant that is shown. Dragging moves
// that instant.
class TimeTrack : public QWidget, public FrameView {
    Q_OBJECT
public:
    // Both must outlive the track.
    TimeTrack(TimeLine& time, const EventFeed& live, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    // Another cluster or recording: begins anew.
    void reset();
    // A mark of a person or a script.
    void addMark(TimeMark mark);
    const std::deque<TimeMark>& marks() const { return m_marks; }
    const DisplayList& picture() const { return m_list; }

    // Where an instant lies, and back; pixels of the widget. Data for tests.
    qreal xOf(std::int64_t ns) const;
    std::int64_t nsAt(qreal x) const;

    // The instant that some view is pointed at; nothing: none.
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
        std::uint64_t number = 0; // of the fault; 0: the gate, which all processes have together
        std::int64_t beginNs = 0, endNs = 0; // endNs 0: still there
        ProcessId victim = 0;     // of a kill that waits for a step: its end is the end
    };
    std::deque<Shade> m_shades;
    void endShades(ProcessId victim, std::int64_t ns);
    std::uint64_t m_seen = 0;   // cursor in the live feed
    const Recording* m_shownRecording = nullptr;
    double m_sinceBuilt = 1;
    bool m_isDragging = false;
    std::optional<std::int64_t> m_pointed;

    static constexpr std::size_t kMarksMax = 5'000, kShadesMax = 1'000;
};

} // namespace lhrs::gui
