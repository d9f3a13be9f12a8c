// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/parity_creation.h"

#include "common/failpoints.h"

#include <algorithm>

namespace lhrs {

ParityCreation::ParityCreation(
    CoordinatorParts& parts, GroupNumber g, ParityColumn column, std::uint64_t ticket, Time now)
    : m_parts(parts), m_group(g), m_column(column), m_ticket(ticket), m_started(now), m_enlistment(parts),
      m_orders(parts)
{
}

std::string ParityCreation::words() const
{
    return "adding parity bucket " + std::to_string(m_group.value) + "." + std::to_string(m_column.value);
}

void ParityCreation::start(Time now, Effects& out)
{
    auto* event = out.event().mutable_parity_creation_ordered();
    event->set_group(m_group.value);
    event->set_column(m_column.value);
    m_enlistment.start(m_group,
        { { .role = pb::PARITY, .number = m_group.value, .column = m_column.value, .state = pb::INIT } }, false,
        words(), now, out);
}

bool ParityCreation::onOffer(const pb::Message& message, Time now, Effects& out)
{
    return m_enlistment.onOffer(message, now, out);
}

void ParityCreation::tell(Time now, Effects& out)
{
    m_step = Step::Tell;
    m_enlistment.tell(m_orders, now, out);
    advance(now, out);
}

void ParityCreation::fill(Time now, Effects& out)
{
    m_step = Step::Fill;
    m_limit = now + 6 * std::chrono::milliseconds(m_parts.acks.timers().staging_ms());
    order(now, out);
}

pb::Message ParityCreation::orderMessage(bool isCountedOn) const
{
    pb::Message message;
    auto* add = message.mutable_add_parity();
    add->set_group(m_group.value);
    add->set_column(m_column.value);
    add->set_epoch(m_parts.file.group(m_group).epoch.value);
    add->set_incarnation(m_enlistment.members().front().holder.incarnation.value);
    add->set_is_counted_on(isCountedOn);
    return message;
}

void ParityCreation::order(Time now, Effects& out)
{
    m_nextOrder = now + 4 * std::chrono::milliseconds(m_parts.acks.timers().alive_ms());
    m_orders.send(orderMessage(m_step == Step::Settle), m_enlistment.members().front().holder, now, out);
}

void ParityCreation::count(Time now, Effects& out)
{
    // k counts as raised when all members have acknowledged the epoch that calls the new parity bucket UP.
    m_step = Step::Count;
    m_limit = Time::max();
    m_parts.file.group(m_group).parity[m_column].state = pb::UP;
    m_orders.changeEpoch(m_group, "the new parity bucket has the contents of all positions", now, out);
    if (LHRS_MUTANT(RaisedEarly))
        added(now, out);
}

void ParityCreation::undo(std::string reason, Time now, Effects& out)
{
    m_limit = Time::max();
    m_undoReason = std::move(reason);
    m_orders.forget();
    m_step = Step::Cancel;
    if (!m_enlistment.isConfirmed()) { // no member was told of the parity bucket
        m_enlistment.stop(now, out);
        undone(out);
        return;
    }
    m_enlistment.stop(now,
        out); // not waited for: it may be the reason for the undo
    m_orders.changeEpoch(m_group, "the member that was to be added is not", now, out);
    advance(now, out);
}

bool ParityCreation::isCountedOn() const
{
    const auto& data = m_parts.file.group(m_group).data;
    if (m_step == Step::Settle)
        return true;
    return m_step == Step::Count && std::none_of(data.begin(), data.end(), [this](const auto& item) {
        return m_orders.areWaitingFor(item.second.holder.incarnation);
    });
}

void ParityCreation::abort(const std::string& reason, Time now, Effects& out)
{
    if (isCountedOn() && m_parts.file.isHolder(m_enlistment.members().front().holder.incarnation)) {
        // All data buckets send their changes to the new parity bucket and wait for its acknowledgements before they
        // answer clients. Other parity buckets that do not know of it yet learn of it in the next epoch. An undo would
        // lose one more member, so the new one is kept; but k is not raised before the new parity bucket knows that it
        // counts.
        if (m_step == Step::Count) {
            m_orders.forget();
            m_step = Step::Settle;
            order(now, out);
        }
        m_orders.forgetFailed();
        advance(now, out);
        return;
    }
    m_orders.forgetFailed();
    if (m_step == Step::Cancel || isOver())
        advance(now, out);
    else
        undo(reason, now, out);
}

void ParityCreation::advance(Time now, Effects& out)
{
    if (!m_orders.areDone())
        return;
    switch (m_step) {
    case Step::Recruit:
        if (m_enlistment.isConfirmed())
            tell(now, out);
        return;
    case Step::Tell: fill(now, out); return;
    case Step::Fill:
        if (m_isFilled)
            count(now, out);
        return;
    case Step::Count:
        // A data bucket that fails together with the coordinator can no longer tell whether it waited for the new
        // parity bucket. So that parity bucket must know it itself.
        m_step = Step::Settle;
        order(now, out);
        return;
    case Step::Settle: added(now, out); return;
    case Step::Cancel: undone(out); return;
    case Step::Added:
    case Step::Undone: return;
    }
}

void ParityCreation::added(Time now, Effects& out)
{
    m_step = Step::Added;
    FileState::Group& group = m_parts.file.group(m_group);
    group.k = std::max(group.k, m_column.value + 1);
    const auto fillIn = [&](auto& told) { // the event, and the result of the command
        told.set_group(m_group.value);
        told.set_column(m_column.value);
        told.set_k(group.k);
        told.set_records(m_records);
        told.set_total_ns((now - m_started).count());
    };
    fillIn(*out.event().mutable_parity_added());
    pb::CommandReply reply;
    fillIn(*reply.mutable_parity());
    m_parts.answer(m_ticket, reply, out);
}

void ParityCreation::undone(Effects& out)
{
    m_step = Step::Undone;
    auto* event = out.event().mutable_parity_creation_undone();
    event->set_group(m_group.value);
    event->set_column(m_column.value);
    event->set_reason(m_undoReason);
    m_parts.refuse(m_ticket, pb::TIMED_OUT, m_undoReason, out);
}

void ParityCreation::onContentsDone(const pb::ContentsDone& done, Time now, Effects& out)
{
    if (m_step != Step::Fill || m_group.value != done.group() || m_column.value != done.column())
        return;
    if (done.incarnation() != m_enlistment.members().front().holder.incarnation.value)
        return; // from a former candidate for this column
    m_isFilled = true;
    m_records = done.records();
    advance(now, out);
}

void ParityCreation::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_enlistment.onAcknowledged(entry) || m_orders.onAcknowledged(entry))
        advance(now, out);
}

void ParityCreation::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    m_enlistment.onGivenUp(entry, now, out);
}

void ParityCreation::onTime(Time now, Effects& out)
{
    if (m_limit <= now)
        undo("filling the parity bucket took longer than its limit", now, out);
    // No other process expects a message from a parity bucket that has all contents and receives no changes. So the
    // order is repeated; if it is not acknowledged, the parity bucket has failed.
    if (m_step == Step::Fill && m_nextOrder <= now && m_orders.areDone())
        order(now, out);
    m_enlistment.onTime(now, out);
    if (m_step == Step::Recruit && m_enlistment.isMissing())
        m_enlistment.refuse(std::exchange(m_ticket, 0), out);
}

Time ParityCreation::deadline() const
{
    const Time next = m_step == Step::Fill && m_orders.areDone() ? m_nextOrder : Time::max();
    return std::min({ m_limit, next, m_enlistment.deadline() });
}

} // namespace lhrs
