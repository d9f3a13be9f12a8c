// SPDX-License-Identifier: GPL-3.0-or-later
// The director alone, with a recorder that has written exactly as much as the test wants. The speed of writing does not
// pace the picture, and the picture is live while a question is open.
#include "tests/rigs/lab/recording_rig.h"

#include "gui/show/director.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>

using namespace lhrs;
using namespace lhrs::gui;
using Kind = ReelEntry::Kind;
using Await = Director::Await;

namespace {

constexpr double kShownFrame = 0.05; // seconds

// Two processes that answer each other: each event is caused by the one before, after a readable time.
Story talk(std::size_t events)
{
    Story story;
    story.start(kCoordinator, pb::COORDINATOR, "coordinator");
    story.start(kClient, pb::CLIENT, "alice");
    while (story.order.size() < events) {
        const bool isClient = story.order.size() % 2 == 0;
        const ProcessId other = isClient ? kCoordinator : kClient;
        const std::size_t cause = story.told.at(other).size();
        pb::Event& event = story.tell(isClient ? kClient : kCoordinator);
        event.mutable_message_received()->set_kind("delta");
        event.set_cause_process(other);
        event.set_cause_sequence(cause);
    }
    return story;
}

// A cluster at work. Its events are received, but not recorded until the test says so.
struct WrittenRun : EventFeed {
    QTemporaryDir folder;
    QString path = folder.filePath("run.lhrun");
    std::unique_ptr<Recorder> recorder = recorderAt(path);
    Feeder feeder { *recorder };
    EventRing ring;
    Story story = talk(300);
    ClusterState newest;
    std::size_t received = 0, written = 0;
    std::map<ProcessId, std::uint64_t> sequences;

    WrittenRun()
    {
        feeder.isKept = false;
        recorder->onKeyframe({}, 0);
    }
    static std::int64_t nsOf(std::size_t event) { return std::int64_t(event) * 1'000; } // as the feeder numbers them
    void receive(std::size_t upTo)
    {
        for (; received < std::min(upTo, story.order.size()); ++received) {
            const auto& [process, index] = story.order[received];
            pb::Event event = story.told.at(process)[index];
            event.set_sequence(++sequences[process]);
            newest.apply(process, event, nsOf(received + 1));
            ring.push(process, nsOf(received + 1), std::make_shared<pb::Event>(event), 100);
        }
    }
    void write(std::size_t upTo)
    {
        receive(upTo);
        for (; written < std::min(upTo, story.order.size()); ++written) {
            const auto& [process, index] = story.order[written];
            feeder.event(process, story.told.at(process)[index]);
        }
        recorder->flush();
    }

    ClusterState state() const override { return newest; }
    std::uint64_t committed() const override { return ring.lastIndex(); }
    EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override { return ring.since(cursor, max); }
    std::int64_t nowNs() const override { return nsOf(received); }
};

struct DirectedShow {
    WrittenRun run;
    TimeLine time { run, [this] { return Recording::openLive(run.path); } };
    Pacer pacer { run };
    Director director { pacer, time };
    int hurried = 0;
    double played = 0;

