// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings: what is written is what is read, at every instant.
#include "tests/rigs/lab/fake_process.h"
#include "tests/rigs/lab/recording_rig.h"
#include "tests/rigs/lab/sim_recording.h"

#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/session.h"
#include "node/sim/lhrs/swarm.h"

#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace lhrs;
using namespace lhrs::gui;

class RecordingTest : public QObject {
    Q_OBJECT
private slots:
    void everyPrefixIsAKeyframeAndItsTail();
    void whatWasToldStandsBetweenTheEvents();
    void whatIsToldLaterThanTheInstantIsNotThere();
    void aSimulatedRunIsTheSameAtEveryInstant_data();
    void aSimulatedRunIsTheSameAtEveryInstant();
    void aSimulatedRunIsTheSameInAnyOrderOfItsProcesses_data();
    void aSimulatedRunIsTheSameInAnyOrderOfItsProcesses();
    void whatAWatcherFoldsIsWhatIsRecorded();
    void onlyPagesThatChangedAreWrittenAgain();
    void eventsComeBackAsTheyWere();
    void operationsAreRowsAtTheEnd();
    void captionsCommandsAndExpectationsAreRows();
    void aFullQueueIsAGapThatAKeyframeHeals();
    void aLargeRunGoesOnInTheNextFile();
    void aFullDiskEndsTheRecordingAndSaysSo();
};

void RecordingTest::everyPrefixIsAKeyframeAndItsTail()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path, often(37));
    QVERIFY(recorder);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.story(growth(5, 3));
    QCOMPARE(recorder->finish(), QString());
    auto recording = Recording::open(path);
    QVERIFY2(recording, recording ? "" : recording.error().text.c_str());
    QCOMPARE((*recording)->damage(), QString());
    QCOMPARE((*recording)->events(), std::uint64_t(feeder.after.size()));
    QVERIFY((*recording)->keyframes().size() > feeder.after.size() / 40);
    for (std::uint64_t event = 1; event <= feeder.after.size(); ++event) {
        const auto state = (*recording)->stateAt(event);
        QVERIFY2(state, state ? "" : state.error().text.c_str());
        QCOMPARE(bytesOf(*state), feeder.after[event - 1]);
    }
}

// A process may end between two events, and a scenario may have said something before: a show can stop at that instant.
void RecordingTest::whatIsToldLaterThanTheInstantIsNotThere()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    pb::Event event;
    event.mutable_process_started();
    feeder.event(kNodes, event);
    const std::int64_t before = feeder.now;
    feeder.now += 500;
    pb::Told told;
    told.mutable_ended()->set_reason("killed");
    feeder.tell(kNodes, told);
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    std::uint64_t word = 0;
    auto state = (*recording)->stateAt(1, &word, before);
    QVERIFY(state && !state->processes.at(kNodes).hasEnded);
    QVERIFY((*recording)->fold(*state, 1, 1, word, before + 499));
    QVERIFY(!state->processes.at(kNodes).hasEnded);
    QVERIFY((*recording)->fold(*state, 1, 1, word, before + 500));
    QVERIFY(state->processes.at(kNodes).hasEnded);
    QVERIFY((*recording)->stateAt(1)->processes.at(kNodes).hasEnded);
}

