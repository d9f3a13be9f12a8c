// SPDX-License-Identifier: GPL-3.0-or-later
// The tour without a window: what each stop needs, what fulfils it and what does not, and what it says then.
#include "common/errors.h"
#include "tests/show/tour_story.h"

#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr ObjectRef kBucket0 { ObjectKind::Data, 0, 0 }, kBucket1 { ObjectKind::Data, 1, 0 },
    kBucket2 { ObjectKind::Data, 2, 0 };

// Events of a busy cluster, none of which a stop waits for.
void tellOfOthers(TourStory& story)
{
    story.tell(TourStory::kAlice, "message_sent {}");
    story.tell(TourStory::kData, "record_updated { key: 4 rank: 1 } place { role: DATA number: 0 }");
    story.tell(TourStory::kData, "record_read { key: 4 rank: 1 } place { role: DATA number: 0 }");
    story.tell(TourStory::kCoordinator, "group_created { group: 1 k: 1 }");
    story.tell(TourStory::kCoordinator, "members_answered { group: 0 }");
    story.tell(TourStory::kAlice, "operation_done { kind: UPDATE key: 4 result: OK bucket: 0 rank: 1 }");
}

} // namespace

class TourTest : public QObject {
    Q_OBJECT
private slots:
    void aRecordIsInsertedAndItsRankSeen();
    void aBucketOverflowsAndOneSplits();
    void bucketNSplitsAndNotTheFullOne();
    void anOldImageIsAdjusted();
    void theParityOfARecordIsXor();
    void aBucketComesBack();
    void oneFailureTooManyLosesRecordsByName();
    void thePastIsSeenAndLeft();
    void whatWasDoneBeforeIsSaid();
    void whatKeepsItFromGoingOnIsSaid();
    void aDeedThatFailsIsTriedAgainAndThenSaid();
    void anotherClusterBeginsTheStopAnew();
    void eachWordNamesAnAction();
};

void TourTest::aRecordIsInsertedAndItsRankSeen()
{
    TourStory story(1);
    story.sight.count = 20;
    QVERIFY(story.words().goals.isEmpty()); // it is being prepared
    const auto deeds = story.prepare([&](const TourDeed& deed) { story.sight.count = deed.number; });
    QCOMPARE(deeds, (std::vector { TourDeed { TourDeed::Kind::Count, 0, 1 } }));
    QCOMPARE(story.words().place, QString("Tour, stop 1 of 8"));
    QVERIFY2(story.words().task.contains("set the number of operations to 1"), qPrintable(story.words().task));
    QVERIFY(story.words().goals[0].contains("<insert>"));
    tellOfOthers(story);
    QCOMPARE(story.words().held, (std::vector { false, false }));
    story.sight.table = 2; // seen before there is a table
    story.tell(TourStory::kData + 2, "record_inserted { key: 4711 rank: 3 count: 3 } place { role: DATA number: 2 }");
    story.sight.table = 0; // another table
    QCOMPARE(story.words().held, (std::vector { true, false }));
    QVERIFY(!story.words().isDone && story.words().goals[1].contains("bucket 2"));
    story.sight.table = 2;
    story.sight.isPast = true;
    QVERIFY(!story.words().isDone);
    story.sight.isPast = false;
    const GuideWords words = story.words();
    QVERIFY(words.isDone);
    QVERIFY2(words.seen.startsWith("The record with key 4711 lies in bucket 2 at rank 3."), qPrintable(words.seen));
}

void TourTest::aBucketOverflowsAndOneSplits()
{
    TourStory story(2);
    story.prepare([&](const TourDeed& deed) { story.sight.count = deed.number; });
    QCOMPARE(story.sight.count, std::uint64_t(5));
    tellOfOthers(story);
    story.tell(TourStory::kCoordinator,
        "split_finished { split: 1 bucket: 0 new_bucket: 2 level: 2 moved: 3 "
        "}"); // entered by hand
    QCOMPARE(story.words().held, (std::vector { false, false }));
    story.tell(TourStory::kData + 1, "bucket_overflowed { count: 11 level: 1 } place { role: DATA number: 1 }");
    QCOMPARE(story.words().held, (std::vector { true, false }));
    story.tell(TourStory::kCoordinator, "split_ordered { split: 2 bucket: 1 new_bucket: 3 level: 1 }");
    QVERIFY(!story.words().isDone);
    story.tell(TourStory::kCoordinator, "split_finished { split: 2 bucket: 1 new_bucket: 3 level: 2 moved: 5 }");
    const QString seen = story.words().seen;
    QVERIFY2(seen.contains("Bucket 1 had 11 records, more than b = 10")
            && seen.contains("Bucket 1 split: 5 records moved to the new bucket 3")
            && seen.contains("end with the bits 11") && seen.contains("has 4 buckets"),
        qPrintable(seen));
}

