// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of the messages of a file.
#pragma once

#include "gui/show/words/message_class.h"

namespace lhrs::gui {

inline constexpr MessageRow kFileMessages[] = {
    { "lease_request", std::nullopt },
    { "lease_grant", std::nullopt },
    { "state_report", std::nullopt },
    { "report_state", std::nullopt },
    { "insert", MessageClass::Operation },
    { "update", MessageClass::Operation },
    { "delete", MessageClass::Operation },
    { "search", MessageClass::Operation },
    { "reply", MessageClass::Reply },
    { "delta", MessageClass::Change },
    { "delta_ack", MessageClass::Ack },
    { "delta_nak", MessageClass::Ack },
    { "epoch_ack", MessageClass::Ack },
    { "invite", MessageClass::Recruit },
    { "offer", MessageClass::Recruit },
    { "confirm", MessageClass::Recruit },
    { "cancel", MessageClass::Recruit },
    { "move_records", MessageClass::Bulk },
    { "prepare_batch", MessageClass::Bulk },
    { "contents", MessageClass::Bulk },
    { "slice_data", MessageClass::Bulk },
    { "spare_slice", MessageClass::Bulk },
    { "member_record", MessageClass::Bulk },
    { "delta_copy", MessageClass::Change },
};

} // namespace lhrs::gui
