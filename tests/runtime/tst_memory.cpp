// SPDX-License-Identifier: GPL-3.0-or-later
// Servers at the limit of their memory: an operation that would make a bucket grow is refused before it has any effect,
// all others go on, and nothing acknowledged is lost. The simulator has seeds with such limits (drawMemory in
// node/sim/lhrs/swarm.cpp).
#include "node/runtime/memory_meter.h"
#include "tests/rigs/core/bucket_rigs.h"
#include "tests/rigs/core/client_rig.h"
#include "tests/runtime/process_rig.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

using namespace lhrs;
using namespace lhrs::test;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t(1) << 20;

MemoryReading room(std::uint64_t left, std::uint64_t limit = 8 * kMiB) { return { limit, left, "the test's limit" }; }

DataRig::Options oneParityBucket()
{
    DataRig::Options options;
    options.k = 1;
    options.config.set_b(100'000);
    return options;
}

std::string longValue(char fill = 'v') { return std::string(4'000, fill); }

// Inserts keys from `first` on, each acknowledged by the parity bucket, until one is refused; returns how many were
// accepted.
std::uint64_t fill(DataRig& rig, std::uint64_t first, pb::Reply& refusal)
{
    for (std::uint64_t key = first; key < first + 10'000; ++key) {
        const Step step = rig.insert(key, longValue());
        if (step.count(Body::kReply) > 0) {
            refusal = replyOf(step);
            return key - first;
        }
        rig.allAcked();
    }
    return 10'000;
}

void write(const QString& path, const QByteArray& text)
{
    QDir().mkpath(path.section('/', 0, -2));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT

private slots:
    void whatMakesAFullBucketGrowIsRefusedBeforeItHasAnyEffect();
    void aFullBucketAcceptsAgainWhenItHasRoom();
    void aFullParityBucketMakesTheDataBucketRefuse();
    void aParityBucketTellsThatItIsFullAndThatItHasRoom();
    void aParityBucketWithoutRoomForABatchLetsTheSplitBeUndone();
    void aFullSpareDoesNotOfferItself();
    void theCallerIsToldWhichServerIsFull();
    void theNearestBoundCounts();
    void anAddressSpaceLimitThatIsLoweredIsSeen();
    void nothingThatServersWithLittleMemoryAcknowledgedIsLost();
};

// ---- one bucket

void TestMemory::whatMakesAFullBucketGrowIsRefusedBeforeItHasAnyEffect()
{
    DataRig rig(oneParityBucket());
    rig.driven.memory(room(3 * kMiB)); // a third of it is the reserve
    pb::Reply refusal;
    const std::uint64_t taken = fill(rig, 1, refusal);
    QVERIFY2(taken > 300 && taken < 530, qPrintable(QString::number(taken)));
    QCOMPARE(refusal.result(), pb::RETRY);
    QCOMPARE(refusal.full().role(), pb::DATA);
    QCOMPARE(refusal.full().number(), 0u);
    QVERIFY(refusal.retry_after_ms() > 0);
    QVERIFY(rig.data().isFull());
    QCOMPARE(std::uint64_t(rig.data().store().count()), taken);
    const Sequence before = rig.data().link().sequence();
    // An insert is refused, the second time too; so is a longer value of a stored key.
    QCOMPARE(replyOf(rig.insert(90'000, longValue())).result(), pb::RETRY);
    QCOMPARE(replyOf(rig.update(1, std::string(60'000, 'w'))).result(), pb::RETRY);
    QCOMPARE(rig.data().link().sequence(), before);
    // Operations that need no further memory are carried out.
    QCOMPARE(replyOf(rig.search(1)).result(), pb::OK);
    for (const pb::OperationKind kind : { pb::UPDATE, pb::DELETE }) {
        QCOMPARE(rig.ask({ .kind = kind, .key = 2, .value = "short" }).count(Body::kDelta), std::size_t(1));
        QCOMPARE(replyOf(rig.allAcked()).result(), pb::OK);
    }
    QCOMPARE(rig.update(1, longValue('w')).count(Body::kDelta), std::size_t(1));
    QCOMPARE(replyOf(rig.allAcked()).result(), pb::OK);
    QCOMPARE(replyOf(rig.search(1)).value(), longValue('w'));
}

void TestMemory::aFullBucketAcceptsAgainWhenItHasRoom()
{
    DataRig rig(oneParityBucket());
    rig.driven.memory(room(3 * kMiB));
    pb::Reply refusal;
    const std::uint64_t taken = fill(rig, 1, refusal);
    // An insert fits into the place of a deleted record.
    rig.erase(7);
    rig.allAcked();
    QCOMPARE(rig.insert(90'000, longValue()).count(Body::kDelta), std::size_t(1));
    rig.allAcked();
    QVERIFY(rig.data().isFull());
    // Memory has become free elsewhere in the process or the system.
    Step step = rig.driven.memory(room(2 * kMiB));
    QCOMPARE(step.count(Happened::kMemoryFull), std::size_t(1));
    QVERIFY(!step.of(Happened::kMemoryFull)[0].memory_full().is_full());
    QVERIFY(fill(rig, 100'000, refusal) > 100);
    QVERIFY(rig.data().isFull());
    // Half of the records are deleted: whole pages are free again.
    for (std::uint64_t key = taken; key > taken / 2; --key) {
        rig.erase(key);
        rig.allAcked();
    }
    for (std::uint64_t key = 100'000; rig.data().store().find(Key(key)).value != 0; ++key) {
        rig.erase(key);
        rig.allAcked();
    }
    QVERIFY(!rig.data().isFull());
    QCOMPARE(rig.insert(200'000, longValue()).count(Body::kDelta), std::size_t(1));
}

void TestMemory::aFullParityBucketMakesTheDataBucketRefuse()
{
    DataRig rig(oneParityBucket()); // this bucket has enough memory
    rig.insert(1, longValue());
    const auto say = [&](bool hasLimit, std::uint64_t room, Sequence applied) {
        pb::Message message = Peer(DataRig::kParity).message();
        message.set_incarnation(500); // the incarnation of column 0, as in DataRig::deltaAck
        auto* ack = message.mutable_delta_ack();
        ack->set_incarnation(DataRig::kIncarnation);
        ack->set_applied(applied);
        ack->set_has_limit(hasLimit);
        ack->set_room(room);
        return rig.driven.message(message);
    };
    QCOMPARE(replyOf(say(true, 0, 1)).result(), pb::OK);
    pb::Reply refused = replyOf(rig.insert(10'000, std::string(60'000, 'v')));
    QCOMPARE(refused.result(), pb::RETRY);
    QCOMPARE(refused.full().role(), pb::PARITY);
    QCOMPARE(refused.full().number(), 0u);
    QCOMPARE(refused.full().column(), 0u);
    QVERIFY(!rig.data().isFull());
    QCOMPARE(rig.erase(1).count(Body::kDelta), std::size_t(1));
    // Changes under way never exceed the room that it reported, however many operations arrive at once.
    say(true, 600'000, 2);
    std::size_t sent = 0;
    for (std::uint64_t key = 20'000; key < 20'100; ++key)
        sent += rig.insert(key, longValue()).count(Body::kDelta);
    QVERIFY2(sent > 0 && sent < 100, qPrintable(QString::number(sent)));
    // An older acknowledgement frees no room.
    say(false, 0, 1);
    QCOMPARE(rig.insert(30'000, std::string(60'000, 'v')).count(Body::kDelta), std::size_t(0));
    say(false, 0, rig.data().link().sequence());
    QCOMPARE(rig.insert(30'000, std::string(60'000, 'v')).count(Body::kDelta), std::size_t(1));
}

void TestMemory::aParityBucketTellsThatItIsFullAndThatItHasRoom()
{
    ParityRig rig;
    rig.driven.memory(room(16 * kMiB, 16 * kMiB));
    std::uint32_t rank = 0;
    for (; !rig.parity().isFull() && rank < 2'000; ++rank) {
        const Step step = rig.delta(rig.insert(0, rank + 1, 100 + rank, longValue()));
        QCOMPARE(appliedSaid(step, 0), std::int64_t(rank + 1)); // a change that was sent is never refused
        QVERIFY(step.of(Body::kDeltaAck)[0].message.delta_ack().has_limit());
    }
    // A split needs room for as much again as is stored here.
    QVERIFY2(rank > 100 && 3 * rig.parity().storedBytes() < 14 * kMiB, qPrintable(QString::number(rank)));
    const auto wordsOf = [](const Step& step, std::uint32_t q) {
        std::vector<pb::DeltaAck> words;
        for (const Step::Sent& sent : step.of(Body::kDeltaAck, ParityRig::nodeOf(q)))
            words.push_back(sent.message.delta_ack());
        return words;
    };
    // Repeated, because an acknowledgement may be lost and no further Delta follows.
    const Step told = rig.driven.pass(2s);
    for (std::uint32_t q = 0; q < 4; ++q) {
        QVERIFY(wordsOf(told, q).size() >= 3);
        QVERIFY(wordsOf(told, q)[0].has_limit());
        QCOMPARE(wordsOf(told, q)[0].room(), 0u);
    }
    // Changes that were already on their way are applied.
    QCOMPARE(appliedSaid(rig.delta(rig.insert(1, 1, 5'000, "on its way")), 1), 1);
    QCOMPARE(rig.differenceToModel(), "");
    const Step better = rig.driven.memory(room(1'000 * kMiB, 1'200 * kMiB));
    QCOMPARE(better.count(Happened::kMemoryFull), std::size_t(1));
    QVERIFY(!better.of(Happened::kMemoryFull)[0].memory_full().is_full());
    const auto words = wordsOf(rig.driven.pass(2s), 3);
    QVERIFY(words.size() >= 3);
    QVERIFY(!words.back().has_limit()); // enough room: no limit is reported
}

void TestMemory::aParityBucketWithoutRoomForABatchLetsTheSplitBeUndone()
{
    ParityRig rig;
    rig.driven.memory(room(2 * kMiB));
    rig.delta(rig.insert(0, 1, 100, "v"));
    ParityRig::Batch batch { .sequence = 2, .isLast = false };
    const std::string leaver = longValue();
    std::uint32_t block = 0;
    for (; block < 1'000; ++block) {
        batch.block = block;
        batch.entries = { { .kind = BlockEntry::Kind::Insert,
            .key = Key(block),
            .rank = Rank(block + 2),
            .length = 4'000,
            .bytes = leaver } };
        const pb::Message message = rig.batchMessage(batch);
        if (!rig.driven.message(message).acknowledges(message))
            break;
    }
    QVERIFY2(block > 100 && block < 400, qPrintable(QString::number(block)));
    rig.abort(9, 0);
    QVERIFY(rig.parity().storedBytes() < 100'000); // the blocks of the batch are gone
}

void TestMemory::aFullSpareDoesNotOfferItself()
{
    NodeRig rig(pb::DATA);
    const auto invited = [&](std::uint64_t invitation) {
        pb::Message message = Peer(NodeRig::kCoordinator).message();
        auto* invite = message.mutable_invite();
        invite->set_invitation(invitation);
        invite->set_role(pb::DATA);
        addressOfProcess(NodeRig::kCoordinator).to(*invite->mutable_coordinator());
        return rig.driven.message(message).count(Body::kOffer);
    };
    rig.driven.memory(room(kMiB / 2));
    QCOMPARE(invited(1), std::size_t(0));
    rig.driven.memory(room(2 * kMiB));
    QCOMPARE(invited(2), std::size_t(1));
}

// ---- a client

void TestMemory::theCallerIsToldWhichServerIsFull()
{
    ClientRig rig;
    rig.knows(1);
    Step step = rig.operate(pb::INSERT, 5, "v");
    std::vector<pb::Message> requests = requestsOf(step);
    for (int round = 0; round < 200 && resultOf(step).result() == pb::RESULT_UNKNOWN; ++round) {
        for (const pb::Message& request : requests) {
            pb::Message answer = rig.replyMessage(request, pb::RETRY, {});
            answer.mutable_reply()->set_retry_after_ms(100);
            answer.mutable_reply()->set_copy(keyRequestOf(request).copy());
            auto* full = answer.mutable_reply()->mutable_full();
            full->set_role(pb::PARITY);
            full->set_number(3);
            full->set_column(1);
            rig.driven.message(answer);
        }
        step = rig.driven.pass(50ms);
        requests = requestsOf(step);
    }
    const pb::OperationResult result = resultOf(step);
    QCOMPARE(result.result(), pb::RETRY); // certainly not carried out
    QVERIFY2(result.text().find("parity bucket 3.1 is full") != std::string::npos, result.text().c_str());
    QCOMPARE(step.of(Happened::kOperationDone).at(0).operation_done().full().number(), 3u);
}

// ---- the meter

void TestMemory::theNearestBoundCounts()
{
    QTemporaryDir folder;
    const QString root = folder.path();
    write(root + "/proc/self/statm", "50000 5000 1000 1 0 20000 0\n"); // pages
    write(root + "/proc/meminfo", "MemTotal:       4000000 kB\nMemFree: 1 kB\nMemAvailable:    3000000 kB\n");
    write(root + "/proc/self/cgroup", "4:cpu,memory:/old/job\n0::/new/job\n");
    const MemoryMeter::System system { (root + "/proc").toStdString(), (root + "/groups").toStdString() };
    QCOMPARE(QString::fromStdString(MemoryMeter(0, system).read(0).bound), QStringLiteral("memory of the machine"));
    QCOMPARE(MemoryMeter(0, system).read(0).limit, std::uint64_t(4'000'000) * 1024);
    // A limit of the parent group holds for its children; cached files do not count as used; "max" means no limit.
    write(root + "/groups/new/memory.max", "1000000000\n");
    write(root + "/groups/new/memory.current", "400000000\n");
    write(root + "/groups/new/memory.stat", "anon 1\ninactive_file 100000000\n");
    write(root + "/groups/new/job/memory.max", "max\n");
    write(root + "/groups/new/job/memory.current", "300000000\n");
    const MemoryReading second = MemoryMeter(0, system).read(0);
    QCOMPARE(QString::fromStdString(second.bound), QStringLiteral("control group"));
    QCOMPARE(second.limit, std::uint64_t(1'000'000'000));
    QCOMPARE(second.left, std::uint64_t(700'000'000));
    // cgroup version 1.
    write(root + "/groups/memory/old/job/memory.limit_in_bytes", "500000000\n");
    write(root + "/groups/memory/old/job/memory.usage_in_bytes", "100000000\n");
    QCOMPARE(MemoryMeter(0, system).read(0).left, std::uint64_t(400'000'000));
    // And a configured limit on resident memory.
    const MemoryReading ordered = MemoryMeter(64 * kMiB, system).read(0);
    QCOMPARE(QString::fromStdString(ordered.bound), QStringLiteral("--memory"));
    QCOMPARE(ordered.left, 64 * kMiB - 5'000 * std::uint64_t(::sysconf(_SC_PAGESIZE)));
}

void TestMemory::anAddressSpaceLimitThatIsLoweredIsSeen()
{
    const MemoryMeter meter(0);
    rlimit before {};
    QCOMPARE(::getrlimit(RLIMIT_AS, &before), 0);
    const MemoryReading free = meter.read(0);
    QVERIFY(free.limit > 0 && free.left > 0);
    rlimit lower = before;
    lower.rlim_cur = rlim_t(6) << 30;
    QCOMPARE(::setrlimit(RLIMIT_AS, &lower), 0);
    const MemoryReading bound = meter.read(0);
    ::setrlimit(RLIMIT_AS, &before);
    QVERIFY(bound.left <= lower.rlim_cur);
    QVERIFY(bound.bound.find("RLIMIT_AS") != std::string::npos || free.left < bound.left + kMiB);
}

// ---- processes

// A data and a parity bucket grow alike, so both reach a common limit at once: more failures than any k can replace.
void TestMemory::nothingThatServersWithLittleMemoryAcknowledgedIsLost()
{
#ifdef LHRS_SLOWER
    QSKIP("A sanitizer needs more than these 64 MiB for itself: the servers are full from the start.");
#endif
    constexpr auto kMemory = "64M";
    Program coordinator(QStringLiteral("lhrs-coordinator"),
        { "--new", "--name", "coordinator", "-k", "1", "-b", "100000", "--recovery", "automatic", "--timers",
            "operation_ms: 500" });
    QVERIFY2(coordinator.isReady(), qPrintable(coordinator.errors()));
    const QString where = QString::fromStdString(coordinator.at("udp"));
    const auto server = [&](const char* role, const char* name) {
        auto made = std::make_unique<Program>(QStringLiteral("lhrs-node"),
            QStringList { "--coordinator", where, "--role", role, "--name", name, "--memory", kMemory });
        return made->isReady() ? std::move(made) : nullptr;
    };
    std::map<std::string, std::unique_ptr<Program>> servers;
    for (const char* name : { "data-1", "data-2" })
        servers[name] = server("data", name);
    servers["parity-1"] = server("parity", "parity-1");
    Program client(QStringLiteral("lhrs-client"), { "--coordinator", where, "--name", "client" });
    QVERIFY(client.isReady());
    for (const auto& [name, program] : servers)
        QVERIFY(program);
    ControlSocket atClient(client.at("control"));
    const auto run = [&](const std::function<void(pb::Command&)>& fill) {
        pb::Command command;
        fill(command);
        command.set_ticket(77);
        atClient.send(command);
        for (;;) {
            const auto reply = atClient.receive(120s);
            if (!reply || !reply->workload().is_running())
                return reply ? *reply : pb::CommandReply();
        }
    };
    const auto insert = [&](std::uint64_t count) {
        return run([count](pb::Command& command) {
            auto* workload = command.mutable_run_workload();
            workload->set_kind(pb::INSERT);
            workload->set_keys(pb::NEXT);
            workload->set_count(count);
            workload->set_length(20'000);
            workload->set_window(64);
        });
    };
    const auto verified = [&] {
        return run([](pb::Command& command) { command.mutable_verify()->set_window(8); }).workload();
    };
    const auto gauges = [](Program& program) {
        ControlSocket atServer(program.at("control"));
        pb::Command command;
        command.mutable_statistics();
        const auto reply = atServer.call(command);
        return reply ? reply->gauges() : pb::Gauges();
    };
    QVERIFY(eventually([&] { return insert(1).workload().results().contains("OK"); }));

    const pb::WorkloadResult filled = insert(3'000).workload();
    std::uint64_t stored = filled.results().contains("OK") ? filled.results().at("OK") : 0;
    QVERIFY2(stored > 100 && stored < 3'000, filled.ShortDebugString().c_str());
    QVERIFY2(filled.refused_full() > 0 && filled.full_size() > 0, filled.ShortDebugString().c_str());
    QCOMPARE(filled.refused_full(), filled.unanswered());
    const pb::WorkloadResult all = verified();
    QCOMPARE(all.operations(), stored + 1);
    QCOMPARE(all.wrong() + all.missing() + all.unanswered(), 0u);
    // A full server reports that it is full. Memory of messages may have been freed meanwhile: then a few more inserts
    // fit.
    QVERIFY(eventually([&] {
        for (const auto& [name, program] : servers)
            if (const pb::Gauges g = gauges(*program); g.is_full())
                return g.memory_limit() == 64 * kMiB && g.memory_bytes() < 64 * kMiB;
        const pb::WorkloadResult more = insert(64).workload();
        stored += more.results().contains("OK") ? more.results().at("OK") : 0;
        return false;
    }));

    // A full bucket can be recovered within the same limit.
    const std::string holder = gauges(*servers["data-1"]).records() > 0 ? "data-1" : "data-2";
    servers.erase(holder);
    QVERIFY(eventually([&] {
        const pb::WorkloadResult again = verified();
        return again.operations() == stored + 1 && again.wrong() + again.missing() + again.unanswered() == 0;
    }));
    QVERIFY(gauges(*servers[holder == "data-1" ? "data-2" : "data-1"]).memory_bytes() < 64 * kMiB);

    // Deleted records make room for others.
    const pb::WorkloadResult erased = run([](pb::Command& command) {
        auto* workload = command.mutable_run_workload();
        workload->set_kind(pb::DELETE);
        workload->set_keys(pb::PRESENT);
        workload->set_count(100);
        workload->set_window(1); // with a window of 1, a key under deletion is not drawn again
    }).workload();
    QCOMPARE(erased.results().at("OK"), 100u);
    const pb::WorkloadResult more = insert(90).workload();
    QVERIFY2(more.results().contains("OK") && more.results().at("OK") > 0, more.ShortDebugString().c_str());
    const pb::WorkloadResult end = verified();
    QCOMPARE(end.operations(), stored + 1 - 100 + more.results().at("OK"));
    QCOMPARE(end.wrong() + end.missing() + end.unanswered(), 0u);
}

QTEST_GUILESS_MAIN(TestMemory)
#include "tst_memory.moc"
