// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/lhrs/file_series.h"

#include "gui/lab/state/lhrs/place_numbers.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

std::uint64_t shadeOf(pb::Role role, std::uint32_t group, std::uint32_t index)
{
    return std::uint64_t(role == pb::PARITY ? parityPlace(group, index) : dataPlace(index));
}

} // namespace

// ---- levels of processes

FileSeries::Holder FileSeries::holderOf(ProcessId process) const
{
    const auto known = m_holders.find(process);
    return known == m_holders.end() ? Holder() : known->second;
}

void FileSeries::set(TimeSeries& run, ProcessId process, const Holder& holder, std::int64_t runNs)
{
    const Holder before = holderOf(process);
    const auto data = [](const Holder& h, std::uint64_t value) { return h.role == pb::DATA ? value : 0; };
    const auto parity = [](const Holder& h, std::uint64_t value) { return h.role == pb::PARITY ? value : 0; };
    m_records += data(holder, holder.records) - data(before, before.records);
    m_dataBytes += data(holder, holder.storeBytes) - data(before, before.storeBytes);
    m_parityBytes += parity(holder, holder.storeBytes) - parity(before, before.storeBytes);
    m_holders[process] = holder;
    note(run, runNs);
}

void FileSeries::note(TimeSeries& run, std::int64_t runNs)
{
    TimeBin& bin = run.at(runNs);
    if (m_buckets == 0)
        return;
    m_isThere = true;
    bin.level(SeriesLevelKind::Buckets).add(m_buckets);
    bin.level(SeriesLevelKind::Records).add(double(m_records));
    if (m_b > 0)
        bin.level(SeriesLevelKind::Load).add(double(m_records) / (double(m_b) * m_buckets));
    if (m_dataBytes + m_parityBytes > 0) {
        bin.level(SeriesLevelKind::DataBytes).add(double(m_dataBytes));
        bin.level(SeriesLevelKind::ParityBytes).add(double(m_parityBytes));
    }
}

void FileSeries::learn(TimeSeries& run, const FileView& state, std::int64_t runNs)
{
    m_holders.clear();
    m_records = m_dataBytes = m_parityBytes = 0;
    m_buckets = state.file.buckets;
    m_b = state.file.config.b();
    m_m = state.m();
    for (const auto& [number, group] : state.groups)
        m_k = std::max(m_k, group.k);
    if (!state.file.exists && state.processes.empty())
        return;
    for (const auto& [id, process] : state.processes) {
        Holder holder { process.place.role(), 0, process.gauges.store_bytes() };
        if (process.hasEnded)
            holder = Holder();
        m_holders[id] = holder;
        m_dataBytes += holder.role == pb::DATA ? holder.storeBytes : 0;
        m_parityBytes += holder.role == pb::PARITY ? holder.storeBytes : 0;
    }
    for (const auto& [number, bucket] : state.data) {
        Holder& holder = m_holders[bucket.process];
        if (holder.role != pb::DATA || state.downOf(bucket) != nullptr)
            continue;
        holder.records = bucket.count;
        m_records += bucket.count;
    }
    note(run, runNs);
}

// ---- failures

void FileSeries::takeFailures(TimeSeries& run, const pb::Event& event, std::int64_t runNs)
{
    if (event.has_bucket_failed()) {
        const pb::BucketFailed& e = event.bucket_failed();
        const std::string name = e.role() == pb::PARITY
            ? "parity " + std::to_string(e.group()) + "." + std::to_string(e.index())
            : "data " + std::to_string(e.index());
        run.begin(SeriesShade::Kind::Failure, shadeOf(e.role(), e.group(), e.index()), runNs, name + " failed");
        Holder holder = holderOf(e.process());
        holder.records = holder.storeBytes = 0;
        if (e.process() != 0)
            set(run, e.process(), holder, runNs);
    } else if (event.has_recovery_finished()) {
        for (const std::uint32_t bucket : event.recovery_finished().buckets())
            run.end(SeriesShade::Kind::Failure, shadeOf(pb::DATA, 0, bucket), runNs);
    } else if (event.has_parity_added()) {
        run.end(SeriesShade::Kind::Failure,
            shadeOf(pb::PARITY, event.parity_added().group(), event.parity_added().column()), runNs);
        m_k = std::max(m_k, event.parity_added().k());
    } else if (event.has_loss_acknowledged()) {
        for (const std::uint32_t bucket : event.loss_acknowledged().buckets())
            run.end(SeriesShade::Kind::Failure, shadeOf(pb::DATA, 0, bucket), runNs);
    }
}

// ---- the file

