// SPDX-License-Identifier: GPL-3.0-or-later
// The variants of a bucket recovery that experiments compare: slices as streams or as datagrams, connections that stay
// open or are requested each time, and where the time is spent.
#include "common/lhrs/failpoint_list.h"
#include "node/machine/transfer/connection_handshake.h"
#include "node/machine/transfer/part_transfers.h"
#include "node/machine/task_times.h"
#include "node/sim/lhrs/simulation.h"
#include "node/sim/lhrs/swarm.h"
#include "tests/rigs/core/file_check.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <google/protobuf/text_format.h>

using namespace lhrs;
using namespace lhrs::test;

namespace {

constexpr std::uint64_t kSender = 10, kReceiver = 11;

// Two processes with PartTransfers and the messages under way between them.
struct PartRig {
    struct End {
        explicit End(std::uint64_t node) : info(process(node, pb::NODE)), context { info, {}, AckList(pb::Timers()), 0 }
        {
        }
        pb::ProcessInfo info;
        NodeContext context;
        PartTransfers parts { context };
    };
    End sender { kSender }, receiver { kReceiver };
    Effects effects;
    Time now = 1s;
    std::uint32_t sent = 0;

    // The messages that a step of a process sent, completed as by its driver.
    std::vector<pb::Message> take(const End& from)
    {
        std::vector<pb::Message> messages;
        for (const Effects::Send& send : effects.sends()) {
            messages.push_back(*send.message);
            messages.back().set_sender(from.info.node());
            *messages.back().mutable_from() = from.info.address();
        }
        effects.clear();
        return messages;
    }
    std::vector<pb::Message> begin(const pb::Message& message)
    {
        effects.send(addressOfProcess(kReceiver), Way::Datagrams, 0, NodeId(kReceiver)) = message;
        sender.parts.carry(now, effects);
        return take(sender);
    }
    std::vector<pb::Message> acknowledge(const pb::Message& ack)
    {
        sender.parts.onPartAck(ack, now, effects);
        return take(sender);
    }
    std::vector<pb::Message> wait(Time time)
    {
        now += time;
        sender.parts.onTime(now, effects);
        return take(sender);
    }
    // The whole message, if this part completes it, and the acknowledgement.
    std::pair<std::optional<pb::Message>, pb::Message> deliver(const pb::Message& part)
    {
        auto whole = receiver.parts.onPart(part, now, effects);
        return { whole, take(receiver).at(0) };
    }
};

pb::Message sliceOf(std::size_t bytes)
{
    pb::Message message;
    message.set_answers(77);
    message.mutable_slice_data()->set_recovery(5);
    std::string& records = *message.mutable_slice_data()->mutable_records();
    for (std::size_t i = 0; i < bytes; ++i)
        records.push_back(char(i * 7 + i / 251));
    return message;
}

FileRig::Options optionsOf(const pb::FileConfig& ways)
{
    FileRig::Options options;
    options.config = fileConfig(4, 2, 40);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(7);
    options.config.MergeFrom(ways);
    return options;
}

} // namespace

class TestRecoveryWays : public QObject {
    Q_OBJECT

private slots:
    void aLongMessageTravelsInPartsThatFitADatagram();
    void partsMayComeInAnyOrderAndTwice();
    void aLostPartIsSentAgain();
    void onePartAmongManyIsNotWaitedFor();
    void whatNobodyTakesIsGivenUp();
    void aMessageIsNotOnItsWayTwice();
    void partsOfNoMessageAreRefused();
    void twoDatagramsComeBeforeEachConnection();
    void slicesAheadOfTheirTurnAreKept();
    void timesAddUp();
    void lostBucketsComeBack_data();
    void lostBucketsComeBack();
    void aRecoveryStopsAtTheHighestRankInUse();
    void aSliceFitsAMessageWhateverWasOrdered();
    void seedsHoldInEachWay_data();
    void seedsHoldInEachWay();
};

