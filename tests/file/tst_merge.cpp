// SPDX-License-Identifier: GPL-3.0-or-later
// The file shrinks: the last bucket gives its records back, whatever else happens meanwhile.
#include "tests/rigs/core/scan_rigs.h"

#include <QTest>

using namespace lhrs;
using namespace lhrs::test;

namespace {

FileRig::Options optionsOf(std::uint32_t k = 1, std::uint32_t b = 12, std::uint32_t m = 4)
{
    FileRig::Options options;
    options.config = fileConfig(m, k, b);
    options.dataSpares = 30;
    options.paritySpares = 16;
    return options;
}

pb::Command mergeOrder()
{
    pb::Command command;
    command.mutable_force_merge();
    return command;
}

pb::Command splitOrder()
{
    pb::Command command;
    command.mutable_force_split();
    return command;
}

pb::RunWorkload workload(std::uint64_t count, std::array<std::uint32_t, 4> mix, std::uint64_t seed = 1)
{
    pb::RunWorkload order;
    order.set_count(count);
    order.set_length(40);
    order.set_window(4);
    order.set_keys(pb::PRESENT);
    order.set_seed(seed);
    for (const std::uint32_t weight : mix)
        order.add_mix(weight);
    return order;
}

void trace(FileRig& rig)
{
    if (!qEnvironmentVariableIsSet("LHRS_TRACE")) // for tracing the cause of a failure
        return;
    rig.cluster.onEvent = [&rig](std::uint64_t node, const pb::Event& event) {
        if (!event.has_gauges() && !event.has_operation_started() && !event.has_operation_done()
            && !event.has_record_inserted() && !event.has_delta_applied() && !event.has_change_acknowledged()
            && !event.has_record_read())
            std::printf("%9.3f ms  %4llu  %s\n", double(rig.cluster.now().count()) / 1e6,
                static_cast<unsigned long long>(node), event.ShortDebugString().substr(0, 300).c_str());
    };
}

// "" if all records of the client are there, levels and parity are correct, and every process without a place is a
// spare.
std::string problem(FileRig& rig)
{
    const pb::WorkloadResult read = rig.verify();
    if (read.missing() != 0 || read.wrong() != 0 || read.unanswered() != 0)
        return std::to_string(read.missing()) + " missing, " + std::to_string(read.wrong()) + " wrong, "
            + std::to_string(read.unanswered()) + " unanswered";
    rig.cluster.run(1s);
    const FileState& file = rig.coordinator().file();
    for (BucketNumber a; a.value < file.buckets(); a = a.next()) {
        const DataBucket* bucket = rig.data(a.value);
        if (!bucket)
            return "bucket " + std::to_string(a.value) + " is not there";
        if (bucket->level() != levelOf(a, file.image()) || bucket->state() != pb::UP)
            return "bucket " + std::to_string(a.value) + " has level " + std::to_string(bucket->level()) + " and state "
                + std::to_string(bucket->state());
    }
    std::size_t members = 0, holders = 0;
    for (const auto& [g, group] : file.groups()) {
        members += group.data.size() + group.parity.size();
        if (group.state != pb::GROUP_UP)
            return "group " + std::to_string(g.value) + " is not up";
        for (const auto& [q, member] : group.data) {
            if (bucketAt(g, q, file.config().m()).value >= file.buckets())
                return "bucket " + std::to_string(bucketAt(g, q, file.config().m()).value) + " is still in its group";
        }
    }
    for (const std::uint64_t node : rig.nodes)
        holders += rig.node(node).dataBucket() || rig.node(node).parityBucket() ? 1 : 0;
    if (holders != members)
        return std::to_string(holders) + " processes believe to hold one of " + std::to_string(members) + " places";
    return parityProblem(rig);
}

} // namespace

class TestMerge : public QObject {
    Q_OBJECT

private slots:
    void aFileThatHoldsFewRecordsShrinks_data();
    void aFileThatHoldsFewRecordsShrinks();
    void withoutTheSwitchNothingIsMerged();
    void theFileShrinksToOneBucketAndGrowsAgain_data();
    void theFileShrinksToOneBucketAndGrowsAgain();
    void changesGoOnMeanwhile_data();
    void changesGoOnMeanwhile();
    void aClientWhoseImageIsAheadTakesTheTrueOne();
    void aRepeatOfARequestIsKnownAfterAMerge();
    void aScanIsRightDuringMerges();
    void aMergeThatTakesTooLongIsUndone();
    void aNetworkSlowerThanTheLimitOnlyDelays();
    void nothingIsLostWhoeverFails_data();
    void nothingIsLostWhoeverFails();
    void anotherCoordinatorFinishesOrUndoesIt_data();
    void anotherCoordinatorFinishesOrUndoesIt();
    void storm_data();
    void storm();
};

