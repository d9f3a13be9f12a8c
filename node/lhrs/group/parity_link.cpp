// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/parity_link.h"

#include "common/errors.h"
#include "common/failpoints.h"
#include "common/lhrs/failpoint_list.h"

#include <algorithm>

namespace lhrs {

namespace {

// A resend starts at the first missing change; sending more than this at once would only fill queues.
constexpr std::size_t kResendBurst = 64;

} // namespace

ParityLink::ParityLink(ServerContext& context, GroupNumber group, Position position, Incarnation incarnation)
    : m_context(context), m_group(group), m_position(position), m_incarnation(incarnation)
{
}

void ParityLink::setView(const pb::View& view, Time now, Effects& out)
{
    m_epoch = Epoch(view.epoch());
    Columns columns;
    for (const pb::Member& member : view.members()) {
        if (member.role() != pb::PARITY || member.state() == pb::FAILED || member.state() == pb::MEMBER_LOST)
            continue;
        const HolderInfo holder = HolderInfo::from(member.holder());
        const ParityColumn p(member.index());
        Column column;
        if (const Column* known = this->column(p); known != nullptr && known->holder == holder)
            column = *known;
        column.holder = holder;
        const bool wasUp = column.isUp;
        column.isUp = member.state() == pb::UP;
        if (column.isUp && !wasUp)
            column.needed = m_sequence;
        if (column.acknowledged == 0 && !column.room)
            column.grownTo = m_grown; // what is under way to it is unknown
        const auto at = std::lower_bound(columns.begin(), columns.end(), p,
            [](const auto& item, ParityColumn wanted) { return item.first < wanted; });
        if (at != columns.end() && at->first == p)
            at->second = column; // named twice
        else
            columns.emplace(at, p, column);
    }
    m_columns = std::move(columns);
    for (auto& [p, column] : m_columns) {
        column.tries = 0;
        resend(column, now, out);
    }
}

const ParityLink::Column* ParityLink::column(ParityColumn p) const
{
    const auto found = std::find_if(
        m_columns.begin(), m_columns.end(), [p](const auto& item) { return item.first == p; });
    return found == m_columns.end() ? nullptr : &found->second;
}

void ParityLink::restore(Sequence cut)
{
    LHRS_CHECK(m_sequence == m_done && m_pending.isEmpty()); // unchanged, or filled in a recovery that was given up
    m_sequence = cut;
    m_done = cut;
    for (auto& [p, column] : m_columns)
        column.acknowledged = cut;
}

std::optional<ParityColumn> ParityLink::fullFor(std::uint64_t bytes) const
{
    // A parity bucket that has not reported yet is assumed to have the same memory limit as this server, so only a part
    // of that may be under way. But its first report is an acknowledgement, so at least one change must be sent.
    const std::uint64_t unspoken = m_context.memory.hasLimit() ? m_context.memory.reserve() / 2
                                                               : MemoryRoom::kUnlimited;
    for (const auto& [p, column] : m_columns) {
        const std::uint64_t underWay = m_grown - column.grownTo, room = column.room.value_or(unspoken);
        if (room != MemoryRoom::kUnlimited && underWay + bytes > room && (column.room || underWay > 0))
            return p;
    }
    return std::nullopt;
}

std::unique_ptr<ParityLink::Change> ParityLink::begin()
{
    std::unique_ptr<Change> change;
    if (m_spare.empty()) {
        change = std::make_unique<Change>();
    } else {
        change = std::move(m_spare.back());
        m_spare.pop_back();
    }
    change->sequence = ++m_sequence;
    change->grownTo = m_grown;
    change->split = 0;
    change->isDecided = true;
    change->isResent = false;
    change->isSilent = false;
    change->reply.Clear();
    return change;
}

void ParityLink::sendTo(const Column& to, const Change& change, std::uint32_t tries, Effects& out) const
{
    pb::Message& message = out.send(to.holder.address, Way::Auto, tries, to.holder.node);
    message.set_incarnation(m_incarnation.value);
    if (change.split != 0) {
        auto* ask = message.mutable_prepare_batch();
        ask->set_split(change.split);
        ask->set_group(m_group.value);
        ask->set_position(m_position.value);
        ask->set_incarnation(m_incarnation.value);
        ask->set_epoch(m_epoch.value);
        ask->set_sequence(change.sequence);
        ask->set_asks_only(true);
        return;
    }
    pb::RequestId* const request = out.share(change.request);
    message.unsafe_arena_set_allocated_operation(request);
    auto* delta = message.mutable_delta();
    delta->set_group(m_group.value);
    delta->set_position(m_position.value);
    delta->set_incarnation(m_incarnation.value);
    delta->set_epoch(m_epoch.value);
    delta->set_sequence(change.sequence);
    delta->set_stable(heldByAll());
    delta->set_kind(change.kind);
    delta->set_rank(change.rank.value);
    delta->set_key(change.key.value);
    delta->set_length(change.length);
    delta->unsafe_arena_set_allocated_request(request);
    delta->set_done_below(change.doneBelow);
    out.setValue(*delta->mutable_delta(), change.delta);
    if (change.kind == pb::CHANGE_NOTHING)
        delta->set_result(change.reply.result());
}

void ParityLink::send(std::unique_ptr<Change> change, Time now, Effects& out)
{
    change->sent = now;
    m_deletes += change->kind == pb::CHANGE_DELETE ? 1 : 0;
    m_pendingBytes += change->delta.size();
    m_pending.add() = std::move(change);
    // Demo paper, section 2: the change of the record goes to all k parity buckets; here it is sent to all at once.
    for (auto& [p, column] : m_columns) {
        if (!out.fires(Failpoint::DeltaLeftOut))
            sendTo(column, *m_pending.back(), 0, out);
        if (column.due == Time::max())
            column.due = now + interval(column);
    }
}

Sequence ParityLink::beginBatch(std::uint64_t split)
{
    std::unique_ptr<Change> change = begin();
    change->kind = pb::CHANGE_UNKNOWN;
    change->split = split;
    change->isDecided = false;
    m_undecided = change->sequence;
    m_pending.add() = std::move(change);
    return m_sequence;
}

void ParityLink::decideBatch(std::uint64_t split, Time now)
{
    for (std::size_t i = 0; i < m_pending.size(); ++i) {
        if (m_pending[i]->split == split)
            m_pending[i]->isDecided = true;
    }
    m_undecided = 0;
    for (auto& [p, column] : m_columns)
        column.due = now + interval(column);
}

// Karn's rule: only changes that were sent once measure the round trip. If one of them was resent, the others waited
// for it.
void ParityLink::measureRoundTrip(Sequence before, Sequence applied, Time now)
{
    for (Sequence sequence = before + 1; sequence <= applied; ++sequence) {
        const Change* change = pendingChange(sequence);
        if (change == nullptr || change->split != 0 || change->isResent)
            return;
    }
    m_roundTrip = (7 * m_roundTrip + (now - pendingChange(applied)->sent)) / 8;
}

// An acknowledgement of changes that were resent allows the next missing ones to be resent at once if they are as old.
// A resend is bounded, and more changes than that may have been lost. Each change is resent once in this way; if it is
// lost again, it waits for its interval.
Time ParityLink::dueAfterAck(const Column& column, Time now) const
{
    if (column.acknowledged >= m_sequence)
        return Time::max();
    const Change* next = pendingChange(column.acknowledged + 1);
    const bool wentOnce = next != nullptr && next->split == 0 && !next->isResent;
    return wentOnce ? std::max(now, next->sent + interval(column)) : now + interval(column);
}

bool ParityLink::onDeltaAck(const pb::DeltaAck& ack, Incarnation from, Time now)
{
    Column* const found = columnOf(ParityColumn(ack.column()));
    // A late acknowledgement from a withdrawn parity bucket must not count for its successor in the column.
    if (found == nullptr || found->holder.incarnation != from || Incarnation(ack.incarnation()) != m_incarnation
        || ack.applied() > m_sequence)
        return false;
    Column& column = *found;
    if (ack.applied() > column.acknowledged) {
        measureRoundTrip(column.acknowledged, ack.applied(), now);
        column.acknowledged = ack.applied();
        if (const Change* last = pendingChange(ack.applied()))
            column.grownTo = last->grownTo;
        column.tries = 0;
        column.due = dueAfterAck(column, now);
    }
    if (ack.applied() == column.acknowledged) // an older acknowledgement
        column.room = ack.has_limit() ? ack.room() : MemoryRoom::kUnlimited;
    return true;
}

void ParityLink::onDeltaNak(const pb::DeltaNak& nak, Time now, Effects& out)
{
    // A newer epoch is on its way to this bucket, and under it everything is sent again (setView). If the epochs are
    // equal, the parity bucket did not know this bucket yet when it refused. Each Delta of a burst is refused, so the
    // resend happens once, not once per refusal.
    Column* const found = columnOf(ParityColumn(nak.column()));
    if (found != nullptr && Epoch(nak.epoch()) == m_epoch && found->tries <= 1
        && found->due > now + interval(*found) / 2)
        resend(*found, now, out);
}

Sequence ParityLink::heldByAll() const
{
    if (LHRS_MUTANT(AnswerBeforeParity))
        return m_sequence;
    Sequence held = m_sequence;
    std::size_t overlooked = LHRS_MUTANT(AnswerAfterAllButOne) ? 1 : 0;
    for (const auto& [p, column] : m_columns) {
        if (!column.isUp)
            continue;
        if (overlooked > 0) {
            --overlooked;
            continue;
        }
        held = std::min(held, column.acknowledged);
    }
    // An undecided batch counts as held by no parity bucket, even if there are no parity buckets.
    if (m_undecided != 0)
        held = std::min(held, m_undecided - 1);
    return held;
}

void ParityLink::forgetDone(Sequence held)
{
    // A parity bucket that is being filled does not delay changes but must receive every one, so changes are kept for
    // resends until then.
    Sequence everywhere = std::min(held, m_done);
    for (const auto& [p, column] : m_columns)
        everywhere = std::min(everywhere, column.acknowledged);
    while (!m_pending.isEmpty() && m_pending.front()->sequence <= everywhere) {
        if (m_pending.front()->split == 0)
            m_pendingBytes -= m_pending.front()->delta.size();
        if (m_spare.size() < 1024)
            m_spare.push_back(std::move(m_pending.front()));
        m_pending.front().reset(); // the entry keeps its place in the ring
        m_pending.removeFront();
    }
}

const ParityLink::Change* ParityLink::pendingChange(Sequence sequence) const
{
    if (m_pending.isEmpty() || sequence < m_pending.front()->sequence || sequence > m_pending.back()->sequence)
        return nullptr;
    return m_pending[std::size_t(sequence - m_pending.front()->sequence)].get();
}

bool ParityLink::isBeingDeleted(Key key, Sequence& by) const
{
    if (m_deletes == 0)
        return false;
    for (std::size_t i = m_pending.size(); i-- > 0;) {
        if (m_pending[i]->kind == pb::CHANGE_DELETE && m_pending[i]->key == key) {
            by = m_pending[i]->sequence;
            return true;
        }
    }
    return false;
}

Time ParityLink::interval(const Column& column) const
{
    // A parity bucket that was paused may have caused a round trip of seconds. The interval is bounded, because
    // otherwise a change that is lost later would wait for minutes.
    const Time least = m_context.ms(m_context.acks.timers().resend_ms());
    return std::min(std::max(least, 4 * m_roundTrip) * (1 << std::min(column.tries, 6u)), std::max(Time(1s), least));
}

void ParityLink::resend(Column& column, Time now, Effects& out)
{
    std::size_t sent = 0;
    const Sequence first = m_pending.isEmpty() ? 1 : m_pending.front()->sequence;
    for (std::size_t i = column.acknowledged < first ? 0 : std::size_t(column.acknowledged - first + 1);
         i < m_pending.size() && sent < kResendBurst; ++i) {
        Change& change = *m_pending[i];
        if (!change.isDecided)
            continue;
        sendTo(column, change, column.tries + 1, out);
        change.isResent = true;
        ++sent;
    }
    if (sent == 0) { // nothing is missing, except possibly an undecided batch
        column.due = Time::max();
        return;
    }
    ++column.tries;
    column.due = now + interval(column);
    if (column.tries == m_context.acks.timers().resends_max() + 1)
        alarm(column.holder.incarnation, "delta", now, out);
}

void ParityLink::alarm(Incarnation silent, const char* what, Time now, Effects& out)
{
    const auto column = std::find_if(m_columns.begin(), m_columns.end(),
        [silent](const auto& item) { return item.second.holder.incarnation == silent; });
    if (column == m_columns.end())
        return;
    // Demo paper, section 4(d): the sender may have a wrong address, or the receiver may be unavailable; the
    // coordinator finds out.
    pb::Message message;
    auto* alarm = message.mutable_alarm();
    alarm->set_group(m_group.value);
    alarm->set_message(what);
    alarm->mutable_suspect()->set_role(pb::PARITY);
    alarm->mutable_suspect()->set_index(column->first.value);
    column->second.holder.to(*alarm->mutable_suspect()->mutable_holder());
    m_context.acks.send(std::move(message), m_context.coordinator, NodeId(), Way::Auto, AckList::Patience::GiveUp,
        NodeContext::Plain, now, out);
}

void ParityLink::onTime(Time now, Effects& out)
{
    for (auto& [p, column] : m_columns) {
        if (column.due <= now)
            resend(column, now, out);
    }
}

Time ParityLink::deadline() const
{
    Time earliest = Time::max();
    for (const auto& [p, column] : m_columns)
        earliest = std::min(earliest, column.due);
    return earliest;
}

} // namespace lhrs
