// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/core/growth.h"

#include <algorithm>

namespace lhrs {

Growth::Growth(FileState& file, Directory& directory, Recruiter& recruiter, AckList& acks)
    : m_file(file)
    , m_directory(directory)
    , m_recruiter(recruiter)
    , m_acks(acks)
{
}

// ---- what is wanted

void Growth::owe(std::uint64_t ticket, Time now, Effects& out)
{
    ++m_owed; // lhrs.md 2.2: no report may be dropped, each is one split owed
    if (ticket != 0)
        m_splitTickets.push_back(ticket);
    announce(out);
    pump(now, out);
}

void Growth::addParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out)
{
    m_parityWanted.push_back({ g, ticket });
    pump(now, out);
}

void Growth::pump(Time now, Effects& out)
{
    if (m_task)
        return;
    if (!m_file.exists()) {
        startCreation(now, out);
        return;
    }
    while (!m_parityWanted.empty() && !m_task) {
        const ParityWish wish = m_parityWanted.front();
        m_parityWanted.pop_front();
        const auto group = m_file.groups().find(wish.group);
        if (group == m_file.groups().end())
            refuse(wish.ticket, pb::BAD_ARGUMENT, "there is no group " + std::to_string(wish.group.value), out);
        else if (group->second.k >= m_file.availability())
            refuse(wish.ticket, pb::REFUSED, "group " + std::to_string(wish.group.value) + " has all " + std::to_string(group->second.k)
                    + " parity buckets that the intended availability asks for; raise it first", out);
        else
            startParity(wish.group, wish.ticket, now, out);
    }
    if (!m_task && m_owed > 0 && now >= m_pauseUntil)
        startSplit(now, out);
}

void Growth::startCreation(Time now, Effects& out)
{
    m_task.emplace();
    m_task->started = now;
    m_task->isNewGroup = true;
    recruit(now, out);
}

void Growth::startSplit(Time now, Effects& out)
{
    // lhrs.md 2.5, in this order: K grows at the start of a round; the group of n catches up before its first split.
    if (m_file.raiseAvailability()) {
        auto* event = out.event().mutable_availability_raised();
        event->set_availability(m_file.availability());
        event->set_reason("the file has " + std::to_string(m_file.buckets()) + " data buckets");
        announce(out);
    }
    const BucketNumber n(m_file.image().n);
    const GroupNumber group = m_file.groupOf(n);
    if (n.value % m_file.config().m() == 0 && m_file.group(group).k < m_file.availability()) {
        startParity(group, 0, now, out); // the split stays owed
        return;
    }
    --m_owed;
    m_task.emplace();
    Task& task = *m_task;
    task.kind = Kind::Split;
    task.split = (std::uint64_t(1) << 32) + ++m_lastSplit;
    task.source = n;
    task.target = splitTarget(m_file.image());
    task.level = m_file.image().i + 1;
    task.group = m_file.groupOf(task.target);
    task.isNewGroup = task.target.value % m_file.config().m() == 0;
    task.started = now;
    if (!m_splitTickets.empty()) {
        task.ticket = m_splitTickets.front();
        m_splitTickets.pop_front();
    }
    recruit(now, out);
}

void Growth::startParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out)
{
    m_task.emplace();
    Task& task = *m_task;
    task.kind = Kind::AddParity;
    task.group = g;
    task.column = ParityColumn(m_file.group(g).k);
    task.ticket = ticket;
    task.started = now;
    auto* event = out.event().mutable_parity_creation_ordered();
    event->set_group(g.value);
    event->set_column(task.column.value);
    recruit(now, out);
}

// ---- steps

void Growth::recruit(Time now, Effects& out)
{
    Task& task = *m_task;
    task.step = Step::Recruit;
    task.members.clear();
    Recruiter::Want want;
    want.data = task.kind == Kind::AddParity ? 0 : 1;
    want.parity = task.kind == Kind::AddParity ? 1 : task.isNewGroup ? m_file.availability() : 0;
    m_recruiter.start(want, underWay(), m_directory, now, out);
    onOffer(now, out);
}

void Growth::onOffer(Time now, Effects& out)
{
    Recruiter::Found found;
    if (m_task && m_task->step == Step::Recruit && m_recruiter.take(found, now, out))
        confirm(found, now, out);
}

