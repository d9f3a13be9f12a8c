// SPDX-License-Identifier: GPL-3.0-or-later
// The client machine alone: one operation and all that may happen to it. Workloads are in tst_workload.cpp.
#include "tests/rigs/core/client_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestClient : public QObject {
    Q_OBJECT

private slots:
    void itRegistersUntilItIsAnswered();
    void whatIsAskedTooEarlyWaitsForTheRegistration();
    void aNewClientKnowsOnlyBucketZero();
    void whereABucketIsIsAskedOnceForAll();
    void aRequestSaysWhatItIsAbout();
    void theImageIsAdjustedByTheLastForwarder();
    void anAdjustmentIsToldAtEachLevel();
    void aFrozenImageCountsAdjustmentsAndTakesNone();
    void anExactImageAsksTheCoordinatorFirst();
    void aLostQuestionIsAskedAgain_data();
    void aLostQuestionIsAskedAgain();
    void anImageAheadOfTheFileIsPutRight();
    void anImageMayBeForgotten();

    void aRequestIsSentAgainAndThenTheCoordinatorAlarmed();
    void afterAnAlarmTheSameRequestGoesToTheTrueLocation();
    void othersOnTheirWayToAGivenUpBucketSurvive();
    void aDisplacedRequestGoesElsewhere();
    void aLateDisplacedDoesNotForgetTheNewerLocation();
    void aReplyTeachesTheLocation();
    void aRefusedRequestIsRepeatedAfterTheHint();

    void atTheDeadlineASearchMayBeRepeated();
    void aShortDeadlineDoesNotHideThatNobodyIsThere();
    void atTheDeadlineAChangeWithoutAnAnswerIsOfUnknownOutcome();
    void atTheDeadlineAChangeThatWasAlwaysRefusedIsNotCarriedOut();
    void aRefusalThatComesTwiceRefusesOneCopy();
    void aRefusalThatComesLateRefusesNoLaterCopy();
    void anAnswerThatComesTwiceOrLateIsIgnored();

    void doneBelowIsTheLowestNumberStillWanted();
    void operationsOnOneKeyAreDoneInTurn();
    void theResendIntervalFollowsTheRoundTrip();
    void badInputIsRefusedBeforeSending();
    void commandsForOthersAreRefused();
};

// ---- registration, image, location

void TestClient::itRegistersUntilItIsAnswered()
{
    ClientRig rig(false);
    const Step step = rig.driven.pass(2s);
    QVERIFY(step.count(Body::kRegister, ClientRig::kCoordinator) >= 3);
    QCOMPARE(step.of(Body::kRegister)[0].message.register_().process().node(), ClientRig::kSelf);
    QVERIFY(!rig.client.isRegistered());
    rig.registered(step.of(Body::kRegister)[0].message);
    QVERIFY(rig.client.isRegistered());
    const Step later = rig.driven.pass(5s);
    QCOMPARE(later.count(Body::kRegister), std::size_t(0));
    QVERIFY(later.count(Body::kAlive, ClientRig::kCoordinator) >= 9); // every 500 ms
}

void TestClient::whatIsAskedTooEarlyWaitsForTheRegistration()
{
    ClientRig rig(false);
    QCOMPARE(requestsOf(rig.operate(pb::SEARCH, 5)).size(), std::size_t(0));
    const Step waiting = rig.driven.pass(100ms);
    QCOMPARE(waiting.count(Body::kWhereIs), std::size_t(0)); // the client does not know yet how keys are addressed
    const Step step = rig.registered(waiting.of(Body::kRegister).at(0).message);
    QCOMPARE(step.count(Body::kWhereIs), std::size_t(1));
    QCOMPARE(requestsOf(rig.location(0)).size(), std::size_t(1));
}

