// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"

// Parts of the fold: key operations, as reported by their clients and by the buckets on their way.
namespace lhrs::gui::fold {

void startOperation(FileView& s, ProcessId process, const pb::Event& event, std::int64_t runNs);
void forwardOperation(FileView& s, const pb::Event& event);
void finishOperation(FileView& s, const pb::Event& event);
void adjustImage(FileView& s, ProcessId process, const pb::Event& event);

} // namespace lhrs::gui::fold
