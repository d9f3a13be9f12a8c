// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class GatePanel;
class WindowClock;
class WindowInspect;

// The holds of the workload and of messages, and the list of held messages.
class WindowGate : public WindowSubject {
    Q_OBJECT
public:
    WindowGate(WindowParts& parts, const WindowInspect& inspect, WindowClock& clock);

    void build() override;
    void update() override;
    void applyTheme() override;
    void addStatus(std::vector<StatusPart>& parts) const override;
    QString lineOf(const QString& action) const override;
    std::pair<const QWidget*, std::string_view> explained() const override;

    // Adds each message that the gate of the selected process holds to its menu.
    void offerHeld(QMenu& menu);

private:
    ProcessId gatedProcess() const;
    void showHeld();
    void releaseChosen(bool isDropped);

    const WindowInspect& m_inspect;
    WindowClock& m_clock;
    GatePanel* m_panel = nullptr;
};

} // namespace lhrs::gui
