// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/coordinator/coordinator.h"

#include "common/failpoints.h"
#include "node/machine/transfer/connection_handshake.h"
#include "node/lhrs/group/message_check.h"
#include "node/machine/awaited_sample.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr std::uint32_t kAvailabilityMax = 8;
constexpr int kTimeScaleMost = 100;
constexpr std::size_t kOverloadsSeenMax = 64;
constexpr std::uint32_t kForgetAfter = 20; // missed Alive messages after which a process without a place is dropped

} // namespace

Coordinator::Coordinator(CoordinatorOptions options)
    : m_self(options.self), m_timers(options.timers), m_acks(options.timers),
      m_file(options.config), m_invitations { options.recruiting, Address::from(options.self.address()), m_acks,
          m_directory },
      m_parts { m_file, m_directory, m_acks, m_invitations }, m_growth(m_parts), m_failures(m_parts, m_growth),
      m_policy(m_parts), m_takeover(m_parts), m_isFileKnown(options.isFileKnown)
{
    if (options.listensFirst)
        m_rebuild = newRebuild();
}

void Coordinator::sign(Effects& out) const
{
    if (m_rebuild)
        return; // this coordinator has no epoch yet
    for (Effects::Send& send : out.sends())
        send.message->set_coordinator_epoch(m_file.coordinatorEpoch());
    for (Effects::Multicast& multicast : out.multicasts())
        multicast.message->set_coordinator_epoch(m_file.coordinatorEpoch());
}

void Coordinator::onMessage(const pb::Message& message, Time now, Effects& out)
{
    m_now = now;
    if (m_isSuperseded)
        return;
    if (!namesSoundProcess(message)) {
        tellDropped(message, out.event());
        return;
    }
    const pb::ProcessInfo* process = message.has_state_report() ? &message.state_report().process()
                                                                : introducedIn(message);
    if (process != nullptr && !m_directory.hasRoomFor(*process)) {
        turnAway(message, out);
        return;
    }
    if (m_rebuild) {
        if (m_isStarted)
            listenAnewAfterSleep(now, out);
        listen(message, now, out);
    } else {
        act(message, now, out);
    }
    sign(out);
}

void Coordinator::act(const pb::Message& message, Time now, Effects& out)
{
    if (message.answers() != 0) {
        if (message.has_epoch_ack())
            m_failures.onEpochAck(message.epoch_ack(), now);
        if (const auto entry = m_acks.acknowledge(message.answers(), now)) {
            m_growth.onAcknowledged(*entry, now, out);
            m_failures.onAcknowledged(*entry, now, out);
            m_takeover.onAcknowledged(*entry);
        }
    }
    using B = pb::Message;
    switch (message.body_case()) {
    case B::kRegister: onRegister(message, now, out); break;
    case B::kAlive: onAlive(message, now, out); break;
    case B::kWhereIs: onWhereIs(message, out); break;
    case B::kAlarm: m_failures.onAlarm(message, now, out); break;
    case B::kSuspect: m_failures.onSuspect(message, now, out); break;
    case B::kProbeReply: m_failures.onProbeReply(message, now, out); break;
    case B::kCutDone: m_failures.onCutDone(message, now, out); break;
    case B::kRecoveryDone: m_failures.onRecoveryDone(message, now, out); break;
    case B::kStateReport: onStateReport(message, now, out); break;
    case B::kOverload: onOverload(message, now, out); break;
    case B::kUnderflow: onUnderflow(message, now, out); break;
    case B::kOffer: onOffer(message, now, out); break;
    case B::kPrepared: onPrepared(message, now, out); break;
    case B::kContentsDone: onContentsDone(message, now, out); break;
    case B::kSuperseded: onSuperseded(message, out); break;
    case B::kOpenConnection: ConnectionHandshake::onOpenConnection(message, out); break;

    // Acknowledgements, and messages that are not for a coordinator.
    case B::kAck:
    case B::kPart:
    case B::kPartAck:
    case B::kConnectionReady:
    case B::kEpochAck:
    case B::kApplied:
    case B::kInsert:
    case B::kUpdate:
    case B::kDelete:
    case B::kSearch:
    case B::kReply:
    case B::kDisplaced:
    case B::kLocation:
    case B::kRegistered:
    case B::kEpoch:
    case B::kDelta:
    case B::kDeltaAck:
    case B::kDeltaNak:
    case B::kSplit:
    case B::kMoveRecords:
    case B::kPrepareBatch:
    case B::kCommit:
    case B::kAbort:
    case B::kFinish:
    case B::kAddParity:
    case B::kSendContents:
    case B::kContents:
    case B::kInvite:
    case B::kConfirm:
    case B::kCancel:
    case B::kProbe:
    case B::kLeaseRequest:
    case B::kLeaseGrant:
    case B::kCutReport:
    case B::kDeltaCopy:
    case B::kRecover:
    case B::kSliceRequest:
    case B::kSliceData:
    case B::kSpareSlice:
    case B::kRecoverRecord:
    case B::kMemberRead:
    case B::kMemberRecord:
    case B::kReportState:
    case B::kRearm:
    case B::kMerge:
    case B::kScan:
    case B::kScanReply:
    case B::BODY_NOT_SET: break;
    }
    if (m_file.exists() && !m_isFileTold) {
        m_isFileTold = true;
        tellAllOfFile(out);
    }
    answerWaiters(now, out);
}

