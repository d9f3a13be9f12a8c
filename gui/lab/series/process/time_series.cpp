// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/series/process/time_series.h"

#include "gui/lab/state/process/fault_sentences.h"

#include <limits>

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

std::uint64_t TimeBin::done() const
{
    std::uint64_t sum = 0;
    for (const PerKind& kind : kinds)
        sum += kind.done;
    return sum;
}

void TimeBin::merge(const TimeBin& later)
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

void TimeSeries::halve()
{
    for (std::size_t i = 0; 2 * i < m_bins.size(); ++i) {
        TimeBin bin = std::move(m_bins[2 * i]);
        bin.endNs = bin.beginNs + 2 * m_binNs;
        if (2 * i + 1 < m_bins.size()) {
            bin.merge(m_bins[2 * i + 1]);
        }
        m_bins[i] = std::move(bin);
    }
    m_bins.resize((m_bins.size() + 1) / 2);
    m_binNs *= 2;
}

TimeBin& TimeSeries::at(std::int64_t runNs)
{
    if (m_bins.empty())
        m_originNs = runNs - (runNs % m_binNs + m_binNs) % m_binNs;
    // Limits the length of the run if a clock is wildly wrong.
    const std::int64_t passed = std::clamp<std::int64_t>(
                                    runNs, m_originNs, std::numeric_limits<std::int64_t>::max() / 4)
        - m_originNs;
    while (std::size_t(passed / m_binNs) >= m_limits.binsMax)
        halve();
    const auto index = std::size_t(passed / m_binNs);
    while (m_bins.size() <= index) {
        TimeBin& bin = m_bins.emplace_back();
        bin.beginNs = m_originNs + std::int64_t(m_bins.size() - 1) * m_binNs;
        bin.endNs = bin.beginNs + m_binNs;
    }
    return m_bins[index];
}

// A simulated cluster has its own time. If it is far away, the former bins cannot share an axis with it and are
// dropped.
bool TimeSeries::restartIfElsewhere(std::int64_t runNs)
{
    if (!std::exchange(m_isOther, false) || m_bins.empty() || (runNs >= m_originNs && runNs < endNs() + kElsewhere))
        return false;
    m_bins.clear();
    m_shades.clear();
    m_binNs = std::max<std::int64_t>(1, m_limits.binNs);
    return true;
}

