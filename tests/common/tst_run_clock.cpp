// SPDX-License-Identifier: GPL-3.0-or-later
// The clock of a run advances as the steady clock does, whatever happens to the wall clock.
#include "tests/rigs/lab/fake_process.h"

#include "common/run_clock.h"
#include "gui/lab/live/awake_clock.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/series/run_sink.h"
#include "gui/lab/local/session.h"

#include <QTest>

#include <condition_variable>
#include <mutex>
#include <stop_token>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond, kBegin = 1'700'000'000 * kSecond;

} // namespace

class TestRunClock : public QObject {
    Q_OBJECT

private slots:
    void itShowsTheTimeOfDayOfTheBeginning();
    void whoIsStartedAfterAJumpHasTheSameClock();
    void whatIsNoClockBeginsARun_data();
    void whatIsNoClockBeginsARun();
    void ofThisProcessItGoesOn();
    void anotherClockIsPutOnOurs();
    void theTimeInWhichAProcessStandsStillDoesNotPass();
    void aDeadlineOfTheAwakeClockIsWaitedFor();
};

void TestRunClock::itShowsTheTimeOfDayOfTheBeginning()
{
    const RunClock clock(nullptr, kBegin, 50 * kSecond);
    QCOMPARE(clock.at(50 * kSecond), kBegin);
    QCOMPARE(clock.at(57 * kSecond), kBegin + 7 * kSecond);
}

void TestRunClock::whoIsStartedAfterAJumpHasTheSameClock()
{
    // Between the starts of the two, 10 s apart, the wall clock is set back by one hour.
    const RunClock first(nullptr, kBegin, 50 * kSecond);
    const RunClock second(first.word().c_str(), kBegin + 10 * kSecond - kHour, 60 * kSecond);
    QCOMPARE(second.at(60 * kSecond), first.at(60 * kSecond));
    QCOMPARE(second.at(61 * kSecond) - first.at(60 * kSecond), kSecond);
    QCOMPARE(second.word(), first.word());
    const RunClock alone(nullptr, kBegin + 10 * kSecond - kHour, 60 * kSecond);
    QVERIFY(alone.at(60 * kSecond) != first.at(60 * kSecond));
}

void TestRunClock::whatIsNoClockBeginsARun_data()
{
    QTest::addColumn<QByteArray>("word");
    for (const char* word : { "", "yesterday", "12x", "99999999999999999999", " 5", "1.5" })
        QTest::newRow(word) << QByteArray(word);
}

void TestRunClock::whatIsNoClockBeginsARun()
{
    QFETCH(QByteArray, word);
    QCOMPARE(RunClock(word.constData(), kBegin, kSecond).at(kSecond), kBegin);
}

void TestRunClock::ofThisProcessItGoesOn()
{
    const std::int64_t before = RunClock::own().now();
    QVERIFY(before > kBegin);
    QVERIFY(RunClock::own().now() >= before);
    QCOMPARE(&RunClock::own(), &RunClock::own());
}

// A process that was started elsewhere before the wall clock was set: its times are mapped to our clock once.
void TestRunClock::anotherClockIsPutOnOurs()
{
    struct : RunSink {
        std::mutex mutex;
        std::vector<std::int64_t> times;
        void onEvent(ProcessId, const std::shared_ptr<const pb::Event>&, std::int64_t runNs, std::size_t) override
        {
            const std::lock_guard lock(mutex);
            times.push_back(runNs);
        }
        void onTold(ProcessId, const pb::Told&, std::int64_t) override { }
        bool wantsKeyframe() const override { return false; }
        void onKeyframe(const ClusterState&, std::int64_t) override { }
        std::size_t count()
        {
            const std::lock_guard lock(mutex);
            return times.size();
        }
    } sink;
    Session session;
    FakeProcess late(5, pb::NODE, "late");
    session.control().addProcess(late.info());
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().processes.size() == 1, 20'000);
    session.ingest().recordTo(&sink);
    const std::int64_t before = session.ingest().nowNs();
    const auto publish = [&](std::uint64_t number, std::int64_t wallNs) {
        pb::EventHeader header;
        header.set_process(5);
        header.set_name("late");
        header.set_first_sequence(number);
        header.set_count(1);
        header.set_wall_ns(wallNs);
        pb::EventBatch batch;
        batch.add_events()->mutable_record_read()->set_key(number);
        batch.mutable_events(0)->set_sequence(number);
        batch.mutable_events(0)->set_wall_ns(wallNs);
        late.send({ header.SerializeAsString(), batch.SerializeAsString() });
    };
    QTRY_VERIFY_WITH_TIMEOUT((publish(1, kBegin), sink.count() > 0), 20'000);
    publish(2, kBegin + kSecond);
    publish(3, kBegin + kHour);
    QTRY_COMPARE_WITH_TIMEOUT(sink.count(), std::size_t(3), 20'000);
    QVERIFY(sink.times[0] >= before && sink.times[0] <= session.ingest().nowNs());
    QCOMPARE(sink.times[1] - sink.times[0], kSecond);
    QCOMPARE(sink.times[2] - sink.times[0], kHour);
    session.ingest().recordTo(nullptr);
}

void TestRunClock::theTimeInWhichAProcessStandsStillDoesNotPass()
{
    using namespace std::chrono_literals;
    AwakeTime time(500ms, 100s);
    QCOMPARE(time.at(100s), 100'000'000'000ns);
    time.tell(100s + 100ms);
    QCOMPARE(time.at(100s + 600ms), 100'600'000'000ns);
    QCOMPARE(time.at(190s), 100'600'000'000ns); // it got no time for this long, so it stands
    time.tell(190s);
    QCOMPARE(time.at(190s), 100'600'000'000ns); // and continues from there
    QCOMPARE(time.at(190s + 200ms), 100'800'000'000ns);
    time.tell(190s + 100ms);
    time.tell(190s + 600ms); // late, but not too late
    QCOMPARE(time.at(190s + 600ms), 101'200'000'000ns);
}

void TestRunClock::aDeadlineOfTheAwakeClockIsWaitedFor()
{
    using namespace std::chrono_literals;
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    const auto deadline = AwakeClock::now() + 30ms;
    QVERIFY(!never.wait_until(lock, std::stop_token(), deadline, [] { return false; }));
    QVERIFY(AwakeClock::now() >= deadline);
}

QTEST_GUILESS_MAIN(TestRunClock)
#include "tst_run_clock.moc"
