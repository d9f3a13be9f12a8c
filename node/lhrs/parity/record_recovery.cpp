// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/parity/record_recovery.h"

#include "common/failpoints.h"
#include "node/lhrs/group/group_decoder.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kRoundsMax = 5; // number of times that members are asked again before RETRY
constexpr Time kBeforeNextRound = 3ms;
constexpr Time kPatience = 1s; // how long to wait for members that do not answer

const pb::Member* memberOf(const pb::View& view, MemberId id)
{
    const auto found = std::find_if(view.members().begin(), view.members().end(),
        [&](const pb::Member& m) { return m.role() == id.role && m.index() == id.index; });
    return found == view.members().end() ? nullptr : &*found;
}

} // namespace

void RecordRecoveries::onRecoverRecord(const pb::RecoverRecord& order, Time now, Effects& out)
{
    const RequestKey key { order.request().request().client(), order.request().request().number() };
    if (m_attempts.contains(key))
        return; // the client asks again while the attempt is under way
    Attempt attempt;
    attempt.request = order.request();
    attempt.lost = Position(order.position());
    attempt.end = now + kPatience;
    const auto rank = m_bucket.rankOf(attempt.lost, Key(order.request().key()));
    attempt.rank = rank.value_or(Rank());
    if (attempt.rank == Rank()) {
        answer(attempt, rank ? pb::NOT_FOUND : pb::RETRY, {}, out); // NOT_FOUND is certain as of the cut
        return;
    }
    ask(attempt, now, out);
    if (!compute(attempt, now, out))
        m_attempts.emplace(key, std::move(attempt));
}

void RecordRecoveries::ask(Attempt& attempt, Time now, Effects& out)
{
    attempt.contributions.clear();
    attempt.missing.clear();
    attempt.nextRound = Time::max();
    const auto members = m_bucket.store().members(attempt.rank);
    std::vector<Position> lost;
    for (const pb::Member& member : m_bucket.view().members()) {
        // A failed position without a record at this rank counts as zero.
        if (member.role() == pb::DATA && member.state() == pb::FAILED && members[member.index()].isPresent)
            lost.emplace_back(member.index());
    }
    const auto plan = planRecovery(
        m_bucket.view(), m_bucket.config().m(), m_bucket.column(), std::move(lost), pb::DECODE_AUTO);
    if (!plan) {
        attempt.end = now; // too few members: RETRY
        return;
    }
    for (const MemberId id : plan->asked) {
        if (id.role == pb::DATA && !members[id.index].isPresent)
            continue; // contributes zero to this bucket's parity field
        const pb::Member* member = memberOf(m_bucket.view(), id);
        const HolderInfo holder = HolderInfo::from(member->holder());
        attempt.missing[id] = true;
        pb::Message message;
        auto* read = message.mutable_member_read();
        read->set_group(m_bucket.group().value);
        read->set_epoch(m_bucket.view().epoch());
        read->set_rank(attempt.rank.value);
        *message.mutable_operation() = attempt.request.request();
        m_context.acks.send(std::move(message), holder.address, holder.node, Way::Auto, AckList::Patience::GiveUp,
            ServerContext::OfRecovery, now, out);
    }
}

void RecordRecoveries::onMemberRecord(const pb::MemberRecord& record, Time now, Effects& out)
{
    const MemberId from { record.role(), record.index() };
    for (auto it = m_attempts.begin(); it != m_attempts.end();) {
        Attempt& attempt = it->second;
        if (attempt.rank.value == record.rank() && attempt.missing.erase(from) > 0)
            attempt.contributions[from] = record.record();
        it = compute(attempt, now, out) ? m_attempts.erase(it) : std::next(it);
    }
}