void TestClient::aNewClientKnowsOnlyBucketZero()
{
    ClientRig rig;
    QCOMPARE(rig.client.image(), (FileImage { 0, 0 }));
    Step step = rig.operate(pb::SEARCH, 12345);
    QCOMPARE(requestsOf(step).size(), std::size_t(0));
    QCOMPARE(step.of(Body::kWhereIs, ClientRig::kCoordinator).at(0).message.where_is().bucket(), 0u);
    step = rig.location(0, { 3, 2 });
    QCOMPARE(step.count(Body::kSearch, ClientRig::kData), std::size_t(1));
    QCOMPARE(rig.client.image(), (FileImage { 0, 0 })); // it learns from its addressing errors
    QCOMPARE(step.of(Happened::kOperationStarted).at(0).operation_started().bucket(), 0u);
    step = rig.reply(requestsOf(step)[0], pb::NOT_FOUND);
    QCOMPARE(resultOf(step).result(), pb::NOT_FOUND);
    QCOMPARE(resultOf(step).path(), pb::BY_COORDINATOR);
    step = rig.reply(requestsOf(rig.operate(pb::SEARCH, 7))[0], pb::NOT_FOUND);
    QCOMPARE(resultOf(step).path(), pb::DIRECT); // sent once
}

void TestClient::whereABucketIsIsAskedOnceForAll()
{
    ClientRig rig;
    QCOMPARE(rig.operate(pb::SEARCH, 1).count(Body::kWhereIs), std::size_t(1));
    QCOMPARE(rig.operate(pb::SEARCH, 2).count(Body::kWhereIs), std::size_t(0));
    QCOMPARE(rig.operate(pb::SEARCH, 3).count(Body::kWhereIs), std::size_t(0));
    QCOMPARE(requestsOf(rig.location(0)).size(), std::size_t(3));
}

void TestClient::aRequestSaysWhatItIsAbout()
{
    ClientRig rig;
    rig.knows(1);
    const auto requests = requestsOf(rig.operate(pb::UPDATE, ~0ULL, "value"));
    QVERIFY(requests[0].has_update());
    const pb::KeyRequest request = requests[0].update();
    QCOMPARE(request.key(), ~0ULL);
    QCOMPARE(request.value(), "value");
    QCOMPARE(request.request().client(), ClientRig::kSelf);
    QCOMPARE(request.request().number(), 1u);
    QCOMPARE(request.target(), 0u);
    QCOMPARE(request.incarnation(), 200u);
    QCOMPARE(request.client().ip(), std::uint32_t(ClientRig::kSelf));
    QCOMPARE(request.forwards(), 0u);
}

void TestClient::theImageIsAdjustedByTheLastForwarder()
{
    ClientRig rig;
    rig.knows(4);
    const auto iam = [](std::uint32_t bucket, Level level, std::uint32_t accepted) {
        return [=](pb::Reply& reply) {
            reply.set_forwards(1);
            reply.set_image_adjustment(true);
            reply.set_iam_bucket(bucket);
            reply.set_iam_level(level);
            reply.set_bucket(accepted);
            holderOf(10 + accepted, 200 + accepted).to(*reply.mutable_holder());
        };
    };
    // (a, j) = (0, 2) gives i' = 1, n' = 1.
    Step step = rig.reply(requestsOf(rig.operate(pb::SEARCH, 6))[0], pb::OK, iam(0, 2, 2));
    QCOMPARE(rig.client.image(), (FileImage { 1, 1 }));
    const pb::ImageAdjusted event = step.of(Happened::kImageAdjusted).at(0).image_adjusted();
    QCOMPARE(event.before().i(), 0u);
    QCOMPARE(event.after().n(), 1u);
    QVERIFY(resultOf(step).image_adjusted());
    QCOMPARE(resultOf(step).forwards(), 1u);
    QCOMPARE(resultOf(step).path(), pb::FORWARDED);
    QCOMPARE(requestsOf(rig.operate(pb::SEARCH, 6))[0].search().target(), 2u); // the same error is not made twice
    step = rig.reply(requestsOf(rig.operate(pb::SEARCH, 3))[0], pb::OK, iam(1, 2, 3));
    QCOMPARE(rig.client.image(), (FileImage { 2, 0 })); // n' = 2 = 2^i' starts a new round
    step = rig.reply(requestsOf(rig.operate(pb::SEARCH, 4))[0], pb::OK, iam(0, 1, 0));
    QCOMPARE(rig.client.image(), (FileImage { 2, 0 })); // nothing new
    QCOMPARE(step.count(Happened::kImageAdjusted), std::size_t(1));
}

