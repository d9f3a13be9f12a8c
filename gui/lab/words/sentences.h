// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/lab/state/event_ring.h"

#include <string>

namespace lhrs::gui {

// "data 5", "parity 1.0" (group 1, parity column 0); "" for no place.
std::string placeName(const pb::Place& place);
// The name of an event's kind, e.g. "RecordInserted"; "" for an empty event.
std::string kindName(const pb::Event& event);
// "alice 12" for the client's operation 12; "" for none.
std::string operationShown(const pb::RequestId& operation, const ClusterState& state);
// A process for the reader: its name, else its number in hexadecimal.
std::string processShown(ProcessId process, const ClusterState& state);
// A member state, an operation kind or a result in words: "splitting", "insert", "not found".
std::string stateWord(pb::MemberState state);
std::string groupStateWord(pb::GroupState state); // "frozen"
std::string recoveryWord(pb::RecoveryWay way); // in the word that scenarios use: "onAlarm"
std::string operationWord(pb::OperationKind kind);
std::string resultWord(pb::ResultCode result);
// "data bucket 3": the server that refuses what would make it grow.
inline std::string fullWords(const pb::FullServer& full)
{
    const std::string number = std::to_string(full.number());
    return full.role() == pb::PARITY ? "parity bucket " + number + "." + std::to_string(full.column())
                                     : "data bucket " + number;
}

// The event as one plain sentence, e.g. "Parity bucket 1.0 applied delta 412 of data bucket 5 to rank 17." `state`
// gives names. Sentences are built when they are shown and are not stored.
std::string sentence(ProcessId process, const pb::Event& event, const ClusterState& state);
// The same for a row of the run, including gaps.
std::string sentence(const RunEvent& event, const ClusterState& state);

} // namespace lhrs::gui
