// SPDX-License-Identifier: GPL-3.0-or-later
// The leases that fence reads: which members must grant, from when a grant counts, and that a failed set can never
// gather enough grants once the others have acknowledged its failure.
#include "node/lhrs/group/lease.h"

#include <QTest>

#include <bit>

using namespace lhrs;

namespace {

struct Shape {
    std::uint32_t data = 4, parity = 2;
    std::uint32_t failed = 0; // bits 0..: data positions, then parity columns
    std::uint64_t epoch = 1;
};

constexpr std::uint64_t kIncarnation = 100;

pb::View viewOf(const Shape& shape)
{
    pb::View view;
    view.set_epoch(shape.epoch);
    for (std::uint32_t bit = 0; bit < shape.data + shape.parity; ++bit) {
        auto* member = view.add_members();
        member->set_role(bit < shape.data ? pb::DATA : pb::PARITY);
        member->set_index(bit < shape.data ? bit : bit - shape.data);
        member->set_state(shape.failed >> bit & 1 ? pb::FAILED : pb::UP);
        member->mutable_holder()->set_node(bit + 1);
        member->mutable_holder()->set_incarnation(kIncarnation + bit);
    }
    return view;
}

MemberId idOf(const Shape& shape, std::uint32_t bit)
{
    return bit < shape.data ? MemberId { pb::DATA, bit } : MemberId { pb::PARITY, bit - shape.data };
}

} // namespace

class TestLease : public QObject {
    Q_OBJECT

private slots:
    void everyParityBucketThatIsUpMustGrant();
    void parityBucketsAreAskedFirst();
    void whoMayNotAnswerYetAsksSooner();
    void aGrantCountsFromTheSendingOfItsRequest();
    void forOneThatDoesNotAnswerAnotherIsAskedAndItIsSuspected();
    void whoIsNotAskedAnyMoreIsNotMissed();
    void aGrantOfAnotherIncarnationDoesNotCount();
    void aFailedMemberGetsNoGrant();
    void whatWasGrantedBeforeIsReported();
    void aMemberThatStopsAskingIsSuspectedAgainWhileItIsSilent();
    void aParityBucketThatAllMustAskMissesWhoeverDoesNot();
    void noFailedSetGathersEnoughGrants();
};

void TestLease::everyParityBucketThatIsUpMustGrant()
{
    QCOMPARE(grantsNeeded(viewOf({})), 2u);
    QCOMPARE(grantsNeeded(viewOf({ .failed = 0b000001 })), 2u); // a data bucket is replaced without asking this member
    QCOMPARE(grantsNeeded(viewOf({ .failed = 0b010000 })), 1u); // a parity bucket counts again only with it
    QCOMPARE(grantsNeeded(viewOf({ .failed = 0b110000 })), 0u);
    QCOMPARE(grantsNeeded(viewOf({ .parity = 0 })), 0u);
    pb::View view = viewOf({});
    view.mutable_members(5)->set_state(pb::INIT); // a parity bucket that is being filled does not count yet
    QCOMPARE(grantsNeeded(view), 1u);
}

void TestLease::parityBucketsAreAskedFirst()
{
    LeaseHolder holder;
    holder.setView(viewOf({}), { pb::DATA, 1 }, 1s);
    QCOMPARE(holder.needed(), 2u);
    const auto asked = holder.takeDue(1s);
    QCOMPARE(asked.size(), std::size_t(2));
    QVERIFY((asked[0].id == MemberId { pb::PARITY, 0 } && asked[1].id == MemberId { pb::PARITY, 1 }));
    QVERIFY(holder.takeDue(1s + 24ms).empty());
    for (std::uint32_t p = 0; p < 2; ++p)
        holder.onGrant({ pb::PARITY, p }, Incarnation(kIncarnation + 4 + p), 1s, 300ms);
    // One parity bucket has failed: one grant is enough.
    holder.setView(viewOf({ .failed = 0b010000 }), { pb::DATA, 1 }, 2s);
    const auto rest = holder.takeDue(2s);
    QCOMPARE(rest.size(), std::size_t(1));
    QVERIFY((rest[0].id == MemberId { pb::PARITY, 1 }));
    // No further failure can be survived: no grant is needed.
    holder.setView(viewOf({ .failed = 0b110000 }), { pb::DATA, 1 }, 3s);
    QVERIFY(holder.isHeld(3s) && holder.takeDue(3s).empty() && holder.deadline() == Time::max());
}

void TestLease::whoMayNotAnswerYetAsksSooner()
{
    LeaseHolder holder;
    holder.setView(viewOf({}), { pb::DATA, 1 }, 1s);
    QCOMPARE(holder.takeDue(1s).size(), std::size_t(2));
    QCOMPARE(holder.takeDue(1s + 25ms).size(), std::size_t(4)); // further members as well
    for (std::uint32_t p = 0; p < 2; ++p)
        holder.onGrant({ pb::PARITY, p }, Incarnation(kIncarnation + 4 + p), 1s + 25ms, 300ms);
    QVERIFY(!holder.takeDue(1s + 50ms).empty());
    QVERIFY(holder.takeDue(1s + 149ms).empty()); // enough time is left
    QVERIFY(!holder.takeDue(1s + 150ms).empty());
}

