// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/run_series.h"

#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/state/keyframe.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::int64_t kElsewhere = std::int64_t(24) * 3'600 * 1'000'000'000;

SeriesOperation seriesOperation(pb::OperationKind kind)
{
    return kind == pb::INSERT ? SeriesOperation::Insert
        : kind == pb::UPDATE  ? SeriesOperation::Update
        : kind == pb::DELETE  ? SeriesOperation::Delete
                              : SeriesOperation::Search;
}

std::uint64_t shadeOf(pb::Role role, std::uint32_t group, std::uint32_t index)
{
    return std::uint64_t(role == pb::PARITY ? parityPlace(group, index) : dataPlace(index));
}

} // namespace

void SeriesLevel::add(double value)
{
    min = isKnown ? std::min(min, value) : value;
    max = isKnown ? std::max(max, value) : value;
    last = value;
    isKnown = true;
}

void SeriesLevel::merge(const SeriesLevel& later)
{
    if (!later.isKnown)
        return;
    min = isKnown ? std::min(min, later.min) : later.min;
    max = isKnown ? std::max(max, later.max) : later.max;
    last = later.last;
    isKnown = true;
}

std::uint64_t TimeSlice::done() const
{
    std::uint64_t sum = 0;
    for (const PerKind& kind : kinds)
        sum += kind.done;
    return sum;
}

void TimeSlice::merge(const TimeSlice& later)
{
    endNs = later.endNs;
    lostEvents += later.lostEvents;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        kinds[i].done += later.kinds[i].done;
        kinds[i].observed += later.kinds[i].observed;
        kinds[i].messages += later.kinds[i].messages;
        kinds[i].forwards += later.kinds[i].forwards;
        kinds[i].latency.merge(later.kinds[i].latency);
    }
    for (std::size_t i = 0; i < levels.size(); ++i)
        levels[i].merge(later.levels[i]);
}

// ---- time

void RunSeries::halve()
{
    for (std::size_t i = 0; 2 * i < m_slices.size(); ++i) {
        TimeSlice slice = std::move(m_slices[2 * i]);
        slice.endNs = slice.beginNs + 2 * m_sliceNs;
        if (2 * i + 1 < m_slices.size()) {
            slice.merge(m_slices[2 * i + 1]);
        }
        m_slices[i] = std::move(slice);
    }
    m_slices.resize((m_slices.size() + 1) / 2);
    m_sliceNs *= 2;
}

// The slice of that time; earlier times belong to the first slice.
TimeSlice& RunSeries::at(std::int64_t runNs)
{
    if (m_slices.empty())
        m_originNs = runNs - (runNs % m_sliceNs + m_sliceNs) % m_sliceNs;
    // Limits the length of the run if a clock is wildly wrong.
    const std::int64_t passed = std::clamp<std::int64_t>(
                                    runNs, m_originNs, std::numeric_limits<std::int64_t>::max() / 4)
        - m_originNs;
    while (std::size_t(passed / m_sliceNs) >= m_limits.slicesMax)
        halve();
    const auto index = std::size_t(passed / m_sliceNs);
    while (m_slices.size() <= index) {
        TimeSlice& slice = m_slices.emplace_back();
        slice.beginNs = m_originNs + std::int64_t(m_slices.size() - 1) * m_sliceNs;
        slice.endNs = slice.beginNs + m_sliceNs;
    }
    return m_slices[index];
}

// A simulated cluster has its own time. If it is far away, the former slices cannot share an axis with it and are
// dropped.
void RunSeries::restartIfElsewhere(std::int64_t runNs)
{
    if (!std::exchange(m_isOther, false) || m_slices.empty() || (runNs >= m_originNs && runNs < endNs() + kElsewhere))
        return;
    m_slices.clear();
    m_shades.clear();
    m_recoveries.clear();
    m_sliceNs = std::max<std::int64_t>(1, m_limits.sliceNs);
}

std::vector<TimeSlice> RunSeries::columns(std::int64_t fromNs, std::int64_t toNs, std::size_t max) const
{
    std::vector<TimeSlice> out;
    if (m_slices.empty() || max == 0 || toNs <= fromNs)
        return out;
    const auto indexOf = [&](std::int64_t ns) {
        return std::size_t(
            std::clamp<std::int64_t>((ns - m_originNs) / m_sliceNs, 0, std::int64_t(m_slices.size()) - 1));
    };
    const std::size_t first = indexOf(fromNs), last = indexOf(toNs - 1);
    const std::size_t step = (last - first) / max + 1;
    std::array<SeriesLevel, kSeriesLevels> held;
    for (std::size_t i = 0; i < first; ++i)
        for (std::size_t l = 0; l < kSeriesLevels; ++l)
            held[l].merge(m_slices[i].levels[l]);
    out.reserve((last - first) / step + 1);
    for (std::size_t i = first; i <= last; i += step) {
        TimeSlice column = m_slices[i];
        for (std::size_t j = i + 1; j < std::min(i + step, last + 1); ++j)
            column.merge(m_slices[j]);
        for (std::size_t l = 0; l < kSeriesLevels; ++l) {
            // A level at the start of the column also holds inside it.
            SeriesLevel level;
            if (held[l].isKnown)
                level.add(held[l].last);
            level.merge(column.levels[l]);
            column.levels[l] = held[l] = level;
        }
        out.push_back(std::move(column));
    }
    return out;
}

