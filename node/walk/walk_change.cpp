// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/walk/walk_change.h"

#include "common/failpoints.h"

#include <utility>

namespace lhrs {

namespace {

constexpr std::size_t kBlockBytes = std::size_t(128) << 10;
constexpr std::size_t kEntryBytes = 32; // bytes of an entry besides its value
constexpr std::size_t kDatagramBytes = 1'000; // a message of more bytes certainly does not fit in a datagram

} // namespace

RangeGiver::RangeGiver(const pb::WalkGive& order, IdRing ring, NodeContext& context)
    : m_order(order), m_ring(ring), m_from(order.from()), m_to(order.to()), m_context(context)
{
}

void RangeGiver::changed(KeyPlace place)
{
    const bool isSent = m_hasSentAll || (m_last && isPassed(m_ring, m_from, place, *m_last));
    if (isSent && contains(place.id))
        m_changed.insert(place);
}

void RangeGiver::addTo(pb::WalkKeys& keys, const WalkStore& store, KeyPlace place, std::size_t& bytes) const
{
    bytes += kEntryBytes;
    const std::string* value = store.find(place);
    if (value == nullptr) {
        keys.add_removed(place.key.value);
        return;
    }
    bytes += value->size();
    pb::WalkEntry& entry = *keys.add_entries();
    entry.set_key(place.key.value);
    entry.set_id(place.id.value);
    entry.set_value(*value);
}

void RangeGiver::addResults(pb::WalkKeys& keys, const ResultTable& results) const
{
    if (LHRS_MUTANT(WalkResultsLeftBehind))
        return;
    results.eachClient([&keys](std::uint64_t client, std::uint64_t doneBelow) {
        pb::WalkClient& row = *keys.add_clients();
        row.set_client(client);
        row.set_done_below(doneBelow);
    });
    results.each([&](std::uint64_t client, const ResultTable::Entry& entry) {
        if (!contains(RingId(entry.note)))
            return;
        pb::WalkDone& row = *keys.add_done();
        row.mutable_request()->set_client(client);
        row.mutable_request()->set_number(entry.number);
        row.set_key(entry.key.value);
        row.set_id(entry.note);
        row.set_result(entry.result);
    });
}

void RangeGiver::sendBlock(const WalkStore& store, const ResultTable& results, Time now, Effects& out)
{
    pb::Message message;
    pb::WalkKeys& keys = *message.mutable_walk()->mutable_keys();
    keys.set_change(change());
    keys.set_block(m_blocks++);
    keys.set_from(m_from.value);
    keys.set_to(m_to.value);
    std::size_t bytes = 0;
    for (; !m_changed.empty() && bytes < kBlockBytes; m_changed.erase(m_changed.begin()))
        addTo(keys, store, *m_changed.begin(), bytes);
    while (!m_hasSentAll && bytes < kBlockBytes) {
        if (const auto place = store.next(m_from, m_to, m_last)) {
            addTo(keys, store, *place, bytes);
            m_last = place;
        } else {
            m_hasSentAll = true;
        }
    }
    m_isLastSent = m_hasSentAll && m_changed.empty();
    keys.set_is_last(m_isLastSent);
    if (m_isLastSent)
        addResults(keys, results);
    const Way way = message.ByteSizeLong() <= kDatagramBytes ? Way::Auto : Way::Stream;
    m_waitsFor = send(std::move(message), WalkBlock, way, now, out);
}

std::uint64_t RangeGiver::send(pb::Message message, AckList::Purpose purpose, Way way, Time now, Effects& out)
{
    return m_context.acks.send(std::move(message), Address::from(receiver().address()), NodeId(receiver().node()), way,
        AckList::Patience::KeepTrying, purpose, now, out);
}

RangeGiver::Step RangeGiver::onAcknowledged(
    const AckList::Entry& entry, const WalkStore& store, const ResultTable& results, Time now, Effects& out)
{
    if (entry.message.id() != m_waitsFor)
        return Step::Nothing;
    m_waitsFor = 0;
    if (m_isDecided)
        return Step::Given;
    if (!m_isLastSent) {
        sendBlock(store, results, now, out);
        return Step::Nothing;
    }
    m_isDecided = true;
    pb::Message message;
    message.mutable_walk()->mutable_yours()->set_change(change());
    m_waitsFor = send(std::move(message), WalkHandover, Way::Auto, now, out);
    return Step::Decided;
}

void RangeGiver::forget() { m_context.acks.forget(std::exchange(m_waitsFor, 0)); }

RangeTaker::RangeTaker(std::uint64_t change, RingId from, RingId to, NodeId giver, IdRing ring)
    : m_change(change), m_from(from), m_to(to), m_giver(giver), m_ring(ring), m_staged(ring)
{
}

bool RangeTaker::take(const pb::WalkKeys& keys)
{
    if (keys.block() < m_next || m_isComplete)
        return true; // a late copy
    if (keys.block() > m_next)
        return false;
    ++m_next;
    for (const pb::WalkEntry& entry : keys.entries())
        m_staged.put({ m_ring.wrap(entry.id()), Key(entry.key()) }, entry.value());
    for (const std::uint64_t key : keys.removed())
        m_staged.remove({ m_ring.idOf(Key(key)), Key(key) });
    if (keys.is_last()) {
        m_isComplete = true;
        *m_results.mutable_done() = keys.done();
        *m_results.mutable_clients() = keys.clients();
    }
    return true;
}

std::size_t RangeTaker::install(WalkStore& store, ResultTable& results, Time now)
{
    const std::size_t keys = m_staged.size();
    store.takeAll(m_staged);
    // The bounds come first: a result below them is no longer wanted.
    for (const pb::WalkClient& client : m_results.clients())
        results.forget(client.client(), client.done_below(), now);
    for (const pb::WalkDone& done : m_results.done())
        results.keep(
            done.request().client(), { done.request().number(), Key(done.key()), done.id(), done.result() }, now);
    return keys;
}

} // namespace lhrs
