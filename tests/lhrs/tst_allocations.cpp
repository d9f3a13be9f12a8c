// SPDX-License-Identifier: GPL-3.0-or-later
// From the client's command to its reply, an operation allocates nothing on the heap. The test counts allocations on
// the path of a working thread (bytes, messages, step, bytes), with the real machines of a file that is warm.
#include "common/ring.h"
#include "common/wire.h"
#include "node/machine/arena_block.h"
#include "node/lhrs/store/delta_log.h"
#include "tests/rigs/core/bucket_rigs.h"
#include "tests/rigs/core/memory_cluster.h"

#include <QTest>

#include <malloc.h>

#include <cstdlib>
#include <memory>
#include <new>

namespace {

bool isCounting = false;
std::uint64_t taken = 0;
std::uint64_t bytesHeld = 0; // by the whole process

} // namespace

void* operator new(std::size_t bytes)
{
    taken += isCounting ? 1 : 0;
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr)
        std::abort();
    bytesHeld += ::malloc_usable_size(memory);
    return memory;
}

void operator delete(void* memory) noexcept
{
    bytesHeld -= memory != nullptr ? ::malloc_usable_size(memory) : 0;
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

using namespace lhrs;
using namespace lhrs::test;

namespace {

constexpr std::size_t kBlock = std::size_t(1) << 20;

// A machine as a worker of the runtime owns it.
struct Seat {
    Seat(Machine& m, std::uint64_t node) : machine(m), self(addressOfProcess(node)), stamper(NodeId(node), self)
    {
        stamper.setDetail(pb::COUNTS, 1);
        self.to(address);
    }

    Machine& machine;
    const Address self;
    pb::Address address;
    EventStamper stamper;
    StringPool strings;
    std::unique_ptr<char[]> block { new char[kBlock] }, effectsBlock { new char[kBlock] };
    google::protobuf::Arena arena { arenaIn(block.get(), kBlock) },
        effectsArena { arenaIn(effectsBlock.get(), kBlock) };
    Effects effects { effectsArena, strings };
    std::vector<ReadMessage> messages;
    std::string inbox, reading; // the bytes sent to it, and the bytes that it reads
    std::uint64_t replies = 0; // to commands
};

// The processes of one data bucket with two parity buckets, and a client. From the first call of run() on this class
// drives them.
class Warm {
public:
    explicit Warm(std::uint32_t window)
        : m_window(window), m_rig({ .config = config(), .dataSpares = 1, .paritySpares = 2 })
    {
    }
    bool begin(std::uint64_t records, std::uint32_t length)
    {
        if (!m_rig.waitForFile() || m_rig.insertMany(records, length, m_window).results().at("OK") != records
            || !m_rig.waitForRest())
            return false;
        m_now = m_rig.cluster.now();
        const auto sit = [this](std::uint64_t node) {
            m_seats.emplace(node, std::make_unique<Seat>(m_rig.cluster.machine(node), node));
        };
        for (const std::uint64_t node : m_rig.nodes)
            sit(node);
        sit(FileRig::kClient);
        return true;
    }
    // Heap allocations of this many operations; the client's command and its reply are not counted.
    std::uint64_t run(pb::OperationKind kind, std::uint64_t count, std::uint32_t length)
    {
        pb::Command command;
        command.set_ticket(++m_tickets);
        auto* const order = command.mutable_run_workload();
        order->set_kind(kind);
        order->set_count(count);
        order->set_length(length);
        order->set_window(m_window);
        order->set_keys(kind == pb::INSERT ? pb::NEXT : pb::PRESENT);
        order->set_seed(7);
        Seat& client = *m_seats.at(FileRig::kClient);
        client.effects.begin(nullptr);
        client.machine.onCommand(command, m_now, client.effects);
        post(client);
        isCounting = true;
        taken = 0;
        const std::uint64_t before = client.replies;
        while (client.replies == before && turn()) { }
        isCounting = false;
        return client.replies == before ? ~std::uint64_t(0) : taken;
    }
    bool isRight() { return m_isRight; }

private:
    static pb::FileConfig config()
    {
        pb::FileConfig file = fileConfig(4, 2, 1'000'000);
        file.set_recovery(pb::RECOVERY_OFF); // no leases, as the time does not advance
        return file;
    }

    // Delivers one packet to each process that has any; false: none has.
    bool turn()
    {
        bool isAnybody = false;
        for (auto& [node, seat] : m_seats) {
            if (seat->inbox.empty())
                continue;
            isAnybody = true;
            seat->reading.swap(seat->inbox);
            seat->inbox.clear();
            read(*seat);
        }
        return isAnybody;
    }

    void read(Seat& seat)
    {
        m_isRight = m_isRight && parseBody(seat.reading, seat.arena, seat.messages, &seat.strings);
        m_now += 1us;
        for (std::size_t i = 0; i < seat.messages.size(); ++i) {
            const pb::Message& message = *seat.messages[i].message;
            seat.stamper.prepare(seat.effects, false);
            seat.effects.begin(&message);
            seat.effects.setMoreFollow(i + 1 < seat.messages.size());
            seat.machine.onMessage(message, m_now, seat.effects);
            post(seat);
        }
        for (const ReadMessage& read : seat.messages)
            takeBackValue(*read.message, seat.strings);
        seat.messages.clear();
        seat.arena.Reset();
    }

    // Ends a step.
    void post(Seat& seat)
    {
        seat.stamper.stamp(seat.effects, m_now, 0, 0ns);
        seat.stamper.sign(seat.effects);
        for (const Effects::Send& send : seat.effects.sends()) {
            leaveOut(*send.message, seat.address);
            const std::size_t size = sizeInBody(*send.message);
            const auto to = m_seats.find(send.to.ip.number());
            if (to == m_seats.end())
                continue; // the coordinator
            std::string& inbox = to->second->inbox;
            const std::size_t from = inbox.size();
            inbox.resize(from + size);
            appendMessage(*send.message, inbox.data() + from);
        }
        for (const pb::CommandReply* reply : seat.effects.replies()) {
            const auto& results = reply->workload().results();
            m_isRight = m_isRight && results.size() == 1 && results.contains("OK") && reply->workload().wrong() == 0;
            ++seat.replies;
        }
        seat.effects.clear();
        seat.effectsArena.Reset();
    }

    const std::uint32_t m_window;
    FileRig m_rig;
    std::map<std::uint64_t, std::unique_ptr<Seat>> m_seats;
    Time m_now {};
    std::uint64_t m_tickets = 1'000'000;
    bool m_isRight = true;
};

} // namespace

class TestAllocations : public QObject {
    Q_OBJECT

private slots:
    void anOperationTakesNothing_data()
    {
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("length");
        for (const int window : { 1, 64 })
            for (const int length : { 10, 16, 100, 900 })
                QTest::addRow("%d at once, values of %d bytes", window, length) << window << length;
    }

    void anOperationTakesNothing()
    {
        QFETCH(const int, window);
        QFETCH(const int, length);
        constexpr std::uint64_t kCount = 4'096;
        Warm file((std::uint32_t(window)));
        QVERIFY(file.begin(kCount, std::uint32_t(length)));
        // The reply of the whole workload, and arrays that grow with the number of operations, belong to no single
        // operation.
        constexpr std::uint64_t kOfTheWhole = 40;
        for (const pb::OperationKind kind : { pb::UPDATE, pb::SEARCH }) {
            QVERIFY(file.run(kind, kCount, std::uint32_t(length)) != ~std::uint64_t(0)); // warm
            const std::uint64_t taken = file.run(kind, kCount, std::uint32_t(length));
            QVERIFY2(taken < kOfTheWhole,
                qPrintable(QStringLiteral("%1 times in %2 %3s")
                               .arg(taken)
                               .arg(kCount)
                               .arg(QLatin1String(pb::OperationKind_Name(kind).c_str()))));
        }
        // The file grows: one page per 64 records, with its memory, in each table of the bucket and its two parity
        // buckets.
        file.run(pb::INSERT, kCount, std::uint32_t(length));
        const std::uint64_t taken = file.run(pb::INSERT, kCount, std::uint32_t(length));
        QVERIFY2(taken < kCount / 4, qPrintable(QStringLiteral("%1 times in %2 inserts").arg(taken).arg(kCount)));
        QVERIFY(file.isRight());
    }

    void stringsComeBack()
    {
        StringPool pool;
        std::string text;
        pool.lend(text); // it holds none
        QVERIFY(text.empty() && !StringPool::ownsMemory(text));
        text.assign(100, 'x');
        const char* const memory = text.data();
        pool.takeBack(text);
        QVERIFY(text.empty() && pool.bytes() >= 100);
        std::string next;
        pool.lend(next);
        QCOMPARE(pool.bytes(), std::size_t(0));
        next.assign(90, 'y');
        QCOMPARE(static_cast<const void*>(next.data()), static_cast<const void*>(memory));
        std::string brief = "brief";
        pool.takeBack(brief); // has no memory of its own
        QCOMPARE(pool.bytes(), std::size_t(0));
        // The memory of a burst of long strings is not kept for ever.
        for (int i = 0; i < 1'000; ++i) {
            std::string longOne(10'000, 'z');
            pool.takeBack(longOne);
        }
        QVERIFY(pool.bytes() > 100'000 && pool.bytes() < 300'000);
    }

    void aRingIsAQueue()
    {
        Ring<std::string> ring;
        std::uint64_t in = 0, out = 0;
        for (int round = 0; round < 2'000; ++round) {
            for (int i = 0; i < 1 + round % 7; ++i)
                ring.add() = std::to_string(in++);
            for (int i = 0; i < round % 6 && !ring.isEmpty(); ++i) {
                QCOMPARE(ring.front(), std::to_string(out++));
                ring.removeFront();
            }
            QCOMPARE(ring.size(), std::size_t(in - out));
            QVERIFY(ring.isEmpty()
                || (ring[ring.size() / 2] == std::to_string(out + ring.size() / 2)
                    && ring.back() == std::to_string(in - 1)));
        }
        while (!ring.isEmpty()) {
            QCOMPARE(ring.front(), std::to_string(out++));
            ring.removeFront();
        }
        QCOMPARE(out, in);
        QVERIFY(checkFails([&] { ring.removeFront(); }));
        ring.add() = "again";
        QCOMPARE(ring.front(), std::string("again"));
    }

    void aRingBecomesSmallAgain()
    {
        Ring<std::uint64_t> ring;
        std::uint64_t in = 0, out = 0;
        for (; in < 100'000; ++in)
            ring.add() = in;
        QVERIFY(ring.places() >= 100'000);
        while (ring.size() > 50) { // never empty
            QCOMPARE(ring.front(), out++);
            ring.removeFront();
        }
        QVERIFY2(ring.places() <= 2'048, qPrintable(QString::number(ring.places())));
        for (std::size_t i = 0; i < ring.size(); ++i)
            QCOMPARE(ring[i], out + i);
    }

    // Changes kept for a parity bucket that did not answer are dropped when it has answered.
    void theLogKeepsLittleOfABurst()
    {
        DeltaLog log;
        pb::Delta delta;
        delta.set_delta(std::string(1'000, 'x'));
        const std::uint64_t before = bytesHeld;
        for (std::uint64_t sequence = 1; sequence <= 20'000; ++sequence) {
            delta.set_sequence(sequence);
            log.add(delta);
        }
        QVERIFY(bytesHeld - before > 20'000'000);
        log.trim(19'990);
        QCOMPARE(log.size(), std::size_t(10));
        QVERIFY2(bytesHeld - before < 1'000'000, qPrintable(QString::number(bytesHeld - before)));
    }

    void changesThatAreDoneAreForgotten()
    {
        DataRig rig({ .config = fileConfig(4, 1, 10'000), .k = 1 });
        for (std::uint64_t key = 1; key <= 3'000; ++key)
            rig.insert(key, std::string(1'000, 'x'));
        const std::uint64_t before = bytesHeld;
        rig.deltaAck(0, 3'000);
        QVERIFY(rig.data().link().isIdle());
        QVERIFY2(before - bytesHeld > 1'500'000, qPrintable(QString::number(std::int64_t(before - bytesHeld))));
    }

    void aListOfChangesKeepsItsMemory()
    {
        ChangeList list;
        const auto fill = [&list](std::uint64_t keys) {
            for (std::uint64_t key = 0; key < keys; ++key) {
                pb::RecordsChanged& changes = *list.grow().mutable_records_changed();
                changes.add_keys(key);
                changes.add_kinds(pb::CHANGE_UPDATE);
            }
        };
        fill(1'000);
        QCOMPARE(list.size(), std::size_t(1'000));
        pb::Event first, second;
        list.moveTo(first);
        QCOMPARE(first.records_changed().keys_size(), 1'000);
        QVERIFY(list.isEmpty());
        taken = 0;
        isCounting = true;
        fill(900);
        isCounting = false;
        QCOMPARE(taken, std::uint64_t(0));
        list.moveTo(second);
        QCOMPARE(second.records_changed().keys_size(), 900); // none of the first
        // Of another kind, because the place is another one.
        list.grow().mutable_deltas_applied()->add_members(3);
        pb::Event third;
        list.moveTo(third);
        QVERIFY(third.has_deltas_applied() && third.deltas_applied().members_size() == 1);
    }

    // A place keeps its former element, so that the next element reuses the memory.
    void aRingUsesItsPlacesAgain()
    {
        Ring<std::string> ring;
        std::set<const void*> memories;
        for (int i = 0; i < 1'000; ++i) {
            ring.add().assign(100, 'x');
            memories.insert(ring.back().data());
            ring.removeFront();
        }
        QVERIFY(memories.size() <= 16);
    }
};

QTEST_APPLESS_MAIN(TestAllocations)
#include "tst_allocations.moc"