void TestRecoveryWays::aLongMessageTravelsInPartsThatFitADatagram()
{
    PartRig rig;
    const pb::Message slice = sliceOf(100'000);
    std::vector<pb::Message> parts = rig.begin(slice);
    QVERIFY(parts.size() > 1 && parts.size() < 100'000 / kPartBytes); // a window of them
    std::optional<pb::Message> whole;
    std::size_t most = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        QVERIFY(parts[i].ByteSizeLong() + 64 <= 1'400);
        auto [complete, ack] = rig.deliver(parts[i]);
        if (complete)
            whole = complete;
        const std::vector<pb::Message> more = rig.acknowledge(ack);
        most = std::max(most, more.size());
        parts.insert(parts.end(), more.begin(), more.end());
    }
    QCOMPARE(parts.size(), (slice.ByteSizeLong() + kPartBytes - 1) / kPartBytes); // no part twice
    QVERIFY(whole);
    QCOMPARE(whole->sender(), kSender);
    QCOMPARE(whole->answers(), std::uint64_t(77));
    QCOMPARE(whole->slice_data().records(), slice.slice_data().records());
    QVERIFY(rig.sender.parts.deadline() == Time::max());
}

void TestRecoveryWays::partsMayComeInAnyOrderAndTwice()
{
    PartRig rig;
    std::vector<pb::Message> parts = rig.begin(sliceOf(7 * kPartBytes));
    std::reverse(parts.begin(), parts.end());
    const std::vector<pb::Message> twice = parts;
    parts.insert(parts.begin() + 3, twice.begin(), twice.end());
    int wholes = 0;
    for (const pb::Message& part : parts) {
        const auto [whole, ack] = rig.deliver(part);
        wholes += whole.has_value();
        QVERIFY(rig.acknowledge(ack).empty());
    }
    QCOMPARE(wholes, 1);
    QVERIFY(rig.sender.parts.deadline() == Time::max()); // all parts are acknowledged
    const auto [whole, ack] = rig.deliver(twice.back()); // a late copy
    QVERIFY(!whole);
    QCOMPARE(ack.part_ack().below(), twice.back().part().count());
}

void TestRecoveryWays::aLostPartIsSentAgain()
{
    PartRig rig;
    const std::vector<pb::Message> parts = rig.begin(sliceOf(4 * kPartBytes));
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i != 2)
            rig.acknowledge(rig.deliver(parts[i]).second);
    }
    QVERIFY(rig.wait(29ms).empty());
    const std::vector<pb::Message> again = rig.wait(2ms);
    QCOMPARE(again.size(), std::size_t(1));
    QCOMPARE(again[0].part().number(), 2u);
    QVERIFY(rig.wait(59ms).empty()); // the interval has doubled
    QCOMPARE(rig.wait(2ms).size(), std::size_t(1));
    const auto [whole, ack] = rig.deliver(again[0]);
    QVERIFY(whole);
    rig.acknowledge(ack);
    QVERIFY(rig.sender.parts.deadline() == Time::max());
}

void TestRecoveryWays::onePartAmongManyIsNotWaitedFor()
{
    PartRig rig;
    const std::vector<pb::Message> parts = rig.begin(sliceOf(40 * kPartBytes));
    std::vector<pb::Message> again;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        for (const pb::Message& more : rig.acknowledge(rig.deliver(parts[i]).second)) {
            if (more.part().number() == 0)
                again.push_back(more);
        }
    }
    QCOMPARE(again.size(), std::size_t(1)); // at once, and only once
}

