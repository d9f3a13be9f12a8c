// SPDX-License-Identifier: GPL-3.0-or-later
// The two papers, statement by statement: each statement about the parts of the scheme in our words with its section,
// then its test. This file covers the scheme (demo paper 2). Architecture and demonstration (demo paper 3 and 4, 2003
// report) are in tst_paper_system.cpp, file creation (report 8) in tst_paper_creation.cpp.
#include "common/lhrs/erasure_code.h"
#include "common/lhrs/linear_hash.h"
#include "tests/rigs/core/file_check.h"

#include <QTest>

#include <algorithm>

using namespace lhrs;
using namespace lhrs::test;

namespace {

// A file of some buckets with values of different lengths, at rest.
FileRig::Options small(std::uint32_t k, pb::Field field = pb::GF_16)
{
    FileRig::Options options;
    options.config = fileConfig(4, k, 20);
    options.config.set_field(field);
    options.dataSpares = 30;
    options.paritySpares = 30;
    options.clients = 2;
    return options;
}

void fill(FileRig& rig, std::uint64_t count)
{
    QVERIFY(rig.waitForFile());
    pb::RunWorkload order;
    order.set_kind(pb::INSERT);
    order.set_count(count);
    order.set_length(30);
    order.set_window(4);
    QCOMPARE(rig.runWorkload(order).results().at("OK"), count);
    QVERIFY(rig.waitForRest());
    rig.cluster.run(1s);
}

ByteSpan bytesOf(const std::string& text) { return { reinterpret_cast<const std::byte*>(text.data()), text.size() }; }

} // namespace

class TestPaper : public QObject {
    Q_OBJECT

private slots:
    // demo paper 2
    void aFileIsGroupsOfDataAndParityBucketsOnDifferentServers();
    void aRecordGetsItsRankOnInsertion();
    void aParityRecordHasRankKeyListAndParityField();
    void theDeltaGoesToAllParityBucketsWhichAddTheirMultiple();
    void theMatricesAreThosePrinted();
    void onesNeedNoMultiplication_data();
    void onesNeedNoMultiplication();
    void anyMOfTheRecordsGiveTheOthersBack();
    void theFileStartsWithOneDataBucketAndKParityBuckets();
    void everyGroupHasKOrOneLess();
    void anOverloadedBucketAlertsTheCoordinatorWhichChoosesWhoSplits();
    // LH*, the basis of both papers
    void clientsAddressByTheirOwnImageAndErrAtMostTwice();
    void anAdjustedImageNeverErrsTwiceOnOneKey();
    void splitsAreOrderedByTheCoordinatorInTurn();
    void loadControlKeepsTheFileFuller_data();
    void loadControlKeepsTheFileFuller();
};

// ---- demo paper 2: LH*RS scheme

// A file is subdivided into groups; a group has m data buckets and k parity buckets, each on another server.
void TestPaper::aFileIsGroupsOfDataAndParityBucketsOnDifferentServers()
{
    FileRig rig(small(2));
    fill(rig, 200);
    const FileState& file = rig.coordinator().file();
    std::set<std::uint64_t> servers;
    std::uint32_t data = 0;
    for (const auto& [g, group] : file.groups()) {
        QCOMPARE(group.data.size(), std::size_t(std::min(4u, file.buckets() - g.value * 4)));
        QCOMPARE(group.parity.size(), std::size_t(2));
        data += std::uint32_t(group.data.size());
        for (const auto& [q, member] : group.data)
            QVERIFY(servers.insert(member.holder.node.value).second);
        for (const auto& [p, member] : group.parity)
            QVERIFY(servers.insert(member.holder.node.value).second);
    }
    QCOMPARE(data, file.buckets());
    QVERIFY(file.buckets() >= 8);
    QCOMPARE(rig.verify().results().at("OK"), 200u);
}

// Every data record has a rank in its bucket, which it receives when it is inserted.
void TestPaper::aRecordGetsItsRankOnInsertion()
{
    FileRig rig(small(1));
    QVERIFY(rig.waitForFile());
    for (std::uint64_t c = 0; c < 10; ++c)
        QCOMPARE(rig.operate(pb::INSERT, c * 7, "v").rank(), std::uint32_t(c + 1));
    QCOMPARE(rig.operate(pb::UPDATE, 21, "longer").rank(), 4u); // and keeps it
    QCOMPARE(rig.operate(pb::SEARCH, 21).rank(), 4u);
}

