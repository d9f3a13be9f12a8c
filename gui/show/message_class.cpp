// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/message_class.h"

namespace lhrs::gui {

std::optional<MessageClass> messageClassOf(std::string_view kind)
{
    static constexpr struct {
        std::string_view kind;
        MessageClass messageClass;
    } kClasses[] = {
        { "insert", MessageClass::Operation },
        { "update", MessageClass::Operation },
        { "delete", MessageClass::Operation },
        { "search", MessageClass::Operation },
        { "reply", MessageClass::Reply },
        { "delta", MessageClass::Delta },
        { "delta_ack", MessageClass::Ack },
        { "delta_nak", MessageClass::Ack },
        { "ack", MessageClass::Ack },
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
        { "delta_copy", MessageClass::Delta },
        { "query", MessageClass::Operation },
        { "answer", MessageClass::Reply },
        { "astray", MessageClass::Reply },
        { "keys", MessageClass::Bulk },
    };
    if (kind == "alive" || kind == "register" || kind == "registered" || kind == "lease_request"
        || kind == "lease_grant" || kind == "state_report" || kind == "report_state")
        return std::nullopt;
    const auto* found = std::find_if(
        std::begin(kClasses), std::end(kClasses), [&](const auto& c) { return c.kind == kind; });
    return found != std::end(kClasses) ? found->messageClass : MessageClass::Control;
}

} // namespace lhrs::gui