void TestRecoveryWays::whatNobodyTakesIsGivenUp()
{
    PartRig rig;
    rig.begin(sliceOf(5'000));
    Time limit = rig.now + 20s;
    bool isGivenUp = false;
    while (rig.sender.parts.deadline() != Time::max() && rig.now < limit) {
        rig.now = rig.sender.parts.deadline();
        rig.sender.parts.onTime(rig.now, rig.effects);
        for (const pb::Event* event : rig.effects.events())
            isGivenUp = isGivenUp
                || (event->has_message_given_up() && event->message_given_up().kind() == "slice_data");
        rig.effects.clear();
    }
    QVERIFY(isGivenUp);
}

void TestRecoveryWays::aMessageIsNotOnItsWayTwice()
{
    PartRig rig;
    const pb::Message slice = sliceOf(3'000);
    QCOMPARE(rig.begin(slice).size(), std::size_t(3));
    QVERIFY(rig.begin(slice).empty()); // as when an ack list retransmits it, or the receiver asks again
}

void TestRecoveryWays::partsOfNoMessageAreRefused()
{
    PartRig rig;
    pb::Message part;
    part.set_sender(kSender);
    *part.mutable_from() = rig.sender.info.address();
    part.mutable_part()->set_transfer(9);
    part.mutable_part()->set_count(1);
    part.mutable_part()->set_bytes("this is no message in wire format");
    QVERIFY(!rig.deliver(part).first);
    // Parts nested in parts could recurse without end.
    part.mutable_part()->set_transfer(10);
    part.mutable_part()->set_bytes(pb::Message(part).SerializeAsString());
    QVERIFY(!rig.deliver(part).first);
}

void TestRecoveryWays::twoDatagramsComeBeforeEachConnection()
{
    PartRig::End self(kSender);
    ConnectionHandshake handshake(self.context);
    Effects effects;
    Time now = 1s;
    const auto send = [&] {
        effects.send(addressOfProcess(kReceiver), Way::Stream, 0, NodeId(kReceiver)) = sliceOf(10);
        handshake.carry(now, effects);
    };
    send();
    QCOMPARE(effects.sends().size(), std::size_t(1));
    QVERIFY(effects.sends()[0].message->has_slice_data()); // passive open: the message leaves as it is
    effects.clear();
    handshake.setMode(pb::TCP_HANDSHAKE);
    send();
    QCOMPARE(effects.sends().size(), std::size_t(1));
    QVERIFY(effects.sends()[0].message->has_open_connection() && effects.sends()[0].way == Way::Auto);
    const std::uint64_t connection = effects.sends()[0].message->open_connection().connection();
    effects.clear();
    send(); // again, while the receiver is being asked
    QVERIFY(effects.sends().empty());
    now += 31ms;
    handshake.onTime(now, effects); // the request was lost
    QCOMPARE(effects.sends().size(), std::size_t(1));
    effects.clear();
    pb::Message ready;
    ready.set_sender(kReceiver);
    ready.mutable_connection_ready()->set_connection(connection);
    handshake.onConnectionReady(ready, effects);
    QCOMPARE(effects.sends().size(), std::size_t(1));
    QVERIFY(effects.sends()[0].message->has_slice_data() && effects.sends()[0].way == Way::OwnStream);
    effects.clear();
    handshake.onConnectionReady(ready, effects); // a duplicate
    QVERIFY(effects.sends().empty());
    QVERIFY(handshake.deadline() == Time::max());
}

void TestRecoveryWays::slicesAheadOfTheirTurnAreKept()
{
    // Each slice to a spare may use a connection of its own; waiting for a retransmission would cost a second each.
    FileRig rig(optionsOf({}));
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(140, 30, 4).results().at("OK"), 140u);
    QVERIFY(rig.waitForRest());
    std::map<std::uint32_t, int> times;
    Time longest {};
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_spare_slice()) {
            const std::uint32_t number = packet.message->spare_slice().number();
            if (++times[number] == 1 && number % 2 == 0)
                return true;
            if (times[number] == 1) { // the following slices overtake the odd ones
                pb::Message late = *packet.message;
                rig.cluster.inject(packet.to, late);
                return false;
            }
        }
        return true;
    };
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_recovery_finished())
            longest = Time(event.recovery_finished().rebuild_ns());
    };
    rig.kill(rig.holder(pb::DATA, 0, 1));
    QVERIFY(rig.cluster.runUntil([&] { return longest != Time(); }, 30s));
    QVERIFY2(longest < 500ms, std::to_string(longest / 1ms).c_str());
    QVERIFY(rig.waitForRest());
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
}

void TestRecoveryWays::timesAddUp()
{
    struct Clock : Stopwatch {
        Time read() const override { return at; }
        Time at {};
    } clock;
    Effects out;
    out.setStopwatch(&clock);
    TaskTimes times(10ms);
    times.enter(10ms, out);
    clock.at = 14ms;
    times.leave(10ms, out, true); // 4 ms of work
    out.setPreparation(2ms);
    times.enter(30ms, out); // 14 ms waited, then 2 ms of reading
    clock.at = 33ms;
    times.leave(30ms, out, false); // and 3 ms of work
    out.setPreparation(0ms);
    times.enter(40ms, out); // 7 ms count as neither
    clock.at = 41ms;
    const TaskTimes::Sums sums = times.sums(40ms, out);
    QCOMPARE(sums.process, Time(10ms));
    QCOMPARE(sums.communication, Time(14ms));
    QCOMPARE(sums.other, Time(7ms));
    QCOMPARE(sums.total, Time(31ms));
    QCOMPARE(sums.transfer, Time(19ms));
    QCOMPARE(times.since(40ms, out), Time(31ms));
    // The reading of a message cannot begin before the previous step has ended.
    times.leave(40ms, out, true);
    out.setPreparation(10ms);
    times.enter(42ms, out);
    clock.at = 42ms;
    times.leave(42ms, out, true);
    QCOMPARE(times.sums(42ms, out).total, Time(32ms));
}

