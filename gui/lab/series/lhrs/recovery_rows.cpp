// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/lhrs/recovery_rows.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

RecoveryRow* RecoveryRows::find(std::uint32_t group, std::uint64_t recovery)
{
    for (auto row = m_rows.rbegin(); row != m_rows.rend(); ++row)
        if (row->cluster == m_cluster && row->group == group && row->recovery == recovery)
            return &*row;
    return nullptr;
}

RecoveryRow* RecoveryRows::findRecovery(std::uint64_t recovery)
{
    for (auto row = m_rows.rbegin(); row != m_rows.rend(); ++row)
        if (row->cluster == m_cluster && row->recovery == recovery)
            return &*row;
    return nullptr;
}

RecoveryRow& RecoveryRows::rowOf(std::uint32_t group, std::uint64_t recovery, std::int64_t runNs)
{
    if (RecoveryRow* known = find(group, recovery))
        return *known;
    if (m_rows.size() >= m_rowsMax)
        m_rows.pop_front();
    RecoveryRow& row = m_rows.emplace_back();
    row.recovery = recovery;
    row.cluster = m_cluster;
    row.group = group;
    row.beginNs = runNs;
    row.failedParity = m_parityDown[group];
    return row;
}

void RecoveryRows::setCluster(std::uint32_t number)
{
    if (number == m_cluster)
        return;
    for (RecoveryRow& row : m_rows) // its processes were ended
        if (row.cluster == m_cluster && !row.isFinished)
            row.isGivenUp = true;
    m_cluster = number;
    m_storedEarly.clear();
    m_parityDown.clear();
    m_failed.clear();
    m_ended.clear();
}

void RecoveryRows::takeEnd(ProcessId process, std::int64_t runNs)
{
    const auto [at, isNew] = m_ended.try_emplace(process, runNs);
    at->second = std::min(at->second, runNs); // the earliest report counts
}

std::optional<std::int64_t> RecoveryRows::detection(const std::vector<std::pair<ProcessId, std::int64_t>>& failed) const
{
    std::optional<std::int64_t> longest;
    for (const auto& [process, declaredNs] : failed) {
        const auto ended = m_ended.find(process);
        if (ended == m_ended.end() || ended->second > declaredNs)
            return std::nullopt;
        longest = std::max(longest.value_or(0), declaredNs - ended->second);
    }
    return longest;
}

void RecoveryRows::take(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    if (event.has_process_ended())
        takeEnd(process, runNs);
    if (event.has_bucket_failed())
        m_failed[event.bucket_failed().group()].emplace_back(event.bucket_failed().process(), runNs);
    if (event.has_bucket_failed() && event.bucket_failed().role() == pb::PARITY) {
        m_parityDown[event.bucket_failed().group()].push_back(event.bucket_failed().index());
    } else if (event.has_parity_added()) {
        std::erase(m_parityDown[event.parity_added().group()], event.parity_added().column());
    } else if (event.has_group_lost()) {
        for (RecoveryRow& row : m_rows)
            if (row.cluster == m_cluster && row.group == event.group_lost().group() && !row.isFinished)
                row.isGivenUp = true;
    } else if (event.has_recovery_started()) {
        const pb::RecoveryStarted& e = event.recovery_started();
        // A later attempt in the same group replaces an unfinished one.
        for (RecoveryRow& row : m_rows)
            if (row.cluster == m_cluster && row.group == e.group() && row.recovery < e.recovery() && !row.isFinished)
                row.isGivenUp = true;
        RecoveryRow& row = rowOf(e.group(), e.recovery(), runNs);
        row.manager = e.manager();
        row.slice = e.slice();
        row.failedData.assign(e.buckets().begin(), e.buckets().end());
        row.failedParity = m_parityDown[e.group()];
        row.beginNs = row.isOrdered ? std::min(row.beginNs, runNs) : runNs;
        row.isOrdered = true;
    } else if (event.has_slice_recovered()) {
        const pb::SliceRecovered& e = event.slice_recovered();
        // The manager's report may arrive before the coordinator's.
        RecoveryRow& row = rowOf(e.group(), e.recovery(), runNs);
        if (row.perSlice.size() >= m_slicesMax)
            return;
        RecoveryRow::Slice& slice = row.perSlice.emplace_back();
        slice.number = e.number();
        if (const auto early = m_storedEarly.find({ e.recovery(), e.number() }); early != m_storedEarly.end()) {
            slice.storedNs = early->second;
            m_storedEarly.erase(early);
        }
        slice.rankFirst = e.rank_from();
        slice.ranks = e.rank_to() >= e.rank_from() ? e.rank_to() - e.rank_from() + 1 : 0;
        slice.requestedNs = e.requested_ns();
        slice.arrivedNs = e.arrived_ns();
        slice.decodedNs = e.computed_ns();
        slice.recoveredNs = runNs;
        slice.inBytes = e.in_bytes();
        slice.outBytes = e.bytes();
        row.isXor = e.is_xor();
    } else if (event.has_slice_stored()) {
        const pb::SliceStored& e = event.slice_stored();
        bool isKnown = false;
        if (RecoveryRow* row = findRecovery(e.recovery())) {
            for (RecoveryRow::Slice& slice : row->perSlice) {
                if (slice.number != e.number())
                    continue;
                slice.storedNs = std::max(slice.storedNs, runNs);
                isKnown = true;
            }
        }
        if (!isKnown && m_storedEarly.size() < m_slicesMax) {
            std::int64_t& stored = m_storedEarly[{ e.recovery(), e.number() }];
            stored = std::max(stored, runNs);
        }
    } else if (event.has_recovery_finished()) {
        const pb::RecoveryFinished& e = event.recovery_finished();
        RecoveryRow& row = rowOf(e.group(), e.recovery(), runNs);
        row.manager = e.manager();
        row.slice = e.slice();
        row.failedData.assign(e.buckets().begin(), e.buckets().end());
        row.survivors.assign(e.survivors().begin(), e.survivors().end());
        row.records = e.records();
        row.slices = e.slices();
        row.bytes = e.bytes();
        row.isXor = e.is_xor();
        row.isFinished = true;
        row.isGivenUp = false;
        row.wholeNs = e.total_ns();
        row.totalNs = e.rebuild_ns();
        row.processNs = e.process_ns();
        row.communicationNs = e.communication_ns();
        row.otherNs = e.other_ns();
        row.transferNs = e.transfer_ns();
        row.detectNs = detection(std::exchange(m_failed[e.group()], {}));
        row.endNs = runNs;
        if (!row.isOrdered)
            row.beginNs = runNs - e.rebuild_ns();
    }
}

} // namespace lhrs::gui
