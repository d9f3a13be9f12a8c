// SPDX-License-Identifier: GPL-3.0-or-later
// The parity bucket machine alone: Deltas and epochs. Batches of splits are in tst_parity_batches.cpp, the filling of a
// new parity bucket in tst_parity_filling.cpp.
#include "tests/rigs/core/bucket_rigs.h"

#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::test;

namespace {

using Change = ParityRig::Change;

ParityRig::Options with(std::uint32_t column, pb::Field field)
{
    ParityRig::Options options;
    options.column = column;
    options.config.set_field(field);
    return options;
}

pb::RequestId requestId(std::uint64_t number)
{
    pb::RequestId id;
    id.set_client(NodeRig::kClient);
    id.set_number(number);
    return id;
}

} // namespace

class TestParityBucket : public QObject {
    Q_OBJECT

private slots:
    void aDeltaIsAppliedAndAcknowledged();
    void aDeltaThatComesTwiceChangesNothing();
    void aLaterDeltaIsHeldAndNotAcknowledged();
    void deltasThatCameTogetherAreAcknowledgedOnce();
    void deltasInEveryOrderGiveTheSameParity_data();
    void deltasInEveryOrderGiveTheSameParity();
    void aDeltaThatComesMinutesLateChangesNothing();
    void positionsHaveTheirOwnSequences();
    void aDeltaOfAnOldIncarnationIsRefused();
    void aDeltaOfAnOlderEpochIsRefusedAndToldTheNewer();
    void aDeltaOfAFutureEpochIsKeptUntilTheEpochArrives();
    void aLateEpochChangesNothingAndANewOneIsAcknowledgedEachTime();
    void ofABucketThatNobodyNamesAnyMoreItKeepsWhatItHas();
    void theMissingDeltaFindsRoomHoweverManyWait();
    void aDeltaForNoPositionIsDropped();
    void lengthsComeBackExactly_data();
    void lengthsComeBackExactly();
    void theParityRecordGoesWithItsLastMember();
    void randomChangesOfFourBucketsAgreeWithTheModel_data();
    void randomChangesOfFourBucketsAgreeWithTheModel();
    void aDeltaThatDoesNotFitEndsTheProcess();
    void resultsRideOnTheDeltas();
    void aChangeOfNothingIsAResultInItsTurn();
};

// ---- Deltas

void TestParityBucket::aDeltaIsAppliedAndAcknowledged()
{
    ParityRig rig;
    const Step step = rig.delta(rig.insert(2, 1, 70, "hello!"));
    QCOMPARE(step.count(Body::kDeltaAck), std::size_t(1));
    const Step::Sent ack = step.of(Body::kDeltaAck).front();
    QCOMPARE(ack.to, ParityRig::nodeOf(2));
    QCOMPARE(ack.message.delta_ack().applied(), 1u);
    QCOMPARE(ack.message.delta_ack().position(), 2u);
    QCOMPARE(ack.message.delta_ack().column(), 1u);
    QCOMPARE(ack.message.delta_ack().incarnation(), ParityRig::incarnationOf(2));
    QCOMPARE(rig.differenceToModel(), "");
    const pb::DeltaApplied event = step.of(Happened::kDeltaApplied).at(0).delta_applied();
    QCOMPARE(event.coefficient(), 0x2284u);
    QCOMPARE(event.members(), 1u);
    QCOMPARE(event.record_groups(), 1u);
}

void TestParityBucket::aDeltaThatComesTwiceChangesNothing()
{
    ParityRig rig;
    const Change first = rig.insert(1, 1, 70, "abcd");
    const Change second = rig.update(1, 1, "bcdefg");
    rig.delta(first);
    rig.delta(second);
    for (const Change& copy : { first, second, second, first }) {
        const Step step = rig.delta(copy);
        QCOMPARE(appliedSaid(step, 1), 2); // the first acknowledgement may have been lost
        QCOMPARE(step.count(Happened::kDeltaApplied), std::size_t(0));
        QCOMPARE(rig.differenceToModel(), "");
    }
}

