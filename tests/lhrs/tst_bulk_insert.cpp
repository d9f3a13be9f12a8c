// SPDX-License-Identifier: GPL-3.0-or-later
// Bulk insert without acknowledgement (2003 report): an experiment in which requests are lost. Each lost request is
// reported, and a request that was reported as lost never takes effect later.
#include "tests/rigs/core/file_check.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

pb::Command bulkOrder(std::uint64_t count)
{
    pb::Command command;
    auto* order = command.mutable_run_workload();
    order->set_kind(pb::INSERT);
    order->set_count(count);
    order->set_length(30);
    order->set_without_acknowledgement(true);
    return command;
}

FileRig::Options options(std::uint32_t b)
{
    FileRig::Options options;
    options.config = fileConfig(4, 1, b);
    options.dataSpares = 40;
    options.paritySpares = 16;
    options.clients = 2;
    return options;
}

std::set<std::uint64_t> keysIn(FileRig& rig)
{
    std::set<std::uint64_t> keys;
    for (std::uint32_t a = 0; a < rig.coordinator().file().buckets(); ++a) {
        const RecordStore& store = rig.data(a)->store();
        for (Rank r(1); r <= store.rankMax(); r = r.next())
            if (store.has(r))
                keys.insert(store.at(r).key.value);
    }
    return keys;
}

std::set<std::uint64_t> lostOf(const pb::WorkloadResult& result)
{
    return { result.lost_keys().begin(), result.lost_keys().end() };
}

} // namespace

class TestBulkInsert : public QObject {
    Q_OBJECT

private slots:
    void nobodyAnswersAndInAQuietNetworkNothingIsLost();
    void aClientWithAnOldImageStillHearsOfIt();
    void everyLostRequestIsReported_data();
    void everyLostRequestIsReported();
    void whatIsReportedLostTakesNoEffectAnyMore();
    void aRequestThatOnlyTookLongIsNotLost();
    void itMayBeStopped();
    void itIsForInsertsOfNewKeysOnly();
};

void TestBulkInsert::nobodyAnswersAndInAQuietNetworkNothingIsLost()
{
    FileRig rig(options(1000));
    QVERIFY(rig.waitForFile());
    std::uint64_t replies = 0, inserts = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        inserts += packet.message->has_insert() ? 1 : 0;
        replies += packet.message->has_reply() && packet.message->reply().result() != pb::OK ? 1 : 0;
        replies += packet.message->has_reply() && inserts < 500 ? 1 : 0;
        return true;
    };
    std::map<pb::ResultCode, std::uint64_t> done;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_operation_done() && event.operation_done().kind() == pb::INSERT)
            ++done[event.operation_done().result()];
    };
    const pb::WorkloadResult result = rig.cluster.ask(FileRig::kClient, bulkOrder(500)).workload();
    QCOMPARE(result.operations(), 500u);
    QCOMPARE(result.lost(), 0u);
    QCOMPARE(result.results().at("OK"), 500u);
    QCOMPARE(result.wrong(), 0u);
    QCOMPARE(inserts, 500u);
    QCOMPARE(replies, 0u);
    QCOMPARE(done[pb::OK], 500u);
    QVERIFY(result.sending_ns() > 0 && result.sending_ns() < 100'000'000);
    QVERIFY(result.total_ns() > result.sending_ns());
    QCOMPARE(rig.verify().operations(), 500u); // from now on the client knows them
    QCOMPARE(rig.verify().missing(), 0u);
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
}

void TestBulkInsert::aClientWithAnOldImageStillHearsOfIt()
{
    FileRig rig(options(20));
    QVERIFY(rig.waitForFile());
    rig.insertMany(200, 20, 4);
    QVERIFY(rig.waitForRest());
    const std::uint64_t other = FileRig::kClient + 1;
    QCOMPARE(rig.client(other).image(), (FileImage { 0, 0 }));
    const pb::WorkloadResult result = rig.cluster.ask(other, bulkOrder(100)).workload();
    QVERIFY(result.image_adjustments() > 0);
    QVERIFY(rig.client(other).image().i >= 3);
    QCOMPARE(result.results().at("OK") + result.lost(), 100u);
    QVERIFY(rig.waitForRest());
    QCOMPARE(rig.verify(other).missing(), 0u);
}

void TestBulkInsert::everyLostRequestIsReported_data()
{
    QTest::addColumn<std::uint32_t>("b");
    QTest::addColumn<std::uint32_t>("held");
    QTest::newRow("one bucket") << 1000u << 0u;
    QTest::newRow("while the file splits") << 20u << 0u;
    QTest::newRow("while splits hold few requests") << 20u << 4u; // and refuse the others
}

