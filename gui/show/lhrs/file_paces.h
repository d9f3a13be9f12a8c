// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/event_pace.h"
#include "proto/event.pb.h"

namespace lhrs::gui {

// What the events of a file ask of the pacer.
inline EventPace paceInFile(const pb::Event& event)
{
    EventPace pace;
    pace.isSummary = event.has_records_changed() || event.has_deltas_applied();
    pace.isNewcomer = event.has_node_recruited();
    // Records that move, and the first block of what a data bucket sends to a new parity bucket.
    pace.isFreight = event.has_records_moved()
        || (event.has_contents_arrived() && event.contents_arrived().block() == 0);
    pace.hasOwnCause = event.has_records_moved();
    pace.isRemarkable = event.has_operation_forwarded() || event.has_image_adjusted();
    // Slices of a recovery.
    if (event.has_slice_recovered())
        pace.part = event.slice_recovered().number();
    else if (event.has_slice_stored())
        pace.part = event.slice_stored().number();
    return pace;
}

} // namespace lhrs::gui
