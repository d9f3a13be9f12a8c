// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that wait for an acknowledgement (demo paper 3, Acknowledgement Manager).
#include "node/machine/ack_list.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

const Address kTo { 7, 1, 2 };

pb::Message overload(std::uint32_t bucket)
{
    pb::Message message;
    message.mutable_overload()->set_bucket(bucket);
    return message;
}

// A list with its clock.
struct ListRig {
    explicit ListRig(const pb::Timers& timers = {}) : list(timers) { }

    std::uint64_t send(AckList::Patience patience, Way way = Way::Auto, AckList::Purpose purpose = 0)
    {
        out.clear();
        return list.send(overload(std::uint32_t(purpose)), kTo, NodeId(70), way, patience, purpose, now, out);
    }
    // Times of the retransmissions within this time, in ms after the start, polled every millisecond.
    std::vector<std::int64_t> resends(Time time)
    {
        std::vector<std::int64_t> at;
        for (const Time end = now + time; now < end;) {
            now += 1ms;
            out.clear();
            list.onTime(now, out, [this](const AckList::Entry& entry) { givenUp.push_back(entry); });
            for (std::size_t n = 0; n < out.sends().size(); ++n)
                at.push_back(now / 1ms);
            for (const pb::Event* event : out.events())
                events.push_back(*event);
        }
        return at;
    }

    AckList list;
    Effects out;
    Time now {};
    std::vector<AckList::Entry> givenUp;
    std::vector<pb::Event> events;
};

} // namespace

class TestAckList : public QObject {
    Q_OBJECT

private slots:
    void zeroStandsForTheDefault();
    void aScaleChangesDurationsOnly();
    void aMessageIsSentAgainWithDoublingIntervalsAndThenGivenUp();
    void aResendIsTheSameMessage();
    void anAcknowledgedMessageIsNotSentAgain();
    void anOrderThatMustArriveIsNeverGivenUp();
    void aStreamGetsMoreTime();
    void theIntervalFollowsTheRoundTrip();
    void toOneThatSleptTheRoundTripIsBounded();
    void aMessageThatWasSentTwiceTellsNothingAboutTheRoundTrip();
    void whoIsForgottenIsNotSentAgain();
    void theOperationOfTheStepGoesWithTheMessage();
    void whoHearsOfTheEndMaySendAnew();
    void theDeadlineIsThatOfTheNextResend();
    void aLongRecordBlockIsNeverCopied();
    void aBlockThatArrivedIsTakenOnceAndOnlyIfItIsTheOne();
};

void TestAckList::zeroStandsForTheDefault()
{
    pb::Timers given;
    given.set_resend_ms(7);
    const pb::Timers timers = withDefaults(given);
    QCOMPARE(timers.resend_ms(), 7u);
    QCOMPARE(timers.client_resends_max(), 2u);
    QCOMPARE(timers.resends_max(), 3u);
    QCOMPARE(timers.ack_period_ms(), 10u);
    QCOMPARE(timers.offer_ms(), 500u);
    QCOMPARE(timers.alive_ms(), 500u);
    QCOMPARE(timers.operation_ms(), 5000u);
    QCOMPARE(timers.staging_ms(), 10000u);
    QCOMPARE(timers.held_max(), 4096u);
}

void TestAckList::aScaleChangesDurationsOnly()
{
    const pb::Timers timers = scaled(pb::Timers(), 10);
    QCOMPARE(timers.resend_ms(), 300u);
    QCOMPARE(timers.operation_ms(), 50000u);
    QCOMPARE(timers.resends_max(), 3u);
    QCOMPARE(timers.held_max(), 4096u);
    QVERIFY(scaled(pb::Timers(), 0.001).ack_period_ms() >= 1);
}

void TestAckList::aMessageIsSentAgainWithDoublingIntervalsAndThenGivenUp()
{
    ListRig rig;
    const std::uint64_t id = rig.send(AckList::Patience::GiveUp, Way::Auto, 5);
    QCOMPARE(rig.out.sends().size(), std::size_t(1));
    QCOMPARE(rig.resends(449ms), (std::vector<std::int64_t> { 30, 90, 210 })); // three retransmissions,
    QVERIFY(rig.givenUp.empty());
    rig.resends(1ms);
    QCOMPARE(rig.givenUp.size(), std::size_t(1)); // and given up after 450 ms
    QCOMPARE(rig.givenUp[0].message.id(), id);
    QCOMPARE(rig.givenUp[0].purpose, AckList::Purpose(5));
    QCOMPARE(rig.events.size(), std::size_t(1));
    QCOMPARE(rig.events[0].message_given_up().kind(), "overload");
    QCOMPARE(rig.events[0].message_given_up().tries(), 3u);
    QCOMPARE(rig.events[0].message_given_up().to(), 70u);
    QCOMPARE(rig.list.size(), 0u);
    QVERIFY(rig.resends(5s).empty());
    QVERIFY(!rig.list.acknowledge(id, rig.now)); // too late
}