void Coordinator::onRegister(const pb::Message& message, Time now, Effects& out)
{
    const Directory::Entry& entry = m_directory.learn(message.register_().process(), now);
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    fill(*answer.mutable_registered(), entry, 0);
}

void Coordinator::fill(pb::Registered& registered, const Directory::Entry& entry, std::uint64_t knowsReplaced) const
{
    *registered.mutable_config() = m_file.config();
    *registered.mutable_timers() = m_acks.timers();
    registered.set_ordinal(entry.ordinal);
    registered.set_file_exists(m_file.exists());
    if (entry.info.kind() != pb::NODE)
        return;
    m_file.replaced().tell(knowsReplaced, m_file.coordinatorEpoch(), registered);
    m_policy.tell(registered);
}

void Coordinator::onAlive(const pb::Message& message, Time now, Effects& out)
{
    const pb::Alive& alive = message.alive();
    m_directory.learn(alive, now);
    if (m_unheard.contains(Incarnation(alive.incarnation())))
        askForState(message, now, out);
    const bool isServer = alive.process().kind() == pb::NODE;
    const bool knowsAll = alive.knows_replaced() == m_file.replaced().stamp(m_file.coordinatorEpoch())
        && m_policy.isKnownTo(alive);
    m_policy.onAlive(alive, out);
    if ((m_file.exists() && !alive.knows_file()) || (isServer && !knowsAll))
        tellOfFile(*m_directory.find(NodeId(alive.process().node())), alive.knows_replaced(), out);
    if (alive.role() == pb::NO_ROLE)
        return;
    if (m_isFileNew && alive.knows_file()
        && !m_file.wasGiven(Incarnation(alive.incarnation()), NodeId(alive.process().node()))) {
        // No process that was heard at the start knew of that file. This coordinator has no right to end its buckets.
        if (m_foreign.insert(NodeId(alive.process().node())).second)
            *out.event().mutable_foreign_bucket()->mutable_alive() = alive;
        return;
    }
    if (m_file.isHolder(Incarnation(alive.incarnation())))
        return;
    // The process believes that it holds a place that was withdrawn or given to another process: its Cancel was lost.
    pb::Message cancel;
    cancel.mutable_cancel()->set_incarnation(alive.incarnation());
    const auto isAsked = [&](const AckList::Entry& entry) {
        return entry.message.has_cancel() && entry.message.cancel().incarnation() == alive.incarnation();
    };
    if (!m_acks.any(isAsked))
        m_acks.send(std::move(cancel), Address::from(message.from()), NodeId(message.sender()), Way::Auto,
            AckList::Patience::GiveUp, PlainOrder, now, out);
}

// A server that knows of the file prevents a restarted coordinator from creating a second one. A server that knows
// which members were replaced prevents it from taking them for the group.
void Coordinator::tellOfFile(const Directory::Entry& entry, std::uint64_t knowsReplaced, Effects& out)
{
    pb::Message& message = out.send(Address::from(entry.info.address()), Way::Auto, 0, NodeId(entry.info.node()));
    fill(*message.mutable_registered(), entry, knowsReplaced);
}

void Coordinator::tellAllOfFile(Effects& out)
{
    for (const Directory::Entry* entry : m_directory.all())
        tellOfFile(*entry, 0, out);
}

void Coordinator::onWhereIs(const pb::Message& message, Effects& out)
{
    pb::Message& answer = out.send(Address::from(message.from()), Way::Auto, 0, NodeId(message.sender()));
    answer.set_answers(message.id());
    *answer.mutable_location() = m_file.location(BucketNumber(message.where_is().bucket()));
}

