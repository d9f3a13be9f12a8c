// SPDX-License-Identifier: GPL-3.0-or-later
// The level RECORDS in the picture: lists of changes arrive all the time, and they neither wait nor delay anything.
#include "tests/rigs/gui/motion_show.h"

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

} // namespace

class PacerTest : public QObject {
    Q_OBJECT
private slots:
    void listsOfChangesAreShownAsTheyCome();
    void whatNoEventTellsIsLearntAmongLists();
    void nothingOfAFormerClusterStays();
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

int main(int count, char** arguments)
{
    return runOffscreen<PacerTest>(count, arguments);
}
#include "tst_pacer.moc"
