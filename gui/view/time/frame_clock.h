// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <chrono>
#include <functional>
#include <vector>

class QWidget;

namespace lhrs::gui {

// A view that is asked once per frame for what is visible.
class FrameView {
public:
    virtual ~FrameView() = default;
    // Takes what is new, `seconds` after the last frame. True: something moves, so that the next frame should come
    // soon.
    virtual bool refresh(double seconds) = 0;
};

// Asks the visible views for their frames: 60 times a second while something moves, otherwise 30 times; 5 times while
// no part of the window can be seen; and as seldom as it is told while the window makes way for a cluster that needs
// the processors (WayGiven). A hidden view is not asked; it catches up when it is shown.
class FrameClock : public QObject {
    Q_OBJECT
public:
    explicit FrameClock(QObject* parent = nullptr);

    // Called in every frame before the views; it updates what all of them draw from. Returns true if something is under
    // way.
    void setSource(std::function<bool(double seconds)> source) { m_source = std::move(source); }
    // The view is asked while the widget is visible. Both must outlive the clock.
    void add(FrameView* view, QWidget* widget) { m_views.push_back({ view, widget }); }
    void start();
    void stop() { m_timer.stop(); }
    // From now on there is one frame in this time; 0: as many as the views need.
    void setMakesWay(std::chrono::milliseconds frame) { m_wayGiven = frame; }
    bool makesWay() const { return m_wayGiven.count() > 0; }
    // Brings the next frame forward if it is more than 0.2 s away: a person has done something. True: it did.
    bool hurry();
    // Runs one frame now, as if this much time had passed; for tests, and for pictures without a screen.
    void step(double seconds);

    // Frames in the last second, and how long they took to compute.
    double framesPerSecond() const { return m_framesPerSecond; }
    double millisecondsPerFrame() const { return m_millisecondsPerFrame; }
    int interval() const { return m_timer.interval(); }

private:
    struct Entry {
        FrameView* view;
        QWidget* widget;
    };
    void tick();

    std::function<bool(double)> m_source;
    std::vector<Entry> m_views;
    QTimer m_timer;
    QElapsedTimer m_clock, m_second;
    std::chrono::milliseconds m_wayGiven { 0 };
    int m_frames = 0;
    qint64 m_nanoseconds = 0;
    double m_framesPerSecond = 0, m_millisecondsPerFrame = 0;
};

} // namespace lhrs::gui
