// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/lhrs/file_history.h"

#include <limits>

namespace lhrs::gui {

FileHistory::FileHistory(std::size_t slices) : m_recoveries(std::numeric_limits<std::size_t>::max(), slices) { }

void FileHistory::begin(int cluster)
{
    if (m_cluster == cluster)
        return;
    m_cluster = cluster;
    m_recoveries.setCluster(std::uint32_t(cluster));
    m_suspected.clear();
    m_gf = 0;
    m_isPureRs = false;
}

void FileHistory::take(int cluster, ProcessId process, const pb::Event& event, std::int64_t ns)
{
    begin(cluster);
    m_recoveries.take(process, event, ns);
    m_splits[cluster].take(event, ns);
    if (event.has_file_created()) {
        m_gf = event.file_created().config().field() == pb::GF_8 ? 8 : 16;
        m_isPureRs = event.file_created().config().pure_rs();
    } else if (event.has_parity_bucket_filled() && event.place().role() == pb::PARITY) {
        const bool isXor = event.place().column() == 0 && !m_isPureRs;
        m_creations.push_back(
            { cluster, event.place().number(), event.place().column(), m_gf, isXor, event.parity_bucket_filled() });
    } else if (event.has_member_suspected()) {
        const pb::MemberSuspected& e = event.member_suspected();
        m_suspected.try_emplace({ int(e.role()), e.group(), e.index() }, ns);
    } else if (event.has_members_answered()) {
        std::erase_if(
            m_suspected, [&](const auto& one) { return std::get<1>(one.first) == event.members_answered().group(); });
    } else if (event.has_bucket_failed()) {
        fail(event.bucket_failed(), ns);
    } else if (event.has_recovery_finished()) {
        for (const std::uint32_t bucket : event.recovery_finished().buckets())
            restore(pb::DATA, event.recovery_finished().group(), bucket, ns);
    } else if (event.has_parity_added()) {
        restore(pb::PARITY, event.parity_added().group(), event.parity_added().column(), ns);
    }
}

void FileHistory::fail(const pb::BucketFailed& e, std::int64_t ns)
{
    Failure& failure = m_failures.emplace_back();
    failure.cluster = m_cluster;
    failure.group = e.group();
    failure.place.set_role(e.role());
    failure.place.set_number(e.role() == pb::PARITY ? e.group() : e.index());
    failure.place.set_column(e.role() == pb::PARITY ? e.index() : 0);
    failure.process = e.process();
    failure.failedNs = ns;
    failure.reason = e.reason();
    if (const auto since = m_suspected.find({ int(e.role()), e.group(), e.index() }); since != m_suspected.end()) {
        failure.suspectedNs = since->second;
        m_suspected.erase(since);
    }
}

void FileHistory::restore(pb::Role role, std::uint32_t group, std::uint32_t index, std::int64_t ns)
{
    for (Failure& failure : m_failures)
        if (failure.cluster == m_cluster && failure.restoredNs == 0 && failure.place.role() == role
            && failure.group == group
            && (role == pb::PARITY ? failure.place.column() : failure.place.number()) == index)
            failure.restoredNs = ns;
}

} // namespace lhrs::gui