// A record group is all records of one rank in a bucket group. The parity record's key is the rank; its key list
// identifies the group's records; its parity field holds the parity symbols.
void TestPaper::aParityRecordHasRankKeyListAndParityField()
{
    for (const pb::Field field : { pb::GF_16, pb::GF_8 }) {
        FileRig rig(small(3, field));
        fill(rig, 150);
        QCOMPARE(parityProblem(rig), "");
        const ParityBucket* parity = rig.parity(0, 1);
        const auto members = parity->store().members(Rank(1));
        for (std::uint32_t q = 0; q < 4; ++q)
            QCOMPARE(members[q].key, rig.data(q)->store().at(Rank(1)).key);
    }
}

// An update (an insert changes a zero record) makes a delta: the XOR of the old and the new field. It goes to all
// parity buckets; each multiplies it by its fixed element of P and XORs it into its parity field.
void TestPaper::theDeltaGoesToAllParityBucketsWhichAddTheirMultiple()
{
    FileRig rig(small(3));
    QVERIFY(rig.waitForFile());
    rig.operate(pb::INSERT, 5, "old!");
    std::map<std::uint64_t, std::string> deltas;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_delta())
            deltas[packet.to] = packet.message->delta().delta();
        return true;
    };
    rig.operate(pb::UPDATE, 5, "new");
    QCOMPARE(deltas.size(), std::size_t(3));
    for (const auto& [node, delta] : deltas)
        QVERIFY(delta == difference("old!", "new"));
    rig.operate(pb::INSERT, 6, "zero before");
    for (const auto& [node, delta] : deltas)
        QVERIFY(delta == "zero before");
    QCOMPARE(parityProblem(rig), "");
}

// The field has 2^16 elements; P and Q for m = 4, k = 3 are those of table 1, and Q holds the logarithms of P.
void TestPaper::theMatricesAreThosePrinted()
{
    constexpr Symbol kP[4][3] = { { 1, 1, 1 }, { 1, 0xeb9b, 0x2284 }, { 1, 0x2284, 0x9e74 }, { 1, 0x9e44, 0xd7f1 } };
    constexpr Symbol kQ[4][3] = { { 0, 0, 0 }, { 0, 0x5ab5, 0xe267 }, { 0, 0xe267, 0x0dce }, { 0, 0x784d, 0x2b66 } };
    const ErasureCode code(FieldWidth::Gf16, 4);
    QCOMPARE(code.field().symbolMax(), 0xffffu);
    for (std::uint32_t q = 0; q < 4; ++q) {
        for (std::uint32_t p = 0; p < 3; ++p) {
            QCOMPARE(code.matrix().at(Position(q), ParityColumn(p)), kP[q][p]);
            QCOMPARE(code.matrix().logAt(Position(q), ParityColumn(p)), kQ[q][p]);
            QCOMPARE(code.field().log(kP[q][p]), kQ[q][p]);
        }
    }
}

// The first row and the first column of P are ones, so there is no multiplication: parity bucket 0 holds the plain XOR,
// and the first data bucket is XORed in everywhere.
void TestPaper::onesNeedNoMultiplication_data()
{
    QTest::addColumn<int>("field");
    QTest::newRow("GF(2^16)") << int(pb::GF_16);
    QTest::newRow("GF(2^8)") << int(pb::GF_8);
}

void TestPaper::onesNeedNoMultiplication()
{
    QFETCH(int, field);
    FileRig rig(small(3, pb::Field(field)));
    fill(rig, 120);
    std::string plain;
    for (std::uint32_t q = 0; q < 4; ++q)
        plain = difference(plain, std::string(rig.data(q)->store().at(Rank(2)).value));
    const ByteSpan parity = rig.parity(0, 0)->store().parity(Rank(2));
    QVERIFY(std::string(reinterpret_cast<const char*>(parity.data()), parity.size()) == plain);
    // A record group with a member at position 0 only: the same bytes in every parity bucket.
    const std::uint64_t key = 4000;
    const std::uint32_t rank = rig.operate(pb::INSERT, key, "only member?").rank();
    if (rig.parity(0, 0)->store().memberCount(Rank(rank)) == 1) {
        for (std::uint32_t p = 0; p < 3; ++p) {
            const ByteSpan same = rig.parity(0, p)->store().parity(Rank(rank));
            QVERIFY(std::string(reinterpret_cast<const char*>(same.data()), 12) == "only member?");
        }
    }
}

