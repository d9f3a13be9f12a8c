// SPDX-License-Identifier: GPL-3.0-or-later
// Streams and running processes with keys: which process is heard, and what each key allows it to say.
#include "common/wire_traits.h"
#include "tests/runtime/sealed_rig.h"

#include <QTest>

#include <random>
#include <set>

using namespace lhrs;
using namespace lhrs::test;

class SealedProcessTest : public QObject {
    Q_OBJECT

private slots:
    // streams
    void keyedFramesArriveWholeAndInOrder();
    void aStrangerIsClosedAndNeverHeard_data();
    void aStrangerIsClosedAndNeverHeard();
    void aRecordedConnectionIsNotHeardAgain();
    void aReceiverWithAnotherKeyIsGivenUpAfterAWhile();
    void framesForAFormerProcessHoldUpNoOthers();

    // a running process
    void serversAndClientsAreAnsweredAndNobodyElse();
    void aReplayedDatagramIsNotHandled();
    void aDatagramOfAFormerRunIsNotHandled();
    void whoKnowsOnlyTheAddressIsHeardOnceIntroduced();
    void aStationThatKnowsOnlyTheAddressIsHeardToo();
    void aClientSendsOnlyWhatClientsSend_data();
    void aClientSendsOnlyWhatClientsSend();
    void aClientAcknowledgesOnlyWhatItWasSent_data();
    void aClientAcknowledgesOnlyWhatItWasSent();
    void aProcessSpeaksOnlyForItself();
    void aFrameIsNoDatagram();
    void aMulticastIsTakenOnceAndFromWhomOneHasMet();
    void aForgedConnectionIsNotHandled();
    void onlyWhoIsKnownGetsAnAnswer();
};
// ---- streams