void Growth::confirm(const Recruiter::Found& found, Time now, Effects& out)
{
    Task& task = *m_task;
    task.step = Step::Confirm;
    FileState::Group& group = m_file.group(task.group);
    group.epoch = group.epoch.next();
    const auto holderOf = [&](const pb::ProcessInfo& process) {
        return HolderInfo { Address::from(process.address()), NodeId(process.node()), m_file.allocate() };
    };
    for (const pb::ProcessInfo& process : found.data) {
        const HolderInfo holder = holderOf(process);
        const bool isUp = task.kind == Kind::CreateFile;
        group.data[positionOf(task.target, m_file.config().m())] = { holder, isUp ? 0 : task.level, isUp ? pb::UP : pb::INIT };
        task.members.push_back({ pb::DATA, task.target.value, 0, found.dataInvitation, holder });
    }
    std::uint32_t column = task.kind == Kind::AddParity ? task.column.value : 0;
    for (const pb::ProcessInfo& process : found.parity) {
        const HolderInfo holder = holderOf(process);
        group.parity[ParityColumn(column)] = { holder, 0, task.kind == Kind::AddParity ? pb::INIT : pb::UP };
        task.members.push_back({ pb::PARITY, task.group.value, column++, found.parityInvitation, holder });
    }
    const pb::View view = m_file.view(task.group);
    const auto table = m_file.table();
    for (const NewMember& member : task.members) {
        pb::Message message;
        auto* order = message.mutable_confirm();
        order->set_invitation(member.invitation);
        order->set_role(member.role);
        order->set_number(member.number);
        order->set_column(member.column);
        order->set_level(task.kind == Kind::Split ? task.level : 0);
        order->set_split(task.split);
        order->set_incarnation(member.holder.incarnation.value);
        order->set_state(task.kind == Kind::CreateFile || (member.role == pb::PARITY && task.kind == Kind::Split) ? pb::UP : pb::INIT);
        *order->mutable_config() = m_file.config();
        *order->mutable_timers() = m_acks.timers();
        *order->mutable_view() = view;
        for (const pb::Location& location : table)
            *order->add_table() = location;
        task.waiting.insert(m_acks.send(std::move(message), member.holder.address, member.holder.node, Way::Auto,
            AckList::Patience::GiveUp, OfConfirm, now, out));
    }
    announceEpoch(task.group, task.isNewGroup ? "the group is created" : "a member is added", out);
}

void Growth::withdraw(Time now, Effects& out)
{
    // One that had offered does not answer: whoever was confirmed is told that it is no bucket, and all starts over.
    Task& task = *m_task;
    m_acks.forgetIf([](const AckList::Entry& entry) { return entry.purpose == OfConfirm; });
    task.waiting.clear();
    FileState::Group& group = m_file.group(task.group);
    for (const NewMember& member : task.members) {
        pb::Message message;
        message.mutable_cancel()->set_incarnation(member.holder.incarnation.value);
        m_acks.send(std::move(message), member.holder.address, member.holder.node, Way::Auto, AckList::Patience::GiveUp, Plain, now, out);
        if (member.role == pb::DATA)
            group.data.erase(positionOf(BucketNumber(member.number), m_file.config().m()));
        else
            group.parity.erase(ParityColumn(member.column));
    }
    if (task.isNewGroup)
        group.data.clear(), group.parity.clear();
    recruit(now, out);
}

bool Growth::isNew(const HolderInfo& holder) const
{
    return std::any_of(m_task->members.begin(), m_task->members.end(), [&](const NewMember& m) { return m.holder == holder; });
}

void Growth::sendEpoch(GroupNumber g, bool alsoNew, Time now, Effects& out)
{
    const pb::View view = m_file.view(g);
    for (const pb::Member& member : view.members()) {
        const HolderInfo holder = HolderInfo::from(member.holder());
        if (!alsoNew && isNew(holder))
            continue;
        pb::Message message;
        *message.mutable_epoch()->mutable_view() = view;
        order(std::move(message), holder, now, out);
    }
}

void Growth::order(pb::Message message, const HolderInfo& to, Time now, Effects& out)
{
    m_task->waiting.insert(m_acks.send(std::move(message), to.address, to.node, Way::Auto, AckList::Patience::KeepTrying, OfStep, now, out));
}

void Growth::tell(Time now, Effects& out)
{
    Task& task = *m_task;
    task.step = Step::Tell;
    for (const NewMember& member : task.members)
        m_directory.setPlace(member.holder.node, member.role, member.number, member.column, member.holder.incarnation);
    sendEpoch(task.group, false, now, out);
    advanceWhenPossible(now, out);
}

