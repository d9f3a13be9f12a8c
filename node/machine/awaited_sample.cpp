// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/awaited_sample.h"

#include "common/kinds.h"
#include "node/machine/event_stamp.h"

namespace lhrs {

namespace {

constexpr int kAwaitedShown = 64;

} // namespace

void add(const Wait& wait, pb::NodeSample& out)
{
    out.set_awaited_count(out.awaited_count() + 1);
    if (out.awaited_size() >= kAwaitedShown)
        return;
    auto& shown = *out.add_awaited();
    shown.set_id(wait.id);
    shown.set_kind(wait.kind);
    shown.set_to(wait.to.value);
    wait.address.to(*shown.mutable_address());
    shown.set_sent_ns(wait.sent.count());
    shown.set_due_ns(wait.due.count());
    shown.set_tries(wait.tries);
    shown.set_tries_max(wait.triesMax);
}

void add(const AckList& acks, pb::NodeSample& out)
{
    for (const auto& [id, entry] : acks.pending()) {
        const std::uint32_t most = entry.patience == AckList::Patience::GiveUp ? acks.timers().resends_max() : 0;
        add({ id, nameOf(entry.message), entry.node, entry.to, entry.sent, entry.due, entry.tries, most }, out);
    }
}

} // namespace lhrs
