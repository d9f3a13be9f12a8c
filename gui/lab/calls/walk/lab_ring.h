// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_system.h"

namespace lhrs::gui {

// Adds ring, join, leave, lookUp.
class RingLab : public LabSystem {
public:
    Words words() const override;
    void addCalls(Lab& lab, LabContext& context) const override;
    LabResult<QJSValue> start(LabContext& context, const Arguments& o) const override;
    // Waits until the ring is at rest, and returns the same as lab.ring.
    LabResult<QJSValue> settle(LabContext& context, double timeout) const override;
    // No join or leave is under way.
    bool isAtRest(const ClusterState& state) const override;
    // ring: {nodes: [{name, id, keys}], by id; joins, leaves}
    void addState(const ClusterState& state, QJSEngine& engine, QJSValue& value) const override;
};

} // namespace lhrs::gui