void Growth::stage(Time now, Effects& out)
{
    Task& task = *m_task;
    task.step = Step::Stage;
    task.limit = now + std::chrono::milliseconds(m_acks.timers().staging_ms());
    m_file.data(task.source)->state = pb::SPLITTING;
    pb::Message message;
    auto* split = message.mutable_split();
    split->set_split(task.split);
    split->set_source(task.source.value);
    split->set_target(task.target.value);
    split->set_level(task.level);
    m_file.data(task.target)->holder.to(*split->mutable_target_holder());
    order(std::move(message), m_file.data(task.source)->holder, now, out);
    auto* event = out.event().mutable_split_ordered();
    event->set_split(task.split);
    event->set_bucket(task.source.value);
    event->set_new_bucket(task.target.value);
    event->set_level(task.level);
}

void Growth::commit(BucketNumber bucket, Time now, Effects& out)
{
    Task& task = *m_task;
    pb::Message message;
    auto* commit = message.mutable_commit();
    commit->set_split(task.split);
    commit->set_bucket(bucket.value);
    commit->mutable_file()->set_i(m_file.image().i);
    commit->mutable_file()->set_n(m_file.image().n);
    order(message, m_file.data(bucket)->holder, now, out);
    for (const auto& [p, member] : m_file.group(m_file.groupOf(bucket)).parity)
        order(message, member.holder, now, out);
}

void Growth::commitSource(Time now, Effects& out)
{
    // The decision. From here on the split is finished, whatever happens.
    Task& task = *m_task;
    task.step = Step::CommitSource;
    task.limit = Time::max();
    m_file.commitSplit();
    m_file.data(task.source)->level = task.level;
    auto* event = out.event().mutable_split_committed();
    event->set_split(task.split);
    event->set_bucket(task.source.value);
    event->set_new_bucket(task.target.value);
    event->mutable_file()->set_i(m_file.image().i);
    event->mutable_file()->set_n(m_file.image().n);
    announce(out);
    commit(task.source, now, out);
}

void Growth::commitTarget(Time now, Effects& out)
{
    // Only after the source has let go of the records: a key is never in two authoritative buckets.
    m_task->step = Step::CommitTarget;
    commit(m_task->target, now, out);
}

void Growth::finish(Time now, Effects& out)
{
    Task& task = *m_task;
    task.step = Step::Finish;
    m_file.data(task.source)->state = pb::UP;
    m_file.data(task.target)->state = pb::UP;
    pb::Message message;
    message.mutable_finish()->set_split(task.split);
    order(std::move(message), m_file.data(task.source)->holder, now, out);
}

void Growth::fill(Time now, Effects& out)
{
    Task& task = *m_task;
    task.step = Step::Fill;
    task.limit = now + 6 * std::chrono::milliseconds(m_acks.timers().staging_ms());
    pb::Message message;
    auto* add = message.mutable_add_parity();
    add->set_group(task.group.value);
    add->set_column(task.column.value);
    add->set_epoch(m_file.group(task.group).epoch.value);
    order(std::move(message), task.members.front().holder, now, out);
}

void Growth::count(Time now, Effects& out)
{
    // lhrs.md 9.2: k counts as raised when all members have acknowledged the epoch that calls the new one UP.
    Task& task = *m_task;
    task.step = Step::Count;
    task.limit = Time::max();
    FileState::Group& group = m_file.group(task.group);
    group.epoch = group.epoch.next();
    group.parity[task.column].state = pb::UP;
    sendEpoch(task.group, true, now, out);
    announceEpoch(task.group, "the new parity bucket has the contents of all positions", out);
}

// ---- undoing what is not decided

void Growth::undo(const std::string& reason, Time now, Effects& out)
{
    Task& task = *m_task;
    task.limit = Time::max();
    task.undoReason = reason;
    m_acks.forgetIf([](const AckList::Entry& entry) { return entry.purpose == OfStep; });
    task.waiting.clear();
    task.step = Step::Undo;
    if (task.kind == Kind::Split) {
        const auto abort = [&](BucketNumber bucket) {
            pb::Message message;
            message.mutable_abort()->set_split(task.split);
            message.mutable_abort()->set_bucket(bucket.value);
            message.mutable_abort()->set_reason(reason);
            order(message, m_file.data(bucket)->holder, now, out);
            for (const auto& [p, member] : m_file.group(m_file.groupOf(bucket)).parity)
                order(message, member.holder, now, out);
        };
        abort(task.source);
        abort(task.target);
    }
    advanceWhenPossible(now, out);
}