void TestMerge::aFileThatHoldsFewRecordsShrinks_data()
{
    QTest::addColumn<bool>("keepsRanks");
    QTest::newRow("holes are filled") << false;
    QTest::newRow("ranks are kept") << true;
}

void TestMerge::aFileThatHoldsFewRecordsShrinks()
{
    QFETCH(const bool, keepsRanks);
    FileRig::Options options = optionsOf(2, 20);
    options.config.set_merges(true);
    options.config.set_rerank(keepsRanks ? pb::KEEP : pb::FILL_HOLES);
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(300, 30, 4);
    QVERIFY(rig.waitForRest());
    const std::uint32_t before = rig.coordinator().file().buckets();
    QVERIFY(before >= 16);
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
    rig.runWorkload(workload(270, { 0, 0, 1, 0 }));
    QVERIFY(rig.waitForRest());
    const std::uint32_t after = rig.coordinator().file().buckets();
    // 30 records: a load of 0.4 is 4 buckets.
    QVERIFY2(after >= 2 && after <= 8, std::to_string(after).c_str());
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
    QVERIFY(rig.verify().operations() < 50);
    // And it grows again.
    rig.insertMany(300, 30, 4);
    QVERIFY(rig.waitForRest());
    QVERIFY(rig.coordinator().file().buckets() > 2 * after);
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
}

void TestMerge::withoutTheSwitchNothingIsMerged()
{
    FileRig rig(optionsOf());
    QVERIFY(rig.waitForFile());
    rig.insertMany(100, 30, 4);
    QVERIFY(rig.waitForRest());
    const std::uint32_t before = rig.coordinator().file().buckets();
    rig.runWorkload(workload(100, { 0, 0, 1, 0 }));
    QVERIFY(rig.waitForRest());
    QCOMPARE(rig.coordinator().file().buckets(), before); // only by an operator's command
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, mergeOrder()).merge().bucket(), before - 1);
}

void TestMerge::theFileShrinksToOneBucketAndGrowsAgain_data()
{
    QTest::addColumn<std::uint32_t>("m");
    QTest::addColumn<std::uint32_t>("k");
    for (const auto& [m, k] :
        { std::pair(1u, 1u), std::pair(2u, 0u), std::pair(2u, 2u), std::pair(4u, 1u), std::pair(4u, 3u) })
        QTest::addRow("m = %u, k = %u", m, k) << m << k;
}

void TestMerge::theFileShrinksToOneBucketAndGrowsAgain()
{
    QFETCH(const std::uint32_t, m);
    QFETCH(const std::uint32_t, k);
    FileRig::Options options = optionsOf(k, 100, m);
    options.paritySpares = 40;
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(60, 30, 4);
    for (int round = 0; round < 2; ++round) {
        while (rig.coordinator().file().buckets() < 11)
            QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, splitOrder()).refusal(), pb::NOT_REFUSED);
        QCOMPARE(QString::fromStdString(problem(rig)), QString());
        for (std::uint32_t buckets = 10; buckets >= 1; --buckets) {
            const pb::CommandReply reply = rig.cluster.ask(FileRig::kCoordinator, mergeOrder());
            QVERIFY2(reply.refusal() == pb::NOT_REFUSED, reply.text().c_str());
            QCOMPARE(reply.merge().bucket(), buckets);
            QVERIFY(reply.merge().into() < buckets);
            QCOMPARE(rig.coordinator().file().buckets(), buckets);
            QCOMPARE(rig.coordinator().file().groups().size(), std::size_t((buckets + m - 1) / m));
            QCOMPARE(QString::fromStdString(problem(rig)), QString());
        }
        QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, mergeOrder()).refusal(), pb::REFUSED);
    }
}

void TestMerge::changesGoOnMeanwhile_data()
{
    QTest::addColumn<std::uint64_t>("seed");
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        QTest::addRow("seed %llu", static_cast<unsigned long long>(seed)) << seed;
}

