// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/scan_answers.h"

#include "common/lhrs/linear_hash.h"
#include "common/lhrs/record_block.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::size_t kScansMax = 64; // largest number of scans that a bucket answers at the same time

bool isOfScan(const pb::RequestId& a, const pb::RequestId& b)
{
    return a.client() == b.client() && a.number() == b.number();
}

} // namespace

void ScanAnswers::refuse(const BucketParts& bucket, const pb::Scan& scan, Level level, Effects& out)
{
    if (scan.only_hits())
        return; // the client wants no answer without hits
    auto* reply = out.send(Address::from(scan.client()), Way::Auto, 0, NodeId(scan.request().client()))
                      .mutable_scan_reply();
    *reply->mutable_request() = scan.request();
    reply->set_bucket(bucket.number.value);
    reply->set_level(level);
    selfOf(bucket).to(*reply->mutable_holder());
    reply->set_result(pb::RETRY);
    reply->set_is_last(true);
    reply->set_retry_after_ms(kRetryAfterMs);
    reply->set_forwards(scan.forwards());
}

void ScanAnswers::hold(const BucketParts& bucket, const pb::Scan& scan, Effects& out)
{
    if (std::any_of(m_held.begin(), m_held.end(),
            [&](const pb::Scan& held) { return isOfScan(held.request(), scan.request()); }))
        return;
    if (held() < bucket.context.acks.timers().held_max())
        m_held.push_back(scan);
    else
        refuse(bucket, scan, scan.level(), out);
}

void ScanAnswers::take(const BucketParts& bucket, const pb::Scan& scan, Effects& out)
{
    if (std::any_of(
            m_parts.begin(), m_parts.end(), [&](const Part& part) { return isOfScan(part.request, scan.request()); }))
        return; // a copy: the answer is on its way
    if (m_parts.size() >= kScansMax) {
        refuse(bucket, scan, bucket.status.level, out);
        return;
    }
    // The part shows the whole bucket at one moment. It includes changes that are under way, so it waits until they can
    // no longer be lost. Later changes are not included, so it never waits for them.
    Part part;
    part.request = scan.request();
    part.client = Address::from(scan.client());
    part.level = bucket.status.level;
    part.sequence = bucket.link.lastChange();
    part.forwards = scan.forwards();
    part.onlyHits = scan.only_hits();
    part.blocks.emplace_back();
    const RecordStore& store = bucket.store;
    for (Rank r(1); r <= store.rankMax(); r = r.next()) {
        if (!store.has(r))
            continue;
        const RecordStore::Record record = store.at(r);
        if (record.value.find(scan.contains()) == std::string_view::npos)
            continue;
        if (part.blocks.back().size() >= kBlockBytes)
            part.blocks.emplace_back();
        BlockWriter(part.blocks.back())
            .add({ .kind = BlockEntry::Kind::Insert,
                .key = record.key,
                .rank = r,
                .length = std::uint32_t(record.value.size()),
                .version = record.version,
                .bytes = record.value });
        ++part.hits;
    }
    m_parts.push_back(std::move(part));
}

void ScanAnswers::progress(BucketParts& bucket, bool hasLease, Time now, Effects& out)
{
    const Sequence held = bucket.link.heldByAll();
    for (Part& part : m_parts) {
        if (part.next > 0 || part.sequence > held)
            continue;
        out.serve(part.request);
        if (!hasLease) { // another process may hold this place by now
            pb::Scan scan;
            *scan.mutable_request() = part.request;
            part.client.to(*scan.mutable_client());
            scan.set_only_hits(part.onlyHits);
            scan.set_forwards(part.forwards);
            refuse(bucket, scan, part.level, out);
            part.next = part.blocks.size();
            continue;
        }
        auto* event = out.event().mutable_scan_answered();
        event->set_level(part.level);
        event->set_hits(part.hits);
        event->set_blocks(std::uint32_t(part.blocks.size()));
        std::uint64_t bytes = 0;
        for (const std::string& block : part.blocks)
            bytes += block.size();
        event->set_bytes(bytes);
        if (part.onlyHits && part.hits == 0)
            part.next = part.blocks.size();
        else
            send(bucket, part, now, out);
    }
    std::erase_if(m_parts, [](const Part& part) { return part.next == part.blocks.size(); });
}