void TestRecoveryWays::lostBucketsComeBack_data()
{
    QTest::addColumn<QString>("ways"); // FileConfig in text format
    QTest::addColumn<std::uint32_t>("lost");
    QTest::addColumn<bool>("isRough");
    for (const char* ways : { "", "decode: DECODE_RS", "recovery_transport: RECOVERY_UDP", "tcp_mode: TCP_HANDSHAKE",
             "recovery_transport: RECOVERY_UDP tcp_mode: TCP_HANDSHAKE" }) {
        for (const std::uint32_t lost : { 1u, 2u }) {
            for (const bool isRough : { false, true })
                QTest::addRow(
                    "%s, %u buckets, %s network", *ways ? ways : "as usual", lost, isRough ? "rough" : "quiet")
                    << QString(ways) << lost << isRough;
        }
    }
}

void TestRecoveryWays::lostBucketsComeBack()
{
    QFETCH(const QString, ways);
    QFETCH(const std::uint32_t, lost);
    QFETCH(const bool, isRough);
    pb::FileConfig config;
    QVERIFY(google::protobuf::TextFormat::ParseFromString(ways.toStdString(), &config));
    FileRig::Options options = optionsOf(config);
    if (isRough)
        options.network = { 200us, 2ms, 80, 80, 5 }; // late, out of order, 8 % lost and 8 % duplicated
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(140, 300, 4).results().at("OK"), 140u);
    QVERIFY(rig.waitForRest());
    while (rig.coordinator().file().buckets() < 4) { // a bucket that splits slowly reports no overload meanwhile
        pb::Command split;
        split.mutable_force_split();
        rig.cluster.command(FileRig::kCoordinator, split);
        rig.cluster.run(100ms);
        QVERIFY(rig.waitForRest());
    }
    std::map<Body, int> packets, whole;
    bool isStreamed = false;
    pb::RecoveryFinished done;
    std::vector<pb::DecoderChosen> decoders;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        const Body body = packet.message->body_case();
        ++packets[body];
        isStreamed = isStreamed
            || ((body == Body::kSliceData || body == Body::kSpareSlice) && packet.transport == pb::STREAM);
        return true;
    };
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_recovery_finished())
            done = event.recovery_finished();
        if (event.has_decoder_chosen())
            decoders.push_back(event.decoder_chosen());
    };
    for (std::uint32_t q = 0; q < lost; ++q)
        rig.kill(rig.holder(pb::DATA, 0, q));
    QVERIFY(rig.cluster.runUntil([&] { return done.buckets_size() > 0; }, 60s));
    rig.cluster.heal();
    rig.cluster.run(1s);
    QVERIFY2(rig.waitForRest(60s), rig.coordinator().underWay().c_str());
    const bool isUdp = config.recovery_transport() == pb::RECOVERY_UDP;
    QCOMPARE(isStreamed, !isUdp);
    QCOMPARE(packets[Body::kPart] > 0, isUdp);
    QCOMPARE(packets[Body::kOpenConnection] > 0, config.tcp_mode() == pb::TCP_HANDSHAKE && !isUdp);
    // In a rough network a live bucket may be declared failed; then it is recovered with the others.
    const int back = done.buckets_size();
    QVERIFY(back == int(lost) || (isRough && back > int(lost)));
    QCOMPARE(done.is_xor(), back == 1 && config.decode() == pb::DECODE_AUTO);
    QCOMPARE(done.survivors_size(), 4);
    // The manager's event names the participants, and the coefficients that compute the lost records.
    QVERIFY(!decoders.empty());
    const pb::DecoderChosen& told = decoders.back();
    QCOMPARE(told.recovery(), done.recovery());
    std::vector<Participant> participants;
    for (const auto& p : told.participants())
        participants.push_back(p.role() == pb::DATA ? Participant::data(Position(p.index()))
                                                    : Participant::parity(ParityColumn(p.index())));
    const ErasureCode code(told.field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16, 4);
    QCOMPARE(told.lost_size(), back);
    for (const auto& row : told.lost()) {
        const std::vector<Position> position { Position(row.position()) };
        const auto decoder = Decoder::create(code, participants, position);
        QVERIFY2(decoder, decoder ? "" : decoder.error().text.c_str());
        QCOMPARE(std::vector<Symbol>(row.coefficients().begin(), row.coefficients().end()),
            decoder->coefficients(position[0]));
    }
    QCOMPARE(done.slice(), 7u);
    QCOMPARE(done.rebuild_ns(), done.process_ns() + done.communication_ns() + done.other_ns());
    QVERIFY(done.rebuild_ns() > 0 && done.transfer_ns() >= done.communication_ns());
    const pb::WorkloadResult read = rig.verify();
    QCOMPARE(read.wrong() + read.missing(), 0u);
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
}

