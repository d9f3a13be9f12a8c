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

std::set<std::uint32_t> Oracle::countedColumns(std::uint32_t group) const
{
    if (!m_isRebuilt) {
        const auto columns = m_columns.find(group);
        return columns == m_columns.end() ? std::set<std::uint32_t>() : columns->second;
    }
    // No event reports what a later coordinator found. The counted columns are those on which every bucket of the group
    // relies and which have everything that the bucket has acknowledged to clients.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> counted; // (column, incarnation)
    std::uint32_t members = 0;
    for (std::uint32_t number = group * m_config.m(); number < (group + 1) * m_config.m(); ++number) {
        const DataBucket* bucket = m_places.dataBucket(number);
        if (!bucket || m_places.isGone(number))
            continue;
        ++members;
        const auto told = m_told.find(number);
        const std::vector<check::AckSituation::Column> applied = columnsOf(*bucket); // in the order of the view
        auto column = applied.begin();
        for (const pb::Member& member : bucket->view().members())
            if (member.role() == pb::PARITY && member.state() == pb::UP
                && (column++)->applied >= (told == m_told.end() ? 0 : told->second))
                ++counted[{ member.index(), member.holder().incarnation() }];
    }
    if (members == 0) // only parity buckets of the group are left: all of them are needed
        for (const auto& process : m_cluster.processes())
            if (const ParityBucket* parity = m_places.parityBucketAt(process->index);
                parity && parity->group().value == group && parity->state() == pb::UP)
                counted[{ parity->column().value, parity->incarnation().value }] = 0;
    std::set<std::uint32_t> columns;
    for (const auto& [column, count] : counted)
        // A column in creation counts only once the coordinator knows it.
        if (count == members && !m_columnsInCreation.contains({ group, column.first }))
            columns.insert(column.first);
    return columns;
}

// ---- which process holds which place

// A new data bucket of this number begins.
void Oracle::onBegun(std::uint32_t number)
{
    m_histories.insert_or_assign(number, BucketHistory());
    for (auto& [request, kept] : m_kept)
        if (kept.first == number) // by the former bucket of this number, merged since; its results moved with the keys
            kept = { ~0U, 0 };
    m_ledger.settled(number);
    m_told.erase(number);
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
        std::erase_if(m_columnsFailedEarly, [&](const auto& column) { return column.first == target / m_config.m(); });
}

void Oracle::onGroupCreated(const pb::GroupCreated& created)
{
    m_groups[created.group()] = created.k();
    // A column that failed while the split was under way counts only after it has been rebuilt.
    for (std::uint32_t p = 0; p < created.k(); ++p)
        if (!m_columnsFailedEarly.contains({ created.group(), p }))
            m_columns[created.group()].insert(p);
    std::erase_if(m_columnsFailedEarly, [&](const auto& column) { return column.first == created.group(); });
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
    if (failed.role() == pb::PARITY) {
        m_columns[failed.group()].erase(failed.index());
        if (!isCreated(failed.group()))
            m_columnsFailedEarly.insert({ failed.group(), failed.index() });
    }
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
            const check::Version* version = m_ledger.latest(key);
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
        report(m_ledger.withdrawn(number, cut));
        std::erase_if(
            m_kept, [&](const auto& item) { return item.second.first == number && item.second.second > cut; });
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
    m_isRebuilt = true;
    // If whole groups are missing, the rebuilt file may be smaller than the one for which K was raised.
    m_isRaisedEarly = m_isRaisedEarly || !m_losses.isBounded();
    m_columnsInCreation.clear();
    const std::uint32_t groups = (rebuilt.buckets() + m_config.m() - 1) / m_config.m();
    m_groups.clear();
    for (const auto& [g, group] : m_places.coordinator()->file().groups()) {
        if (g.value < groups)
            m_groups[g.value] = group.k;
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
    // Raised by the former coordinator after its successor had begun to listen.
    m_isRaisedEarly = m_isRaisedEarly || m_places.coordinator()->file().availability() > m_availability;
    m_availability = m_places.coordinator()->file().availability();
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

void Oracle::rememberApplied(const SimProcess& process)
{
    const ParityBucket* parity = m_places.parityBucketAt(process.index);
    if (!parity)
        return;
    std::vector<std::uint64_t>& applied = m_applied[parity->incarnation().value];
    applied.resize(m_config.m());
    for (std::uint32_t q = 0; q < m_config.m(); ++q)
        applied[q] = parity->applied(Position(q));
}

} // namespace lhrs
