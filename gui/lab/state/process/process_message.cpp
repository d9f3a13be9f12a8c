// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/process/process_message.h"

#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/state/process/message_fields.h"

namespace lhrs::gui {

namespace {

template <class State, class Info> void copyInfo(State& state, Info& row)
{
    LHRS_FIELD(id, node);
    LHRS_FIELD(kind, kind);
    LHRS_FIELD(name, name);
    LHRS_FIELD(pid, pid);
    LHRS_FIELD(eventsEndpoint, events_endpoint);
    LHRS_FIELD(controlEndpoint, control_endpoint);
    LHRS_FIELD(version, version);
    LHRS_FIELD(host, host);
    LHRS_FIELD(pool, pool);
}

template <class State, class Row> void copyProcess(State& state, Row& row)
{
    LHRS_FIELD(address, address);
    LHRS_FIELD(hasEnded, has_ended);
    LHRS_FIELD(endReason, end_reason);
    LHRS_FIELD(endedNs, ended_ns);
    LHRS_FIELD(isPaused, is_paused);
    LHRS_FIELD(isGated, is_gated);
    LHRS_FIELD(clockOffsetNs, clock_offset_ns);
    LHRS_FIELD(clockErrorNs, clock_error_ns);
    LHRS_FIELD(clockAppliedNs, clock_applied_ns);
    LHRS_LIST(cuts, cuts);
    LHRS_FIELD(isInvited, is_invited);
    LHRS_FIELD(offer.invitation, invitation);
    LHRS_FIELD(offer.sinceNs, offered_ns);
    LHRS_FIELD(offer.expiresMs, offer_expires_ms);
    LHRS_MESSAGE(place, place);
    LHRS_FIELD(incarnation, incarnation);
    LHRS_FIELD(sequence, sequence);
    LHRS_FIELD(contained, contained);
    LHRS_FIELD(lastEventNs, last_event_ns);
    LHRS_FIELD(lostEvents, lost_events);
    LHRS_FIELD(heardNs, heard_ns);
    LHRS_FIELD(isIncomplete, is_incomplete);
    LHRS_MESSAGE(gauges, gauges);
}

template <class State, class Row> void copyClient(State& state, Row& row)
{
    LHRS_FIELD(process, process);
    LHRS_FIELD(name, name);
    LHRS_FIELD(operations, operations);
    LHRS_FIELD(forwards, forwards);
    LHRS_FIELD(resends, resends);
    LHRS_FIELD(done, done);
    LHRS_FIELD(isHeld, is_held);
}

} // namespace

void write(const ProcessState& from, pb::Keyframe::Process& out)
{
    copyInfo(from, *out.mutable_info());
    copyProcess(from, out);
    for (const auto& [number, fault] : from.faults)
        *out.add_faults() = *fault.what;
    for (const Trouble& trouble : from.troubles) {
        auto& row = *out.add_troubles();
        row.set_from_ns(trouble.fromNs);
        row.set_to_ns(trouble.toNs);
        row.set_reaches_others(trouble.reachesOthers);
    }
    for (const NodeSampleState& taken : from.samples) {
        auto& sample = *out.add_samples();
        sample.set_t_ns(taken.runNs);
        *sample.mutable_sample() = *taken.sample;
    }
}

ProcessState read(const pb::Keyframe::Process& from)
{
    ProcessState process;
    copyInfo(process, from.info());
    copyProcess(process, from);
    for (const pb::Fault& fault : from.faults())
        process.faults[fault.number()] = { faultWords(fault, process.id), std::make_shared<pb::Fault>(fault) };
    for (const auto& row : from.troubles())
        process.troubles.push_back({ row.from_ns(), row.to_ns(), row.reaches_others() });
    for (const auto& taken : from.samples())
        process.samples.push_back({ taken.t_ns(), std::make_shared<const pb::NodeSample>(taken.sample()) });
    return process;
}

void write(const ClientState& from, pb::Keyframe::Client& out)
{
    copyClient(from, out);
    for (const std::uint64_t count : from.hops)
        out.add_hops(count);
}

ClientState read(const pb::Keyframe::Client& from)
{
    ClientState client;
    copyClient(client, from);
    for (int i = 0; i < std::min(from.hops_size(), int(client.hops.size())); ++i)
        client.hops[std::size_t(i)] = from.hops(i);
    return client;
}

} // namespace lhrs::gui
