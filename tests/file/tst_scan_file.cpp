// SPDX-License-Identifier: GPL-3.0-or-later
// Scans of a file in memory: every record once, whatever is lost, split or killed meanwhile.
#include "node/lhrs/client/scan.h"
#include "tests/rigs/core/scan_rigs.h"

#include <QTest>

#include <deque>

using namespace lhrs;
using namespace lhrs::test;

namespace {

FileRig::Options small(std::uint32_t b = 20)
{
    FileRig::Options options;
    options.config = fileConfig(4, 1, b);
    options.dataSpares = 40;
    options.paritySpares = 16;
    return options;
}

} // namespace

class TestScanFile : public QObject {
    Q_OBJECT

private slots:
    void everyBucketIsReachedOnceFromEveryImage();
    void aScanBringsEveryRecordOnce_data();
    void aScanBringsEveryRecordOnce();
    void aScanCostsAQueryAndAReplyForEachBucket();
    void aRecordThatIsThereAllTheTimeIsFoundOnceDuringSplits_data();
    void aRecordThatIsThereAllTheTimeIsFoundOnceDuringSplits();
    void aScanWaitsForTheRecoveryOfABucket();
    void withoutRecoveryTheMissingBucketIsNamed();
    void aLostGroupIsNamed();
    void theProbabilisticEndMissesAFailedBucketAndIsLabelled();
};

void TestScanFile::everyBucketIsReachedOnceFromEveryImage()
{
    constexpr std::uint32_t kBucketsMax = 96;
    std::uint64_t scans = 0;
    FileImage file;
    for (std::uint32_t m = 1; m <= kBucketsMax; ++m, file = advanceSplit(file)) {
        QCOMPARE(bucketCount(file), m);
        std::map<std::uint32_t, HolderInfo> table;
        for (std::uint32_t a = 0; a < m; ++a)
            table[a] = holderOf(10 + a, DataRig::kIncarnation);
        std::vector<std::unique_ptr<DataRig>> buckets;
        for (std::uint32_t a = 0; a < m; ++a) {
            DataRig::Options options;
            options.bucket = a;
            options.level = levelOf(BucketNumber(a), file);
            options.k = 0;
            options.table = table;
            buckets.push_back(std::make_unique<DataRig>(options));
            buckets.back()->put(a, "value"); // a key of that bucket
        }
        FileImage image;
        for (std::uint32_t count = 1; count <= m; ++count, image = advanceSplit(image)) {
            NodeContext context { process(1000, pb::CLIENT), addressOfProcess(1), AckList(pb::Timers()), 0 };
            Effects effects;
            effects.begin(nullptr);
            KnownFile known;
            for (const auto& [a, holder] : table)
                known.isAt(BucketNumber(a), holder);
            known.adopt(image, effects);
            std::uint64_t number = 0;
            Scan scan(context, known, number, scanOrder().run_scan(), 1, 0ns);
            std::deque<std::pair<std::uint32_t, pb::Message>> network; // by address
            const auto post = [&](const Effects::Send& send) {
                network.emplace_back(send.to.ip.number(), *send.message);
            };
            effects.begin(nullptr);
            scan.start(0ns, effects);
            std::for_each(effects.sends().begin(), effects.sends().end(), post);
            std::size_t queries = 0, replies = 0;
            while (!network.empty()) {
                const auto [to, message] = std::move(network.front());
                network.pop_front();
                if (message.has_scan_reply()) {
                    ++replies;
                    QVERIFY(!scan.isOver()); // it must need no further messages
                    effects.clear();
                    scan.onScanReply(message, 0ns, effects);
                    continue;
                }
                QVERIFY(message.has_scan());
                ++queries;
                const Step step = buckets.at(to - 10)->driven.message(message);
                for (const Step::Sent& sent : step.sent)
                    network.emplace_back(std::uint32_t(sent.to), sent.message);
            }
            QVERIFY(scan.isOver());
            pb::ScanResult result;
            scan.report(result, 0ns, effects);
            const auto keys = keysOf(result);
            QCOMPARE(std::vector<std::uint64_t>(keys.begin(), keys.end()).size(), std::size_t(m));
            QCOMPARE(std::set<std::uint64_t>(keys.begin(), keys.end()).size(), std::size_t(m));
            QVERIFY(result.complete());
            QCOMPARE(queries, std::size_t(m)); // one query per bucket
            QCOMPARE(replies, std::size_t(m));
            QCOMPARE(result.messages(), 2 * m);
            ++scans;
        }
    }
    QCOMPARE(scans, std::uint64_t(kBucketsMax * (kBucketsMax + 1) / 2));
}