void Coordinator::onOverload(const pb::Message& message, Time now, Effects& out)
{
    NodeContext::acknowledge(message, out);
    if (isCopy(message) || (LHRS_MUTANT(OverloadDropped) && !m_growth.isIdle()))
        return;
    if (!isLoadLow(message.overload())) {
        m_growth.owe(0, now, out);
        return;
    }
    // The debt stays with the bucket, which will report again when it holds a tenth more records.
    const FileState::MemberInfo* bucket = m_file.data(BucketNumber(message.overload().bucket()));
    if (!bucket || bucket->holder.node != NodeId(message.sender()))
        return;
    pb::Message rearm;
    rearm.mutable_rearm()->set_count(message.overload().count() + std::max(1u, m_file.config().b() / 10));
    m_takeover.send(std::move(rearm), bucket, now, out);
}

bool Coordinator::isLoadLow(const pb::Overload& overload) const
{
    const std::uint64_t limit = m_file.config().load_control(); // per mille
    // A bucket of level j holds one of 2^j parts of all keys.
    const std::uint64_t records = std::uint64_t(overload.count()) << std::min(overload.level(), 31u);
    const std::uint64_t room = std::uint64_t(m_file.config().b())
        * (m_file.buckets() + m_growth.owed() + m_growth.besideFirst());
    return limit > 0 && double(records) * 1000 <= double(limit) * double(room);
}

void Coordinator::onUnderflow(const pb::Message& message, Time now, Effects& out)
{
    NodeContext::acknowledge(message, out);
    const pb::Underflow& few = message.underflow();
    if (!isCopy(message))
        m_growth.oweMerge(std::uint64_t(few.count()) << std::min(few.level(), 31u), now, out);
}

bool Coordinator::isCopy(const pb::Message& message)
{
    // A copy is not a second debt; but two reports from one bucket may overtake each other.
    std::set<std::uint64_t>& seen = m_overloadsSeen[NodeId(message.sender())];
    const bool isLongAgo = seen.size() == kOverloadsSeenMax && message.id() < *seen.begin();
    if (isLongAgo || !seen.insert(message.id()).second)
        return true;
    if (seen.size() > kOverloadsSeenMax)
        seen.erase(seen.begin());
    return false;
}

void Coordinator::onOffer(const pb::Message& message, Time now, Effects& out)
{
    m_directory.learn(message.offer().process(), now);
    if (!m_failures.onOffer(message, now, out) && !m_growth.onOffer(message, now, out))
        Invitations::cancel(message.offer().process(), message.offer().invitation(), out); // that invitation is settled
}

void Coordinator::onPrepared(const pb::Message& message, Time now, Effects& out)
{
    NodeContext::acknowledge(message, out);
    m_growth.onPrepared(message.prepared(), now, out);
}

void Coordinator::onContentsDone(const pb::Message& message, Time now, Effects& out)
{
    NodeContext::acknowledge(message, out);
    m_growth.onContentsDone(message.contents_done(), now, out);
    m_failures.onContentsDone(message.contents_done(), now, out);
}

void Coordinator::onTime(Time now, Effects& out)
{
    m_now = now;
    if (m_isSuperseded)
        return;
    if (!m_isStarted) {
        m_isStarted = true;
        *out.event().mutable_process_started()->mutable_process() = m_self;
        m_nextLook = now;
        m_listensSince = now;
        if (m_rebuild)
            out.event().mutable_coordinator_listening()->set_listens_ms(m_acks.timers().restart_ms());
    }
    if (m_rebuild)
        listenAnewAfterSleep(now, out);
    const bool looks = m_nextLook <= now;
    // If no process was heard for a while (when a suspended machine resumes, this process may wake first), silence does
    // not mean failure.
    if (const Time slept = now - m_nextLook; slept >= std::chrono::milliseconds(m_acks.timers().alive_ms()))
        m_directory.excuse(slept);
    if (looks)
        m_nextLook = now + std::chrono::milliseconds(m_acks.timers().alive_ms());
    if (m_rebuild)
        endListening(now, out);
    if (looks && m_rebuild)
        m_directory.expireClients(now - forgetAfter()); // it may listen for long, and they count
    if (m_rebuild)
        answerWaiters(now, out);
    else
        wake(now, looks, out);
    sign(out);
}

Time Coordinator::forgetAfter() const { return kForgetAfter * std::chrono::milliseconds(m_acks.timers().alive_ms()); }

