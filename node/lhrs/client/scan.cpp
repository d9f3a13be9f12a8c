// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/scan.h"

#include "common/lhrs/record_block.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kTimeoutMs = 10'000;
constexpr std::uint32_t kSilenceMs = 300;
constexpr std::uint32_t kRestartsMax = 3; // restarts because of an image ahead of the file
constexpr std::size_t kShownBytesMax = 2u << 20;
constexpr Time kAskAgain = 50ms;

Time given(std::uint32_t ms, std::uint32_t normal) { return std::chrono::milliseconds(ms ? ms : normal); }

} // namespace

// The keys of (bucket, level) are those with c mod 2^level = bucket.
bool Scan::Region::contains(Region other) const
{
    return level <= other.level && (other.bucket.value & ((std::uint64_t(1) << level) - 1)) == bucket.value;
}

Scan::Scan(const NodeContext& context, KnownFile& file, std::uint64_t& lastNumber, const pb::RunScan& order,
    std::uint64_t ticket, Time now, RecordSink* records)
    : m_context(context), m_file(file), m_lastNumber(lastNumber), m_order(order), m_ticket(ticket), m_records(records),
      m_started(now), m_end(now + given(order.timeout_ms(), kTimeoutMs))
{
}

void Scan::start(Time now, Effects& out)
{
    m_request.set_client(m_context.self.node());
    m_request.set_number(++m_lastNumber); // so that late answers to an earlier attempt are recognized
    m_open.clear();
    m_answered.clear();
    m_coming.clear();
    out.serve(m_request);
    const std::vector<ScanPart> parts = scanParts(m_file.image());
    auto* event = out.event().mutable_scan_started();
    event->set_parts(std::uint32_t(parts.size()));
    tell(m_file.image(), *event->mutable_image());
    event->set_contains_bytes(std::uint32_t(m_order.contains().size()));
    event->set_probabilistic(m_order.probabilistic());
    if (m_order.probabilistic())
        m_silentAt = now + given(m_order.silence_ms(), kSilenceMs);
    for (const ScanPart& part : parts) {
        const Region region { part.bucket, part.level };
        begin(region, m_open[region], now, out);
    }
}

Time Scan::interval(std::uint32_t tries) const
{
    // A part may have many records and may have been forwarded several times.
    return 2 * m_context.ms(m_context.acks.timers().resend_ms()) * (1 << std::min(tries, 6u));
}

void Scan::begin(Region region, Open& open, Time now, Effects& out)
{
    if (m_file.holderOf(region.bucket) != nullptr)
        send(region, open, now, out);
    else
        ask(region, open, now, out);
}

void Scan::send(Region region, Open& open, Time now, Effects& out)
{
    const HolderInfo& holder = *m_file.holderOf(region.bucket);
    out.serve(m_request);
    pb::Message& message = out.send(holder.address, Way::Auto, open.tries, holder.node);
    auto* scan = message.mutable_scan();
    *scan->mutable_request() = m_request;
    scan->set_contains(m_order.contains());
    scan->set_target(region.bucket.value);
    scan->set_incarnation(holder.incarnation.value);
    scan->set_level(region.level);
    *scan->mutable_client() = m_context.self.address();
    scan->set_only_hits(m_order.probabilistic());
    ++m_messages;
    open.stage = Stage::Sent;
    open.due = now + interval(open.tries);
}

void Scan::ask(Region region, Open& open, Time now, Effects& out)
{
    out.serve(m_request);
    open.stage = Stage::Asking;
    open.due = now + kAskAgain;
    out.send(m_context.coordinator).mutable_where_is()->set_bucket(region.bucket.value);
}

void Scan::alarm(Region region, Open& open, Time now, Effects& out)
{
    out.serve(m_request);
    open.stage = Stage::Asking;
    open.tries = 0;
    open.due = now + 2 * kAskAgain;
    auto* alarm = out.send(m_context.coordinator).mutable_alarm();
    m_file.accuse(region.bucket, *alarm);
    alarm->set_message("scan");
    alarm->set_is_scan(true);
}

// ---- answers