void TestLease::aGrantCountsFromTheSendingOfItsRequest()
{
    LeaseHolder holder;
    holder.setView(viewOf({ .parity = 1 }), { pb::DATA, 0 }, 1s);
    QVERIFY(!holder.isHeld(1s));
    holder.takeDue(1s);
    holder.onGrant({ pb::PARITY, 0 }, Incarnation(kIncarnation + 4), 1s, 300ms); // it arrived at 1.25 s, for instance
    QVERIFY(holder.isHeld(1s + 299ms));
    QVERIFY(!holder.isHeld(1s + 300ms));
    holder.onGrant({ pb::PARITY, 0 }, Incarnation(kIncarnation + 4), 900ms, 300ms); // an older grant changes nothing
    QVERIFY(holder.isHeld(1s + 299ms));
    holder.onGrant({ pb::PARITY, 0 }, Incarnation(kIncarnation + 4), 1s + 100ms, 10s); // longer than any grant may be
    QVERIFY(!holder.isHeld(1s + 400ms));
}

void TestLease::forOneThatDoesNotAnswerAnotherIsAskedAndItIsSuspected()
{
    LeaseHolder holder;
    holder.setView(viewOf({ .parity = 1 }), { pb::DATA, 0 }, 1s);
    QCOMPARE(holder.takeDue(1s).size(), std::size_t(1));
    QVERIFY(holder.takeSilent(1s + 149ms).empty());
    const auto asked = holder.takeDue(1s + 100ms);
    QCOMPARE(asked.size(), std::size_t(2)); // the silent one again, and a data bucket as well
    QVERIFY((asked[0].id == MemberId { pb::PARITY, 0 } && asked[1].id == MemberId { pb::DATA, 1 }));
    holder.onGrant({ pb::DATA, 1 }, Incarnation(kIncarnation + 1), 1s + 100ms, 300ms);
    QVERIFY(holder.isHeld(1s + 200ms));
    QVERIFY(holder.deadline() <= 1s + 150ms);
    const auto silent = holder.takeSilent(1s + 150ms);
    QCOMPARE(silent.size(), std::size_t(1));
    QVERIFY((silent[0].id == MemberId { pb::PARITY, 0 }));
    QVERIFY(holder.takeSilent(1s + 200ms).empty()); // once per silence
    holder.onGrant({ pb::PARITY, 0 }, Incarnation(kIncarnation + 4), 1s + 200ms, 300ms);
    holder.takeDue(1s + 300ms);
    QCOMPARE(holder.takeSilent(1s + 450ms).size(), std::size_t(1)); // and again if it had answered since
}

void TestLease::whoIsNotAskedAnyMoreIsNotMissed()
{
    // A parity bucket was late once, a data bucket was asked as well, and its answer was lost: that does not make the
    // data bucket silent.
    LeaseHolder holder;
    holder.setView(viewOf({ .parity = 1 }), { pb::DATA, 0 }, 1s);
    holder.takeDue(1s);
    QCOMPARE(holder.takeDue(1s + 100ms).size(), std::size_t(2));
    for (Time now = 1s + 110ms; now < 3s; now += 100ms) {
        holder.onGrant({ pb::PARITY, 0 }, Incarnation(kIncarnation + 4), now, 300ms);
        QVERIFY(holder.takeDue(now + 100ms).size() <= 1);
        QVERIFY(holder.takeSilent(now + 100ms).empty());
    }
}

void TestLease::aGrantOfAnotherIncarnationDoesNotCount()
{
    LeaseHolder holder;
    holder.setView(viewOf({ .parity = 1 }), { pb::DATA, 0 }, 1s);
    holder.onGrant({ pb::PARITY, 0 }, Incarnation(7), 1s, 300ms);
    holder.onGrant({ pb::PARITY, 3 }, Incarnation(kIncarnation + 4), 1s, 300ms);
    QVERIFY(!holder.isHeld(1s));
}

void TestLease::aFailedMemberGetsNoGrant()
{
    LeaseGranter granter;
    granter.setView(viewOf({ .failed = 0b000010 }), { pb::PARITY, 0 }, 1s);
    QVERIFY(granter.grant({ pb::DATA, 0 }, Incarnation(kIncarnation), 1s));
    QVERIFY(!granter.grant({ pb::DATA, 1 }, Incarnation(kIncarnation + 1), 1s)); // failed
    QVERIFY(!granter.grant({ pb::DATA, 0 }, Incarnation(kIncarnation + 9), 1s)); // not the incarnation in the view
    QVERIFY(!granter.grant({ pb::DATA, 9 }, Incarnation(kIncarnation), 1s)); // no such member
}

