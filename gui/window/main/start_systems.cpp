// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main/start_systems.h"

#include "gui/window/start/lhrs/file_fields.h"
#include "gui/window/walk/ring_fields.h"

namespace lhrs::gui {

SystemsToStart startSystems()
{
    SystemsToStart systems;
    systems.push_back(std::make_unique<FileFields>());
    systems.push_back(std::make_unique<RingFields>());
    return systems;
}

} // namespace lhrs::gui
