// SPDX-License-Identifier: GPL-3.0-or-later
// Failures on the canvas: groups in words, shape and colour; the recovery's progress; displaced processes; what moves.
#include "tests/rigs/gui/motion_show.h"
#include "tests/rigs/gui/picture_faults.h"

#include "gui/lab/state/lhrs/fold_failures.h"
#include "gui/lab/state/lhrs/fold_places.h"
#include "gui/show/show_systems.h"
#include "gui/view/lhrs/fault_marks.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/lhrs/words/object_words.h"

using namespace lhrs;
using namespace lhrs::gui;

namespace {

constexpr QSizeF kSmallView(1280, 520);

ClusterState failing(pb::GroupState group, bool isLost = false)
{
    ClusterState state = fileOf({ 8, 4, 2 });
    GroupState& g = state.groups[0];
    g.state = group;
    g.down[{ pb::DATA, 1 }] = { kFileData + 1, isLost, "it does not answer probes", 12'000'000'000 };
    return state;
}

QStringList headerOf(const ClusterState& state, QSizeF view = kSmallView)
{
    const Drawn picture = drawn(state, view);
    QStringList texts;
    for (const DisplayList::Item& item : picture.list.items())
        if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
            text && item.object == ObjectRef { ObjectKind::Group, 0, 0 })
            texts << text->text;
    return texts;
}

// As the processes report a partition: each side its own view.
void cut(ClusterState& state, const std::vector<ProcessId>& a, const std::vector<ProcessId>& b, bool restIsB = false,
    pb::FaultWay way = pb::BOTH_WAYS)
{
    const auto tell = [&](ProcessId at, const std::vector<ProcessId>& peers, bool isAllBut, pb::FaultWay own) {
        pb::Fault fault;
        fault.set_number(77);
        for (const ProcessId peer : peers)
            fault.mutable_partition()->add_peers()->set_node(peer);
        fault.mutable_partition()->set_all_but_peers(isAllBut);
        fault.mutable_partition()->set_way(own);
        arm(state.processes.at(at), fault);
    };
    for (const ProcessId process : a)
        tell(process, restIsB ? a : b, restIsB, way);
    for (const ProcessId process : b)
        tell(process, a, false, way == pb::OUTGOING ? pb::INCOMING : way == pb::INCOMING ? pb::OUTGOING : way);
}

std::vector<QRectF> tapes(const ClusterState& state)
{
    std::vector<QRectF> rects;
    const Drawn picture = drawn(state, QSizeF(1280, 620));
    for (const DisplayList::Item& item : picture.list.items())
        if (const auto* box = std::get_if<DisplayList::Box>(&item.primitive); box && box->isStronglyHatched) {
            if (item.object != ObjectRef { ObjectKind::Fault, 77, 0 })
                return {};
            rects.push_back(box->rect);
        }
    return rects;
}

// All that is drawn lies inside the view.
bool isInside(const DisplayList& list, QSizeF view)
{
    return std::all_of(list.items().begin(), list.items().end(), [&](const DisplayList::Item& item) {
        const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
        return !text || QRectF(-0.5, -0.5, view.width() + 1, view.height() + 1).contains(list.textRect(*text));
    });
}

} // namespace

class FailurePicturesTest : public QObject {
    Q_OBJECT
private slots:
    void theHeaderOfAGroupSaysItsState();
    void aGroupThatIsBeingMadeHasNoKYet();
    void aRecoveryIsABarThatGrows();
    void theContentsOfAFailedBucketLookGone();
    void aDisplacedProcessStandsOutsideTheRows();
    void anEndedOneIsNotDisplaced();
    void aCutIsShownAtWhoIsCutOffAndNotAtTheOthers();
    void everythingIsSaidInWordsToo();
    void slicesTravelFromTheManagerToTheSpare();
    void leasesAreNotDrawn();
    void aWatchedBucketShowsItsLease();
    void aFailedBucketHasItsLastWords();
    void failuresAreCalledByTheirNames();
    void anEndIsShownWhileEventsWait();
    void aPartitionIsHatchedGroundAroundASide();
    void twoSidesHaveWallsBetweenThem();
    void aFaultOfTheNetworkIsWrittenWhereItActs();
    void aCoordinatorThatIsGoneIsSaid();
    void whatFailedBeforeTheWindowCameIsThere();
    void whoTakesPartInARecoveryIsToldFromWhoDoesNot();
    void aSplitThatIsUndoneSaysSo();
    void wordsOfWhatHappensDoNotCoverEachOther();
};