void Coordinator::wake(Time now, bool looks, Effects& out)
{
    m_takeover.forgetFailed();
    m_acks.onTime(now, out, [&](const AckList::Entry& entry) {
        m_growth.onGivenUp(entry, now, out);
        m_failures.onGivenUp(entry, now, out);
    });
    if (looks) {
        m_directory.learn(m_self, now);
        m_directory.expire(now - forgetAfter());
    }
    m_failures.onTime(now, out);
    m_growth.onTime(now, out);
    m_policy.onTime(now, out);
    answerWaiters(now, out);
}

Time Coordinator::deadline() const
{
    if (!m_isStarted)
        return Time();
    if (m_isSuperseded)
        return Time::max();
    const Time earliest = m_rebuild
        ? std::min(m_listensUntil, m_nextLook)
        : std::min({ m_acks.deadline(), m_growth.deadline(), m_failures.deadline(), m_policy.deadline(), m_nextLook });
    return std::min(earliest, m_waiters.deadline());
}

// ---- commands

void Coordinator::onCommand(const pb::Command& command, Time now, Effects& out)
{
    m_now = now;
    const bool isQuestion = command.has_list_processes() || command.has_describe_file();
    if (m_rebuild && command.has_acknowledge_loss() && m_rebuild->isFileSilent()) {
        takeOver(now, out); // an operator gives up a file of which no process holds a bucket any more
        describe(*out.reply(command.ticket()).mutable_file());
        sign(out);
        return;
    }
    if ((m_rebuild && !isQuestion && !command.has_await_rest()) || m_isSuperseded) {
        out.refuse(command.ticket(), pb::REFUSED,
            m_isSuperseded ? "another coordinator has taken over; end this process" : underWay());
        return;
    }
    carryOut(command, now, out);
    sign(out);
}

void Coordinator::carryOut(const pb::Command& command, Time now, Effects& out)
{
    using C = pb::Command;
    switch (command.body_case()) {
    // Queries change nothing, not even the order of answers.
    case C::kListProcesses: m_directory.list(*out.reply(command.ticket()).mutable_processes(), now); return;
    case C::kDescribeFile: describe(*out.reply(command.ticket()).mutable_file()); return;
    case C::kForceSplit:
        if (isThereAFile(command, out))
            m_growth.owe(command.ticket(), now, out);
        break;
    case C::kForceMerge:
        if (isThereAFile(command, out))
            m_growth.merge(command.ticket(), now, out);
        break;
    case C::kRaiseAvailability: raiseAvailability(command, out); break;
    case C::kCreateParity:
        m_growth.addParity(GroupNumber(command.create_parity().group()), command.ticket(), now, out);
        break;
    case C::kRecoverGroup: recoverGroup(command, now, out); break;
    case C::kAcknowledgeLoss: {
        const GroupNumber g(command.acknowledge_loss().group());
        if (const std::string words = m_failures.refusal(g); !words.empty())
            m_parts.refuse(command.ticket(), pb::REFUSED, words, out);
        else
            m_failures.acknowledgeLoss(g, command.ticket(), now, out);
        break;
    }
    case C::kSetRecovery:
        if (m_policy.set(command, now, out))
            tellAllOfFile(out);
        break;
    case C::kSetTimeScale: setTimeScale(command, out); break;
    case C::kAwaitRest: m_waiters.add(command, now); break;

    case C::kWhoAreYou:
    case C::kTakeSnapshot:
    case C::kStatistics:
    case C::kSetDetail:
    case C::kShutdown:
    case C::kReadContents:
    case C::kAudit:
    case C::kOperate:
    case C::kRunWorkload:
    case C::kStopWorkload:
    case C::kWorkloadProgress:
    case C::kVerify:
    case C::kSetImage:
    case C::kDescribeClient:
    case C::kSetPatience:
    case C::kArmFault:
    case C::kHealFaults:
    case C::kListFaults:
    case C::kRunScan:
    case C::kSetClock:
    case C::kStepClock:
    case C::kDescribeSimulation:
    case C::kStartProcesses:
    case C::kWatch:
    case C::kHoldWorkload:
    case C::kSetGate:
    case C::kReleaseHeld:
    case C::kDescribeGate:
    case C::BODY_NOT_SET:
        out.refuse(command.ticket(), pb::WRONG_PROCESS, "the coordinator does not do that; ask a node or a client");
        break;
    }
    answerWaiters(now, out);
}

bool Coordinator::isThereAFile(const pb::Command& command, Effects& out) const
{
    if (!m_file.exists())
        out.refuse(command.ticket(), pb::REFUSED, "there is no file yet; it waits for spares");
    return m_file.exists();
}

