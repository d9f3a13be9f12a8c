// SPDX-License-Identifier: GPL-3.0-or-later
// The 2003 report, section 8: a file of 25,000 records is created, here with machines in memory. tst_runtime does the
// same with processes.
#include "tests/rigs/core/file_check.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

class TestPaperCreation : public QObject {
    Q_OBJECT

private slots:
    void twentyFiveThousandInsertsGiveFourDataBuckets_data();
    void twentyFiveThousandInsertsGiveFourDataBuckets();
};

// Section 8: 25,000 records of 100 bytes, b = 10,000, k = 0, 1, 2, each insert acknowledged before the next. The
// records end up on four data buckets. Each insert takes the same time, except for the inserts that meet a split,
// because the bucket is locked: 10,001 and 20,001 to 20,005. From k = 0 to 1 a split costs the preparation of an update
// buffer at the splitting bucket and at the new bucket, and one send each; from k = 1 to 2 it costs one more send.
void TestPaperCreation::twentyFiveThousandInsertsGiveFourDataBuckets_data()
{
    QTest::addColumn<quint32>("k");
    for (quint32 k = 0; k <= 2; ++k)
        QTest::addRow("k = %u", k) << k;
}

void TestPaperCreation::twentyFiveThousandInsertsGiveFourDataBuckets()
{
    QFETCH(quint32, k);
    FileRig::Options options;
    options.config = fileConfig(4, k, 10'000);
    options.dataSpares = 6;
    options.paritySpares = 4;
    FileRig rig(options);
    QVERIFY(rig.waitForFile());

    std::uint64_t done = 0;
    std::vector<std::uint64_t> overflowAt; // numbers of the inserts
    std::vector<std::uint64_t> splitsAt; // ordered during which insert
    std::map<std::uint64_t, std::set<std::uint64_t>> batchTo; // data bucket process -> parity processes
    std::set<std::uint64_t> slow; // inserts that took longer than the median
    std::map<std::uint64_t, std::int64_t> times;
    rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
        if (event.has_operation_done() && node == FileRig::kClient)
            times[++done] = event.operation_done().time_ns();
        else if (event.has_bucket_overflowed())
            overflowAt.push_back(event.operation().number());
        else if (event.has_split_ordered())
            splitsAt.push_back(done + 1);
    };
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_prepare_batch() && !packet.message->prepare_batch().asks_only())
            batchTo[packet.from].insert(packet.to);
        return true;
    };
    const pb::WorkloadResult result = rig.insertMany(25'000, 100, 1);
    QCOMPARE(result.results().at("OK"), 25'000u);
    QCOMPARE(result.unanswered(), 0u);
    QVERIFY(rig.waitForRest());

    QCOMPARE(rig.coordinator().file().buckets(), 4u);
    QCOMPARE(rig.coordinator().file().image(), (FileImage { 2, 0 }));
    QCOMPARE(rig.coordinator().file().groups().size(), std::size_t(1));
    QCOMPARE(rig.coordinator().file().groups().at(GroupNumber(0)).k, k);
    for (std::uint32_t bucket = 0; bucket < 4; ++bucket)
        QCOMPARE(rig.data(bucket)->store().count(), 6250u);
    QCOMPARE(overflowAt, (std::vector<std::uint64_t> { 10'001, 20'001, 20'002 }));
    QCOMPARE(splitsAt.size(), std::size_t(3));
    for (std::size_t n = 0; n < 3; ++n) // reported, a server recruited, ordered; the third waits for the second
        QVERIFY2(
            splitsAt[n] > overflowAt[n] && splitsAt[n] <= overflowAt[n] + 30, qPrintable(QString::number(splitsAt[n])));
    QCOMPARE(batchTo.size(), std::size_t(k == 0 ? 0 : 4)); // each bucket is source or target of some split
    for (const auto& [from, to] : batchTo)
        QCOMPARE(to.size(), std::size_t(k));
    // A split copies ahead: one insert waits for the rest at the end of the split, and the old image may cause a
    // forward of the next one. Neither takes long. All others take the same time, because this network has a constant
    // delay; but the first insert asks for the bucket's location.
    std::vector<std::int64_t> sorted;
    for (const auto& [number, time] : times)
        sorted.push_back(time);
    std::sort(sorted.begin(), sorted.end());
    const std::int64_t median = sorted[sorted.size() / 2];
    for (const auto& [number, time] : times) {
        if (number > 1 && time > median)
            slow.insert(number);
    }
    QVERIFY(slow.size() >= splitsAt.size() && slow.size() <= 2 * splitsAt.size());
    for (const std::uint64_t number : slow) {
        const bool meetsSplit = std::any_of(
            splitsAt.begin(), splitsAt.end(), [number](std::uint64_t at) { return number >= at && number <= at + 20; });
        QVERIFY2(meetsSplit, qPrintable(QString::number(number)));
        QVERIFY2(times.at(number) <= 3 * median, qPrintable(QString::number(number)));
    }

    QCOMPARE(rig.verify().results().at("OK"), 25'000u);
    QCOMPARE(parityProblem(rig), "");
}

QTEST_APPLESS_MAIN(TestPaperCreation)
#include "tst_paper_creation.moc"