void SealedProcessTest::keyedFramesArriveWholeAndInOrder()
{
    std::mt19937 random(11);
    for (const auto& [number, keys] : { std::pair(kServer, &rings().server), { kClient, &rings().client } }) {
        StreamEnd receiver({ kLoopback, 0 }, {}, &rings().server, kNeighbour);
        StreamEnd sender({ kLoopback, 0 }, {}, keys, number);
        std::vector<std::string> expected;
        for (const std::string& block : { std::string(), std::string(5'000, 'b') }) {
            receiver.giveRoom(false);
            const int asked = receiver.asked;
            expected.push_back("alone" + block); // nothing follows it while it waits
            QVERIFY(sender.streams->send(receiver.streams->self(),
                block.empty() ? TcpStreams::Frame { sealedPacket(sender.envelope, "alone", kNeighbour) }
                              : sealedFrame(sender.envelope, "alone", block, kNeighbour)));
            QVERIFY(eventually([&] { return receiver.asked > asked; }));
            receiver.giveRoom(true);
            QVERIFY(eventually([&] { return receiver.count() == expected.size(); }));
        }
        for (int round = 0; round < 12; ++round) {
            const bool isFull = round % 3 == 0, isCut = round % 3 != 1;
            receiver.giveRoom(!isFull);
            const int asked = receiver.asked;
            for (int i = 0; i < 10; ++i) {
                const std::string body(1 + random() % 300, char('a' + i));
                const std::size_t length = i % 3 == 0 ? 0
                    : i == 7                          ? 1'500'000
                                                      : 1 + random() % (i % 2 != 0 ? 200 : 100'000);
                std::string block(length, '\0');
                for (std::size_t at = 0; at < length; ++at)
                    block[at] = char(at * 31 + std::size_t(i));
                expected.push_back(body + block);
                const TcpStreams::Frame frame = length == 0
                    ? TcpStreams::Frame { sealedPacket(sender.envelope, body, kNeighbour) }
                    : sealedFrame(sender.envelope, body, block, kNeighbour);
                // Only the first one is cut: what was sent over two connections may arrive in any order.
                QVERIFY(sender.streams->send(
                    receiver.streams->self(), frame, i == 0 && isCut ? 1 + random() % (frame.size() - 1) : 0));
            }
            if (isFull) {
                QVERIFY(eventually([&] { return receiver.asked > asked; }));
                QCOMPARE(receiver.count(), expected.size() - 10);
                receiver.giveRoom(true);
            }
            QVERIFY(eventually([&] { return receiver.count() == expected.size(); }));
        }
        QVERIFY(receiver.heard == expected);
        QCOMPARE(receiver.counters.droppedSum() + sender.counters.droppedSum(), std::uint64_t(0));
    }
}

void SealedProcessTest::aStrangerIsClosedAndNeverHeard_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("reason");
    const auto row = [](const char* name, const std::string& bytes, Drop reason) {
        QTest::newRow(name) << QByteArray(bytes.data(), qsizetype(bytes.size())) << int(reason);
    };
    Envelope ours(kCluster, kServer, &rings().server), keyless(kCluster, kServer),
        strangers(kCluster, kServer, &rings().stranger);
    std::mt19937 random(3);
    std::string garbage(5'000, '\0');
    for (char& byte : garbage)
        byte = char(random());
    row("HTTP", "POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", Drop::WrongMagic);
    row("garbage", garbage, Drop::WrongMagic);
    row("a frame without a key", sealedPacket(keyless, "body"), Drop::OtherKey);
    row("a begin without a key", sealedPacket(keyless, std::string(kKeyBytes, 'x')), Drop::OtherKey);
    row("another cluster's begin", StreamLink(strangers).begin(NodeId()), Drop::WrongTag);
    row("a frame without a begin", sealedPacket(ours, "body", kNeighbour), Drop::WrongLength);
    row("a frame as long as a begin", sealedPacket(ours, std::string(kKeyBytes, 'x'), kNeighbour), Drop::WrongLength);
    const std::string begin = StreamLink(ours).begin(NodeId());
    std::string header = begin.substr(0, kHeaderBytes);
    put(header, kLengthAt, std::uint32_t(kFrameMax));
    row("a begin of 16 MiB", header, Drop::WrongLength); // only its header: no further byte is waited for
    put(header, kHeadAt, std::uint16_t(kKeyBytes));
    row("a begin with a block of 16 MiB", header + begin.substr(kHeaderBytes), Drop::WrongLength);
    put(header, kLengthAt, std::uint32_t(kFrameMax + 1));
    row("a begin beyond the limit", header, Drop::WrongLength);
}

void SealedProcessTest::aStrangerIsClosedAndNeverHeard()
{
    QFETCH(QByteArray, bytes);
    QFETCH(int, reason);
    StreamEnd receiver({ kLoopback, 0 }, {}, &rings().server, kNeighbour);
    const Stranger stranger(receiver.streams->self());
    QVERIFY(stranger.write({ bytes.constData(), std::size_t(bytes.size()) }));
    const auto answer = stranger.readToEnd();
    QVERIFY(answer);
    QCOMPARE(*answer, std::string());
    QCOMPARE(receiver.counters.of(Drop(reason)), std::uint64_t(1));
    QCOMPARE(receiver.counters.droppedSum(), std::uint64_t(1));
    StreamEnd sender({ kLoopback, 0 }, {}, &rings().server, kServer);
    QVERIFY(sender.streams->send(receiver.streams->self(), sealedPacket(sender.envelope, "ours", kNeighbour)));
    QVERIFY(eventually([&] { return receiver.count() > 0; }));
    QVERIFY(receiver.heard == std::vector<std::string> { "ours" });
}

void SealedProcessTest::aRecordedConnectionIsNotHeardAgain()
{
    StreamEnd receiver({ kLoopback, 0 }, {}, &rings().server, kNeighbour);
    Envelope envelope(kCluster, kServer, &rings().server);
    StreamLink link(envelope);
    const std::string begin = link.begin(NodeId());
    const Stranger first(receiver.streams->self());
    QVERIFY(first.write(begin));
    QVERIFY(!link.finish(first.read(StreamLink::kAnswerBytes)));
    const std::string confirmation = textIn(link.confirmation());
    std::string frames;
    for (const char* body : { "one", "two" }) {
        const std::string packet = sealedPacket(envelope, body, kNeighbour);
        frames += packet + textIn(link.next(tagIn(packet)));
    }
    QVERIFY(first.write(confirmation + frames));
    QVERIFY(eventually([&] { return receiver.count() == 2; }));
    QCOMPARE(receiver.counters.droppedSum(), std::uint64_t(0));

    const Stranger second(receiver.streams->self()); // all of it again
    QVERIFY(second.write(begin + confirmation + frames));
    const auto answer = second.readToEnd();
    QVERIFY(answer);
    QVERIFY(answer->size() <= StreamLink::kAnswerBytes); // less if it was closed before it was read
    QCOMPARE(receiver.counters.of(Drop::WrongTag), std::uint64_t(1)); // before any frame is looked at
    QVERIFY(first.write(frames)); // over the same connection
    QVERIFY(first.readToEnd());
    QCOMPARE(receiver.counters.of(Drop::Replayed), std::uint64_t(1));
    QCOMPARE(receiver.counters.droppedSum(), std::uint64_t(2));
    QCOMPARE(receiver.count(), std::size_t(2));
}

// It accepts each connection and closes it again, so it is not reached although it listens.
void SealedProcessTest::aReceiverWithAnotherKeyIsGivenUpAfterAWhile()
{
    StreamLimits limits;
    limits.unreachable = 1s; // longer than the longest pause between two attempts
    StreamEnd sender({ kLoopback, 0 }, limits, &rings().server, kServer);
    StreamEnd receiver({ kLoopback, 0 }, {}, &rings().stranger, kNeighbour);
    for (const char* body : { "1", "2" })
        QVERIFY(sender.streams->send(receiver.streams->self(), sealedPacket(sender.envelope, body, kNeighbour)));
    QVERIFY(eventually([&] { return sender.counters.of(Drop::StreamClosed) == 2; }));
    QCOMPARE(sender.streams->queued().most, std::size_t(0));
    QVERIFY(receiver.counters.of(Drop::WrongTag) > 0);
    QCOMPARE(receiver.count(), std::size_t(0));
}

void SealedProcessTest::framesForAFormerProcessHoldUpNoOthers()
{
    StreamEnd sender({ kLoopback, 0 }, {}, &rings().server, kServer);
    StreamEnd receiver({ kLoopback, 0 }, {}, &rings().server, kNeighbour);
    const auto send = [&](const char* body, NodeId to) {
        return sender.streams->send(
            receiver.streams->self(), sealedFrame(sender.envelope, body, std::string(70'000, 'b'), to));
    };
    // Before there is a connection, and over the one that there is.
    for (std::uint64_t round = 1; round <= 2; ++round) {
        QVERIFY(send("1", kFormer) && send("2", kNeighbour) && send("3", kFormer) && send("4", kNeighbour));
        QVERIFY(eventually([&] { return receiver.count() == 2 * round; }));
        QVERIFY(eventually([&] { return sender.counters.of(Drop::OtherReceiver) == 2 * round; }));
    }
    QCOMPARE(sender.streams->queued().most, std::size_t(0));
    QCOMPARE(receiver.counters.droppedSum(), std::uint64_t(0));
}

// ---- a running process

void SealedProcessTest::serversAndClientsAreAnsweredAndNobodyElse()
{
    const Station station(keyed());
    for (const auto& [key, number] :
        { std::pair(clusterKey(), kServer), std::pair(clientKeyOf(clusterKey()), kClient) }) {
        Speaker speaker(station.udp(), { kLoopback, 0 }, key, number);
        QVERIFY(speaker.isAnswered(station.address()));
        QVERIFY(speaker.isAnswered(station.address(), Way::Stream));
        const std::string large(100'000, 'x'); // both ways by a stream
        QVERIFY(eventually([&] {
            speaker.search(station.address(), large);
            return speaker.flush() && eventually([&] { return speaker.values().back() == large; }, 1s);
        }));
    }
    const std::uint64_t before = station.heard->messages;
    for (const auto& [key, reason] :
        { std::pair(std::optional<KeyFile>(), Drop::OtherKey), { clusterKey(8), Drop::WrongTag } }) {
        Speaker speaker(station.udp(), { kLoopback, 0 }, key, kServer);
        for (const Way way : { Way::Auto, Way::Stream }) {
            const std::uint64_t dropped = drops(station, reason);
            speaker.search(station.address(), "alive?", way);
            QVERIFY(speaker.flush());
            QVERIFY(eventually([&, reason = reason] { return drops(station, reason) > dropped; }));
        }
        QVERIFY(speaker.answers().empty());
    }
    QCOMPARE(station.heard->messages.load(), before);
}

void SealedProcessTest::aReplayedDatagramIsNotHandled()
{
    const Station station(keyed());
    for (const auto& [keys, number] : { std::pair(&rings().server, kServer), { &rings().client, kClient } }) {
        Witness witness(station, keys, number);
        const auto sealed = [&witness = witness, &station, number = number] {
            return sealedPacket(witness.envelope, bodyOf({ ackOf(number) }), station.number());
        };
        const std::uint64_t before = station.heard->messages, replayed = drops(station, Drop::Replayed),
                            reflected = drops(station, Drop::OtherReceiver);
        const std::string packet = sealed(), spare = sealed();
        std::uint64_t sent = 0;
        const auto said = [&](int round) {
            std::string words = "round " + std::to_string(round) + ": "
                + std::to_string(station.heard->messages - before) + " of " + std::to_string(sent) + " handled";
            for (int i = 0; i < int(Drop::kCount); ++i)
                if (const std::uint64_t count = drops(station, Drop(i)); count > 0)
                    words += ", " + std::to_string(count) + " dropped for reason " + std::to_string(i);
            return words;
        };
        for (int round = 0; round < 3; ++round) {
            witness.send(packet);
            sent += round == 0 ? 1 : 0;
            QVERIFY2(eventually([&] {
                return station.heard->messages == before + sent
                    && drops(station, Drop::Replayed) == replayed + std::uint64_t(round);
            }),
                said(round).c_str());
            for (int i = 0; i < 2'000 && round == 1; ++i) { // at once, and after these
                witness.send(sealed());
                if (++sent % 100 == 0)
                    QVERIFY(eventually([&] { return station.heard->messages == before + sent; }));
            }
        }
        witness.send(spare); // it has never arrived, but is too old
        QVERIFY(eventually([&] { return drops(station, Drop::Replayed) == replayed + 3; }));

        // Its own answer comes back to the station, from somebody else.
        witness.send(sealedPacket(witness.envelope, bodyOf({ witness.search() }), station.number()));
        const std::vector<std::string> reply = witness.upToReply();
        QCOMPARE(reply.size(), std::size_t(1));
        witness.send(reply[0]);
        QVERIFY(eventually([&] { return drops(station, Drop::OtherReceiver) == reflected + 1; }));
        QCOMPARE(station.heard->messages.load(), before + sent + 1);
        QCOMPARE(drops(station, Drop::Replayed), replayed + 3);
    }
}

void SealedProcessTest::aDatagramOfAFormerRunIsNotHandled()
{
    RuntimeOptions options = keyed();
    auto station = std::make_unique<Station>(options);
    options.listen = station->udp();
    Witness witness(*station, &rings().server, kServer);
    const std::string body = bodyOf({ ackOf(kServer) });
    const std::string byNumber = sealedPacket(witness.envelope, body, station->number()),
                      byBoth = sealedPacket(witness.envelope, body, byAddress(station->number())),
                      unknown = sealedPacket(witness.envelope, body, byAddress()),
                      group = sealedPacket(witness.envelope, body, toAll());
    for (const std::string& packet : { byNumber, byBoth, unknown, group })
        witness.send(packet);
    QVERIFY(eventually([&] {
        return station->heard->messages == 2 && drops(*station, Drop::Unintroduced) == 1
            && drops(*station, Drop::OtherReceiver) == 1;
    }));
    const NodeId former = station->number();
    station.reset();
    station = std::make_unique<Station>(options);
    QVERIFY(station->udp() == options.listen && station->number() != former);
    for (const std::string& packet : { byNumber, byBoth, unknown, group })
        witness.send(packet);
    QVERIFY(eventually(
        [&] { return drops(*station, Drop::Unintroduced) == 2 && drops(*station, Drop::OtherReceiver) == 2; }));
    QCOMPARE(station->heard->messages.load(), std::uint64_t(0));
    witness.send(sealedPacket(witness.envelope, body, station->number()));
    QVERIFY(eventually([&] { return station->heard->messages == 1; }));
    QCOMPARE(station->runtime->counters().droppedSum(), std::uint64_t(4));
}

void SealedProcessTest::whoKnowsOnlyTheAddressIsHeardOnceIntroduced()
{
    RuntimeOptions options = keyed();
    auto station = std::make_unique<Station>(options);
    options.listen = station->udp();
    const Address to = station->address();
    Speaker speaker(station->udp(), { kLoopback, 0 }, clientKeyOf(clusterKey()), kClient);
    for (std::size_t i = 1; i <= 3; ++i) { // only the first one costs an introduction
        speaker.search(to, "once");
        QVERIFY(speaker.flush());
        QVERIFY(speaker.hears(i));
        QCOMPARE(station->heard->messages.load(), std::uint64_t(i));
        QCOMPARE(drops(*station, Drop::Unintroduced), std::uint64_t(1));
    }
    QCOMPARE(station->runtime->counters().droppedSum(), std::uint64_t(1));
    station.reset();
    station = std::make_unique<Station>(options); // has another number at the same address
    QVERIFY(speaker.isAnswered(to));
    QVERIFY(drops(*station, Drop::Unintroduced) >= 1);
    QVERIFY(speaker.isAnswered(to, Way::Stream));
}

void SealedProcessTest::aStationThatKnowsOnlyTheAddressIsHeardToo()
{
    const Station station(keyed());
    for (const auto& [key, number] :
        { std::pair(clientKeyOf(clusterKey()), kClient), std::pair(clusterKey(), kServer) }) {
        Speaker speaker(station.udp(), { kLoopback, 0 }, key, number);
        for (std::size_t i = 1; i <= 3; ++i) {
            speaker.say(station.address()).mutable_where_is();
            QVERIFY(speaker.flush());
            QVERIFY(speaker.hears(i)); // nothing is asked again, so the first answer has waited
            QCOMPARE(speaker.introduced.load(), std::size_t(1));
        }
    }
    QCOMPARE(station.heard->messages.load(), std::uint64_t(6));
}

void SealedProcessTest::aClientSendsOnlyWhatClientsSend_data()
{
    QTest::addColumn<bool>("byStream");
    QTest::newRow("datagrams") << false;
    QTest::newRow("streams") << true;
}

void SealedProcessTest::aClientSendsOnlyWhatClientsSend()
{
    QFETCH(bool, byStream);
    const std::set<std::string> ofClients { "insert", "update", "delete", "search", "scan", "where_is", "alarm",
        "register", "alive", "ack", "connection_ready", "query", "who_is_in" };
    const Station station(keyed());
    for (const auto& [key, number] :
        { std::pair(clientKeyOf(clusterKey()), kClient), std::pair(clusterKey(), kServer) }) {
        Speaker speaker(station.udp(), { kLoopback, 0 }, key, number);
        std::size_t allowed = 0;
        for (const Kind& kind : messageKinds()) {
            pb::Message message = ofKind(kind, number);
            speaker.address().to(*message.mutable_from());
            QCOMPARE(kindOf(message), kind.number);
            QCOMPARE(wireOf(message).isOfClient, ofClients.contains(kind.name));
            const std::uint64_t handled = station.heard->messages, refused = drops(station, Drop::NotOfItsRole);
            speaker.sendAsItIs(message, station.address(), byStream, station.number());
            QVERIFY2(eventually([&] {
                return station.heard->messages + drops(station, Drop::NotOfItsRole) == handled + refused + 1;
            }),
                kind.name.c_str());
            const bool isAllowed = !isClientNumber(number) || ofClients.contains(kind.name);
            QVERIFY2((station.heard->messages > handled) == isAllowed, kind.name.c_str());
            allowed += isAllowed ? 1 : 0;
        }
        QCOMPARE(allowed, isClientNumber(number) ? ofClients.size() : messageKinds().size());
    }
    QCOMPARE(station.runtime->counters().droppedSum(), drops(station, Drop::NotOfItsRole));
}

void SealedProcessTest::aClientAcknowledgesOnlyWhatItWasSent_data()
{
    QTest::addColumn<bool>("byStream");
    QTest::newRow("datagrams") << false;
    QTest::newRow("streams") << true;
}

void SealedProcessTest::aClientAcknowledgesOnlyWhatItWasSent()
{
    QFETCH(bool, byStream);
    // Orders of the station: to this client, to a server, to any process at an address; it has sent nothing else.
    constexpr std::uint64_t kToClient = 7, kToServer = 8, kToAddress = 9, kOfNobody = 10;
    const Station station(keyed());
    station.heard->awaited = { { kToClient, kClient }, { kToServer, kServer }, { kToAddress, NodeId() } };
    for (const auto& [key, number] :
        { std::pair(clientKeyOf(clusterKey()), kClient), std::pair(clusterKey(), kServer) }) {
        Speaker speaker(station.udp(), { kLoopback, 0 }, key, number);
        for (const std::uint64_t id : { kToClient, kToServer, kToAddress, kOfNobody }) {
            pb::Message message = signedBy(number);
            speaker.address().to(*message.mutable_from());
            message.set_answers(id);
            message.mutable_ack();
            const std::uint64_t handled = station.heard->messages, refused = drops(station, Drop::NotOfItsRole);
            speaker.sendAsItIs(message, station.address(), byStream, station.number());
            QVERIFY(eventually(
                [&] { return station.heard->messages + drops(station, Drop::NotOfItsRole) == handled + refused + 1; }));
            const bool isAllowed = !isClientNumber(number) || id == kToClient || id == kOfNobody;
            QCOMPARE(station.heard->messages > handled, isAllowed);
        }
    }
}

void SealedProcessTest::aProcessSpeaksOnlyForItself()
{
    const Station station(keyed());
    Witness client(station, &rings().client, kClient), server(station, &rings().server, kServer);
    const auto isHandled = [&](Witness& from, std::initializer_list<pb::Message> messages) -> std::optional<bool> {
        const std::uint64_t handled = station.heard->messages, refused = drops(station, Drop::NotOfItsRole);
        from.send(sealedPacket(from.envelope, bodyOf(messages), station.number()));
        if (!eventually([&] {
                return station.heard->messages == handled + messages.size()
                    || drops(station, Drop::NotOfItsRole) == refused + 1;
            }))
            return std::nullopt;
        return station.heard->messages == handled + messages.size();
    };
    for (const char* name : { "register", "alive" }) {
        const auto saying = [&](NodeId sender, NodeId number, pb::ProcessKind kind) {
            pb::Message message = ofKind(*messageKindNamed(name), sender);
            pb::ProcessInfo& self = message.has_alive() ? *message.mutable_alive()->mutable_process()
                                                        : *message.mutable_register_()->mutable_process();
            self.set_node(number.value);
            self.set_kind(kind);
            return message;
        };
        QCOMPARE(isHandled(client, { saying(kClient, kClient, pb::CLIENT) }), std::optional(true));
        for (const pb::ProcessKind kind : { pb::NODE, pb::COORDINATOR })
            QCOMPARE(isHandled(client, { saying(kClient, kClient, kind) }), std::optional(false));
        for (const NodeId number : { kOtherClient, kServer, NodeId() })
            QCOMPARE(isHandled(client, { saying(kClient, number, pb::CLIENT) }), std::optional(false));
        QCOMPARE(isHandled(server, { saying(kServer, kServer, pb::NODE) }), std::optional(true));
    }
    // A client follows no coordinator and holds no place, whatever it says; with two bodies nothing is said at all.
    for (const auto& spoil :
        std::initializer_list<void (*)(pb::Message&)> {
            [](pb::Message& m) { m.set_coordinator_epoch(std::uint64_t(1) << 60); },
            [](pb::Message& m) { m.set_incarnation(7); }, [](pb::Message& m) { m.mutable_alive()->set_role(pb::DATA); },
            [](pb::Message& m) { m.mutable_alive()->set_incarnation(7); } }) {
        for (Witness* from : { &client, &server }) {
            pb::Message message = ofKind(*messageKindNamed("alive"), from->envelope.self());
            QCOMPARE(isHandled(*from, { message }), std::optional(true));
            spoil(message);
            QCOMPARE(isHandled(*from, { message }), std::optional(from == &server));
        }
    }
    const std::uint64_t malformed = drops(station, Drop::Malformed);
    pb::Message twice = ackOf(kClient);
    twice.mutable_walk()->mutable_over();
    client.send(sealedPacket(client.envelope, bodyOf({ twice }), station.number()));
    QVERIFY(eventually([&] { return drops(station, Drop::Malformed) == malformed + 1; }));
    for (Witness* from : { &client, &server }) {
        const NodeId self = from->envelope.self();
        QCOMPARE(isHandled(*from, { ackOf(self), ackOf(self) }), std::optional(true));
        for (const NodeId other : { kNeighbour, kOtherClient, NodeId(), station.number() }) {
            QCOMPARE(isHandled(*from, { ackOf(other) }), std::optional(false));
            if (other.value != 0) // left out, it is that of the first message
                QCOMPARE(isHandled(*from, { ackOf(self), ackOf(other) }), std::optional(false));
        }
    }
    QCOMPARE(station.runtime->counters().droppedSum(), drops(station, Drop::NotOfItsRole) + malformed + 1);
}

void SealedProcessTest::aFrameIsNoDatagram()
{
    const Station station(keyed());
    Witness server(station, &rings().server, kServer);
    Envelope::To to(station.number());
    for (const bool isFrame : { true, false }) {
        to.isInStream = isFrame;
        server.send(sealedPacket(server.envelope, bodyOf({ ackOf(kServer) }), to));
        QVERIFY(eventually(
            [&] { return station.heard->messages + drops(station, Drop::OtherReceiver) > (isFrame ? 0u : 1u); }));
    }
    QCOMPARE(station.heard->messages.load(), std::uint64_t(1));
    QCOMPARE(drops(station, Drop::OtherReceiver), std::uint64_t(1));
}

// One that was recorded before this process started is from nobody whom it has met.
void SealedProcessTest::aMulticastIsTakenOnceAndFromWhomOneHasMet()
{
    RuntimeOptions options = keyed();
    options.pool = pb::DATA;
    const Station station(options);
    Witness server(station, &rings().server, kServer);
    const Endpoint own = server.to, group = multicastGroup(pb::DATA, station.udp());
    const std::string body = bodyOf({ ackOf(kServer) }), former = sealedPacket(server.envelope, body, toAll());
    server.to = group;
    QVERIFY(eventually([&] { // until the station has joined
        server.send(former);
        return drops(station, Drop::Unintroduced) > 0;
    }));
    std::string last = former; // whatever was sent before it has been judged when it is refused
    last.back() ^= 1;
    server.send(last);
    QVERIFY(eventually([&] { return drops(station, Drop::WrongTag) == 1; }));
    QCOMPARE(station.heard->messages.load(), std::uint64_t(0));
    server.to = own;
    server.send(sealedPacket(server.envelope, body, station.number()));
    QVERIFY(eventually([&] { return station.heard->messages == 1; }));
    server.to = group;
    const std::string now = sealedPacket(server.envelope, body, toAll());
    for (std::uint64_t sent = 0; sent < 3; ++sent) {
        server.send(now);
        QVERIFY(eventually([&] { return station.heard->messages + drops(station, Drop::Replayed) == 2 + sent; }));
    }
    QCOMPARE(station.heard->messages.load(), std::uint64_t(2));
}

// With the clients' key nobody becomes a server by the number that he writes, 0 included.
void SealedProcessTest::aForgedConnectionIsNotHandled()
{
    const Station station(keyed());
    const std::uint64_t cluster = Envelope::clusterOf(station.udp());
    for (const NodeId number : { NodeId(), kServer, kClient })
        for (const char* name : { "recover", "ack" }) {
            Forger forger(cluster, number);
            const Stranger stranger(station.tcp());
            const std::uint64_t before = station.heard->messages, dropped = station.runtime->counters().droppedSum();
            QVERIFY(stranger.write(forger.begin));
            const std::string answer = stranger.read(StreamLink::kAnswerBytes);
            if (answer.size() == StreamLink::kAnswerBytes)
                stranger.write(forger.frame(answer, bodyOf({ ofKind(*messageKindNamed(name), number) })));
            QVERIFY(eventually([&] {
                return station.heard->messages + station.runtime->counters().droppedSum() == before + dropped + 1;
            }));
            QCOMPARE(station.heard->messages > before, isClientNumber(number) && std::string(name) == "ack");
        }
}

void SealedProcessTest::onlyWhoIsKnownGetsAnAnswer()
{
    const Station station(keyed());
    Witness witness(station, &rings().client, kClient);
    Envelope keyless(Envelope::clusterOf(station.udp()), kServer),
        stranger(Envelope::clusterOf(station.udp()), kServer, &rings().stranger);
    const std::string body = bodyOf({ witness.search() });
    std::vector<std::string> unwelcome { std::string(), "LHRS", std::string(1'000, 'x') };
    for (const PacketType type : { PacketType::Messages, PacketType::Introduction, PacketType::StreamBegin })
        for (const Envelope::To& to : { Envelope::To(station.number()), byAddress(kFormer), byAddress(), toAll() }) {
            unwelcome.push_back(sealedPacket(keyless, body, to, type));
            unwelcome.push_back(sealedPacket(stranger, body, to, type));
            unwelcome.push_back(sealedPacket(witness.envelope, body, to, type));
            unwelcome.back().back() ^= 1;
        }
    for (const std::string& packet : unwelcome)
        witness.send(packet);
    QVERIFY(eventually([&] { return station.runtime->counters().droppedSum() == unwelcome.size(); }));

    // By address: one answer each, in order and before the last one's. The first two have no body.
    const std::vector<std::string> known { sealedPacket(witness.envelope, "", byAddress()),
        sealedPacket(witness.envelope, "", byAddress(kFormer), PacketType::Introduction),
        sealedPacket(witness.envelope, body, byAddress()), sealedPacket(witness.envelope, body, byAddress(kFormer)) };
    for (const std::string& packet : known)
        witness.send(packet);
    witness.send(sealedPacket(witness.envelope, body, byAddress(), PacketType::StreamBegin)); // no datagram
    witness.send(sealedPacket(witness.envelope, body, toAll())); // not in a group
    witness.send(sealedPacket(witness.envelope, body, station.number()));
    const std::vector<std::string> answers = witness.upToReply();
    QCOMPARE(answers.size(), known.size() + 1);
    for (std::size_t i = 0; i < known.size(); ++i) {
        QVERIFY(answers[i].size() <= known[i].size());
        const auto opened = witness.envelope.open(answers[i]);
        QCOMPARE(fateOf(opened), kHandled);
        QVERIFY(std::get<Envelope::Opened>(opened).type == PacketType::Introduction);
    }
    QCOMPARE(station.heard->messages.load(), std::uint64_t(1));
    QCOMPARE(drops(station, Drop::Unintroduced), std::uint64_t(known.size()));
}

QTEST_GUILESS_MAIN(SealedProcessTest)
#include "tst_sealed_process.moc"