void TestClient::anAdjustmentIsToldAtEachLevel()
{
    ClientRig rig;
    rig.knows(4);
    rig.driven.setDetail(pb::COUNTS);
    const auto search = [&rig](std::uint64_t key) {
        return rig.reply(requestsOf(rig.operate(pb::SEARCH, key))[0], pb::OK, [](pb::Reply& reply) {
            reply.set_image_adjustment(true);
            reply.set_iam_level(2);
            holderOf(12, 202).to(*reply.mutable_holder());
        });
    };
    QCOMPARE(search(6).of(Happened::kImageAdjusted).at(0).image_adjusted().after().n(), 1u);
    QCOMPARE(search(6).count(Happened::kImageAdjusted), std::size_t(0)); // no change, no event
}

void TestClient::aFrozenImageCountsAdjustmentsAndTakesNone()
{
    ClientRig rig;
    rig.knows(2);
    QCOMPARE(rig.setImage(pb::FROZEN).replies.at(0).client().mode(), pb::FROZEN);
    for (int round = 1; round <= 3; ++round) {
        rig.reply(requestsOf(rig.operate(pb::SEARCH, 1))[0], pb::NOT_FOUND, [](pb::Reply& reply) {
            reply.set_forwards(1);
            reply.set_image_adjustment(true);
            reply.set_iam_level(1);
        });
        QCOMPARE(rig.client.image(), (FileImage { 0, 0 }));
        pb::Command ask;
        ask.mutable_describe_client();
        const pb::ClientDescription client = rig.command(ask).replies.at(0).client();
        QCOMPARE(client.image_adjustments(), std::uint64_t(round));
        QCOMPARE(client.forwards(), std::uint64_t(round));
        QCOMPARE(client.operations(), std::uint64_t(round));
    }
}

void TestClient::anExactImageAsksTheCoordinatorFirst()
{
    ClientRig rig;
    rig.knows(4);
    rig.setImage(pb::EXACT);
    Step step = rig.operate(pb::SEARCH, 3);
    QCOMPARE(requestsOf(step).size(), std::size_t(0));
    QCOMPARE(step.count(Body::kWhereIs), std::size_t(1));
    step = rig.location(0, { 2, 0 });
    QVERIFY(step.of(Happened::kImageAdjusted).at(0).image_adjusted().by_coordinator()); // watchers are told as well
    QCOMPARE(requestsOf(step).at(0).search().target(), 3u);
    QCOMPARE(rig.client.image(), (FileImage { 2, 0 }));
    rig.reply(requestsOf(step)[0], pb::NOT_FOUND);
    step = rig.operate(pb::SEARCH, 3);
    QCOMPARE(requestsOf(step).size(), std::size_t(0)); // asked before each operation
    step = rig.location(3, { 2, 1 });
    QCOMPARE(requestsOf(step).size(), std::size_t(1));
}

void TestClient::aLostQuestionIsAskedAgain_data()
{
    QTest::addColumn<int>("mode");
    QTest::newRow("adjusting") << int(pb::ADJUSTING);
    QTest::newRow("exact") << int(pb::EXACT);
}

void TestClient::aLostQuestionIsAskedAgain()
{
    QFETCH(int, mode);
    ClientRig rig;
    rig.setImage(pb::ImageMode(mode));
    rig.operate(pb::SEARCH, 3);
    const Step step = rig.driven.pass(300ms);
    QVERIFY(step.count(Body::kWhereIs) >= 3);
    QCOMPARE(requestsOf(rig.location(0)).size(), std::size_t(1));
    QCOMPARE(rig.driven.pass(25ms).count(Body::kWhereIs), std::size_t(0));
}