void TestMerge::changesGoOnMeanwhile()
{
    QFETCH(const std::uint64_t, seed);
    FileRig::Options options = optionsOf(1 + seed % 2, 100, seed % 3 ? 4 : 2);
    options.config.set_recovery(seed % 4 ? pb::RECOVERY_AUTOMATIC : pb::RECOVERY_OFF);
    options.config.set_rerank(seed % 2 ? pb::KEEP : pb::FILL_HOLES);
    options.network = { .delay = 100us,
        .jitter = seed % 4 ? 0us : 1ms,
        .loss = seed % 4 ? 0u : 50u,
        .doubled = seed % 3 ? 200u : 0u,
        .seed = seed };
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(80, 30, 4);
    pb::Command order;
    *order.mutable_run_workload() = workload(3000, { 15, 45, 15, 25 }, seed);
    order.mutable_run_workload()->set_keys(pb::NEXT);
    const std::uint64_t ticket = rig.cluster.command(FileRig::kClient, order);
    int merges = 0;
    for (; !rig.cluster.reply(ticket); ++merges) {
        for (int i = 0; i < 4; ++i)
            QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, splitOrder()).refusal(), pb::NOT_REFUSED);
        for (int i = 0; i < 4; ++i)
            QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, mergeOrder()).refusal(), pb::NOT_REFUSED);
    }
    QVERIFY(merges >= 2);
    rig.cluster.heal();
    QVERIFY(rig.waitForRest());
    const pb::WorkloadResult result = rig.cluster.reply(ticket)->workload();
    QCOMPARE(result.wrong(), 0u);
    QCOMPARE(result.missing(), 0u);
    rig.cluster.run(1s);
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
}

void TestMerge::aClientWhoseImageIsAheadTakesTheTrueOne()
{
    FileRig rig(optionsOf(1, 100));
    QVERIFY(rig.waitForFile());
    rig.insertMany(60, 30, 4);
    for (int i = 0; i < 7; ++i)
        rig.cluster.ask(FileRig::kCoordinator, splitOrder());
    for (int i = 0; i < 3; ++i)
        QCOMPARE(rig.verify().missing(), 0u);
    const FileImage ahead = rig.client().image();
    QVERIFY(bucketCount(ahead) > 4);
    while (rig.coordinator().file().buckets() > 3)
        rig.cluster.ask(FileRig::kCoordinator, mergeOrder());
    QCOMPARE(rig.client().image(), ahead);
    for (std::uint64_t key = 0; key < 60; ++key) // with an image ahead of the file
        QCOMPARE(rig.operate(pb::SEARCH, key).result(), pb::OK);
    QCOMPARE(rig.client().image(), rig.coordinator().file().image());
}

void TestMerge::aRepeatOfARequestIsKnownAfterAMerge()
{
    FileRig rig(optionsOf(2, 100));
    QVERIFY(rig.waitForFile());
    rig.insertMany(20, 30, 4);
    rig.cluster.ask(FileRig::kCoordinator, splitOrder());
    QCOMPARE(rig.verify().missing(), 0u);
    // The last update at bucket 1, and a copy of it that arrives after the merge.
    std::shared_ptr<const pb::Message> copy;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_update())
            copy = packet.message;
        return true;
    };
    QCOMPARE(rig.operate(pb::UPDATE, 7, "first").result(), pb::OK);
    rig.cluster.onPacket = {};
    QCOMPARE(rig.data(1)->store().count(), 10u);
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, mergeOrder()).merge().moved(), 10u);
    QCOMPARE(rig.operate(pb::UPDATE, 7, "second").result(), pb::OK);
    pb::Message again = *copy;
    again.mutable_update()->set_target(0);
    again.mutable_update()->set_incarnation(0);
    rig.cluster.inject(rig.holder(pb::DATA, 0, 0), again);
    rig.cluster.run(1s);
    QCOMPARE(QString::fromStdString(rig.operate(pb::SEARCH, 7).value()), QString("second"));
}

