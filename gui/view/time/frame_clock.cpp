// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/time/frame_clock.h"

#include <QWidget>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr int kMoving = 16, kQuiet = 33, kMakesWay = 200, kUnseen = 200; // milliseconds from frame to frame
constexpr double kLongest = 0.25; // seconds: the longest time that one frame may represent

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
    step(std::min(seconds, kLongest));
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
    m_timer.setInterval(!isSeen ? kUnseen : m_makesWay ? kMakesWay : isMoving ? kMoving : kQuiet);
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
