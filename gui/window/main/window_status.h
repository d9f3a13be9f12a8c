// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/main/window_files.h"
#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// The status line: where what is shown comes from, what each subject adds, the cluster, and what the window costs.
class WindowStatus : public QObject {
    Q_OBJECT
public:
    // `subjects`: all of them.
    WindowStatus(WindowParts& parts, const std::vector<WindowSubject*>& subjects, const WindowFiles& files)
        : QObject(&parts.window), m_parts(parts), m_subjects(subjects), m_files(files),
          m_strip(new StatusStrip(&parts.window))
    {
    }

    StatusStrip& strip() const { return *m_strip; }
    void update();

private:
    void addOrigin(std::vector<StatusPart>& parts) const;
    void addCluster(std::vector<StatusPart>& parts) const;

    WindowParts& m_parts;
    const std::vector<WindowSubject*>& m_subjects;
    const WindowFiles& m_files;
    StatusStrip* m_strip;
};

} // namespace lhrs::gui