void TestMerge::aScanIsRightDuringMerges()
{
    FileRig::Options options = optionsOf(1, 100);
    options.clients = 3;
    options.network = { .delay = 100us, .jitter = 1ms, .loss = 20, .doubled = 100, .seed = 3 };
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(80, 30, 4);
    const std::multiset<std::uint64_t> all = keysOf(rig.client().ledger());
    for (int i = 0; i < 12; ++i)
        rig.cluster.ask(FileRig::kCoordinator, splitOrder());
    QVERIFY(rig.cluster.runUntil([&] { return rig.client(FileRig::kClient + 2).isRegistered(); }, 10s));
    QCOMPARE(rig.verify().missing(), 0u);
    int scans = 0, restarts = 0;
    for (int round = 0; round < 3; ++round) {
        std::vector<std::uint64_t> tickets;
        while (rig.coordinator().file().buckets() > 1 || !tickets.empty()) {
            if (tickets.empty())
                tickets.push_back(rig.cluster.command(FileRig::kCoordinator, mergeOrder()));
            const pb::ScanResult result = rig.cluster.ask(FileRig::kClient + std::uint64_t(scans % 3), scanOrder())
                                              .scan();
            QCOMPARE(result.result(), pb::OK);
            QCOMPARE(keysOf(result), all);
            restarts += int(result.restarts());
            ++scans;
            if (rig.cluster.reply(tickets.back()))
                tickets.clear();
        }
        for (int i = 0; i < 12; ++i)
            rig.cluster.ask(FileRig::kCoordinator, splitOrder());
        QCOMPARE(rig.verify().missing(), 0u);
    }
    QVERIFY(scans > 30);
    QVERIFY(restarts > 0);
}

void TestMerge::aMergeThatTakesTooLongIsUndone()
{
    FileRig::Options options = optionsOf(1, 100);
    options.timers.set_staging_ms(300);
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(60, 30, 4);
    for (int i = 0; i < 4; ++i)
        rig.cluster.ask(FileRig::kCoordinator, splitOrder());
    for (const Body lost : { Body::kMoveRecords, Body::kPrepareBatch, Body::kPrepared }) {
        rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) { return packet.message->body_case() != lost; };
        const std::uint64_t ticket = rig.cluster.command(FileRig::kCoordinator, mergeOrder());
        rig.cluster.run(200ms);
        QVERIFY(!rig.cluster.reply(ticket));
        QCOMPARE(rig.operate(pb::SEARCH, 4).result(), pb::OK); // both ends go on answering
        rig.cluster.run(400ms);
        rig.cluster.onPacket = {};
        QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(ticket) != nullptr; }, 60s)); // tried again
        QVERIFY(rig.waitForRest());
        QCOMPARE(QString::fromStdString(problem(rig)), QString());
        QCOMPARE(rig.runWorkload(workload(50, { 0, 1, 0, 0 })).results().at("OK"), 50u);
        QCOMPARE(QString::fromStdString(problem(rig)), QString());
    }
    QCOMPARE(rig.coordinator().file().buckets(), 2u);
}

void TestMerge::aNetworkSlowerThanTheLimitOnlyDelays()
{
    FileRig::Options options = optionsOf(1, 100);
    options.timers.set_staging_ms(1);
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(60, 30, 4);
    rig.cluster.setDelay(2ms);
    int undone = 0;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        undone += event.has_split_undone() || event.has_merge_undone() ? 1 : 0;
    };
    for (const pb::Command& order : { splitOrder(), splitOrder(), mergeOrder(), mergeOrder() }) {
        const int before = undone;
        const std::uint64_t ticket = rig.cluster.command(FileRig::kCoordinator, order);
        QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(ticket) != nullptr; }, 60s));
        QVERIFY(rig.waitForRest());
        QVERIFY(undone > before); // the limit was reached; otherwise this test shows nothing
        QCOMPARE(QString::fromStdString(problem(rig)), QString());
    }
    QCOMPARE(rig.coordinator().file().buckets(), 1u);
}

// Buckets of the file at the merge, and which members fail: bits 0, 1: source and target; 2, 3: parity of the source's
// group; 4, 5: parity of the target's group.
void TestMerge::nothingIsLostWhoeverFails_data()
{
    QTest::addColumn<std::uint32_t>("buckets");
    QTest::addColumn<std::uint32_t>("victim");
    QTest::addColumn<std::uint32_t>("step");
    for (const std::uint32_t buckets : { 4u, 5u, 6u }) { // one group; a group that ends; two groups
        for (std::uint32_t victim = 0; victim < 6; ++victim) {
            for (std::uint32_t step = 0; step < 14; ++step)
                QTest::addRow("%u buckets, victim %u, step %u", buckets, victim, step) << buckets << victim << step;
        }
    }
}

