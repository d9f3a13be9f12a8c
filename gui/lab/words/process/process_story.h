// SPDX-License-Identifier: GPL-3.0-or-later
// The story's sentences about processes of any system, as functions of plain values.
#pragma once

#include "gui/lab/state/process/run_state.h"

#include <QString>

#include <cstdint>
#include <string>
#include <vector>

namespace lhrs::gui {

namespace words {

using Names = std::vector<std::string>;

std::string listed(const Names& names); // "alice, node-2 and node-3"; a long list is cut
std::string duration(std::int64_t ns); // "12 ms", "1.4 s"
// Singular or plural verb.
inline const char* isOrAre(bool isOne) { return isOne ? " is " : " are "; }

} // namespace words

// How a system speaks of its processes: each has a name, and it may have a place in the system.
class ProcessNames {
public:
    explicit ProcessNames(const RunState& known) : state(known) { }
    virtual ~ProcessNames() = default;
    ProcessNames(const ProcessNames&) = delete;
    ProcessNames& operator=(const ProcessNames&) = delete;

    // The place at which the event's process publishes it, for example "node 17"; empty: none.
    virtual std::string placeOf(const pb::Event& event) const = 0;
    // The place that the process holds now; empty if it holds none, or another process has its place.
    virtual std::string placeOf(const ProcessState& process) const = 0;
    // The names as one list, in an order for reading.
    virtual std::string together(const words::Names& names) const = 0;
    // Capitalizes the start of a sentence, except the name of a process.
    virtual std::string capital(std::string text) const = 0;
    // The process with which all others register, as the subject of a sentence.
    virtual std::string coordinator() const { return "the coordinator"; }
    virtual QString coordinatorEnded(bool isOnPurpose) const = 0;
    // A process by its place, else as the coordinator, else by its name.
    std::string shown(const ProcessState& process) const;

    const RunState& state;
};

namespace words {

// `what`: what the fault does at the first of them.
QString faultBegun(const ProcessNames& say, const Names& processes, const pb::Fault& fault, const std::string& what);
// A partition, told at its first side.
QString partition(const ProcessNames& say, const Names& side, const Names& others, pb::FaultWay way);
// A partition with all others on its other side, which are told of it too.
QString isolated(const ProcessNames& say, const Names& processes);
QString faultEnded(
    const ProcessNames& say, const std::string& process, std::uint32_t count, const pb::FaultEnded& told);
QString killed(const ProcessNames& say, const Names& places);
// place "": it had none
QString ended(const ProcessNames& say, const std::string& place, const std::string& process, const std::string& reason);
QString manyEnded(std::uint32_t count);
QString paused(const ProcessNames& say, const std::string& name);
QString goesOn(const ProcessNames& say, const std::string& name);
QString memoryFull(const ProcessNames& say, const std::string& name, bool isFull);
QString held(const std::string& name, std::uint32_t count, bool isHeld);
QString gated(const ProcessNames& say, const std::string& name, std::uint32_t count, bool isGated);

} // namespace words

} // namespace lhrs::gui