void Growth::undoTell(Time now, Effects& out)
{
    Task& task = *m_task;
    task.step = Step::UndoTell;
    FileState::Group& group = m_file.group(task.group);
    for (const NewMember& member : task.members) {
        pb::Message message;
        message.mutable_cancel()->set_incarnation(member.holder.incarnation.value);
        order(std::move(message), member.holder, now, out);
        if (member.role == pb::DATA)
            group.data.erase(positionOf(BucketNumber(member.number), m_file.config().m()));
        else
            group.parity.erase(ParityColumn(member.column));
    }
    if (task.kind == Kind::Split)
        m_file.data(task.source)->state = pb::UP;
    if (group.data.empty()) {
        m_file.groups().erase(task.group);
    } else {
        group.epoch = group.epoch.next();
        sendEpoch(task.group, false, now, out);
        announceEpoch(task.group, "the member that was to be added is not", out);
    }
    advanceWhenPossible(now, out);
}

// ---- moving on

void Growth::advanceWhenPossible(Time now, Effects& out)
{
    Task& task = *m_task;
    if (!task.waiting.empty())
        return;
    switch (task.step) {
    case Step::Recruit: return;
    case Step::Confirm:
        if (task.kind == Kind::CreateFile)
            done(now, out);
        else
            tell(now, out);
        return;
    case Step::Tell: task.kind == Kind::Split ? stage(now, out) : fill(now, out); return;
    case Step::Stage:
        if (task.isSourcePrepared && task.isTargetPrepared)
            commitSource(now, out);
        return;
    case Step::CommitSource: commitTarget(now, out); return;
    case Step::CommitTarget: finish(now, out); return;
    case Step::Fill:
        if (task.isFilled)
            count(now, out);
        return;
    case Step::Undo: undoTell(now, out); return;
    case Step::Finish:
    case Step::Count:
    case Step::UndoTell: done(now, out); return;
    }
}

void Growth::done(Time now, Effects& out)
{
    const Task task = *m_task;
    m_task.reset();
    pb::CommandReply reply;
    if (task.step == Step::UndoTell) {
        if (task.kind == Kind::Split) {
            auto* event = out.event().mutable_split_undone();
            event->set_split(task.split);
            event->set_bucket(task.source.value);
            event->set_new_bucket(task.target.value);
            event->set_reason(task.undoReason);
            ++m_owed;
            m_pauseUntil = now + 500ms;
            if (task.ticket != 0)
                m_splitTickets.push_front(task.ticket);
        } else {
            auto* event = out.event().mutable_parity_creation_undone();
            event->set_group(task.group.value);
            event->set_column(task.column.value);
            event->set_reason(task.undoReason);
            refuse(task.ticket, pb::TIMED_OUT, task.undoReason, out);
            m_pauseUntil = now + 500ms;
        }
    } else if (task.kind == Kind::AddParity) {
        FileState::Group& group = m_file.group(task.group);
        group.k = task.column.value + 1;
        auto* event = out.event().mutable_parity_added();
        event->set_group(task.group.value);
        event->set_column(task.column.value);
        event->set_k(group.k);
        event->set_records(task.records);
        event->set_total_ns((now - task.started).count());
        auto* result = reply.mutable_parity();
        result->set_group(task.group.value);
        result->set_column(task.column.value);
        result->set_k(group.k);
        result->set_records(task.records);
        result->set_total_ns((now - task.started).count());
        answer(task.ticket, reply, out);
    } else {
        if (task.isNewGroup) {
            FileState::Group& group = m_file.group(task.group);
            group.k = std::uint32_t(group.parity.size());
            auto* event = out.event().mutable_group_created();
            event->set_group(task.group.value);
            event->set_k(group.k);
        }
        if (task.kind == Kind::CreateFile) {
            for (const NewMember& member : task.members)
                m_directory.setPlace(member.holder.node, member.role, member.number, member.column, member.holder.incarnation);
            m_file.setExists();
            *out.event().mutable_file_created()->mutable_config() = m_file.config();
        } else {
            auto* event = out.event().mutable_split_finished();
            event->set_split(task.split);
            event->set_bucket(task.source.value);
            event->set_new_bucket(task.target.value);
            event->set_level(task.level);
            event->set_moved(task.moved);
            event->set_total_ns((now - task.started).count());
            auto* result = reply.mutable_split();
            result->set_bucket(task.source.value);
            result->set_new_bucket(task.target.value);
            result->set_level(task.level);
            result->set_moved(task.moved);
            result->set_total_ns((now - task.started).count());
            answer(task.ticket, reply, out);
        }
    }
    announce(out);
    pump(now, out);
}