void TestClient::anImageAheadOfTheFileIsPutRight()
{
    ClientRig rig;
    rig.knows(1);
    rig.reply(requestsOf(rig.operate(pb::SEARCH, 0))[0], pb::NOT_FOUND, [](pb::Reply& reply) {
        reply.set_forwards(1);
        reply.set_image_adjustment(true);
        reply.set_iam_bucket(3);
        reply.set_iam_level(3);
    });
    QCOMPARE(rig.client.image(), (FileImage { 3, 0 }));
    QCOMPARE(rig.operate(pb::SEARCH, 6).of(Body::kWhereIs).at(0).message.where_is().bucket(), 6u);
    // There is no such bucket. The answer has (i,n), which the client adopts unconditionally.
    const Step step = rig.location(6, { 0, 0 }, 0, 0, false);
    QCOMPARE(rig.client.image(), (FileImage { 0, 0 }));
    QCOMPARE(requestsOf(step).at(0).search().target(), 0u);
}

void TestClient::anImageMayBeForgotten()
{
    ClientRig rig;
    rig.knows(2);
    rig.reply(requestsOf(rig.operate(pb::SEARCH, 1))[0], pb::NOT_FOUND, [](pb::Reply& reply) {
        reply.set_image_adjustment(true);
        reply.set_iam_level(1);
    });
    QCOMPARE(rig.client.image(), (FileImage { 1, 0 }));
    const auto request = requestsOf(rig.operate(pb::SEARCH, 3)).at(0); // under way meanwhile
    rig.setImage(pb::ADJUSTING, true);
    QCOMPARE(rig.client.image(), (FileImage { 0, 0 }));
    QCOMPARE(rig.operate(pb::SEARCH, 5).count(Body::kWhereIs), std::size_t(1));
    rig.driven.pass(300ms);
    QCOMPARE(resultOf(rig.reply(request, pb::NOT_FOUND)).result(), pb::NOT_FOUND);
}

// ---- what may happen on the way

void TestClient::aRequestIsSentAgainAndThenTheCoordinatorAlarmed()
{
    ClientRig rig;
    rig.knows(1);
    const pb::Message first = requestsOf(rig.operate(pb::INSERT, 5, "v")).at(0);
    std::vector<std::int64_t> at;
    const Time start = rig.driven.now();
    Step alarm;
    while (alarm.count(Body::kAlarm) == 0 && rig.driven.now() < start + 1s) {
        const Step step = rig.driven.pass(1ms);
        for (const Step::Sent& sent : step.of(Body::kInsert)) {
            at.push_back((rig.driven.now() - start) / 1ms);
            QCOMPARE(sent.tries, std::uint32_t(at.size()));
            QCOMPARE(sent.message.insert().request().number(), first.insert().request().number());
        }
        alarm = step;
    }
    // Two retransmissions, given up after 210 ms; checked every 10 ms.
    QCOMPARE(at.size(), std::size_t(2));
    QVERIFY(at[0] >= 30 && at[0] <= 40 && at[1] >= 90 && at[1] <= 110);
    const auto gaveUp = (rig.driven.now() - start) / 1ms;
    QVERIFY(gaveUp >= 210 && gaveUp <= 240);
    const pb::Alarm said = alarm.of(Body::kAlarm, ClientRig::kCoordinator).at(0).message.alarm();
    QCOMPARE(said.suspect().role(), pb::DATA);
    QCOMPARE(said.suspect().index(), 0u);
    QCOMPARE(said.suspect().holder().incarnation(), 200u);
    QCOMPARE(alarm.of(Happened::kMessageGivenUp).at(0).message_given_up().kind(), "insert");
}

