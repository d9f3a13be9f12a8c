// SPDX-License-Identifier: GPL-3.0-or-later
// The level RECORDS: changes of records are published together, in lists, at the right moment and in the right place.
#include "tests/rigs/core/bucket_rigs.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;
using namespace std::chrono_literals;

namespace {

DataRig::Options withoutParity()
{
    DataRig::Options options;
    options.k = 0;
    return options;
}

} // namespace

class TestToldChanges : public QObject {
    Q_OBJECT
private slots:
    void changesAreToldTogether();
    void otherEventsKeepTheirPlaceAmongChanges();
    void manyChangesDoNotWait();
    void changesThatWaitAreToldWhenTheLevelChanges();
    void deltasAreToldTogether();
};

void TestToldChanges::changesAreToldTogether()
{
    DataRig rig(withoutParity());
    rig.driven.setDetail(pb::RECORDS);
    const auto ask = [&rig](pb::OperationKind kind, std::uint64_t key, std::uint64_t number) {
        const Step step = rig.ask({ .kind = kind, .key = key, .value = "abc", .number = number });
        QCOMPARE(step.events.size(), std::size_t(0));
    };
    ask(pb::INSERT, 70, 1);
    ask(pb::INSERT, 71, 2);
    ask(pb::UPDATE, 70, 3);
    ask(pb::DELETE, 71, 4);
    ask(pb::INSERT, 72, 5);
    QCOMPARE(rig.search(70).events.size(), std::size_t(0)); // a search changes nothing
    rig.driven.sleep(EventStamper::kGatherFor);
    const Step step = rig.driven.pass(0ns);
    QCOMPARE(step.events.size(), std::size_t(1));
    const pb::Event& event = step.events.front();
    QCOMPARE(event.place().role(), pb::DATA);
    QVERIFY(!event.has_operation() && event.cause_process() == 0);
    const pb::RecordsChanged& told = event.records_changed();
    const std::vector<int> kinds { pb::CHANGE_INSERT, pb::CHANGE_INSERT, pb::CHANGE_UPDATE, pb::CHANGE_DELETE,
        pb::CHANGE_INSERT };
    QCOMPARE(std::vector<int>(told.kinds().begin(), told.kinds().end()), kinds);
    QCOMPARE(std::vector<std::uint64_t>(told.keys().begin(), told.keys().end()),
        (std::vector<std::uint64_t> { 70, 71, 70, 71, 72 }));
    QCOMPARE(std::vector<std::uint32_t>(told.ranks().begin(), told.ranks().end()),
        (std::vector<std::uint32_t> { 1, 2, 1, 2, 2 }));
    QCOMPARE(told.sequence(), 5u);
    QCOMPARE(told.count(), 2u);
    // No repeat.
    QCOMPARE(rig.driven.pass(10 * EventStamper::kGatherFor).of(Happened::kRecordsChanged).size(), std::size_t(0));
}

void TestToldChanges::otherEventsKeepTheirPlaceAmongChanges()
{
    DataRig rig(withoutParity());
    rig.driven.setDetail(pb::RECORDS);
    std::uint64_t number = 0;
    Step step;
    while (step.events.empty() && number < 1000) {
        ++number;
        step = rig.ask({ .kind = pb::INSERT, .key = 100 + number, .value = "abc", .number = number });
    }
    // The change that caused the overflow is published before the overflow.
    QCOMPARE(step.events.size(), std::size_t(2));
    QCOMPARE(step.events[0].records_changed().sequence(), number);
    QCOMPARE(std::uint64_t(step.events[0].records_changed().keys_size()), number);
    QCOMPARE(step.events[1].bucket_overflowed().count(), std::uint32_t(number));
    QCOMPARE(step.events[1].sequence(), step.events[0].sequence() + 1);
}

