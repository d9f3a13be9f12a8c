// SPDX-License-Identifier: GPL-3.0-or-later
// The level RECORDS in the picture (lists of changes arrive all the time, and they neither wait nor delay anything),
// and the order of events in a show.
#include "tests/rigs/gui/motion_show.h"

#include "common/end_reasons.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

pb::Event listOf(std::uint32_t from, std::uint32_t to, std::uint64_t sequence)
{
    pb::Event event;
    event.mutable_place()->set_role(pb::DATA);
    for (std::uint32_t rank = from; rank <= to; ++rank) {
        event.mutable_records_changed()->add_ranks(rank);
        event.mutable_records_changed()->add_keys(100 + rank);
        event.mutable_records_changed()->add_kinds(pb::CHANGE_INSERT);
    }
    event.mutable_records_changed()->set_count(to);
    event.mutable_records_changed()->set_sequence(sequence);
    return event;
}

void begin(Show& show, std::uint64_t number)
{
    pb::Event started = show.event(number);
    started.mutable_operation_started()->set_kind(pb::SEARCH);
    show.feed.tell(kAlice, started);
}

void request(Show& show, std::uint64_t number)
{
    pb::Event sent = show.event(number);
    sent.mutable_message_sent()->set_kind("search");
    sent.mutable_message_sent()->set_to(kBucket0);
    show.feed.tell(kAlice, sent);
}

void finish(Show& show, std::uint64_t number)
{
    pb::Event done = show.event(number);
    done.mutable_operation_done()->set_kind(pb::SEARCH);
    show.feed.tell(kAlice, done);
}

// The messages that `happens` causes, as a show presents them.
std::vector<ShownEvent> sentBy(Show& show, const std::function<void()>& happens)
{
    const std::uint64_t from = show.feed.committed();
    happens();
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    show.shown.clear();
    show.until([&] { return show.pacer.isAtGate(); });
    std::vector<ShownEvent> sent = show.shown;
    std::erase_if(sent, [](const ShownEvent& event) { return !event.run.event->has_message_sent(); });
    return sent;
}

} // namespace

class PacerTest : public QObject {
    Q_OBJECT
private slots:
    void listsOfChangesAreShownAsTheyCome();
    void whatNoEventTellsIsLearntAmongLists();
    void nothingOfAFormerClusterStays();
    void aNewProcessDoesNotSetThePictureBack();
    void theFirstSlicesAreSeenOneByOne();
    void recordsFlyToABucketThatIsThere();
    void aTimerRunsOutAfterWhatWasWaitedFor();
    void aRequestThatIsSentAgainFollowsTheOneBefore();
    void aLimitIsLiftedAfterWhatItSlowed();
    void operationsThatAreUnderWayTogetherAreSeenTogether();
    void oneOperationAfterAnotherIsShownOnce();
    void whatIsBegunAfterAnAnswerIsShownAfterIt();
    void aClusterThatIsLeftDidNotFail();
    void anEndIsShownBeforeWhatFollowsFromIt();
};

