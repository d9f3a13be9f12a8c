// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

class NodePanel;

// The node inspector, and which panel an object of the picture is inspected in.
class WindowInspect : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowInspect(WindowParts& parts);

    void build() override;
    void frame() override;
    void update() override;
    bool openPage(const CameraWish& wish, ObjectRef looked) override;
    void forget() override;
    void applyTheme() override;
    std::optional<ViewExport> inFront() override;
    std::pair<const QWidget*, std::string_view> explained() const override;

    // The inspected process; 0: none.
    ProcessId chosen() const;
    // Opens the panel with the contents of the object.
    void inspect(ObjectRef object);
    // Opens the inspector with these processes side by side; the last one becomes the chosen one.
    void inspectNodes(const QStringList& names);

private:
    NodePanel* m_panel = nullptr;
};

} // namespace lhrs::gui