RunSeries RunSeries::shown() const
{
    RunSeries copy(m_limits);
    copy.m_sliceNs = m_sliceNs;
    copy.m_originNs = m_originNs;
    copy.m_slices = m_slices;
    copy.m_recoveries = m_recoveries;
    copy.m_shades = m_shades;
    copy.m_m = m_m;
    copy.m_k = m_k;
    return copy;
}

// ---- levels of processes

RunSeries::Holder RunSeries::holderOf(ProcessId process) const
{
    const auto known = m_holders.find(process);
    return known == m_holders.end() ? Holder() : known->second;
}

void RunSeries::set(ProcessId process, const Holder& holder, std::int64_t runNs)
{
    const Holder before = holderOf(process);
    const auto data = [](const Holder& h, std::uint64_t value) { return h.role == pb::DATA ? value : 0; };
    const auto parity = [](const Holder& h, std::uint64_t value) { return h.role == pb::PARITY ? value : 0; };
    m_records += data(holder, holder.records) - data(before, before.records);
    m_dataBytes += data(holder, holder.storeBytes) - data(before, before.storeBytes);
    m_parityBytes += parity(holder, holder.storeBytes) - parity(before, before.storeBytes);
    m_memoryBytes += holder.memoryBytes - before.memoryBytes;
    m_holders[process] = holder;
    note(runNs);
}

void RunSeries::note(std::int64_t runNs)
{
    TimeSlice& slice = at(runNs);
    const auto level = [&](SeriesLevelKind kind) -> SeriesLevel& { return slice.levels[std::size_t(kind)]; };
    if (m_buckets == 0)
        return;
    level(SeriesLevelKind::Buckets).add(m_buckets);
    level(SeriesLevelKind::Records).add(double(m_records));
    if (m_b > 0)
        level(SeriesLevelKind::Load).add(double(m_records) / (double(m_b) * m_buckets));
    if (m_dataBytes + m_parityBytes > 0) {
        level(SeriesLevelKind::DataBytes).add(double(m_dataBytes));
        level(SeriesLevelKind::ParityBytes).add(double(m_parityBytes));
    }
    if (m_memoryBytes > 0)
        level(SeriesLevelKind::MemoryBytes).add(double(m_memoryBytes));
}

void RunSeries::learn(const ClusterState& state, std::int64_t runNs)
{
    m_holders.clear();
    m_records = m_dataBytes = m_parityBytes = m_memoryBytes = 0;
    m_buckets = state.file.buckets;
    m_b = state.file.config.b();
    m_m = state.m();
    for (const auto& [number, group] : state.groups)
        m_k = std::max(m_k, group.k);
    if (!state.file.exists && state.processes.empty())
        return;
    for (const auto& [id, process] : state.processes) {
        Holder holder { process.place.role(), 0, process.gauges.store_bytes(), process.gauges.memory_bytes() };
        if (process.hasEnded)
            holder = Holder();
        m_holders[id] = holder;
        m_dataBytes += holder.role == pb::DATA ? holder.storeBytes : 0;
        m_parityBytes += holder.role == pb::PARITY ? holder.storeBytes : 0;
        m_memoryBytes += holder.memoryBytes;
    }
    for (const auto& [number, bucket] : state.data) {
        Holder& holder = m_holders[bucket.process];
        if (holder.role != pb::DATA || state.downOf(bucket) != nullptr)
            continue;
        holder.records = bucket.count;
        m_records += bucket.count;
    }
    note(runNs);
}

// ---- operations

// Null: it was dropped before its end, so that its messages are unknown.
RunSeries::Open* RunSeries::openOf(const pb::RequestId& id)
{
    const OperationKey key { id.client(), id.number() };
    if (m_forgotten.contains(key))
        return nullptr;
    const auto [at, isNew] = m_open.try_emplace(key);
    if (!isNew)
        return &at->second;
    m_openOrder.push_back(key);
    if (m_openOrder.size() > kOperationsOpen) {
        const auto oldest = m_open.find(m_openOrder.front());
        if (!oldest->second.isDone && m_forgotten.size() < kOperationsOpen)
            m_forgotten.insert(oldest->first);
        m_open.erase(oldest);
        m_openOrder.pop_front();
    }
    return &at->second;
}