void TestScanFile::aScanBringsEveryRecordOnce_data()
{
    QTest::addColumn<std::uint32_t>("loss");
    QTest::addColumn<std::uint32_t>("doubled");
    QTest::addColumn<std::uint32_t>("length");
    QTest::newRow("quiet") << 0u << 0u << 30u;
    QTest::newRow("a fifth of the datagrams is lost") << 200u << 0u << 30u;
    QTest::newRow("half of the datagrams is doubled") << 0u << 500u << 30u;
    QTest::newRow("lost and doubled, in blocks") << 100u << 300u << 12'000u;
}

void TestScanFile::aScanBringsEveryRecordOnce()
{
    QFETCH(const std::uint32_t, loss);
    QFETCH(const std::uint32_t, doubled);
    QFETCH(const std::uint32_t, length);
    FileRig::Options options = small();
    options.network = { .jitter = 300us, .loss = loss, .doubled = doubled, .seed = 5 };
    options.clients = 2;
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(200, length, 4).results().at("OK"), 200u);
    QVERIFY(rig.waitForRest());
    QVERIFY(rig.coordinator().file().buckets() > 8);
    for (const std::uint64_t node : { FileRig::kClient, FileRig::kClient + 1 }) { // the second client has a new image
        QVERIFY(rig.cluster.runUntil([&] { return rig.client(node).isRegistered(); }, 10s));
        const pb::ScanResult result = rig.cluster.ask(node, scanOrder()).scan();
        QCOMPARE(result.result(), pb::OK);
        QVERIFY(result.complete());
        QCOMPARE(result.records(), 200u);
        QCOMPARE(result.bytes(), 200u * length);
        QCOMPARE(result.buckets(), rig.coordinator().file().buckets());
        if (length < 10'000) // otherwise there are more keys than the reply shows
            QCOMPARE(keysOf(result), keysOf(rig.client().ledger()));
        const std::string some = makeValue(
            FileRig::kClient, Key(7), rig.client().ledger().find(Key(7))->version, length);
        const pb::ScanResult one = rig.cluster.ask(node, scanOrder(some)).scan();
        QCOMPARE(keysOf(one), (std::multiset<std::uint64_t> { 7 }));
    }
}

void TestScanFile::aScanCostsAQueryAndAReplyForEachBucket()
{
    FileRig::Options options = small();
    options.clients = 2;
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    rig.insertMany(200);
    QVERIFY(rig.waitForRest());
    QVERIFY(rig.verify().missing() == 0); // and the image is exact
    const std::uint32_t buckets = rig.coordinator().file().buckets();
    std::map<Body, std::uint64_t> counts;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        ++counts[packet.message->body_case()];
        return true;
    };
    const pb::ScanResult first = rig.cluster.ask(FileRig::kClient, scanOrder()).scan();
    QCOMPARE(counts[Body::kScan], buckets);
    QCOMPARE(counts[Body::kScanReply], buckets);
    QCOMPARE(first.messages(), 2u * buckets);
    counts.clear();
    // With a new client's image the buckets pass the scan on: the same number of messages, and one query for bucket 0.
    const pb::ScanResult second = rig.cluster.ask(FileRig::kClient + 1, scanOrder()).scan();
    QCOMPARE(counts[Body::kScan], buckets);
    QCOMPARE(counts[Body::kScanReply], buckets);
    QCOMPARE(counts[Body::kWhereIs], 1u);
    QCOMPARE(second.messages(), 2u * buckets);
    QCOMPARE(second.records(), 200u);
}

void TestScanFile::aRecordThatIsThereAllTheTimeIsFoundOnceDuringSplits_data()
{
    QTest::addColumn<std::uint64_t>("seed");
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        QTest::addRow("seed %llu", static_cast<unsigned long long>(seed)) << seed;
}

void TestScanFile::aRecordThatIsThereAllTheTimeIsFoundOnceDuringSplits()
{
    QFETCH(const std::uint64_t, seed);
    FileRig::Options options = small(8);
    options.config.set_recovery(seed % 2 ? pb::RECOVERY_AUTOMATIC : pb::RECOVERY_OFF);
    options.network = { .delay = 100us, .jitter = 2ms, .loss = seed % 3 ? 30u : 0u, .doubled = 100, .seed = seed };
    options.clients = 3;
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    rig.insertMany(60, 30, 4);
    const std::multiset<std::uint64_t> always = keysOf(rig.client().ledger());
    QCOMPARE(always.size(), std::size_t(60));
    pb::Command order;
    order.mutable_run_workload()->set_kind(pb::INSERT);
    order.mutable_run_workload()->set_count(150);
    order.mutable_run_workload()->set_length(25);
    order.mutable_run_workload()->set_window(3);
    QVERIFY(rig.cluster.runUntil([&] { return rig.client(FileRig::kClient + 1).isRegistered(); }, 10s));
    const std::uint64_t writing = rig.cluster.command(FileRig::kClient + 1, order);
    const std::uint32_t before = rig.coordinator().file().buckets();
    int scans = 0;
    pb::Command forget;
    forget.mutable_set_image()->set_forget(true);
    for (; (!rig.cluster.reply(writing) || !rig.coordinator().isAtRest()) && scans < 1000; ++scans) {
        const std::uint64_t node = FileRig::kClient + (scans % 2 ? 0 : 2);
        if (scans % 4 < 2)
            rig.cluster.ask(node, forget);
        const pb::ScanResult result = rig.cluster.ask(node, scanOrder()).scan();
        QCOMPARE(result.result(), pb::OK);
        const std::multiset<std::uint64_t> keys = keysOf(result);
        for (const std::uint64_t key : always)
            QCOMPARE(keys.count(key), std::size_t(1));
        for (const std::uint64_t key : keys)
            QCOMPARE(keys.count(key), std::size_t(1));
    }
    QVERIFY(scans > 5);
    QVERIFY(rig.coordinator().file().buckets() > before + 4);
}

