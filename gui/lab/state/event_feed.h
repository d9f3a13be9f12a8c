// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/process/event_ring.h"

#include <cstddef>
#include <cstdint>

namespace lhrs::gui {

// The source that views pull from, once per frame: the ingest of a running cluster, or a list of events in a test.
class EventFeed {
public:
    virtual ~EventFeed() = default;
    // A copy of the newest state.
    virtual ClusterState state() const = 0;
    // Increases whenever state() has changed; 0: unknown.
    virtual std::uint64_t revision() const { return 0; }
    // Index of the newest event.
    virtual std::uint64_t committed() const = 0;
    virtual EventPage eventsSince(std::uint64_t cursor, std::size_t max) const = 0;
    // The run's clock.
    virtual std::int64_t nowNs() const = 0;
};

} // namespace lhrs::gui
