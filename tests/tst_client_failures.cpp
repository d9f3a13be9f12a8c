// SPDX-License-Identifier: GPL-3.0-or-later
// A client and a bucket that has failed (lhrs.md 10.5): alarms, and records that come without their bucket.
#include "tests/client_rig.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestClientFailures : public QObject {
    Q_OBJECT

private slots:
    void aBucketThatHasFailedIsAlarmedAboutAtOnce();
};

void TestClientFailures::aBucketThatHasFailedIsAlarmedAboutAtOnce()
{
    // Who asks where a bucket is and hears that it failed has lost no time by it: the record is found by an alarm.
    ClientRig rig;
    const auto failed = [&rig](std::uint32_t retryAfterMs) {
        pb::Message answer = rig.coordinator.message();
        answer.mutable_location()->set_bucket(0);
        answer.mutable_location()->set_exists(true);
        answer.mutable_location()->set_state(pb::FAILED);
        answer.mutable_location()->set_retry_after_ms(retryAfterMs);
        holderOf(ClientRig::kData, 200).to(*answer.mutable_location()->mutable_holder());
        return answer;
    };
    rig.operate(pb::SEARCH, 5);
    const Step told = rig.driven.message(failed(0));
    QCOMPARE(told.count(Body::kAlarm), std::size_t(1));
    QCOMPARE(told.of(Body::kAlarm).at(0).message.alarm().request().key(), std::uint64_t(5));
    QVERIFY(told.of(Body::kAlarm).at(0).message.alarm().is_search());
    // The answer to the alarm says when to ask again, if no record has come by then.
    QCOMPARE(rig.driven.message(failed(25)).sent.size(), std::size_t(0));
    pb::Message search;
    search.mutable_search()->mutable_request()->CopyFrom(told.of(Body::kAlarm).at(0).message.alarm().request().request());
    const pb::OperationResult first = resultOf(rig.reply(search, pb::OK, [](pb::Reply& r) { r.set_degraded(true), r.clear_holder(); }));
    QCOMPARE(first.path(), pb::RECORD_RECOVERY);
    QVERIFY(first.alarm());
    // The next search need not ask where the bucket is.
    const Step next = rig.operate(pb::SEARCH, 6);
    QCOMPARE(next.count(Body::kWhereIs), std::size_t(0));
    QCOMPARE(next.count(Body::kAlarm), std::size_t(1));
    // Until somebody says that the bucket is back.
    QCOMPARE(rig.location(0, {}, 99, 299).of(Body::kSearch, 99).size(), std::size_t(1));
    QCOMPARE(rig.operate(pb::SEARCH, 7).of(Body::kSearch, 99).size(), std::size_t(1));
}

QTEST_APPLESS_MAIN(TestClientFailures)
#include "tst_client_failures.moc"
