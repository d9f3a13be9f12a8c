// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_systems.h"

#include "gui/lab/recording/lhrs/file_schema.h"

#include <algorithm>

namespace lhrs::gui {

const std::vector<const RecordedSystem*>& recordedSystems()
{
    // The walk keeps nothing beside its events.
    static const std::vector<const RecordedSystem*> kSystems { &recordedFile() };
    return kSystems;
}

bool adjustsClient(const pb::Event& event)
{
    const auto& systems = recordedSystems();
    return std::any_of(
        systems.begin(), systems.end(), [&](const RecordedSystem* system) { return system->adjusts(event); });
}

OperationCells operationCells(const QString& kind, const pb::OperationDone& done, bool isAdjusted)
{
    for (const RecordedSystem* system : recordedSystems())
        if (const std::optional<OperationCells> cells = system->operation(kind, done, isAdjusted))
            return *cells;
    return {};
}

} // namespace lhrs::gui