void TestRecoveryWays::aRecoveryStopsAtTheHighestRankInUse()
{
    FileRig rig(optionsOf({}));
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(38, 30, 4).results().at("OK"), 38u);
    QVERIFY(rig.waitForRest());
    // Bucket 0 has held more records than it holds now.
    const DataBucket& bucket = *rig.data(0);
    const std::uint32_t highest = bucket.store().rankMax().value;
    std::vector<Key> keys;
    for (Rank r(10); r.value <= highest; r = r.next())
        if (bucket.store().has(r))
            keys.push_back(bucket.store().at(r).key);
    for (const Key key : keys)
        QCOMPARE(rig.operate(pb::DELETE, key.value).result(), pb::OK);
    QVERIFY(rig.waitForRest());
    std::vector<pb::SliceRecovered> slices;
    bool isOver = false;
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_slice_recovered())
            slices.push_back(event.slice_recovered());
        isOver = isOver || event.has_recovery_finished();
    };
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return isOver; }, 30s));
    QCOMPARE(slices.size(), std::size_t(2)); // of seven ranks
    QCOMPARE(slices.back().rank_to(), 9u);
    QVERIFY(rig.waitForRest());
    QCOMPARE(QString::fromStdString(parityProblem(rig)), QString());
}

void TestRecoveryWays::aSliceFitsAMessageWhateverWasOrdered()
{
    // A message longer than a frame of a stream is dropped, and would be requested again for ever.
    FileRig::Options options = optionsOf({});
    options.config.set_b(1'000);
    options.config.set_slice(100'000);
    FileRig rig(options);
    QVERIFY(rig.waitForFile());
    QCOMPARE(rig.insertMany(300, 60'000, 8).results().at("OK"), 300u); // 18 MB
    QVERIFY(rig.waitForRest());
    std::size_t longest = 0;
    pb::RecoveryFinished done;
    rig.cluster.onPacket = [&](const MemoryCluster::Packet& packet) {
        if (packet.message->has_slice_data() || packet.message->has_spare_slice())
            longest = std::max(longest, packet.message->ByteSizeLong());
        return true;
    };
    rig.cluster.onEvent = [&](std::uint64_t, const pb::Event& event) {
        if (event.has_recovery_finished())
            done = event.recovery_finished();
    };
    rig.kill(rig.holder(pb::DATA, 0, 0));
    QVERIFY(rig.cluster.runUntil([&] { return done.buckets_size() > 0; }, 30s));
    QCOMPARE(done.slices(), 3u);
    QVERIFY2(longest < std::size_t(9) << 20, std::to_string(longest).c_str());
    QVERIFY(rig.waitForRest());
    QCOMPARE(rig.verify().wrong() + rig.verify().missing(), 0u);
}

// The simulator's seeds with failures, with the variants that they do not draw. LHRS_SEEDS=N: this many of each range.
void TestRecoveryWays::seedsHoldInEachWay_data()
{
    QTest::addColumn<quint64>("seed");
    const int seeds = qEnvironmentVariableIsSet("LHRS_SEEDS") ? qEnvironmentVariableIntValue("LHRS_SEEDS") : 12;
    for (const std::uint64_t first : { kFailuresFrom, kFailpointsFrom })
        for (int i = 0; i < seeds; ++i)
            QTest::addRow("%llu", static_cast<unsigned long long>(first) + i) << quint64(first + quint64(i));
}

void TestRecoveryWays::seedsHoldInEachWay()
{
    QFETCH(const quint64, seed);
    pb::Case drawn = drawCase(seed);
    drawn.mutable_file()->set_recovery_transport(seed % 3 != 1 ? pb::RECOVERY_UDP : pb::RECOVERY_TCP);
    drawn.mutable_file()->set_tcp_mode(seed % 3 != 0 ? pb::TCP_HANDSHAKE : pb::TCP_PASSIVE);
    Simulation simulation(drawn);
    const bool isRight = simulation.run();
    if (!isRight) {
        std::string text; // for ./run test sim --case FILE
        QVERIFY(google::protobuf::TextFormat::PrintToString(drawn, &text));
        QFile file(QStringLiteral("%1/recovery-way-%2.case").arg(QDir::tempPath()).arg(seed));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.c_str()) > 0);
        QFAIL(qPrintable(QString::fromStdString(simulation.failure()->text) + QStringLiteral("; the case is in ")
            + file.fileName()));
    }
}

QTEST_APPLESS_MAIN(TestRecoveryWays)
#include "tst_recovery_ways.moc"