// Any m of the n = m + k records of a record group determine all of them. H, the columns of the available records, is
// inverted once by Gaussian elimination; each available record is multiplied by a coefficient and the results are
// XORed.
void TestPaper::anyMOfTheRecordsGiveTheOthersBack()
{
    FileRig rig(small(3));
    fill(rig, 150);
    const ErasureCode code(FieldWidth::Gf16, 4);
    int sets = 0;
    for (std::uint32_t chosen = 0; chosen < (1u << 7); ++chosen) {
        std::vector<Participant> available;
        std::vector<Position> lost;
        for (std::uint32_t q = 0; q < 4; ++q) {
            if (chosen & (1u << q))
                available.push_back(Participant::data(Position(q)));
            else
                lost.push_back(Position(q));
        }
        for (std::uint32_t p = 0; p < 3; ++p) {
            if (chosen & (16u << p))
                available.push_back(Participant::parity(ParityColumn(p)));
        }
        if (available.size() != 4)
            continue;
        ++sets;
        const auto decoder = Decoder::create(code, available, lost);
        QVERIFY(bool(decoder));
        for (Rank r(1); r.value <= 15; r = r.next()) { // inverted once, used for every rank
            std::vector<std::string> values;
            std::vector<ByteSpan> contributions;
            for (std::uint32_t q = 0; q < 4; ++q)
                values.push_back(
                    rig.data(q)->store().has(r) ? std::string(rig.data(q)->store().at(r).value) : std::string());
            for (const Participant& one : available)
                contributions.push_back(one.kind == Participant::Kind::Data
                        ? bytesOf(values[one.index])
                        : rig.parity(0, one.index)->store().parity(r));
            for (const Position q : lost) {
                std::string out(values[q.value].size(), '\0');
                decoder->reconstruct(q, contributions, { reinterpret_cast<std::byte*>(out.data()), out.size() });
                QVERIFY(out == values[q.value]);
            }
        }
    }
    QCOMPARE(sets, 35);
}

// The file starts with one data bucket and K >= 1 parity buckets.
void TestPaper::theFileStartsWithOneDataBucketAndKParityBuckets()
{
    for (const std::uint32_t k : { 1u, 2u, 3u }) {
        FileRig rig(small(k));
        QVERIFY(rig.waitForFile());
        QCOMPARE(rig.coordinator().file().buckets(), 1u);
        QVERIFY(rig.data(0) && rig.parity(0, k - 1) && !rig.data(1) && !rig.parity(0, k));
    }
}

// The intended availability K grows through splits; each group then has K or K - 1 parity buckets.
void TestPaper::everyGroupHasKOrOneLess()
{
    FileRig::Options options = small(1);
    options.config.set_m(2);
    options.config.set_b(8);
    for (const auto& [buckets, k] : { std::pair { 4u, 2u }, { 8u, 3u } }) {
        options.config.add_thresholds()->set_buckets(buckets);
        options.config.mutable_thresholds()->rbegin()->set_availability(k);
    }
    options.paritySpares = 60;
    FileRig rig(options);
    bool isAlwaysSo = true;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (!event.has_split_finished() && !event.has_parity_added())
            return;
        const FileState& file = rig.coordinator().file();
        for (const auto& [g, group] : file.groups())
            isAlwaysSo = isAlwaysSo && (group.k == file.availability() || group.k + 1 == file.availability());
    };
    fill(rig, 120);
    QVERIFY(isAlwaysSo);
    QCOMPARE(rig.coordinator().file().availability(), 3u);
    QVERIFY(rig.coordinator().file().buckets() >= 12);
    QCOMPARE(parityProblem(rig), ""); // also of the parity buckets that were added while writes went on
    QCOMPARE(rig.verify().results().at("OK"), 120u);
}

// A bucket with more than b records alerts the coordinator, which designates a bucket to split - not the one that
// reported, but the one at the split pointer.
void TestPaper::anOverloadedBucketAlertsTheCoordinatorWhichChoosesWhoSplits()
{
    FileRig rig(small(1));
    QVERIFY(rig.waitForFile());
    std::vector<std::uint32_t> reports, splits;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_bucket_overflowed())
            reports.push_back(event.place().number());
        if (event.has_split_ordered())
            splits.push_back(event.split_ordered().bucket());
    };
    for (std::uint64_t c = 0; c < 20; ++c)
        rig.operate(pb::INSERT, c * 2 + 1, "v");
    QVERIFY(reports.empty()); // b = 20 is not more than b
    rig.operate(pb::INSERT, 41, "v"); // only odd keys: all of them move to bucket 1, which overflows at once
    QVERIFY(rig.waitForRest());
    QCOMPARE(reports, (std::vector<std::uint32_t> { 0, 1 }));
    QCOMPARE(splits, (std::vector<std::uint32_t> { 0, 0 }));
}