    DirectedShow()
    {
        director.setHurry([this] { ++hurried; });
        director.beginLive();
    }
    static Cue cue(std::size_t event) { return { event, WrittenRun::nsOf(event) }; }
    void say(const QString& words, const Cue& at) { director.add({ .kind = Kind::Caption, .at = at, .text = words }); }
    void frame()
    {
        director.advance(kShownFrame);
        played += kShownFrame;
    }
    bool until(const std::function<bool()>& holds, double secondsMost = 120)
    {
        for (const double end = played + secondsMost; played < end && !holds();)
            frame();
        return holds();
    }
    // The recording is polled a few times per second of real time, which is not part of the show's time.
    bool takesWhatIsWritten()
    {
        return QTest::qWaitFor(
            [this] {
                director.advance(0);
                return !director.isStarved();
            },
            20'000);
    }
    bool says(const QString& words)
    {
        return until([&] { return director.caption() == words; });
    }
};

} // namespace

class DirectorTest : public QObject {
    Q_OBJECT
private slots:
    void thePictureIsNotPacedByItsRecorder_data();
    void thePictureIsNotPacedByItsRecorder();
    void whatIsNeverRecordedIsNotWaitedForLong();
    void whileNothingIsToldWhatHappensIsShown();
    void whileAQuestionIsOpenThePictureIsLive();
    void afterAQuestionTheScriptHasTimeToSpeak();
};

void DirectorTest::thePictureIsNotPacedByItsRecorder_data()
{
    QTest::addColumn<bool>("isByTime");
    QTest::newRow("up to an event") << false;
    QTest::newRow("up to an instant") << true;
}

void DirectorTest::thePictureIsNotPacedByItsRecorder()
{
    QFETCH(const bool, isByTime);
    constexpr std::size_t kBegin = 40, kEnd = 60;
    Cue end = DirectedShow::cue(kEnd);
    end.isByTime = isByTime;
    const auto begin = [&end](DirectedShow& show) {
        show.say("It begins.", DirectedShow::cue(kBegin));
        show.say("It ends.", end);
    };
    double atOnce = 0;
    {
        DirectedShow show;
        show.run.write(kEnd);
        begin(show);
        QVERIFY(show.says("It begins."));
        const double begun = show.played;
        QVERIFY(show.says("It ends."));
        atOnce = show.played - begun;
    }
    DirectedShow show;
    show.run.write(kBegin);
    show.run.receive(kEnd);
    begin(show);
    QVERIFY(show.says("It begins."));
    for (std::size_t part = kBegin; part < kEnd; ++part) { // each of them could be painted in less than that
        show.run.write(part);
        for (int i = 0; i < 3; ++i)
            show.frame();
        QCOMPARE(show.pacer.shownUpTo(), std::uint64_t(kBegin));
        QVERIFY(show.director.isStarved());
        QCOMPARE(show.director.caption(), QString("It begins."));
    }
    QVERIFY(show.hurried > 0);
    show.run.write(kEnd);
    QVERIFY(show.takesWhatIsWritten());
    const double begun = show.played;
    QVERIFY(show.says("It ends."));
    QCOMPARE(show.pacer.shownUpTo(), std::uint64_t(kEnd));
    const double afterwards = show.played - begun;
    QVERIFY2(std::abs(afterwards - atOnce) < 0.5, qPrintable(QString("%1 s and %2 s").arg(atOnce).arg(afterwards)));
    QVERIFY2(atOnce > 5, qPrintable(QString("%1 s").arg(atOnce))); // longer than the reading time
}

// A disk is full, or a recorder hangs: the lecture goes on with the existing part.
void DirectorTest::whatIsNeverRecordedIsNotWaitedForLong()
{
    DirectedShow show;
    show.run.write(45);
    show.run.receive(60);
    show.say("It begins.", DirectedShow::cue(40));
    show.say("It ends.", DirectedShow::cue(60));
    QVERIFY(show.says("It begins."));
    QVERIFY(show.until([&] { return show.pacer.shownUpTo() == 45; }, 20));
    QVERIFY(show.director.isStarved());
    QVERIFY(show.until([&] { return show.director.caption() == "It ends."; }, 20));
}

void DirectorTest::whileNothingIsToldWhatHappensIsShown()
{
    DirectedShow show;
    show.run.write(40);
    show.director.setScript(Director::Script::Runs);
    show.say("It begins.", DirectedShow::cue(40));
    QVERIFY(show.says("It begins."));
    for (std::size_t upTo = 42; upTo <= 46; upTo += 2) {
        show.run.write(upTo);
        const bool isShown = QTest::qWaitFor(
            [&] {
                show.frame();
                return show.pacer.shownUpTo() >= upTo;
            },
            20'000);
        QVERIFY2(isShown,
            qPrintable(QString("%1 of %2 shown, %3 recorded, after %4 s")
                           .arg(show.pacer.shownUpTo())
                           .arg(upTo)
                           .arg(show.time.ahead().committed())
                           .arg(show.played)));
    }
}

void DirectorTest::whileAQuestionIsOpenThePictureIsLive()
{
    constexpr std::size_t kAsked = 40, kMeanwhile = 60, kAfterwards = 62;
    DirectedShow show;
    show.run.write(kAsked);
    show.director.setScript(Director::Script::Runs);
    show.say("It begins.", DirectedShow::cue(kAsked));
    show.director.add({ .kind = Kind::Question,
        .at = DirectedShow::cue(kAsked),
        .id = "0",
        .text = "What now?",
        .names = { "this", "that" } });
    show.director.setScript(Director::Script::Waits);
    QVERIFY(show.until([&] { return show.director.await() == Await::Question; }));
    QVERIFY(show.until([&] { return !show.pacer.isShow(); }, 5));
    // While people think, the cluster goes on, and that is visible live.
    show.run.write(kMeanwhile);
    QVERIFY(show.until([&] { return show.pacer.shownUpTo() == kMeanwhile && !show.pacer.isBusy(); }, 60));
    QCOMPARE(show.director.await(), Await::Question);
    // After the answer nothing of it is shown again.
    std::vector<std::uint64_t> shownAgain;
    show.pacer.setWitness([&](const RunEvent& event, const ClusterState&) {
        if (event.index <= kMeanwhile)
            shownAgain.push_back(event.index);
    });
    show.run.write(kAfterwards);
    show.director.add({ .kind = Kind::Answer,
        .at = DirectedShow::cue(kAfterwards),
        .id = "0",
        .text = "That.",
        .names = { "this", "that" },
        .number = 1 });
    QCOMPARE(show.director.next(), Director::Went::Answered);
    show.director.setScript(Director::Script::Runs);
    QCOMPARE(show.director.begunAt(), std::uint64_t(kAfterwards));
    QVERIFY(show.until([&] { return show.director.answer().has_value(); }, 20));
    QVERIFY2(shownAgain.empty(), qPrintable(QString("%1 events are shown again").arg(shownAgain.size())));
    QCOMPARE(show.director.await(), Await::Answer);
}

// However long people thought, the effects of the answer are not painted before the script has spoken of them.
void DirectorTest::afterAQuestionTheScriptHasTimeToSpeak()
{
    constexpr std::size_t kAsked = 40, kTold = 50, kHappened = 60;
    constexpr double kThought = 10, kSilent = 2; // s
    DirectedShow show;
    show.run.write(kAsked);
    show.director.setScript(Director::Script::Runs);
    show.say("It begins.", DirectedShow::cue(kAsked));
    show.director.add({ .kind = Kind::Question,
        .at = DirectedShow::cue(kAsked),
        .id = "0",
        .text = "What now?",
        .names = { "this", "that" } });
    QVERIFY(show.until([&] { return show.director.await() == Await::Question; }));
    show.until([] { return false; }, kThought);
    QCOMPARE(show.director.next(), Director::Went::Answered);
    show.run.write(kHappened);
    show.until([] { return false; }, kSilent);
    QCOMPARE(show.pacer.gate(), std::optional(DirectedShow::cue(kAsked)));
    QVERIFY2(show.pacer.shownUpTo() <= kAsked, qPrintable(QString::number(show.pacer.shownUpTo())));
    show.say("This happens.", DirectedShow::cue(kTold));
    QVERIFY(show.says("This happens."));
    QVERIFY2(show.pacer.shownUpTo() <= kTold, qPrintable(QString::number(show.pacer.shownUpTo())));
}

QTEST_GUILESS_MAIN(DirectorTest)
#include "tst_director.moc"