void RecordingTest::whatWasToldStandsBetweenTheEvents()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path, often(11));
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    const Story story = growth(3, 9);
    std::mt19937 random(5);
    for (const auto& [process, index] : story.order) {
        feeder.event(process, story.told.at(process)[index]);
        pb::Told told;
        switch (random() % 12) {
        case 0: told.mutable_paused()->set_is_paused(true); break;
        case 1: told.mutable_paused(); break;
        case 2:
            told.mutable_gap()->set_first(5), told.mutable_gap()->set_last(7),
                told.mutable_gap()->set_is_contained(true);
            break;
        case 3:
            told.mutable_introduced()->set_node(900 + random() % 5);
            told.mutable_introduced()->set_name("late");
            break;
        case 4:
            told.mutable_snapshot()->set_process(process);
            told.mutable_snapshot()->set_sequence(feeder.state.processes.at(process).sequence);
            told.mutable_snapshot()->mutable_info()->set_node(process);
            told.mutable_snapshot()->set_spare_pool(pb::DATA);
            break;
        case 5: told.mutable_origin()->set_is_simulated(random() % 2 == 0); break;
        case 6:
            told.mutable_sampled()->set_process(process);
            told.mutable_sampled()->set_sequence(random() % 1'000);
            told.mutable_sampled()->add_threads()->set_name("Working 1");
            break;
        default: continue;
        }
        feeder.tell(process, told);
    }
    pb::Told told;
    told.mutable_ended()->set_reason("killed");
    feeder.tell(kNodes, told);
    told.mutable_gap()->set_first(1'000'000);
    told.mutable_gap()->set_last(1'000'003);
    feeder.tell(kNodes + 1, told);
    told.mutable_forgotten();
    feeder.tell(0, told);
    feeder.story(growth(1, 4));
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QCOMPARE((*recording)->events(), std::uint64_t(feeder.after.size()));
    for (std::uint64_t event = 1; event <= feeder.after.size(); ++event)
        QCOMPARE(bytesOf(*(*recording)->stateAt(event)), feeder.after[event - 1]);
    // The same by hand, event by event.
    ClusterState state = *(*recording)->stateAt(1);
    for (std::uint64_t event = 2; event <= feeder.after.size(); ++event) {
        QVERIFY((*recording)->fold(state, event - 1, event));
        QCOMPARE(bytesOf(state), feeder.after[event - 1]);
    }
    const auto words = (*recording)->words(); // for exports and charts, which need no samples
    QVERIFY(!words.empty()
        && std::none_of(words.begin(), words.end(), [](const auto& word) { return word.told.has_sampled(); }));
    const EventPage page = (*recording)->eventsSince(0, 100'000);
    QCOMPARE(page.events.size(), feeder.after.size());
    QVERIFY(std::any_of(page.events.begin(), page.events.end(),
        [](const RunEvent& e) { return e.isGap() && e.gapFirst == 1'000'000 && e.gapLast == 1'000'003; }));
    QVERIFY(!(*recording)->rows("gap").empty());
}

void RecordingTest::aSimulatedRunIsTheSameAtEveryInstant_data()
{
    QTest::addColumn<quint64>("seed");
    for (const quint64 seed : { 3, 17, 10'003, 10'042, 10'117, 20'001, 20'064, 20'133 })
        QTest::newRow(qPrintable(QString::number(seed))) << seed;
}

void RecordingTest::aSimulatedRunIsTheSameAtEveryInstant()
{
    QFETCH(const quint64, seed);
    QTemporaryDir folder;
    const QString path = folder.filePath("seed.lhrun");
    Simulation simulation(drawCase(seed));
    const auto recorder = recorderAt(path, often(1'000));
    // Keeps the state after some of the events.
    struct Samples : RunSink {
        Recorder& to;
        const ClusterState* state = nullptr;
        std::map<std::uint64_t, std::string> kept;
        std::uint64_t events = 0;
        explicit Samples(Recorder& recorder) : to(recorder) { }
        void onEvent(ProcessId p, const std::shared_ptr<const pb::Event>& e, std::int64_t t, std::size_t b) override
        {
            to.onEvent(p, e, t, b);
            if (++events % 97 == 0 && state != nullptr)
                kept[events] = bytesOf(*state);
        }
        void onTold(ProcessId p, const pb::Told& told, std::int64_t t) override
        {
            to.onTold(p, told, t);
            if (kept.contains(events) && state != nullptr)
                kept[events] = bytesOf(*state);
        }
        bool wantsKeyframe() const override { return to.wantsKeyframe(); }
        void onKeyframe(const ClusterState& s, std::int64_t t) override { to.onKeyframe(s, t); }
    } samples(*recorder);
    SimRecording live(simulation, samples);
    samples.state = &live.state();
    QVERIFY(simulation.run());
    live.finish();
    QCOMPARE(recorder->finish(), QString());
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QCOMPARE((*recording)->events(), simulation.cluster().eventCount());
    QVERIFY(samples.kept.size() > 3);
    for (const auto& [event, bytes] : samples.kept)
        QCOMPARE(bytesOf(*(*recording)->stateAt(event)), bytes);
    QCOMPARE(bytesOf(*(*recording)->stateAt((*recording)->events())), bytesOf(live.state()));
}

void RecordingTest::aSimulatedRunIsTheSameInAnyOrderOfItsProcesses_data()
{
    QTest::addColumn<quint64>("seed");
    // Runs with one coordinator: conflicting descriptions by two of them are applied in the order of arrival (Known, in
    // README.md).
    for (const quint64 seed : { 3, 10'003, 10'117, 20'064 })
        QTest::newRow(qPrintable(QString::number(seed))) << seed;
}

// Events of different processes arrive in any order; those of one process arrive in order.
void RecordingTest::aSimulatedRunIsTheSameInAnyOrderOfItsProcesses()
{
    QFETCH(const quint64, seed);
    struct Report {
        std::shared_ptr<const pb::Event> event;
        pb::Told told;
        std::int64_t ns = 0;
    };
    struct Words : RunSink {
        std::map<ProcessId, std::vector<Report>> of;
        void onEvent(ProcessId p, const std::shared_ptr<const pb::Event>& e, std::int64_t t, std::size_t) override
        {
            of[p].push_back({ e, {}, t });
        }
        void onTold(ProcessId p, const pb::Told& told, std::int64_t t) override
        {
            of[p].push_back({ nullptr, told, t });
        }
        bool wantsKeyframe() const override { return false; }
        void onKeyframe(const ClusterState&, std::int64_t) override { }
    } words;
    Simulation simulation(drawCase(seed));
    SimRecording live(simulation, words);
    QVERIFY(simulation.run());
    live.finish();
    // The counts of the invariants depend on the order in which processes are heard; what they say of the run does not.
    const auto bytesWithoutInvariants = [](ClusterState state) {
        state.invariants = {};
        return bytesOf(state);
    };
    const std::string truth = bytesWithoutInvariants(live.state());
    for (std::uint32_t order = 0; order < 3; ++order) {
        std::mt19937 random(order);
        ClusterState state;
        std::map<ProcessId, std::size_t> next;
        std::vector<ProcessId> speakers;
        for (const auto& [process, all] : words.of)
            speakers.push_back(process);
        while (!speakers.empty()) {
            const std::size_t who = random() % speakers.size();
            const std::vector<Report>& all = words.of.at(speakers[who]);
            // Some events of one process, then those of another.
            for (std::size_t count = 1 + random() % 20; count > 0 && next[speakers[who]] < all.size(); --count) {
                const Report& one = all[next[speakers[who]]++];
                if (one.event)
                    state.apply(speakers[who], *one.event, one.ns);
                else
                    state.apply(speakers[who], one.told, one.ns);
            }
            if (next[speakers[who]] >= all.size())
                speakers.erase(speakers.begin() + std::ptrdiff_t(who));
        }
        QVERIFY(!state.invariants.anyViolated());
        const std::string bytes = bytesWithoutInvariants(state);
        if (bytes == truth)
            continue;
        pb::Keyframe wanted, got;
        QVERIFY(wanted.ParseFromString(truth) && got.ParseFromString(bytes));
        const QStringList expected = QString::fromStdString(wanted.DebugString()).split('\n'),
                          now = QString::fromStdString(got.DebugString()).split('\n');
        for (qsizetype i = 0; i < std::max(expected.size(), now.size()); ++i)
            QVERIFY2(expected.value(i) == now.value(i),
                qPrintable(
                    QString("order %1, line %2\n  in their order: %3\n  in this one: %4\n  after: %5")
                        .arg(order)
                        .arg(i)
                        .arg(expected.value(i), now.value(i), now.mid(std::max<qsizetype>(0, i - 12), 12).join(" "))));
    }
}

void RecordingTest::whatAWatcherFoldsIsWhatIsRecorded()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    Session session;
    FakeProcess bucket(11, pb::NODE, "data-1");
    bucket.answer([&](const pb::Command& command) -> std::optional<pb::CommandReply> {
        if (!command.has_take_snapshot())
            return std::nullopt;
        return FakeProcess::snapshotOf(
            bucket, 3, [](pb::Snapshot& snapshot) { snapshot.mutable_data()->set_count(3); });
    });
    const auto recorder = recorderAt(path, often(16));
    session.ingest().recordTo(recorder.get());
    session.control().addProcess(bucket.info());
    const auto inserted = [](std::uint32_t rank) {
        pb::Event event;
        event.mutable_place()->set_role(pb::DATA);
        event.mutable_record_inserted()->set_key(rank);
        event.mutable_record_inserted()->set_rank(rank);
        event.mutable_record_inserted()->set_count(rank);
        return event;
    };
    // With missing events, so that there are snapshots and gaps.
    std::uint64_t next = 1;
    QTRY_VERIFY_WITH_TIMEOUT((bucket.publish(next, { inserted(std::uint32_t(next)) }), next += next % 7 == 0 ? 4 : 1,
                                 session.ingest().counters().events >= 60),
        20'000);
    session.ingest().pauseProcess(11, true);
    session.ingest().endProcess(11, "killed");
    QTRY_VERIFY_WITH_TIMEOUT(session.ingest().state().processes.at(11).hasEnded, 20'000);
    // Some events are still on their way: the state at the moment when the recorder is closed.
    struct Last : RunSink {
        ClusterState state;
        void onEvent(ProcessId, const std::shared_ptr<const pb::Event>&, std::int64_t, std::size_t) override { }
        void onTold(ProcessId, const pb::Told&, std::int64_t) override { }
        bool wantsKeyframe() const override { return false; }
        void onKeyframe(const ClusterState& now, std::int64_t) override { state = now; }
    } last;
    session.ingest().recordTo(&last);
    session.ingest().recordTo(nullptr);
    QCOMPARE(recorder->finish(), QString());
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QVERIFY((*recording)->events() >= 60);
    QCOMPARE(bytesOf(*(*recording)->stateAt((*recording)->events())), bytesOf(last.state));
}

void RecordingTest::onlyPagesThatChangedAreWrittenAgain()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path, often(1'000'000));
    ClusterState state;
    for (std::uint32_t rank = 1; rank < 10 * RankMap::kPage; ++rank)
        state.data[0].ranks.set(rank, rank);
    recorder->onKeyframe(state, 0);
    state.data[0].ranks.set(5, 99);
    recorder->onKeyframe(state, 1);
    state.data[0].ranks.clear(RankMap::kPage * 3);
    state.data.erase(0);
    state.data[0].ranks.set(5, 1);
    recorder->onKeyframe(state, 2);
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    std::map<int, int> pages;
    for (const auto& row : (*recording)->rows("keyframe_page"))
        ++pages[row.at("keyframe").toInt()];
    QCOMPARE(pages, (std::map<int, int> { { 1, 10 }, { 2, 1 }, { 3, 1 } }));
    QCOMPARE((*recording)->stateAt(0)->data.at(0).ranks.count(), 1u); // the last of the three
}

void RecordingTest::eventsComeBackAsTheyWere()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    makeRecording(path);
    const Story story = growth(6, 7);
    auto recording = Recording::open(path);
    QVERIFY(recording);
    std::uint64_t cursor = 0;
    std::size_t index = 0;
    while (cursor < (*recording)->events()) {
        const EventPage page = (*recording)->eventsSince(cursor, 33);
        QVERIFY(!page.events.empty());
        for (const RunEvent& event : page.events) {
            const auto& [process, number] = story.order[index++];
            QCOMPARE(event.index, std::uint64_t(index));
            QCOMPARE(event.process, process);
            QVERIFY(!event.isGap());
            QCOMPARE(event.event->SerializeAsString(), story.told.at(process)[number].SerializeAsString());
        }
        cursor = page.next;
    }
    QCOMPARE(index, story.order.size());
    const std::uint64_t middle = (*recording)->events() / 2;
    QCOMPARE((*recording)->eventAt(std::int64_t(middle) * 1000), middle);
    QCOMPARE((*recording)->eventAt(-1), std::uint64_t(0));
}

void RecordingTest::operationsAreRowsAtTheEnd()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    pb::Event event;
    event.mutable_operation()->set_client(0xfedcba9876543210);
    event.mutable_operation()->set_number(12);
    event.mutable_operation_started()->set_key(77);
    feeder.event(kClient, event);
    event.mutable_message_sent()->set_kind("search");
    feeder.event(kClient, event);
    feeder.event(kNodes, event);
    auto& done = *event.mutable_operation_done();
    done.set_key(77);
    done.set_kind(pb::SEARCH);
    done.set_result(pb::OK);
    done.set_forwards(2);
    done.set_path(pb::FORWARDED);
    feeder.event(kClient, event);
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    const auto rows = (*recording)->rows("operation");
    QCOMPARE(rows.size(), std::size_t(1));
    QCOMPARE(rows[0].at("kind").toString(), QString("search"));
    QCOMPARE(rows[0].at("key").toInt(), 77);
    QCOMPARE(rows[0].at("begin_ns").toInt(), 1000);
    QCOMPARE(rows[0].at("end_ns").toInt(), 4000);
    QCOMPARE(rows[0].at("messages").toInt(), 2);
    QCOMPARE(rows[0].at("forwards").toInt(), 2);
    QCOMPARE(rows[0].at("path").toString(), QString("forwarded"));
}

void RecordingTest::captionsCommandsAndExpectationsAreRows()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    const auto recorder = recorderAt(path);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.event(kClient, pb::Event());
    recorder->caption("say", "a", "One bucket <b>only</b>", "scenario");
    recorder->marker("split", "bucket 0 splits", "window");
    recorder->expectation({ 12, "all are found", false, "got 3, wanted 4" });
    recorder->command({ 13, "lab.kill", "[\"data 1\"]", "{\"id\":1}", true, 12'000 }, "scenario");
    recorder->question({ 1, "Which?", { "a", "b" } }, "3,4", 1);
    recorder->scenario("grow.js", "lab.cluster()");
    recorder->measurement("recovery", 2, false, 0, "{\"slice\":100}", "counts", { { "total_s", 0.5 } });
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QCOMPARE((*recording)->captions().at(0).text, QString("One bucket <b>only</b>"));
    QCOMPARE((*recording)->captions().at(0).event, std::uint64_t(1));
    QCOMPARE((*recording)->markers().at(0).kind, QString("split"));
    QCOMPARE((*recording)->rows("expectation").at(0).at("ok").toInt(), 0);
    QCOMPARE((*recording)->rows("command").at(0).at("call").toString(), QString("lab.kill"));
    QCOMPARE((*recording)->rows("question").at(0).at("answer").toInt(), 1);
    QCOMPARE((*recording)->rows("scenario").at(0).at("text").toString(), QString("lab.cluster()"));
    const auto metric = (*recording)->rows("metric").at(0);
    QCOMPARE(metric.at("value").toDouble(), 0.5);
    QCOMPARE(metric.at("unit").toString(), QString("s"));
    QCOMPARE(metric.at("measurement").toInt(), (*recording)->rows("measurement").at(0).at("id").toInt());
}

void RecordingTest::aFullQueueIsAGapThatAKeyframeHeals()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    RecorderLimits limits;
    limits.queueBytes = 5'000; // about ten events
    const auto recorder = recorderAt(path, limits);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.isKept = false;
    feeder.story(growth(6, 7));
    const auto status = recorder->status();
    QCOMPARE(status.events, std::uint64_t(growth(6, 7).order.size()));
    QCOMPARE(recorder->finish(), QString());
    auto recording = Recording::open(path);
    QVERIFY(recording);
    std::uint64_t read = 0, gaps = 0;
    for (const RunEvent& event : (*recording)->eventsSince(0, 1'000'000).events)
        event.isGap() ? ++gaps : ++read;
    QCOMPARE(read + status.lost, status.events);
    QVERIFY(status.lost > 0 && gaps > 0);
    for (const auto& row : (*recording)->rows("gap"))
        QCOMPARE(row.at("reason").toString(), QString("the recorder's queue was full"));
}

void RecordingTest::aLargeRunGoesOnInTheNextFile()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    RecorderLimits limits = often(200);
    limits.fileBytes = 300'000;
    const auto recorder = recorderAt(path, limits);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.isKept = false;
    // Until the second file exists.
    QTRY_VERIFY_WITH_TIMEOUT((feeder.story(growth(6, 7)), recorder->status().path != path), 30'000);
    const QString second = recorder->status().path;
    QCOMPARE(second, folder.filePath("run-2.lhrun"));
    feeder.story(growth(1, 1));
    QCOMPARE(recorder->finish(), QString());
    auto first = Recording::open(path), next = Recording::open(recorder->status().path);
    QVERIFY(first && next);
    QCOMPARE((*first)->damage(), QString());
    QCOMPARE((*next)->damage(), QString());
    QCOMPARE((*next)->keyframes().at(0), std::uint64_t(0));
    QCOMPARE(bytesOf(*(*next)->stateAt((*next)->events())), bytesOf(feeder.state));
}

void RecordingTest::aFullDiskEndsTheRecordingAndSaysSo()
{
    QTemporaryDir folder;
    const QString path = folder.filePath("run.lhrun");
    RecorderLimits limits;
    limits.freeBytes = std::int64_t(1) << 60; // no disk has that much free space
    const auto recorder = recorderAt(path, limits);
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.isKept = false;
    feeder.story(growth(1, 1));
    QTRY_VERIFY_WITH_TIMEOUT(!recorder->status().stopped.isEmpty(), 20'000);
    QVERIFY2(recorder->status().stopped.contains("is free on the disk"), qPrintable(recorder->status().stopped));
    feeder.story(growth(1, 1)); // changes nothing, and does not block
    recorder->finish();
    auto recording = Recording::open(path);
    QVERIFY(recording);
    QCOMPARE((*recording)->damage(), QString());
}

QTEST_GUILESS_MAIN(RecordingTest)
#include "tst_recording.moc"