void TestLease::whatWasGrantedBeforeIsReported()
{
    LeaseGranter granter;
    granter.setView(viewOf({}), { pb::PARITY, 0 }, 1s);
    QVERIFY(granter.grant({ pb::DATA, 1 }, Incarnation(kIncarnation + 1), 2s));
    QCOMPARE(granter.leftToFailed(2s), Time());
    granter.setView(viewOf({ .failed = 0b000010, .epoch = 2 }), { pb::PARITY, 0 }, 2s + 100ms);
    // By our clock 200 ms are left; a slower clock may take an eighth of the whole length more.
    QCOMPARE(granter.leftToFailed(2s + 100ms), Time(237'500us));
    QCOMPARE(granter.leftToFailed(2s + 320ms), Time(17'500us));
    QCOMPARE(granter.leftToFailed(2s + 400ms), Time());
}

void TestLease::aMemberThatStopsAskingIsSuspectedAgainWhileItIsSilent()
{
    LeaseGranter granter;
    granter.setView(viewOf({}), { pb::DATA, 0 }, 1s);
    granter.grant({ pb::DATA, 1 }, Incarnation(kIncarnation + 1), 2s);
    QVERIFY(granter.takeSilent(5s).empty()); // data buckets suspect no silent member
    granter.setView(viewOf({ .data = 2 }), { pb::PARITY, 0 }, 5s);
    granter.grant({ pb::DATA, 0 }, Incarnation(kIncarnation), 5s + 1s);
    QCOMPARE(granter.deadline(), Time(5s + 150ms));
    QVERIFY(granter.takeSilent(5s + 149ms).empty());
    QCOMPARE(granter.takeSilent(5s + 150ms).size(), std::size_t(1));
    QVERIFY(granter.takeSilent(5s + 449ms).empty());
    QCOMPARE(granter.deadline(), Time(5s + 450ms)); // a probe may have found it alive, and it died later
    QCOMPARE(granter.takeSilent(5s + 450ms).size(), std::size_t(1));
    granter.grant({ pb::DATA, 1 }, Incarnation(kIncarnation + 1), 6s);
    QVERIFY(granter.takeSilent(6s + 149ms).empty());
}

// A member that dies before its first message in a new epoch is suspected too.
void TestLease::aParityBucketThatAllMustAskMissesWhoeverDoesNot()
{
    LeaseGranter granter;
    granter.setView(viewOf({}), { pb::PARITY, 1 }, 1s);
    QCOMPARE(granter.takeSilent(1s + 149ms).size(), std::size_t(0));
    QCOMPARE(granter.takeSilent(1s + 150ms).size(), std::size_t(4));
    granter.setView(viewOf({ .failed = 0b000001, .epoch = 2 }), { pb::PARITY, 1 }, 2s);
    QCOMPARE(granter.takeSilent(5s).size(), std::size_t(3));
}

// All members outside F have acknowledged that F failed. A member of F that still has its older view asks all members.
// Only members of F may grant: |F| - 1 besides itself, fewer than the parity buckets of that view. Data buckets that
// had failed earlier may be back by now, without an acknowledgement from F.
void TestLease::noFailedSetGathersEnoughGrants()
{
    std::uint32_t checked = 0;
    for (std::uint32_t k = 1; k <= 3; ++k) {
        const Shape shape { 4, k };
        for (std::uint32_t earlier = 0; earlier < 1u << (4 + k); ++earlier) {
            for (std::uint32_t failed = 1; failed < 1u << (4 + k); ++failed) {
                const std::uint32_t parityGone = earlier >> 4;
                const bool isTooMany = std::uint32_t(std::popcount(parityGone) + std::popcount(failed)) > k;
                if ((earlier & failed) != 0 || std::uint32_t(std::popcount(earlier)) > k || isTooMany)
                    continue;
                const pb::View old = viewOf({ 4, k, earlier, 1 });
                const pb::View newer = viewOf({ 4, k, earlier | failed, 2 });
                for (std::uint32_t asker = 0; asker < 4; ++asker) {
                    if (!(failed >> asker & 1))
                        continue;
                    LeaseHolder holder;
                    holder.setView(old, idOf(shape, asker), 1s);
                    for (std::uint32_t bit = 0; bit < 4 + k; ++bit) {
                        if (bit == asker || (earlier >> bit & 1))
                            continue;
                        LeaseGranter granter;
                        granter.setView(old, idOf(shape, bit), 1s);
                        if (!(failed >> bit & 1))
                            granter.setView(newer, idOf(shape, bit), 2s);
                        if (granter.grant(idOf(shape, asker), Incarnation(kIncarnation + asker), 2s))
                            holder.onGrant(idOf(shape, bit), Incarnation(kIncarnation + bit), 2s, 300ms);
                    }
                    QVERIFY(!holder.isHeld(2s));
                    ++checked;
                }
            }
        }
    }
    QVERIFY(checked > 300);
}

QTEST_APPLESS_MAIN(TestLease)
#include "tst_lease.moc"
