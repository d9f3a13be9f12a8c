// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/calls/lab_context.h"
#include "gui/lab/calls/lab_values.h"

#include <QJsonObject>

namespace lhrs::gui {

class Lab;

// What `lab` has of one system: calls of its own, and its part in the calls that clusters of any system have.
class LabSystem {
public:
    LabSystem() = default;
    virtual ~LabSystem() = default;
    LabSystem(const LabSystem&) = delete;
    LabSystem& operator=(const LabSystem&) = delete;

    struct Words {
        const char* name; // as lab.cluster and the reference have it: "walk"
        const char* cluster; // "a ring"
        const char* make; // how a script makes one: a sentence
        const char* instead; // what it has in place of the calls of other systems; may be empty
        const char* more; // how a script starts more servers: a sentence
    };
    virtual Words words() const = 0;
    virtual void addCalls(Lab& lab, LabContext& context) const = 0;
    // lab.cluster
    virtual LabResult<QJSValue> start(LabContext& context, const Arguments& o) const = 0;
    // lab.settle
    virtual LabResult<QJSValue> settle(LabContext& context, double timeout) const = 0;
    // Waits until a coordinator that was started again knows its cluster.
    virtual LabResult<bool> awaitCoordinator(const LabContext& /*context*/, double /*timeout*/) const { return true; }
    // Another cluster follows.
    virtual void forget(LabContext& /*context*/) const { }
    // The processes of a target that only this system has; empty: it has no such target.
    virtual LabResult<std::vector<FoundTarget>> find(LabContext& /*context*/, const QJSValue& /*target*/) const
    {
        return std::vector<FoundTarget>();
    }
    // client.verify of one place only: narrows the order to it.
    virtual LabResult<bool> narrow(LabContext& context, const QJSValue& place, pb::Verify& order) const;
    // Adds what an operation's result, or a workload's, has of this system alone.
    virtual void addOperation(const pb::OperationResult& /*done*/, QJSValue& /*value*/) const { }
    virtual void addWorkload(const pb::WorkloadResult& /*done*/, QJSValue& /*value*/) const { }
    // What lab.camera wants of a page of this system, in the words that its window understands.
    virtual LabResult<QJsonObject> pageOf(const Arguments& /*o*/) const { return QJsonObject(); }
    // Whether nothing is under way beside operations of clients, according to the events.
    virtual bool isAtRest(const ClusterState& /*state*/) const { return true; }
    // Adds its part of the state that the judge of an exercise sees.
    virtual void addState(const ClusterState& /*state*/, QJSEngine& /*engine*/, QJSValue& /*value*/) const { }
    virtual void addClient(const ClusterState& /*state*/, ProcessId /*client*/, QJSValue& /*value*/) const { }
};

} // namespace lhrs::gui
