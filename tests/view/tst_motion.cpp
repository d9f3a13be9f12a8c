// SPDX-License-Identifier: GPL-3.0-or-later
// What moves on the canvas: everything shown has happened. The pacer stretches time and never invents or loses a state;
// everything drawn in motion belongs to a published event.
#include "tests/rigs/lab/fold_story.h"
#include "tests/rigs/gui/motion_show.h"

#include "gui/view/lhrs/layout_motion.h"
#include "gui/view/lhrs/words/outside_places.h"

#include <algorithm>

using namespace lhrs;
using namespace lhrs::gui;

namespace {

int glyphs(const DisplayList& list, Glyph glyph)
{
    return int(std::count_if(list.items().begin(), list.items().end(), [glyph](const DisplayList::Item& item) {
        const auto* mark = std::get_if<DisplayList::Mark>(&item.primitive);
        return mark && mark->glyph == glyph;
    }));
}

// A message leaves; there is no event of its arrival.
void depart(Show& show, const char* kind, ProcessId from, ProcessId to, std::uint64_t operation)
{
    pb::Event sent = show.event(operation);
    sent.mutable_message_sent()->set_kind(kind);
    sent.mutable_message_sent()->set_to(to);
    sent.mutable_message_sent()->set_id(show.feed.committed() + 1);
    show.feed.tell(from, sent, 100);
}

} // namespace

class MotionTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsShownIsTheFoldOfWhatWasShown_data();
    void whatIsShownIsTheFoldOfWhatWasShown();
    void aProcessKeepsItsOrderAndNoEffectComesBeforeItsCause();
    void aCauseThatArrivesLaterIsStillShownFirst();
    void aBurstJumpsToTheNewestStateAndKeepsNoQueue();
    void afterABurstTheSlowShowBeginsAgain();
    void lostEventsAreShownAsLost();
    void aDeltaGoesToAllParityBucketsAtOnce();
    void theClientIsAnsweredAfterTheLastAcknowledgement();
    void aForwardedRequestAndItsImageAdjustmentAreWritten();
    void anInvitationIsDrawnAroundItsPool();
    void ofEightSparesOneGoesAndSevenAreBack();
    void aRecruitedSpareTravelsToItsPlace();
    void newEmptyPlacesLieBelowWhatSlidesAway();
    void theRecordsOfASplitFlyFromRankToRank();
    void aMessageThatIsGivenUpEndsInACross();
    void aResentMessageIsDashed();
    void manyMessagesAreBoundedAndSaidSo();
    void aLossIsDrawnThoughItsMessageWasLeftOut();
    void underLoadRibbonsShowTheRatesOfTheLinks();
    void ribbonsOfManyLinksJoinAndTheRestIsCounted();
    void reducedMotionShowsTheSameStatesAndMovesNothing();
    void theStretchIsSaid();
};

// ---- shown means happened

void MotionTest::whatIsShownIsTheFoldOfWhatWasShown_data()
{
    QTest::addColumn<int>("eventsPerFrame");
    QTest::newRow("one event a frame") << 1;
    QTest::newRow("a step a frame") << 9;
    QTest::newRow("bursts") << 150;
}

void MotionTest::whatIsShownIsTheFoldOfWhatWasShown()
{
    QFETCH(const int, eventsPerFrame);
    const Story story = growth(10, 5);
    ListFeed feed;
    Pacer pacer(feed);
    pacer.advance(kFrame);
    ClusterState own;
    std::size_t next = 0, compared = 0;
    for (int frame = 0; frame < 60'000 && (next < story.order.size() || pacer.isBusy()); ++frame) {
        for (int i = 0; i < eventsPerFrame && next < story.order.size(); ++i, ++next) {
            const auto& [process, index] = story.order[next];
            feed.tell(process, story.told.at(process)[index]);
        }
        pacer.advance(kFrame);
        QVERIFY(!pacer.isLive()); // nothing was so fast that the picture had to jump
        for (const ShownEvent& event : pacer.shown())
            own.apply(event.run.process, *event.run.event, event.run.runNs);
        if (!pacer.shown().empty()) {
            QCOMPARE(textOf(pacer.state()), textOf(own));
            ++compared;
        }
        QVERIFY(own.events <= next); // only published events
    }
    QVERIFY(compared >= 3);
    QCOMPARE(pacer.shownUpTo(), feed.committed());
    QCOMPARE(textOf(pacer.state()), textOf(feed.state()));
}

