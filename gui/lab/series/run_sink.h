// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lhrs::gui {

// Receives everything that changes the cluster's state, in the order of folding; repeating these calls gives the same
// state. Called in the ingest thread under its lock, so no function here may block.
class RunSink {
public:
    virtual ~RunSink() = default;
    // `bytes`: the memory cost of the event. Events that a snapshot already contains are passed too, because they
    // belong to the log. Their numbers are not above ProcessState::contained, and they change nothing.
    virtual void onEvent(
        ProcessId process, const std::shared_ptr<const pb::Event>& event, std::int64_t runNs, std::size_t bytes)
        = 0;
    virtual void onTold(ProcessId process, const pb::Told& told, std::int64_t runNs) = 0;
    // Asked after each of these calls; if true, the state (a cheap copy) is passed.
    virtual bool wantsKeyframe() const = 0;
    virtual void onKeyframe(const ClusterState& state, std::int64_t runNs) = 0;
    // An invariant has changed its state, or the recording ends with this state. It follows from the other calls.
    virtual void onInvariant(const InvariantShown& /*invariant*/, std::int64_t /*runNs*/) { }
};

} // namespace lhrs::gui