// ---- LH*: addressing without a central directory

// A client computes addresses from its own image of (i, n), which may be out of date. A bucket forwards keys that do
// not belong to it; two forwards always suffice, and no image is ever ahead of the file.
void TestPaper::clientsAddressByTheirOwnImageAndErrAtMostTwice()
{
    FileRig rig(small(1));
    fill(rig, 300);
    const FileImage file = rig.coordinator().file().image();
    std::set<std::uint32_t> forwards;
    SeededNumbers numbers(5);
    for (int search = 0; search < 200; ++search) {
        if (search % 20 == 0) {
            pb::Command forget;
            forget.mutable_set_image()->set_forget(true);
            rig.cluster.ask(FileRig::kClient + 1, forget); // a new client
        }
        const pb::OperationResult found = rig.operate(pb::SEARCH, numbers.below(300), {}, FileRig::kClient + 1);
        QCOMPARE(found.result(), pb::OK);
        QCOMPARE(found.bucket(), addressOf(Key(found.key()), file).value);
        forwards.insert(found.forwards());
        QVERIFY(bucketCount(rig.client(FileRig::kClient + 1).image()) <= bucketCount(file));
    }
    QCOMPARE(forwards, (std::set<std::uint32_t> { 0, 1, 2 }));
}

// The bucket that accepts a forwarded operation sends an image adjustment; the client does not make the same error
// twice.
void TestPaper::anAdjustedImageNeverErrsTwiceOnOneKey()
{
    FileRig rig(small(1));
    fill(rig, 300);
    int adjustments = 0;
    for (std::uint64_t key = 0; key < 300; key += 7) {
        const pb::OperationResult first = rig.operate(pb::SEARCH, key, {}, FileRig::kClient + 1);
        QCOMPARE(first.image_adjusted(), first.forwards() > 0);
        adjustments += first.image_adjusted() ? 1 : 0;
        QCOMPARE(rig.operate(pb::SEARCH, key, {}, FileRig::kClient + 1).forwards(), 0u);
    }
    QVERIFY(adjustments >= 1 && adjustments <= 12); // an image is exact after a few errors
}

// The coordinator orders splits in the order of the split pointer: 0; 0 1; 0 1 2 3; ...
void TestPaper::splitsAreOrderedByTheCoordinatorInTurn()
{
    FileRig rig(small(1));
    std::vector<std::uint32_t> order;
    rig.cluster.onEvent = [&](std::uint64_t node, const pb::Event& event) {
        if (event.has_split_committed() && node == FileRig::kCoordinator)
            order.push_back(event.split_committed().bucket());
    };
    fill(rig, 300);
    QVERIFY(order.size() >= 15);
    order.resize(15);
    QCOMPARE(order, (std::vector<std::uint32_t> { 0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7 }));
}

void TestPaper::loadControlKeepsTheFileFuller_data()
{
    QTest::addColumn<std::uint32_t>("perMille");
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::newRow("without") << 0u << 0.55 << 0.78;
    QTest::newRow("0.8") << 800u << 0.76 << 0.95;
}

void TestPaper::loadControlKeepsTheFileFuller()
{
    // LH*: a load of 65 to 70 % without load control, 80 to 95 % with it.
    QFETCH(const std::uint32_t, perMille);
    QFETCH(const double, least);
    QFETCH(const double, most);
    FileRig::Options options = small(1);
    options.config.set_load_control(perMille);
    options.dataSpares = 60;
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    double sum = 0;
    int counted = 0;
    for (std::uint64_t records = 10; records <= 350; records += 10) {
        QCOMPARE(rig.insertMany(10, 10, 4).results().at("OK"), 10u);
        QVERIFY(rig.waitForRest());
        if (records < 80)
            continue;
        sum += double(records) / (20.0 * rig.coordinator().file().buckets());
        ++counted;
    }
    QVERIFY2(sum / counted >= least && sum / counted <= most, qPrintable(QString::number(sum / counted)));
    for (std::uint32_t a = 0; a < rig.coordinator().file().buckets(); ++a)
        QVERIFY(rig.data(a)->store().count() < 4u * 20);
    QCOMPARE(rig.verify().missing(), 0u);
}

QTEST_APPLESS_MAIN(TestPaper)
#include "tst_paper.moc"