void Growth::onPrepared(const pb::Prepared& prepared, Time now, Effects& out)
{
    if (!m_task || m_task->kind != Kind::Split || m_task->split != prepared.split() || m_task->step != Step::Stage)
        return;
    if (prepared.bucket() == m_task->source.value) {
        m_task->isSourcePrepared = true;
        m_task->moved = prepared.moved();
    } else if (prepared.bucket() == m_task->target.value) {
        m_task->isTargetPrepared = true;
    }
    advanceWhenPossible(now, out);
}

void Growth::onContentsDone(const pb::ContentsDone& contents, Time now, Effects& out)
{
    if (!m_task || m_task->kind != Kind::AddParity || m_task->step != Step::Fill || m_task->group.value != contents.group()
        || m_task->column.value != contents.column())
        return;
    m_task->isFilled = true;
    m_task->records = contents.records();
    advanceWhenPossible(now, out);
}

void Growth::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_task && m_task->waiting.erase(entry.message.id()) > 0)
        advanceWhenPossible(now, out);
}

void Growth::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_task && m_task->step == Step::Confirm && m_task->waiting.contains(entry.message.id()))
        withdraw(now, out);
}

void Growth::onTime(Time now, Effects& out)
{
    if (m_task && m_task->limit <= now)
        undo(m_task->kind == Kind::Split ? "staging took longer than its limit" : "filling the parity bucket took longer than its limit", now, out);
    m_recruiter.onTime(m_directory, now, out);
    onOffer(now, out);
    if (m_task && m_task->step == Step::Recruit && m_task->ticket != 0 && m_recruiter.isMissing()) {
        refuse(m_task->ticket, pb::NO_SPARES, "no spare answers the invitation (" + m_recruiter.purpose() + "); it goes on when one is added", out);
        m_task->ticket = 0;
    }
    pump(now, out);
}

Time Growth::deadline() const
{
    Time earliest = m_recruiter.deadline();
    if (m_task)
        earliest = std::min(earliest, m_task->limit);
    else if (m_owed > 0)
        earliest = std::min(earliest, m_pauseUntil);
    return earliest;
}

// ---- words

std::string Growth::underWay() const
{
    if (!m_task)
        return m_owed > 0 ? std::to_string(m_owed) + " splits are owed" : "";
    switch (m_task->kind) {
    case Kind::CreateFile: return "creating the file";
    case Kind::Split: return "splitting bucket " + std::to_string(m_task->source.value) + " into " + std::to_string(m_task->target.value);
    case Kind::AddParity: return "adding parity bucket " + std::to_string(m_task->group.value) + "." + std::to_string(m_task->column.value);
    }
    return "";
}

void Growth::announce(Effects& out) const
{
    auto* event = out.event().mutable_file_state_changed();
    event->mutable_file()->set_i(m_file.image().i);
    event->mutable_file()->set_n(m_file.image().n);
    event->set_buckets(m_file.exists() ? m_file.buckets() : 0);
    event->set_availability(m_file.availability());
    event->set_splits_owed(m_owed);
}

void Growth::announceEpoch(GroupNumber g, const char* reason, Effects& out) const
{
    auto* event = out.event().mutable_epoch_changed();
    *event->mutable_view() = m_file.view(g);
    event->set_reason(reason);
}

void Growth::answer(std::uint64_t ticket, const pb::CommandReply& reply, Effects& out) const
{
    if (ticket == 0)
        return;
    pb::CommandReply& sent = out.reply(ticket);
    sent = reply;
    sent.set_ticket(ticket);
}

void Growth::refuse(std::uint64_t ticket, pb::Refusal refusal, const std::string& text, Effects& out) const
{
    pb::CommandReply reply;
    reply.set_refusal(refusal);
    reply.set_text(text);
    answer(ticket, reply, out);
}

} // namespace lhrs