// The split that opens a group is ordered before the group has its parity buckets.
void FailurePicturesTest::aGroupThatIsBeingMadeHasNoKYet()
{
    ClusterState state = fileOf({ 4, 4, 2 });
    QVERIFY(headerOf(state).contains("k = 2"));
    state.groups.at(0).k = 0;
    QVERIFY2(headerOf(state).contains("k = 2, being made"), qPrintable(headerOf(state).join(" | ")));
    state.parity.clear();
    QVERIFY2(headerOf(state).contains("k = 0"), qPrintable(headerOf(state).join(" | "))); // its buckets serve
    for (auto& [number, bucket] : state.data)
        bucket.state = pb::INIT;
    QVERIFY2(headerOf(state).contains("being made"), qPrintable(headerOf(state).join(" | ")));
    QVERIFY(!headerOf(state).contains("k = 0"));
}

void FailurePicturesTest::theHeaderOfAGroupSaysItsState()
{
    QVERIFY(!headerOf(fileOf({ 8, 4, 2 })).join(' ').contains("effective"));
    QVERIFY(headerOf(failing(pb::GROUP_UP)).contains("effective k = 1"));
    QVERIFY(headerOf(failing(pb::GROUP_FROZEN)).contains("FROZEN: changes wait"));
    QVERIFY(headerOf(failing(pb::GROUP_DEGRADED)).contains("DEGRADED"));
    const QStringList lost = headerOf(failing(pb::GROUP_LOST, true));
    QVERIFY2(lost.contains("LOST: bucket 1"), qPrintable(lost.join(" | ")));
    QVERIFY(headerOf(failing(pb::GROUP_LOST, true), QSizeF(500, 520)).join(' ').contains("LOST"));
    // Lost records do not count among the records of the file.
    const QString file = drawn(failing(pb::GROUP_LOST, true), QSizeF(1920, 900)).list.texts().join(" | ");
    QVERIFY2(file.contains("140 records") && file.contains("20 records lost"), qPrintable(file));
}

void FailurePicturesTest::aRecoveryIsABarThatGrows()
{
    ClusterState state = failing(pb::GROUP_DEGRADED);
    RecoveryState& recovery = state.groups[0].recovery;
    recovery.id = 1;
    recovery.isStarted = true;
    recovery.buckets = { 1 };
    recovery.manager = 1;
    const auto greenWidth = [&] {
        const Drawn picture = drawn(state, QSizeF(1920, 900));
        for (const DisplayList::Item& item : picture.list.items())
            if (const auto* box = std::get_if<DisplayList::Box>(&item.primitive);
                box && item.object.kind == ObjectKind::Group && box->fill == Theme().good)
                return box->rect.width();
        return -1.0;
    };
    QCOMPARE(greenWidth(), 0.0);
    recovery.slices = 1;
    recovery.rankTo = 10; // of 20
    recovery.records = 10;
    const qreal half = greenWidth();
    recovery.rankTo = 20;
    QVERIFY(half > 0 && std::abs(greenWidth() - 2 * half) < 1);
    QVERIFY(headerOf(state, QSizeF(1920, 900)).join(' ').contains("slice 1, 10 records"));
    recovery.isOver = true;
    QCOMPARE(greenWidth(), -1.0);
}

void FailurePicturesTest::theContentsOfAFailedBucketLookGone()
{
    const auto cells = [](const ClusterState& state) {
        const Drawn picture = drawn(state, kSmallView);
        for (const DisplayList::Item& item : picture.list.items())
            if (const auto* found = std::get_if<DisplayList::Cells>(&item.primitive);
                found && item.object == ObjectRef { ObjectKind::Data, 1, 0 })
                return found->palette;
        return std::vector<QColor>();
    };
    const auto lines = [](const ClusterState& state) {
        int count = 0;
        const Drawn picture = drawn(state, kSmallView);
        for (const DisplayList::Item& item : picture.list.items())
            count += std::holds_alternative<DisplayList::Line>(item.primitive)
                    && item.object == ObjectRef { ObjectKind::Data, 1, 0 }
                ? 1
                : 0;
        return count;
    };
    QVERIFY(cells(fileOf({ 8, 4, 2 })) != cells(failing(pb::GROUP_DEGRADED)));
    QVERIFY(lines(failing(pb::GROUP_DEGRADED)) >= lines(fileOf({ 8, 4, 2 })) + 4); // a cross
    QVERIFY(lines(failing(pb::GROUP_LOST, true)) >= lines(failing(pb::GROUP_DEGRADED)) + 4); // two
}

