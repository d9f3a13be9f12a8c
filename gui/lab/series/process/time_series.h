// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/event_ring.h"
#include "gui/lab/state/process/run_state.h"
#include "gui/lab/tables/latency_histogram.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

// Kinds of key operations, in the order in which charts list them.
enum class SeriesOperation { Insert, Update, Delete, Search };
inline constexpr std::size_t kSeriesOperations = 4;

// A level that holds until its next change, within one bin of time: its minimum, maximum and last value.
struct SeriesLevel {
    bool isKnown = false;
    double min = 0, max = 0, last = 0;
    void add(double value);
    void merge(const SeriesLevel& later);
};

// The levels of any system; those of one system are numbered after them.
enum class RunLevel { MemoryBytes, End };
inline constexpr std::size_t kSeriesLevels = 6; // room for all of them

// The events in one bin of time.
struct TimeBin {
    std::int64_t beginNs = 0, endNs = 0;
    struct PerKind {
        std::uint64_t done = 0; // operations that ended in this bin
        std::uint64_t observed = 0; // of those, operations whose messages are known
        std::uint64_t messages = 0; // of the observed operations, including retransmissions
        std::uint64_t forwards = 0;
        LatencyHistogram latency;
    };
    std::array<PerKind, kSeriesOperations> kinds;
    std::array<SeriesLevel, kSeriesLevels> levels;
    std::uint64_t lostEvents = 0;

    std::uint64_t done() const;
    // `Kind`: RunLevel, or how a system names its levels.
    template <class Kind> const SeriesLevel& level(Kind kind) const { return levels[std::size_t(kind)]; }
    template <class Kind> SeriesLevel& level(Kind kind) { return levels[std::size_t(kind)]; }
    void merge(const TimeBin& later);
};

// A time of an unusual condition: an injected fault, a failed part of the system, or a closed gate.
struct SeriesShade {
    enum class Kind { Fault, Failure, Gate };
    Kind kind = Kind::Fault;
    std::uint64_t id = 0; // number of the fault, or of the part; 0 for the gate, which is common to all processes
    std::int64_t beginNs = 0, endNs = 0; // endNs 0: not ended
    std::string words;
};

// The run as series over time, in bounded memory: here what clusters of any system have. Bins have equal length,
// which doubles when there are too many of them; a run of any length has between half of the maximum and the maximum.
// Counts, sums, minima and maxima survive each doubling.
class TimeSeries {
public:
    struct Limits {
        std::int64_t binNs = 10'000'000; // initial value
        std::size_t binsMax = 2'048;
        std::size_t shadesMax = 256;
    };
    TimeSeries() : TimeSeries(Limits()) { }
    explicit TimeSeries(Limits limits) : m_limits(limits), m_binNs(std::max<std::int64_t>(1, limits.binNs)) { }

    bool isEmpty() const { return m_bins.empty(); }
    std::int64_t binNs() const { return m_binNs; }
    std::int64_t beginNs() const { return m_originNs; }
    std::int64_t endNs() const { return m_originNs + std::int64_t(m_bins.size()) * m_binNs; }
    // The interval as at most `max` columns of equal length, each of whole bins. A level is carried into columns
    // without a change. A column extends beyond `toNs` by at most a part of its last bin.
    std::vector<TimeBin> columns(std::int64_t fromNs, std::int64_t toNs, std::size_t max) const;
    const std::deque<SeriesShade>& shades() const { return m_shades; }

    static constexpr std::size_t kOperationsOpen = 16'384; // limit of operations whose messages are still counted

    // ---- for the series of a system
    // The bin of that time; earlier times belong to the first bin.
    TimeBin& at(std::int64_t runNs);
    void begin(SeriesShade::Kind kind, std::uint64_t id, std::int64_t runNs, std::string words);
    void end(SeriesShade::Kind kind, std::uint64_t id, std::int64_t runNs);

protected:
    // Operations, memory, faults and gates.
    void count(ProcessId process, const pb::Event& event, std::int64_t runNs);
    // The kinds of events that it counts.
    static const std::vector<int>& kinds();
    // Begins in the middle of a run, with what the processes hold then.
    void learn(const RunState& state, std::int64_t runNs);
    // Drops the former bins if the first event of another cluster is far away from them; returns whether it did.
    bool restartIfElsewhere(std::int64_t runNs);
    // The process has ended: the kills armed at it have happened, and its memory is free.
    void endProcess(ProcessId process, std::int64_t runNs);
    // Ends faults, failures and operations; the next cluster reuses their numbers.
    void forgetCluster(std::int64_t runNs);
    void showOf(const TimeSeries& all); // copies what is drawn

private:
    struct Open {
        SeriesOperation kind = SeriesOperation::Search;
        std::uint64_t messages = 0;
        std::int64_t doneNs = 0;
        bool isDone = false;
    };
    using OperationKey = std::pair<std::uint64_t, std::uint64_t>;

    void halve();
    Open* openOf(const pb::RequestId& id);
    void countMessage(const pb::RequestId& id);
    void countDone(const pb::Event& event, std::int64_t runNs);
    void beginFault(ProcessId process, const pb::Fault& fault, std::int64_t runNs);
    void setMemory(ProcessId process, std::uint64_t bytes, std::int64_t runNs);
    void noteMemory(std::int64_t runNs);

    Limits m_limits;
    std::int64_t m_binNs, m_originNs = 0;
    bool m_isOther = false; // another cluster follows, possibly with another clock
    std::vector<TimeBin> m_bins;
    std::map<OperationKey, Open> m_open;
    std::deque<OperationKey> m_openOrder;
    std::set<OperationKey> m_forgotten; // dropped before they were done, to make room
    std::deque<SeriesShade> m_shades;
    std::map<ProcessId, std::set<std::uint64_t>> m_kills; // faults that will end the process at a step
    std::map<ProcessId, std::uint64_t> m_memory;
    std::uint64_t m_memoryBytes = 0; // of all processes
};

} // namespace lhrs::gui
