// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/lhrs/file_parts.h"

namespace lhrs::gui {

class InvariantPanel;

// The invariants: their panel, the part of the status line, and the jump to a violation.
class WindowInvariants : public WindowSubject {
    Q_OBJECT
public:
    WindowInvariants(WindowParts& parts, FileParts& file);

    void build() override;
    void enable() override;
    void applyTheme() override;
    void addStatus(std::vector<StatusPart>& parts) const override;
    std::pair<const QWidget*, std::string_view> explained() const override;

private:
    // Goes to the instant at which the invariant was violated first.
    void show(int number);

    FileParts& m_file;
    InvariantPanel* m_panel = nullptr;
};

} // namespace lhrs::gui