void FileSeries::takeStructure(TimeSeries& run, ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    const bool isData = event.place().role() == pb::DATA;
    const auto count = [&](std::uint64_t records) {
        Holder holder = holderOf(process);
        holder.role = event.place().role();
        holder.records = records;
        set(run, process, holder, runNs);
    };
    if (event.has_record_inserted() && isData) {
        count(event.record_inserted().count());
    } else if (event.has_record_deleted() && isData) {
        count(event.record_deleted().count());
    } else if (event.has_records_changed() && isData) {
        count(event.records_changed().count());
    } else if (event.has_split_applied() && isData) {
        count(event.split_applied().count());
    } else if (event.has_slice_stored() && isData) {
        count(event.slice_stored().count());
    } else if (event.has_gauges()) {
        const pb::Gauges& gauges = event.gauges();
        set(run, process, { event.place().role(), isData ? gauges.records() : 0, gauges.store_bytes() }, runNs);
    } else if (event.has_node_recruited()) {
        Holder holder = holderOf(process);
        holder.role = event.place().role();
        holder.records = holder.storeBytes = 0;
        set(run, process, holder, runNs);
    } else if (event.has_node_released()) {
        Holder holder = holderOf(process);
        holder.role = pb::NO_ROLE;
        holder.records = holder.storeBytes = 0;
        set(run, process, holder, runNs);
    } else if (event.has_process_ended()) {
        set(run, process, {}, runNs);
    } else if (event.has_file_created()) {
        m_b = event.file_created().config().b();
        m_m = event.file_created().config().m();
        m_k = std::max(m_k, event.file_created().config().availability());
        m_buckets = std::max(m_buckets, 1u);
        note(run, runNs);
    } else if (event.has_group_created()) {
        m_k = std::max(m_k, event.group_created().k());
    } else if (event.has_file_state_changed()) {
        m_buckets = event.file_state_changed().buckets();
        note(run, runNs);
    } else if (event.has_coordinator_rebuilt()) {
        m_buckets = event.coordinator_rebuilt().buckets();
        note(run, runNs);
    }
}

// ---- input

const std::vector<int>& FileSeries::kinds()
{
    using E = pb::Event;
    static const std::vector<int> kKinds { E::kRecordInsertedFieldNumber, E::kRecordDeletedFieldNumber,
        E::kRecordsChangedFieldNumber, E::kSplitAppliedFieldNumber, E::kSliceStoredFieldNumber, E::kGaugesFieldNumber,
        E::kNodeRecruitedFieldNumber, E::kNodeReleasedFieldNumber, E::kProcessEndedFieldNumber,
        E::kFileCreatedFieldNumber, E::kGroupCreatedFieldNumber, E::kFileStateChangedFieldNumber,
        E::kCoordinatorRebuiltFieldNumber, E::kBucketFailedFieldNumber, E::kRecoveryStartedFieldNumber,
        E::kSliceRecoveredFieldNumber, E::kRecoveryFinishedFieldNumber, E::kParityAddedFieldNumber,
        E::kGroupLostFieldNumber, E::kLossAcknowledgedFieldNumber };
    return kKinds;
}

void FileSeries::take(TimeSeries& run, ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    using B = pb::Event;
    switch (int(event.body_case())) {
    case B::kRecordInserted:
    case B::kRecordDeleted:
    case B::kRecordsChanged:
    case B::kSplitApplied:
    case B::kSliceStored:
    case B::kGauges:
    case B::kNodeRecruited:
    case B::kNodeReleased:
    case B::kFileCreated:
    case B::kGroupCreated:
    case B::kFileStateChanged:
    case B::kCoordinatorRebuilt: takeStructure(run, process, event, runNs); break;
    case B::kProcessEnded:
        takeStructure(run, process, event, runNs);
        m_recoveries.take(process, event, runNs);
        break;
    case B::kLossAcknowledged: takeFailures(run, event, runNs); break;
    case B::kBucketFailed:
    case B::kRecoveryFinished:
    case B::kParityAdded:
        takeFailures(run, event, runNs);
        m_recoveries.take(process, event, runNs);
        break;
    case B::kRecoveryStarted:
    case B::kSliceRecovered:
    case B::kGroupLost: m_recoveries.take(process, event, runNs); break;
    default: break; // irrelevant for charts
    }
}

void FileSeries::take(TimeSeries& run, ProcessId process, const pb::Snapshot& snapshot, std::int64_t runNs)
{
    Holder holder = holderOf(process);
    holder.role = snapshot.has_data() ? pb::DATA : snapshot.has_parity() ? pb::PARITY : pb::NO_ROLE;
    holder.records = snapshot.has_data() ? snapshot.data().count() : 0;
    if (snapshot.has_file() && snapshot.file().exists()) {
        m_b = snapshot.file().config().b();
        m_m = snapshot.file().config().m();
        m_buckets = snapshot.file().buckets();
        for (const auto& group : snapshot.file().groups())
            m_k = std::max(m_k, group.k());
    }
    set(run, process, holder, runNs);
}

void FileSeries::takeEnd(TimeSeries& run, ProcessId process, std::int64_t runNs)
{
    set(run, process, {}, runNs);
    m_recoveries.takeEnd(process, runNs);
}

void FileSeries::forgetCluster()
{
    m_holders.clear();
    m_records = m_dataBytes = m_parityBytes = 0;
    m_buckets = m_b = m_m = m_k = 0;
}

void FileSeries::clear()
{
    m_recoveries.clear();
    m_isThere = false;
}

FileSeries FileSeries::shown() const
{
    FileSeries copy;
    copy.m_recoveries = m_recoveries;
    copy.m_isThere = m_isThere;
    copy.m_m = m_m;
    copy.m_k = m_k;
    return copy;
}

} // namespace lhrs::gui
