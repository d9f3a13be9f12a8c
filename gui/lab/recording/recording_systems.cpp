// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_systems.h"

#include "gui/lab/recording/lhrs/file_schema.h"

namespace lhrs::gui {

const std::vector<const RecordedSystem*>& recordedSystems()
{
    // The walk keeps nothing beside its events.
    static const std::vector<const RecordedSystem*> kSystems { &recordedFile() };
    return kSystems;
}

} // namespace lhrs::gui
