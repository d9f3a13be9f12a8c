// SPDX-License-Identifier: GPL-3.0-or-later
// Keys in the order of the ring, and a range of keys that is handed over from one node to another.
#include "node/walk/walk_change.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

#include <set>

using namespace lhrs;
using namespace lhrs::test;

class TestWalkStore : public QObject {
    Q_OBJECT

private slots:
    void putFindAndRemove();
    void aRangeIsWalkedOnceAndInOrder();
    void theRangeOverTheTopIsRemoved();
    void blocksArriveWhateverChangesMeanwhile_data();
    void blocksArriveWhateverChangesMeanwhile();
    void aBlockThatComesAgainOrTooEarlyChangesNothing();
    void resultsComeWithTheLastBlock();
};

static KeyPlace at(std::uint64_t id, std::uint64_t key = 0) { return { RingId(id), Key(key) }; }

void TestWalkStore::putFindAndRemove()
{
    WalkStore store(IdRing(8));
    QVERIFY(store.put(at(7, 1), "one"));
    QVERIFY(!store.put(at(7, 1), "longer"));
    QVERIFY(store.put(at(7, 2), "two")); // two keys at the same id
    QCOMPARE(store.size(), std::size_t(2));
    QCOMPARE(store.bytes(), std::uint64_t(9));
    QCOMPARE(*store.find(at(7, 1)), std::string("longer"));
    QVERIFY(store.remove(at(7, 1)) && !store.remove(at(7, 1)));
    QVERIFY(store.find(at(7, 1)) == nullptr && store.bytes() == 3);
}

void TestWalkStore::aRangeIsWalkedOnceAndInOrder()
{
    const IdRing ring(4);
    for (std::uint64_t from = 0; from < 16; ++from) {
        for (std::uint64_t to = 0; to < 16; ++to) {
            if (from == to)
                continue;
            for (unsigned gaps = 1; gaps <= 5; ++gaps) { // every id, every second one ...
                WalkStore store(ring);
                std::vector<KeyPlace> expected;
                for (std::uint64_t id = 0; id < 16; id += gaps)
                    for (const std::uint64_t key : { id, id + 100 })
                        store.put(at(id, key), "v");
                for (std::uint64_t step = 1; step <= ring.clockwise(RingId(from), RingId(to)); ++step)
                    if (const std::uint64_t id = (from + step) % 16; id % gaps == 0)
                        expected.insert(expected.end(), { at(id, id), at(id, id + 100) });
                std::vector<KeyPlace> seen;
                for (auto place = store.next(RingId(from), RingId(to), std::nullopt); place && seen.size() < 40;
                     place = store.next(RingId(from), RingId(to), place))
                    seen.push_back(*place);
                QCOMPARE(seen.size(), expected.size());
                QVERIFY(seen == expected);
                for (std::size_t i = 0; i < seen.size(); ++i)
                    for (std::size_t j = 0; j < seen.size(); ++j)
                        QCOMPARE(isPassed(ring, RingId(from), seen[i], seen[j]), i <= j);
            }
        }
    }
}

void TestWalkStore::theRangeOverTheTopIsRemoved()
{
    WalkStore store(IdRing(8));
    for (const std::uint64_t id : { 0u, 5u, 100u, 250u, 255u })
        store.put(at(id, id), "v");
    QCOMPARE(store.removeRange(RingId(200), RingId(5)), std::size_t(4));
    QCOMPARE(store.size(), std::size_t(1));
    QVERIFY(store.find(at(100, 100)) != nullptr);
    WalkStore other(IdRing(8));
    other.put(at(1, 1), "w");
    other.takeAll(store);
    QVERIFY(other.size() == 2 && store.size() == 0 && store.bytes() == 0 && other.bytes() == 2);
}

