// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/lhrs/file_parts.h"

namespace lhrs::gui {

// What a person has the coordinator do for a group with failures.
class WindowRepair : public WindowSubject {
    Q_OBJECT
public:
    WindowRepair(WindowParts& parts, FileParts& file);

    void enable() override;
    QString lineOf(const QString& action) const override;

private:
    FileParts& m_file;
};

} // namespace lhrs::gui