// A server's report may arrive before that of the client that began the operation.
void RunSeries::countMessage(const pb::RequestId& id)
{
    Open* known = openOf(id);
    if (known == nullptr)
        return;
    Open& open = *known;
    ++open.messages;
    if (!open.isDone)
        return;
    // Reported by another process after the client's report.
    TimeSlice::PerKind& kind = at(open.doneNs).kinds[std::size_t(open.kind)];
    kind.observed += open.messages == 1 ? 1 : 0;
    ++kind.messages;
}

void RunSeries::takeDone(const pb::Event& event, std::int64_t runNs)
{
    const pb::OperationDone& done = event.operation_done();
    const SeriesOperation operation = seriesOperation(done.kind());
    TimeSlice::PerKind& kind = at(runNs).kinds[std::size_t(operation)];
    ++kind.done;
    kind.forwards += done.forwards();
    kind.latency.add(done.time_ns());
    Open* known = openOf(event.operation());
    m_forgotten.erase({ event.operation().client(), event.operation().number() });
    if (known == nullptr || known->isDone)
        return;
    Open& open = *known;
    open.isDone = true;
    open.doneNs = runNs;
    open.kind = operation;
    kind.observed += open.messages > 0 ? 1 : 0;
    kind.messages += open.messages;
}

// ---- faults and failures

void RunSeries::begin(SeriesShade::Kind kind, std::uint64_t id, std::int64_t runNs, std::string words)
{
    for (const SeriesShade& shade : m_shades)
        if (shade.kind == kind && shade.id == id && shade.endNs == 0)
            return; // the same condition at another process
    if (m_shades.size() >= m_limits.shadesMax)
        m_shades.pop_front();
    m_shades.push_back({ kind, id, runNs, 0, std::move(words) });
}

void RunSeries::end(SeriesShade::Kind kind, std::uint64_t id, std::int64_t runNs)
{
    for (SeriesShade& shade : m_shades)
        if (shade.kind == kind && shade.id == id && (shade.endNs == 0 || kind == SeriesShade::Kind::Fault))
            shade.endNs = std::max(runNs, shade.beginNs + 1);
}

// The kills armed at this process have happened.
void RunSeries::endOf(ProcessId process, std::int64_t runNs)
{
    set(process, {}, runNs);
    if (const auto kills = m_kills.find(process); kills != m_kills.end()) {
        for (const std::uint64_t number : kills->second)
            end(SeriesShade::Kind::Fault, number, runNs);
        m_kills.erase(kills);
    }
}

void RunSeries::takeFailures(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    if (event.has_fault_begun()) {
        const pb::Fault& fault = event.fault_begun().fault();
        const auto isSame = [&fault](const SeriesShade& shade) {
            return shade.kind == SeriesShade::Kind::Fault && shade.id == fault.number();
        };
        if (isInstant(fault) && std::any_of(m_shades.begin(), m_shades.end(), isSame))
            return; // it still holds at another process
        begin(SeriesShade::Kind::Fault, fault.number(), runNs, faultWords(fault));
        if (isInstant(fault))
            m_shades.back().endNs = runNs + 1;
        else if (fault.has_crash())
            m_kills[process].insert(fault.number());
    } else if (event.has_fault_ended()) {
        end(SeriesShade::Kind::Fault, event.fault_ended().fault().number(), runNs);
        m_kills[process].erase(event.fault_ended().fault().number()); // healed before it acted
    } else if (event.has_gate_closed()) {
        begin(SeriesShade::Kind::Gate, 0, runNs, "gated");
    } else if (event.has_gate_opened()) {
        end(SeriesShade::Kind::Gate, 0, runNs);
    } else if (event.has_bucket_failed()) {
        const pb::BucketFailed& e = event.bucket_failed();
        const std::string name = e.role() == pb::PARITY
            ? "parity " + std::to_string(e.group()) + "." + std::to_string(e.index())
            : "data " + std::to_string(e.index());
        begin(SeriesShade::Kind::Failure, shadeOf(e.role(), e.group(), e.index()), runNs, name + " failed");
        Holder holder = holderOf(e.process());
        holder.records = holder.storeBytes = 0;
        if (e.process() != 0)
            set(e.process(), holder, runNs);
    } else if (event.has_recovery_finished()) {
        for (const std::uint32_t bucket : event.recovery_finished().buckets())
            end(SeriesShade::Kind::Failure, shadeOf(pb::DATA, 0, bucket), runNs);
    } else if (event.has_parity_added()) {
        end(SeriesShade::Kind::Failure,
            shadeOf(pb::PARITY, event.parity_added().group(), event.parity_added().column()), runNs);
        m_k = std::max(m_k, event.parity_added().k());
    } else if (event.has_loss_acknowledged()) {
        for (const std::uint32_t bucket : event.loss_acknowledged().buckets())
            end(SeriesShade::Kind::Failure, shadeOf(pb::DATA, 0, bucket), runNs);
    }
}

