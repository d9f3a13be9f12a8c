// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"

#include <QObject>

namespace lhrs::gui {

// A tour of a system in the window, on the strip that guides a person. Its action is "tour".
class GuidedTour : public QObject, public FrameView {
    Q_OBJECT
public:
    using QObject::QObject;

    // Continues where the tour was left, on a cluster of its own.
    virtual void start() = 0;
    virtual bool isOn() const = 0;
    // The stop where the tour was left, from 1; 0: it was never begun, or was finished.
    virtual int stopLeft() const = 0;

signals:
    // The present stop, or the one where the tour was left, has changed.
    void stopChanged();
    // The recording that is shown is to be closed.
    void closeWanted();
};

} // namespace lhrs::gui
