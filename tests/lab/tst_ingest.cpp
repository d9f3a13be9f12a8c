// SPDX-License-Identifier: GPL-3.0-or-later
// The watching side with processes that consist of sockets: events in, gaps, snapshots, commands, the directory.
#include "tests/rigs/lab/fake_process.h"

#include "common/run_clock.h"

#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/series/run_sink.h"
#include "gui/lab/local/session.h"

#include <QElapsedTimer>
#include <QSysInfo>
#include <QTest>

#include <zmq.hpp>

#include <future>
#include <thread>
#include <utility>

#include <unistd.h>

using namespace lhrs;
using namespace lhrs::gui;
using namespace std::chrono_literals;

namespace {

constexpr int kPatience = 20'000;

pb::Event inserted(std::uint64_t key, std::uint32_t rank, std::uint32_t count)
{
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    event.mutable_place()->set_number(0);
    auto* record = event.mutable_record_inserted();
    record->set_key(key);
    record->set_rank(rank);
    record->set_count(count);
    record->set_sequence(count);
    return event;
}

std::vector<pb::Event> inserts(std::uint32_t first, std::uint32_t last)
{
    std::vector<pb::Event> events;
    for (std::uint32_t rank = first; rank <= last; ++rank)
        events.push_back(inserted(rank, rank, rank));
    return events;
}

// A snapshot of a data bucket with ranks 1..count, each with its number as key.
FakeProcess::Answerer bucketSnapshots(const FakeProcess& process, std::uint32_t count)
{
    return [&process, count](const pb::Command& command) -> std::optional<pb::CommandReply> {
        if (!command.has_take_snapshot())
            return std::nullopt;
        return FakeProcess::snapshotOf(process, count, [count](pb::Snapshot& snapshot) {
            snapshot.mutable_data()->set_count(count);
            for (std::uint32_t rank = 1; rank <= count; ++rank) {
                snapshot.mutable_data()->add_ranks(rank);
                snapshot.mutable_data()->add_keys(rank);
            }
        });
    };
}

const DataBucketState* bucketOf(const ClusterState& state)
{
    const auto at = state.data.find(0);
    return at == state.data.end() ? nullptr : &at->second;
}

pb::Command commandOf(const std::function<void(pb::Command&)>& fill)
{
    pb::Command command;
    fill(command);
    return command;
}

} // namespace

class IngestTest : public QObject {
    Q_OBJECT
private slots:
    void theRingKnowsWhichKindsAreGone();
    void eventsArriveInOrderAndAreFolded();
    void aProcessThatIsSeenFromItsFirstEventNeedsNoSnapshot();
    void whatASnapshotContainsIsNotFoldedTwice();
    void aGapIsARowAndItsSnapshotRepairsTheState();
    void eventsThatWereLostAtTheEndAreFound();
    void garbageIsCountedAndDropped();
    void theProcessorsThatAClusterUsesAreCounted();
    void theClockOfAnotherComputerIsRead_data();
    void theClockOfAnotherComputerIsRead();
    void aWaitEndsWithTheEventOrTheDeadlineOrTheStop();
    void aHundredThousandEventsArriveComplete();
    void aCommandIsAnswered();
    void aRefusalCarriesItsSentence();
    void aSilentProcessTimesOut();
    void anUnknownProcessIsUnreachable();
    void anEndCountsFromWhenItWasSaid();
    void aStopEndsAWaitForAnAnswer();
    void answersComeInTheOrderOfTheQuestions();
    void theDirectoryIsFollowed();
    void whomANewCoordinatorDoesNotKnowYetIsNotGone();
    void detailIsToldToThoseThatComeLater();
    void anotherClusterForgetsTheFormer();
    void whoAsksForSnapshotsMayBeDestroyedOnceReplaced();
};

// A question about an event kind of which nothing is lost has a complete answer.
void IngestTest::theRingKnowsWhichKindsAreGone()
{
    EventRing ring(2);
    const auto push = [&ring](const auto& set) {
        auto event = std::make_shared<pb::Event>();
        set(*event);
        ring.push(1, 0, event, 1);
    };
    push([](pb::Event& e) { e.mutable_split_finished(); });
    for (int i = 0; i < 3; ++i)
        push([](pb::Event& e) { e.mutable_gauges(); });
    const EventPage all = ring.since(0, 10), later = ring.since(1, 10);
    QCOMPARE(all.missed, std::uint64_t(2));
    QVERIFY(all.hasMissed(pb::Event::kSplitFinished) && all.hasMissed(pb::Event::kGauges));
    QVERIFY(all.hasMissed(0) && !all.hasMissed(pb::Event::kGroupLost));
    QVERIFY(!later.hasMissed(pb::Event::kSplitFinished) && later.hasMissed(pb::Event::kGauges));
    QVERIFY(!ring.since(2, 10).hasMissed(0));
}