void TestBulkInsert::everyLostRequestIsReported()
{
    QFETCH(const std::uint32_t, b);
    QFETCH(const std::uint32_t, held);
    FileRig::Options o = options(b);
    o.timers.set_held_max(held);
    FileRig rig(o);
    QVERIFY(rig.waitForFile());
    std::set<std::uint64_t> dropped;
    std::uint64_t seen = 0;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (!packet.message->has_insert() || ++seen % 9 != 0)
            return true;
        dropped.insert(packet.message->insert().key());
        return false;
    };
    std::set<std::uint64_t> told;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_operation_done() && event.operation_done().kind() == pb::INSERT
            && event.operation_done().result() != pb::OK)
            told.insert(event.operation_done().key());
    };
    const pb::WorkloadResult result = rig.cluster.ask(FileRig::kClient, bulkOrder(400), 300s).workload();
    QVERIFY(rig.waitForRest());
    QCOMPARE(result.operations(), 400u);
    const std::set<std::uint64_t> lost = lostOf(result);
    if (b == 1000)
        QCOMPARE(lost, dropped);
    else // full buckets refuse as well
        QVERIFY(std::includes(lost.begin(), lost.end(), dropped.begin(), dropped.end()));
    QCOMPARE(told, lostOf(result)); // one by one
    QCOMPARE(result.unanswered(), 0u);
    const std::set<std::uint64_t> stored = keysIn(rig);
    QCOMPARE(stored.size() + result.lost(), std::size_t(400));
    for (const std::uint64_t key : lostOf(result))
        QVERIFY(!stored.contains(key));
    QCOMPARE(rig.verify().operations(), stored.size());
    QCOMPARE(rig.verify().missing(), 0u);
    QCOMPARE(rig.verify().wrong(), 0u);
    rig.cluster.run(1s);
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
}

void TestBulkInsert::whatIsReportedLostTakesNoEffectAnyMore()
{
    FileRig rig(options(1000));
    QVERIFY(rig.waitForFile());
    std::vector<MemoryCluster::Packet> late;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (!packet.message->has_insert() || packet.message->insert().key() % 5 != 0)
            return true;
        late.push_back(packet);
        return false;
    };
    const pb::WorkloadResult result = rig.cluster.ask(FileRig::kClient, bulkOrder(100)).workload();
    QCOMPARE(result.lost(), 20u);
    rig.cluster.onPacket = {};
    for (const MemoryCluster::Packet& packet : late)
        rig.cluster.inject(packet.to, *packet.message);
    rig.cluster.run(2s);
    const std::set<std::uint64_t> stored = keysIn(rig);
    for (const std::uint64_t key : lostOf(result))
        QVERIFY(!stored.contains(key));
    QCOMPARE(stored.size(), std::size_t(80));
    // Another request may use the key.
    QCOMPARE(rig.operate(pb::INSERT, *lostOf(result).begin(), "again").result(), pb::OK);
}

void TestBulkInsert::aRequestThatOnlyTookLongIsNotLost()
{
    FileRig rig(options(1000));
    QVERIFY(rig.waitForFile());
    std::vector<MemoryCluster::Packet> late;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (!packet.message->has_insert() || packet.message->insert().key() % 5 != 0)
            return true;
        late.push_back(packet);
        return false;
    };
    const std::uint64_t ticket = rig.cluster.command(FileRig::kClient, bulkOrder(100));
    rig.cluster.run(1s); // a client searches once, and does not find it
    QVERIFY(!rig.cluster.reply(ticket));
    rig.cluster.onPacket = {};
    for (const MemoryCluster::Packet& packet : late)
        rig.cluster.inject(packet.to, *packet.message);
    QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(ticket) != nullptr; }, 60s));
    QCOMPARE(rig.cluster.reply(ticket)->workload().lost(), 0u);
    QCOMPARE(keysIn(rig).size(), std::size_t(100));
}

void TestBulkInsert::itMayBeStopped()
{
    FileRig rig(options(100'000));
    QVERIFY(rig.waitForFile());
    const std::uint64_t ticket = rig.cluster.command(FileRig::kClient, bulkOrder(1'000'000));
    rig.cluster.run(20ms);
    pb::Command command;
    command.mutable_workload_progress();
    QVERIFY(rig.cluster.ask(FileRig::kClient, command).workload().is_running());
    QVERIFY(rig.cluster.ask(FileRig::kClient, bulkOrder(1)).refusal() == pb::REFUSED);
    command.mutable_stop_workload();
    rig.cluster.ask(FileRig::kClient, command);
    QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(ticket) != nullptr; }, 60s));
    const pb::WorkloadResult result = rig.cluster.reply(ticket)->workload();
    QVERIFY(result.operations() > 100 && result.operations() < 10'000);
    QCOMPARE(result.results().at("OK"), result.operations());
    QCOMPARE(rig.insertMany(5).results().at("OK"), 5u);
}

void TestBulkInsert::itIsForInsertsOfNewKeysOnly()
{
    FileRig rig(options(1000));
    QVERIFY(rig.waitForFile());
    pb::Command command = bulkOrder(5);
    command.mutable_run_workload()->set_kind(pb::UPDATE);
    QCOMPARE(rig.cluster.ask(FileRig::kClient, command).refusal(), pb::BAD_ARGUMENT);
    command = bulkOrder(5);
    command.mutable_run_workload()->set_keys(pb::UNIFORM);
    QCOMPARE(rig.cluster.ask(FileRig::kClient, command).refusal(), pb::BAD_ARGUMENT);
    QCOMPARE(rig.cluster.ask(FileRig::kClient, bulkOrder(0)).workload().operations(), 0u);
}

QTEST_APPLESS_MAIN(TestBulkInsert)
#include "tst_bulk_insert.moc"
