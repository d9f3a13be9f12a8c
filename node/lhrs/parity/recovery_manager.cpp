// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/parity/recovery_manager.h"

#include "common/failpoints.h"

namespace lhrs {

namespace {

PositionKnowledge knowledgeOf(const pb::PositionReport& report)
{
    PositionKnowledge knowledge { report.applied(), {}, {} };
    for (const pb::Delta& delta : report.held())
        knowledge.held.insert(delta.sequence());
    for (const pb::Delta& delta : report.logged())
        knowledge.logged.insert(delta.sequence());
    return knowledge;
}

const pb::Delta& deltaOf(const pb::PositionReport& report, Sequence sequence)
{
    for (const pb::Delta& delta : report.held()) {
        if (delta.sequence() == sequence)
            return delta;
    }
    for (const pb::Delta& delta : report.logged()) {
        if (delta.sequence() == sequence)
            return delta;
    }
    LHRS_CHECK(!"a planned Delta is in the report that it was planned from");
}

} // namespace

// ---- the cut

void RecoveryManager::onCutReport(const pb::CutReport& report, Time now, Effects& out)
{
    if (m_isCut)
        return;
    m_reports[ParityColumn(report.column())] = report;
    for (const pb::Member& member : m_bucket.view().members()) {
        if (member.role() == pb::PARITY && member.state() == pb::UP
            && !m_reports.contains(ParityColumn(member.index())))
            return; // wait for all survivors
    }
    cut(now, out);
}

void RecoveryManager::cut(Time now, Effects& out)
{
    m_isCut = true;
    std::vector<ParityColumn> columns;
    for (const auto& [p, report] : m_reports)
        columns.push_back(p);
    const int positions = m_reports.begin()->second.positions_size();
    for (int i = 0; i < positions; ++i) {
        std::vector<const pb::PositionReport*> reports;
        std::vector<PositionKnowledge> survivors;
        for (const auto& [p, report] : m_reports) {
            LHRS_CHECK(report.positions_size() == positions
                && report.positions(i).position() == m_reports.begin()->second.positions(i).position());
            reports.push_back(&report.positions(i));
            survivors.push_back(knowledgeOf(report.positions(i)));
        }
        const Position q(reports.front()->position());
        const Sequence cut = cutOf(survivors);
        std::vector<DeltaTransfer> transfers;
        for (const std::size_t lacking : planCut(survivors, cut, transfers))
            m_unusable.insert(columns[lacking]);
        if (LHRS_MUTANT(NoCommonCut))
            transfers.clear();
        m_cuts[q] = cut;
        if (!m_unusable.empty())
            continue; // the coordinator will start over without them
        for (std::size_t to = 0; to < columns.size(); ++to) {
            pb::DeltaCopy copy;
            copy.set_group(m_bucket.group().value);
            copy.set_epoch(m_bucket.view().epoch());
            copy.set_position(q.value);
            copy.set_cut(cut);
            for (const DeltaTransfer& transfer : transfers) {
                if (transfer.to == to)
                    *copy.add_deltas() = deltaOf(*reports[transfer.from], transfer.sequence);
            }
            m_copied += std::uint32_t(copy.deltas_size());
            if (columns[to] == m_bucket.column()) {
                LHRS_CHECK(m_bucket.bringToCut(q, cut, copy.deltas(), now, out));
                continue;
            }
            for (const pb::Member& member : m_bucket.view().members()) {
                if (member.role() != pb::PARITY || member.index() != columns[to].value)
                    continue;
                const HolderInfo holder = HolderInfo::from(member.holder());
                pb::Message message;
                *message.mutable_delta_copy() = copy;
                m_copies.insert(m_context.acks.send(std::move(message), holder.address, holder.node, Way::Auto,
                    AckList::Patience::KeepTrying, ServerContext::OfRecovery, now, out));
            }
        }
    }
    reportWhenCut(now, out);
}

void RecoveryManager::reportWhenCut(Time now, Effects& out)
{
    if (!m_isCut || !m_copies.empty() || m_cuts.empty())
        return;
    pb::Message message;
    auto* done = message.mutable_cut_done();
    done->set_group(m_bucket.group().value);
    done->set_epoch(m_bucket.view().epoch());
    auto* event = out.event().mutable_cut_agreed();
    event->set_group(m_bucket.group().value);
    event->set_copied(m_copied);
    for (const auto& [q, cut] : m_cuts) {
        auto* position = done->add_positions();
        position->set_position(q.value);
        position->set_cut(cut);
        event->add_positions(q.value);
        event->add_cuts(cut);
    }
    m_cuts.clear();
    for (const ParityColumn p : m_unusable)
        done->add_unusable(p.value);
    m_context.acks.send(std::move(message), m_context.coordinator, NodeId(), Way::Auto, AckList::Patience::KeepTrying,
        ServerContext::OfRecovery, now, out);
}

// ---- the slices

void RecoveryManager::onRecover(const pb::Recover& order, Time now, Effects& out)
{
    if (m_rebuild && m_rebuild->recovery() >= order.recovery())
        return; // a copy of the order
    m_rebuild = std::make_unique<SliceRebuild>(m_context, m_bucket, order, now);
    m_rebuild->start(now, out);
}

void RecoveryManager::onSliceData(const pb::SliceData& data, Time now, Effects& out)
{
    if (m_rebuild && m_rebuild->recovery() == data.recovery())
        m_rebuild->onSliceData(data, now, out);
}

void RecoveryManager::onAck(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_copies.erase(entry.message.id()) > 0)
        reportWhenCut(now, out);
    if (m_rebuild)
        m_rebuild->onAck(entry, now, out);
}

void RecoveryManager::onTime(Time now, Effects& out)
{
    if (m_rebuild)
        m_rebuild->onTime(now, out);
}

Time RecoveryManager::deadline() const { return m_rebuild ? m_rebuild->deadline() : Time::max(); }

} // namespace lhrs