void MotionTest::aProcessKeepsItsOrderAndNoEffectComesBeforeItsCause()
{
    Show show({ 4, 4, 2 });
    for (std::uint64_t operation = 1; operation <= 3; ++operation) {
        show.insert(operation, std::uint32_t(20 + operation), 2);
        QVERIFY(show.untilRest());
    }
    QCOMPARE(show.shown.size(), std::size_t(3 * 17));
    std::map<std::pair<ProcessId, std::uint64_t>, std::size_t> order;
    std::map<ProcessId, std::uint64_t> last;
    for (std::size_t i = 0; i < show.shown.size(); ++i) {
        const RunEvent& run = show.shown[i].run;
        QVERIFY(run.event->sequence() > last[run.process]);
        last[run.process] = run.event->sequence();
        order[{ run.process, run.event->sequence() }] = i;
        if (run.event->cause_process() == 0 || run.event->cause_sequence() == 0)
            continue;
        const auto cause = order.find({ run.event->cause_process(), run.event->cause_sequence() });
        QVERIFY2(cause != order.end(), "an effect is shown before its cause");
        // A message moves: its arrival is one hop after its departure.
        if (run.event->has_message_received())
            QVERIFY(show.shown[i].at >= show.shown[cause->second].at + show.shown[i].hop);
    }
}