void TestClient::afterAnAlarmTheSameRequestGoesToTheTrueLocation()
{
    ClientRig rig;
    rig.knows(1);
    rig.operate(pb::INSERT, 5, "v");
    rig.driven.pass(250ms);
    const Step step = rig.location(0, {}, 99, 299);
    const auto sent = step.of(Body::kInsert, 99);
    QCOMPARE(sent.size(), std::size_t(1));
    QCOMPARE(sent[0].message.insert().request().number(), 1u);
    QCOMPARE(sent[0].message.insert().incarnation(), 299u);
    const pb::OperationResult result = resultOf(rig.reply(sent[0].message, pb::OK));
    QCOMPARE(result.result(), pb::OK);
    QCOMPARE(result.path(), pb::BY_COORDINATOR);
    QVERIFY(result.resends() >= 2);
    QVERIFY(result.alarm());
}

void TestClient::othersOnTheirWayToAGivenUpBucketSurvive()
{
    // One operation gives up and forgets the location; the retransmissions of the others are due at that moment.
    ClientRig rig;
    rig.knows(1);
    std::vector<pb::Message> requests;
    for (std::uint64_t c = 0; c < 12; ++c) {
        requests.push_back(requestsOf(rig.operate(pb::SEARCH, c)).at(0));
        rig.driven.pass(17ms);
    }
    rig.driven.pass(600ms);
    rig.location(0);
    for (const pb::Message& request : requests)
        QCOMPARE(resultOf(rig.reply(request, pb::NOT_FOUND)).result(), pb::NOT_FOUND);
}

void TestClient::aDisplacedRequestGoesElsewhere()
{
    ClientRig rig;
    rig.knows(1);
    const pb::Message request = requestsOf(rig.operate(pb::DELETE, 5)).at(0);
    Step step = rig.displaced(request);
    QCOMPARE(step.count(Body::kWhereIs), std::size_t(1));
    QCOMPARE(requestsOf(step).size(), std::size_t(0));
    step = rig.location(0, {}, 50, 250);
    QCOMPARE(step.count(Body::kDelete, 50), std::size_t(1));
    QCOMPARE(requestsOf(step)[0].delete_().request().number(), 1u); // the same id
    QCOMPARE(resultOf(rig.reply(requestsOf(step)[0], pb::OK)).result(), pb::OK);
}

void TestClient::aLateDisplacedDoesNotForgetTheNewerLocation()
{
    ClientRig rig;
    rig.knows(1);
    const pb::Message request = requestsOf(rig.operate(pb::SEARCH, 5)).at(0);
    rig.displaced(request);
    const pb::Message second = requestsOf(rig.location(0, {}, 50, 250)).at(0);
    rig.displaced(request, 200); // a copy of the first answer
    rig.reply(second, pb::NOT_FOUND, [](pb::Reply& reply) { holderOf(50, 250).to(*reply.mutable_holder()); });
    QCOMPARE(rig.operate(pb::SEARCH, 6).count(Body::kSearch, 50), std::size_t(1));
}

void TestClient::aReplyTeachesTheLocation()
{
    ClientRig rig;
    rig.knows(1);
    rig.reply(requestsOf(rig.operate(pb::SEARCH, 1))[0], pb::NOT_FOUND, [](pb::Reply& reply) {
        reply.set_forwards(1);
        reply.set_image_adjustment(true);
        reply.set_iam_level(1);
        reply.set_bucket(1);
        holderOf(77, 277).to(*reply.mutable_holder());
    });
    const Step step = rig.operate(pb::SEARCH, 3);
    QCOMPARE(step.count(Body::kWhereIs), std::size_t(0));
    QCOMPARE(step.of(Body::kSearch, 77).at(0).message.search().incarnation(), 277u);
}