void IngestTest::eventsArriveInOrderAndAreFolded()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    bucket.answer(bucketSnapshots(bucket, 0));
    session.control().addProcess(bucket.info());
    QTRY_VERIFY_WITH_TIMEOUT(bucket.asked("TakeSnapshot") > 0, kPatience);
    // The subscription may arrive after the first batches: they are published until one arrives.
    std::uint32_t next = 1;
    QTRY_VERIFY_WITH_TIMEOUT(
        (bucket.publish(next, inserts(next, next)), ++next, session.ingest().committed() > 0), kPatience);
    bucket.publish(next, inserts(next, next + 99));
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().counters().events >= 100, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().state().processes.at(11).sequence, std::uint64_t(next + 99), kPatience);
    const EventPage page = session.ingest().eventsSince(0, 10'000);
    std::uint64_t before = 0;
    for (const RunEvent& event : page.events) {
        QVERIFY(event.index > before);
        before = event.index;
        QCOMPARE(event.process, ProcessId(11));
    }
    QCOMPARE(bucketOf(session.ingest().state())->ranks.at(next + 99), std::uint64_t(next + 99));
    QCOMPARE(session.ingest().state().processes.at(11).name, std::string("data-1"));
}

void IngestTest::aProcessThatIsSeenFromItsFirstEventNeedsNoSnapshot()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    session.ingest().watchEvents(bucket.info().events_endpoint());
    // Whole runs of events from number 1, until one was received from its start.
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(1, inserts(1, 3)), session.ingest().committed() >= 3), kPatience);
    session.control().addProcess(bucket.info());
    bucket.publish(4, inserts(4, 4));
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().state().processes.at(11).sequence, 4u, kPatience);
    QVERIFY(!session.ingest().state().processes.at(11).isIncomplete);
    QCOMPARE(session.ingest().counters().events, 4u); // repeated numbers do not count
    QCOMPARE(session.ingest().counters().lost, 0u);
}

void IngestTest::whatASnapshotContainsIsNotFoldedTwice()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    bucket.answer(bucketSnapshots(bucket, 50));
    session.control().addProcess(bucket.info());
    QTRY_VERIFY_WITH_TIMEOUT(bucketOf(session.ingest().state()) != nullptr, kPatience);
    QCOMPARE(session.ingest().state().processes.at(11).sequence, 50u);
    // Events 41 to 60: the first ten are in the snapshot. Their contents differ from it, so that a second folding
    // shows.
    std::vector<pb::Event> events = inserts(41, 60);
    for (std::uint32_t i = 0; i < 10; ++i)
        events[i].mutable_record_inserted()->set_key(9999);
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(41, events), session.ingest().committed() >= 20), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().state().processes.at(11).sequence, 60u, kPatience);
    const ClusterState state = session.ingest().state();
    QCOMPARE(bucketOf(state)->ranks.at(45), 45u);
    QCOMPARE(bucketOf(state)->ranks.at(60), 60u);
    QCOMPARE(bucketOf(state)->count, 60u);
    QCOMPARE(state.lost, 0u);
}

void IngestTest::aGapIsARowAndItsSnapshotRepairsTheState()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    session.ingest().watchEvents(bucket.info().events_endpoint());
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(1, inserts(1, 3)), session.ingest().committed() >= 3), kPatience);
    session.control().addProcess(bucket.info());
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().state().processes.at(11).isIncomplete, false, kPatience);
    // The snapshot comes after 10 to 12; 13 comes later and is folded on top of it.
    bucket.answer(bucketSnapshots(bucket, 12));
    bucket.publish(10, inserts(10, 12));
    QTRY_VERIFY_WITH_TIMEOUT(bucket.asked("TakeSnapshot") > 0, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!session.ingest().state().processes.at(11).isIncomplete, kPatience);
    bucket.publish(13, inserts(13, 13));
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().state().processes.at(11).sequence, 13u, kPatience);
    const ClusterState state = session.ingest().state();
    QCOMPARE(bucketOf(state)->ranks.count(), 13u);
    QCOMPARE(state.lost, 6u);
    QCOMPARE(state.processes.at(11).lostEvents, 6u);
    QCOMPARE(session.ingest().counters().lost, 6u);
    bool hasRow = false;
    for (const RunEvent& event : session.ingest().eventsSince(0, 1000).events)
        hasRow = hasRow || (event.isGap() && event.gapFirst == 4 && event.gapLast == 9);
    QVERIFY(hasRow);
}

