// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/recorded_system.h"

#include <vector>

namespace lhrs::gui {

// The systems that a recording may be of. A file has the tables of all of them.
const std::vector<const RecordedSystem*>& recordedSystems();

// RecordedSystem::adjusts of any of them.
bool adjustsClient(const pb::Event& event);
// RecordedSystem::operation of the one whose operation it is; empty cells if it is none of theirs.
OperationCells operationCells(const QString& kind, const pb::OperationDone& done, bool isAdjusted);

} // namespace lhrs::gui
