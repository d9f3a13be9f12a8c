// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/keyframe.h"

#include "gui/lab/state/process/message_fields.h"
#include "gui/lab/state/process/process_message.h"

namespace lhrs::gui {

namespace {

template <class State, class Row> void copyCounts(State& state, Row& row)
{
    LHRS_FIELD(system, system);
    LHRS_FIELD(isSimulated, is_simulated);
    LHRS_FIELD(events, events);
    LHRS_FIELD(lost, lost);
}

} // namespace

pb::Keyframe keyframeOf(const ClusterState& state, bool isWhole)
{
    pb::Keyframe out;
    copyCounts(state, out);
    for (const auto& [id, process] : state.processes)
        write(process, *out.add_processes());
    for (const auto& [id, client] : state.clients)
        write(client, *out.add_clients());
    writeFile(state, isWhole, out);
    if (state.system == walk::kSystem)
        state.ring.writeTo(*out.mutable_walk());
    return out;
}

Result<ClusterState> stateOf(const pb::Keyframe& keyframe, const PageSource& pages)
{
    ClusterState state;
    copyCounts(state, keyframe);
    for (const auto& process : keyframe.processes())
        state.processes[process.info().node()] = read(process);
    for (const auto& client : keyframe.clients())
        state.clients[client.process()] = read(client);
    if (const auto error = readFile(keyframe, pages, state))
        return *error;
    if (keyframe.has_walk())
        state.ring = walk::RingView::of(keyframe.walk());
    return state;
}

} // namespace lhrs::gui