void TestAckList::aResendIsTheSameMessage()
{
    ListRig rig;
    const std::uint64_t id = rig.send(AckList::Patience::GiveUp, Way::Auto, 9);
    const std::uint64_t next = rig.send(AckList::Patience::GiveUp);
    QVERIFY(next != id && id != 0);
    rig.list.forget(next);
    for (std::uint32_t tries = 1; tries <= 3; ++tries) {
        rig.now += 300ms;
        rig.out.clear();
        rig.list.onTime(rig.now, rig.out, [](const AckList::Entry&) {});
        QCOMPARE(rig.out.sends().size(), std::size_t(1));
        const Effects::Send& send = rig.out.sends()[0];
        QCOMPARE(send.message->id(), id);
        QCOMPARE(send.message->overload().bucket(), 9u);
        QCOMPARE(send.to, kTo);
        QCOMPARE(send.node, NodeId(70));
        QCOMPARE(send.tries, tries);
    }
}

void TestAckList::anAcknowledgedMessageIsNotSentAgain()
{
    ListRig rig;
    const std::uint64_t id = rig.send(AckList::Patience::GiveUp, Way::Auto, 3);
    rig.send(AckList::Patience::GiveUp, Way::Auto, 4);
    QVERIFY(rig.list.isWaitingFor(id));
    const auto entry = rig.list.acknowledge(id, rig.now);
    QVERIFY(entry && entry->purpose == 3 && entry->message.overload().bucket() == 3);
    QVERIFY(!rig.list.acknowledge(id, rig.now)); // a second acknowledgement
    QVERIFY(!rig.list.acknowledge(12345, rig.now));
    QCOMPARE(rig.resends(100ms).size(), std::size_t(2)); // of the other message
}

void TestAckList::anOrderThatMustArriveIsNeverGivenUp()
{
    ListRig rig;
    rig.send(AckList::Patience::KeepTrying);
    const auto at = rig.resends(20s);
    QVERIFY(rig.givenUp.empty());
    QVERIFY(at.size() >= 19);
    for (std::size_t n = 1; n < at.size(); ++n)
        QVERIFY(at[n] - at[n - 1] <= 1000); // never less often than once a second
    QCOMPARE(at.back() - at[at.size() - 2], std::int64_t(1000));
}

void TestAckList::aStreamGetsMoreTime()
{
    pb::Timers timers;
    timers.set_stream_resend_ms(700);
    ListRig rig(timers);
    const std::uint64_t id = rig.send(AckList::Patience::KeepTrying, Way::Stream);
    QCOMPARE(rig.resends(800ms), (std::vector<std::int64_t> { 700 }));
    rig.list.acknowledge(id, rig.now);
    rig.now = 0ms;
    rig.send(AckList::Patience::GiveUp); // the size of a block says nothing about a datagram's round trip
    QCOMPARE(rig.resends(40ms), (std::vector<std::int64_t> { 30 }));
}

void TestAckList::theIntervalFollowsTheRoundTrip()
{
    ListRig rig;
    const std::uint64_t first = rig.send(AckList::Patience::GiveUp);
    rig.list.acknowledge(first, rig.now + 20ms);
    rig.send(AckList::Patience::GiveUp);
    QCOMPARE(rig.resends(100ms), (std::vector<std::int64_t> { 80 })); // 4 x 20 ms, which is more than 30
}

// After a pause it finds the answers to earlier messages. What it sends and loses then is retransmitted after one
// second; the length of the pause does not count.
void TestAckList::toOneThatSleptTheRoundTripIsBounded()
{
    ListRig rig;
    const std::uint64_t before = rig.send(AckList::Patience::KeepTrying);
    rig.now = 4s;
    rig.list.acknowledge(before, rig.now);
    rig.send(AckList::Patience::KeepTrying);
    QCOMPARE(rig.resends(3500ms), (std::vector<std::int64_t> { 5000, 6000, 7000 }));
}

void TestAckList::aMessageThatWasSentTwiceTellsNothingAboutTheRoundTrip()
{
    ListRig rig;
    const std::uint64_t first = rig.send(AckList::Patience::GiveUp);
    rig.resends(200ms);
    rig.list.acknowledge(first, rig.now); // unknown which copy this acknowledges
    const std::int64_t start = rig.now / 1ms;
    rig.send(AckList::Patience::GiveUp);
    QCOMPARE(rig.resends(40ms), (std::vector<std::int64_t> { start + 30 }));
}

void TestAckList::whoIsForgottenIsNotSentAgain()
{
    ListRig rig;
    for (AckList::Purpose purpose = 1; purpose <= 4; ++purpose)
        rig.send(AckList::Patience::GiveUp, Way::Auto, purpose);
    const auto isOdd = [](const AckList::Entry& entry) { return entry.purpose % 2 == 1; };
    QVERIFY(rig.list.any(isOdd));
    rig.list.forgetIf(isOdd);
    QVERIFY(!rig.list.any(isOdd));
    QCOMPARE(rig.list.size(), 2u);
    QCOMPARE(rig.resends(40ms).size(), std::size_t(2));
    rig.resends(1s);
    QCOMPARE(rig.givenUp.size(), std::size_t(2));
}