void TestClient::aRefusedRequestIsRepeatedAfterTheHint()
{
    ClientRig rig;
    rig.knows(1);
    const pb::Message request = requestsOf(rig.operate(pb::INSERT, 5, "v")).at(0);
    QCOMPARE(requestsOf(rig.reply(request, pb::RETRY, [](pb::Reply& r) { r.set_retry_after_ms(120); })).size(),
        std::size_t(0));
    QCOMPARE(requestsOf(rig.driven.pass(115ms)).size(), std::size_t(0));
    const auto again = requestsOf(rig.driven.pass(20ms));
    QCOMPARE(again.size(), std::size_t(1));
    QCOMPARE(again[0].insert().request().number(), 1u);
    QCOMPARE(resultOf(rig.reply(again[0], pb::OK)).result(), pb::OK);
}

// ---- the deadline

void TestClient::atTheDeadlineASearchMayBeRepeated()
{
    ClientRig rig;
    rig.knows(1);
    rig.operate(pb::SEARCH, 5);
    QCOMPARE(rig.driven.pass(4900ms).replies.size(), std::size_t(0));
    const Step step = rig.driven.pass(200ms);
    QCOMPARE(resultOf(step).result(), pb::RETRY);
    QCOMPARE(rig.driven.pass(10s).count(Body::kSearch), std::size_t(0));
}

void TestClient::aShortDeadlineDoesNotHideThatNobodyIsThere()
{
    // It ends before its last retransmission. Unless the client asks for the location again, every further operation
    // would fail alike.
    pb::Timers timers;
    timers.set_operation_ms(100);
    ClientRig rig(true, fileConfig(), timers);
    rig.knows(1);
    QCOMPARE(rig.operate(pb::SEARCH, 5).count(Body::kSearch), std::size_t(1));
    QCOMPARE(resultOf(rig.driven.pass(150ms)).result(), pb::RETRY);
    const Step next = rig.operate(pb::SEARCH, 5);
    QCOMPARE(next.count(Body::kSearch), std::size_t(0));
    QCOMPARE(next.count(Body::kAlarm), std::size_t(1)); // the key may belong to another, unreachable bucket
    QCOMPARE(rig.location(0).count(Body::kSearch), std::size_t(1));
    QCOMPARE(resultOf(rig.driven.pass(150ms)).result(), pb::RETRY);
}

void TestClient::atTheDeadlineAChangeWithoutAnAnswerIsOfUnknownOutcome()
{
    ClientRig rig;
    rig.knows(1);
    rig.operate(pb::INSERT, 5, "v");
    QCOMPARE(resultOf(rig.driven.pass(5100ms)).result(), pb::UNKNOWN_OUTCOME);
    // Also when the bucket refused some copies.
    const pb::Message request = requestsOf(rig.operate(pb::SEARCH, 1)).empty() ? requestsOf(rig.location(0)).at(0)
                                                                               : pb::Message();
    if (request.has_search())
        rig.reply(request, pb::NOT_FOUND);
    rig.location(0);
    const pb::Message second = requestsOf(rig.operate(pb::DELETE, 5)).at(0);
    rig.reply(second, pb::RETRY, [](pb::Reply& r) { r.set_retry_after_ms(10); });
    QCOMPARE(resultOf(rig.driven.pass(5100ms)).result(), pb::UNKNOWN_OUTCOME);
}

void TestClient::atTheDeadlineAChangeThatWasAlwaysRefusedIsNotCarriedOut()
{
    ClientRig rig;
    rig.knows(1);
    Step step = rig.operate(pb::INSERT, 5, "v");
    const Time start = rig.driven.now();
    int copies = 0;
    while (rig.driven.now() < start + 5200ms && step.replies.empty()) {
        for (const pb::Message& request : requestsOf(step)) {
            ++copies;
            rig.reply(request, pb::RETRY, [](pb::Reply& r) { r.set_retry_after_ms(50); });
        }
        step = rig.driven.pass(10ms);
    }
    QVERIFY(copies > 50);
    QCOMPARE(resultOf(step).result(), pb::RETRY);
    // An operation that could never be sent was not carried out either.
    ClientRig lost;
    lost.operate(pb::INSERT, 5, "v");
    QCOMPARE(resultOf(lost.driven.pass(5100ms)).result(), pb::RETRY);
}