void TestMerge::nothingIsLostWhoeverFails()
{
    QFETCH(const std::uint32_t, buckets);
    QFETCH(const std::uint32_t, victim);
    QFETCH(const std::uint32_t, step);
    FileRig::Options options = optionsOf(2, 100);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(5);
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(60, 30, 4);
    while (rig.coordinator().file().buckets() < buckets)
        rig.cluster.ask(FileRig::kCoordinator, splitOrder());
    QVERIFY(rig.waitForRest());
    const BucketNumber source(buckets - 1), target(buckets - 1 - (buckets > 4 ? 4 : 2));
    const auto holder = [&](BucketNumber a) { return rig.holder(pb::DATA, a.value / 4, a.value % 4); };
    const std::uint64_t victims[] = { holder(source), holder(target), rig.holder(pb::PARITY, source.value / 4, 0),
        rig.holder(pb::PARITY, source.value / 4, 1), rig.holder(pb::PARITY, target.value / 4, 0),
        rig.holder(pb::PARITY, target.value / 4, 1) };
    pb::Command order;
    *order.mutable_run_workload() = workload(200, { 0, 60, 20, 20 }, step);
    const std::uint64_t writes = rig.cluster.command(FileRig::kClient, order);
    const std::uint64_t ticket = rig.cluster.command(FileRig::kCoordinator, mergeOrder());
    rig.cluster.run(step * 61us);
    rig.kill(victims[victim]);
    QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(writes) != nullptr; }, 60s));
    QVERIFY2(rig.cluster.runUntil([&] { return rig.cluster.reply(ticket) != nullptr; }, 60s),
        rig.coordinator().underWay().c_str());
    rig.cluster.run(1s);
    QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
    QCOMPARE(rig.coordinator().file().buckets(), buckets - 1); // finished, or undone and retried
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
}

void TestMerge::anotherCoordinatorFinishesOrUndoesIt_data()
{
    QTest::addColumn<std::uint32_t>("buckets");
    QTest::addColumn<std::uint32_t>("step");
    for (const std::uint32_t buckets : { 2u, 4u, 5u, 6u }) {
        for (std::uint32_t step = 0; step < 24; ++step)
            QTest::addRow("%u buckets, step %u", buckets, step) << buckets << step;
    }
}

void TestMerge::anotherCoordinatorFinishesOrUndoesIt()
{
    QFETCH(const std::uint32_t, buckets);
    QFETCH(const std::uint32_t, step);
    FileRig::Options options = optionsOf(2, 100);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    rig.insertMany(60, 30, 4);
    while (rig.coordinator().file().buckets() < buckets)
        rig.cluster.ask(FileRig::kCoordinator, splitOrder());
    QVERIFY(rig.waitForRest());
    rig.cluster.command(FileRig::kCoordinator, mergeOrder());
    rig.cluster.run(step * 40us);
    rig.cluster.kill(FileRig::kCoordinator);
    if (step % 2) // one of the two ends is gone as well
        rig.kill([&] {
            for (const std::uint64_t node : rig.nodes) {
                const DataBucket* bucket = rig.node(node).dataBucket();
                if (bucket
                    && bucket->number().value
                        == (step % 4 == 1 ? buckets - 1 : buckets - 1 - (buckets > 4 ? 4 : buckets / 2)))
                    return node;
            }
            return std::uint64_t(0);
        }());
    rig.startCoordinator(true);
    QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 15s));
    rig.cluster.run(1s);
    QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
    const std::uint32_t after = rig.coordinator().file().buckets();
    QVERIFY(after == buckets || after == buckets - 1);
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
    // The file remains usable: one more split, and one more merge.
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, splitOrder()).refusal(), pb::NOT_REFUSED);
    QCOMPARE(rig.cluster.ask(FileRig::kCoordinator, mergeOrder()).refusal(), pb::NOT_REFUSED);
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
}

// Everything at once, pseudo-random by a seed: splits, merges, failures within what the parity tolerates, and
// coordinators that end, while records change and are scanned. More seeds: LHRS_STORMS=1000 (or A..B).
void TestMerge::storm_data()
{
    QTest::addColumn<std::uint64_t>("seed");
    const QByteArray wanted = qgetenv("LHRS_STORMS");
    const qsizetype dots = wanted.indexOf("..");
    const std::uint64_t first = dots < 0 ? 1 : wanted.left(dots).toULongLong();
    const std::uint64_t last = dots >= 0 ? wanted.mid(dots + 2).toULongLong()
        : wanted.isEmpty()               ? 40
                                         : wanted.toULongLong();
    for (std::uint64_t seed = first; seed <= last; ++seed)
        QTest::addRow("seed %llu", static_cast<unsigned long long>(seed)) << seed;
}