void TourTest::bucketNSplitsAndNotTheFullOne()
{
    TourStory story(3);
    story.setBuckets(2, 1, 0);
    for (std::uint32_t rank = 1; rank <= 6; ++rank)
        story.put(1, rank, 2 * rank + 1);
    const auto deeds = story.prepare(
        [&](const TourDeed& deed) { story.put(deed.bucket, story.state.data[1].ranks.count() + 1, deed.number); });
    QCOMPARE(deeds.size(), std::size_t(3)); // one below b
    for (const TourDeed& deed : deeds)
        QVERIFY(deed.kind == TourDeed::Kind::InsertKey && deed.process == TourStory::kAlice && deed.bucket == 1
            && deed.number % 2 == 1);
    QVERIFY2(story.words().task.contains("now n = 0")
            && story.words().task.contains("inserted 3 records into bucket "
                                           "1"),
        qPrintable(story.words().task));
    tellOfOthers(story);
    story.sight.selected = kBucket0; // that is bucket n
    QCOMPARE(story.words().held, (std::vector { false, false, false }));
    story.sight.selected = kBucket1;
    QCOMPARE(story.words().held, (std::vector { true, false, false }));
    // Bucket n itself overflows and splits: that does not answer the question.
    story.tell(TourStory::kData, "bucket_overflowed { count: 11 } place { role: DATA number: 0 }");
    story.tell(TourStory::kCoordinator, "split_ordered { split: 1 bucket: 0 new_bucket: 2 }");
    story.tell(TourStory::kCoordinator, "split_finished { split: 1 bucket: 0 new_bucket: 2 moved: 6 }");
    story.setBuckets(3, 1, 1);
    story.sight.selected = kBucket2;
    QCOMPARE(story.words().held, (std::vector { true, false, false }));
    story.tell(TourStory::kData + 2, "bucket_overflowed { count: 12 } place { role: DATA number: 2 }");
    story.tell(TourStory::kCoordinator, "split_ordered { split: 2 bucket: 1 new_bucket: 3 }");
    QCOMPARE(story.words().held, (std::vector { true, true, false }));
    story.setBuckets(4, 2, 0);
    story.tell(TourStory::kCoordinator, "split_finished { split: 2 bucket: 1 new_bucket: 3 moved: 4 }");
    const QString seen = story.words().seen;
    QVERIFY2(seen.contains("Bucket 2 overflowed with 12 records. The split pointer n stood at 1, so bucket 1 split: "
                           "4 records moved to bucket 3")
            && seen.contains("i = 2 and n = 0"),
        qPrintable(seen));
}