void TestClient::aRefusalThatComesTwiceRefusesOneCopy()
{
    ClientRig rig;
    rig.knows(1);
    const pb::Message request = requestsOf(rig.operate(pb::INSERT, 5, "v")).at(0);
    const pb::Message refusal = rig.replyMessage(request, pb::RETRY, [](pb::Reply& r) { r.set_retry_after_ms(30); });
    for (int copy = 0; copy < 8; ++copy) // the network duplicates it
        rig.driven.message(refusal);
    QVERIFY(requestsOf(rig.driven.pass(45ms)).size() >= 1); // this copy may be carried out, and its answer lost
    QCOMPARE(resultOf(rig.driven.pass(5100ms)).result(), pb::UNKNOWN_OUTCOME);
}

void TestClient::aRefusalThatComesLateRefusesNoLaterCopy()
{
    for (const bool isDisplaced : { false, true }) {
        ClientRig rig;
        rig.knows(1);
        const pb::Message request = requestsOf(rig.operate(pb::INSERT, 5, "v")).at(0);
        const auto refuse = [&] {
            if (!isDisplaced)
                return rig.reply(request, pb::RETRY, [](pb::Reply& r) { r.set_retry_after_ms(30); });
            rig.displaced(request);
            return rig.location(0);
        };
        const std::vector<pb::Message> later = isDisplaced ? requestsOf(refuse())
                                                           : (refuse(), requestsOf(rig.driven.pass(45ms)));
        QCOMPARE(later.size(), std::size_t(1)); // this copy may wait in the bucket
        QCOMPARE(keyRequestOf(later.at(0)).copy(), 1u);
        for (int copy = 0; copy < 8; ++copy) // the first refusal, duplicated by the network
            QCOMPARE(requestsOf(refuse()).size(), std::size_t(0));
        QCOMPARE(resultOf(rig.driven.pass(5100ms)).result(), pb::UNKNOWN_OUTCOME);
    }
}

void TestClient::anAnswerThatComesTwiceOrLateIsIgnored()
{
    ClientRig rig;
    rig.knows(1);
    const pb::Message request = requestsOf(rig.operate(pb::INSERT, 5, "v")).at(0);
    QCOMPARE(rig.reply(request, pb::OK).replies.size(), std::size_t(1));
    Step step = rig.reply(request, pb::EXISTS);
    QCOMPARE(step.replies.size() + step.events.size(), std::size_t(0));
    pb::Message other = rig.replyMessage(requestsOf(rig.operate(pb::SEARCH, 6)).at(0), pb::OK);
    other.mutable_reply()->mutable_request()->set_client(4711); // another client's
    QCOMPARE(rig.driven.message(other).replies.size(), std::size_t(0));
    step = rig.displaced(request);
    QCOMPARE(requestsOf(step).size(), std::size_t(0));
}

// ---- order and limits

void TestClient::doneBelowIsTheLowestNumberStillWanted()
{
    ClientRig rig;
    rig.knows(1);
    const auto a = requestsOf(rig.operate(pb::INSERT, 1, "v")).at(0),
               b = requestsOf(rig.operate(pb::INSERT, 2, "v")).at(0);
    QCOMPARE(a.insert().done_below(), 1u);
    QCOMPARE(b.insert().done_below(), 1u);
    rig.reply(b, pb::OK);
    QCOMPARE(requestsOf(rig.operate(pb::INSERT, 3, "v")).at(0).insert().done_below(), 1u); // 1 is still open
    rig.reply(a, pb::OK);
    const auto d = requestsOf(rig.operate(pb::INSERT, 4, "v")).at(0);
    QCOMPARE(d.insert().request().number(), 4u);
    QCOMPARE(d.insert().done_below(), 3u);
}

