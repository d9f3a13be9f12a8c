// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class FaultPanel;

// Faults: how they are injected and ended, the palette, and the question before data is lost for good.
class WindowFaults : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowFaults(WindowParts& parts);

    void build() override;
    void enable() override;
    void applyTheme() override;
    QString lineOf(const QString& action) const override;

private:
    // Asks for confirmation before killing processes whose contents would be lost for good.
    bool mayKill(const std::vector<ProcessId>& processes);
    void killSelection();
    void armFault();
    void healSelection();
    void showPalette();

    FaultPanel* m_panel = nullptr;
};

} // namespace lhrs::gui