void Scan::onScanReply(const pb::Message& message, Time now, Effects& out)
{
    const pb::ScanReply& reply = message.scan_reply();
    if (reply.request().client() != m_request.client() || reply.request().number() != m_request.number())
        return;
    out.serve(m_request);
    m_messages += reply.is_last() && reply.forwards() > 0 ? 2 : 1; // a forwarded query counts too
    const Region region { BucketNumber(reply.bucket()), reply.level() };
    const auto isCovered = [&] {
        return std::any_of(
            m_answered.begin(), m_answered.end(), [&](const auto& item) { return item.first.contains(region); });
    };
    if (reply.result() != pb::OK) {
        if (isCovered())
            return;
        takeOut(region, now);
        Open& open = m_open[region];
        open.stage = Stage::Sleeping;
        open.due = now + m_context.ms(std::max(1u, reply.retry_after_ms()));
        return;
    }
    if (!reply.is_last())
        NodeContext::acknowledge(message, out);
    const HolderInfo holder = HolderInfo::from(reply.holder());
    m_file.isAt(region.bucket, holder);
    if (isCovered())
        return;
    Coming& coming = m_coming[region.bucket];
    const bool isSame = coming.incarnation == holder.incarnation && coming.level == region.level
        && coming.sequence == reply.sequence();
    if (!isSame && reply.block() == 0)
        coming = { holder.incarnation, region.level, reply.sequence(), {} };
    else if (!isSame)
        return; // for a part that was given up
    if (reply.block() != coming.blocks.size())
        return; // a copy
    coming.blocks.push_back(out.takeBlock(reply.records()));
    m_silentAt = m_order.probabilistic() ? now + given(m_order.silence_ms(), kSilenceMs) : Time::max();
    if (!reply.is_last()) {
        for (auto& [open, state] : m_open) {
            if (open.contains(region))
                state.due = std::max(state.due, now + m_context.ms(m_context.acks.timers().stream_resend_ms()));
        }
        return;
    }
    Answer answer { .hits = reply.hits() };
    for (const std::string& block : coming.blocks) {
        BlockReader reader(block);
        BlockEntry entry;
        while (reader.next(entry)) {
            answer.bytes += entry.bytes.size();
            if (m_records != nullptr && m_records->found(entry.key, entry.bytes))
                ++answer.taken;
        }
    }
    if (m_order.keep() > 0)
        answer.blocks = std::move(coming.blocks);
    m_coming.erase(region.bucket);
    accept(region, std::move(answer), now);
}

void Scan::takeOut(Region region, Time now)
{
    for (auto it = m_open.begin(); it != m_open.end();) {
        if (region.contains(it->first)) {
            it = m_open.erase(it);
            continue;
        }
        if (!it->first.contains(region)) {
            ++it;
            continue;
        }
        // The answering bucket now holds less than was asked of it; the buckets split off since then answer for the
        // rest.
        Region around = it->first;
        Open rest = it->second;
        m_open.erase(it);
        rest.stage = Stage::Sent;
        rest.tries = 0;
        rest.due = std::max(rest.due, now + interval(0));
        while (around != region) {
            const Region low { around.bucket, around.level + 1 };
            const Region high { BucketNumber(around.bucket.value + (1u << around.level)), around.level + 1 };
            const bool isLow = low.contains(region);
            m_open[isLow ? high : low] = rest;
            around = isLow ? low : high;
        }
        return;
    }
}

void Scan::accept(Region region, Answer answer, Time now)
{
    // A bucket that took back another one in a merge answers for both.
    std::erase_if(m_answered, [&](const auto& item) { return region.contains(item.first); });
    takeOut(region, now);
    m_answered.emplace(region, std::move(answer));
    endIfComplete();
}

void Scan::endIfComplete()
{
    // The scan is complete when the sum of 2^-level over distinct buckets is 1.
    std::uint64_t sum = 0;
    for (const auto& [region, answer] : m_answered)
        sum += std::uint64_t(1) << (32 - region.level);
    m_isOver = m_isOver || sum == std::uint64_t(1) << 32;
}

void Scan::onDisplaced(const pb::Displaced& displaced, Time now, Effects& out)
{
    if (displaced.request().client() != m_request.client() || displaced.request().number() != m_request.number())
        return;
    for (auto& [region, open] : m_open) {
        if (region.bucket.value == displaced.bucket() && open.stage == Stage::Sent)
            begin(region, open, now, out); // its location is dropped, unless a newer one is known
    }
}

