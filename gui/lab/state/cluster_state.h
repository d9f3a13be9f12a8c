// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/file_view.h"
#include "gui/lab/state/walk/ring_view.h"

namespace lhrs::gui {

// The cluster at one instant, folded from events. The result is the same for every interleaving that keeps the order
// within each process. A plain value: copies are cheap and independent. Its processes are of one system, and only the
// part of that system is filled beside what is known of the processes.
struct ClusterState : FileView {
    walk::RingView ring;

    // Folds one event of a process. `runNs` is the event's time on the run's clock.
    void apply(ProcessId process, const pb::Event& event, std::int64_t runNs);
    // Folds what the watcher learned by other means than an event of the process.
    void apply(ProcessId process, const pb::Told& told, std::int64_t runNs);
    // Replaces what is known of the snapshot's process.
    void apply(const pb::Snapshot& snapshot, std::int64_t runNs);
    // The directory knows the process (before any of its events arrived).
    void introduce(const pb::ProcessInfo& info);

private:
    void introduceToRing(const pb::ProcessInfo& info);
};

} // namespace lhrs::gui
