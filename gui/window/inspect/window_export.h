// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// Writes the view that is in front: one of a subject, or else the picture of the cluster.
class WindowExport : public WindowSubject {
    Q_OBJECT
public:
    // `subjects`: asked in their order; it must outlive this object.
    WindowExport(WindowParts& parts, const std::vector<WindowSubject*>& subjects);

    // .svg, .pdf or .png for its picture, .csv for its rows. Returns an error as a sentence, or an empty string.
    QString write(const QString& path);

private:
    ViewExport inFrontOfAll();
    // Asks for a file name and writes the view, in the format of the name's ending.
    void ask();

    const std::vector<WindowSubject*>& m_subjects;
};

} // namespace lhrs::gui
