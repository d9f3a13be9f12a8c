// SPDX-License-Identifier: GPL-3.0-or-later
// What messages that wait will look at, fetched for all of them before the first is dealt with. The places in a store are drawn
// by a hash, so each look is a wait for memory of its own otherwise.
#include "node/core/client.h"
#include "node/core/data_bucket.h"
#include "node/core/node_machine.h"
#include "node/core/parity_bucket.h"

#include <array>

namespace lhrs {

namespace {

constexpr std::size_t kFarthest = 64; // more would drive out what comes first

// The keys or numbers of the messages that have one.
template <class Wanted>
struct Few {
    std::array<Wanted, kFarthest> all;
    std::size_t count = 0;

    void add(Wanted wanted)
    {
        if (count < kFarthest)
            all[count++] = wanted;
    }
    std::span<const Wanted> span() const { return { all.data(), count }; }
};

} // namespace

void NodeMachine::foresee(std::span<const pb::Message* const> messages) const
{
    if (m_data)
        m_data->foresee(messages);
    else if (m_parity)
        m_parity->foresee(messages);
}

void DataBucket::foresee(std::span<const pb::Message* const> messages) const
{
    Few<Key> keys;
    for (const pb::Message* message : messages) {
        if (message->has_insert() || message->has_update() || message->has_delete_() || message->has_search())
            keys.add(Key(keyRequestOf(*message).key()));
    }
    m_store.foresee(keys.span());
}

void ParityBucket::foresee(std::span<const pb::Message* const> messages) const
{
    Few<ParityStore::Place> places;
    for (const pb::Message* message : messages) {
        if (message->has_delta() && message->delta().position() < m_positions.size())
            places.add({ Position(message->delta().position()), Rank(message->delta().rank()), Key(message->delta().key()) });
    }
    m_store.foresee(places.span());
}

void Client::foresee(std::span<const pb::Message* const> messages) const
{
    Few<Key> keys;
    for (const pb::Message* message : messages) {
        if (!message->has_reply() || message->reply().request().client() != m_context.self.node())
            continue;
        if (const Operation* operation = m_operations.find(message->reply().request().number()))
            keys.add(operation->key);
    }
    m_ledger.foresee(keys.span());
}

} // namespace lhrs
