// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/lhrs/oracle/places.h"

#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

namespace lhrs {

// ---- machines

const NodeMachine* Places::node(std::uint32_t process) const
{
    const SimProcess* found = m_cluster.at(Address { process, 0, 0 });
    return found && found->info.kind() == pb::NODE ? dynamic_cast<const NodeMachine*>(found->machine.get()) : nullptr;
}

const DataBucket* Places::dataBucketAt(std::uint32_t process) const
{
    const NodeMachine* machine = node(process);
    return machine ? machine->dataBucket() : nullptr;
}

const ParityBucket* Places::parityBucketAt(std::uint32_t process) const
{
    const NodeMachine* machine = node(process);
    return machine ? machine->parityBucket() : nullptr;
}

const SimProcess* Places::coordinatorProcess() const
{
    // The first match counts: a former coordinator that was moved away comes later in the list.
    for (const auto& process : m_cluster.processes())
        if (process->info.kind() == pb::COORDINATOR)
            return process.get();
    return nullptr;
}

const Coordinator* Places::coordinator() const
{
    const SimProcess* process = coordinatorProcess();
    const auto* machine = process ? dynamic_cast<const Coordinator*>(process->machine.get()) : nullptr;
    return machine && !machine->isListening() ? machine : nullptr;
}

bool Places::isPresentCoordinator(const SimProcess& process) const
{
    return process.info.kind() == pb::COORDINATOR && process.machine.get() == coordinator();
}

bool Places::isFormerCoordinator(const SimProcess& process) const
{
    return process.info.kind() == pb::COORDINATOR && &process != coordinatorProcess();
}

// ---- holders

const Places::Holder* Places::holderOf(std::uint32_t number) const
{
    const auto holder = m_holders.find(number);
    return holder == m_holders.end() ? nullptr : &holder->second;
}

const DataBucket* Places::dataBucket(std::uint32_t number) const
{
    const Holder* holder = holderOf(number);
    const DataBucket* bucket = holder ? dataBucketAt(holder->process) : nullptr;
    return bucket && bucket->incarnation().value == holder->incarnation ? bucket : nullptr;
}

bool Places::isGone(std::uint32_t number) const
{
    const Holder* holder = holderOf(number);
    return !holder || m_fenced.contains(holder->incarnation) || !dataBucket(number);
}

bool Places::hasLease(const Holder& holder, const DataBucket& bucket) const
{
    return bucket.hasLease(m_cluster.protocolClockOf(*m_cluster.at(Address { holder.process, 0, 0 })));
}

bool Places::mayAnswer(std::uint32_t number, const DataBucket& bucket) const
{
    const Holder& holder = *holderOf(number);
    return !m_fenced.contains(holder.incarnation) || hasLease(holder, bucket);
}

std::uint64_t Places::incarnationOf(const SimProcess& process) const
{
    const auto given = m_given.find(process.index);
    return given == m_given.end() ? 0 : given->second.incarnation;
}

bool Places::onRecruited(const SimProcess& process, const pb::Event& event)
{
    const std::uint64_t incarnation = event.node_recruited().incarnation();
    m_given[process.index] = { incarnation, event.place() };
    if (event.place().role() != pb::DATA)
        return false;
    const std::uint32_t number = event.place().number();
    if (const DataBucket* bucket = dataBucketAt(process.index); bucket && bucket->state() == pb::RECOVERING) {
        m_recovering[process.index] = number; // it counts once it is enabled
        return false;
    }
    if (const Holder* holder = holderOf(number); holder && holder->incarnation > incarnation)
        return false; // an old order to a process that was paused
    m_holders[number] = { process.index, incarnation, m_cluster.now() };
    m_cuts.erase(number); // cut of a bucket that was lost during its merge and never replaced
    return true;
}

std::optional<std::uint32_t> Places::onReleased(const SimProcess& process)
{
    m_recovering.erase(process.index);
    const std::uint64_t incarnation = incarnationOf(process);
    if (m_fenced.contains(incarnation))
        return std::nullopt; // it was considered dead: its changes are judged by the cut
    for (const auto& [number, holder] : m_holders)
        if (holder.process == process.index && holder.incarnation == incarnation)
            return number;
    return std::nullopt;
}

std::uint64_t Places::onFailed(const pb::BucketFailed& failed)
{
    // A process that was given this place but never learned of it may hold another place by now, which remains valid.
    const SimProcess* process = m_cluster.numbered(NodeId(failed.process()));
    const auto given = process ? m_given.find(process->index) : m_given.end();
    if (given == m_given.end())
        return 0;
    const pb::Place& place = given->second.place;
    const bool isHere = place.role() == failed.role()
        && (failed.role() == pb::DATA ? place.number() == failed.index()
                                      : place.number() == failed.group() && place.column() == failed.index());
    return isHere ? *m_fenced.insert(given->second.incarnation).first : 0;
}

// More than k processes, those that knew of the failure, ended with the coordinator ("Known" in tests/README.md). If no
// other bucket was enabled in its place, this loses nothing; but what the survivors agreed on without it no longer
// holds.
void Places::onReadopted(std::uint32_t number, std::uint64_t incarnation, bool isBounded)
{
    const Holder* holder = holderOf(number);
    if (isBounded && holder && holder->incarnation != incarnation)
        fail(14, "the coordinator takes back who was bucket ", number, " before another was enabled in its place");
    ++counts().readopted;
}

// ---- recovery

bool Places::onCut(const SimProcess& manager, const pb::CutAgreed& agreed, int index)
{
    const std::uint32_t number = agreed.group() * m_settings.m + agreed.positions(index);
    const std::uint64_t cut = agreed.cuts(index);
    const Holder* holder = holderOf(number);
    if (!holder)
        return false;
    // Includes a bucket that was enabled and failed before it learned of it.
    for (const pb::Member& member : parityBucketAt(manager.index)->view().members())
        if (member.role() == pb::DATA && member.index() == agreed.positions(index) && member.state() == pb::FAILED)
            m_cut.insert(member.holder().incarnation());
    const auto [before, isNew] = m_cuts.emplace(number, cut);
    if (isNew)
        m_cut.insert(holder->incarnation);
    else if (before->second != cut)
        fail(13, "bucket ", number, " is recovered up to change ", cut, " now, and was up to ", before->second);
    return isNew;
}

std::optional<std::uint32_t> Places::onEnabled(const SimProcess& process)
{
    const std::uint64_t incarnation = incarnationOf(process);
    const std::uint32_t number = m_recovering.extract(process.index).mapped();
    if (isCut(incarnation))
        return std::nullopt; // it has failed and been replaced since, but does not know it yet
    Holder& holder = m_holders[number];
    if (incarnation < holder.incarnation)
        // By a former coordinator; its successor has put another process there, and later views ignore this.
        return std::nullopt;
    ++counts().recovered;
    if (m_cuts.erase(number) == 0)
        fail(13, "bucket ", number, " is enabled although nobody agreed on what it holds");
    const DataBucket* displaced = dataBucket(number);
    if (displaced && (displaced->state() == pb::UP || displaced->state() == pb::SPLITTING)
        && hasLease(holder, *displaced))
        fail(9, "bucket ", number, " is enabled at ", process.info.name(), " while ",
            m_cluster.at(Address { holder.process, 0, 0 })->info.name(),
            " still has the lease of its former incarnation");
    holder = { process.index, incarnation, m_cluster.now() };
    return number;
}

// ---- checks

const DataBucket* Places::changing(const SimProcess& process, std::uint32_t number) const
{
    const DataBucket* bucket = dataBucketAt(process.index);
    if (!bucket || bucket->number().value != number) {
        fail(16, process.info.name(), " changed a record and is not data bucket ", number);
        return nullptr;
    }
    const std::uint64_t incarnation = bucket->incarnation().value;
    if (isCut(incarnation))
        return nullptr; // the bucket is fenced but does not know it yet
    const Holder* holder = holderOf(number);
    if (!isRecovering(process) && holder && holder->incarnation == incarnation)
        return bucket;
    fail(13, process.info.name(), " changed a record of bucket ", number, ", which is not enabled there");
    return nullptr;
}

void Places::checkAnswer(const SimProcess& process, const pb::Reply& reply, Time issued) const
{
    const bool saysNothing = reply.result() == pb::RETRY || reply.result() == pb::INVALID || reply.result() == pb::LOST;
    const DataBucket* bucket = dataBucketAt(process.index);
    if (saysNothing || reply.degraded() || !bucket)
        return;
    if (isRecovering(process))
        return fail(13, process.info.name(), " answers for bucket ", reply.bucket(), " before it is enabled");
    const Holder* holder = holderOf(reply.bucket());
    if (holder && holder->incarnation > bucket->incarnation().value && issued > holder->since)
        fail(9, process.info.name(), " answers ", pb::ResultCode_Name(reply.result()), " for bucket ", reply.bucket(),
            ", which is enabled elsewhere");
}

void Places::checkRoles(const pb::FileDescription& file) const
{
    std::map<std::uint64_t, std::uint64_t> places; // by process number: incarnation
    for (const pb::FileDescription::Group& group : file.groups())
        for (const pb::Member& member : group.view().members())
            if (member.state() != pb::FAILED && member.state() != pb::MEMBER_LOST
                && !places.emplace(member.holder().node(), member.holder().incarnation()).second)
                fail(16, "one server holds two places, one of them in group ", group.number());
    for (const auto& process : m_cluster.processes()) {
        const DataBucket* data = dataBucketAt(process->index);
        const ParityBucket* parity = parityBucketAt(process->index);
        if (!data && !parity)
            continue;
        const std::uint64_t incarnation = (data ? data->incarnation() : parity->incarnation()).value;
        const auto place = places.find(process->info.node());
        if (place == places.end() || place->second != incarnation)
            fail(16, process->info.name(), " believes that it holds a place, and the coordinator does not know of it");
    }
}

} // namespace lhrs