void FailurePicturesTest::aDisplacedProcessStandsOutsideTheRows()
{
    ClusterState state = fileOf({ 8, 4, 2 });
    const qreal before = drawn(state, kSmallView).layout.groupsArea.height();
    // Another process holds bucket 1 now; the former one still runs.
    DataBucketState former = state.data[1];
    state.data[1].process = kFileSpares;
    state.data[1].incarnation = 99;
    state.processes[kFileSpares].place = state.processes[kFileData + 1].place;
    state.displacedData[kFileData + 1] = former;
    const Drawn picture = drawn(state, kSmallView);
    const ObjectRef displaced { ObjectKind::Displaced, kFileData + 1, 0 };
    const ClusterLayout::Item* item = picture.layout.find(displaced);
    QVERIFY(item != nullptr);
    QVERIFY(picture.layout.groupsArea.height() < before && item->rect.top() >= picture.layout.groupsArea.bottom());
    QVERIFY(!picture.layout.pools.empty() && item->rect.bottom() <= picture.layout.pools[0].frame.top());
    QCOMPARE(picture.list.hitTest(item->rect.center()), displaced);
    const QString words = picture.list.texts().join(" | ");
    QVERIFY2(
        words.contains("Displaced: serves nothing") && words.contains("node-2 was bucket 1: incarnation 2 is refused"),
        qPrintable(words));
    QVERIFY(isInside(picture.list, kSmallView));
    QCOMPARE(objectOf(state, kFileData + 1), displaced);
    QVERIFY(sentenceOf(state, displaced).contains("serves nothing"));
    const std::vector<ObjectRef> objects = objectsOf(state);
    QVERIFY(std::find(objects.begin(), objects.end(), displaced) != objects.end());
    state.markPaused(kFileData + 1, true, 1); // it may be paused all the longer
    QVERIFY(drawn(state, kSmallView).list.texts().join('|').contains("paused")
        && sentenceOf(state, displaced).contains("is paused"));
}

void FailurePicturesTest::anEndedOneIsNotDisplaced()
{
    ClusterState state = fileOf({ 8, 4, 2 });
    state.displacedData[kFileData + 1] = state.data[1];
    state.markEnded(kFileData + 1, "killed on request", 1);
    QVERIFY(drawn(state, kSmallView).layout.displaced.isNull());
}

void FailurePicturesTest::aCutIsShownAtWhoIsCutOffAndNotAtTheOthers()
{
    ClusterState state = fileOf({ 8, 4, 2 });
    pb::Event event;
    pb::Fault& fault = *event.mutable_fault_begun()->mutable_fault();
    fault.set_number(77);
    fault.mutable_partition()->add_peers()->set_node(kFileData + 1);
    event.set_sequence(1);
    for (const ProcessId process : { kFileData, kFileData + 1, kFileData + 2 }) {
        fault.mutable_partition()->set_all_but_peers(process == kFileData + 1);
        state.apply(process, event, 1);
    }
    const auto hasBadge = [&](std::uint32_t bucket) {
        const Drawn picture = drawn(state, kSmallView);
        return std::any_of(
            picture.list.items().begin(), picture.list.items().end(), [&](const DisplayList::Item& item) {
                const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
                return text && text->text == "cut off" && item.object == ObjectRef { ObjectKind::Data, bucket, 0 };
            });
    };
    QVERIFY(hasBadge(1) && !hasBadge(0) && !hasBadge(2));
    QVERIFY(detailsOf(state, { ObjectKind::Data, 1, 0 }).join('\n').contains("fault on purpose"));
    event.mutable_fault_ended()->mutable_fault()->set_number(77);
    event.set_sequence(2);
    state.apply(kFileData + 1, event, 2);
    QVERIFY(!hasBadge(1));
}