void IngestTest::eventsThatWereLostAtTheEndAreFound()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    session.ingest().watchEvents(bucket.info().events_endpoint());
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(1, inserts(1, 3)), session.ingest().committed() >= 3), kPatience);
    // The process is at 20 already, and no further event comes: the probe of a silent process finds the loss.
    bucket.answer(bucketSnapshots(bucket, 20));
    session.control().addProcess(bucket.info());
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().lost == 17, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(bucketOf(session.ingest().state())->ranks.count() == 20, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!session.ingest().state().processes.at(11).isIncomplete, kPatience);
}

void IngestTest::garbageIsCountedAndDropped()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    session.ingest().watchEvents(bucket.info().events_endpoint());
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(1, inserts(1, 1)), session.ingest().committed() >= 1), kPatience);
    pb::EventHeader header;
    header.set_process(11);
    header.set_first_sequence(2);
    header.set_count(1);
    pb::EventBatch wrong; // an event whose number is outside the range in the header
    wrong.add_events()->set_sequence(77);
    bucket.send({ "only one frame" });
    bucket.send({ "\x01\x02", "\xff\xff" });
    bucket.send({ header.SerializeAsString(), "a", "third" });
    bucket.send({ header.SerializeAsString(), wrong.SerializeAsString() });
    bucket.send({ "", "" });
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().counters().malformed, 5u, kPatience);
    bucket.publish(2, inserts(2, 2));
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().committed(), 2u, kPatience);
    QCOMPARE(session.ingest().counters().lost, 0u);
}

// What a process used before it was seen is not of the last second.
void IngestTest::theProcessorsThatAClusterUsesAreCounted()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    const auto used = [](std::uint64_t seconds) {
        pb::Event event;
        event.mutable_gauges()->set_cpu_ns(seconds * 1'000'000'000u);
        return std::vector { event };
    };
    session.ingest().watchEvents(bucket.info().events_endpoint());
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(1, used(1'000)), session.ingest().committed() >= 1), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().counters().eventsPerSecond > 0, kPatience);
    QCOMPARE(session.ingest().counters().processors, 0.0);
    bucket.publish(2, used(1'100));
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().counters().processors > 0, kPatience);
    QVERIFY(session.ingest().counters().processors <= 100); // in one second or more
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().counters().processors, 0.0, kPatience);
}

void IngestTest::theClockOfAnotherComputerIsRead_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<qint64>("aheadNs");
    QTest::newRow("half a second ahead") << "lab1" << qint64(500'000'000);
    QTest::newRow("half a second behind") << "lab1" << qint64(-500'000'000);
    QTest::newRow("an hour ahead") << "lab1" << qint64(3'600'000'000'000);
    QTest::newRow("right") << "lab1" << qint64(0);
    QTest::newRow("this computer") << QSysInfo::machineHostName() << qint64(0);
}

void IngestTest::theClockOfAnotherComputerIsRead()
{
    QFETCH(QString, host);
    QFETCH(qint64, aheadNs);
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    bucket.liveOn(host.toStdString(), aheadNs);
    bucket.answer(bucketSnapshots(bucket, 3));
    session.control().addProcess(bucket.info());
    const auto process = [&] { return session.ingest().state().processes[11]; };
    const auto isReadable = host == QStringLiteral("lab1");
    QTRY_COMPARE_WITH_TIMEOUT(process().clockErrorNs > 0, isReadable, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(bucketOf(session.ingest().state()) != nullptr, kPatience);
    if (!isReadable)
        QTRY_VERIFY_WITH_TIMEOUT(bucket.asked("TakeSnapshot") > 0, kPatience);
    else
        QVERIFY(std::abs(process().clockOffsetNs - aheadNs) <= std::int64_t(process().clockErrorNs));
    QCOMPARE(process().clockErrorNs > 0, isReadable);
    // What it publishes has the time of our clock.
    const auto nowNs = [&] { return RunClock::own().now() - session.ingest().startedWallNs(); };
    const std::int64_t before = nowNs();
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(4, inserts(4, 4)), process().sequence >= 4), kPatience);
    const std::int64_t error = std::int64_t(process().clockErrorNs) + 1'000'000;
    QVERIFY2(process().lastEventNs >= before - error && process().lastEventNs <= nowNs() + error,
        qPrintable(QString::number(process().lastEventNs - before)));
}

