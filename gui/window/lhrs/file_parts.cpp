// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/file_parts.h"

namespace lhrs::gui {

std::uint32_t FileParts::group() const
{
    const ObjectRef object = parts.selection.selected();
    if (object.kind == ObjectKind::Data)
        return std::uint32_t(object.a) / parts.pacer.state().m();
    return object.kind == ObjectKind::Parity || object.kind == ObjectKind::Group ? std::uint32_t(object.a) : 0;
}

} // namespace lhrs::gui