void FailurePicturesTest::everythingIsSaidInWordsToo()
{
    const ClusterState state = failing(pb::GROUP_DEGRADED);
    const ObjectRef bucket { ObjectKind::Data, 1, 0 };
    QVERIFY(sentenceOf(state, bucket).contains("failed"));
    QVERIFY2(detailsOf(state, bucket).join('\n').contains("declared failed at 12.00 s: it does not answer probes"),
        qPrintable(detailsOf(state, bucket).join('\n')));
    QVERIFY(sentenceOf(state, { ObjectKind::Group, 0, 0 }).contains("degraded, survives 1 failure more"));
    QVERIFY(isInside(drawn(state, kSmallView).list, kSmallView));
}

void FailurePicturesTest::slicesTravelFromTheManagerToTheSpare()
{
    Show show({ 4, 4, 1 });
    pb::Event started;
    started.mutable_recovery_started()->add_buckets(1);
    started.mutable_recovery_started()->set_recovery(5);
    show.feed.tell(kFileCoordinator, started);
    pb::Event stored;
    stored.mutable_place()->set_role(pb::DATA);
    stored.mutable_place()->set_number(1);
    stored.mutable_slice_stored()->set_recovery(5);
    for (std::uint32_t rank = 1; rank <= 5; ++rank) {
        stored.mutable_slice_stored()->add_ranks(rank);
        stored.mutable_slice_stored()->add_keys(rank);
    }
    show.feed.tell(kFileData + 1, stored);
    QVERIFY(show.until([&] { return show.motion.recordsUnderWay() == 5; }));
    QVERIFY(show.untilRest());
    QCOMPARE(show.motion.recordsUnderWay(), std::size_t(0));
    QCOMPARE(show.pacer.state().data.at(1).slicesStored, 1u);
}

void FailurePicturesTest::leasesAreNotDrawn()
{
    for (const char* kind : { "lease_request", "lease_grant", "alive" })
        QVERIFY(!messageClassOf(kind));
    QCOMPARE(messageClassOf("slice_data"), std::optional(MessageClass::Bulk));
    QCOMPARE(messageClassOf("alarm"), std::optional(MessageClass::Control));
    // A member that only renews its leases causes no repainting.
    Show show({ 4, 4, 1 });
    pb::Event lease;
    lease.mutable_message_sent()->set_kind("lease_request");
    lease.mutable_message_sent()->set_to(kFileData + 1);
    show.feed.tell(kFileData, lease);
    for (int i = 0; i < 10; ++i)
        show.frame();
    QCOMPARE(show.motion.messagesUnderWay(), std::size_t(0));
    QVERIFY(!show.pacer.isBusy());
}

