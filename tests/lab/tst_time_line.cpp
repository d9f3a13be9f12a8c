// SPDX-License-Identifier: GPL-3.0-or-later
// The time line: the shown instant, live and in recordings; every instant has the state of that time.
#include "tests/rigs/lab/recording_rig.h"

#include "gui/lab/replay/time_line.h"

#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

using Mode = TimeLine::Mode;
using Unit = TimeLine::Unit;

// A running cluster that is recorded: a story published event by event, 1 µs apart.
struct LiveRun : EventFeed {
    QTemporaryDir folder;
    QString path = folder.filePath("run.lhrun");
    std::unique_ptr<Recorder> recorder = recorderAt(path, often(40));
    Feeder feeder { *recorder };
    EventRing ring;
    Story story;
    std::size_t told = 0;

    explicit LiveRun(Story tale = growth(12, 3)) : story(std::move(tale)) { recorder->onKeyframe({}, 0); }
    void tell(std::size_t count)
    {
        for (; count > 0 && told < story.order.size(); --count, ++told) {
            const auto& [process, index] = story.order[told];
            const pb::Event& event = story.told.at(process)[index];
            feeder.event(process, event);
            ring.push(process, feeder.now, std::make_shared<pb::Event>(event), 100);
        }
    }
    Result<std::unique_ptr<Recording>> openPast()
    {
        recorder->flush();
        return Recording::openLive(path);
    }
    TimeLine timeLine()
    {
        return TimeLine(*this, [this] { return openPast(); });
    }
    std::unique_ptr<Recording> closed()
    {
        recorder->finish();
        auto recording = Recording::open(path);
        return recording ? std::move(*recording) : nullptr;
    }

    ClusterState state() const override { return feeder.state; }
    std::uint64_t committed() const override { return ring.lastIndex(); }
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override { return ring.since(cursor, max); }
    std::int64_t nowNs() const override { return feeder.now; }
};

} // namespace

class TimeLineTest : public QObject {
    Q_OBJECT
private slots:
    void itFollowsUntilItIsStopped();
    void aFrozenPictureMissesNothing();
    void everyInstantIsTheStateOfThen();
    void stepsForwardAndBackMeetTheSameStates();
    void operationsAndStructureAreSteps();
    void joinsAndLeavesOfARingAreSteps();
    void playingSkipsNoEvent_data();
    void playingSkipsNoEvent();
    void playingCatchesUpAndFollows();
    void aRecordingStandsAtItsEnd();
    void theModesChangeAsTheTableSays_data();
    void theModesChangeAsTheTableSays();
    void withoutARecordingItSaysWhy();
    void aLiveClusterComesBackAfterARecording();
};

void TimeLineTest::itFollowsUntilItIsStopped()
{
    LiveRun run;
    TimeLine time = run.timeLine();
    run.tell(100);
    QCOMPARE(time.mode(), Mode::Follow);
    QCOMPARE(time.committed(), std::uint64_t(100));
    QCOMPARE(bytesOf(time.state()), bytesOf(run.state()));
    QCOMPARE(time.eventsSince(90, 100).events.size(), std::size_t(10));
    QCOMPARE(time.behind(), std::uint64_t(0));
}