void IngestTest::aWaitEndsWithTheEventOrTheDeadlineOrTheStop()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    session.ingest().watchEvents(bucket.info().events_endpoint());
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(1, inserts(1, 1)), session.ingest().committed() >= 1), kPatience);
    const auto now = [] { return std::chrono::steady_clock::now(); };
    QVERIFY(session.ingest().waitBeyond(0, now() + 60s, {}));
    QVERIFY(!session.ingest().waitBeyond(1, now() + 30ms, {}));
    std::stop_source stop;
    auto waiting = std::async(
        std::launch::async, [&] { return session.ingest().waitBeyond(1, now() + 60s, stop.get_token()); });
    stop.request_stop();
    QVERIFY(!waiting.get());
    auto another = std::async(std::launch::async, [&] { return session.ingest().waitBeyond(1, now() + 60s, {}); });
    bucket.publish(2, inserts(2, 2));
    QVERIFY(another.get());
}

void IngestTest::aHundredThousandEventsArriveComplete()
{
    constexpr std::uint32_t kEvents = 100'000, kBatch = 250;
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    session.ingest().watchEvents(bucket.info().events_endpoint());
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(1, inserts(1, 1)), session.ingest().committed() >= 1), kPatience);
    std::vector<std::vector<pb::Event>> batches;
    for (std::uint32_t first = 2; first < kEvents; first += kBatch)
        batches.push_back(inserts(first, first + kBatch - 1));
    QElapsedTimer timer;
    timer.start();
    std::uint64_t first = 2;
    for (auto& batch : batches) {
        const std::uint64_t count = batch.size();
        bucket.publish(first, std::move(batch));
        first += count;
    }
    QTRY_COMPARE_WITH_TIMEOUT(session.ingest().committed(), first - 1, 60'000);
    qInfo("%u events received, checked, folded: %lld ms", kEvents, static_cast<long long>(timer.elapsed()));
    QCOMPARE(session.ingest().counters().lost, 0u);
    QCOMPARE(bucketOf(session.ingest().state())->ranks.count(), std::uint32_t(first - 1));
}

void IngestTest::aCommandIsAnswered()
{
    Session session;
    FakeProcess process(5, pb::NODE, "data-1");
    process.answer([](const pb::Command& command) -> std::optional<pb::CommandReply> {
        pb::CommandReply reply;
        reply.mutable_gauges()->set_records(command.has_statistics() ? 7 : 0);
        return reply;
    });
    const auto question = commandOf([](pb::Command& c) { c.mutable_statistics(); });
    const Answer answer = session.control().callAndWait(process.info().control_endpoint(), question, 20s);
    QVERIFY2(bool(answer), answer.text.c_str());
    QCOMPARE(answer.reply.gauges().records(), 7u);
    session.control().addProcess(process.info());
    QVERIFY(bool(session.control().callAndWait(ProcessId(5), question, 20s)));
}

void IngestTest::aRefusalCarriesItsSentence()
{
    Session session;
    FakeProcess process(5, pb::NODE, "data-1");
    process.answer([](const pb::Command&) -> std::optional<pb::CommandReply> {
        pb::CommandReply reply;
        reply.set_refusal(pb::REFUSED);
        reply.set_text("not now");
        return reply;
    });
    const auto answer = session.control().callAndWait(
        process.info().control_endpoint(), commandOf([](pb::Command& c) { c.mutable_force_split(); }), 20s);
    QCOMPARE(answer.outcome, Answer::Outcome::Refused);
    QCOMPARE(answer.text, std::string("not now"));
    QCOMPARE(answer.reply.refusal(), pb::REFUSED);
}