void TestClient::operationsOnOneKeyAreDoneInTurn()
{
    ClientRig rig;
    rig.knows(1);
    const auto insert = requestsOf(rig.operate(pb::INSERT, 1, "v"));
    QCOMPARE(insert.size(), std::size_t(1));
    QCOMPARE(requestsOf(rig.operate(pb::DELETE, 1)).size(), std::size_t(0));
    QCOMPARE(requestsOf(rig.operate(pb::SEARCH, 1)).size(), std::size_t(0));
    QCOMPARE(requestsOf(rig.operate(pb::SEARCH, 2)).size(), std::size_t(1)); // another key does not wait
    auto next = requestsOf(rig.reply(insert[0], pb::OK));
    QCOMPARE(next.size(), std::size_t(1));
    QVERIFY(next[0].has_delete_());
    QCOMPARE(next[0].delete_().done_below(), 2u);
    next = requestsOf(rig.reply(next[0], pb::OK));
    QVERIFY(next.at(0).has_search());
    QCOMPARE(rig.reply(next[0], pb::NOT_FOUND).replies.size(), std::size_t(1));
}

void TestClient::theResendIntervalFollowsTheRoundTrip()
{
    // A steady round trip of 20 ms with many requests under way: the interval settles at 4 x 20 ms.
    ClientRig rig;
    rig.knows(1);
    std::deque<pb::Message> open;
    for (std::uint64_t c = 0; c < 400; ++c) {
        open.push_back(requestsOf(rig.operate(pb::SEARCH, 1000 + c)).at(0));
        const auto resent = requestsOf(rig.driven.pass(1ms)); // one a millisecond
        QVERIFY(c < 30 || resent.empty());
        if (open.size() > 20) {
            rig.reply(open.front(), pb::NOT_FOUND);
            open.pop_front();
        }
    }
    while (!open.empty()) {
        rig.reply(open.front(), pb::NOT_FOUND);
        open.pop_front();
        rig.driven.pass(1ms);
    }
    rig.operate(pb::SEARCH, 1);
    QCOMPARE(requestsOf(rig.driven.pass(70ms)).size(), std::size_t(0));
    QCOMPARE(requestsOf(rig.driven.pass(40ms)).size(), std::size_t(1));
}

void TestClient::badInputIsRefusedBeforeSending()
{
    ClientRig rig;
    rig.knows(1);
    const std::string longest(65535, 'x');
    QCOMPARE(requestsOf(rig.operate(pb::INSERT, 1, longest)).size(), std::size_t(1));
    Step step = rig.operate(pb::INSERT, 2, longest + "x");
    QCOMPARE(resultOf(step).result(), pb::INVALID);
    QVERIFY(resultOf(step).text().find("65,535") != std::string::npos);
    QCOMPARE(step.sent.size(), std::size_t(0));
    step = rig.operate(pb::OPERATION_UNKNOWN, 1);
    QCOMPARE(resultOf(step).result(), pb::INVALID);
    QVERIFY(!resultOf(step).text().empty());
    step = rig.operate(pb::OperationKind(9), 1);
    QCOMPARE(resultOf(step).result(), pb::INVALID);
    pb::Command order;
    order.mutable_operate()->set_kind(pb::UPDATE);
    order.mutable_operate()->set_generate_value(true);
    order.mutable_operate()->set_length(65536);
    QCOMPARE(resultOf(rig.command(order)).result(), pb::INVALID);
}

void TestClient::commandsForOthersAreRefused()
{
    ClientRig rig;
    pb::Command commands[4];
    commands[0].mutable_describe_file();
    commands[1].mutable_force_split();
    commands[2].mutable_audit();
    for (const pb::Command& order : commands) {
        const Step step = rig.command(order);
        QCOMPARE(step.replies.size(), std::size_t(1));
        QCOMPARE(step.replies[0].refusal(), pb::WRONG_PROCESS);
        QCOMPARE(step.replies[0].ticket(), rig.tickets);
    }
}

QTEST_APPLESS_MAIN(TestClient)
#include "tst_client.moc"