void TimeLineTest::aFrozenPictureMissesNothing()
{
    LiveRun run;
    TimeLine time = run.timeLine();
    run.tell(100);
    time.pause(run.nowNs());
    QVERIFY(time.isFrozen());
    QCOMPARE(time.jumps(), std::uint64_t(0)); // the picture is unchanged
    run.tell(150);
    QCOMPARE(time.behind(), std::uint64_t(150));
    QCOMPARE(time.endNs() - time.cursorNs(), std::int64_t(150'000));
    // One step: from here on it is the recorded past, with the state of the moment at which it was frozen.
    QVERIFY(time.step(1, Unit::Event));
    QVERIFY(!time.isFrozen());
    QCOMPARE(time.cursor(), std::uint64_t(101));
    QCOMPARE(bytesOf(time.state()), run.feeder.after[100]);
    const std::uint64_t jumps = time.jumps();
    time.follow();
    QVERIFY(time.jumps() > jumps);
    QCOMPARE(time.mode(), Mode::Follow);
    QCOMPARE(bytesOf(time.state()), bytesOf(run.state()));
    // Frozen and released with no event in between: nothing jumps.
    const std::uint64_t before = time.jumps();
    time.pause(run.nowNs());
    time.follow();
    QCOMPARE(time.jumps(), before);
}

void TimeLineTest::everyInstantIsTheStateOfThen()
{
    LiveRun run;
    TimeLine time = run.timeLine();
    run.tell(100'000);
    const std::uint64_t all = run.committed();
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
        const std::uint64_t event = 1 + random() % all;
        if (i % 2 == 0)
            time.seek(event);
        else
            time.seekTime(std::int64_t(event) * 1000);
        QCOMPARE(time.mode(), Mode::Paused);
        QCOMPARE(time.cursor(), event);
        QCOMPARE(time.cursorNs(), std::int64_t(event) * 1000);
        QCOMPARE(bytesOf(time.state()), run.feeder.after[event - 1]);
        QCOMPARE(time.behind(), all - event);
        QVERIFY(time.eventsSince(event, 10).events.empty()); // nothing from the future
        QCOMPARE(time.eventsSince(event - 1, 10).events.size(), std::size_t(1));
    }
    time.seek(0);
    QCOMPARE(bytesOf(time.state()), bytesOf({}));
    time.seek(all + 1000);
    QCOMPARE(time.cursor(), all);
}

void TimeLineTest::stepsForwardAndBackMeetTheSameStates()
{
    LiveRun run;
    TimeLine time = run.timeLine();
    run.tell(200);
    time.seek(100);
    for (std::uint64_t event = 101; event <= 140; ++event) {
        QVERIFY(time.step(1, Unit::Event));
        QCOMPARE(bytesOf(time.state()), run.feeder.after[event - 1]);
    }
    for (std::uint64_t event = 139; event >= 90; --event) {
        QVERIFY(time.step(-1, Unit::Event));
        QCOMPARE(time.cursor(), event);
        QCOMPARE(bytesOf(time.state()), run.feeder.after[event - 1]);
    }
    time.seek(0);
    QVERIFY(!time.step(-1, Unit::Event));
    time.seek(200);
    QVERIFY(!time.step(1, Unit::Event));
}

void TimeLineTest::operationsAndStructureAreSteps()
{
    LiveRun run;
    TimeLine time = run.timeLine();
    run.tell(100'000);
    std::vector<std::uint64_t> done, finished;
    std::uint64_t number = 0;
    for (const auto& [process, index] : run.story.order) {
        ++number;
        const pb::Event& event = run.story.told.at(process)[index];
        if (event.has_operation_done())
            done.push_back(number);
        if (event.has_split_finished())
            finished.push_back(number);
    }
    QVERIFY(done.size() > 5 && finished.size() == 12);
    time.seek(0);
    for (const std::uint64_t event : done) {
        QVERIFY(time.step(1, Unit::Operation));
        QCOMPARE(time.cursor(), event);
        QCOMPARE(bytesOf(time.state()), run.feeder.after[event - 1]);
    }
    QVERIFY(!time.step(1, Unit::Operation));
    time.seek(run.committed());
    while (time.cursor() != finished.back())
        QVERIFY(time.step(-1, Unit::Structure));
    QCOMPARE(bytesOf(time.state()), run.feeder.after[finished.back() - 1]);
}

void TimeLineTest::joinsAndLeavesOfARingAreSteps()
{
    Story story;
    story.start(kClient, pb::CLIENT, "alice");
    story.tell(kNodes).mutable_walk()->mutable_ring_begun();
    for (int i = 0; i < 3; ++i)
        story.tell(kNodes).mutable_walk()->mutable_query_passed();
    story.tell(kNodes + 1).mutable_walk()->mutable_node_joined();
    story.tell(kNodes).mutable_walk()->mutable_key_stored();
    story.tell(kNodes + 1).mutable_walk()->mutable_node_left();
    LiveRun run(story);
    TimeLine time = run.timeLine();
    run.tell(100);
    time.seek(0);
    for (const std::uint64_t event : { 2u, 6u, 8u }) {
        QVERIFY(time.step(1, Unit::Structure));
        QCOMPARE(time.cursor(), event);
    }
    QVERIFY(!time.step(1, Unit::Structure));
    QVERIFY(time.step(-1, Unit::Structure));
    QCOMPARE(time.cursor(), std::uint64_t(6));
}

void TimeLineTest::playingSkipsNoEvent_data()
{
    QTest::addColumn<double>("speed");
    QTest::newRow("slow") << 0.001;
    QTest::newRow("as it was") << 1.0;
    QTest::newRow("fast") << 100.0;
}

void TimeLineTest::playingSkipsNoEvent()
{
    QFETCH(const double, speed);
    LiveRun run;
    run.tell(100'000);
    TimeLine time = run.timeLine();
    time.showRecording(run.closed());
    QCOMPARE(time.mode(), Mode::Paused);
    QCOMPARE(time.cursor(), std::uint64_t(0));
    time.setSpeed(speed);
    time.play();
    std::uint64_t cursor = 0;
    // Each frame covers a hundredth of the run.
    const double frame = double(time.endNs()) / 1e9 / speed / 100;
    for (int i = 0; i < 150; ++i) {
        time.advance(frame);
        for (const RunEvent& event : time.eventsSince(cursor, 1'000'000).events)
            QCOMPARE(event.index, ++cursor);
        QCOMPARE(cursor, time.cursor());
        if (cursor > 0)
            QCOMPARE(bytesOf(time.state()), run.feeder.after[cursor - 1]);
    }
    QCOMPARE(cursor, run.committed());
    QCOMPARE(time.mode(), Mode::Paused);
}

void TimeLineTest::playingCatchesUpAndFollows()
{
    LiveRun run;
    run.tell(300);
    TimeLine time = run.timeLine();
    time.seek(50);
    time.play();
    QCOMPARE(time.mode(), Mode::Play);
    time.advance(100e-6);
    QCOMPARE(time.cursor(), std::uint64_t(150));
    run.tell(10);
    for (int i = 0; i < 100 && time.mode() == Mode::Play; ++i) {
        run.recorder->flush();
        time.advance(10e-6);
    }
    QCOMPARE(time.mode(), Mode::Follow);
    QCOMPARE(bytesOf(time.state()), bytesOf(run.state()));
}

void TimeLineTest::aRecordingStandsAtItsEnd()
{
    LiveRun run;
    run.tell(100);
    TimeLine time = run.timeLine();
    time.showRecording(run.closed());
    time.follow(); // "to the end"
    QCOMPARE(time.cursor(), std::uint64_t(100));
    QCOMPARE(time.mode(), Mode::Paused);
    QCOMPARE(bytesOf(time.state()), run.feeder.after.back());
    time.play(); // again, from the beginning
    QCOMPARE(time.mode(), Mode::Play);
    QCOMPARE(time.cursor(), std::uint64_t(0));
    time.pause(0);
    QCOMPARE(time.mode(), Mode::Paused);
    QVERIFY(!time.isFrozen());
}

void TimeLineTest::theModesChangeAsTheTableSays_data()
{
    QTest::addColumn<int>("from");
    QTest::addColumn<QString>("wish");
    QTest::addColumn<int>("to");
    const auto row = [](Mode from, const char* wish, Mode to) {
        QTest::addRow("%d %s", int(from), wish) << int(from) << QString(wish) << int(to);
    };
    row(Mode::Follow, "pause", Mode::Paused);
    row(Mode::Follow, "play", Mode::Follow);
    row(Mode::Follow, "follow", Mode::Follow);
    row(Mode::Follow, "step", Mode::Paused);
    row(Mode::Follow, "seek", Mode::Paused);
    row(Mode::Paused, "pause", Mode::Paused);
    row(Mode::Paused, "play", Mode::Play);
    row(Mode::Paused, "follow", Mode::Follow);
    row(Mode::Paused, "step", Mode::Paused);
    row(Mode::Paused, "seek", Mode::Paused);
    row(Mode::Play, "pause", Mode::Paused);
    row(Mode::Play, "play", Mode::Play);
    row(Mode::Play, "follow", Mode::Follow);
    row(Mode::Play, "step", Mode::Paused);
    row(Mode::Play, "seek", Mode::Paused);
}

void TimeLineTest::theModesChangeAsTheTableSays()
{
    QFETCH(const int, from);
    QFETCH(const QString, wish);
    QFETCH(const int, to);
    LiveRun run;
    run.tell(100);
    TimeLine time = run.timeLine();
    if (Mode(from) != Mode::Follow)
        time.seek(50);
    if (Mode(from) == Mode::Play)
        time.play();
    QCOMPARE(int(time.mode()), from);
    const std::uint64_t at = time.cursor();
    if (wish == "pause")
        time.pause(run.nowNs());
    else if (wish == "play")
        time.play();
    else if (wish == "follow")
        time.follow();
    else if (wish == "step")
        time.step(-1, Unit::Event);
    else
        time.seek(20);
    QCOMPARE(int(time.mode()), to);
    QVERIFY(time.trouble().isEmpty());
    if (wish == "play" && Mode(from) == Mode::Paused)
        QCOMPARE(time.cursor(), at); // from where it is, without a jump
}

void TimeLineTest::withoutARecordingItSaysWhy()
{
    LiveRun run;
    run.tell(20);
    TimeLine time(run, [] { return Result<std::unique_ptr<Recording>>(Error { "The disk is full." }); });
    time.pause(run.nowNs());
    QVERIFY(time.isFrozen()); // freezing needs no recording
    QVERIFY(!time.step(-1, Unit::Event));
    QCOMPARE(time.trouble(), QString("The disk is full."));
    time.seek(3);
    QCOMPARE(time.trouble(), QString("The disk is full."));
    time.follow();
    QCOMPARE(time.mode(), Mode::Follow);
}

void TimeLineTest::aLiveClusterComesBackAfterARecording()
{
    LiveRun run;
    run.tell(50);
    LiveRun other(growth(2, 8));
    other.tell(30);
    TimeLine time = run.timeLine();
    time.showRecording(other.closed());
    time.seek(30);
    QCOMPARE(bytesOf(time.state()), other.feeder.after.back());
    run.tell(10);
    time.showRecording(nullptr);
    QCOMPARE(time.mode(), Mode::Follow);
    QCOMPARE(bytesOf(time.state()), bytesOf(run.state()));
}

QTEST_GUILESS_MAIN(TimeLineTest)
#include "tst_time_line.moc"