void ScanAnswers::send(const BucketParts& bucket, Part& part, Time now, Effects& out) const
{
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    *message.mutable_operation() = part.request;
    auto* reply = message.mutable_scan_reply();
    *reply->mutable_request() = part.request;
    reply->set_bucket(bucket.number.value);
    reply->set_level(part.level);
    selfOf(bucket).to(*reply->mutable_holder());
    reply->set_result(pb::OK);
    reply->set_sequence(part.sequence);
    reply->set_block(std::uint32_t(part.next));
    reply->set_hits(part.hits);
    reply->set_forwards(part.forwards);
    reply->set_records(std::move(part.blocks[part.next]));
    ++part.next;
    if (part.next < part.blocks.size()) {
        part.waitsFor = bucket.context.acks.send(std::move(message), part.client, NodeId(part.request.client()),
            Way::Stream, AckList::Patience::GiveUp, ServerContext::ScanBlock, now, out);
        return;
    }
    // If the end of a part is missing, the client asks for the part again, so the last block needs no acknowledgement.
    reply->set_is_last(true);
    out.send(part.client, Way::Auto, 0, NodeId(part.request.client())) = std::move(message);
}

void ScanAnswers::onAck(BucketParts& bucket, const AckList::Entry& entry, Time now, Effects& out)
{
    if (entry.purpose != ServerContext::ScanBlock)
        return;
    for (Part& part : m_parts) {
        if (part.waitsFor == entry.message.id())
            send(bucket, part, now, out);
    }
    std::erase_if(m_parts, [](const Part& part) { return part.next == part.blocks.size(); });
}

void ScanAnswers::onGivenUp(const AckList::Entry& entry)
{
    std::erase_if(m_parts, [&](const Part& part) { return part.waitsFor != 0 && part.waitsFor == entry.message.id(); });
}

// ---- forwarding to other buckets

bool ScanAnswers::pass(const BucketParts& bucket, const pb::Scan& scan, Effects& out)
{
    const auto known = bucket.context.locations.find(BucketNumber(scan.target()));
    if (known == bucket.context.locations.end())
        return false;
    out.serve(scan.request());
    pb::Message& message = out.send(known->second.address, Way::Auto, 0, known->second.node);
    *message.mutable_scan() = scan;
    message.mutable_scan()->set_incarnation(known->second.incarnation.value);
    auto* event = out.event().mutable_scan_forwarded();
    event->set_from(bucket.number.value);
    event->set_to(scan.target());
    event->set_level(scan.level());
    return true;
}

void ScanAnswers::forward(const BucketParts& bucket, const pb::Scan& scan, Effects& out)
{
    std::vector<ScanPart> parts = scanForwards(bucket.number, bucket.status.level, scan.level());
    if (LHRS_MUTANT(ScanLevelShort) && !parts.empty())
        parts.pop_back();
    for (const ScanPart& part : parts) {
        pb::Scan passed = scan;
        passed.set_target(part.bucket.value);
        passed.set_level(part.level);
        passed.set_forwards(scan.forwards() + 1);
        if (!pass(bucket, passed, out) && held() < bucket.context.acks.timers().held_max())
            m_parked.emplace(part.bucket, std::move(passed)); // otherwise the client will ask again
    }
}

void ScanAnswers::onLocation(const BucketParts& bucket, BucketNumber at, Effects& out)
{
    const auto [begin, end] = m_parked.equal_range(at);
    for (auto it = begin; it != end;)
        it = pass(bucket, it->second, out) ? m_parked.erase(it) : std::next(it);
}

std::vector<BucketNumber> ScanAnswers::wanted() const
{
    std::vector<BucketNumber> buckets;
    for (const auto& [bucket, scan] : m_parked) {
        if (buckets.empty() || buckets.back() != bucket)
            buckets.push_back(bucket);
    }
    return buckets;
}

} // namespace lhrs
