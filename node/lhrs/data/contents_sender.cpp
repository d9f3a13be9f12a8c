// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/data/contents_sender.h"

#include "common/lhrs/failpoint_list.h"
#include "common/lhrs/record_block.h"
#include "node/machine/transfer/blocks_ahead.h"
#include "node/lhrs/group/member_record.h"

#include <limits>

namespace lhrs {

namespace {

constexpr std::size_t kRoom = kBlockBytes + (std::size_t(32) << 10); // capacity of a block; its last run may be long

} // namespace

ContentsSender::ContentsSender(ServerContext& context, const pb::SendContents& order, const HolderInfo& to)
    : m_context(context), m_to(to)
{
    LHRS_CHECK(m_to.incarnation.value == order.incarnation());
}

void ContentsSender::sendBlocks(const Bucket& bucket, const RecordStore& store, const ResultTable& results,
    Sequence sequence, Time now, Effects& out)
{
    if (m_block == 0)
        m_heard = now;
    for (; !m_isLastSent && m_underWay < kBlocksUnderWay; ++m_underWay)
        sendBlock(bucket, store, results, sequence, now, out);
}

void ContentsSender::sendBlock(const Bucket& bucket, const RecordStore& store, const ResultTable& results,
    Sequence sequence, Time now, Effects& out)
{
    pb::Message message;
    message.set_incarnation(bucket.incarnation.value);
    auto* contents = message.mutable_contents();
    contents->set_group(bucket.group.value);
    contents->set_position(bucket.position.value);
    contents->set_incarnation(bucket.incarnation.value);
    contents->set_asker(m_to.incarnation.value);
    contents->set_block(m_block++);
    contents->set_snap(sequence);
    contents->set_level(bucket.level);
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
        results.eachClient([&](std::uint64_t client, std::uint64_t doneBelow) {
            block.add(BlockEntry::ofDoneBelow(client, doneBelow));
        });
        results.each([&](std::uint64_t client, const ResultTable::Entry& entry) {
            // Results in work too: their changes are in the contents, and their Deltas may be older than the contents.
            block.add(BlockEntry::ofResult(entry.key, client, entry.number, std::uint8_t(entry.result)));
        });
    }
    // The last block speaks for all higher ranks: whatever is put there later arrives as a Delta.
    contents->set_rank_last(m_isLastSent ? std::numeric_limits<std::uint32_t>::max() : m_next.value - 1);
    contents->set_is_last(m_isLastSent);
    m_context.acks.send(std::move(message), m_to.address, m_to.node, Way::Stream, AckList::Patience::KeepTrying,
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
    const pb::Timers& timers = m_context.acks.timers();
    if (m_underWay == 0 || now < m_heard + m_context.ms(timers.stream_resend_ms()) * (timers.resends_max() + 1))
        return false;
    m_heard = now;
    return true;
}

void ContentsSender::stop()
{
    m_context.acks.forgetIf([this](const AckList::Entry& entry) {
        return entry.purpose == ServerContext::ContentsBlock
            && entry.message.contents().asker() == m_to.incarnation.value;
    });
}

} // namespace lhrs
