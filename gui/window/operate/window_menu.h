// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class WindowGate;

// The menu of an object in the picture.
class WindowMenu : public WindowSubject {
    Q_OBJECT
public:
    // `subjects`: all of them; each adds what only its system offers.
    WindowMenu(WindowParts& parts, const std::vector<WindowSubject*>& subjects, WindowGate& gate);

private:
    void show(ObjectRef object, QPoint at);
    void fill(QMenu& menu, ObjectRef object);
    void offerOfSystem(QMenu& menu, ObjectRef object, MenuPlace place) const;
    void offerFaults(QMenu& menu) const;

    const std::vector<WindowSubject*>& m_subjects;
    WindowGate& m_gate;
};

} // namespace lhrs::gui
