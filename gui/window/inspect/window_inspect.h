// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class NodePanel;

// The node inspector.
class WindowInspect : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowInspect(WindowParts& parts);

    void build() override;
    void frame() override;
    void update() override;
    // Shows what the process does. Subjects of one system are asked before, and may have a panel for what it holds.
    bool showContents(ObjectRef object) override;
    bool openPage(const CameraWish& wish, ObjectRef looked) override;
    void forget() override;
    void applyTheme() override;
    std::optional<ViewExport> inFront() override;
    std::pair<const QWidget*, std::string_view> explained() const override;

    // The inspected process; 0: none.
    ProcessId chosen() const;
    // Opens the inspector with these processes side by side; the last one becomes the chosen one.
    void inspectNodes(const QStringList& names);

private:
    NodePanel* m_panel = nullptr;
};

} // namespace lhrs::gui
