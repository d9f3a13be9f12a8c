// SPDX-License-Identifier: GPL-3.0-or-later
// The oracle under failures: which process holds a bucket, which of its changes survive, and what may be declared lost.
#include "node/sim/lhrs/oracle/oracle.h"

#include "common/check/say.h"
#include "node/lhrs/coordinator/coordinator.h"
#include "node/lhrs/server/node_machine.h"

#include <algorithm>
#include <utility>

namespace lhrs {

using check::say;

// ---- which process holds which place

// A new data bucket of this number begins.
void Oracle::onBegun(std::uint32_t number)
{
    m_histories.insert_or_assign(number, BucketHistory());
    m_answers.onBegun(number);
    m_availability.onBegun(number);
    m_arrived.erase(number);
    std::erase_if(m_batches, [number](const auto& item) { return item.first.first == number; });
}

// The split that was to create the bucket was undone.
void Oracle::onUndone(std::uint32_t target)
{
    if (target < m_growth.state().buckets())
        return;
    m_places.forget(target);
    m_histories.erase(target);
    m_arrived.erase(target);
    std::erase_if(m_batches, [target](const auto& item) { return item.first.first == target; });
    if (target % m_config.m() == 0) // its group ends too; other buckets meant for the group change nothing
        m_availability.onUndone(target / m_config.m());
}

void Oracle::onKilled(const SimProcess& process)
{
    m_losses.onDisturbed(process);
    m_places.onKilled(process);
}

void Oracle::onFailed(const pb::BucketFailed& failed)
{
    ++m_findings.counts.failed;
    m_losses.onFailed(failed, m_places.onFailed(failed));
    m_availability.onFailed(failed);
    m_touched.insert(m_deferred.begin(), m_deferred.end());
    m_deferred.clear();
}

// ---- what survives of a lost bucket

void Oracle::onBatchApplied(const SimProcess& process, const pb::Event& event)
{
    const pb::BatchApplied& batch = event.batch_applied();
    for (const std::uint32_t rank : batch.ranks())
        m_touched.emplace(process.index, rank);
    const std::uint32_t number = event.place().number() * m_config.m() + batch.position();
    const auto history = m_histories.find(number);
    if (history != m_histories.end() && history->second.known() < batch.sequence())
        m_batches[{ number, batch.sequence() }] = batch;
}

void Oracle::learn(std::uint32_t number, std::uint64_t upTo)
{
    const auto found = m_histories.find(number);
    if (found == m_histories.end() || found->second.known() >= upTo)
        return;
    BucketHistory& history = found->second;
    if (!m_places.isGone(number)) {
        // An undone split is a change that no event reports.
        const DataBucket* bucket = m_places.dataBucket(number);
        if (bucket->state() == pb::UP)
            history.know(bucket->link().sequence());
        return;
    }
    for (auto batch = m_batches.upper_bound({ number, history.known() }); batch != m_batches.end(); ++batch) {
        const auto& [bucket, sequence] = batch->first;
        if (bucket != number || sequence > upTo)
            break;
        m_arrived.erase(number);
        for (int i = 0; i < batch->second.ranks_size(); ++i) {
            const std::uint64_t key = batch->second.keys(i);
            const check::Version* version = m_answers.ledger().latest(key);
            const bool isThere = batch->second.kinds(i) == pb::CHANGE_INSERT;
            if (isThere && (!version || !version->isPresent))
                return fail(11,
                    say("a split that bucket ", number, " did not live to see moves key ", key,
                        ", which does not exist"));
            history.set(batch->second.ranks(i),
                { sequence, isThere, isThere ? key : 0,
                    isThere ? std::make_shared<const std::string>(version->value) : nullptr });
        }
    }
    history.know(upTo);
}

void Oracle::onCut(const SimProcess& manager, const pb::CutAgreed& agreed)
{
    if (m_places.isFenced(manager))
        return; // it has been replaced but does not know it yet
    for (int i = 0; i < agreed.positions_size(); ++i) {
        const std::uint32_t number = agreed.group() * m_config.m() + agreed.positions(i);
        const std::uint64_t cut = agreed.cuts(i);
        if (!m_places.onCut(manager, agreed, i))
            continue;
        m_arrived.erase(number); // what the lost bucket would have reported
        learn(number, cut);
        BucketHistory& history = m_histories[number];
        ++m_findings.counts.cuts;
        m_findings.counts.withdrawn += history.known() > cut ? 1 : 0;
        m_answers.onCut(number, cut);
        history.cut(cut);
    }
    m_touched.insert(m_deferred.begin(), m_deferred.end());
    m_deferred.clear();
}

void Oracle::checkWhole(std::uint32_t number)
{
    const DataBucket* bucket = m_places.dataBucket(number);
    const BucketHistory& history = m_histories[number];
    if (!bucket)
        return;
    if (bucket->link().sequence() != history.known())
        fail(13,
            say("bucket ", number, " goes on from change ", bucket->link().sequence(), " and its cut is ",
                history.known()));
    const std::uint32_t last = std::max(history.rankMax(), bucket->store().rankMax().value);
    for (Rank rank(1); rank.value <= last; rank = rank.next()) {
        const BucketHistory::Slot* slot = history.latest(rank.value);
        const bool isWanted = slot && slot->isPresent;
        const bool isThere = rank <= bucket->store().rankMax() && bucket->store().has(rank);
        if (isWanted != isThere)
            fail(13,
                say("the recovered bucket ", number, (isThere ? " has a" : " lacks the"), " record at rank ",
                    rank.value));
        else if (isThere
            && (bucket->store().at(rank).key.value != slot->key || bucket->store().at(rank).value != *slot->value))
            fail(13,
                say("the recovered bucket ", number, " has another record at rank ", rank.value,
                    " than the lost one had"));
    }
    report(check::checkRanks(extract(*bucket)));
}

// ---- losses

// ---- a later coordinator

void Oracle::onRebuilt(const pb::CoordinatorRebuilt& rebuilt)
{
    m_growth.onRebuilt(rebuilt, m_losses.isBounded());
    m_availability.onRebuilt(m_places.coordinator()->file(), rebuilt.buckets());
    for (const auto& [g, group] : m_places.coordinator()->file().groups()) {
        m_losses.onRebuilt(g, group);
        // The former coordinator may have declared it failed without telling any process; in that case it continues as
        // before.
        for (const auto& [q, member] : group.data) {
            if (member.hasFailed())
                continue;
            m_places.unfence(member.holder.incarnation.value); // UP, splitting or merging
        }
        for (const auto& [p, member] : group.parity)
            if (!member.hasFailed() && m_places.unfence(member.holder.incarnation.value) && !m_losses.isBounded()
                && isBehindTheGone(g, member.holder.node))
                ++m_findings.counts.readopted;
    }
    for (const auto& [g, group] : m_places.coordinator()->file().groups()) {
        for (const auto& [q, member] : group.data) {
            if (!member.hasFailed() && m_places.isCut(member.holder.incarnation.value))
                m_places.onReadopted(
                    bucketAt(g, q, m_config.m()).value, member.holder.incarnation.value, m_losses.isBounded());
        }
    }
    m_touched.insert(m_deferred.begin(), m_deferred.end());
    m_deferred.clear();
    ++m_findings.counts.rebuilt;
}

// Whether a parity bucket that was declared failed lacks changes of a data bucket that has ended since. The processes
// that know of the failure have ended as well ("Known" in tests/README.md).
bool Oracle::isBehindTheGone(GroupNumber g, NodeId holder) const
{
    const SimProcess* process = m_cluster.numbered(holder);
    const ParityBucket* parity = process != nullptr ? m_places.parityBucketAt(process->index) : nullptr;
    for (Position q; parity != nullptr && q.value < m_config.m(); q = q.next()) {
        const std::uint32_t number = bucketAt(g, q, m_config.m()).value;
        const auto history = m_histories.find(number);
        if (history != m_histories.end() && m_places.isGone(number) && history->second.known() > parity->applied(q))
            return true;
    }
    return false;
}

// ---- epochs

} // namespace lhrs