void MotionTest::aCauseThatArrivesLaterIsStillShownFirst()
{
    Show show({ 2, 4, 1 });
    // The receiver's batch comes a moment before the sender's, although the sender's time is earlier.
    pb::Event sent = show.event();
    sent.mutable_message_sent()->set_kind("split");
    sent.mutable_message_sent()->set_to(kBucket0);
    pb::Event received = show.event(0, kFileCoordinator, 1);
    received.mutable_message_received()->set_kind("split");
    received.mutable_message_received()->set_from(kFileCoordinator);
    show.feed.tell(kBucket0, received, 50'000);
    show.frame(0.005);
    show.feed.tell(kFileCoordinator, sent, -40'000);
    QVERIFY(show.untilRest());
    QCOMPARE(show.shown.size(), std::size_t(2));
    QVERIFY(show.shown[0].run.event->has_message_sent());
    QVERIFY(show.shown[1].at >= show.shown[0].at + 1);
}

// ---- too much

void MotionTest::aBurstJumpsToTheNewestStateAndKeepsNoQueue()
{
    Show show({ 4, 4, 1, 2, 2, 1, 1'000'000, 0 });
    std::uint32_t rank = 0;
    for (int frame = 0; frame < 60; ++frame) {
        for (int i = 0; i < 150; ++i, ++rank) // 108,000 events a second
            show.insert(rank + 1, rank + 1, 1);
        show.frame();
        show.shown.clear();
        show.scheduled.clear();
        QVERIFY(show.pacer.waiting() <= Pacer::kWaitingMax + 1'800);
        QVERIFY(show.motion.messagesUnderWay() <= Motion::kDots);
    }
    QVERIFY(show.pacer.isLive());
    QCOMPARE(show.pacer.state().data.at(0).count, rank);
    QCOMPARE(show.pacer.waiting(), std::size_t(0));
    QCOMPARE(textOf(show.pacer.state()), textOf(show.feed.state()));
}

void MotionTest::afterABurstTheSlowShowBeginsAgain()
{
    Show show({ 2, 4, 1, 2, 2, 1, 1'000'000, 0 });
    for (std::uint32_t rank = 1; rank <= 2'000; ++rank)
        show.insert(rank, rank, 1);
    QVERIFY(show.until([&] { return show.pacer.isLive(); }, 5));
    QVERIFY(show.until([&] { return !show.pacer.isLive(); }, 5));
    QCOMPARE(textOf(show.pacer.state()), textOf(show.feed.state()));
    // From now on events are shown step by step again.
    show.shown.clear();
    show.insert(90'000, 2'001, 1);
    QVERIFY(show.until([&] { return show.motion.messagesUnderWay() > 0; }));
    QCOMPARE(show.pacer.state().data.at(0).count, 2'000u); // the insert is still on its way
    QVERIFY(show.untilRest());
    QCOMPARE(show.pacer.state().data.at(0).count, 2'001u);
}

void MotionTest::lostEventsAreShownAsLost()
{
    class Gapped : public ListFeed {
    public:
        EventPage eventsSince(std::uint64_t cursor, std::size_t max) const override
        {
            EventPage page = ListFeed::eventsSince(cursor, max);
            for (RunEvent& event : page.events) { // the second event never arrived
                if (event.index == 2)
                    event = { 2, event.process, event.runNs, nullptr, 2, 2 };
            }
            return page;
        }
    } feed;
    Pacer pacer(feed);
    pacer.advance(kFrame);
    for (std::uint32_t rank = 1; rank <= 3; ++rank) {
        pb::Event inserted;
        inserted.mutable_place()->set_role(pb::DATA);
        inserted.mutable_record_inserted()->set_rank(rank);
        inserted.mutable_record_inserted()->set_count(rank);
        feed.tell(kBucket0, inserted);
    }
    for (int i = 0; i < 200 && pacer.shownUpTo() < 3; ++i)
        pacer.advance(kFrame);
    QCOMPARE(pacer.state().lost, 1u);
    QVERIFY(pacer.state().processes.at(kBucket0).isIncomplete);
}

// ---- messages

void MotionTest::aDeltaGoesToAllParityBucketsAtOnce()
{
    Show show({ 4, 4, 3 });
    show.insert(1, 21, 3);
    QVERIFY(show.until([&] { return glyphs(show.picture(), Glyph::Change) > 0; }));
    show.frame();
    const DisplayList picture = show.picture();
    QCOMPARE(glyphs(picture, Glyph::Change), 3);
    QCOMPARE(show.motion.messagesUnderWay(), std::size_t(3));
    QCOMPARE(glyphs(picture, Glyph::Reply), 0);
    // During the flight no parity bucket has the change; each gets it when its Delta arrives.
    QVERIFY(!show.pacer.state().parity.at({ 0, 0 }).ranks.has(21));
    QVERIFY(show.until([&] { return show.pacer.state().parity.at({ 0, 2 }).ranks.has(21); }));
    QCOMPARE(glyphs(show.picture(), Glyph::Change), 0);
    QVERIFY(show.until([&] { return glyphs(show.picture(), Glyph::Ack) == 3; }));
}

void MotionTest::theClientIsAnsweredAfterTheLastAcknowledgement()
{
    Show show({ 4, 4, 2 });
    show.insert(1, 21, 2);
    QVERIFY(show.until([&] { return glyphs(show.picture(), Glyph::Reply) > 0; }));
    std::size_t acknowledged = 0;
    for (const ShownEvent& event : show.shown)
        acknowledged += event.run.event->has_message_received()
                && event.run.event->message_received().kind() == "delta_ack"
            ? 1
            : 0;
    QCOMPARE(acknowledged, std::size_t(2));
    QCOMPARE(glyphs(show.picture(), Glyph::Ack), 0);
    QCOMPARE(show.pacer.state().clients.at(kAlice).done, std::uint64_t(12'345)); // not yet
    QVERIFY(show.untilRest());
    QCOMPARE(show.pacer.state().clients.at(kAlice).done, std::uint64_t(12'346));
}

void MotionTest::aForwardedRequestAndItsImageAdjustmentAreWritten()
{
    Show show({ 8, 4, 1 });
    pb::Event started = show.event(1);
    started.mutable_operation_started()->set_kind(pb::SEARCH);
    started.mutable_operation_started()->set_key(47);
    show.feed.tell(kAlice, started);
    ProcessId before = kAlice;
    std::uint64_t departure = show.message("search", kAlice, kBucket0, 1);
    for (const auto& [from, to] : { std::pair(0u, 3u), std::pair(3u, 7u) }) {
        pb::Event forwarded = show.event(1, before, departure);
        forwarded.mutable_place()->set_role(pb::DATA);
        forwarded.mutable_place()->set_number(from);
        forwarded.mutable_operation_forwarded()->set_from(from);
        forwarded.mutable_operation_forwarded()->set_to(to);
        show.feed.tell(kFileData + from, forwarded);
        departure = show.message("search", kFileData + from, kFileData + to, 1, before, departure);
        before = kFileData + from;
    }
    departure = show.message("reply", kFileData + 7, kAlice, 1, before, departure);
    pb::Event adjusted = show.event(1, kFileData + 7, departure);
    adjusted.mutable_image_adjusted()->mutable_after()->set_i(2);
    adjusted.mutable_image_adjusted()->mutable_after()->set_n(4);
    show.feed.tell(kAlice, adjusted);
    QStringList seen;
    bool hasImageReply = false;
    QVERIFY(show.until([&] {
        for (const QString& text : show.picture().texts()) {
            if (!seen.contains(text))
                seen << text;
        }
        hasImageReply = hasImageReply || glyphs(show.picture(), Glyph::Image) > 0;
        return !show.pacer.isBusy() && show.pacer.shownUpTo() == show.feed.committed()
            && !show.motion.isMoving(show.pacer.clock());
    }));
    const auto at = [&](const char* text) { return seen.indexOf(QString::fromUtf8(text)); };
    QVERIFY2(at("search key 47") >= 0, qPrintable(seen.join(" | ")));
    QVERIFY2(at("not mine: forward to 3") > at("search key 47"), qPrintable(seen.join(" | ")));
    QVERIFY2(at("not mine: forward to 7") > at("not mine: forward to 3"), qPrintable(seen.join(" | ")));
    QVERIFY2(at("image (0, 0) → (2, 4)") > at("not mine: forward to 7"), qPrintable(seen.join(" | ")));
    QVERIFY(hasImageReply); // the answer carries the adjustment, and its glyph shows that
}

// ---- spares

void MotionTest::anInvitationIsDrawnAroundItsPool()
{
    Show show({ 2, 4, 1 });
    pb::Event invitation = show.event();
    invitation.mutable_invitation_sent()->set_role(pb::PARITY);
    invitation.mutable_invitation_sent()->set_count(1);
    invitation.mutable_invitation_sent()->set_invitation(5);
    show.feed.tell(kFileCoordinator, invitation);
    QVERIFY(show.until([&] { return show.picture().texts().contains("invitation: 1 wanted"); }));
    const ClusterLayout places = show.layout();
    const auto pool = std::find_if(
        places.pools.begin(), places.pools.end(), [](const auto& p) { return p.role == pb::PARITY; });
    const DisplayList picture = show.picture();
    QVERIFY(std::any_of(picture.items().begin(), picture.items().end(), [&](const DisplayList::Item& item) {
        const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
        return box && box->rect.contains(pool->frame.adjusted(1, 1, -1, -1))
            && pool->frame.adjusted(-20, -20, 20, 20).contains(box->rect);
    }));
    QVERIFY(show.untilRest());
    QVERIFY(!show.picture().texts().contains("invitation: 1 wanted"));
}

void MotionTest::ofEightSparesOneGoesAndSevenAreBack()
{
    FileShape shape { 3, 4, 1 };
    shape.dataSpares = 8;
    Show show(shape);
    const auto count = [&](Condition condition) {
        const auto spares = sparesOf(show.pacer.state(), pb::DATA);
        return std::count_if(spares.begin(), spares.end(), [&](ProcessId id) {
            const ProcessState& p = show.pacer.state().processes.at(id);
            return condition
                == (p.offer.invitation != 0 ? Condition::Offered
                        : p.isInvited       ? Condition::Invited
                                            : Condition::Up);
        });
    };
    QCOMPARE(count(Condition::Up), 8);
    for (ProcessId spare = kSpare; spare < kSpare + 8; ++spare) {
        pb::Event invited = show.event();
        invited.mutable_node_invited()->set_invitation(5);
        show.feed.tell(spare, invited);
    }
    QVERIFY(show.until([&] { return count(Condition::Invited) == 8; }));
    for (ProcessId spare = kSpare; spare < kSpare + 8; ++spare) {
        pb::Event offered = show.event();
        offered.mutable_node_offered()->set_invitation(5);
        offered.mutable_node_offered()->set_expires_ms(500);
        show.feed.tell(spare, offered);
    }
    QVERIFY(show.until([&] { return count(Condition::Offered) == 8; }));
    for (ProcessId spare = kSpare + 1; spare < kSpare + 8; ++spare) {
        pb::Event cancelled = show.event();
        cancelled.mutable_offer_cancelled()->set_invitation(5);
        show.feed.tell(spare, cancelled);
    }
    pb::Event recruited = show.event();
    recruited.mutable_place()->set_role(pb::DATA);
    recruited.mutable_place()->set_number(3);
    recruited.mutable_node_recruited()->set_incarnation(77);
    recruited.mutable_node_recruited()->set_level(2);
    show.feed.tell(kSpare, recruited);
    QVERIFY(show.untilRest());
    QCOMPARE(count(Condition::Up), 7);
    QCOMPARE(sparesOf(show.pacer.state(), pb::DATA).size(), std::size_t(7));
    QCOMPARE(show.pacer.state().data.at(3).process, kSpare);
}

void MotionTest::aRecruitedSpareTravelsToItsPlace()
{
    ClusterState state = fileOf({ 3, 4, 1 });
    LayoutOptions options;
    options.viewport = kView;
    const Theme theme;
    LayoutMotion motion;
    motion.retarget(layoutCluster(state, theme, options), 0, true);
    QVERIFY(!motion.isMoving(0)); // the first layout is there without animation
    const QRectF chip = motion.at(0).findProcess(kSpare)->rect;
    pb::Event recruited;
    recruited.set_sequence(1);
    recruited.mutable_place()->set_role(pb::DATA);
    recruited.mutable_place()->set_number(3);
    recruited.mutable_node_recruited()->set_incarnation(77);
    state.apply(kSpare, recruited, 1);
    const ClusterLayout after = layoutCluster(state, theme, options);
    motion.retarget(after, 10, true);
    const ObjectRef place { ObjectKind::Data, 3, 0 };
    QCOMPARE(motion.at(10).find(place)->rect, chip);
    QVERIFY(motion.at(10).find(place)->isMoving);
    qreal before = chip.center().y();
    for (double now = 10; now <= 10 + LayoutMotion::kTravel; now += 0.05) {
        const ClusterLayout here = motion.at(now);
        const ClusterLayout::Item* item = here.find(place);
        QVERIFY(item->rect.center().y() <= before + 0.01); // never backwards, never too far
        QVERIFY(item->rect.center().y() >= after.find(place)->rect.center().y() - 0.01);
        before = item->rect.center().y();
    }
    QVERIFY(!motion.isMoving(11) && motion.at(11).find(place)->rect == after.find(place)->rect);
    // Without animation everything is at its place at once.
    LayoutMotion still;
    still.retarget(layoutCluster(fileOf({ 3, 4, 1 }), theme, options), 0, false);
    still.retarget(after, 1, false);
    QVERIFY(!still.isMoving(1));
    QCOMPARE(still.at(1).find(place)->rect, after.find(place)->rect);
    motion.forget(); // in another cluster a process does not start at the place of an earlier process with its number
    motion.retarget(layoutCluster(fileOf({ 3, 4, 1 }), theme, options), 12, true);
    QVERIFY(!motion.isMoving(12) && motion.at(12).findProcess(kSpare)->rect == chip);
}

// The first bucket of a new group makes the others smaller: its empty places do not cover them on their way.
void MotionTest::newEmptyPlacesLieBelowWhatSlidesAway()
{
    LayoutOptions options;
    options.viewport = kView;
    const Theme theme;
    LayoutMotion motion;
    motion.retarget(layoutCluster(fileOf({ 4, 4, 1 }), theme, options), 0, true);
    const ClusterLayout after = layoutCluster(fileOf({ 5, 4, 1 }), theme, options);
    motion.retarget(after, 10, true);
    const ObjectRef empty { ObjectKind::Dummy, 6, 0 };
    QVERIFY(after.find(empty) != nullptr);
    const ClusterLayout sliding = motion.at(10.1);
    QVERIFY(sliding.find(empty) < sliding.find({ ObjectKind::Data, 0, 0 }));
    for (const ClusterLayout::Item& item : sliding.items) {
        QCOMPARE(sliding.find(item.object)->object, item.object);
        QVERIFY(item.process == 0 || sliding.findProcess(item.process)->process == item.process);
    }
    QCOMPARE(motion.at(10 + LayoutMotion::kSlide).find(empty)->rect, after.find(empty)->rect);
}

// ---- splits

void MotionTest::theRecordsOfASplitFlyFromRankToRank()
{
    Show show({ 2, 4, 1 });
    pb::Event moved = show.event(0, kBucket0, 1);
    moved.mutable_place()->set_role(pb::DATA);
    moved.mutable_place()->set_number(1);
    for (std::uint32_t i = 1; i <= 12; ++i) {
        moved.mutable_records_moved()->add_keys(i);
        moved.mutable_records_moved()->add_old_ranks(i);
        moved.mutable_records_moved()->add_new_ranks(20 + i);
    }
    show.feed.tell(kBucket0, show.event());
    show.feed.tell(kFileData + 1, moved);
    QVERIFY(show.until([&] { return show.motion.recordsUnderWay() == 12; }));
    QVERIFY(!show.pacer.state().data.at(1).incoming.has(21)); // they have not arrived yet
    const ClusterLayout places = show.layout();
    const QRectF source = places.find({ ObjectKind::Data, 0, 0 })->rect,
                 target = places.find({ ObjectKind::Data, 1, 0 })->rect;
    const QRectF way = source.united(target).adjusted(-12, -80, 12, 80); // their path is an arc
    std::size_t squaresMost = 0;
    while (show.motion.recordsUnderWay() > 0) {
        std::size_t squares = 0;
        const DisplayList picture = show.picture();
        for (const DisplayList::Item& item : picture.items()) {
            const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
            if (!box || box->fill != show.theme.incoming)
                continue;
            ++squares;
            QVERIFY(way.contains(box->rect.center()));
        }
        squaresMost = std::max(squaresMost, squares);
        show.frame();
    }
    QVERIFY(squaresMost > 3 && squaresMost <= 12);
    QVERIFY(show.pacer.state().data.at(1).incoming.has(21)); // arrived, and shown as undecided
    QVERIFY(show.pacer.state().data.at(0).ranks.has(1)); // the source keeps its own until the decision
}

// ---- trouble on the way

void MotionTest::aMessageThatIsGivenUpEndsInACross()
{
    Show show({ 2, 4, 1 });
    pb::Event sent = show.event();
    sent.mutable_message_sent()->set_kind("delta");
    sent.mutable_message_sent()->set_to(parityProcess(0, 0));
    show.feed.tell(kBucket0, sent);
    QVERIFY(show.until([&] { return glyphs(show.picture(), Glyph::Change) == 1; }));
    pb::Event givenUp = show.event();
    givenUp.mutable_message_given_up()->set_kind("delta");
    givenUp.mutable_message_given_up()->set_to(parityProcess(0, 0));
    show.feed.tell(kBucket0, givenUp);
    QVERIFY(show.until([&] { return glyphs(show.picture(), Glyph::Cross) == 1; }));
    QCOMPARE(glyphs(show.picture(), Glyph::Change), 0);
}

void MotionTest::aResentMessageIsDashed()
{
    Show show({ 2, 4, 1 });
    const auto dashedLines = [&] {
        const DisplayList picture = show.picture();
        return std::count_if(picture.items().begin(), picture.items().end(), [](const DisplayList::Item& item) {
            const auto* line = std::get_if<DisplayList::Line>(&item.primitive);
            return line && line->isDashed;
        });
    };
    for (const std::uint32_t tries : { 0u, 1u }) {
        pb::Event sent = show.event();
        sent.mutable_message_sent()->set_kind("delta");
        sent.mutable_message_sent()->set_to(parityProcess(0, 0));
        sent.mutable_message_sent()->set_tries(tries);
        show.feed.tell(kBucket0, sent);
        QVERIFY(show.until([&] { return show.motion.messagesUnderWay() == 1; }));
        QCOMPARE(dashedLines(), std::ptrdiff_t(tries));
        QVERIFY(show.untilRest());
    }
}

// ---- much at once

void MotionTest::manyMessagesAreBoundedAndSaidSo()
{
    Show show({ 4, 4, 1 });
    for (std::uint32_t i = 0; i < 400; ++i)
        depart(show, "search", kAlice, kFileData + i % 4, i + 1);
    for (std::uint32_t i = 0; i < 200; ++i)
        depart(show, "split", kFileCoordinator, kFileData + i % 4, 0);
    QVERIFY(show.until([&] { return show.motion.messagesUnderWay() > Motion::kDots; }));
    QCOMPARE(show.motion.messagesUnderWay(), Motion::kDots + 200); // structural messages are never thinned out
    QVERIFY2(show.motion.footNote(show.pacer).contains("dots: 1 of 3 messages"),
        qPrintable(show.motion.footNote(show.pacer))); // no silent omission
    const ClusterLayout places = show.layout();
    CellReader cells;
    DisplayList list(show.theme);
    show.frame();
    const Motion::Ribbons ribbons = show.motion.drawRibbons({ show.pacer.state(), places, show.theme, cells }, list);
    QCOMPARE(ribbons.drawn, std::size_t(4)); // messages without a dot are part of the rates of the four links
}

void MotionTest::aLossIsDrawnThoughItsMessageWasLeftOut()
{
    Show show({ 4, 4, 1 });
    for (std::uint32_t i = 0; i < 300; ++i)
        depart(show, "search", kAlice, kFileData + i % 3, i + 1);
    pb::Event lost = show.event(900);
    lost.mutable_message_given_up()->set_kind("search");
    lost.mutable_message_given_up()->set_to(kFileData + 3);
    show.feed.tell(kAlice, lost);
    QVERIFY(show.until([&] { return glyphs(show.picture(), Glyph::Cross) == 1; }));
}

void MotionTest::underLoadRibbonsShowTheRatesOfTheLinks()
{
    Show show({ 4, 4, 1 });
    std::uint64_t number = 0;
    for (int frame = 0; frame < 120; ++frame) {
        for (int i = 0; i < 60; ++i) {
            pb::Event started = show.event(++number);
            started.mutable_operation_started()->set_kind(pb::SEARCH);
            show.feed.tell(kAlice, started);
            const ProcessId bucket = kFileData + number % 4;
            const std::uint64_t request = show.message("search", kAlice, bucket, number);
            const std::uint64_t answer = show.message("reply", bucket, kAlice, number, kAlice, request);
            pb::Event done = show.event(number, bucket, answer);
            done.mutable_operation_done()->set_kind(pb::SEARCH);
            show.feed.tell(kAlice, done);
        }
        show.frame();
        QVERIFY(show.motion.messagesUnderWay() <= Motion::kDots);
    }
    QVERIFY(show.pacer.isLive());
    QCOMPARE(show.motion.bands(), std::size_t(8)); // requests and answers of four buckets
    const QString note = show.motion.footNote(show.pacer);
    QVERIFY2(note.contains("dots: 1 of"), qPrintable(note));
    const ClusterLayout places = show.layout();
    CellReader cells;
    DisplayList list(show.theme);
    const Motion::Ribbons ribbons = show.motion.drawRibbons({ show.pacer.state(), places, show.theme, cells }, list);
    QCOMPARE(ribbons.drawn, std::size_t(8));
    const QString words = Motion::ribbonNote(ribbons);
    QVERIFY2(words.contains("width by messages per second") && !words.contains("busiest"), qPrintable(words));
    for (const DisplayList::Item& item : list.items())
        QVERIFY(std::get<DisplayList::Line>(item.primitive).width > 5); // 900 per second and link
    for (int i = 0; i < 600; ++i)
        show.frame();
    QCOMPARE(show.motion.bands(), std::size_t(0)); // they fade without new messages
}

void MotionTest::ribbonsOfManyLinksJoinAndTheRestIsCounted()
{
    Show show({ 256, 4, 1 });
    std::uint64_t number = 0;
    for (int frame = 0; frame < 30; ++frame) {
        for (std::uint32_t a = 0; a < 256; ++a)
            depart(show, "search", kAlice, kFileData + a, ++number);
        show.frame();
    }
    const auto ribbonsOf = [&](qreal zoom) {
        LayoutOptions options;
        options.viewport = kView;
        options.zoom = zoom;
        const ClusterLayout places = layoutCluster(show.pacer.state(), show.theme, options);
        CellReader cells;
        DisplayList list(show.theme);
        return show.motion.drawRibbons({ show.pacer.state(), places, show.theme, cells }, list);
    };
    QCOMPARE(show.motion.bands(), std::size_t(256));
    const Motion::Ribbons tiles = ribbonsOf(1); // to the 64 groups
    QCOMPARE(tiles.links, std::size_t(64));
    QCOMPARE(tiles.drawn, Motion::kRibbons);
    QVERIFY(Motion::ribbonNote(tiles).contains("the 48 busiest of 64 links"));
    const Motion::Ribbons cards = ribbonsOf(8); // to a few cards, and to the edges beyond which the others lie
    QVERIFY2(cards.links < 40, qPrintable(QString::number(cards.links)));
}

void MotionTest::reducedMotionShowsTheSameStatesAndMovesNothing()
{
    Show show({ 4, 4, 2 });
    show.pacer.setReducedMotion(true);
    show.motion.clear();
    show.motion.setReduced(true);
    show.insert(1, 21, 2);
    for (int i = 0; i < 30; ++i) {
        show.frame();
        QCOMPARE(show.motion.messagesUnderWay(), std::size_t(0));
        QVERIFY(!show.motion.isMoving(show.pacer.clock()));
    }
    QCOMPARE(textOf(show.pacer.state()), textOf(show.feed.state()));
    QVERIFY(show.motion.footNote(show.pacer).contains("reduced motion"));
}

void MotionTest::theStretchIsSaid()
{
    Show show({ 4, 4, 1 });
    show.insert(1, 21, 1);
    QString note;
    QVERIFY(show.until([&] { return !(note = show.motion.footNote(show.pacer)).isEmpty(); }));
    // 0.45 s a hop, 30 µs in reality: 15 000 times slower.
    QVERIFY2(note.contains(QString::fromUtf8("15\u202f000 × slower")), qPrintable(note));
}

int main(int count, char** arguments) { return runOffscreen<MotionTest>(count, arguments); }
#include "tst_motion.moc"
