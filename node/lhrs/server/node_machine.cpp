// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/server/node_machine.h"

#include "common/lhrs/failpoint_list.h"
#include "node/lhrs/coordinator/file_rebuild.h"
#include "node/lhrs/group/key_request.h"
#include "node/lhrs/group/message_check.h"
#include "node/machine/awaited_sample.h"

#include <algorithm>
#include <type_traits>

namespace lhrs {

NodeMachine::NodeMachine(NodeOptions options)
    : m_context { { options.self, options.coordinator, AckList(pb::Timers()), 0 }, {}, {} }, m_pool(options.pool)
{
    m_context.self.set_pool(m_pool);
}

void NodeMachine::setPlace(Effects& out) const
{
    if (m_data)
        out.at(pb::DATA, m_data->number().value);
    else if (m_parity)
        out.at(pb::PARITY, m_parity->group().value, m_parity->column().value);
    else
        out.at(pb::NO_ROLE, 0);
}

void NodeMachine::onMessage(const pb::Message& message, Time now, Effects& out)
{
    setPlace(out);
    take(message, now, out);
    if (m_parity && !out.moreFollow())
        m_parity->giveOwedWords(out);
    carry(now, out);
    lookAtMemory(out);
}

void NodeMachine::carry(Time now, Effects& out)
{
    m_parts.carry(now, out);
    m_handshake.carry(now, out);
}

void NodeMachine::expect(const pb::Message& message, Soon soon) const
{
    using B = pb::Message;
    switch (int(message.body_case())) {
    case B::kSearch:
    case B::kInsert:
    case B::kUpdate:
    case B::kDelete:
        if (!m_data)
            break;
        if (const Key key(keyRequestOf(message).key()); soon == Soon::Later)
            m_data->store().prefetchIndex(key);
        else
            m_data->store().prefetchRecord(key);
        break;
    case B::kDelta:
        if (m_parity && soon == Soon::Later)
            m_parity->store().prefetch(Rank(message.delta().rank()));
        break;
    default: break;
    }
}

void NodeMachine::onPart(const pb::Message& message, Time now, Effects& out)
{
    if (const auto whole = m_parts.onPart(message, now, out))
        take(*whole, now, out);
}

// A handler takes those of message, time and effects that it needs.
template <auto handler, class Bucket>
static void handle(Bucket& bucket, const pb::Message& message, Time now, Effects& out)
{
    if constexpr (std::is_invocable_v<decltype(handler), Bucket&, const pb::Message&, Time, Effects&>)
        (bucket.*handler)(message, now, out);
    else if constexpr (std::is_invocable_v<decltype(handler), Bucket&, const pb::Message&, Effects&>)
        (bucket.*handler)(message, out);
    else
        (bucket.*handler)(message);
}

template <auto handler> void NodeMachine::toData(const pb::Message& message, Time now, Effects& out)
{
    if (m_data)
        handle<handler>(*m_data, message, now, out);
    else
        refuse(message, out);
}

template <auto handler> void NodeMachine::toParity(const pb::Message& message, Time now, Effects& out)
{
    if (m_parity)
        handle<handler>(*m_parity, message, now, out); // else the sender notices that acknowledgements are missing
}

template <auto dataHandler, auto parityHandler>
void NodeMachine::toEither(const pb::Message& message, Time now, Effects& out)
{
    if (m_data)
        handle<dataHandler>(*m_data, message, now, out);
    else
        toParity<parityHandler>(message, now, out);
}

void NodeMachine::take(const pb::Message& message, Time now, Effects& out)
{
    if (!isWithinLimits(message)) {
        tellDropped(message, out.event());
        return;
    }
    if (!isOfPresentCoordinator(message, now, out))
        return;
    if (message.answers() != 0)
        onAcknowledged(message.answers(), now, out);
    using B = pb::Message;
    switch (message.body_case()) {
    case B::kInvite: onInvite(message, now, out); break;
    case B::kConfirm: onConfirm(message, now, out); break;
    case B::kCancel: onCancel(message, now, out); break;
    case B::kRegistered: onRegistered(message, now, out); break;
    case B::kProbe: onProbe(message, out); break;
    case B::kReportState: onReportState(message, now, out); break;
    case B::kPart: onPart(message, now, out); break;
    case B::kPartAck: m_parts.onPartAck(message, now, out); break;
    case B::kOpenConnection: ConnectionHandshake::onOpenConnection(message, out); break;
    case B::kConnectionReady: m_handshake.onConnectionReady(message, out); break;

    case B::kInsert: toData<&DataBucket::onInsert>(message, now, out); break;
    case B::kUpdate: toData<&DataBucket::onUpdate>(message, now, out); break;
    case B::kDelete: toData<&DataBucket::onDelete>(message, now, out); break;
    case B::kSearch: toData<&DataBucket::onSearch>(message, now, out); break;
    case B::kScan: toData<&DataBucket::onScan>(message, now, out); break;
    case B::kDeltaAck: toData<&DataBucket::onDeltaAck>(message, now, out); break;
    case B::kDeltaNak: toData<&DataBucket::onDeltaNak>(message, now, out); break;
    case B::kLocation: toData<&DataBucket::onLocation>(message, now, out); break;
    case B::kSplit: toData<&DataBucket::onSplit>(message, now, out); break;
    case B::kMerge: toData<&DataBucket::onMerge>(message, now, out); break;
    case B::kDisplaced: toData<&DataBucket::onDisplaced>(message, now, out); break;
    case B::kMoveRecords: toData<&DataBucket::onMoveRecords>(message, now, out); break;
    case B::kFinish: toData<&DataBucket::onFinish>(message, now, out); break;
    case B::kRearm: toData<&DataBucket::onRearm>(message, now, out); break;
    case B::kSendContents: toData<&DataBucket::onSendContents>(message, now, out); break;
    case B::kLeaseGrant: toData<&DataBucket::onLeaseGrant>(message, now, out); break;
    case B::kSpareSlice: toData<&DataBucket::onSpareSlice>(message, now, out); break;

    case B::kDelta: toParity<&ParityBucket::onDelta>(message, now, out); break;
    case B::kPrepareBatch: toParity<&ParityBucket::onPrepareBatch>(message, now, out); break;
    case B::kAddParity: toParity<&ParityBucket::onAddParity>(message, now, out); break;
    case B::kContents: toParity<&ParityBucket::onContents>(message, now, out); break;
    case B::kCutReport: toParity<&ParityBucket::onCutReport>(message, now, out); break;
    case B::kDeltaCopy: toParity<&ParityBucket::onDeltaCopy>(message, now, out); break;
    case B::kRecover: toParity<&ParityBucket::onRecover>(message, now, out); break;
    case B::kSliceData: toParity<&ParityBucket::onSliceData>(message, now, out); break;
    case B::kRecoverRecord: toParity<&ParityBucket::onRecoverRecord>(message, now, out); break;
    case B::kMemberRecord: toParity<&ParityBucket::onMemberRecord>(message, now, out); break;

    case B::kCommit: toEither<&DataBucket::onCommit, &ParityBucket::onCommit>(message, now, out); break;
    case B::kAbort: toEither<&DataBucket::onAbort, &ParityBucket::onAbort>(message, now, out); break;
    case B::kEpoch: toEither<&DataBucket::onEpoch, &ParityBucket::onEpoch>(message, now, out); break;
    case B::kLeaseRequest:
        toEither<&DataBucket::onLeaseRequest, &ParityBucket::onLeaseRequest>(message, now, out);
        break;
    case B::kSliceRequest:
        toEither<&DataBucket::onSliceRequest, &ParityBucket::onSliceRequest>(message, now, out);
        break;
    case B::kMemberRead: toEither<&DataBucket::onMemberRead, &ParityBucket::onMemberRead>(message, now, out); break;

    // Acknowledgements, and messages that are not for a node.
    case B::kAck:
    case B::kReply:
    case B::kWhereIs:
    case B::kAlarm:
    case B::kOverload:
    case B::kUnderflow:
    case B::kRegister:
    case B::kAlive:
    case B::kEpochAck:
    case B::kPrepared:
    case B::kApplied:
    case B::kContentsDone:
    case B::kOffer:
    case B::kSuspect:
    case B::kProbeReply:
    case B::kCutDone:
    case B::kRecoveryDone:
    case B::kStateReport:
    case B::kSuperseded:
    case B::kScanReply:
    case B::BODY_NOT_SET: break;
    }
}

bool NodeMachine::isOfPresentCoordinator(const pb::Message& message, Time now, Effects& out)
{
    const std::uint64_t epoch = message.coordinator_epoch();
    if (epoch == 0)
        return true;
    if (epoch >= m_context.coordinatorEpoch) {
        if (epoch < m_promised && now < m_promiseEnds)
            return false; // promised to a listening coordinator; resent if that one fails
        m_context.coordinatorEpoch = epoch;
        m_followed = NodeId(message.sender());
        return true;
    }
    // A coordinator that was only paused gives orders for a file that a later coordinator knows better.
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.mutable_superseded()->set_coordinator_epoch(m_context.coordinatorEpoch);
    return false;
}

void NodeMachine::onReportState(const pb::Message& message, Time now, Effects& out)
{
    // The report must still be true when it is used, so for a while this process follows no earlier coordinator. And a
    // coordinator that starts after this one must not take the same epoch. See "A coordinator that starts" in
    // node/lhrs/PROTOCOL.md. (A coordinator that already has its epoch asks members that had been silent; it is
    // followed anyway.)
    if (message.coordinator_epoch() == 0) {
        // A coordinator that starts at an address other than the configured one would replace one that clients and
        // servers can reach.
        const Address from = Address::from(message.from());
        if (from.ip != m_context.coordinator.ip || from.udpPort != m_context.coordinator.udpPort)
            return;
        if (NodeId(message.sender()) == m_followed)
            return; // a late copy from before it took over; a promise would block its orders
        if (NodeId(message.sender()) != m_reportedTo) {
            m_reportedTo = NodeId(message.sender());
            m_promised = std::max(m_promised, m_context.coordinatorEpoch) + 1;
        }
        m_promised = std::max(m_promised, m_context.coordinatorEpoch + 1);
        m_promiseEnds = now + FileRebuild::kPromise;
    }
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    auto* report = answer.mutable_state_report();
    report->set_asked_by(message.report_state().asked_by());
    report->set_asked_ns(message.report_state().asked_ns());
    *report->mutable_process() = m_context.self;
    *report->mutable_timers() = m_context.acks.timers();
    m_replaced.report(*report);
    report->set_recovery(m_recovery);
    report->set_recovery_stamp(m_recoveryStamp);
    report->set_coordinator_epoch(std::max(m_context.coordinatorEpoch, m_promised == 0 ? 0 : m_promised - 1));
    if (m_data)
        m_data->report(*report);
    else if (m_parity)
        m_parity->report(*report);
    else
        *report->mutable_view() = m_formerView;
}

void NodeMachine::refuse(const pb::Message& message, Effects& out)
{
    // A client or bucket believes that this process holds a place, so it must ask the coordinator again.
    if (message.has_scan()) {
        const pb::Scan& scan = message.scan();
        out.serve(scan.request());
        sayDisplaced(Address::from(scan.client()), NodeId(scan.request().client()), scan.request(), scan.target(),
            scan.incarnation(), 0, out);
        if (scan.forwards() > 0)
            sayDisplaced(Address::from(message.from()), NodeId(message.sender()), scan.request(), scan.target(),
                scan.incarnation(), 0, out);
        return;
    }
    if (!hasKeyRequest(message))
        return;
    const pb::KeyRequest& request = keyRequestOf(message);
    out.serve(request.request());
    sayDisplaced(Address::from(request.client()), NodeId(request.request().client()), request, out);
    if (request.forwards() > 0) // the bucket that forwarded the request must not do so again
        sayDisplaced(Address::from(message.from()), NodeId(message.sender()), request, out);
}

void NodeMachine::onAcknowledged(std::uint64_t id, Time now, Effects& out)
{
    const auto entry = m_context.acks.acknowledge(id, now);
    if (entry && m_data)
        m_data->onAck(*entry, now, out);
    if (entry && m_parity)
        m_parity->onAck(*entry, now, out);
}

void NodeMachine::onProbe(const pb::Message& message, Effects& out) const
{
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    auto* reply = answer.mutable_probe_reply();
    reply->set_probing(message.probe().number());
    if (m_data) {
        reply->set_role(pb::DATA);
        reply->set_number(m_data->number().value);
        reply->set_incarnation(m_data->incarnation().value);
    } else if (m_parity) {
        reply->set_role(pb::PARITY);
        reply->set_number(m_parity->group().value);
        reply->set_column(m_parity->column().value);
        reply->set_incarnation(m_parity->incarnation().value);
    }
}

// ---- recruiting

void NodeMachine::onInvite(const pb::Message& message, Time now, Effects& out)
{
    const pb::Invite& invite = message.invite();
    if (!isSpare() || invite.role() != m_pool || isFull() || out.fires(Failpoint::InvitationIgnored))
        return;
    const bool isNew = m_invitation == 0;
    if (!isNew && m_invitation != invite.invitation())
        return; // one open offer per server
    const std::uint32_t offerMs = m_context.acks.timers().offer_ms();
    m_invitation = invite.invitation();
    m_offerExpires = now + m_context.ms(offerMs);
    pb::Message& message2 = out.send(Address::from(invite.coordinator()));
    auto* offer = message2.mutable_offer();
    offer->set_invitation(m_invitation);
    *offer->mutable_process() = m_context.self;
    if (!isNew)
        return;
    auto* invited = out.event().mutable_node_invited();
    invited->set_invitation(m_invitation);
    invited->set_role(m_pool);
    invited->set_transport(invite.by_registry() ? pb::UDP : pb::MULTICAST);
    auto* offered = out.event().mutable_node_offered();
    offered->set_invitation(m_invitation);
    offered->set_role(m_pool);
    offered->set_expires_ms(offerMs);
}

void NodeMachine::endOffer(const char* reason, Effects& out)
{
    if (m_invitation == 0)
        return;
    auto* event = out.event().mutable_offer_cancelled();
    event->set_invitation(m_invitation);
    event->set_role(m_pool);
    event->set_reason(reason);
    m_invitation = 0;
    m_offerExpires = Time::max();
}

void NodeMachine::onConfirm(const pb::Message& message, Time now, Effects& out)
{
    const pb::Confirm& confirm = message.confirm();
    const Incarnation incarnation(confirm.incarnation());
    if ((m_data && m_data->incarnation() == incarnation) || (m_parity && m_parity->incarnation() == incarnation)) {
        NodeContext::acknowledge(message, out);
        return;
    }
    if (!isSpare() || m_offerExpires <= now || incarnation <= m_lastIncarnation || confirm.invitation() != m_invitation
        || confirm.role() != m_pool)
        return; // the offer has expired, or this is a late copy; without an Ack, another spare is taken
    if (out.fires(Failpoint::ConfirmedAndSilent))
        return;
    NodeContext::acknowledge(message, out);
    m_lastIncarnation = incarnation;
    m_context.acks.setTimers(confirm.timers());
    m_handshake.setMode(confirm.config().tcp_mode());
    for (const pb::Location& location : confirm.table())
        m_context.locations[BucketNumber(location.bucket())] = HolderInfo::from(location.holder());
    const std::uint32_t m = confirm.config().m();
    if (confirm.role() == pb::DATA)
        m_data = std::make_unique<DataBucket>(m_context, confirm, now, out);
    else
        m_parity = std::make_unique<ParityBucket>(m_context, confirm, now);
    // Demo paper, section 3: the selected server leaves the multicast group.
    out.leavePool(m_pool);
    setPlace(out);
    auto* recruited = out.event().mutable_node_recruited();
    recruited->set_invitation(m_invitation);
    recruited->set_incarnation(incarnation.value);
    recruited->set_level(confirm.level());
    recruited->set_group(m_data ? groupOf(BucketNumber(confirm.number()), m).value : confirm.number());
    recruited->set_position(m_data ? positionOf(BucketNumber(confirm.number()), m).value : confirm.column());
    m_invitation = 0;
    m_offerExpires = Time::max();
    auto* state = out.event().mutable_state_changed();
    state->set_state(confirm.state());
    state->set_reason("confirmed by the coordinator");
    state->set_level(confirm.level());
    m_nextAlive = now; // so that the directory learns of it at once
}

void NodeMachine::onCancel(const pb::Message& message, Time now, Effects& out)
{
    const pb::Cancel& cancel = message.cancel();
    if (cancel.incarnation() == 0) {
        if (cancel.invitation() == m_invitation)
            endOffer("not needed", out);
        return;
    }
    NodeContext::acknowledge(message, out);
    const Incarnation incarnation(cancel.incarnation());
    const bool isOurs = (m_data && m_data->incarnation() == incarnation)
        || (m_parity && m_parity->incarnation() == incarnation);
    if (!isOurs) {
        m_lastIncarnation = std::max(m_lastIncarnation, incarnation); // its Confirm may still be under way
        return;
    }
    auto* event = out.event().mutable_node_released();
    event->set_reason("the coordinator does not need this bucket");
    event->set_pool(m_pool);
    m_formerView = m_data ? m_data->view() : m_parity->view();
    m_data.reset();
    m_parity.reset();
    m_context.acks.forgetIf([](const AckList::Entry& entry) { return entry.purpose != NodeContext::Registration; });
    m_context.locations.clear();
    m_parts.clear();
    m_handshake.clear();
    setPlace(out);
    out.joinPool(m_pool);
    m_nextAlive = now;
}

void NodeMachine::onRegistered(const pb::Message& message, Time now, Effects&)
{
    m_isRegistered = true;
    m_knowsFile = m_knowsFile || message.registered().file_exists();
    m_replaced.learn(message.registered());
    if (message.registered().recovery_stamp() > m_recoveryStamp) {
        m_recovery = message.registered().recovery();
        m_recoveryStamp = message.registered().recovery_stamp();
        m_nextAlive = now; // an operator is waiting until all servers know it
    }
    m_context.acks.setTimers(message.registered().timers());
}

// ---- time

void NodeMachine::onAlive(Time now, Effects& out)
{
    m_nextAlive = now + m_context.ms(m_context.acks.timers().alive_ms());
    pb::Alive* const alive = &m_context.sayAlive(out);
    alive->set_knows_file(m_knowsFile);
    alive->set_knows_replaced(m_replaced.known());
    alive->set_knows_recovery(m_recoveryStamp);
    if (m_data) {
        alive->set_role(pb::DATA);
        alive->set_number(m_data->number().value);
        alive->set_incarnation(m_data->incarnation().value);
    } else if (m_parity) {
        alive->set_role(pb::PARITY);
        alive->set_number(m_parity->group().value);
        alive->set_column(m_parity->column().value);
        alive->set_incarnation(m_parity->incarnation().value);
    }
}

void NodeMachine::onTime(Time now, Effects& out)
{
    setPlace(out);
    if (!m_isStarted) {
        m_isStarted = true;
        m_context.enter(now, out);
        m_nextAlive = now + m_context.ms(m_context.acks.timers().alive_ms());
    }
    if (m_offerExpires <= now)
        endOffer("expired", out);
    m_context.acks.onTime(now, out, [this](const AckList::Entry& entry) {
        if (m_data)
            m_data->onGivenUp(entry);
    });
    if (m_data)
        m_data->onTime(now, out);
    if (m_parity)
        m_parity->onTime(now, out);
    if (m_nextAlive <= now)
        onAlive(now, out);
    m_parts.onTime(now, out);
    m_handshake.onTime(now, out);
    carry(now, out);
    lookAtMemory(out);
}

Time NodeMachine::deadline() const
{
    if (!m_isStarted)
        return Time();
    Time earliest = std::min(
        { m_nextAlive, m_offerExpires, m_context.acks.deadline(), m_parts.deadline(), m_handshake.deadline() });
    if (m_data)
        earliest = std::min(earliest, m_data->deadline());
    if (m_parity)
        earliest = std::min(earliest, m_parity->deadline());
    return earliest;
}

// ---- commands and snapshots

void NodeMachine::onCommand(const pb::Command& command, Time, Effects& out)
{
    setPlace(out);
    if (!command.has_read_contents() && !command.has_audit()) {
        out.refuse(command.ticket(), pb::WRONG_PROCESS, "a node does not do that; ask the coordinator or a client");
        return;
    }
    if (isSpare()) {
        out.refuse(
            command.ticket(), pb::REFUSED, "this server is a spare and holds no bucket; ask a data or parity bucket");
        return;
    }
    pb::CommandReply& reply = out.reply(command.ticket());
    if (command.has_read_contents()) {
        m_data ? m_data->readContents(command.read_contents(), *reply.mutable_contents())
               : m_parity->readContents(command.read_contents(), *reply.mutable_contents());
    } else {
        m_data ? m_data->audit(command.audit(), *reply.mutable_audit())
               : m_parity->audit(command.audit(), *reply.mutable_audit());
    }
}

void NodeMachine::snapshot(pb::Snapshot& out) const
{
    *out.mutable_info() = m_context.self;
    if (m_data)
        m_data->snapshot(out);
    else if (m_parity)
        m_parity->snapshot(out);
    else
        out.set_spare_pool(m_pool);
}

void NodeMachine::inspect(Time now, pb::NodeSample& out) const
{
    add(m_context.acks, out);
    if (m_data) {
        out.set_state(m_data->state());
        out.set_incarnation(m_data->incarnation().value);
        m_data->inspect(now, out);
    } else if (m_parity) {
        out.set_state(m_parity->state());
        out.set_incarnation(m_parity->incarnation().value);
        m_parity->inspect(now, out);
    }
}

void NodeMachine::gauges(pb::Gauges& out) const
{
    out.set_unacknowledged(m_context.acks.size());
    if (m_context.memory.hasLimit()) {
        out.set_memory_limit(m_context.memory.reading().limit);
        out.set_memory_left(m_context.memory.left(storedBytes()));
        out.set_is_full(isFull());
    }
    if (m_data) {
        out.set_records(m_data->store().count());
        out.set_rank_max(m_data->store().rankMax().value);
        out.set_sequence(m_data->link().sequence());
        out.set_held(m_data->held());
        out.set_unacknowledged(m_context.acks.size() + m_data->link().pending());
        out.set_operations(m_data->operations());
        out.set_store_bytes(m_data->store().bytes());
    } else if (m_parity) {
        out.set_records(m_parity->store().recordGroups());
        out.set_rank_max(m_parity->store().rankMax().value);
        out.set_held(m_parity->held());
        out.set_operations(m_parity->operations());
        out.set_store_bytes(m_parity->store().bytes());
    }
}

} // namespace lhrs
