// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/requests/workload.h"

#include <algorithm>
#include <limits>

namespace lhrs {

namespace {

constexpr std::int64_t kTimeUnit = 16; // ns

constexpr std::size_t kFullShown = 16;
constexpr double kSkew = 0.99; // as in YCSB
constexpr double kRateMax = 1e7, kSkewMax = 10;

// The percentile, in ns, of times in units, in ascending order; there must be at least one. As everywhere, it is the
// smallest time t for which at least this percentage of all times are at most t.
std::int64_t percentile(const std::vector<std::uint32_t>& sorted, std::size_t percent)
{
    return std::int64_t(sorted[(sorted.size() * percent + 99) / 100 - 1]) * kTimeUnit;
}

} // namespace

const char* nameOf(pb::OperationKind kind)
{
    switch (static_cast<int>(kind)) {
    case pb::INSERT: return "insert";
    case pb::UPDATE: return "update";
    case pb::DELETE: return "delete";
    case pb::SEARCH: return "search";
    default: return "operation";
    }
}

const char* whatIsWrong(const pb::RunWorkload& order)
{
    if (order.length() > kValueBytesMax)
        return "length: 65,535 bytes at most";
    if (order.mix_size() != 0 && order.mix_size() != 4)
        return "mix: four weights are wanted, of insert, update, delete and search";
    if (order.mix_size() == 0 && (order.kind() < pb::INSERT || order.kind() > pb::SEARCH))
        return "kind: insert, update, delete or search is wanted";
    if (order.keys() == pb::LISTED && order.key_list().empty() && order.count() > 0)
        return "key_list: at least one key is wanted";
    if (!(order.rate() >= 0) || order.rate() > kRateMax)
        return "rate: 0 (as the window allows) to 10,000,000 operations per second are wanted";
    if (!(order.skew() >= 0) || order.skew() > kSkewMax)
        return "skew: 0 (0.99) to 10 is wanted";
    if (order.batch() > std::max(1u, order.window()))
        return "batch: at most as many as the window has places";
    if (order.batch() > 1 && order.rate() > 0)
        return "batch: for operations that begin when others were answered; with a rate, none waits for that";
    return nullptr;
}

Workload::Workload(const pb::RunWorkload& order, std::uint64_t ticket, Time now)
    : m_order(order), m_ticket(ticket), m_started(now), m_numbers(order.seed()),
      m_zipf(order.skew() > 0 ? order.skew() : kSkew)
{
    m_times.reserve(std::size_t(std::min<std::uint64_t>(order.count(), 1u << 20)));
}

Time Workload::due(Time held) const
{
    return isOpenLoop() ? m_started + held + Time(std::int64_t(double(m_begun) * 1e9 / m_order.rate())) : m_started;
}

// A number in 0..count-1, distributed as the order specifies.
std::uint64_t Workload::drawn(std::uint64_t count)
{
    return m_order.keys() == pb::ZIPF ? m_zipf.draw(count, m_numbers) - 1 : m_numbers.below(count);
}

std::optional<Workload::Step> Workload::next(const Ledger& ledger, std::uint64_t& nextKey)
{
    Step step;
    step.kind = m_order.kind();
    if (isMixed()) {
        std::uint64_t sum = 0;
        for (const std::uint32_t weight : m_order.mix())
            sum += weight;
        std::uint64_t drawn = m_numbers.below(std::max<std::uint64_t>(sum, 1));
        int kind = 0;
        while (kind < 3 && drawn >= m_order.mix(kind))
            drawn -= m_order.mix(kind++);
        step.kind = pb::OperationKind(pb::INSERT + kind);
        // A delete removes a key from the ledger. If no key is left, an insert of the mix comes first.
        if (m_order.keys() != pb::LISTED && m_order.keys() != pb::UNIFORM && m_order.mix(0) > 0
            && ledger.keys().empty())
            step.kind = pb::INSERT;
    }
    if (m_order.keys() == pb::LISTED) {
        if (m_order.key_list().empty())
            return std::nullopt;
        step.key = Key(m_order.key_list(int(m_begun % std::uint64_t(m_order.key_list_size()))));
        return step;
    }
    if (m_order.keys() == pb::UNIFORM || (m_order.keys() == pb::ZIPF && step.kind == pb::INSERT && !isMixed())) {
        step.key = Key(drawn(std::max<std::uint64_t>(m_order.key_space(), 1)));
        return step;
    }
    // An insert takes a new key, unless the order asks for inserts of existing keys.
    if (step.kind == pb::INSERT && (m_order.keys() == pb::NEXT || isMixed())) {
        step.key = Key(nextKey++);
        ledger.prefetch(step.key);
        return step;
    }
    // All other operations need an existing key.
    if (ledger.keys().empty())
        return std::nullopt;
    const std::uint64_t count = ledger.keys().size(), place = drawn(count);
    step.key = ledger.keys()[std::size_t(place)];
    ledger.prefetchKnown(std::size_t(place));
    SeededNumbers ahead = m_numbers;
    ledger.prefetchKey(std::size_t(ahead.below(count))); // the place from which the next key will be drawn
    return step;
}

void Workload::begun(Time behind)
{
    m_batchLeft = (m_batchLeft > 0 ? m_batchLeft : batch()) - 1;
    ++m_begun;
    ++m_open;
    m_behindMax = std::max(m_behindMax, behind);
}

void Workload::endEarly()
{
    m_isStopped = true;
    m_endedEarly = "no key that this client stored is left";
}

void Workload::ended(const Result& result)
{
    --m_open;
    ++m_done;
    ++m_results[result.code];
    if (result.full.isThere()) {
        ++m_refusedFull;
        if (m_full.size() < kFullShown)
            m_full.insert(result.full);
    }
    m_wrong += result.isWrong ? 1 : 0;
    m_missing += result.isMissing ? 1 : 0;
    m_newer += result.isNewer ? 1 : 0;
    m_older += result.isOlder ? 1 : 0;
    m_forwards += result.forwards;
    m_adjustments += result.isAdjusted ? 1 : 0;
    m_resends += result.resends;
    m_times.push_back(std::uint32_t(
        std::min<std::int64_t>(result.time.count() / kTimeUnit, std::numeric_limits<std::uint32_t>::max())));
    if (isMixed())
        m_kinds.push_back(std::uint8_t(result.kind));
}

void Workload::reportKinds(pb::WorkloadResult& out) const
{
    for (int kind = 0; kind < m_order.mix_size(); ++kind) {
        std::vector<std::uint32_t> sorted;
        for (std::size_t i = 0; i < m_kinds.size(); ++i)
            if (m_kinds[i] == pb::INSERT + kind)
                sorted.push_back(m_times[i]);
        std::sort(sorted.begin(), sorted.end());
        pb::KindTimes& times = *out.add_kinds();
        times.set_kind(pb::OperationKind(pb::INSERT + kind));
        times.set_operations(sorted.size());
        if (sorted.empty())
            continue;
        times.set_p50_ns(percentile(sorted, 50));
        times.set_p99_ns(percentile(sorted, 99));
        times.set_max_ns(percentile(sorted, 100));
    }
}

void Workload::report(pb::WorkloadResult& out, Time now, std::set<FullAt> fullNow) const
{
    out.set_operations(m_done);
    out.set_done(m_done);
    out.set_of(m_order.count());
    out.set_is_running(!isOver());
    std::uint64_t unanswered = 0;
    for (const auto& [code, count] : m_results) {
        (*out.mutable_results())[pb::ResultCode_Name(code)] = count;
        if (code == pb::RETRY || code == pb::UNKNOWN_OUTCOME)
            unanswered += count;
    }
    out.set_unanswered(unanswered);
    out.set_refused_full(m_refusedFull);
    fullNow.insert(m_full.begin(), m_full.end());
    for (const FullAt& full : fullNow) {
        if (std::size_t(out.full_size()) < kFullShown)
            full.to(*out.add_full());
    }
    out.set_wrong(m_wrong);
    out.set_missing(m_missing);
    out.set_newer(m_newer);
    out.set_older(m_older);
    out.set_behind_max_ns(m_behindMax.count());
    out.set_forwards(m_forwards);
    out.set_image_adjustments(m_adjustments);
    out.set_resends(m_resends);
    out.set_total_ns((now - m_started).count());
    out.set_ended_early(m_endedEarly);
    reportKinds(out);
    if (m_times.empty())
        return;
    std::vector<std::uint32_t> sorted = m_times;
    std::sort(sorted.begin(), sorted.end());
    out.set_p50_ns(percentile(sorted, 50));
    out.set_p99_ns(percentile(sorted, 99));
    out.set_max_ns(percentile(sorted, 100));
    if (m_order.record_times_every() > 0) {
        for (std::size_t t = 0; t < m_times.size(); t += m_order.record_times_every())
            out.add_times_ns(std::int64_t(m_times[t]) * kTimeUnit);
    }
}

void settle(Ledger& ledger, const EndedOperation& ended, const std::string& value, Workload::Result& out)
{
    if (isMutation(ended.kind) && ended.result == pb::UNKNOWN_OUTCOME) {
        ledger.uncertain(ended.key);
        return;
    }
    if (ended.kind == pb::SEARCH) {
        const Ledger::Known* known = ledger.find(ended.key);
        if (!known || known->isUncertain)
            return;
        out.isMissing = ended.result == pb::NOT_FOUND;
        if (ended.result != pb::OK || !known->isGenerated)
            return;
        const Ledger::Verdict verdict = ledger.compare(ended.self, ended.key, *known, value);
        out.isWrong = verdict.isWrong;
        out.isNewer = verdict.isNewer;
        out.isOlder = verdict.isOlder;
        return;
    }
    if (ended.result != pb::OK)
        return;
    if (ended.kind == pb::DELETE)
        ledger.erased(ended.key);
    else
        ledger.wrote(ended.key, ended.number, ended.length, ended.isGenerated);
}

} // namespace lhrs