// Both ends of a handover, connected only by acknowledgements.
struct Handover {
    explicit Handover(std::uint64_t from = 1'000, std::uint64_t to = 50)
        : taker(7, RingId(from), RingId(to), NodeId(2), ring)
    {
        pb::WalkGive order;
        order.set_change(7);
        order.set_from(from);
        order.set_to(to);
        order.mutable_receiver()->set_node(3);
        addressOfProcess(3).to(*order.mutable_receiver()->mutable_address());
        giver.emplace(order, ring, context);
    }
    void put(std::uint64_t key, const std::string& value)
    {
        const KeyPlace place { ring.idOf(Key(key)), Key(key) };
        store.put(place, value);
        if (giver->contains(place.id))
            model[key] = value;
        giver->changed(place);
    }
    void remove(std::uint64_t key)
    {
        const KeyPlace place { ring.idOf(Key(key)), Key(key) };
        store.remove(place);
        model.erase(key);
        giver->changed(place);
    }
    // The next block as sent.
    pb::Message sent()
    {
        pb::Message message = *out.sends().back().message;
        out.clear();
        return message;
    }
    RangeGiver::Step acknowledge(const pb::Message& message)
    {
        return giver->onAcknowledged(*context.acks.acknowledge(message.id(), 1ms), store, results, 1ms, out);
    }

    IdRing ring { 10 };
    NodeContext context { process(2, pb::NODE), addressOfProcess(1), AckList(pb::Timers()), 0 };
    WalkStore store { ring };
    ResultTable results;
    std::optional<RangeGiver> giver;
    RangeTaker taker;
    Effects out;
    std::map<std::uint64_t, std::string> model; // of the range
};

void TestWalkStore::blocksArriveWhateverChangesMeanwhile_data()
{
    QTest::addColumn<std::uint64_t>("seed");
    for (std::uint64_t seed = 0; seed < 30; ++seed)
        QTest::addRow("%d", int(seed)) << seed;
}

void TestWalkStore::blocksArriveWhateverChangesMeanwhile()
{
    QFETCH(const std::uint64_t, seed);
    SeededNumbers numbers(seed);
    // In every second run the range crosses the top of the ring.
    const std::uint64_t low = numbers.below(400), high = 600 + numbers.below(400);
    Handover h(seed % 2 == 0 ? low : high, seed % 2 == 0 ? high : low);
    for (std::uint64_t key = 0; key < 300; ++key)
        h.put(key, std::string(4'000, char('a' + key % 26)));
    h.giver->sendBlock(h.store, h.results, 1ms, h.out);
    int blocks = 0;
    for (bool isOver = false; !isOver; ++blocks) {
        const pb::Message message = h.sent();
        QVERIFY(h.taker.take(message.walk().keys()));
        for (int change = 0; change < 5 && !h.giver->holdsChanges(); ++change) {
            const std::uint64_t key = numbers.below(400);
            if (numbers.below(3) == 0)
                h.remove(key);
            else
                h.put(key, "changed " + std::to_string(numbers.next()));
        }
        QCOMPARE(h.taker.isComplete(), h.giver->holdsChanges());
        isOver = h.acknowledge(message) == RangeGiver::Step::Decided;
    }
    QVERIFY(blocks > 1 && h.giver->isDecided());
    WalkStore taken(h.ring);
    ResultTable results;
    QCOMPARE(h.taker.install(taken, results, 1ms), h.model.size());
    for (const auto& [key, value] : h.model)
        QVERIFY(taken.find({ h.ring.idOf(Key(key)), Key(key) })
            && *taken.find({ h.ring.idOf(Key(key)), Key(key) }) == value);
    QCOMPARE(h.acknowledge(h.sent()), RangeGiver::Step::Given); // Yours
}

void TestWalkStore::aBlockThatComesAgainOrTooEarlyChangesNothing()
{
    Handover h;
    pb::WalkKeys first, last;
    first.add_entries()->set_key(1);
    first.mutable_entries(0)->set_value("old");
    last.set_block(1);
    last.set_is_last(true);
    *last.add_entries() = first.entries(0);
    last.mutable_entries(0)->set_value("new");
    QVERIFY(!h.taker.take(last)); // not yet: it will be retransmitted
    QVERIFY(h.taker.take(first) && !h.taker.isComplete());
    QVERIFY(h.taker.take(last) && h.taker.isComplete());
    QVERIFY(h.taker.take(first) && h.taker.take(last)); // late copies: acknowledged, without effect
    QCOMPARE(h.taker.install(h.store, h.results, 0ms), std::size_t(1));
    QCOMPARE(*h.store.find({ RingId(0), Key(1) }), std::string("new"));
}

void TestWalkStore::resultsComeWithTheLastBlock()
{
    Handover h(900, 100);
    const auto keyIn = [&](bool isInside) {
        for (std::uint64_t key = 1;; ++key)
            if (h.giver->contains(h.ring.idOf(Key(key))) == isInside)
                return Key(key);
    };
    const Key moves = keyIn(true), stays = keyIn(false);
    h.results.forget(50, 4, 0ms);
    h.results.keep(50, { 5, moves, h.ring.idOf(moves).value, pb::NOT_FOUND }, 0ms);
    h.results.keep(50, { 6, stays, h.ring.idOf(stays).value, pb::OK }, 0ms);
    h.giver->sendBlock(h.store, h.results, 1ms, h.out);
    const pb::Message message = h.sent();
    QVERIFY(message.walk().keys().is_last()); // there are no keys
    QVERIFY(h.taker.take(message.walk().keys()));
    WalkStore store(h.ring);
    ResultTable results;
    h.taker.install(store, results, 0ms);
    pb::RequestId id;
    id.set_client(50);
    id.set_number(5);
    QVERIFY(results.find(id) && results.find(id)->result == pb::NOT_FOUND && results.find(id)->key == moves);
    id.set_number(6);
    QVERIFY(!results.find(id) && !results.isBygone(id));
    id.set_number(3);
    QVERIFY(results.isBygone(id));
}

QTEST_APPLESS_MAIN(TestWalkStore)
#include "tst_walk_store.moc"