std::vector<TimeBin> TimeSeries::columns(std::int64_t fromNs, std::int64_t toNs, std::size_t max) const
{
    std::vector<TimeBin> out;
    if (m_bins.empty() || max == 0 || toNs <= fromNs)
        return out;
    const auto indexOf = [&](std::int64_t ns) {
        return std::size_t(std::clamp<std::int64_t>((ns - m_originNs) / m_binNs, 0, std::int64_t(m_bins.size()) - 1));
    };
    const std::size_t first = indexOf(fromNs), last = indexOf(toNs - 1);
    const std::size_t step = (last - first) / max + 1;
    std::array<SeriesLevel, kSeriesLevels> held;
    for (std::size_t i = 0; i < first; ++i)
        for (std::size_t l = 0; l < kSeriesLevels; ++l)
            held[l].merge(m_bins[i].levels[l]);
    out.reserve((last - first) / step + 1);
    for (std::size_t i = first; i <= last; i += step) {
        TimeBin column = m_bins[i];
        for (std::size_t j = i + 1; j < std::min(i + step, last + 1); ++j)
            column.merge(m_bins[j]);
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

void TimeSeries::showOf(const TimeSeries& all)
{
    m_limits = all.m_limits;
    m_binNs = all.m_binNs;
    m_originNs = all.m_originNs;
    m_bins = all.m_bins;
    m_shades = all.m_shades;
}

// ---- operations

// Null: it was dropped before its end, so that its messages are unknown.
TimeSeries::Open* TimeSeries::openOf(const pb::RequestId& id)
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
void TimeSeries::countMessage(const pb::RequestId& id)
{
    Open* known = openOf(id);
    if (known == nullptr)
        return;
    Open& open = *known;
    ++open.messages;
    if (!open.isDone)
        return;
    // Reported by another process after the client's report.
    TimeBin::PerKind& kind = at(open.doneNs).kinds[std::size_t(open.kind)];
    kind.observed += open.messages == 1 ? 1 : 0;
    ++kind.messages;
}

void TimeSeries::countDone(const pb::Event& event, std::int64_t runNs)
{
    const pb::OperationDone& done = event.operation_done();
    const SeriesOperation operation = seriesOperation(done.kind());
    TimeBin::PerKind& kind = at(runNs).kinds[std::size_t(operation)];
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

void TimeSeries::begin(SeriesShade::Kind kind, std::uint64_t id, std::int64_t runNs, std::string words)
{
    for (const SeriesShade& shade : m_shades)
        if (shade.kind == kind && shade.id == id && shade.endNs == 0)
            return; // the same condition at another process
    if (m_shades.size() >= m_limits.shadesMax)
        m_shades.pop_front();
    m_shades.push_back({ kind, id, runNs, 0, std::move(words) });
}

void TimeSeries::end(SeriesShade::Kind kind, std::uint64_t id, std::int64_t runNs)
{
    for (SeriesShade& shade : m_shades)
        if (shade.kind == kind && shade.id == id && (shade.endNs == 0 || kind == SeriesShade::Kind::Fault))
            shade.endNs = std::max(runNs, shade.beginNs + 1);
}

void TimeSeries::endProcess(ProcessId process, std::int64_t runNs)
{
    setMemory(process, 0, runNs);
    if (const auto kills = m_kills.find(process); kills != m_kills.end()) {
        for (const std::uint64_t number : kills->second)
            end(SeriesShade::Kind::Fault, number, runNs);
        m_kills.erase(kills);
    }
}

void TimeSeries::beginFault(ProcessId process, const pb::Fault& fault, std::int64_t runNs)
{
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
}

// ---- memory

void TimeSeries::setMemory(ProcessId process, std::uint64_t bytes, std::int64_t runNs)
{
    std::uint64_t& held = m_memory[process];
    m_memoryBytes += bytes - held;
    held = bytes;
    noteMemory(runNs);
}

void TimeSeries::noteMemory(std::int64_t runNs)
{
    if (m_memoryBytes > 0)
        at(runNs).level(RunLevel::MemoryBytes).add(double(m_memoryBytes));
}

void TimeSeries::learn(const RunState& state, std::int64_t runNs)
{
    m_memory.clear();
    m_memoryBytes = 0;
    for (const auto& [id, process] : state.processes)
        if (!process.hasEnded)
            m_memoryBytes += m_memory[id] = process.gauges.memory_bytes();
    noteMemory(runNs);
}

// ---- input

const std::vector<int>& TimeSeries::kinds()
{
    using E = pb::Event;
    static const std::vector<int> kKinds { E::kOperationStartedFieldNumber, E::kOperationDoneFieldNumber,
        E::kMessageSentFieldNumber, E::kGaugesFieldNumber, E::kProcessEndedFieldNumber, E::kFaultBegunFieldNumber,
        E::kFaultEndedFieldNumber, E::kGateClosedFieldNumber, E::kGateOpenedFieldNumber };
    return kKinds;
}

void TimeSeries::count(ProcessId process, const pb::Event& event, std::int64_t runNs)
{
    using B = pb::Event;
    switch (int(event.body_case())) {
    case B::kOperationStarted: openOf(event.operation()); break;
    case B::kOperationDone: countDone(event, runNs); break;
    case B::kMessageSent:
        if (event.operation().client() != 0)
            countMessage(event.operation());
        break;
    case B::kGauges: setMemory(process, event.gauges().memory_bytes(), runNs); break;
    case B::kProcessEnded: endProcess(process, runNs); break;
    case B::kFaultBegun: beginFault(process, event.fault_begun().fault(), runNs); break;
    case B::kFaultEnded:
        end(SeriesShade::Kind::Fault, event.fault_ended().fault().number(), runNs);
        m_kills[process].erase(event.fault_ended().fault().number()); // healed before it acted
        break;
    case B::kGateClosed: begin(SeriesShade::Kind::Gate, 0, runNs, "gated"); break;
    case B::kGateOpened: end(SeriesShade::Kind::Gate, 0, runNs); break;
    default: break; // irrelevant for charts, or of one system
    }
}

void TimeSeries::forgetCluster(std::int64_t runNs)
{
    m_isOther = true;
    for (SeriesShade& shade : m_shades)
        if (shade.endNs == 0)
            shade.endNs = std::max(runNs, shade.beginNs + 1);
    m_kills.clear();
    m_memory.clear();
    m_memoryBytes = 0;
    m_open.clear();
    m_openOrder.clear();
    m_forgotten.clear();
}

} // namespace lhrs::gui