bool RecordRecoveries::compute(Attempt& attempt, Time now, Effects& out)
{
    if (attempt.end <= now) {
        answer(attempt, pb::RETRY, {}, out);
        return true;
    }
    if (!attempt.missing.empty() || attempt.nextRound != Time::max())
        return false;
    const ParityStore& store = m_bucket.store();
    const auto members = store.members(attempt.rank);
    std::vector<Position> lost;
    for (const pb::Member& member : m_bucket.view().members()) {
        if (member.role() == pb::DATA && member.state() == pb::FAILED && members[member.index()].isPresent)
            lost.emplace_back(member.index());
    }
    const auto plan = planRecovery(m_bucket.view(), m_bucket.config().m(), m_bucket.column(), lost, pb::DECODE_AUTO);
    LHRS_CHECK(plan);
    bool isConsistent = true;
    std::vector<ByteSpan> contributions;
    for (const Participant& participant : plan->participants) {
        if (participant.kind == Participant::Kind::Parity) {
            if (participant.index == m_bucket.column().value) {
                contributions.push_back(store.parity(attempt.rank));
                continue;
            }
            const auto block = attempt.contributions.find({ pb::PARITY, participant.index });
            BlockEntry entry;
            isConsistent = isConsistent && block != attempt.contributions.end()
                && BlockReader(block->second).next(entry) && entry.kind == BlockEntry::Kind::Insert
                && (entry.key.value == stateOf(members) || LHRS_MUTANT(TwoVersionsDecoded));
            if (!isConsistent)
                break;
            contributions.push_back(bytesOf(entry.bytes));
            continue;
        }
        const ParityStore::Member& known = members[participant.index];
        if (!known.isPresent) {
            contributions.emplace_back();
            continue;
        }
        const auto block = attempt.contributions.find({ pb::DATA, participant.index });
        BlockEntry entry;
        isConsistent = isConsistent && block != attempt.contributions.end() && BlockReader(block->second).next(entry)
            && entry.kind == BlockEntry::Kind::Insert
            && (isSameState(known, true, entry.key, entry.version) || LHRS_MUTANT(TwoVersionsDecoded));
        if (!isConsistent)
            break;
        contributions.push_back(bytesOf(entry.bytes));
    }
    if (!isConsistent) {
        // A Delta is still on its way to some member: ask those members again that lag behind.
        if (++attempt.rounds > kRoundsMax) {
            answer(attempt, pb::RETRY, {}, out);
            return true;
        }
        attempt.nextRound = now + kBeforeNextRound * attempt.rounds;
        return false;
    }
    const auto decoder = Decoder::create(store.code(), plan->participants, plan->lost);
    LHRS_CHECK(decoder);
    std::string value(members[attempt.lost.value].length, '\0');
    decoder->reconstruct(attempt.lost, contributions, { reinterpret_cast<std::byte*>(value.data()), value.size() });
    answer(attempt, pb::OK, value, out);
    return true;
}

void RecordRecoveries::answer(const Attempt& attempt, pb::ResultCode result, std::string_view value, Effects& out) const
{
    out.serve(attempt.request.request());
    const BucketNumber bucket = bucketAt(m_bucket.group(), attempt.lost, m_bucket.config().m());
    const pb::KeyRequest& request = attempt.request;
    auto* reply = out.send(Address::from(request.client()), Way::Auto, 0, NodeId(request.request().client()))
                      .mutable_reply();
    *reply->mutable_request() = attempt.request.request();
    reply->set_result(result);
    reply->set_value(std::string(value));
    reply->set_bucket(bucket.value);
    reply->set_rank(attempt.rank.value);
    reply->set_forwards(attempt.request.forwards());
    reply->set_degraded(true);
    if (result == pb::RETRY)
        reply->set_retry_after_ms(kRetryAfterMs);
    auto* event = out.event().mutable_record_recovered();
    event->set_group(m_bucket.group().value);
    event->set_key(attempt.request.key());
    event->set_rank(attempt.rank.value);
    event->set_bucket(bucket.value);
    event->set_result(result);
    event->set_asked_again(attempt.rounds);
}

void RecordRecoveries::onTime(Time now, Effects& out)
{
    for (auto it = m_attempts.begin(); it != m_attempts.end();) {
        Attempt& attempt = it->second;
        if (attempt.nextRound <= now)
            ask(attempt, now, out);
        it = compute(attempt, now, out) ? m_attempts.erase(it) : std::next(it);
    }
}

Time RecordRecoveries::deadline() const
{
    Time earliest = Time::max();
    for (const auto& [key, attempt] : m_attempts)
        earliest = std::min({ earliest, attempt.nextRound, attempt.end });
    return earliest;
}

} // namespace lhrs