void Scan::onLocation(const pb::Location& location, Time now, Effects& out)
{
    const BucketNumber a(location.bucket());
    const FileImage truth { location.file().i(), location.file().n() };
    const auto isAsking = [&](const auto& item) {
        return item.first.bucket == a && item.second.stage == Stage::Asking;
    };
    const auto found = std::find_if(m_open.begin(), m_open.end(), isAsking);
    if (found == m_open.end() || !isValid(truth))
        return;
    const Region region = found->first;
    Open& open = found->second;
    if (location.exists() && location.state() == pb::MEMBER_LOST) {
        // The bucket is reported as lost; buckets split off from it are asked separately.
        const Region lost { a, a.value < bucketCount(truth) ? levelOf(a, truth) : region.level };
        accept(lost, { .isLost = true }, now);
        return;
    }
    if (location.retry_after_ms() > 0 || location.state() == pb::FAILED) {
        open.stage = Stage::Sleeping;
        open.alarms = true;
        open.due = now + m_context.ms(std::max(1u, location.retry_after_ms()));
    } else if (location.exists()) {
        m_file.isAt(a, HolderInfo::from(location.holder()));
        send(region, open, now, out);
    } else if (a.value >= bucketCount(truth)) {
        restart(truth, now, out);
    } // otherwise the file is still being created
}

void Scan::restart(FileImage truth, Time now, Effects& out)
{
    m_file.adopt(truth, out); // the image is ahead of the file, which has shrunk
    if (m_restarts == kRestartsMax) {
        m_isOver = true;
        return;
    }
    ++m_restarts;
    start(now, out);
}

// ---- time

void Scan::onTime(Time now, Effects& out)
{
    if (m_end <= now || m_silentAt <= now) {
        m_isOver = true;
        return;
    }
    for (auto& [region, open] : m_open) {
        if (open.due > now)
            continue;
        if (std::exchange(open.alarms, false)) {
            alarm(region, open, now, out);
        } else if (open.stage == Stage::Asking) {
            ask(region, open, now, out);
        } else if (open.stage == Stage::Sleeping) {
            begin(region, open, now, out);
        } else if (m_order.probabilistic()) {
            open.due = Time::max(); // a silent bucket has no hits or has failed; it is unknown which
        } else if (open.tries >= m_context.acks.timers().client_resends_max()) {
            alarm(region, open, now, out);
        } else {
            ++open.tries;
            ++m_resends;
            out.serve(m_request);
            auto* event = out.event().mutable_scan_part_missing();
            event->set_bucket(region.bucket.value);
            event->set_level(region.level);
            event->set_tries(open.tries);
            begin(region, open, now, out);
        }
    }
}

Time Scan::deadline() const
{
    Time earliest = std::min(m_end, m_silentAt);
    for (const auto& [region, open] : m_open)
        earliest = std::min(earliest, open.due);
    return m_isOver ? Time() : earliest;
}

// ---- the result

void Scan::report(pb::ScanResult& result, Time now, Effects& out)
{
    std::uint64_t covered = 0, taken = 0;
    std::size_t shown = 0;
    for (const auto& [region, answer] : m_answered) {
        covered += std::uint64_t(1) << (32 - region.level);
        if (answer.isLost) {
            result.add_lost(region.bucket.value);
            continue;
        }
        result.set_buckets(result.buckets() + 1);
        result.set_records(result.records() + answer.hits);
        result.set_bytes(result.bytes() + answer.bytes);
        taken += answer.taken;
        for (const std::string& block : answer.blocks) {
            BlockReader reader(block);
            BlockEntry entry;
            while (reader.next(entry)) {
                if (std::uint32_t(result.found_size()) >= m_order.keep() || shown + entry.bytes.size() > kShownBytesMax)
                    continue;
                shown += entry.bytes.size() + 16;
                auto* record = result.add_found();
                record->set_key(entry.key.value);
                record->set_value(std::string(entry.bytes));
                record->set_bucket(region.bucket.value);
            }
        }
    }
    if (m_records != nullptr)
        m_records->taken(taken);
    const bool isAll = covered == std::uint64_t(1) << 32;
    for (const auto& [region, open] : m_open) {
        if (!m_order.probabilistic())
            result.add_missing(region.bucket.value);
    }
    result.set_guaranteed(!m_order.probabilistic());
    result.set_complete(isAll && result.lost().empty());
    const bool isRetry = !m_order.probabilistic() && !isAll;
    result.set_result(isRetry ? pb::RETRY : result.lost().empty() ? pb::OK : pb::LOST);
    result.set_messages(m_messages);
    result.set_resends(m_resends);
    result.set_restarts(m_restarts);
    result.set_total_ns((now - m_started).count());
    out.serve(m_request);
    auto* event = out.event().mutable_scan_done();
    event->set_result(result.result());
    event->set_guaranteed(result.guaranteed());
    event->set_records(result.records());
    event->set_buckets(result.buckets());
    *event->mutable_missing() = result.missing();
    *event->mutable_lost() = result.lost();
    event->set_messages(result.messages());
    event->set_restarts(result.restarts());
    event->set_time_ns(result.total_ns());
}

} // namespace lhrs