// ---- the file

void RunSeries::takeStructure(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    const bool isData = event.place().role() == pb::DATA;
    const auto count = [&](std::uint64_t records) {
        Holder holder = holderOf(process);
        holder.role = event.place().role();
        holder.records = records;
        set(process, holder, runNs);
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
        set(process,
            { event.place().role(), isData ? gauges.records() : 0, gauges.store_bytes(), gauges.memory_bytes() },
            runNs);
    } else if (event.has_node_recruited()) {
        Holder holder = holderOf(process);
        holder.role = event.place().role();
        holder.records = holder.storeBytes = 0;
        set(process, holder, runNs);
    } else if (event.has_node_released()) {
        Holder holder = holderOf(process);
        holder.role = pb::NO_ROLE;
        holder.records = holder.storeBytes = 0;
        set(process, holder, runNs);
    } else if (event.has_process_ended()) {
        endOf(process, runNs);
    } else if (event.has_file_created()) {
        m_b = event.file_created().config().b();
        m_m = event.file_created().config().m();
        m_k = std::max(m_k, event.file_created().config().availability());
        m_buckets = std::max(m_buckets, 1u);
        note(runNs);
    } else if (event.has_group_created()) {
        m_k = std::max(m_k, event.group_created().k());
    } else if (event.has_file_state_changed()) {
        m_buckets = event.file_state_changed().buckets();
        note(runNs);
    } else if (event.has_coordinator_rebuilt()) {
        m_buckets = event.coordinator_rebuilt().buckets();
        note(runNs);
    }
}

// ---- input

void RunSeries::take(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    restartIfElsewhere(runNs);
    m_hasEvents = true;
    using B = pb::Event;
    switch (int(event.body_case())) {
    case B::kOperationStarted: openOf(event.operation()); break;
    case B::kOperationDone: takeDone(event, runNs); break;
    case B::kMessageSent:
        if (event.operation().client() != 0)
            countMessage(event.operation());
        break;
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
    case B::kCoordinatorRebuilt: takeStructure(process, event, runNs); break;
    case B::kProcessEnded:
        takeStructure(process, event, runNs);
        m_recoveries.take(process, event, runNs);
        break;
    case B::kFaultBegun:
    case B::kFaultEnded:
    case B::kGateClosed:
    case B::kGateOpened:
    case B::kLossAcknowledged: takeFailures(process, event, runNs); break;
    case B::kBucketFailed:
    case B::kRecoveryFinished:
    case B::kParityAdded:
        takeFailures(process, event, runNs);
        m_recoveries.take(process, event, runNs);
        break;
    case B::kRecoveryStarted:
    case B::kSliceRecovered:
    case B::kGroupLost: m_recoveries.take(process, event, runNs); break;
    default: break; // irrelevant for charts
    }
}

// Ends its faults, failures and operations; the next cluster reuses their numbers.
void RunSeries::forgetCluster(std::int64_t runNs)
{
    m_isOther = true;
    for (SeriesShade& shade : m_shades)
        if (shade.endNs == 0)
            shade.endNs = std::max(runNs, shade.beginNs + 1);
    m_holders.clear();
    m_kills.clear();
    m_open.clear();
    m_openOrder.clear();
    m_forgotten.clear();
    m_records = m_dataBytes = m_parityBytes = m_memoryBytes = 0;
    m_buckets = m_b = m_m = m_k = 0;
    if (std::exchange(m_hasEvents, false))
        setCluster(m_cluster + 1);
}

void RunSeries::setCluster(std::uint32_t number)
{
    m_cluster = number;
    m_recoveries.setCluster(number);
}

void RunSeries::take(ProcessId process, const pb::Told& told, std::int64_t runNs)
{
    if (told.has_ended()) {
        endOf(process, runNs);
        m_recoveries.takeEnd(process, runNs);
    } else if (told.has_forgotten()) {
        forgetCluster(runNs);
    } else if (told.has_gap()) {
        at(runNs).lostEvents += told.gap().last() - told.gap().first() + 1;
    } else if (told.has_snapshot()) {
        const pb::Snapshot& snapshot = told.snapshot();
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
        set(process, holder, runNs);
    }
}

void RunSeries::take(const RunEvent& run)
{
    if (run.isGap())
        at(run.runNs).lostEvents += run.gapLast - run.gapFirst + 1;
    else
        take(run.process, *run.event, run.runNs);
}

} // namespace lhrs::gui