void IngestTest::aSilentProcessTimesOut()
{
    Session session;
    FakeProcess process(5, pb::NODE, "data-1");
    session.control().addProcess(process.info());
    const auto answer = session.control().callAndWait(
        ProcessId(5), commandOf([](pb::Command& c) { c.mutable_force_split(); }), 200ms);
    QCOMPARE(answer.outcome, Answer::Outcome::TimedOut);
    QCOMPARE(answer.text, std::string("ForceSplit to data-1: no answer within 0.2 s."));
}

void IngestTest::anUnknownProcessIsUnreachable()
{
    Session session;
    const auto question = commandOf([](pb::Command& c) { c.mutable_statistics(); });
    QCOMPARE(session.control().callAndWait(ProcessId(99), question, 20s).outcome, Answer::Outcome::Unreachable);
    FakeProcess process(5, pb::NODE, "data-1");
    session.control().addProcess(process.info());
    // A process that ends while it is asked.
    auto waiting = std::async(
        std::launch::async, [&] { return session.control().callAndWait(ProcessId(5), question, 60s); });
    QTRY_VERIFY_WITH_TIMEOUT(process.asked("Statistics") > 0, kPatience);
    session.control().endProcessOfPid(process.info().pid(), "it was ended by signal Killed");
    const Answer answer = waiting.get();
    QCOMPARE(answer.outcome, Answer::Outcome::Unreachable);
    QVERIFY(answer.text.find("Killed") != std::string::npos);
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().processes.at(5).hasEnded, kPatience);
    QCOMPARE(session.control().callAndWait(ProcessId(5), question, 20s).outcome, Answer::Outcome::Unreachable);
}

// The ingest thread may have seconds of events before it learns of the end.
void IngestTest::anEndCountsFromWhenItWasSaid()
{
    struct Holding : RunSink {
        std::promise<void> isHeld;
        std::promise<void> go;
        bool hasHeld = false;
        void onEvent(ProcessId, const std::shared_ptr<const pb::Event>&, std::int64_t, std::size_t) override { }
        void onTold(ProcessId process, const pb::Told& told, std::int64_t) override
        {
            if (process != 5 || !told.has_ended() || std::exchange(hasHeld, true))
                return;
            isHeld.set_value();
            go.get_future().wait();
        }
        bool wantsKeyframe() const override { return false; }
        void onKeyframe(const ClusterState&, std::int64_t) override { }
    } sink;
    Session session;
    FakeProcess first(5, pb::NODE, "data-1"), second(6, pb::NODE, "data-2");
    session.control().addProcess(first.info());
    session.control().addProcess(second.info());
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().processes.size() == 2, kPatience);
    session.ingest().recordTo(&sink);
    session.control().endProcess(5, "killed on request");
    sink.isHeld.get_future().wait();
    session.control().endProcess(6, "killed on request");
    const std::int64_t said = session.ingest().nowNs();
    while (session.ingest().nowNs() < said + 20'000'000)
        std::this_thread::yield();
    sink.go.set_value();
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().processes.at(6).hasEnded, kPatience);
    QVERIFY(session.ingest().state().processes.at(6).endedNs <= said);
    session.ingest().recordTo(nullptr);
}

void IngestTest::aStopEndsAWaitForAnAnswer()
{
    Session session;
    FakeProcess process(5, pb::NODE, "data-1");
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
        return session.control().callAndWait(process.info().control_endpoint(),
            commandOf([](pb::Command& c) { c.mutable_statistics(); }), 60s, stop.get_token());
    });
    QTRY_VERIFY_WITH_TIMEOUT(process.asked("Statistics") > 0, kPatience);
    QElapsedTimer timer;
    timer.start();
    stop.request_stop();
    QCOMPARE(waiting.get().outcome, Answer::Outcome::Stopped);
    QVERIFY(timer.elapsed() < 5000);
}

void IngestTest::answersComeInTheOrderOfTheQuestions()
{
    Session session;
    FakeProcess slow(5, pb::NODE, "slow"), fast(6, pb::NODE, "fast");
    const auto records = [](std::uint32_t count) {
        return [count](const pb::Command&) -> std::optional<pb::CommandReply> {
            pb::CommandReply reply;
            reply.mutable_gauges()->set_records(count);
            return reply;
        };
    };
    fast.answer(records(6));
    const auto question = commandOf([](pb::Command& c) { c.mutable_statistics(); });
    auto waiting = std::async(std::launch::async, [&] {
        return session.control().callAllAndWait(
            { { slow.info().control_endpoint(), question }, { fast.info().control_endpoint(), question } }, 1s);
    });
    const auto answers = waiting.get();
    QCOMPARE(answers[0].outcome, Answer::Outcome::TimedOut);
    QVERIFY(bool(answers[1]));
    QCOMPARE(answers[1].reply.gauges().records(), 6u);
}