void TestParityBucket::aLaterDeltaIsHeldAndNotAcknowledged()
{
    ParityRig rig;
    const Change first = rig.insert(0, 1, 70, "a");
    const Change second = rig.insert(0, 2, 71, "b");
    const Change third = rig.insert(0, 3, 72, "c");
    Step step = rig.delta(third);
    QCOMPARE(appliedSaid(step, 0), 0);
    QCOMPARE(step.count(Happened::kDeltaApplied), std::size_t(0));
    QCOMPARE(step.of(Happened::kDeltaHeld).at(0).delta_held().sequence(), 3u);
    QCOMPARE(step.of(Happened::kDeltaHeld).at(0).delta_held().missing(), 1u);
    QCOMPARE(rig.parity().held(), 1u);
    step = rig.delta(third);
    QCOMPARE(step.count(Happened::kDeltaHeld), std::size_t(0)); // no event for a second copy
    step = rig.delta(first);
    QCOMPARE(appliedSaid(step, 0), 1);
    step = rig.delta(second);
    QCOMPARE(appliedSaid(step, 0), 3);
    QCOMPARE(step.count(Happened::kDeltaApplied), std::size_t(2));
    QCOMPARE(rig.parity().held(), 0u);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::deltasThatCameTogetherAreAcknowledgedOnce()
{
    ParityRig rig;
    for (const Change& change : { rig.insert(0, 1, 70, "a"), rig.insert(2, 1, 80, "b"), rig.insert(0, 2, 71, "c") }) {
        const Step step = rig.delta(change, true);
        QCOMPARE(step.count(Body::kDeltaAck), std::size_t(0));
        QCOMPARE(step.count(Happened::kDeltaApplied), std::size_t(1)); // only the acknowledgement waits
    }
    const Step last = rig.delta(rig.insert(0, 3, 72, "d"));
    QCOMPARE(last.count(Body::kDeltaAck), std::size_t(2)); // one to each data bucket
    QCOMPARE(appliedSaid(last, 0), 3);
    QCOMPARE(appliedSaid(last, 2), 1);
    // No other acknowledgement is pending.
    QCOMPARE(rig.delta(rig.insert(2, 2, 81, "e")).count(Body::kDeltaAck), std::size_t(1));
    // The last message of a turn need not be a change.
    rig.delta(rig.insert(1, 1, 90, "f"), true);
    pb::Message other = rig.coordinator.message();
    other.mutable_probe();
    QCOMPARE(appliedSaid(rig.driven.message(other), 1), 1);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::deltasInEveryOrderGiveTheSameParity_data()
{
    QTest::addColumn<int>("field");
    QTest::newRow("GF(2^16)") << int(pb::GF_16);
    QTest::newRow("GF(2^8)") << int(pb::GF_8);
}

void TestParityBucket::deltasInEveryOrderGiveTheSameParity()
{
    QFETCH(int, field);
    // A rank is reused, a key comes back, with an update in between.
    std::vector<int> order { 0, 1, 2, 3, 4 };
    do {
        for (int copies = 1; copies <= 2; ++copies) {
            ParityRig rig(with(2, pb::Field(field)));
            const std::vector<Change> changes { rig.insert(3, 1, 70, "one"), rig.update(3, 1, "two, longer"),
                rig.erase(3, 1), rig.insert(3, 1, 80, "three"), rig.insert(3, 2, 70, "four") };
            std::set<int> seen;
            for (const int at : order) {
                seen.insert(at);
                std::int64_t contiguous = 0;
                while (seen.contains(int(contiguous)))
                    ++contiguous;
                for (int copy = 0; copy < copies; ++copy)
                    QCOMPARE(appliedSaid(rig.delta(changes[std::size_t(at)]), 3), contiguous);
            }
            QCOMPARE(rig.differenceToModel(), "");
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

void TestParityBucket::aDeltaThatComesMinutesLateChangesNothing()
{
    // H1: its rank is reused by another key, its key lives elsewhere, and no process remembers the change.
    ParityRig rig;
    const Change late = rig.insert(0, 1, 70, "seventy");
    const Change lateErase = rig.erase(0, 1);
    rig.delta(late);
    rig.delta(lateErase);
    rig.delta(rig.insert(0, 1, 71, "seventy-one"));
    rig.delta(rig.insert(1, 1, 70, "moved"));
    rig.driven.pass(180s);
    for (const Change& copy : { late, lateErase, late }) {
        const Step step = rig.delta(copy);
        QCOMPARE(appliedSaid(step, 0), 3);
        QCOMPARE(step.count(Happened::kDeltaApplied), std::size_t(0));
    }
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::positionsHaveTheirOwnSequences()
{
    ParityRig rig;
    for (std::uint32_t q = 0; q < 4; ++q)
        QCOMPARE(appliedSaid(rig.delta(rig.insert(q, 1, 70 + q, "v" + std::to_string(q))), q), 1);
    const Change missing = rig.insert(1, 2, 80, "x");
    rig.delta(rig.insert(1, 3, 81, "y"));
    QCOMPARE(appliedSaid(rig.delta(rig.insert(2, 2, 82, "z")), 2), 2); // a gap holds up only its own position
    rig.delta(missing);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::aDeltaOfAnOldIncarnationIsRefused()
{
    ParityRig rig;
    Change change = rig.insert(0, 1, 70, "a");
    change.incarnation = 199;
    const Step step = rig.delta(change);
    QCOMPARE(step.count(Body::kDeltaAck), std::size_t(0));
    const auto naks = step.of(Body::kDeltaNak, ParityRig::nodeOf(0));
    QCOMPARE(naks.size(), std::size_t(1));
    QCOMPARE(naks[0].message.delta_nak().epoch(), 1u);
    QCOMPARE(naks[0].message.delta_nak().applied(), 0u);
    QCOMPARE(rig.parity().store().recordGroups(), 0u);
}

void TestParityBucket::aDeltaOfAnOlderEpochIsRefusedAndToldTheNewer()
{
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 70, "a"));
    rig.epoch(rig.view(4));
    Change change = rig.insert(0, 2, 71, "b");
    change.epoch = 3;
    const Step step = rig.delta(change);
    QCOMPARE(step.of(Body::kDeltaNak).at(0).message.delta_nak().epoch(), 4u);
    QCOMPARE(step.of(Body::kDeltaNak).at(0).message.delta_nak().applied(), 1u);
    QCOMPARE(rig.parity().applied(Position(0)), Sequence(1));
    change.epoch = 4;
    QCOMPARE(appliedSaid(rig.delta(change), 0), 2);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::aDeltaOfAFutureEpochIsKeptUntilTheEpochArrives()
{
    ParityRig rig;
    std::vector<Change> changes { rig.insert(0, 1, 70, "a"), rig.insert(0, 2, 71, "b") };
    for (Change& change : changes)
        change.epoch = 2;
    for (const Change& change : changes) {
        const Step step = rig.delta(change);
        QCOMPARE(step.count(Body::kDeltaAck) + step.count(Body::kDeltaNak), std::size_t(0));
    }
    QCOMPARE(rig.parity().store().recordGroups(), 0u);
    const Step step = rig.epoch(rig.view(2));
    QCOMPARE(step.count(Body::kEpochAck), std::size_t(1));
    QCOMPARE(appliedSaid(step, 0), 2);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::aLateEpochChangesNothingAndANewOneIsAcknowledgedEachTime()
{
    ParityRig rig;
    pb::Message message = rig.coordinator.message();
    *message.mutable_epoch()->mutable_view() = rig.view(3);
    for (int copy = 0; copy < 2; ++copy) {
        const Step step = rig.driven.message(message);
        QVERIFY(step.acknowledges(message));
        QCOMPARE(step.of(Body::kEpochAck).at(0).message.epoch_ack().epoch(), 3u);
        QCOMPARE(step.of(Body::kEpochAck).at(0).message.epoch_ack().role(), pb::PARITY);
    }
    rig.epoch(rig.view(2));
    QCOMPARE(rig.parity().view().epoch(), 3u);
}

void TestParityBucket::ofABucketThatNobodyNamesAnyMoreItKeepsWhatItHas()
{
    // A new coordinator that heard no bucket here declares it lost; a later coordinator may know better.
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 70, "a"));
    pb::View view = rig.view(2);
    for (pb::Member& member : *view.mutable_members()) {
        if (member.role() == pb::DATA && member.index() == 0) {
            member.set_state(pb::MEMBER_LOST);
            member.clear_holder();
        }
    }
    rig.epoch(view);
    QCOMPARE(rig.parity().view().epoch(), 2u);
    QCOMPARE(rig.differenceToModel(), "");
    Change change = rig.insert(0, 2, 71, "b");
    change.epoch = 2;
    QCOMPARE(rig.delta(change).count(Body::kDeltaNak), std::size_t(1));
    // When a view names it again, it continues where it was.
    rig.epoch(rig.view(3));
    change.epoch = 3;
    QCOMPARE(appliedSaid(rig.delta(change), 0), 2);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::theMissingDeltaFindsRoomHoweverManyWait()
{
    ParityRig::Options options;
    options.timers.set_held_max(4);
    ParityRig rig(options);
    std::vector<Change> changes;
    for (std::uint32_t r = 1; r <= 8; ++r)
        changes.push_back(rig.insert(0, r, 70 + r, "v"));
    for (std::size_t at = 1; at < changes.size(); ++at)
        rig.delta(changes[at]);
    QVERIFY(rig.parity().held() <= 5);
    rig.delta(changes[0]);
    for (int round = 0; round < 2; ++round)
        for (const Change& change : changes)
            rig.delta(change); // unacknowledged changes are retransmitted
    QCOMPARE(rig.parity().applied(Position(0)), Sequence(8));
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::aDeltaForNoPositionIsDropped()
{
    ParityRig::Options options;
    options.data = { 0, 1 };
    ParityRig rig(options);
    Change beyond { .q = 9, .key = 1, .delta = "x", .length = 1, .incarnation = 5 };
    QCOMPARE(rig.delta(beyond).sent.size(), std::size_t(0));
    Change noBucketYet { .q = 2, .key = 1, .delta = "x", .length = 1, .incarnation = 5 };
    QCOMPARE(rig.delta(noBucketYet).count(Body::kDeltaNak), std::size_t(1));
    QCOMPARE(rig.parity().store().recordGroups(), 0u);
}

void TestParityBucket::lengthsComeBackExactly_data()
{
    QTest::addColumn<int>("field");
    QTest::addColumn<quint32>("column");
    for (const pb::Field field : { pb::GF_16, pb::GF_8 })
        for (quint32 column = 0; column < 3; ++column)
            QTest::addRow("%s, parity bucket %u", field == pb::GF_16 ? "GF(2^16)" : "GF(2^8)", column)
                << int(field) << column;
}

void TestParityBucket::lengthsComeBackExactly()
{
    // H15: empty, one byte, odd, the longest; grown, shrunk, and then the longest member is deleted.
    QFETCH(int, field);
    QFETCH(quint32, column);
    ParityRig rig(with(column, pb::Field(field)));
    const std::vector<std::uint32_t> lengths { 0, 1, 2, 3, 99, 100, 101, 65534, 65535 };
    SeededNumbers numbers(column);
    for (std::uint32_t r = 1; r <= lengths.size(); ++r) {
        for (std::uint32_t q = 0; q < 4; ++q) {
            const std::uint32_t length = lengths[(r + q * 2) % lengths.size()];
            rig.delta(rig.insert(q, r, r * 10 + q, makeValue(q, Key(r), 1, length)));
        }
    }
    QCOMPARE(rig.differenceToModel(), "");
    for (std::uint32_t r = 1; r <= lengths.size(); ++r) {
        for (std::uint32_t q = 0; q < 4; ++q)
            rig.delta(rig.update(q, r, makeValue(q, Key(r), 2, lengths[numbers.below(lengths.size())])));
    }
    QCOMPARE(rig.differenceToModel(), "");
    for (std::uint32_t r = 1; r <= lengths.size(); ++r) {
        std::uint32_t longest = 0;
        for (std::uint32_t q = 1; q < 4; ++q) {
            if (rig.model.positions[q][r].value.size() > rig.model.positions[longest][r].value.size())
                longest = q;
        }
        rig.delta(rig.erase(longest, r));
    }
    QCOMPARE(rig.differenceToModel(), "");
    for (std::uint32_t r = 1; r <= lengths.size(); ++r) {
        for (std::uint32_t q = 0; q < 4; ++q) {
            if (rig.model.positions[q].contains(r))
                rig.delta(rig.erase(q, r)); // the last one ends the process if B is not all zero
        }
    }
    QCOMPARE(rig.parity().store().recordGroups(), 0u);
}

void TestParityBucket::theParityRecordGoesWithItsLastMember()
{
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 70, "a"));
    rig.delta(rig.insert(1, 1, 71, "bbb"));
    QCOMPARE(rig.parity().store().memberCount(Rank(1)), 2u);
    rig.delta(rig.erase(1, 1));
    QVERIFY(rig.parity().store().has(Rank(1)));
    rig.delta(rig.erase(0, 1));
    QVERIFY(!rig.parity().store().has(Rank(1)));
    rig.delta(rig.insert(1, 1, 70, "again"));
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::randomChangesOfFourBucketsAgreeWithTheModel_data() { lengthsComeBackExactly_data(); }

void TestParityBucket::randomChangesOfFourBucketsAgreeWithTheModel()
{
    QFETCH(int, field);
    QFETCH(quint32, column);
    ParityRig rig(with(column, pb::Field(field)));
    SeededNumbers numbers(column + 100);
    std::uint64_t nextKey = 1;
    std::vector<Change> window; // on their way
    for (int step = 0; step < 1500; ++step) {
        const auto q = std::uint32_t(numbers.below(4));
        const auto rank = std::uint32_t(1 + numbers.below(12));
        auto& records = rig.model.positions[q];
        const std::string value = makeValue(1, Key(numbers.next()), 1, std::uint32_t(numbers.below(40)));
        if (!records.contains(rank))
            window.push_back(rig.insert(q, rank, nextKey++, value));
        else
            window.push_back(numbers.below(2) == 0 ? rig.update(q, rank, value) : rig.erase(q, rank));
        while (window.size() > 12) { // out of order, some twice; lost ones are retransmitted
            const std::size_t at = numbers.below(window.size());
            rig.delta(window[at]);
            if (numbers.below(4) != 0)
                window.erase(window.begin() + std::ptrdiff_t(at));
        }
    }
    while (!window.empty()) {
        rig.delta(window.back());
        window.pop_back();
    }
    QCOMPARE(rig.parity().held(), 0u);
    for (std::uint32_t q = 0; q < 4; ++q)
        QCOMPARE(rig.parity().applied(Position(q)), rig.sequences[q]);
    QCOMPARE(rig.differenceToModel(), "");
}

void TestParityBucket::aDeltaThatDoesNotFitEndsTheProcess()
{
    const auto endsWith = [](const Change& wrong) {
        ParityRig rig;
        rig.delta(rig.insert(0, 1, 70, "seventy"));
        return checkFails([&] { rig.delta(wrong); });
    };
    QVERIFY(endsWith(
        { .sequence = 2, .kind = pb::CHANGE_INSERT, .rank = 1, .key = 71, .delta = "x", .length = 1 })); // over a
                                                                                                         // member
    QVERIFY(endsWith(
        { .sequence = 2, .kind = pb::CHANGE_UPDATE, .rank = 1, .key = 71, .delta = "x", .length = 1 })); // another key
    QVERIFY(endsWith({ .sequence = 2, .kind = pb::CHANGE_DELETE, .rank = 9, .key = 70, .delta = "x" })); // another rank
    QVERIFY(endsWith(
        { .sequence = 2, .kind = pb::CHANGE_DELETE, .rank = 1, .key = 70, .delta = "seventi" })); // then B is not zero
    QVERIFY(!endsWith({ .sequence = 2, .kind = pb::CHANGE_DELETE, .rank = 1, .key = 70, .delta = "seventy" }));
}

void TestParityBucket::resultsRideOnTheDeltas()
{
    ParityRig rig;
    for (std::uint32_t r = 1; r <= 3; ++r)
        rig.delta(rig.insert(0, r, 70 + r, "v"));
    const ResultTable& results = rig.parity().results(Position(0));
    QCOMPARE(results.size(), std::size_t(3));
    QCOMPARE(results.find(requestId(2))->key, Key(72));
    QCOMPARE(results.find(requestId(2))->result, pb::OK);
    Change next = rig.insert(0, 4, 74, "v");
    next.doneBelow = 3;
    rig.delta(next);
    QCOMPARE(results.size(), std::size_t(2));
    QVERIFY(results.isBygone(requestId(2)));
    QVERIFY(!rig.parity().results(Position(1)).find(requestId(3))); // each position has its own
}

void TestParityBucket::aChangeOfNothingIsAResultInItsTurn()
{
    ParityRig rig;
    rig.delta(rig.insert(0, 1, 71, "v"));
    const auto nothing = [&](Sequence sequence, pb::ResultCode result) {
        pb::Message message = rig.deltaMessage(
            { .sequence = sequence, .kind = pb::CHANGE_NOTHING, .rank = 0, .key = 71 });
        message.mutable_delta()->set_result(result);
        return rig.driven.message(message);
    };
    QCOMPARE(nothing(3, pb::NOT_FOUND).count(Happened::kResultKept), std::size_t(0)); // held like any other
    const Step step = nothing(2, pb::EXISTS);
    QCOMPARE(step.count(Happened::kResultKept), std::size_t(2));
    QCOMPARE(step.count(Happened::kDeltaApplied), std::size_t(0));
    QCOMPARE(rig.parity().applied(Position(0)), Sequence(3));
    QCOMPARE(rig.parity().results(Position(0)).find(requestId(2))->result, pb::EXISTS);
    QCOMPARE(rig.parity().results(Position(0)).find(requestId(3))->result, pb::NOT_FOUND);
    QCOMPARE(rig.differenceToModel(), std::string());
}

QTEST_APPLESS_MAIN(TestParityBucket)
#include "tst_parity_bucket.moc"