void PacerTest::listsOfChangesAreShownAsTheyCome()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint32_t before = show.pacer.state().data.at(0).count;
    show.feed.tell(kBucket0, listOf(before + 1, before + 200, 1'000));
    QVERIFY(show.until([&] { return show.pacer.state().data.at(0).count == before + 200; }, 1));
    QVERIFY(!show.pacer.isLive());
    QVERIFY(show.pacer.state().data.at(0).ranks.has(before + 200));
    QVERIFY(!show.picture().items().empty()); // its ranks light up
}

void PacerTest::whatNoEventTellsIsLearntAmongLists()
{
    Show show(FileShape { 4, 4, 1 });
    show.feed.known().processes.at(kSpare).pool = pb::PARITY; // as in a snapshot
    std::uint32_t changes = show.pacer.state().data.at(0).count;
    std::uint64_t sequence = 1'000;
    const auto learns = [&] {
        ++changes;
        pb::Event list = listOf(changes, changes, ++sequence);
        show.feed.known().apply(kBucket0, list, 0);
        show.feed.tell(kBucket0, std::move(list));
        return show.pacer.state().processes.at(kSpare).pool == pb::PARITY;
    };
    QVERIFY(show.until(learns, 2));
    QVERIFY(!show.pacer.isLive());
    QVERIFY(show.until([&] { return show.pacer.state().data.at(0).count == changes; }, 1));
}

// In a show, a client gives up only after its request has been seen on its whole path, although only time links the
// two.
void PacerTest::aTimerRunsOutAfterWhatWasWaitedFor()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    std::uint64_t departure = show.message("search", kAlice, kBucket0, 1);
    for (ProcessId bucket = kBucket0; bucket < kBucket0 + 3; ++bucket)
        departure = show.message("search", bucket, bucket + 1, 1, bucket == kBucket0 ? kAlice : bucket - 1, departure);
    pb::Event givenUp = show.event(1);
    givenUp.mutable_message_given_up()->set_kind("search");
    show.feed.tell(kAlice, givenUp, 30'000'000);
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    show.shown.clear();
    QVERIFY(show.until([&] { return show.pacer.isAtGate(); }));
    QVERIFY(show.shown.size() >= 9);
    QVERIFY(show.shown.back().run.event->has_message_given_up());
    QVERIFY(show.shown.back().at >= show.shown[show.shown.size() - 2].at);
}

// Retransmitted requests, and the alarm after them, are seen one after the other, although no answer arrives.
void PacerTest::aRequestThatIsSentAgainFollowsTheOneBefore()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    for (const char* kind : { "search", "search", "search", "alarm" }) {
        pb::Event sent = show.event(1);
        sent.mutable_message_sent()->set_kind(kind);
        sent.mutable_message_sent()->set_to(kBucket0);
        show.feed.tell(kAlice, sent, 30'000'000);
    }
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    show.shown.clear();
    QVERIFY(show.until([&] { return show.pacer.isAtGate(); }));
    QCOMPARE(show.shown.size(), 4u);
    for (std::size_t i = 1; i < show.shown.size(); ++i)
        QVERIFY(show.shown[i].at >= show.shown[i - 1].at + 1);
}

// The processes whose network is limited publish nothing else at this detail. They must not be shown without their
// limit while the others still work.
void PacerTest::aLimitIsLiftedAfterWhatItSlowed()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    std::uint64_t departure = show.message("search", kAlice, kBucket0, 1);
    departure = show.message("search", kBucket0, kBucket0 + 1, 1, kAlice, departure);
    pb::Event ended;
    ended.mutable_fault_ended()->mutable_fault()->set_number(1);
    show.feed.tell(kBucket0 + 3, ended, 1'000);
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    show.shown.clear();
    QVERIFY(show.until([&] { return show.pacer.isAtGate(); }));
    QVERIFY(show.shown.back().run.event->has_fault_ended());
}

// Of many searches that are under way at the same time, eight fly side by side, and the others follow when those have
// arrived.
void PacerTest::operationsThatAreUnderWayTogetherAreSeenTogether()
{
    Show show(FileShape { 4, 4, 1 });
    const std::vector<ShownEvent> sent = sentBy(show, [&] {
        for (std::uint64_t number = 1; number <= 12; ++number)
            begin(show, number);
        for (std::uint64_t number = 1; number <= 12; ++number)
            request(show, number);
        for (std::uint64_t number = 1; number <= 12; ++number)
            finish(show, number);
    });
    QCOMPARE(sent.size(), 12u);
    for (std::size_t i = 0; i < 8; ++i) {
        QCOMPARE(sent[i].hop, 1.0);
        QCOMPARE(sent[i].at, sent[0].at);
    }
    for (std::size_t i = 8; i < sent.size(); ++i) {
        QVERIFY(sent[i].hop < 0.5);
        QVERIFY(sent[i].at >= sent[0].at + 1);
    }
}

