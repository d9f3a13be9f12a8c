// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/transfer/contents_sender.h"

#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/record_block.h"
#include "node/machine/transfer/incoming_blocks.h"
#include "node/lhrs/group/member_record.h"

#include <algorithm>
#include <limits>

namespace lhrs {

namespace {

constexpr std::size_t kRoom = kBlockBytes + (std::size_t(32) << 10); // capacity of a block; its last run may be long

} // namespace

void ContentsSender::sendBlocks(Time now, Effects& out)
{
    if (m_block == 0)
        m_heard = now;
    for (; !m_isLastSent && m_underWay < kBlocksUnderWay; ++m_underWay)
        sendBlock(now, out);
}

void ContentsSender::sendBlock(Time now, Effects& out)
{
    const RecordStore& store = m_bucket.store;
    pb::Message message;
    message.set_incarnation(m_bucket.incarnation.value);
    auto* contents = message.mutable_contents();
    contents->set_group(m_bucket.group.value);
    contents->set_position(m_bucket.position.value);
    contents->set_incarnation(m_bucket.incarnation.value);
    contents->set_asker(m_to.incarnation.value);
    contents->set_block(m_block++);
    contents->set_snap(m_bucket.link.sequence());
    contents->set_level(m_bucket.status.level);
    contents->set_rank_first(m_next.value);
    std::string& records = *contents->mutable_records();
    if (out.fires(Failpoint::ContentsOfOne) && m_next <= store.rankMax())
        m_next = writeRun(store, m_next, m_next, kRoom, records);
    else
        while (m_next <= store.rankMax() && records.size() < kBlockBytes)
            m_next = writeRun(store, m_next, store.rankMax(), kRoom, records);
    BlockWriter block(records);
    m_isLastSent = m_next > store.rankMax();
    if (m_isLastSent) {
        m_bucket.results.eachClient([&](std::uint64_t client, std::uint64_t doneBelow) {
            block.add(BlockEntry::ofDoneBelow(client, doneBelow));
        });
        m_bucket.results.each([&](std::uint64_t client, const ResultTable::Entry& entry) {
            // Results of changes in progress are included: the changes are in the contents, and their Deltas may be
            // older than the contents.
            block.add(BlockEntry::ofResult(entry.key, client, entry.number, std::uint8_t(entry.result)));
        });
    }
    // The last block covers all higher ranks: whatever is stored there later arrives as a Delta.
    contents->set_rank_last(m_isLastSent ? std::numeric_limits<std::uint32_t>::max() : m_next.value - 1);
    contents->set_is_last(m_isLastSent);
    m_bucket.context.acks.send(std::move(message), m_to.address, m_to.node, Way::Stream, AckList::Patience::KeepTrying,
        ServerContext::ContentsBlock, now, out);
}

bool ContentsSender::onAck(const AckList::Entry& entry, Time now)
{
    if (entry.purpose != ServerContext::ContentsBlock || entry.message.contents().asker() != m_to.incarnation.value)
        return false;
    m_heard = now;
    m_isDone = --m_underWay == 0 && m_isLastSent;
    return true;
}

bool ContentsSender::isMissed(Time now)
{
    const pb::Timers& timers = m_bucket.context.acks.timers();
    if (m_underWay == 0 || now < m_heard + m_bucket.context.ms(timers.stream_resend_ms()) * (timers.resends_max() + 1))
        return false;
    m_heard = now;
    return true;
}

void ContentsSender::stop() const
{
    m_bucket.context.acks.forgetIf([this](const AckList::Entry& entry) {
        return entry.purpose == ServerContext::ContentsBlock
            && entry.message.contents().asker() == m_to.incarnation.value;
    });
}

// ---- all senders

void ContentsSenders::onSendContents(const pb::Message& message, Time now, Effects& out)
{
    const pb::SendContents& order = message.send_contents();
    if (Epoch(order.epoch()) > m_bucket.link.epoch())
        return; // the order will be resent; this bucket's new epoch is on its way
    NodeContext::acknowledge(message, out);
    const ParityLink::Column* const column = m_bucket.link.column(ParityColumn(order.column()));
    if (column == nullptr || column->holder.incarnation != Incarnation(order.incarnation()))
        return;
    const auto [sender, isNew] = m_senders.try_emplace(column->holder.incarnation, m_bucket, column->holder);
    if (isNew)
        sender->second.sendBlocks(now, out);
}

void ContentsSenders::onAck(const AckList::Entry& entry, Time now, Effects& out)
{
    for (auto& [asker, sender] : m_senders) {
        if (sender.onAck(entry, now) && !sender.isDone())
            sender.sendBlocks(now, out);
    }
}

void ContentsSenders::takeView()
{
    const ParityLink::Columns& columns = m_bucket.link.columns();
    std::erase_if(m_senders, [&](auto& item) {
        const bool isThere = std::any_of(columns.begin(), columns.end(),
            [&](const auto& column) { return column.second.holder.incarnation == item.first; });
        if (!isThere)
            item.second.stop();
        return !isThere;
    });
}

void ContentsSenders::onTime(Time now, Effects& out)
{
    for (auto& [asker, sender] : m_senders) {
        if (sender.isMissed(now))
            m_bucket.link.alarm(asker, "contents", now, out);
    }
}

} // namespace lhrs
