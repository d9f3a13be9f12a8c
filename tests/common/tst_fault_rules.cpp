// SPDX-License-Identifier: GPL-3.0-or-later
// What faults do to messages, and the registry of armed faults with a clock of the test.
#include "common/network/fault_book.h"
#include "common/network/fault_rules.h"
#include "node/transport/envelope.h"
#include "tests/rigs/core/station.h"

#include <QTest>

#include <algorithm>
#include <limits>

using namespace lhrs;
using namespace lhrs::test;

namespace {

pb::Fault fault(std::uint64_t number = 1, std::uint32_t leaseMs = 60'000)
{
    pb::Fault made;
    made.set_number(number);
    made.set_lease_ms(leaseMs);
    made.set_seed(4711);
    return made;
}

} // namespace

class FaultRulesTest : public QObject {
    Q_OBJECT

private slots:
    void sharesAreMetAndTheSameSeedDrawsTheSame();
    void delaysStayWithinTheirBounds();
    void aRateLetsSoManyBytesThroughInASecond();
    void spoiledPacketsNeverPassTheEnvelope();
    void whatIsWrongIsRefusedWithASentence_data();
    void whatIsWrongIsRefusedWithASentence();
    void aLeaseEndsUnlessItIsRenewed();
    void onlyThePeersAreConcerned();
    void onlyTheKindsThatWereNamedAreConcerned();
    void aMulticastIsConcernedByFaultsForEverybodyOnly();
    void theThirdEventOfItsNameIsTheOneToCrashAt();
};

void FaultRulesTest::sharesAreMetAndTheSameSeedDrawsTheSame()
{
    NetworkRule rule;
    rule.drop = NetworkRule::kAll / 5;
    rule.duplicate = NetworkRule::kAll / 2;
    FaultDice first(1), again(1), other(2);
    std::chrono::nanoseconds free {};
    int dropped = 0, doubled = 0, different = 0;
    for (int i = 0; i < 10'000; ++i) {
        const Fate fate = fateOf(rule, first, false, 100, {}, free);
        const Fate same = fateOf(rule, again, false, 100, {}, free);
        const Fate unlike = fateOf(rule, other, false, 100, {}, free);
        QVERIFY(fate.isDropped == same.isDropped && fate.isDoubled == same.isDoubled);
        different += fate.isDropped != unlike.isDropped ? 1 : 0;
        dropped += fate.isDropped ? 1 : 0;
        doubled += fate.isDoubled ? 1 : 0;
        QVERIFY(!fate.isCorrupted && !fate.isReordered && !fate.isCut && fate.delay.count() == 0);
    }
    QVERIFY(dropped > 1'800 && dropped < 2'200);
    QVERIFY(doubled > 4'700 && doubled < 5'300);
    QVERIFY(different > 0);
}

void FaultRulesTest::delaysStayWithinTheirBounds()
{
    NetworkRule rule;
    rule.delay = 50ms;
    rule.jitter = 10ms;
    FaultDice dice(3);
    std::chrono::nanoseconds free {}, least = 1h, most {};
    for (int i = 0; i < 2'000; ++i) {
        const Fate fate = fateOf(rule, dice, i % 2 == 0, 100, {}, free);
        least = std::min(least, fate.delay);
        most = std::max(most, fate.delay);
    }
    QVERIFY(least >= 50ms && least < 51ms);
    QVERIFY(most <= 60ms && most > 59ms);
}

void FaultRulesTest::aRateLetsSoManyBytesThroughInASecond()
{
    NetworkRule rule;
    rule.bytesPerSecond = 10'000;
    FaultDice dice(3);
    std::chrono::nanoseconds free {};
    QCOMPARE(fateOf(rule, dice, false, 1'000, 1s, free).delay.count(), std::chrono::nanoseconds(100ms).count());
    QCOMPARE(fateOf(rule, dice, false, 1'000, 1s, free).delay.count(), std::chrono::nanoseconds(200ms).count());
    QCOMPARE(fateOf(rule, dice, true, 500, 2s, free).delay.count(), std::chrono::nanoseconds(50ms).count());
}

void FaultRulesTest::spoiledPacketsNeverPassTheEnvelope()
{
    Envelope envelope(5, NodeId(6));
    FaultDice dice(7);
    for (int i = 0; i < 2'000; ++i) {
        std::string packet = sealedPacket(envelope, std::string(1 + std::size_t(i % 300), 'x'));
        const std::string before = packet;
        const bool isStream = i % 2 == 0;
        corrupt(packet, dice, isStream, kHeaderBytes, kLengthAt);
        QVERIFY(packet != before);
        QVERIFY(std::holds_alternative<Drop>(envelope.open(packet)));
        if (isStream) // the receiver finds the next frame
            QCOMPARE(packet.substr(0, kHeaderBytes), before.substr(0, kHeaderBytes));
    }
}

void FaultRulesTest::whatIsWrongIsRefusedWithASentence_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const pb::Fault& wrong, const char* says) {
        const std::string bytes = wrong.SerializeAsString();
        QTest::newRow(name) << QByteArray(bytes.data(), qsizetype(bytes.size())) << QString(says);
    };
    pb::Fault wrong = fault();
    row("nothing to break", wrong, "what is to be broken");
    wrong.mutable_pause();
    wrong.set_number(0);
    row("no number", wrong, "needs a number");
    wrong = fault(1, 0);
    wrong.mutable_pause();
    row("no lease", wrong, "lease");
    wrong.set_lease_ms(FaultBook::kLeaseMax + 1);
    row("a lease for ever", wrong, "3600000 ms");
    wrong = fault();
    wrong.mutable_network()->set_drop(1.5);
    row("more than everything", wrong, "drop is a share");
    wrong.mutable_network()->set_drop(std::numeric_limits<double>::quiet_NaN());
    row("no number at all", wrong, "drop is a share");
    wrong.mutable_network()->set_drop(0.5);
    wrong.mutable_network()->add_kinds("delta");
    wrong.mutable_network()->add_kinds("dleta");
    row("no such message", wrong, "\"dleta\" is not a message");
    wrong = fault();
    wrong.mutable_network()->set_delay_ms(3'600'000);
    row("an hour late", wrong, "at most 60000");
    wrong = fault();
    wrong.mutable_partition();
    row("a partition from nobody", wrong, "other side");
    wrong = fault();
    wrong.mutable_crash()->set_at("split_perpared");
    row("no such event", wrong, "is not an event");
    wrong.mutable_crash()->set_at("sequence");
    row("a field that is no event", wrong, "is not an event");
}

void FaultRulesTest::whatIsWrongIsRefusedWithASentence()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    pb::Fault wrong;
    QVERIFY(wrong.ParseFromArray(bytes.constData(), int(bytes.size())));
    const FaultBook book(NodeId(1), { kLoopback, 1 });
    const auto checked = book.check(wrong);
    QVERIFY(!checked);
    QVERIFY2(QString::fromStdString(checked.error().text).contains(says), checked.error().text.c_str());
}

void FaultRulesTest::aLeaseEndsUnlessItIsRenewed()
{
    FaultBook book(NodeId(1), { kLoopback, 1 });
    pb::Fault wanted = fault(1, 1'000);
    wanted.mutable_network()->set_drop(1);
    QCOMPARE(*book.check(wanted), FaultBook::Armed::New);
    book.arm(wanted, 10s);
    QCOMPARE(book.nextExpiry()->count(), std::chrono::nanoseconds(11s).count());
    QCOMPARE(*book.check(wanted), FaultBook::Armed::Renewed);
    book.arm(wanted, 10'900ms);
    QVERIFY(book.expire(11s).empty());
    QVERIFY(book.judge({}, 11s).fate.isDropped);
    pb::FaultList list;
    book.list(list, 11'400ms);
    QCOMPARE(list.faults(0).lease_left_ms(), 500u);
    const auto ended = book.expire(11'900ms);
    QCOMPARE(ended.size(), std::size_t(1));
    QCOMPARE(ended[0].achieved().dropped(), std::uint64_t(1));
    QCOMPARE(ended[0].achieved().lasted_ns(), std::chrono::nanoseconds(1'900ms).count());
    QCOMPARE(book.parts(), 0u);
    QVERIFY(!book.judge({}, 12s).fate.isDropped);
    // Another fault under a number in use is an error.
    book.arm(wanted, 20s);
    wanted.mutable_network()->set_drop(0.5);
    QVERIFY(!book.check(wanted));
}

void FaultRulesTest::onlyThePeersAreConcerned()
{
    const Endpoint there { kLoopback, 22 };
    pb::Fault wanted = fault();
    auto* peer = wanted.mutable_partition()->add_peers();
    peer->set_node(2);
    peer->mutable_address()->set_ip(there.ip.number());
    peer->mutable_address()->set_udp_port(there.port);
    peer->mutable_address()->set_tcp_port(23);
    struct Row {
        pb::FaultWay way;
        bool isAllBut;
        FaultBook::Passing passing;
        bool isDropped;
    };
    const FaultBook::Passing outToNumber { false, NodeId(2), { kLoopback, 9 } },
        outToAddress { false, NodeId(), there }, outByStream { false, NodeId(), { kLoopback, 23 }, false, true },
        outToOther { false, NodeId(3), { kLoopback, 33 } }, in { true, NodeId(2) }, inFromOther { true, NodeId(3) },
        toItself { false, NodeId(1), { kLoopback, 1 } };
    const Row rows[] = {
        { pb::BOTH_WAYS, false, outToNumber, true },
        { pb::BOTH_WAYS, false, outToAddress, true },
        { pb::BOTH_WAYS, false, outByStream, true },
        { pb::BOTH_WAYS, false, outToOther, false },
        { pb::BOTH_WAYS, false, in, true },
        { pb::BOTH_WAYS, false, inFromOther, false },
        { pb::OUTGOING, false, outToNumber, true },
        { pb::OUTGOING, false, in, false },
        { pb::INCOMING, false, outToNumber, false },
        { pb::INCOMING, false, in, true },
        { pb::BOTH_WAYS, true, outToNumber, false },
        { pb::BOTH_WAYS, true, outToOther, true },
        { pb::BOTH_WAYS, true, inFromOther, true },
        { pb::BOTH_WAYS, true, toItself, false },
    };
    for (const Row& row : rows) {
        FaultBook book(NodeId(1), { kLoopback, 1 });
        wanted.mutable_partition()->set_way(row.way);
        wanted.mutable_partition()->set_all_but_peers(row.isAllBut);
        book.arm(wanted, 0s);
        QCOMPARE(book.judge(row.passing, 1s).fate.isDropped, row.isDropped);
    }
}

void FaultRulesTest::onlyTheKindsThatWereNamedAreConcerned()
{
    FaultBook book(NodeId(1), { kLoopback, 1 });
    pb::Fault wanted = fault();
    wanted.mutable_network()->set_drop(1);
    wanted.mutable_network()->add_kinds("delta");
    wanted.mutable_network()->add_kinds("invite");
    book.arm(wanted, 0s);
    FaultBook::Passing passing;
    passing.kind = pb::Message::kDelta;
    QVERIFY(book.judge(passing, 1s).fate.isDropped);
    passing.kind = pb::Message::kReply;
    QVERIFY(!book.judge(passing, 1s).fate.isDropped);
    passing.kind = 0; // several messages in one datagram, packed before the fault was armed
    QVERIFY(!book.judge(passing, 1s).fate.isDropped);
}

void FaultRulesTest::aMulticastIsConcernedByFaultsForEverybodyOnly()
{
    const FaultBook::Passing out { false, NodeId(), { 0xefef0101, 4'000 }, true }, in { true, NodeId(2), {}, true };
    FaultBook book(NodeId(1), { kLoopback, 1 });
    pb::Fault wanted = fault(1);
    wanted.mutable_network()->set_drop(1);
    wanted.mutable_network()->add_peers()->set_node(2);
    book.arm(wanted, 0s);
    QVERIFY(!book.judge(out, 1s).fate.isDropped);
    QVERIFY(book.judge(in, 1s).fate.isDropped);
    wanted.set_number(2);
    wanted.mutable_network()->clear_peers();
    book.arm(wanted, 0s);
    QVERIFY(book.judge(out, 1s).fate.isDropped);
}

void FaultRulesTest::theThirdEventOfItsNameIsTheOneToCrashAt()
{
    FaultBook book(NodeId(1), { kLoopback, 1 });
    pb::Fault wanted = fault();
    wanted.mutable_crash()->set_at("slice_stored");
    wanted.mutable_crash()->set_count(3);
    book.arm(wanted, 0s);
    pb::Event slice, other;
    slice.mutable_slice_stored();
    other.mutable_gauges();
    QVERIFY(!book.crashesAt(slice));
    QVERIFY(!book.crashesAt(other));
    QVERIFY(!book.crashesAt(slice));
    QVERIFY(book.crashesAt(slice));
    QVERIFY(!book.crashesAt(slice));
}

QTEST_GUILESS_MAIN(FaultRulesTest)
#include "tst_fault_rules.moc"