void Coordinator::setTimeScale(const pb::Command& command, Effects& out)
{
    const double factor = command.set_time_scale().factor();
    if (!(factor >= 1 && factor <= kTimeScaleMost)) {
        m_parts.refuse(command.ticket(), pb::BAD_ARGUMENT,
            "the factor of the time-outs must be from 1 to " + std::to_string(kTimeScaleMost), out);
        return;
    }
    if (m_file.exists()) {
        m_parts.refuse(command.ticket(), pb::REFUSED,
            "there is a file already, and all of its processes go by its time-outs; start a new file", out);
        return;
    }
    m_acks.setTimers(scaled(m_timers, factor));
    tellAllOfFile(out); // offers of waiting spares must last as long as expected here
    *out.reply(command.ticket()).mutable_timers() = m_acks.timers();
}

void Coordinator::recoverGroup(const pb::Command& command, Time now, Effects& out)
{
    if (const std::string words = m_failures.refusal(command.recover_group()); !words.empty()) {
        m_parts.refuse(command.ticket(), pb::REFUSED, words, out);
        return;
    }
    m_failures.recover(command.recover_group(), now, out);
    describe(*out.reply(command.ticket()).mutable_file());
}

void Coordinator::raiseAvailability(const pb::Command& command, Effects& out)
{
    const std::uint32_t wanted = command.raise_availability().availability();
    pb::CommandReply& reply = out.reply(command.ticket());
    if (wanted > kAvailabilityMax || wanted < m_file.availability()) {
        reply.set_refusal(pb::BAD_ARGUMENT);
        reply.set_text("the intended availability is " + std::to_string(m_file.availability())
            + " and can be raised to at most " + std::to_string(kAvailabilityMax) + ", not to "
            + std::to_string(wanted));
        return;
    }
    m_file.ask(wanted);
    // A split that is under way has already passed the K rule; K grows when the next one starts.
    if (m_file.exists() && m_growth.isIdle() && m_file.raiseAvailability()) {
        auto* event = out.event().mutable_availability_raised();
        event->set_availability(m_file.availability());
        event->set_reason("asked for by an operator");
        m_growth.announce(out);
    }
    reply.mutable_availability()->set_availability(m_file.availability());
    reply.mutable_availability()->set_pending(m_file.availability() < wanted);
}

std::string Coordinator::underWay() const
{
    if (m_rebuild && m_rebuild->isFileSilent())
        return "listening: there is a file, and none of its buckets is heard; start this coordinator where it reaches "
               "them, or acknowledge their loss";
    if (m_rebuild)
        return "listening for the processes of a running file";
    const std::string words = m_growth.underWay();
    return words.empty() ? m_failures.underWay() : words;
}

void Coordinator::describe(pb::FileDescription& out) const
{
    out.set_exists(m_file.exists());
    out.mutable_file()->set_i(m_file.image().i);
    out.mutable_file()->set_n(m_file.image().n);
    out.set_buckets(m_file.exists() ? m_file.buckets() : 0);
    out.set_availability(m_file.availability());
    out.set_splits_owed(m_growth.owed());
    out.set_at_rest(isAtRest());
    out.set_under_way(underWay());
    out.set_is_listening(m_rebuild != nullptr);
    *out.mutable_config() = m_file.config();
    for (const auto& [g, group] : m_file.groups()) {
        auto* row = out.add_groups();
        row->set_number(g.value);
        row->set_k(group.k);
        *row->mutable_view() = m_file.view(g);
    }
    out.set_data_spares(std::uint32_t(m_invitations.spares(pb::DATA, m_now).size()));
    out.set_parity_spares(std::uint32_t(m_invitations.spares(pb::PARITY, m_now).size()));
    out.set_recruiting(m_invitations.transport());
}

void Coordinator::answerWaiters(Time now, Effects& out)
{
    if (m_waiters.isEmpty())
        return;
    m_waiters.answer(
        isAtRest(), now, out, [this] { return underWay(); },
        [this](pb::CommandReply& reply) { describe(*reply.mutable_file()); });
}

void Coordinator::snapshot(pb::Snapshot& out) const
{
    *out.mutable_info() = m_self;
    describe(*out.mutable_file());
}

void Coordinator::inspect(Time now, pb::NodeSample& out) const
{
    (void)now;
    add(m_acks, out);
    out.set_under_way(underWay());
}

void Coordinator::gauges(pb::Gauges& out) const { out.set_unacknowledged(m_acks.size()); }

} // namespace lhrs
