// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/window_arrangement.h"

#include "gui/view/lhrs/file_picture.h"

namespace lhrs::gui {

WindowArrangement::WindowArrangement(WindowParts& parts) : WindowSubject(parts)
{
    Actions& a = m_parts.actions;
    a.add(
        { "byHost", "View/Picture", "By host and process", "G",
            "Draws all servers of a host side by side, in the order of their names; once more: by bucket group", true },
        [this] {
            auto& file = m_parts.canvas.viewOf<FilePicture>();
            file.setArrangement(m_parts.actions.get("byHost")->isChecked() ? Arrangement::Hosts : Arrangement::Groups,
                file.areColumns());
        });
    a.add({ "asColumns", "View/Picture", "Groups as columns", "Shift+G",
              "Draws each bucket group as a column; once more: as a row", true },
        [this] {
            auto& file = m_parts.canvas.viewOf<FilePicture>();
            file.setArrangement(file.arrangement(), m_parts.actions.get("asColumns")->isChecked());
        });
}

void WindowArrangement::enable()
{
    m_parts.actions.enable({ "byHost", "asColumns" }, m_parts.pacer.state().isOfLhrs());
}

} // namespace lhrs::gui