// No event reports a lease: it is visible while the node is watched, and otherwise nothing is shown.
void FailurePicturesTest::aWatchedBucketShowsItsLease()
{
    ClusterState state = fileOf({ 4, 4, 1 });
    state.file.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    const ObjectRef bucket { ObjectKind::Data, 1, 0 };
    const auto says = [&](const char* words) { return drawn(state, kSmallView).list.texts().contains(words); };
    const auto details = [&] { return detailsOf(state, bucket).join('\n'); };
    QVERIFY(!drawn(state, kSmallView).list.texts().join('|').contains("lease"));
    QVERIFY2(details().contains("lease: not observed"), qPrintable(details()));
    ProcessState& process = state.processes.at(kFileData + 1);
    auto begun = std::make_shared<pb::NodeSample>();
    begun->set_grants_needed(2);
    process.samples.push_back({ 11'900'000'000, begun });
    QVERIFY(says("no lease yet") && !says("lease run out"));
    QVERIFY2(details().contains("no lease yet at 11.90 s (0 of 2 grants)"), qPrintable(details()));
    auto sample = std::make_shared<pb::NodeSample>();
    sample->set_grants_needed(2);
    sample->set_grants_held(2);
    sample->set_lease_left_ns(214'000'000);
    process.samples.push_back({ 12'000'000'000, sample });
    QVERIFY(says("lease 214 ms") && !details().contains("not observed"));
    for (int width = 400; width < 1'600; width += 50) // a number without its label has no meaning
        QVERIFY(!drawn(state, QSizeF(width, 700)).list.texts().contains("214 ms"));
    QVERIFY2(details().contains("lease 214 ms left at 12.00 s (2 of 2 grants)"), qPrintable(details()));
    QVERIFY(sentenceOf(state, bucket).contains("up, lease 214 ms left, parity up to date"));
    auto over = std::make_shared<pb::NodeSample>(*sample);
    over->set_lease_left_ns(0);
    process.samples.push_back({ 12'100'000'000, over });
    QVERIFY(says("lease run out"));
    process.lastEventNs = 20'000'000'000; // it is no longer watched
    QVERIFY(!says("lease run out") && details().contains("lease: not observed"));
    state.file.config.set_recovery(pb::RECOVERY_OFF); // failures are not declared: no lease is needed
    QVERIFY(!details().contains("lease"));
}

void FailurePicturesTest::aFailedBucketHasItsLastWords()
{
    ClusterState state = failing(pb::GROUP_DEGRADED);
    state.markEnded(kFileData + 1, "killed on request", 11'870'000'000);
    const QSizeF view(1920, 620);
    const Drawn picture = drawn(state, view);
    const QString words = picture.list.texts().join(" | ");
    QVERIFY2(
        words.contains("ended at 11.87 s: killed on request") && words.contains(" 12.00 s: it does not answer probes"),
        qPrintable(words));
    QVERIFY2(textFault(picture.list, view).isEmpty(), qPrintable(textFault(picture.list, view)));
    // A suspected bucket shows since when and why; a live one, when it was last heard.
    ClusterState suspect = fileOf({ 4, 4, 1 });
    suspect.processes.at(parityProcess(0, 0)).lastEventNs = 9'500'000'000;
    suspect.groups[0].suspected[{ pb::PARITY, 0 }] = { "not heard of", 10'000'000'000 };
    const QString feared = drawn(suspect, view).list.texts().join(" | ");
    QVERIFY2(feared.contains("its last event came at 9.50 s") && feared.contains("suspected at 10.00 s: not heard of"),
        qPrintable(feared));
    // Without enough room the card omits it, and the hover card has it.
    const Drawn small = drawn(state, QSizeF(700, 420));
    QVERIFY2(textFault(small.list, QSizeF(700, 420)).isEmpty(), qPrintable(textFault(small.list, QSizeF(700, 420))));
    QVERIFY(detailsOf(state, { ObjectKind::Data, 1, 0 }).contains("ended: killed on request"));
    QVERIFY(!drawn(fileOf({ 4, 4, 1 }), view).list.texts().join(" | ").contains("ended"));
}

void FailurePicturesTest::failuresAreCalledByTheirNames()
{
    Show show({ 4, 4, 1 });
    const auto says = [&](const QString& words) {
        return show.until([&] { return show.picture().texts().join(" | ").contains(words); }, 20);
    };
    pb::Event suspected;
    suspected.mutable_member_suspected()->set_role(pb::DATA);
    suspected.mutable_member_suspected()->set_index(1);
    show.feed.tell(kFileCoordinator, suspected);
    QVERIFY(says("suspected"));
    pb::Event failed;
    failed.mutable_bucket_failed()->set_role(pb::DATA);
    failed.mutable_bucket_failed()->set_index(1);
    failed.mutable_bucket_failed()->set_process(kFileData + 1);
    show.feed.tell(kFileCoordinator, failed);
    QVERIFY(says("declared failed"));
    pb::Event recovered;
    recovered.mutable_place()->set_role(pb::PARITY);
    recovered.mutable_record_recovered()->set_key(4711);
    recovered.mutable_record_recovered()->set_bucket(1);
    recovered.mutable_record_recovered()->set_rank(3);
    recovered.mutable_record_recovered()->set_result(pb::OK);
    show.feed.tell(parityProcess(0, 0), recovered);
    QVERIFY(says("computes key 4711"));
    pb::Event lost;
    lost.mutable_group_lost()->add_buckets(1);
    show.feed.tell(kFileCoordinator, lost);
    QVERIFY(says("group 0 is lost"));
}

void FailurePicturesTest::anEndIsShownWhileEventsWait()
{
    Show show({ 4, 4, 1 });
    const auto suspect = [&] {
        pb::Event event;
        event.mutable_member_suspected()->set_role(pb::DATA);
        event.mutable_member_suspected()->set_index(2);
        show.feed.tell(kFileCoordinator, event);
    };
    for (int i = 0; i < 3; ++i)
        suspect();
    show.feed.known().markEnded(kFileData + 2, "killed on request", show.feed.nowNs());
    for (int i = 0; i < 3; ++i)
        suspect();
    QVERIFY(show.until([&] { return show.pacer.state().processes.at(kFileData + 2).hasEnded; }, 10));
    show.feed.known().markPaused(kFileData + 1, true, show.feed.nowNs());
    QVERIFY(show.until([&] { return show.pacer.state().processes.at(kFileData + 1).isPaused; }, 10));
}

void FailurePicturesTest::aPartitionIsHatchedGroundAroundASide()
{
    ClusterState state = fileOf({ 8, 4, 1 });
    std::vector<ProcessId> others;
    for (const auto& [id, process] : state.processes)
        if (id != kFileData + 1 && id != kFileData + 2)
            others.push_back(id);
    cut(state, { kFileData + 1, kFileData + 2 }, others, true);
    const auto partitions = partitionsOf(state);
    QCOMPARE(partitions.size(), std::size_t(1));
    QCOMPARE(partitions[0].a, (std::set<ProcessId> { kFileData + 1, kFileData + 2 }));
    QVERIFY(partitions[0].restIsB && partitions[0].b.size() == others.size());
    // The two are adjacent: one island, with ground on its four sides and none of it on a card.
    const std::vector<QRectF> ground = tapes(state);
    QCOMPARE(ground.size(), std::size_t(4));
    const ClusterLayout layout = drawn(state, QSizeF(1280, 620)).layout;
    QRectF all;
    for (const QRectF& part : ground) {
        all = all.united(part);
        for (const std::uint64_t bucket : { 0u, 1u, 2u, 3u })
            QVERIFY2(!part.intersects(layout.find({ ObjectKind::Data, bucket, 0 })->rect.adjusted(2, 2, -2, -2)),
                qPrintable(QString::number(bucket)));
    }
    QVERIFY(all.contains(layout.find({ ObjectKind::Data, 1, 0 })->rect)
        && all.contains(layout.find({ ObjectKind::Data, 2, 0 })->rect));
    QVERIFY(faultRect(state, layout, 77).contains(layout.find({ ObjectKind::Data, 1, 0 })->rect));
    // For screen readers, and for the menu.
    QCOMPARE(sentenceOf(state, { ObjectKind::Fault, 77, 0 }),
        QString("Fault on purpose: data 1 and data 2 are cut off from all others"));
    const auto objects = objectsOf(state);
    QVERIFY(std::find(objects.begin(), objects.end(), ObjectRef { ObjectKind::Fault, 77, 0 }) != objects.end());
    QCOMPARE(fileWords().nameOf(state, { ObjectKind::Fault, 77, 0 }), QString("fault 1"));
    // At a distance they are two islands.
    ClusterState apart = fileOf({ 8, 4, 1 });
    others.push_back(kFileData + 2);
    std::erase(others, kFileData + 3);
    cut(apart, { kFileData + 1, kFileData + 3 }, others, true);
    QCOMPARE(tapes(apart).size(), std::size_t(8));
}

void FailurePicturesTest::twoSidesHaveWallsBetweenThem()
{
    ClusterState state = fileOf({ 8, 4, 1 });
    cut(state, { kFileCoordinator }, { kFileData, kFileData + 5 }, false, pb::OUTGOING);
    const auto partitions = partitionsOf(state);
    QCOMPARE(partitions.size(), std::size_t(1));
    QCOMPARE(partitions[0].a, (std::set<ProcessId> { kFileCoordinator }));
    QCOMPARE(partitions[0].b, (std::set<ProcessId> { kFileData, kFileData + 5 }));
    QCOMPARE(tapes(state).size(), std::size_t(2)); // one wall on each link
    QCOMPARE(sentenceOf(state, { ObjectKind::Fault, 77, 0 }),
        QString("Fault on purpose: nothing passes from coordinator to data 0 and data 5"));
    // One represents many links.
    ClusterState many = fileOf({ 8, 4, 1 });
    std::vector<ProcessId> all;
    for (std::uint64_t a = 0; a < 8; ++a)
        all.push_back(kFileData + a);
    cut(many, { kFileCoordinator, kFileClients }, all);
    QCOMPARE(tapes(many).size(), std::size_t(1));
}

void FailurePicturesTest::aFaultOfTheNetworkIsWrittenWhereItActs()
{
    const auto textsOf = [](const ClusterState& state) {
        return drawn(state, QSizeF(1920, 900)).list.texts().join(" | ");
    };
    pb::Fault fault;
    fault.set_number(5);
    fault.mutable_network()->set_drop(0.2);
    fault.mutable_network()->set_delay_ms(50);
    fault.mutable_network()->set_way(pb::INCOMING);
    ClusterState state = fileOf({ 4, 4, 1 });
    arm(state.processes.at(kFileData + 2), fault);
    QVERIFY2(textsOf(state).contains("loses 20 %, +50 ms"), qPrintable(textsOf(state)));
    QVERIFY(isInside(drawn(state, QSizeF(1280, 620)).list, QSizeF(1280, 620)));
    // For a single link the text is on the link.
    ClusterState link = fileOf({ 4, 4, 1 });
    fault.mutable_network()->set_way(pb::OUTGOING);
    fault.mutable_network()->add_peers()->set_node(kFileData + 2);
    arm(link.processes.at(kFileClients), fault);
    const Drawn picture = drawn(link, QSizeF(1920, 900));
    bool isOnLink = false;
    for (const DisplayList::Item& item : picture.list.items())
        if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive);
            text && text->text == "loses 20 %, +50 ms")
            isOnLink = item.object == ObjectRef { ObjectKind::Fault, 5, 0 };
    QVERIFY(isOnLink);
    QVERIFY(sentenceOf(link, { ObjectKind::Fault, 5, 0 })
                .startsWith("Fault on purpose: alice loses 20 % and delays by 50 ms"));
    disarm(link.processes.at(kFileClients), fault);
    QVERIFY(!textsOf(link).contains("loses"));
}

void FailurePicturesTest::aCoordinatorThatIsGoneIsSaid()
{
    ClusterState state = fileOf({ 4, 4, 1 });
    const auto says = [&](const char* words) {
        return drawn(state, QSizeF(1280, 620)).list.texts().join(" | ").contains(words)
            && drawn(state, QSizeF(1920, 900)).list.texts().join(" | ").contains(words);
    };
    QVERIFY(!says("key operations go on"));
    state.markEnded(kFileCoordinator, "killed on request", 5);
    QVERIFY2(says("coordinator gone"), qPrintable(drawn(state, QSizeF(1280, 620)).list.texts().join(" | ")));
    QVERIFY(says("no coordinator: key operations go on, splits and recoveries wait"));
    QVERIFY(sentenceOf(state, { ObjectKind::Coordinator, kFileCoordinator, 0 }).contains("key operations go on"));
    // Its successor listens first.
    ProcessState next = state.processes.at(kFileCoordinator);
    next.id = kFileCoordinator + 500;
    next.hasEnded = false;
    state.processes[next.id] = next;
    state.file.isBeingFound = true;
    QCOMPARE(coordinatorOf(state), next.id);
    QVERIFY(says("listening") && says("asks all buckets what they know"));
    state.file.isBeingFound = false;
    QVERIFY(!says("listening") && !says("key operations go on"));
}

void FailurePicturesTest::whatFailedBeforeTheWindowCameIsThere()
{
    ClusterState state = failing(pb::GROUP_DEGRADED);
    state.data.erase(1);
    state.processes.erase(kFileData + 1);
    QVERIFY(drawn(state, QSizeF(1920, 900)).list.texts().join(" | ").contains("does not exist yet"));
    pb::Member member;
    member.set_role(pb::DATA);
    member.set_index(1);
    member.set_state(pb::FAILED);
    member.mutable_holder()->set_node(kFileData + 1);
    fold::placeDeclared(state, 0, member);
    const QString texts = drawn(state, QSizeF(1920, 900)).list.texts().join(" | ");
    QVERIFY2(texts.contains("failed") && texts.contains("contents unknown") && !texts.contains("does not exist yet"),
        qPrintable(texts));
    QVERIFY(sentenceOf(state, { ObjectKind::Data, 1, 0 }).contains("an unknown number of 40 records"));
}

void FailurePicturesTest::whoTakesPartInARecoveryIsToldFromWhoDoesNot()
{
    ClusterState state = failing(pb::GROUP_DEGRADED);
    RecoveryState& recovery = state.groups[0].recovery;
    recovery.isStarted = true;
    recovery.buckets = { 1 };
    recovery.manager = 0;
    auto decoder = std::make_shared<pb::DecoderChosen>();
    for (const std::uint32_t position : { 0u, 2u, 3u }) {
        decoder->add_participants()->set_role(pb::DATA);
        decoder->mutable_participants()->rbegin()->set_index(position);
    }
    decoder->add_participants()->set_role(pb::PARITY);
    recovery.decoder = decoder;
    const auto saysOf = [&](ObjectRef object) {
        const Drawn picture = drawn(state, QSizeF(1920, 900));
        QStringList words;
        for (const DisplayList::Item& item : picture.list.items())
            if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive); text && item.object == object)
                words << text->text;
        return words;
    };
    for (const std::uint64_t a : { 0, 2, 3 })
        QVERIFY(saysOf({ ObjectKind::Data, a, 0 }).contains("survivor"));
    const QStringList manager = saysOf({ ObjectKind::Parity, 0, 0 });
    QVERIFY2(manager.contains("manager, survivor") || manager.contains("manager"), qPrintable(manager.join(" | ")));
    QVERIFY(saysOf({ ObjectKind::Parity, 0, 1 }).contains("not needed"));
    for (const ObjectRef other : { ObjectRef { ObjectKind::Data, 1, 0 }, ObjectRef { ObjectKind::Data, 5, 0 },
             ObjectRef { ObjectKind::Parity, 1, 0 } })
        QVERIFY(!saysOf(other).contains("survivor") && !saysOf(other).contains("not needed"));
    recovery.isOver = true;
    QVERIFY(!saysOf({ ObjectKind::Data, 0, 0 }).contains("survivor"));
}

void FailurePicturesTest::aSplitThatIsUndoneSaysSo()
{
    ClusterState state = fileOf({ 8, 4, 1 });
    SplitState& split = state.splits[5];
    split.id = 5;
    split.bucket = 1;
    split.newBucket = 9;
    split.isOrdered = true;
    const QSizeF wide(1920, 900);
    for (const auto& [stage, word] :
        { std::pair(SplitStage::Ordered, "ordered"), std::pair(SplitStage::Moving, "records moving"),
            std::pair(SplitStage::Prepared, "prepared"), std::pair(SplitStage::Committed, "committed") }) {
        split.stage = stage;
        QVERIFY2(headerOf(state, wide).contains(word) || headerOf(state, wide).contains("split 1 → 9"), word);
    }
    split.stage = SplitStage::Undone;
    split.reason = "no spare confirmed";
    const QString words = headerOf(state, wide).join(" | ");
    QVERIFY2(words.contains(QString::fromUtf8("split 1 → 9 undone")), qPrintable(words));
    split.endedNs = -6'000'000'000; // some time ago
    QVERIFY(!headerOf(state, wide).join(' ').contains("undone"));
}

void FailurePicturesTest::wordsOfWhatHappensDoNotCoverEachOther()
{
    Show show({ 16, 4, 1 });
    for (std::uint32_t a = 0; a < 12; ++a) {
        pb::Event overflow = show.event();
        overflow.mutable_place()->set_role(pb::DATA);
        overflow.mutable_place()->set_number(a);
        overflow.mutable_bucket_overflowed()->set_count(41);
        show.feed.tell(kFileData + a, overflow);
        pb::Event suspected = show.event();
        suspected.mutable_member_suspected()->set_role(pb::DATA);
        suspected.mutable_member_suspected()->set_group(a / 4);
        suspected.mutable_member_suspected()->set_index(a);
        show.feed.tell(kFileCoordinator, suspected);
        pb::Event failed = show.event();
        failed.mutable_bucket_failed()->set_role(pb::DATA);
        failed.mutable_bucket_failed()->set_index(a);
        show.feed.tell(kFileCoordinator, failed);
    }
    std::size_t most = 0;
    for (int frame = 0; frame < 120; ++frame) {
        show.frame();
        const DisplayList picture = show.picture();
        std::vector<QRectF> texts;
        for (const DisplayList::Item& item : picture.items())
            if (const auto* text = std::get_if<DisplayList::Text>(&item.primitive))
                texts.push_back(text->box);
        for (std::size_t i = 0; i < texts.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY2(!texts[i].intersects(texts[j]), qPrintable(picture.texts().join(" | ")));
        most = std::max(most, texts.size());
    }
    QVERIFY2(most >= 8, qPrintable(QString::number(most))); // they make room for each other, and none is left out
}

int main(int count, char** arguments) { return runOffscreen<FailurePicturesTest>(count, arguments); }
#include "tst_failure_pictures.moc"
