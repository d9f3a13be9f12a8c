// SPDX-License-Identifier: GPL-3.0-or-later
// A client and a bucket that has failed: alarms, and records that are recovered without their bucket.
#include "tests/rigs/core/client_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestClientFailures : public QObject {
    Q_OBJECT

private slots:
    void aBucketThatHasFailedIsAlarmedAboutAtOnce();
    void aRecordThatDoesNotComeIsAskedForWithTheBucket();
    void aMutationOfABucketThatHasFailedIsToldOfIt();

private:
    // The coordinator's Location message for bucket 0: failed, ask again after this time.
    static pb::Message failed(ClientRig& rig, std::uint32_t retryAfterMs);
};

pb::Message TestClientFailures::failed(ClientRig& rig, std::uint32_t retryAfterMs)
{
    pb::Message answer = rig.coordinator.message();
    answer.mutable_location()->set_bucket(0);
    answer.mutable_location()->set_exists(true);
    answer.mutable_location()->set_state(pb::FAILED);
    answer.mutable_location()->set_retry_after_ms(retryAfterMs);
    holderOf(ClientRig::kData, 200).to(*answer.mutable_location()->mutable_holder());
    return answer;
}

void TestClientFailures::aBucketThatHasFailedIsAlarmedAboutAtOnce()
{
    // A client that asks for a bucket's location and hears that it has failed loses no time: an alarm starts the
    // recovery of the record.
    ClientRig rig;
    rig.operate(pb::SEARCH, 5);
    const Step told = rig.driven.message(failed(rig, 0));
    QCOMPARE(told.count(Body::kAlarm), std::size_t(1));
    QCOMPARE(told.of(Body::kAlarm).at(0).message.alarm().request().key(), std::uint64_t(5));
    QVERIFY(told.of(Body::kAlarm).at(0).message.alarm().is_search());
    // The answer to the alarm says when to ask again if no record has arrived by then.
    QCOMPARE(rig.driven.message(failed(rig, 25)).sent.size(), std::size_t(0));
    pb::Message search;
    search.mutable_search()->mutable_request()->CopyFrom(
        told.of(Body::kAlarm).at(0).message.alarm().request().request());
    const pb::OperationResult first = resultOf(
        rig.reply(search, pb::OK, [](pb::Reply& r) { r.set_degraded(true), r.clear_holder(); }));
    QCOMPARE(first.path(), pb::RECORD_RECOVERY);
    QVERIFY(first.alarm());
    // The next search alarms without asking for the location.
    const Step next = rig.operate(pb::SEARCH, 6);
    QCOMPARE(next.count(Body::kWhereIs), std::size_t(0));
    QCOMPARE(next.count(Body::kAlarm), std::size_t(1));
    // This lasts until a message says that the bucket is back.
    QCOMPARE(rig.location(0, {}, 99, 299).of(Body::kSearch, 99).size(), std::size_t(1));
    QCOMPARE(rig.operate(pb::SEARCH, 7).of(Body::kSearch, 99).size(), std::size_t(1));
}

// A client that knows of the failure wants only the record. If a message on its way is lost, the client sends the alarm
// once more, and reports the answer to it.
void TestClientFailures::aRecordThatDoesNotComeIsAskedForWithTheBucket()
{
    ClientRig rig;
    rig.operate(pb::SEARCH, 5);
    const Step first = rig.driven.message(failed(rig, 0));
    // When the search was addressed, the failure was not known.
    QVERIFY(!first.of(Body::kAlarm).at(0).message.alarm().knows_unavailable());
    const Step known = rig.operate(pb::SEARCH, 6);
    QCOMPARE(known.count(Body::kAlarm), std::size_t(1));
    QVERIFY(known.of(Body::kAlarm).at(0).message.alarm().knows_unavailable());
    rig.driven.message(failed(rig, 1000)); // for the first search, which waits now
    const Step next = rig.operate(pb::SEARCH, 7);
    QVERIFY(next.of(Body::kAlarm).at(0).message.alarm().knows_unavailable());
    QCOMPARE(rig.driven.pass(59ms).count(Body::kAlarm), std::size_t(0));
    const Step again = rig.driven.pass(20ms);
    QCOMPARE(again.count(Body::kAlarm), std::size_t(1));
    QCOMPARE(again.of(Body::kAlarm).at(0).message.alarm().request().key(), std::uint64_t(7));
    QVERIFY(!again.of(Body::kAlarm).at(0).message.alarm().knows_unavailable());
    // The bucket is back.
    QCOMPARE(rig.location(0, {}, 99, 299).of(Body::kSearch, 99).size(), std::size_t(1));
}

void TestClientFailures::aMutationOfABucketThatHasFailedIsToldOfIt()
{
    ClientRig rig;
    rig.operate(pb::SEARCH, 5);
    rig.driven.message(failed(rig, 0));
    rig.driven.message(failed(rig, 25));
    const Step insert = rig.operate(pb::INSERT, 6, "six");
    QCOMPARE(insert.count(Body::kAlarm), std::size_t(1));
    QVERIFY(!insert.of(Body::kAlarm).at(0).message.alarm().knows_unavailable());
}

QTEST_APPLESS_MAIN(TestClientFailures)
#include "tst_client_failures.moc"
