// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace lhrs::gui {

// Is given everything that changes the cluster's state, in the order in which it is folded: who repeats these calls has
// the same state. Called in the ingest thread under its lock, so nothing here may wait.
class RunSink {
public:
    virtual ~RunSink() = default;
    // `bytes`: what the event costs. Events that a snapshot already contains come too (they belong to the log); their
    // numbers are not above ProcessState::contained, and they change nothing.
    virtual void onEvent(ProcessId process, const std::shared_ptr<const pb::Event>& event, std::int64_t runNs, std::size_t bytes) = 0;
    virtual void onTold(ProcessId process, const pb::Told& told, std::int64_t runNs) = 0;
    // Asked after each of these calls; then the state, a cheap copy, is given.
    virtual bool wantsKeyframe() const = 0;
    virtual void onKeyframe(const ClusterState& state, std::int64_t runNs) = 0;
    // A lamp shows another state than before, or the recording ends with this one. It follows from the rest.
    virtual void onLamp(const LampShown& /*lamp*/, std::int64_t /*runNs*/) {}
};

} // namespace lhrs::gui