void IngestTest::theDirectoryIsFollowed()
{
    Session session;
    FakeProcess coordinator(1, pb::COORDINATOR, "coordinator"), bucket(11, pb::NODE, "data-1");
    std::atomic<bool> isAnswering { false }, isSilent { false };
    bucket.answer(
        [&, snapshots = bucketSnapshots(bucket, 4)](const pb::Command& command) -> std::optional<pb::CommandReply> {
            if (isSilent && !isAnswering)
                return std::nullopt;
            return command.has_statistics() && isAnswering ? std::optional(pb::CommandReply()) : snapshots(command);
        });
    std::atomic<bool> isListed { true };
    coordinator.answer([&](const pb::Command& command) -> std::optional<pb::CommandReply> {
        if (command.has_take_snapshot())
            return FakeProcess::snapshotOf(coordinator, 0, [](pb::Snapshot& s) { s.mutable_file()->set_exists(true); });
        if (!command.has_list_processes())
            return std::nullopt;
        pb::CommandReply reply;
        reply.mutable_processes();
        if (isListed) {
            auto* entry = reply.mutable_processes()->add_processes();
            *entry->mutable_process() = bucket.info();
            entry->mutable_process()->set_pid(std::uint32_t(::getpid())); // a live one
            entry->mutable_place()->set_role(pb::DATA);
            entry->set_silent_ms(12);
        }
        return reply;
    });
    session.control().watchCluster(coordinator.info().control_endpoint());
    QTRY_COMPARE_WITH_TIMEOUT(session.control().coordinator(), ProcessId(1), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session.control().find(11).has_value(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(session.control().find(11)->place.role(), pb::DATA, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(
        bucketOf(session.ingest().state()) != nullptr && bucketOf(session.ingest().state())->count == 4, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().file.exists, kPatience);
    QVERIFY(session.control().coordinatorAnswers());
    auto waiting = std::async(std::launch::async, [&] {
        return session.control().callAndWait(
            ProcessId(11), commandOf([](pb::Command& c) { c.mutable_describe_client(); }), 60s);
    });
    QTRY_VERIFY_WITH_TIMEOUT(bucket.asked("DescribeClient") >= 1, kPatience);
    // While it answers, it is alive, although the coordinator does not hear it.
    const int listsBefore = coordinator.asked("ListProcesses");
    isListed = false;
    QTRY_VERIFY_WITH_TIMEOUT(coordinator.asked("ListProcesses") >= listsBefore + 8, kPatience);
    QVERIFY(!session.control().find(11)->hasEnded);
    isSilent = true;
    QTRY_VERIFY_WITH_TIMEOUT(session.control().find(11)->hasEnded, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().processes.at(11).hasEnded, kPatience);
    // Its end was not observed: a waiting call continues to wait, and the coordinator may list the process again.
    isAnswering = true;
    const auto late = session.control().callAndWait(
        ProcessId(11), commandOf([](pb::Command& c) { c.mutable_statistics(); }), 20s);
    QVERIFY2(bool(late), late.text.c_str());
    QVERIFY(waiting.wait_for(0s) != std::future_status::ready);
    isListed = true;
    isSilent = false;
    QTRY_VERIFY_WITH_TIMEOUT(!session.control().find(11)->hasEnded, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!session.ingest().state().processes.at(11).hasEnded, kPatience);
    QCOMPARE(bucketOf(session.ingest().state())->count, 4u);
    // An observed end is not taken back by a coordinator that has not noticed it yet.
    session.control().endProcess(11, "killed on request");
    QCOMPARE(waiting.get().outcome, Answer::Outcome::Unreachable);
    const int lists = coordinator.asked("ListProcesses");
    QTRY_VERIFY_WITH_TIMEOUT(coordinator.asked("ListProcesses") >= lists + 4, kPatience);
    QVERIFY(session.control().find(11)->hasEnded && session.ingest().state().processes.at(11).hasEnded);
}

// A newly started coordinator hears of the processes one after the other.
void IngestTest::whomANewCoordinatorDoesNotKnowYetIsNotGone()
{
    Session session;
    FakeProcess first(1, pb::COORDINATOR, "coordinator"), second(2, pb::COORDINATOR, "coordinator"),
        bucket(11, pb::NODE, "data-1");
    bucket.answer(bucketSnapshots(bucket, 4));
    std::atomic<int> lists = 0;
    const auto answersWith = [&](FakeProcess& coordinator, bool isListed) {
        coordinator.answer([&, isListed](const pb::Command& command) -> std::optional<pb::CommandReply> {
            if (command.has_take_snapshot())
                return FakeProcess::snapshotOf(
                    coordinator, 0, [](pb::Snapshot& s) { s.mutable_file()->set_exists(true); });
            if (!command.has_list_processes())
                return std::nullopt;
            ++lists;
            pb::CommandReply reply;
            reply.mutable_processes();
            if (isListed)
                *reply.mutable_processes()->add_processes()->mutable_process() = bucket.info();
            return reply;
        });
    };
    answersWith(first, true);
    answersWith(second, false);
    session.control().watchCluster(first.info().control_endpoint());
    QTRY_VERIFY_WITH_TIMEOUT(session.control().find(11).has_value() && session.control().find(11)->isListed, kPatience);
    session.control().addProcess(second.info());
    session.control().watchCluster(second.info().control_endpoint());
    lists = 0;
    QTRY_VERIFY_WITH_TIMEOUT(lists >= 6, kPatience);
    QVERIFY(!session.control().find(11)->hasEnded);
}

void IngestTest::detailIsToldToThoseThatComeLater()
{
    Session session;
    FakeProcess first(5, pb::NODE, "data-1"), later(6, pb::NODE, "data-2");
    std::atomic<int> counts { 0 };
    const auto answerer = [&](const pb::Command& command) -> std::optional<pb::CommandReply> {
        if (command.has_set_detail() && command.set_detail().detail() == pb::COUNTS)
            ++counts;
        return pb::CommandReply();
    };
    first.answer(answerer);
    later.answer(answerer);
    session.control().addProcess(first.info());
    session.control().setDetail(pb::COUNTS, 100);
    QTRY_COMPARE_WITH_TIMEOUT(counts.load(), 1, kPatience);
    session.control().addProcess(later.info());
    QTRY_COMPARE_WITH_TIMEOUT(counts.load(), 2, kPatience);
}

void IngestTest::anotherClusterForgetsTheFormer()
{
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1"), other(12, pb::NODE, "data-1");
    bucket.answer(bucketSnapshots(bucket, 4));
    other.answer(bucketSnapshots(other, 6));
    session.control().addProcess(bucket.info());
    QTRY_VERIFY_WITH_TIMEOUT(bucketOf(session.ingest().state()) != nullptr, kPatience);
    session.control().leaveCluster();
    session.control().addProcess(other.info());
    QTRY_VERIFY_WITH_TIMEOUT(bucketOf(session.ingest().state()) != nullptr, kPatience);
    QCOMPARE(session.ingest().state().processes.size(), 1u);
    QCOMPARE(bucketOf(session.ingest().state())->process, ProcessId(12));
    QVERIFY(!session.control().find(11));
}

// The control thread goes before the ingest does: nothing may be asked of it afterwards.
void IngestTest::whoAsksForSnapshotsMayBeDestroyedOnceReplaced()
{
    zmq::context_t context;
    Ingest ingest(context);
    FakeProcess bucket(11, pb::NODE, "data-1");
    std::promise<void> isAsked, mayAnswer;
    ingest.onSnapshotWanted([&](ProcessId) {
        isAsked.set_value();
        mayAnswer.get_future().wait();
    });
    ingest.addProcess(bucket.info());
    isAsked.get_future().wait();
    auto replaced = std::async(std::launch::async, [&] { ingest.onSnapshotWanted({}); });
    const bool isReplacedTooEarly = replaced.wait_for(100ms) == std::future_status::ready;
    mayAnswer.set_value();
    replaced.get();
    QVERIFY(!isReplacedTooEarly);
}

QTEST_GUILESS_MAIN(IngestTest)
#include "tst_ingest.moc"
