// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

#include <initializer_list>

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
    // Adds what is offered for this kind of object.
    void fill(QMenu& menu, ObjectRef object);
    // Adds the actions; null: a separator.
    void offer(QMenu& menu, std::initializer_list<const char*> ids) const;
    void offerContents(QMenu& menu, const QString& words, ObjectRef object) const;
    void offerFaults(QMenu& menu) const;

    void offerOfSystem(QMenu& menu, ObjectRef object) const;

    const std::vector<WindowSubject*>& m_subjects;
    WindowGate& m_gate;
};

} // namespace lhrs::gui
