// SPDX-License-Identifier: GPL-3.0-or-later
// A query that is passed on by a node, or is answered there by a read, allocates nothing on the heap: from the received
// bytes to the sent bytes, on the path of a working thread.
#include "common/wire.h"
#include "node/machine/arena_block.h"
#include "tests/rigs/walk/walk_driven.h"
#include "tests/rigs/core/core_harness.h"

#include <QTest>

#include <cstdlib>
#include <memory>
#include <new>

namespace {

bool isCounting = false;
std::uint64_t taken = 0;

} // namespace

void* operator new(std::size_t bytes)
{
    taken += isCounting ? 1 : 0;
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr)
        std::abort();
    return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace lhrs;
using namespace lhrs::test;

class TestWalkAllocations : public QObject {
    Q_OBJECT

private slots:
    void aQueryTakesNothing_data();
    void aQueryTakesNothing();
};

void TestWalkAllocations::aQueryTakesNothing_data()
{
    QTest::addColumn<int>("operation");
    QTest::addColumn<bool>("isMine");
    QTest::addColumn<int>("length");
    for (const int length : { 0, 10, 100, 900 }) {
        QTest::addRow("a put of %d bytes passes", length) << int(pb::WALK_PUT) << false << length;
        QTest::addRow("a get of %d bytes is answered", length) << int(pb::WALK_GET) << true << length;
    }
    QTest::addRow("a get passes") << int(pb::WALK_GET) << false << 0;
}

void TestWalkAllocations::aQueryTakesNothing()
{
    QFETCH(const int, operation);
    QFETCH(const bool, isMine);
    QFETCH(const int, length);
    WalkNodeRig rig;
    const std::uint64_t key = isMine ? rig.keyIn(50, 100) : rig.keyIn(100, 50);
    const std::string value(std::size_t(length), 'v');
    rig.joins();
    if (isMine)
        rig.driven.message(rig.query(pb::WALK_PUT, key, value));
    const pb::Message asked = rig.query(
        pb::WalkOperation(operation), key, operation == pb::WALK_PUT ? value : std::string());
    std::string bytes(sizeInBody(asked), '\0');
    appendMessage(asked, bytes.data());

    constexpr std::size_t kBlock = std::size_t(64) << 10;
    const std::unique_ptr<char[]> in(new char[kBlock]), out(new char[kBlock]);
    google::protobuf::Arena arena(arenaIn(in.get(), kBlock)), effectsArena(arenaIn(out.get(), kBlock));
    StringPool strings;
    Effects effects(effectsArena, strings);
    EventStamper stamper(NodeId(WalkNodeRig::kSelf), addressOfProcess(WalkNodeRig::kSelf));
    stamper.setDetail(pb::COUNTS, 1);
    std::vector<ReadMessage> messages;
    std::string packet(2'000, '\0');
    std::size_t sent = 0;
    for (int i = 0; i < 200; ++i) {
        isCounting = i >= 100; // by then the machine is warm
        QVERIFY(parseBody(bytes, arena, messages, &strings));
        stamper.prepare(effects, false);
        effects.begin(messages[0].message);
        rig.node.onMessage(*messages[0].message, rig.driven.now(), effects);
        stamper.stamp(effects, rig.driven.now(), 0, 0ns);
        for (const Effects::Send& send : effects.sends()) {
            sent += sizeInBody(*send.message) > std::size_t(length) ? 1 : 0;
            appendMessage(*send.message, packet.data());
        }
        effects.clear();
        effectsArena.Reset();
        takeBackValue(*messages[0].message, strings);
        messages.clear();
        arena.Reset();
    }
    isCounting = false;
    QCOMPARE(sent, std::size_t(200));
    QCOMPARE(taken, std::uint64_t(0));
}

QTEST_APPLESS_MAIN(TestWalkAllocations)
#include "tst_walk_allocations.moc"