void PacerTest::oneOperationAfterAnotherIsShownOnce()
{
    Show show(FileShape { 4, 4, 1 });
    const std::vector<ShownEvent> sent = sentBy(show, [&] {
        for (std::uint64_t number = 1; number <= 3; ++number) {
            begin(show, number);
            request(show, number);
            finish(show, number);
        }
    });
    QCOMPARE(sent.size(), 3u);
    QCOMPARE(sent[0].hop, 1.0);
    QVERIFY(sent[1].hop < 0.5 && sent[2].hop < 0.5);
}

// A script lets Alice insert a record and then lets another client search for it, within the same millisecond: the
// search leaves only when the insert has been answered.
void PacerTest::whatIsBegunAfterAnAnswerIsShownAfterIt()
{
    constexpr ProcessId kOther = kBucket0 + 3;
    Show show(FileShape { 4, 4, 1 });
    const std::vector<ShownEvent> sent = sentBy(show, [&] {
        begin(show, 1);
        const std::uint64_t departure = show.message("search", kAlice, kBucket0, 1);
        show.message("reply", kBucket0, kAlice, 1, kAlice, departure);
        finish(show, 1);
        pb::Event event = show.event(1);
        event.mutable_operation()->set_client(kOther);
        event.mutable_operation_started()->set_kind(pb::SEARCH);
        show.feed.tell(kOther, event, 200'000);
        event.mutable_message_sent()->set_kind("search");
        event.mutable_message_sent()->set_to(kBucket0 + 1);
        show.feed.tell(kOther, event);
    });
    QCOMPARE(sent.size(), 3u);
    QVERIFY(sent[1].at >= sent[0].at + 1);
    QVERIFY(sent[2].at >= sent[1].at + 1);
}

// A script that starts its next cluster ends the present one while it is still being shown.
void PacerTest::aClusterThatIsLeftDidNotFail()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    show.insert(1, 1, 1);
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    std::vector<ProcessId> all;
    for (const auto& [id, process] : show.feed.known().processes)
        all.push_back(id);
    show.feed.known().markEnded(kBucket0, kKilledOnRequest, show.feed.nowNs());
    for (const ProcessId id : all)
        if (id != kBucket0)
            show.feed.known().markEnded(id, "gone", show.feed.nowNs());
    const auto& shown = show.pacer.state().processes;
    QVERIFY(show.until([&] { return shown.at(kBucket0).hasEnded; }));
    QCOMPARE(std::count_if(shown.begin(), shown.end(), [](const auto& entry) { return entry.second.hasEnded; }), 1);
}

// No event reports the end of a process. The picture learns of it before it shows a later event.
void PacerTest::anEndIsShownBeforeWhatFollowsFromIt()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    const std::int64_t now = show.feed.nowNs();
    pb::Event suspected;
    suspected.mutable_member_suspected()->set_role(pb::DATA);
    show.feed.tell(kCoordinator, suspected, 20'000'000);
    show.pacer.beginShow(show.feed, from);
    show.feed.known().markEnded(kBucket0, kKilledOnRequest, now + 10'000'000);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    bool isSeen = false, wasAlive = false;
    show.pacer.setWitness([&](const RunEvent& run, const ClusterState& state) {
        isSeen = isSeen || run.event->has_member_suspected();
        wasAlive = wasAlive || (run.event->has_member_suspected() && !state.processes.at(kBucket0).hasEnded);
    });
    QVERIFY(show.until([&] { return isSeen; }));
    QVERIFY(!wasAlive);
}

// The state of a show's feed follows one frame after the picture. So only the picture knows a process that joins within
// that frame, and it must not return to the older state because of that.
void PacerTest::aNewProcessDoesNotSetThePictureBack()
{
    constexpr ProcessId kJoined = 9'003;
    Show show(FileShape { 4, 4, 1 });
    const ClusterState before = show.feed.state();
    const std::uint64_t from = show.feed.committed();
    pb::Event finished;
    finished.mutable_split_finished()->set_split(77);
    show.feed.tell(kBucket0, finished);
    show.feed.tell(kJoined, listOf(1, 2, 1'000));
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed() + 1, show.feed.nowNs() + 1 });
    show.feed.known() = before;
    QVERIFY(show.until([&] { return show.pacer.state().processes.contains(kJoined); }));
    QVERIFY(show.pacer.state().splits.contains(77));
    show.until([] { return false; }, 1);
    QVERIFY(show.pacer.state().processes.contains(kJoined));
    QVERIFY(show.pacer.state().splits.contains(77));
}

