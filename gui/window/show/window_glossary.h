// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class GlossarySheet;

// "What is this?": the term for what is under the mouse, or for what is selected.
class WindowGlossary : public WindowSubject {
    Q_OBJECT
public:
    // `subjects`: whose panels explain themselves; it must outlive this object.
    WindowGlossary(WindowParts& parts, const std::vector<WindowSubject*>& subjects);

private:
    ClusterCanvas::Asked askedAbout() const;
    void open(bool atWhatIsAsked);

    const std::vector<WindowSubject*>& m_subjects;
    GlossarySheet* m_sheet = nullptr; // created when it is first needed
    ClusterCanvas::Asked m_asked; // the object from which its examples are made
};

} // namespace lhrs::gui