void TestToldChanges::manyChangesDoNotWait()
{
    DataRig rig(withoutParity());
    rig.driven.setDetail(pb::RECORDS);
    std::size_t told = 0, events = 0;
    constexpr std::uint64_t kMany = 5'000;
    for (std::uint64_t number = 1; number <= kMany; ++number) {
        // Insert and delete in turn, so that the bucket does not overflow.
        const Step step = rig.ask(
            { .kind = number % 2 ? pb::INSERT : pb::DELETE, .key = 70, .value = "abc", .number = number });
        for (const pb::Event& event : step.events) {
            told += std::size_t(event.records_changed().keys_size());
            ++events;
        }
    }
    QVERIFY(told > kMany - 1'025 && told <= kMany);
    QVERIFY(events >= 1 && events <= kMany / 100);
}

void TestToldChanges::changesThatWaitAreToldWhenTheLevelChanges()
{
    DataRig rig(withoutParity());
    rig.driven.setDetail(pb::RECORDS);
    QCOMPARE(rig.ask({ .kind = pb::INSERT, .key = 70, .value = "abc", .number = 1 }).events.size(), std::size_t(0));
    QCOMPARE(rig.driven.setDetail(pb::OPERATIONS).of(Happened::kRecordsChanged).at(0).records_changed().keys(0), 70u);
    const Step step = rig.ask({ .kind = pb::INSERT, .key = 71, .value = "abc", .number = 2 });
    QCOMPARE(step.count(Happened::kRecordInserted), std::size_t(1));
    QCOMPARE(step.count(Happened::kRecordsChanged), std::size_t(0));
}

void TestToldChanges::deltasAreToldTogether()
{
    ParityRig rig;
    rig.driven.setDetail(pb::RECORDS);
    const ParityRig::Change first = rig.insert(0, 1, 70, "a"), other = rig.insert(2, 1, 71, "b"),
                            gone = rig.erase(0, 1);
    for (const ParityRig::Change& change : { first, other, gone })
        QCOMPARE(rig.delta(change).events.size(), std::size_t(0));
    // A Delta that comes too early is held, and its event comes at that place. No list has the Delta before it is
    // applied.
    const ParityRig::Change third = rig.insert(0, 2, 72, "c"), fourth = rig.insert(0, 3, 73, "d");
    const Step early = rig.delta(fourth);
    QCOMPARE(early.events.size(), std::size_t(2));
    const pb::DeltasApplied& told = early.events[0].deltas_applied();
    QCOMPARE(std::vector<std::uint32_t>(told.positions().begin(), told.positions().end()),
        (std::vector<std::uint32_t> { 0, 2, 0 }));
    QCOMPARE(std::vector<int>(told.kinds().begin(), told.kinds().end()),
        (std::vector<int> { pb::CHANGE_INSERT, pb::CHANGE_INSERT, pb::CHANGE_DELETE }));
    QCOMPARE(
        std::vector<std::uint32_t>(told.ranks().begin(), told.ranks().end()), (std::vector<std::uint32_t> { 1, 1, 1 }));
    QCOMPARE(std::vector<std::uint32_t>(told.members().begin(), told.members().end()),
        (std::vector<std::uint32_t> { 1, 2, 1 }));
    QCOMPARE(std::vector<std::uint64_t>(told.applied().begin(), told.applied().end()),
        (std::vector<std::uint64_t> { 2, 0, 1 }));
    QCOMPARE(told.record_groups(), 1u);
    QVERIFY(early.events[1].has_delta_held());
    rig.delta(third);
    rig.driven.sleep(EventStamper::kGatherFor);
    const Step later = rig.driven.pass(0ns);
    QCOMPARE(later.of(Happened::kDeltasApplied).at(0).deltas_applied().applied(0), 4u);
    QCOMPARE(later.of(Happened::kDeltasApplied).at(0).deltas_applied().ranks_size(), 2);
    QCOMPARE(rig.differenceToModel(), "");
}

QTEST_APPLESS_MAIN(TestToldChanges)
#include "tst_told_changes.moc"
