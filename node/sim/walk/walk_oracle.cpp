// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/walk/walk_oracle.h"

#include "common/check/say.h"

#include <algorithm>
#include <utility>

namespace lhrs {

using check::say;

namespace {

constexpr std::uint32_t kRoundsMax = 3; // most rounds of a query before it counts as adrift

check::RequestName nameOf(const pb::RequestId& request) { return { request.client(), request.number() }; }

check::RequestKind kindOf(pb::WalkOperation operation)
{
    return operation == pb::WALK_PUT   ? check::RequestKind::Put
        : operation == pb::WALK_DELETE ? check::RequestKind::Delete
                                       : check::RequestKind::Search;
}

} // namespace

WalkOracle::WalkOracle(const SimCluster& cluster, IdRing ring) : m_cluster(cluster), m_ring(ring) { }

void WalkOracle::fail(std::string text)
{
    if (!m_failure)
        m_failure = Failure { std::move(text), m_cluster.now() };
}

std::vector<std::uint64_t> WalkOracle::keys() const
{
    std::vector<std::uint64_t> all;
    for (const auto& [key, value] : m_keys)
        all.push_back(key);
    return all;
}

const WalkNode* WalkOracle::nodeOf(const SimProcess& process)
{
    return process.info.kind() == pb::NODE ? dynamic_cast<const WalkNode*>(process.machine.get()) : nullptr;
}

WalkOracle::Seen WalkOracle::look(const WalkNode& node)
{
    if (!node.answersFor(node.id()))
        return { false, {}, {}, node.store().size() };
    return { true, node.from(), node.id(), node.store().size() };
}

// ---- step by step

void WalkOracle::onStep(const SimProcess& process, Effects& effects, Time now)
{
    for (const Effects::Send& send : effects.sends()) {
        if (process.info.kind() != pb::CLIENT || !send.message->walk().has_query())
            continue;
        const pb::WalkQuery& query = send.message->walk().query();
        m_book.invoked(nameOf(query.request()), kindOf(query.operation()), query.key(), query.value(), now.count());
        m_asked.try_emplace(nameOf(query.request()), kindOf(query.operation()));
        m_keys.try_emplace(query.key());
    }
    for (const pb::Event* event : effects.events())
        if (event->has_walk())
            onEvent(process, event->walk());
    const WalkNode* node = nodeOf(process);
    const Seen seen = node != nullptr ? look(*node) : Seen();
    const Seen before = std::exchange(m_seen[process.index], seen);
    const bool isRangeChanged = before.answers != seen.answers || before.from != seen.from || before.id != seen.id;
    if (isRangeChanged)
        checkRanges();
    // Checked only now, because a node that takes a range may answer for it in the same step.
    m_touched.clear();
    for (const pb::Event* event : effects.events())
        if (event->has_walk())
            onKeyEvent(process, *event);
    for (const std::uint64_t key : m_touched)
        checkTouched(process, key);
    if (isRangeChanged || (m_touched.empty() && before.keys != seen.keys))
        checkKeys();
}

void WalkOracle::onEvent(const SimProcess& process, const pb::WalkEvent& walk)
{
    using B = pb::WalkEvent;
    switch (walk.body_case()) {
    case B::kKeysGiven: onKeysGiven(process, walk.keys_given()); break;
    case B::kRangeTaken: onRangeTaken(process, walk.range_taken()); break;
    case B::kQueryAdrift:
        fail(say("a query for key ", walk.query_adrift().key(), " was passed on ", walk.query_adrift().steps(),
            " times: the ring leads past the owner"));
        break;
    case B::kQueryPassed:
        // A late copy may go round once more, because a node has left or joined. One that goes on is adrift, and every
        // copy that the network makes adds another.
        if (walk.query_passed().steps() > kRoundsMax * m_cluster.processes().size())
            fail(say("a query for key ", walk.query_passed().key(),
                " goes round and round: ", walk.query_passed().steps(), " steps, and it is at ", process.info.name()));
        break;
    case B::kNodeJoined:
        ++m_counts.joined;
        m_counts.moved += walk.node_joined().keys();
        break;
    case B::kNodeLeft:
        ++m_counts.left;
        m_counts.moved += walk.node_left().keys();
        break;
    case B::kChangeUndone: m_counts.undone += walk.change_undone().change() != 0 ? 1 : 0; break;
    case B::kRingNodeLost: ++m_counts.nodesLost; break;
    case B::kRingNodeBack: ++m_counts.nodesBack; break;

    // Events of keys are handled later, and the others announce what is checked when it takes effect.
    case B::kKeyStored:
    case B::kKeyRemoved:
    case B::kKeyRead:
    case B::kRingBegun:
    case B::kJoinOrdered:
    case B::kLeaveOrdered:
    case B::kSuccessorChanged:
    case B::BODY_NOT_SET: break;
    }
}

void WalkOracle::onKeyEvent(const SimProcess& process, const pb::Event& event)
{
    const pb::WalkEvent& walk = event.walk();
    const bool isStored = walk.has_key_stored();
    if (!isStored && !walk.has_key_removed() && !walk.has_key_read())
        return;
    const std::uint64_t key = isStored ? walk.key_stored().key()
        : walk.has_key_removed()       ? walk.key_removed().key()
                                       : walk.key_read().key();
    const WalkNode* node = nodeOf(process);
    if (node == nullptr || !node->answersFor(m_ring.idOf(Key(key))))
        fail(say(process.info.name(), " answers for key ", key, ", which it does not own"));
    std::optional<std::string>& known = m_keys[key];
    if (walk.has_key_read()) {
        ++m_counts.read;
        if (known.has_value() != walk.key_read().is_found())
            fail(say(process.info.name(), (known ? " does not find" : " finds"), " key ", key, ", which was ",
                (known ? "stored" : "removed or never stored")));
        return;
    }
    isStored ? ++m_counts.stored : ++m_counts.removed;
    const check::RequestName request = nameOf(event.operation());
    if (!m_tookEffect.insert(request).second)
        fail(say("request ", request.number, " of process ", request.client, " took effect twice, now at ",
            process.info.name(), ": key ", key));
    if (!isStored && !known)
        fail(say(process.info.name(), " removes key ", key, ", which is not there"));
    known = isStored ? std::optional<std::string>("") : std::nullopt;
    m_touched.push_back(key);
}

// The value is the one that the node has after the step; the events say only whether there is one.
void WalkOracle::checkTouched(const SimProcess& process, std::uint64_t key)
{
    const WalkNode* node = nodeOf(process);
    const std::string* value = node == nullptr ? nullptr : node->store().find({ m_ring.idOf(Key(key)), Key(key) });
    std::optional<std::string>& known = m_keys[key];
    if (known.has_value() != (value != nullptr))
        fail(say(
            process.info.name(), " says that key ", key, " is ", (known ? "stored" : "removed"), ", and it is not"));
    if (value != nullptr)
        known = *value;
    checkKey(key, known);
}

void WalkOracle::onKeysGiven(const SimProcess& process, const pb::KeysGiven& given)
{
    if (m_underWay)
        fail(say(process.info.name(), " gives keys away while those of change ", m_underWay->change, " are under way"));
    m_underWay = UnderWay { given.change(), RingId(given.from()), RingId(given.to()), &process,
        NodeId(given.receiver()) };
    const SimProcess* receiver = m_cluster.numbered(m_underWay->receiver);
    if (receiver != nullptr && !receiver->isGone())
        return;
    m_lost.push_back({ m_underWay->from, m_underWay->to }); // the node had acknowledged all of them before it ended
    m_underWay.reset();
}

void WalkOracle::onRangeTaken(const SimProcess& process, const pb::RangeTaken& taken)
{
    if (!m_underWay || m_underWay->change != taken.change() || m_underWay->receiver.value != process.info.node()
        || m_underWay->from.value != taken.from() || m_underWay->to.value != taken.to())
        fail(say(process.info.name(), " takes a range in change ", taken.change(), ", and nobody has given it"));
    m_underWay.reset();
}

void WalkOracle::willEnd(const SimProcess& process)
{
    if (const WalkNode* node = nodeOf(process); node != nullptr && node->answersFor(node->id()))
        m_lost.push_back({ node->from(), node->id() });
    if (m_underWay && (m_underWay->giver == &process || m_underWay->receiver.value == process.info.node())) {
        m_lost.push_back({ m_underWay->from, m_underWay->to });
        m_underWay.reset();
    }
    m_seen.erase(process.index);
    std::erase_if(m_owners, [&process](const auto& owner) { return owner.second == &process; });
}

// ---- ranges and keys

// Two ranges overlap only if the end of one lies in the other.
void WalkOracle::checkRanges()
{
    m_owners.clear();
    std::vector<const SimProcess*> owners;
    for (const auto& [index, seen] : m_seen)
        if (seen.answers)
            owners.push_back(m_cluster.at(Address { index, 0, 0 }));
    for (const SimProcess* owner : owners) {
        const RingId id = nodeOf(*owner)->id();
        for (const SimProcess* other : owners)
            if (other != owner && nodeOf(*other)->answersFor(id))
                fail(say(owner->info.name(), " and ", other->info.name(), " both answer for the id ", id.value));
        m_owners[id] = owner;
    }
    m_counts.rangesChecked += owners.size();
}

const SimProcess* WalkOracle::ownerOf(RingId id) const
{
    if (m_owners.empty())
        return nullptr;
    const auto next = m_owners.lower_bound(id);
    const SimProcess* owner = next == m_owners.end() ? m_owners.begin()->second : next->second;
    return nodeOf(*owner)->answersFor(id) ? owner : nullptr;
}

bool WalkOracle::isLost(RingId id) const
{
    return std::any_of(m_lost.begin(), m_lost.end(),
        [this, id](const Range& range) { return m_ring.inRight(id, range.from, range.to); });
}

void WalkOracle::checkKeys()
{
    for (const auto& [key, value] : m_keys)
        checkKey(key, value);
}

// The key is at the one node that answers for it, or still at the giver of a range for which no node answers at the
// moment.
void WalkOracle::checkKey(std::uint64_t key, const std::optional<std::string>& value)
{
    const RingId id = m_ring.idOf(Key(key));
    if (isLost(id))
        return;
    ++m_counts.keysChecked;
    const bool isUnderWay = m_underWay && m_ring.inRight(id, m_underWay->from, m_underWay->to);
    const SimProcess* owner = ownerOf(id);
    if (isUnderWay && owner != nullptr)
        fail(say(owner->info.name(), " answers for key ", key, ", which is under way in change ", m_underWay->change));
    if (isUnderWay)
        owner = m_underWay->giver;
    if (owner == nullptr) {
        if (value)
            fail(say("nobody answers for key ", key, ", and it is not under way"));
        return;
    }
    const std::string* found = nodeOf(*owner)->store().find({ id, Key(key) });
    if (value.has_value() != (found != nullptr) || (found != nullptr && *found != *value))
        fail(say("key ", key, " was ", (value ? "stored" : "removed"), ", and ", owner->info.name(),
            (isUnderWay ? ", which has given it away, has " : ", its owner, has "),
            (found == nullptr ? "nothing" : "another value")));
}

// ---- at rest

void WalkOracle::checkAtRest(const WalkMaster& master)
{
    std::size_t members = 0;
    std::map<std::uint64_t, std::string> stored;
    for (const auto& process : m_cluster.processes()) {
        const WalkNode* node = nodeOf(*process);
        if (node == nullptr)
            continue;
        const std::string& name = process->info.name();
        m_counts.bygone += node->bygone();
        m_counts.held += node->heldMost() > 0 ? 1 : 0;
        if (node->held() > 0 || node->openChange() != 0)
            fail(say(name, " takes part in change ", node->openChange(), " and holds ", node->held(),
                " queries although nothing is under way"));
        const auto place = master.ring().find(node->id());
        const bool isIn = place != master.ring().end() && place->second.node() == process->info.node();
        if (isIn != (node->state() == pb::WALK_IN) || isIn != node->answersFor(node->id()))
            fail(say(name,
                (isIn ? " does not answer, and the master has it in the ring"
                      : " answers, and the master does not have it in the ring")));
        if (!isIn) {
            if (node->store().size() > 0)
                fail(say(name, " has ", node->store().size(), " keys outside the ring"));
            continue;
        }
        ++members;
        const auto next = std::next(place) == master.ring().end() ? master.ring().begin() : std::next(place);
        const auto before = place == master.ring().begin() ? std::prev(master.ring().end()) : std::prev(place);
        if (node->successor().node() != next->second.node() || node->successor().id() != next->first.value)
            fail(say(
                "the successor of ", name, " is process ", node->successor().node(), " and not ", next->second.node()));
        if (node->from() != before->first)
            fail(say(
                "the range of ", name, " begins after ", node->from().value, " and not after ", before->first.value));
        for (const auto& [at, value] : node->store().entries()) {
            const auto known = m_keys.find(at.key.value);
            if (!node->answersFor(at.id) || known == m_keys.end() || !known->second)
                fail(say(name, " has key ", at.key.value, ", which ",
                    (node->answersFor(at.id) ? "nobody stored" : "is not in its range")));
        }
    }
    if (members != master.ring().size())
        fail(say("the ring has ", master.ring().size(), " nodes, and ", members, " of them are there"));
    if (m_underWay)
        fail(say("keys of change ", m_underWay->change, " are under way although nothing is"));
    checkRanges();
    checkKeys();
}

void WalkOracle::lookedUp(const WalkMaster& master, std::uint64_t key, NodeId via, const pb::LookUpResult& result)
{
    const RingId id = m_ring.idOf(Key(key));
    const SimProcess* entry = m_cluster.numbered(via);
    const auto known = m_keys.find(key);
    const bool isThere = known != m_keys.end() && known->second.has_value();
    const std::string asked = say(
        "key ", key, ", asked for at ", (entry != nullptr ? entry->info.name() : "a stranger"), ", ");
    ++m_counts.lookUps;
    m_counts.steps += result.steps();
    if (result.result() != (isThere ? pb::OK : pb::NOT_FOUND))
        fail(say(
            asked, "is ", (isThere ? "" : "not "), "there, and the answer is ", pb::ResultCode_Name(result.result())));
    else if (isThere && result.value() != *known->second)
        fail(say(asked, "has another value"));
    // From the entry on, every node before the owner passes the query on once.
    const WalkNode* from = entry != nullptr ? nodeOf(*entry) : nullptr;
    const SimProcess* owner = ownerOf(id);
    if (from == nullptr || owner == nullptr || owner->info.node() != result.owner()) {
        fail(say(asked, "was answered by process ", result.owner(), ", which is not its owner"));
        return;
    }
    const auto steps = std::count_if(master.ring().begin(), master.ring().end(), [&](const auto& node) {
        return m_ring.clockwise(from->id(), node.first) < m_ring.clockwise(from->id(), nodeOf(*owner)->id());
    });
    if (result.steps() != std::uint64_t(steps))
        fail(say(asked, "was answered after ", result.steps(), " steps and not after ", steps));
}

// ---- what clients saw

void WalkOracle::finished(const pb::OperationResult& result)
{
    const check::RequestName request = nameOf(result.operation());
    if (result.result() == pb::RESULT_UNKNOWN)
        fail(say("an operation on key ", result.key(), " ended without a result"));
    const auto asked = m_asked.find(request);
    if (asked != m_asked.end() && asked->second != check::RequestKind::Search && result.result() == pb::OK
        && !m_tookEffect.contains(request))
        fail(say("a ", check::nameOf(asked->second), " of key ", result.key(),
            " was acknowledged and has not been carried out"));
    m_book.answered(request, outcomeOf(result.result()), result.value(), m_cluster.now().count());
}

void WalkOracle::checkHistories()
{
    const check::Violations found = m_book.judge([](std::uint64_t) { return false; });
    if (!found.empty())
        fail(found.front().text);
}

} // namespace lhrs