void TestScanFile::aScanWaitsForTheRecoveryOfABucket()
{
    FileRig::Options options = small();
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    rig.insertMany(200, 30, 4);
    QVERIFY(rig.waitForRest());
    rig.kill(rig.holder(pb::DATA, 0, 1));
    rig.kill(rig.holder(pb::DATA, 1, 2)); // in another group
    const pb::ScanResult result = rig.cluster.ask(FileRig::kClient, scanOrder()).scan();
    QCOMPARE(result.result(), pb::OK);
    QVERIFY(result.complete());
    QCOMPARE(keysOf(result), keysOf(rig.client().ledger()));
}

void TestScanFile::withoutRecoveryTheMissingBucketIsNamed()
{
    FileRig rig(small());
    QVERIFY(rig.waitForFile());
    rig.insertMany(200, 30, 4);
    QVERIFY(rig.waitForRest());
    rig.kill(rig.holder(pb::DATA, 0, 1));
    pb::Command command = scanOrder();
    command.mutable_run_scan()->set_timeout_ms(3000);
    const pb::ScanResult result = rig.cluster.ask(FileRig::kClient, command).scan();
    QCOMPARE(result.result(), pb::RETRY);
    QVERIFY(!result.complete());
    QCOMPARE(result.missing_size(), 1);
    QCOMPARE(result.missing(0), 1u);
    QVERIFY(result.records() > 150 && result.records() < 200);
}

void TestScanFile::aLostGroupIsNamed()
{
    FileRig::Options options = small();
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.timers.set_lost_ms(1000);
    options.clients = 2;
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    rig.insertMany(200, 30, 4);
    QVERIFY(rig.waitForRest());
    rig.kill(rig.holder(pb::DATA, 0, 1));
    rig.kill(rig.holder(pb::DATA, 0, 2));
    for (const std::uint64_t node : { FileRig::kClient, FileRig::kClient + 1 }) { // with an exact image, and with none
        const pb::ScanResult result = rig.cluster.ask(node, scanOrder()).scan();
        QCOMPARE(result.result(), pb::LOST);
        QCOMPARE(
            std::set<std::uint32_t>(result.lost().begin(), result.lost().end()), (std::set<std::uint32_t> { 1, 2 }));
        QCOMPARE(result.missing_size(), 0);
        QCOMPARE(result.buckets(), rig.coordinator().file().buckets() - 2);
    }
}

void TestScanFile::theProbabilisticEndMissesAFailedBucketAndIsLabelled()
{
    FileRig rig(small());
    QVERIFY(rig.waitForFile());
    rig.insertMany(200, 30, 4);
    QVERIFY(rig.waitForRest());
    pb::Command command = scanOrder();
    command.mutable_run_scan()->set_probabilistic(true);
    const pb::ScanResult all = rig.cluster.ask(FileRig::kClient, command).scan();
    QVERIFY(!all.guaranteed());
    QCOMPARE(all.records(), 200u);
    const std::string some = makeValue(FileRig::kClient, Key(7), rig.client().ledger().find(Key(7))->version, 30);
    command.mutable_run_scan()->set_contains(some);
    const pb::ScanResult one = rig.cluster.ask(FileRig::kClient, command).scan();
    QCOMPARE(one.records(), 1u);
    QVERIFY(!one.complete()); // buckets without a hit do not answer
    QVERIFY(one.messages() <= rig.coordinator().file().buckets() + 1);
    command.mutable_run_scan()->clear_contains();
    rig.kill(rig.holder(pb::DATA, 0, 1));
    const pb::ScanResult fewer = rig.cluster.ask(FileRig::kClient, command).scan();
    QVERIFY(fewer.records() < 200);
    QCOMPARE(fewer.result(), pb::OK); // the client cannot know that one is missing
    QVERIFY(!fewer.guaranteed() && !fewer.complete());
}

QTEST_APPLESS_MAIN(TestScanFile)
#include "tst_scan_file.moc"