void TourTest::anOldImageIsAdjusted()
{
    TourStory story(4);
    story.put(2, 1, 6);
    story.state.fileClients[TourStory::kBob].image.set_i(1);
    story.state.fileClients[TourStory::kBob].image.set_n(1); // knows all buckets
    const auto deeds = story.prepare(
        [&](const TourDeed& deed) { story.state.fileClients[deed.process].image.Clear(); });
    QCOMPARE(deeds, (std::vector { TourDeed { TourDeed::Kind::Forget, TourStory::kBob } }));
    QVERIFY2(story.words().task.contains("bob knows of 1 bucket, but the file has 3")
            && story.words().task.contains("made bob forget"),
        qPrintable(story.words().task));
    QVERIFY2(story.words().goals[1].contains("Select bucket 2"), qPrintable(story.words().goals[1]));
    const QString task = story.words().task;
    const auto old = story.state.fileClients[TourStory::kBob].image;
    story.state.fileClients[TourStory::kBob].image.set_i(1); // the answer is known before the picture has shown it
    QCOMPARE(story.words().task, task);
    story.state.fileClients[TourStory::kBob].image = old;
    tellOfOthers(story);
    story.tell(TourStory::kData,
        "operation_forwarded { kind: INSERT key: 5 from: 0 to: 1 } place { role: DATA "
        "number: 0 }");
    QCOMPARE(story.words().held, (std::vector { false, false, false }));
    story.sight.client = TourStory::kBob;
    QCOMPARE(story.words().held, (std::vector { true, false, false }));
    OperationState operation;
    operation.number = 12;
    operation.key = 6;
    operation.kind = pb::SEARCH;
    operation.path = { 0, 2 };
    operation.imageAfter.set_i(1);
    operation.imageAfter.set_n(1);
    story.state.fileClients[TourStory::kBob].last.push_back(operation);
    story.tell(TourStory::kBob,
        "operation { client: 3 number: 11 } operation_done { kind: SEARCH key: 4 bucket: 0 "
        "}"); // no forward
    story.tell(TourStory::kData,
        "operation_forwarded { kind: SEARCH key: 6 from: 0 to: 2 } place { role: DATA "
        "number: 0 }");
    QCOMPARE(story.words().held, (std::vector { true, true, false }));
    story.tell(TourStory::kBob,
        "operation { client: 3 number: 12 } operation_done { kind: SEARCH key: 6 bucket: 2 "
        "forwards: 1 image_adjusted: true }");
    const QString seen = story.words().seen;
    QVERIFY2(seen.contains("bob knew of 1 bucket and sent the search for key 6 to bucket 0")
            && seen.contains("belongs to bucket 2") && seen.contains("forwarded by bucket 0")
            && seen.contains("knows of 3 buckets now, the file has 3"),
        qPrintable(seen));
}

void TourTest::theParityOfARecordIsXor()
{
    TourStory story(5);
    story.put(0, 2, 8);
    story.put(2, 2, 6);
    story.put(1, 1, 1);
    QVERIFY(story.prepare([](const TourDeed&) {}).empty());
    QVERIFY2(story.words().task.contains("Rank 2 has records in bucket 0"), qPrintable(story.words().task));
    QCOMPARE(story.words().held, (std::vector { false, false }));
    story.sight.selected = kBucket0;
    QCOMPARE(story.words().held, (std::vector { true, false }));
    TourSight::Group group { .number = 0, .rank = 2, .index = 3 };
    story.sight.group = group; // not read yet
    QVERIFY(!story.words().isDone);
    group.parts = { { 0, true, 8, 0x3a41 }, { 1, false, 0, 0 }, { 2, true, 6, 0x9b02 } };
    group.parity = 0x1234; // read before a change
    story.sight.group = group;
    QVERIFY(!story.words().isDone);
    group.parity = 0xa143;
    story.sight.group = group;
    const QString seen = story.words().seen;
    QVERIFY2(seen.contains("Rank 2 of group 0, symbol 3: bucket 0 (key 8) has 3a41 and bucket 2 (key 6) has 9b02. "
                           "3a41 XOR 9b02 = a143")
            && seen.contains("parity bucket 0.0") && seen.contains("(2 of 4)"),
        qPrintable(seen));
}

void TourTest::aBucketComesBack()
{
    TourStory story(6);
    story.put(0, 1, 4);
    story.put(1, 1, 1);
    story.state.processes[TourStory::kSpare].pool = pb::NO_ROLE;
    ProcessState& spare = story.state.processes[TourStory::kSpare];
    const auto deeds = story.prepare([&](const TourDeed&) { spare.pool = pb::DATA; });
    QCOMPARE(deeds, (std::vector { TourDeed { TourDeed::Kind::Spares } }));
    tellOfOthers(story);
    QCOMPARE(story.words().held, (std::vector { false, false }));
    story.state.processes[TourStory::kData + 1].hasEnded = true;
    QCOMPARE(story.words().held, (std::vector { true, false }));
    story.tell(TourStory::kCoordinator, "bucket_failed { group: 0 role: DATA index: 1 process: 11 }");
    story.tell(TourStory::kCoordinator, "recovery_started { group: 0 recovery: 1 buckets: 1 }");
    QVERIFY(!story.words().isDone);
    story.state.data[1].process = TourStory::kSpare;
    story.tell(TourStory::kCoordinator,
        "recovery_finished { group: 0 recovery: 1 buckets: 1 records: 7 total_ns: 400000000 manager: 0 is_xor: true "
        "survivors { role: DATA number: 0 } survivors { role: PARITY number: 0 column: 0 } }");
    const QString seen = story.words().seen;
    QVERIFY2(seen.contains("Parity bucket 0.0 computed 7 records by XOR from bucket 0 and parity bucket 0.0, in 0.4 s")
            && seen.contains("Bucket 1 was in process data-2 and is in data-9 now"),
        qPrintable(seen));
}