void TestMerge::storm()
{
    QFETCH(const std::uint64_t, seed);
    SeededNumbers draw(seed);
    const std::uint32_t k = 1 + std::uint32_t(draw.below(2));
    FileRig::Options options = optionsOf(k, 100, 1u << draw.below(3));
    options.config.set_merges(draw.below(2) == 0);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_rerank(draw.below(2) ? pb::KEEP : pb::FILL_HOLES);
    options.config.set_slice(1 + std::uint32_t(draw.below(20)));
    options.dataSpares = 60;
    options.paritySpares = 120;
    options.clients = 2;
    const bool isLossy = draw.below(2);
    options.network = { .delay = 50us,
        .jitter = draw.below(2) ? 0us : 500us,
        .loss = isLossy ? std::uint32_t(draw.below(60)) : 0,
        .doubled = isLossy ? std::uint32_t(draw.below(200)) : 0,
        .seed = seed };
    FileRig rig(options);
    trace(rig);
    QVERIFY(rig.waitForFile());
    QVERIFY(rig.cluster.runUntil([&] { return rig.client(FileRig::kClient + 1).isRegistered(); }, 10s));
    rig.insertMany(30 + draw.below(60), 30, 4);
    for (std::uint64_t i = draw.below(7); i > 0; --i)
        rig.cluster.ask(FileRig::kCoordinator, splitOrder());
    for (int round = 0; round < 8; ++round) {
        QVERIFY2(rig.waitForRest(300s), rig.coordinator().underWay().c_str());
        pb::Command order;
        *order.mutable_run_workload() = workload(
            100 + draw.below(200), { 15, 40, 25, 20 }, seed + std::uint64_t(round));
        order.mutable_run_workload()->set_keys(draw.below(2) ? pb::NEXT : pb::PRESENT);
        const std::uint64_t writes = rig.cluster.command(FileRig::kClient, order);
        const std::uint64_t scan = rig.cluster.command(FileRig::kClient + 1, scanOrder());
        for (std::uint64_t i = draw.below(4); i > 0; --i)
            rig.cluster.command(FileRig::kCoordinator, draw.below(3) ? mergeOrder() : splitOrder());
        rig.cluster.run(Time(draw.below(2'000'000)));
        // No group loses more than it tolerates: one or two random members of one group.
        const auto& groups = rig.coordinator().file().groups();
        auto group = groups.begin();
        std::advance(group, std::ptrdiff_t(draw.below(groups.size())));
        std::vector<std::uint64_t> members;
        for (const auto& [q, member] : group->second.data)
            members.push_back(member.holder.node.value);
        for (const auto& [p, member] : group->second.parity)
            members.push_back(member.holder.node.value);
        std::set<std::uint64_t> victims;
        if (draw.below(3) > 0) {
            for (std::uint64_t n = 1 + draw.below(k); n > 0; --n)
                victims.insert(members[draw.below(members.size())]);
        }
        for (const std::uint64_t victim : victims) {
            if (rig.nodes.contains(victim))
                rig.kill(victim);
            rig.cluster.run(Time(draw.below(300'000)));
        }
        if (draw.below(4) == 0) {
            rig.cluster.kill(FileRig::kCoordinator);
            rig.cluster.run(Time(draw.below(2'000'000)));
            rig.startCoordinator(true);
            QVERIFY(rig.cluster.runUntil([&] { return !rig.coordinator().isListening(); }, 30s));
        }
        QVERIFY(rig.cluster.runUntil([&] { return rig.cluster.reply(writes) && rig.cluster.reply(scan); }, 120s));
        const pb::WorkloadResult result = rig.cluster.reply(writes)->workload();
        QCOMPARE(result.wrong(), 0u);
        QCOMPARE(result.missing(), 0u);
        const std::multiset<std::uint64_t> found = keysOf(rig.cluster.reply(scan)->scan());
        for (const std::uint64_t key : found)
            QCOMPARE(found.count(key), std::size_t(1));
        rig.cluster.run(1s); // now every dead process has been noticed
    }
    rig.cluster.heal();
    rig.cluster.run(2s);
    QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
    // A process that has just reported its place to a coordinator keeps it for 5 s, and only then accepts that it is
    // replaced.
    rig.cluster.runUntil([&] { return problem(rig).empty(); }, 10s);
    QCOMPARE(QString::fromStdString(problem(rig)), QString());
    const pb::ScanResult all = rig.cluster.ask(FileRig::kClient + 1, scanOrder()).scan();
    QCOMPARE(all.result(), pb::OK);
}

QTEST_APPLESS_MAIN(TestMerge)
#include "tst_merge.moc"