// The slices of a recovery follow each other within microseconds. The first ones are shown one by one, the others
// together.
void PacerTest::theFirstSlicesAreSeenOneByOne()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    for (std::uint32_t number = 0; number < 40; ++number) {
        pb::Event stored;
        stored.mutable_slice_stored()->set_number(number);
        show.feed.tell(kBucket0, stored, 1'000);
    }
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    show.shown.clear();
    QVERIFY(show.until([&] { return show.pacer.isAtGate(); }));
    QCOMPARE(show.shown.size(), std::size_t(40));
    for (std::size_t i = 1; i < 6; ++i)
        QVERIFY2(show.shown[i].at - show.shown[i - 1].at >= 2, qPrintable(QString::number(i)));
    QVERIFY(show.shown[39].at - show.shown[5].at < 2);
}

// At detail counts, no message tells when the records of a split left. They arrive one flight after the card of the new
// bucket has come to its place.
void PacerTest::recordsFlyToABucketThatIsThere()
{
    Show show(FileShape { 4, 4, 1 });
    const std::uint64_t from = show.feed.committed();
    pb::Event recruited, moved;
    recruited.mutable_node_recruited();
    moved.mutable_records_moved()->set_split(1);
    show.feed.tell(kBucket0, recruited);
    show.feed.tell(kBucket0, moved, 1'000);
    show.pacer.beginShow(show.feed, from);
    show.pacer.setGate(Cue { show.feed.committed(), show.feed.nowNs() });
    show.shown.clear();
    QVERIFY(show.until([&] { return show.pacer.isAtGate(); }));
    QCOMPARE(show.shown.size(), std::size_t(2));
    QVERIFY(show.shown[1].at - show.shown[0].at >= 4);
}

// As in a scenario that starts a second cluster; the picture gets no message about it.
void PacerTest::nothingOfAFormerClusterStays()
{
    constexpr ProcessId kNewCoordinator = 9'001, kNewBucket = 9'002;
    Show show(FileShape { 4, 4, 1 });
    show.feed.tell(kBucket0, listOf(1, 2, 1'000));
    QVERIFY(show.untilRest());
    QVERIFY(show.pacer.state().processes.at(kBucket0).sequence > 0);
    show.feed.known() = ClusterState();
    const auto introduce = [&](ProcessId id, pb::ProcessKind kind, const char* name) {
        pb::ProcessInfo info;
        info.set_node(id);
        info.set_kind(kind);
        info.set_name(name);
        show.feed.known().introduce(info);
    };
    introduce(kNewCoordinator, pb::COORDINATOR, "coordinator");
    introduce(kNewBucket, pb::NODE, "data-1");
    // It works without a pause in which the newest state would be taken.
    std::uint32_t records = 0;
    const auto isNew = [&] {
        pb::Event inserted;
        inserted.mutable_place()->set_role(pb::DATA);
        inserted.mutable_record_inserted()->set_key(++records);
        inserted.mutable_record_inserted()->set_rank(records);
        inserted.mutable_record_inserted()->set_count(records);
        inserted.mutable_record_inserted()->set_sequence(records);
        show.feed.known().apply(kNewBucket, inserted, 0);
        show.feed.tell(kNewBucket, std::move(inserted));
        return show.pacer.state().processes.contains(kNewCoordinator);
    };
    QVERIFY(show.until(isNew, 2));
    QVERIFY(!show.pacer.state().processes.contains(kBucket0));
    QCOMPARE(show.pacer.state().data.size(), show.feed.known().data.size());
}

int main(int count, char** arguments) { return runOffscreen<PacerTest>(count, arguments); }
#include "tst_pacer.moc"
