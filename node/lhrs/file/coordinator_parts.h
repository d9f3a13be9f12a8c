// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/directory.h"
#include "node/lhrs/file/file_state.h"
#include "node/lhrs/file/probe_pace.h"
#include "node/lhrs/file/recruiting.h"

#include <algorithm>
#include <chrono>

namespace lhrs {

// What the reconfigurations of a file share. The coordinator owns it.
struct CoordinatorParts {
    FileState& file;
    Directory& directory;
    AckList& acks;
    Invitations& invitations;
    std::uint32_t patience = 1; // factor on the staging limit
    ProbePace probePace { acks.timers() };

    // How long the staging of a split or merge may take. One that takes longer is undone and gets more time at its next
    // attempt; otherwise it would never finish on a network that is always slower than the limit.
    Time stagingLimit() const { return patience * std::chrono::milliseconds(acks.timers().staging_ms()); }
    void onLimitPassed() { patience = std::min(2 * patience, 64u); }
    void onDone() { patience = 1; }

    // Answers the command that waits; ticket 0: no command waits.
    void answer(std::uint64_t ticket, const pb::CommandReply& reply, Effects& out) const
    {
        if (ticket == 0)
            return;
        pb::CommandReply& sent = out.reply(ticket);
        sent = reply;
        sent.set_ticket(ticket);
    }
    void refuse(std::uint64_t ticket, pb::Refusal refusal, const std::string& text, Effects& out) const
    {
        if (ticket != 0)
            out.refuse(ticket, refusal, text);
    }
    void announceEpoch(GroupNumber g, const std::string& reason, Effects& out) const
    {
        auto* event = out.event().mutable_epoch_changed();
        *event->mutable_view() = file.view(g);
        event->set_reason(reason);
    }
};

// What a message on the coordinator's ack list is for.
enum OrderPurpose : AckList::Purpose { PlainOrder = 0, OrderOfStep = 1, OrderOfConfirm = 2 };

} // namespace lhrs