void TestAckList::theOperationOfTheStepGoesWithTheMessage()
{
    ListRig rig;
    pb::RequestId operation;
    operation.set_client(1000);
    operation.set_number(3);
    rig.out.serve(operation);
    rig.list.send(overload(1), kTo, NodeId(), Way::Auto, AckList::Patience::GiveUp, 0, rig.now, rig.out);
    QCOMPARE(rig.out.sends()[0].message->operation().number(), 3u);
    rig.out.clear();
    rig.out.begin(nullptr);
    rig.now = 50ms;
    rig.list.onTime(rig.now, rig.out, [](const AckList::Entry&) {});
    QCOMPARE(rig.out.sends()[0].message->operation().number(), 3u);
}

void TestAckList::whoHearsOfTheEndMaySendAnew()
{
    ListRig rig;
    rig.send(AckList::Patience::GiveUp);
    rig.send(AckList::Patience::GiveUp);
    int ended = 0;
    for (rig.now = 0ms; rig.now < 600ms; rig.now += 10ms) {
        rig.out.clear();
        rig.list.onTime(rig.now, rig.out, [&](const AckList::Entry&) {
            ++ended;
            rig.list.send(overload(8), kTo, NodeId(), Way::Auto, AckList::Patience::KeepTrying, 0, rig.now, rig.out);
        });
    }
    QCOMPARE(ended, 2);
    QCOMPARE(rig.list.size(), 2u);
}

void TestAckList::theDeadlineIsThatOfTheNextResend()
{
    ListRig rig;
    QCOMPARE(rig.list.deadline(), Time::max());
    rig.send(AckList::Patience::GiveUp);
    rig.now = 20ms;
    const std::uint64_t later = rig.send(AckList::Patience::GiveUp);
    // The list is scanned once per period of 10 ms.
    QVERIFY(rig.list.deadline() >= 30ms && rig.list.deadline() <= 40ms);
    rig.list.forget(1);
    QVERIFY(rig.list.deadline() >= 50ms && rig.list.deadline() <= 60ms);
    rig.list.forget(later);
    QCOMPARE(rig.list.deadline(), Time::max());
}

// A message that leaves, waits and leaves again is one block, in the memory where it was made.
void TestAckList::aLongRecordBlockIsNeverCopied()
{
    ListRig rig;
    pb::Message slice;
    slice.mutable_spare_slice()->set_number(3);
    std::string& records = *slice.mutable_spare_slice()->mutable_records();
    records.assign(100'000, 'r');
    const char* const memory = records.data();
    const std::uint64_t id = rig.list.send(
        std::move(slice), kTo, NodeId(70), Way::Stream, AckList::Patience::KeepTrying, 0, rig.now, rig.out);
    const auto isIt = [&](const Effects::Send& send) {
        return send.block && send.block->data() == memory && send.block->size() == 100'000
            && send.message->spare_slice().number() == 3 && send.message->spare_slice().records().empty();
    };
    QVERIFY(isIt(rig.out.sends().at(0)));
    rig.out.clear();
    rig.now += 1s;
    rig.list.onTime(rig.now, rig.out, [](const AckList::Entry&) {});
    QCOMPARE(rig.out.sends().size(), std::size_t(1));
    QVERIFY(isIt(rig.out.sends().at(0)));
    const Effects::Block sending = rig.out.sends().at(0).block; // by another thread, when the acknowledgement comes
    QVERIFY(rig.list.acknowledge(id, rig.now));
    QCOMPARE(*sending, std::string(100'000, 'r'));
    rig.out.joinBlocks(); // for a driver without a wire
    QCOMPARE(rig.out.sends().at(0).message->spare_slice().records(), *sending);
    // A short block is not moved.
    pb::Message brief;
    brief.mutable_spare_slice()->set_records("few");
    rig.out.clear();
    rig.list.send(brief, kTo, NodeId(70), Way::Stream, AckList::Patience::KeepTrying, 0, rig.now, rig.out);
    QVERIFY(!rig.out.sends().at(0).block);
    QCOMPARE(rig.out.sends().at(0).message->spare_slice().records(), std::string("few"));
}

void TestAckList::aBlockThatArrivedIsTakenOnceAndOnlyIfItIsTheOne()
{
    Effects out;
    std::string arrived(5'000, 'a'), other(5'000, 'o');
    const char* const memory = arrived.data();
    QCOMPARE(out.takeBlock(arrived), arrived); // not released by its owner: a copy
    out.setArrivedBlock(&arrived);
    QCOMPARE(out.takeBlock(other), other);
    QCOMPARE(other.size(), std::size_t(5'000));
    const std::string taken = out.takeBlock(arrived);
    QVERIFY(taken.data() == memory && arrived.empty());
    out.clear(); // the next step starts without one
    arrived = "next";
    QCOMPARE(out.takeBlock(arrived), std::string("next"));
    QCOMPARE(arrived, std::string("next"));
}

QTEST_APPLESS_MAIN(TestAckList)
#include "tst_ack_list.moc"
