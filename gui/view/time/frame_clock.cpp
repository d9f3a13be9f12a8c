// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/time/frame_clock.h"

#include <QWidget>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kMoving = 16, kQuiet = 33, kUnseen = 200; // milliseconds from frame to frame
// The longest time that one frame may represent, in seconds: this much, or as much more than the time between frames.
constexpr double kLongest = 0.25, kLate = 0.05;

} // namespace

FrameClock::FrameClock(QObject* parent) : QObject(parent)
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kQuiet);
    connect(&m_timer, &QTimer::timeout, this, &FrameClock::tick);
}

void FrameClock::start()
{
    m_clock.start();
    m_second.start();
    m_timer.start();
}

void FrameClock::tick()
{
    const double seconds = double(m_clock.nsecsElapsed()) / 1e9;
    m_clock.restart();
    step(std::min(seconds, std::max(kLongest, double(m_timer.interval()) / 1'000 + kLate)));
}

bool FrameClock::hurry()
{
    const bool isFar = m_timer.isActive() && m_timer.interval() > kUnseen;
    if (isFar)
        m_timer.setInterval(kMoving);
    return isFar;
}

void FrameClock::step(double seconds)
{
    QElapsedTimer took;
    took.start();
    bool isMoving = m_source && m_source(seconds);
    bool isSeen = false;
    for (const Entry& entry : m_views) {
        if (!entry.widget->isVisible() || entry.widget->window()->isMinimized())
            continue;
        isSeen = true;
        isMoving = entry.view->refresh(seconds) || isMoving;
    }
    const int wanted = !isSeen ? kUnseen : isMoving ? kMoving : kQuiet;
    m_timer.setInterval(std::max(wanted, int(m_wayGiven.count())));
    ++m_frames;
    m_nanoseconds += took.nsecsElapsed();
    if (m_second.isValid() && m_second.elapsed() >= 1000) {
        const double passed = double(m_second.restart()) / 1000;
        m_framesPerSecond = m_frames / passed;
        m_millisecondsPerFrame = double(m_nanoseconds) / 1e6 / m_frames;
        m_frames = 0;
        m_nanoseconds = 0;
    }
}

} // namespace lhrs::gui