void TourTest::oneFailureTooManyLosesRecordsByName()
{
    TourStory story(7);
    story.put(0, 1, 4);
    story.put(0, 2, 8);
    story.put(1, 1, 1);
    const auto deeds = story.prepare([&](const TourDeed&) { story.sight.isClockPaused = true; });
    QCOMPARE(deeds, (std::vector { TourDeed { TourDeed::Kind::PauseClock } }));
    tellOfOthers(story);
    QCOMPARE(story.words().held, (std::vector { true, false, false, false, false }));
    // One recovered bucket is no loss.
    story.tell(TourStory::kCoordinator, "bucket_failed { group: 0 role: DATA index: 1 process: 11 }");
    story.tell(TourStory::kCoordinator, "recovery_finished { group: 0 recovery: 1 buckets: 1 records: 1 }");
    story.sight.isClockPaused = false;
    QCOMPARE(story.words().held, (std::vector { false, false, false, false, false })); // it says that time is running
    story.sight.isClockPaused = true;
    story.state.processes[TourStory::kData].hasEnded = true;
    QCOMPARE(story.words().held, (std::vector { true, true, false, false, false }));
    story.state.processes[TourStory::kData + 1].hasEnded = true;
    QCOMPARE(story.words().held, (std::vector { true, true, true, false, false }));
    QVERIFY(story.words().trouble.isEmpty());
    story.sight.isClockPaused = false;
    QCOMPARE(story.words().held, (std::vector { true, true, true, true, false })); // the loss takes some seconds
    // The newest state is ahead of the picture: the loss that the stop wants is no obstacle.
    story.state.groups[0].state = pb::GROUP_LOST;
    QVERIFY2(story.words().trouble.isEmpty(), qPrintable(story.words().trouble));
    story.tell(TourStory::kCoordinator, "group_lost { group: 0 buckets: 0 buckets: 1 }", 9'000'000'000);
    const QString seen = story.words().seen;
    QVERIFY2(seen.contains("Buckets 0 and 1 of group 0 failed together, more than k")
            && seen.contains("3 records are lost: those with keys 4, 8 and 1.")
            && seen.endsWith("; the other buckets go on."),
        qPrintable(seen));
}

void TourTest::thePastIsSeenAndLeft()
{
    TourStory story(8);
    story.put(0, 1, 4);
    story.put(1, 1, 1);
    // On a cluster without a loss the tour causes one first.
    std::vector<TourDeed::Kind> kinds;
    const auto carryOut = [&](const TourDeed& deed) {
        kinds.push_back(deed.kind);
        if (deed.kind == TourDeed::Kind::Kill)
            story.state.processes[deed.process].hasEnded = true;
        else
            story.sight.isClockPaused = deed.kind == TourDeed::Kind::PauseClock;
    };
    using Kind = TourDeed::Kind;
    story.prepare(carryOut);
    QCOMPARE(kinds, (std::vector { Kind::PauseClock, Kind::Kill, Kind::Kill, Kind::RunClock }));
    QVERIFY(story.words().goals.isEmpty());
    story.originNs = 2'000'000'000;
    const ClusterState whole = [&] {
        ClusterState then = story.state;
        then.originNs = story.originNs;
        for (auto& [id, process] : then.processes)
            process.hasEnded = false;
        return then;
    }();
    story.state.groups[0].state = pb::GROUP_LOST;
    story.tell(TourStory::kCoordinator, "group_lost { group: 0 buckets: 0 buckets: 1 }", 9'000'000'000);
    QVERIFY2(story.words().task.contains("At 7.0 s of this run 2 records were lost")
            && story.words().task.contains("killed buckets 0 and 1"),
        qPrintable(story.words().task));
    tellOfOthers(story);
    story.sight.isPast = true; // but not before the loss
    QCOMPARE(story.words().held, (std::vector { false, false }));
    QVERIFY(story.words().trouble.isEmpty());
    story.sight.shownNs = 6'500'000'000;
    story.tour.look(whole, story.state, story.sight);
    // The picture may still show the instant before.
    QCOMPARE(story.tour.words(story.state, story.sight).held, (std::vector { false, false }));
    story.sight.shownNs = 6'600'000'000;
    story.tour.look(whole, story.state, story.sight);
    QCOMPARE(story.tour.words(story.state, story.sight).held, (std::vector { true, false }));
    story.sight.isPast = false;
    const GuideWords words = story.words();
    QVERIFY2(words.isDone
            && words.seen.contains("as it was at 4.5 s, 2.5 s before the loss: group 0 was whole, "
                                   "bucket 0 held 1 record and bucket 1 held 1 record"),
        qPrintable(words.seen));
    QCOMPARE(words.nextWords, QString("Finish"));
}

void TourTest::whatWasDoneBeforeIsSaid()
{
    TourStory story(1);
    story.prepare([](const TourDeed&) {});
    story.tell(TourStory::kData, "bucket_overflowed { count: 11 level: 0 } place { role: DATA number: 0 }");
    story.tell(TourStory::kCoordinator, "split_finished { split: 1 bucket: 0 new_bucket: 1 level: 1 moved: 5 }");
    story.tour.begin(2);
    QVERIFY2(story.words().isDone
            && story.words().seen.startsWith("You have seen this already. Bucket 0 had 11 "
                                             "records"),
        qPrintable(story.words().seen));
    // Playing the past again has no effect.
    story.tour.begin(1);
    story.tell(TourStory::kData, "record_inserted { key: 1 rank: 1 count: 1 } place { role: DATA number: 0 }");
    story.tellAgain(TourStory::kData, "record_inserted { key: 2 rank: 2 count: 2 } place { role: DATA number: 0 }");
    story.sight.table = 0;
    QVERIFY2(story.words().seen.contains("key 1 "), qPrintable(story.words().seen));
    // Back at a completed stop, it is still marked as done.
    story.tour.begin(2);
    QVERIFY(story.words().isDone);
}

void TourTest::whatKeepsItFromGoingOnIsSaid()
{
    const auto says = [](const std::function<void(TourStory&)>& change, const QString& words) {
        TourStory story(2);
        story.prepare([&](const TourDeed& deed) { story.sight.count = deed.number; });
        if (!story.words().trouble.isEmpty())
            return false;
        change(story);
        return story.words().trouble.contains(words);
    };
    using Link = TourSight::Link;
    QVERIFY(says(
        [](TourStory& s) {
            s.sight.link = Link::None;
            s.sight.trouble = "It fell over.";
        },
        "There is no cluster. It fell over. “Begin anew”"));
    QVERIFY(says([](TourStory& s) { s.sight.link = Link::Gone; }, "does not answer any more"));
    QVERIFY(says([](TourStory& s) { s.sight.isOurs = false; }, "not the cluster of the tour"));
    QVERIFY(says([](TourStory& s) { s.sight.isRecording = true; }, "<closeRecording>"));
    QVERIFY(says([](TourStory& s) { s.sight.isScenario = true; }, "<stopScenario>"));
    QVERIFY(says([](TourStory& s) { s.sight.isFull = false; }, "<detailFull>"));
    QVERIFY(says([](TourStory& s) { s.sight.isPast = true; }, "<follow>"));
    QVERIFY(says([](TourStory& s) { s.sight.isClockPaused = true; }, "<virtualRun>"));
    QVERIFY(says(
        [](TourStory& s) { s.state.processes[TourStory::kCoordinator].hasEnded = true; }, "The coordinator has ended"));
    QVERIFY(says([](TourStory& s) { s.state.groups[0].state = pb::GROUP_LOST; }, "Records of this cluster are lost"));
}

void TourTest::aDeedThatFailsIsTriedAgainAndThenSaid()
{
    TourStory story(3);
    story.setBuckets(1, 0, 0);
    int tries = 0;
    for (int i = 0; i < 200; ++i) {
        story.look();
        const auto deed = story.tour.takeDeed();
        if (!deed)
            break;
        QCOMPARE(deed->kind, TourDeed::Kind::Insert);
        ++tries;
        story.tour.done(false, "alice has not heard of the coordinator");
    }
    QVERIFY(tries > 5 && tries < 100);
    QVERIFY2(
        story.words().trouble.contains("alice has not heard of the coordinator"), qPrintable(story.words().trouble));
    // A cluster that cannot start is reported at once.
    story.tour.beginAnew();
    QCOMPARE(story.tour.takeDeed()->kind, TourDeed::Kind::Start);
    story.tour.done(false, "no program lhrs-sim");
    QVERIFY(story.words().trouble.contains("no program lhrs-sim"));
}

void TourTest::anotherClusterBeginsTheStopAnew()
{
    TourStory story(1);
    story.prepare([](const TourDeed&) {});
    story.tell(TourStory::kData, "record_inserted { key: 1 rank: 1 count: 1 } place { role: DATA number: 0 }");
    story.sight.table = 0;
    QVERIFY(story.words().isDone);
    story.tour.beginAnew();
    QVERIFY(!story.words().isDone && story.words().goals.isEmpty());
    const auto start = story.tour.takeDeed();
    QVERIFY(start && start->kind == TourDeed::Kind::Start);
    story.tour.forgetCluster(); // as the window calls it at the start
    story.sight.table.reset();
    story.tour.done(true, {});
    story.prepare([](const TourDeed&) {});
    QVERIFY2(story.words().task.contains("started a simulated cluster"), qPrintable(story.words().task));
    QCOMPARE(story.words().held, (std::vector { false, false }));
    // Counting starts here: events of the former cluster do not matter.
    story.tell(TourStory::kData, "record_inserted { key: 5 rank: 2 count: 2 } place { role: DATA number: 0 }");
    story.sight.table = 0;
    QVERIFY(story.words().seen.contains("key 5 "));
    story.tour.leave();
    QVERIFY(!story.tour.isOn() && story.words() == GuideWords());
}

// Keyboard shortcuts are never written as literals, so that they are the real ones.
void TourTest::eachWordNamesAnAction()
{
    TourStory story(1);
    for (int stop = 1; stop <= Tour::kStops; ++stop) {
        for (std::uint32_t bucket = 0; bucket < 3; ++bucket)
            story.put(bucket, 1, bucket + 4);
        story.tour.begin(stop);
        story.sight.isClockPaused = stop == 7;
        story.prepare([&](const TourDeed& deed) {
            if (deed.kind == TourDeed::Kind::Count)
                story.sight.count = deed.number;
            else if (deed.kind == TourDeed::Kind::InsertKey)
                story.put(deed.bucket, story.state.data[deed.bucket].ranks.count() + 1, deed.number);
            else if (deed.kind == TourDeed::Kind::PauseClock || deed.kind == TourDeed::Kind::RunClock)
                story.sight.isClockPaused = deed.kind == TourDeed::Kind::PauseClock;
            else if (deed.kind == TourDeed::Kind::Kill)
                story.state.processes[deed.process].hasEnded = true;
        });
        if (stop == Tour::kStops)
            story.tell(TourStory::kCoordinator, "group_lost { group: 0 buckets: 0 buckets: 1 }", 1);
        const GuideWords words = story.words();
        QVERIFY2(!words.goals.isEmpty() && words.trouble.isEmpty(),
            qPrintable(QString("stop %1: %2").arg(stop).arg(words.trouble)));
        QVERIFY2(words.goals.join(' ').contains('<') && words.hint.contains('<'), qPrintable(words.goals.join(' ')));
        for (const QString& text : words.goals + QStringList { words.task, words.hint, words.title }) {
            QVERIFY2(!text.contains("Ctrl") && !text.contains("Alt+") && !text.contains(QRegularExpression("%\\d")),
                qPrintable(text));
            for (const QString& sentence : text.split(QRegularExpression("[.:;?] ")))
                QVERIFY2(sentence.split(' ').size() <= 32, qPrintable(sentence));
        }
    }
}

QTEST_GUILESS_MAIN(TourTest)
#include "tst_tour.moc"
