// SPDX-License-Identifier: GPL-3.0-or-later
// Packets and links with keys: what is refused, and that everything else still passes.
#include "node/transport/replay_windows.h"
#include "tests/runtime/sealed_rig.h"

#include <QTest>

#include <random>
#include <set>

using namespace lhrs;
using namespace lhrs::test;

class SealedTest : public QObject {
    Q_OBJECT

private slots:
    // envelope
    void aPacketIsOpenedByThoseWhoHaveItsKey_data();
    void aPacketIsOpenedByThoseWhoHaveItsKey();
    void aKeyedPacketWithAnyFlippedBitIsRefused();
    void aKeyedPacketWithAWrongTagIsRefused();
    void aKeyedPacketCannotBeDowngraded();
    void aClientsKeyMakesNoPacketOfAServer();

    // replay windows
    void theWindowsAgreeWithASimpleModel();
    void theMostSilentSenderIsForgotten();

    // introductions
    void waitingDatagramsAreSentAgainForTheIntroducedProcess();
    void whatIsKnownAndWhatWaitsIsBounded();
    void anIntroductionIsNotLongerThanTheSmallestDatagram();

    // links of streams
    void bothEndsOfALinkAgree();
    void aFrameOutOfItsPlaceIsRefused();
    void aBeginOrAnAnswerThatIsNotGenuineIsRefused();
    void aClientsKeyMakesNoLinkOfAServer();
};

// ---- envelope

void SealedTest::aPacketIsOpenedByThoseWhoHaveItsKey_data()
{
    QTest::addColumn<QString>("sender");
    QTest::addColumn<QString>("receiver");
    QTest::addColumn<QStringList>("fates"); // by number, by a former server's, by a former client's, by address, to all
    const QString ours = QString::fromStdString(kHandled), address = QString::fromStdString(kForAddress),
                  all = QString::fromStdString(kForAll), key = lhrs::textOf(Drop::OtherKey),
                  tag = lhrs::textOf(Drop::WrongTag), receiver = lhrs::textOf(Drop::OtherReceiver);
    const auto row = [](const char* from, const char* to, const QStringList& fates) {
        QTest::newRow(qPrintable(QStringLiteral("%1 to %2").arg(from, to))) << from << to << fates;
    };
    row("server", "server", { ours, address, address, address, all });
    row("server", "client", { ours, key, address, address, key }); // sealed for servers, as for a group
    row("client", "server", { ours, address, address, address, all });
    row("client", "client", { ours, address, address, address, all });
    row("stranger", "server", { tag, tag, tag, tag, tag });
    row("stranger", "client", { tag, key, tag, tag, key });
    row("keyless", "server", { key, key, key, key, key });
    row("keyless", "client", { key, key, key, key, key });
    row("server", "keyless", { key, key, key, key, key });
    row("client", "keyless", { key, key, key, key, key });
    row("keyless", "keyless", { ours, receiver, receiver, ours, ours });
}

void SealedTest::aPacketIsOpenedByThoseWhoHaveItsKey()
{
    QFETCH(QString, sender);
    QFETCH(QString, receiver);
    QFETCH(QStringList, fates);
    const auto envelope = [](const QString& who, NodeId server, NodeId client) {
        const KeyRing* keys = who == "server" ? &rings().server
            : who == "client"                 ? &rings().client
            : who == "stranger"               ? &rings().stranger
                                              : nullptr;
        return std::make_unique<Envelope>(kCluster, who == "client" ? client : server, keys);
    };
    const auto from = envelope(sender, kServer, kClient), to = envelope(receiver, kNeighbour, kOtherClient);
    const std::array<Envelope::To, 5> ways { to->self(), byAddress(kFormer), byAddress(kFormerClient), byAddress(),
        toAll() };
    for (std::size_t i = 0; i < ways.size(); ++i)
        QCOMPARE(QString::fromStdString(fateOf(to->open(sealedPacket(*from, "body", ways[i])))), fates[qsizetype(i)]);
    // By address, the number may be right.
    if (fates[0] == QString::fromStdString(kHandled))
        QCOMPARE(fateOf(to->open(sealedPacket(*from, "body", byAddress(to->self())))), kHandled);
    QVERIFY(fateOf(to->open(sealedPacket(*from, "body", kFormer))) != kHandled);
    // Reflected to its sender; without keys a process may send to itself.
    if (sender != "keyless")
        for (const Envelope::To& way : ways)
            QVERIFY(std::holds_alternative<Drop>(from->open(sealedPacket(*from, "body", way))));
    for (const Envelope::To& way : { Envelope::To(from->self()), byAddress(from->self()) })
        if (sender != "keyless")
            QCOMPARE(
                fateOf(from->open(sealedPacket(*from, "body", way))), std::string(lhrs::textOf(Drop::OtherReceiver)));
}

void SealedTest::aKeyedPacketWithAnyFlippedBitIsRefused()
{
    Envelope server(kCluster, kServer, &rings().server), client(kCluster, kClient, &rings().client);
    const Envelope receiver(kCluster, kNeighbour, &rings().server);
    for (Envelope* from : { &server, &client })
        for (const Envelope::To& way : { Envelope::To(kNeighbour), byAddress(kFormer), byAddress(), toAll() })
            for (const std::string& text : { std::string(), std::string("and a block of some bytes") }) {
                std::string packet = sealedPacket(*from, "a body", way), block = text;
                if (!block.empty())
                    from->seal(packet.data(), 6, way, block);
                QVERIFY(std::holds_alternative<Envelope::Opened>(receiver.open(packet, block)));
                for (std::string* bytes : { &packet, &block })
                    for (std::size_t bit = 0; bit < 8 * bytes->size(); ++bit) {
                        flip(*bytes, bit);
                        QVERIFY2(
                            std::holds_alternative<Drop>(receiver.open(packet, block)), std::to_string(bit).c_str());
                        flip(*bytes, bit);
                    }
                QVERIFY(std::holds_alternative<Envelope::Opened>(receiver.open(packet, block)));
            }
}

void SealedTest::aKeyedPacketWithAWrongTagIsRefused()
{
    Envelope sender(kCluster, kServer, &rings().server);
    const Envelope receiver(kCluster, kNeighbour, &rings().server);
    const std::string packet = sealedPacket(sender, "a body", kNeighbour);
    QCOMPARE(fateOf(receiver.open(packet)), kHandled);
    for (std::size_t length = 0; length < packet.size(); ++length)
        QVERIFY(std::holds_alternative<Drop>(receiver.open(packet.substr(0, length))));
    // The header agrees with what is left.
    for (std::size_t missing = 1; missing <= kTagBytes; ++missing) {
        std::string cut = packet.substr(0, packet.size() - missing);
        put(cut, kLengthAt, std::uint32_t(cut.size() - std::min(cut.size(), kEnvelopeBytes)));
        QVERIFY(std::holds_alternative<Drop>(receiver.open(cut)));
    }
    std::string other = packet;
    other.replace(packet.size() - kTagBytes, kTagBytes, tagIn(sealedPacket(sender, "a body", kNeighbour)));
    QCOMPARE(fateOf(receiver.open(other)), std::string(lhrs::textOf(Drop::WrongTag)));
    for (const KeyBytes* key :
        { rings().server.clientPackets(), rings().stranger.serverPackets(), static_cast<const KeyBytes*>(nullptr) }) {
        tagWith(key, other);
        QCOMPARE(fateOf(receiver.open(other)), std::string(lhrs::textOf(Drop::WrongTag)));
    }
    tagWith(rings().server.serverPackets(), other);
    QCOMPARE(fateOf(receiver.open(other)), kHandled);
}

void SealedTest::aKeyedPacketCannotBeDowngraded()
{
    Envelope sender(kCluster, kServer, &rings().server), keyless(kCluster, kServer);
    const Envelope receiver(kCluster, kNeighbour, &rings().server), old(kCluster, kNeighbour);
    const auto fate = [](const Envelope& at, std::string packet, std::size_t where, auto what, const KeyBytes* key) {
        put(packet, where, what);
        tagWith(key, packet);
        return fateOf(at.open(packet));
    };
    const std::string packet = sealedPacket(sender, "a body", kNeighbour), plain = sealedPacket(keyless, "a body");
    const KeyBytes* const servers = rings().server.serverPackets();
    const KeyBytes* const clients = rings().server.clientPackets();
    const std::string key = lhrs::textOf(Drop::OtherKey), type = lhrs::textOf(Drop::WrongType),
                      version = lhrs::textOf(Drop::OtherVersion);
    QCOMPARE(fate(receiver, packet, kKeyIdAt, std::uint16_t(1), servers), kHandled); // as it was
    QCOMPARE(fate(receiver, packet, kKeyIdAt, std::uint16_t(0), nullptr), key);
    QCOMPARE(fate(receiver, packet, kKeyIdAt, std::uint16_t(2), clients), key);
    QCOMPARE(fate(receiver, packet, kKeyIdAt, std::uint16_t(3), clients), type);
    for (const int flags : { 8, 16, 0x100, 0x8000 })
        QCOMPARE(fate(receiver, packet, kFlagsAt, std::uint16_t(flags), servers), type);
    for (const int kind : { 0, 4, 255 })
        QCOMPARE(fate(receiver, packet, kTypeAt, std::uint8_t(kind), servers), type);
    QCOMPARE(fate(receiver, packet, kVersionAt, std::uint8_t(0), servers), version);
    QCOMPARE(fate(receiver, packet, kVersionAt, std::uint8_t(2), servers), version);
    QCOMPARE(fateOf(receiver.open(plain)), key);

    // A process without keys takes neither packets with keys nor what only they have.
    QCOMPARE(fateOf(old.open(plain)), kHandled);
    QCOMPARE(fateOf(old.open(packet)), key);
    QCOMPARE(fate(old, plain, kKeyIdAt, std::uint16_t(1), nullptr), key);
    QCOMPARE(fate(old, plain, kFlagsAt, std::uint16_t(1), nullptr), type);
    QCOMPARE(fate(old, plain, kTypeAt, std::uint8_t(PacketType::Introduction), nullptr), type);
}

// Every header with the tag of the clients' key: what is opened as meant for a server names a client as its sender.
void SealedTest::aClientsKeyMakesNoPacketOfAServer()
{
    Envelope forger(kCluster, kClient, &rings().client);
    const Envelope server(kCluster, kNeighbour, &rings().server);
    int opened = 0;
    for (const std::uint64_t sender : { kClient.value, kServer.value, kNeighbour.value, std::uint64_t(0) })
        for (const std::uint64_t receiver : { kNeighbour.value, kFormer.value, std::uint64_t(0), kClient.value })
            for (std::uint16_t keyId = 0; keyId <= 4; ++keyId)
                for (std::uint16_t flags = 0; flags <= 4; ++flags)
                    for (std::uint8_t type = 0; type <= 4; ++type) {
                        std::string packet = sealedPacket(forger, "a body", kNeighbour);
                        put(packet, kSenderAt, sender);
                        put(packet, kReceiverAt, receiver);
                        put(packet, kKeyIdAt, keyId);
                        put(packet, kFlagsAt, flags);
                        put(packet, kTypeAt, type);
                        tagWith(rings().client.clientPackets(), packet);
                        const auto result = server.open(packet);
                        const std::string fate = fateOf(result);
                        if (fate != kHandled && fate != kForAll)
                            continue;
                        ++opened;
                        QVERIFY(isClientNumber(std::get<Envelope::Opened>(result).sender));
                    }
    QVERIFY(opened > 0);
    // Nor by the ordinary way of sealing.
    Envelope liar(kCluster, kServer, &rings().client);
    for (const Envelope::To& way : { Envelope::To(kNeighbour), byAddress(kNeighbour), byAddress(), toAll() })
        QVERIFY(fateOf(server.open(sealedPacket(liar, "a body", way))) != kHandled);
}

// ---- replay windows

void SealedTest::theWindowsAgreeWithASimpleModel()
{
    struct Model {
        std::uint64_t base = 0, newest = 0;
        std::set<std::uint64_t> accepted;
        bool accept(std::uint64_t counter)
        {
            if (newest >= counter && newest - counter >= ReplayWindows::kWidth)
                return false;
            newest = std::max(newest, counter);
            accepted.erase(accepted.begin(), accepted.lower_bound(newest - ReplayWindows::kWidth)); // always refused
            return accepted.insert(counter).second;
        }
    };
    std::vector<Model> models(5);
    for (std::size_t i = 0; i < models.size(); ++i)
        models[i].base = 10'000 + (std::uint64_t(i) << 61);
    ReplayWindows windows;
    std::mt19937_64 random(5);
    std::size_t accepted = 0;
    constexpr std::size_t kCounters = 1'000'000;
    for (std::size_t i = 0; i < kCounters; ++i) {
        const std::size_t sender = random() % models.size();
        Model& model = models[sender];
        const std::uint64_t kind = random() % 100;
        model.base += kind == 0 ? random() % 5'000 : random() % 3;
        const std::uint64_t counter = kind < 60 ? model.base
            : kind < 80                         ? model.base - random() % 3'000
            : kind < 90                         ? model.newest - 1'022 - random() % 4 // the edge of the window
            : kind < 92                         ? model.newest + 1'022 + random() % 4
                                                : model.newest + random() % 100 - 50;
        const bool isNew = model.accept(counter);
        accepted += isNew ? 1 : 0;
        QCOMPARE(windows.accept(NodeId(sender), counter), isNew);
    }
    QVERIFY(accepted > kCounters / 10 && accepted < kCounters * 9 / 10);
    QCOMPARE(windows.senders(), models.size());
}

void SealedTest::theMostSilentSenderIsForgotten()
{
    ReplayWindows windows(3);
    for (const std::uint64_t sender : { 1, 2, 3 })
        QVERIFY(windows.accept(NodeId(sender), 10));
    QVERIFY(!windows.accept(NodeId(1), 10)); // now 2 has been silent for the longest time
    QVERIFY(windows.accept(NodeId(4), 10));
    QCOMPARE(windows.senders(), std::size_t(3));
    for (const std::uint64_t sender : { 3, 1, 4 })
        QVERIFY(!windows.accept(NodeId(sender), 10));
    QVERIFY(windows.accept(NodeId(2), 10)); // forgotten; 3 makes room
    QVERIFY(!windows.accept(NodeId(1), 10) && !windows.accept(NodeId(4), 10) && windows.accept(NodeId(3), 10));
    for (std::uint64_t sender = 10; sender < 1'000; ++sender)
        QVERIFY(windows.accept(NodeId(sender), sender));
    QCOMPARE(windows.senders(), std::size_t(3));
}

// ---- introductions

namespace {

struct Desk {
    explicit Desk(const KeyRing* keys = &rings().server) : envelope(kCluster, kServer, keys) { }
    Envelope envelope;
    std::vector<std::pair<Endpoint, std::string>> sent;
    Introductions introductions { envelope,
        [this](Endpoint to, std::string_view packet) { sent.emplace_back(to, packet); } };
};

} // namespace

void SealedTest::waitingDatagramsAreSentAgainForTheIntroducedProcess()
{
    Desk desk;
    const Endpoint here { kLoopback, 1 }, there { kLoopback, 2 };
    const Envelope::To unknown = desk.introductions.receiverAt(here, NodeId());
    QVERIFY(unknown.process == NodeId() && unknown.isByAddress && !unknown.isToAll);
    const Envelope::To known = desk.introductions.receiverAt(here, kNeighbour);
    QVERIFY(known.process == kNeighbour && !known.isByAddress);
    Desk keyless(nullptr);
    QVERIFY(!keyless.introductions.receiverAt(here, NodeId()).isByAddress);

    const Envelope neighbour(kCluster, kNeighbour, &rings().server);
    std::vector<std::string> kept;
    for (int i = 0; i < 6; ++i) {
        kept.push_back(sealedPacket(desk.envelope, std::to_string(i), unknown));
        desk.introductions.keep(here, kept.back());
        QCOMPARE(fateOf(neighbour.open(kept.back())), kForAddress);
    }
    desk.introductions.learn(there, kNeighbour); // of another address
    QVERIFY(desk.sent.empty());
    desk.introductions.learn(here, kNeighbour);
    QCOMPARE(desk.sent.size(), Introductions::kWaitingOfOne);
    std::uint64_t counter = 0;
    for (std::size_t i = 0; i < desk.sent.size(); ++i) {
        QVERIFY(desk.sent[i].first == here);
        const auto result = neighbour.open(desk.sent[i].second);
        QCOMPARE(fateOf(result), kHandled);
        const auto& opened = std::get<Envelope::Opened>(result);
        QCOMPARE(std::string(opened.body), std::to_string(i + 2)); // the newest
        QVERIFY(opened.counter > counter);
        counter = opened.counter;
    }
    desk.introductions.learn(here, kNeighbour);
    QCOMPARE(desk.sent.size(), Introductions::kWaitingOfOne);
    const Envelope::To learned = desk.introductions.receiverAt(here, NodeId());
    QVERIFY(learned.process == kNeighbour && learned.isByAddress);
}

void SealedTest::whatIsKnownAndWhatWaitsIsBounded()
{
    Desk desk;
    const std::string packet = sealedPacket(desk.envelope, "waits", byAddress());
    constexpr std::size_t kAddresses = 3 * Introductions::kAddressesMax;
    const auto address = [](std::size_t i) { return Endpoint { kLoopback, std::uint16_t(i + 1) }; };
    for (std::size_t i = 0; i < kAddresses; ++i)
        desk.introductions.keep(address(i), packet);
    for (std::size_t i = 0; i < kAddresses; ++i)
        desk.introductions.learn(address(i), kNeighbour);
    QCOMPARE(desk.sent.size(), Introductions::kWaitingMax);
    std::size_t known = 0;
    for (std::size_t i = 0; i < kAddresses; ++i)
        known += desk.introductions.receiverAt(address(i), NodeId()).process == kNeighbour ? 1 : 0;
    QCOMPARE(known, Introductions::kAddressesMax);
    QVERIFY(desk.introductions.receiverAt(address(kAddresses - 1), NodeId()).process == kNeighbour); // the last one
}

void SealedTest::anIntroductionIsNotLongerThanTheSmallestDatagram()
{
    Desk desk;
    const Envelope client(kCluster, kClient, &rings().client), neighbour(kCluster, kNeighbour, &rings().server);
    const std::size_t smallest = sealedPacket(desk.envelope, "").size();
    for (const Envelope* to : { &client, &neighbour }) {
        desk.introductions.introduce({ kLoopback, 1 }, to->self());
        const std::string& packet = desk.sent.back().second;
        QVERIFY(packet.size() <= smallest);
        const auto result = to->open(packet);
        QCOMPARE(fateOf(result), kHandled);
        QVERIFY(std::get<Envelope::Opened>(result).type == PacketType::Introduction);
        QVERIFY(std::get<Envelope::Opened>(result).sender == kServer);
        for (const Envelope* other : { &client, &neighbour })
            QCOMPARE(std::holds_alternative<Envelope::Opened>(other->open(packet)), other == to);
    }
    QCOMPARE(desk.sent.size(), std::size_t(2));
}

// ---- links of streams

void SealedTest::bothEndsOfALinkAgree()
{
    Envelope server(kCluster, kServer, &rings().server), neighbour(kCluster, kNeighbour, &rings().server),
        client(kCluster, kClient, &rings().client), other(kCluster, kOtherClient, &rings().client),
        stranger(kCluster, kServer, &rings().stranger);
    for (const auto& [from, to] :
        { std::pair(&server, &neighbour), { &client, &server }, { &server, &client }, { &client, &other } })
        for (const NodeId peer : { NodeId(), to->self(), isClientNumber(to->self()) ? kFormerClient : kFormer }) {
            LinkedPair pair(*from, *to, peer);
            QCOMPARE(textOf(pair.refused), std::string("fine"));
            QVERIFY(pair.connecting.isReady() && pair.accepting.isReady());
            QVERIFY(pair.connecting.peer() == to->self() && pair.accepting.peer() == from->self());
            QCOMPARE(pair.begin.size(), StreamLink::kBeginBytes);
            QCOMPARE(pair.answer.size(), StreamLink::kAnswerBytes);
            for (int i = 0; i < 3; ++i) {
                const std::string packet = sealedPacket(*from, std::to_string(i), to->self());
                QVERIFY(pair.accepting.check(tagIn(packet), textIn(pair.connecting.next(tagIn(packet)))));
            }
        }
    for (Envelope* to : { &neighbour, &client }) {
        const LinkedPair refused(stranger, *to);
        QVERIFY(refused.refused && !refused.accepting.isReady() && !refused.connecting.isReady());
    }
}

void SealedTest::aFrameOutOfItsPlaceIsRefused()
{
    Envelope from(kCluster, kServer, &rings().server), to(kCluster, kNeighbour, &rings().server);
    LinkedPair pair(from, to), again(from, to);
    std::vector<std::pair<std::string, std::string>> frames; // the frame's tag and the link's
    for (int i = 0; i < 4; ++i) {
        const std::string packet = sealedPacket(from, "the same", kNeighbour);
        frames.emplace_back(tagIn(packet), textIn(pair.connecting.next(tagIn(packet))));
    }
    const auto passes = [&](const StreamLink& link, std::initializer_list<std::size_t> order) {
        StreamLink copy = link;
        return std::all_of(
            order.begin(), order.end(), [&](std::size_t i) { return copy.check(frames[i].first, frames[i].second); });
    };
    QVERIFY(passes(pair.accepting, { 0, 1, 2, 3 }));
    QVERIFY(!passes(pair.accepting, { 0, 0 })); // repeated
    QVERIFY(!passes(pair.accepting, { 0, 1, 0 }));
    QVERIFY(!passes(pair.accepting, { 1 })); // left out
    QVERIFY(!passes(pair.accepting, { 0, 2 }));
    QVERIFY(!passes(pair.accepting, { 0, 1, 3, 2 })); // moved
    QVERIFY(!passes(again.accepting, { 0 })); // of another connection
    StreamLink copy = pair.accepting;
    QVERIFY(!copy.check(frames[1].first, frames[0].second)); // another frame in its place
    for (std::size_t bit = 0; bit < 8 * kTagBytes; ++bit) {
        StreamLink one = pair.accepting;
        std::string tag = frames[0].second;
        flip(tag, bit);
        QVERIFY(!one.check(frames[0].first, tag));
    }
}

void SealedTest::aBeginOrAnAnswerThatIsNotGenuineIsRefused()
{
    Envelope from(kCluster, kClient, &rings().client), to(kCluster, kServer, &rings().server);
    StreamLink connecting(from);
    std::string begin = connecting.begin(NodeId()), answer, unused;
    StreamLink accepting(to);
    QVERIFY(!accepting.accept(begin, answer));
    for (std::size_t bit = 0; bit < 8 * begin.size(); ++bit) {
        flip(begin, bit);
        StreamLink link(to);
        QVERIFY2(link.accept(begin, unused) && !link.isReady(), std::to_string(bit).c_str());
        flip(begin, bit);
    }
    for (std::size_t bit = 0; bit < 8 * answer.size(); ++bit) {
        flip(answer, bit);
        StreamLink link = connecting;
        QVERIFY2(link.finish(answer) && !link.isReady(), std::to_string(bit).c_str());
        flip(answer, bit);
    }
    // Each to the wrong one: reflected, exchanged, replayed, or of another type.
    const std::string replayed = lhrs::textOf(Drop::Replayed), receiver = lhrs::textOf(Drop::OtherReceiver),
                      length = lhrs::textOf(Drop::WrongLength);
    const auto accepted = [&](Envelope& at, std::string_view bytes) {
        StreamLink link(at);
        return textOf(link.accept(bytes, unused));
    };
    const auto finished = [&](std::string_view bytes) {
        StreamLink link = connecting;
        return textOf(link.finish(bytes));
    };
    QCOMPARE(accepted(from, begin), receiver);
    QCOMPARE(accepted(to, answer), receiver);
    QCOMPARE(accepted(from, answer), length);
    QCOMPARE(finished(begin), receiver);
    QCOMPARE(finished(LinkedPair(from, to).answer), replayed);
    QCOMPARE(accepted(to, sealedPacket(from, std::string(kKeyBytes, 'x'), byAddress())), length);
    QCOMPARE(finished(sealedPacket(to, answer.substr(kHeaderBytes, 2 * kKeyBytes), kClient)), length);
    QCOMPARE(finished(answer), std::string("fine"));
    QVERIFY(!connecting.finish(answer));

    // A begin that is sent again gets an answer, but nothing of the former connection passes.
    const std::string packet = sealedPacket(from, "a body", kServer);
    const std::string tag = textIn(connecting.next(tagIn(packet)));
    StreamLink second(to);
    QVERIFY(!second.accept(begin, unused) && unused != answer);
    QVERIFY(!second.check(tagIn(packet), tag));
    QVERIFY(accepting.check(tagIn(packet), tag));
}

void SealedTest::aClientsKeyMakesNoLinkOfAServer()
{
    Envelope server(kCluster, kNeighbour, &rings().server);
    for (const NodeId number : { kClient, kServer, kFormer, NodeId() }) {
        Forger forger(kCluster, number);
        StreamLink accepting(server);
        std::string answer;
        bool passes = !accepting.accept(forger.begin, answer);
        if (passes) {
            const std::string frame = forger.frame(answer, "a body");
            const std::string packet = frame.substr(kTagBytes, frame.size() - 2 * kTagBytes);
            QVERIFY(std::holds_alternative<Envelope::Opened>(server.open(packet))); // the link must stop it
            passes = accepting.confirm(frame.substr(0, kTagBytes));
            QCOMPARE(accepting.check(tagIn(packet), tagIn(frame)), passes);
        }
        QCOMPARE(passes, isClientNumber(number));
    }
    // As the one that accepts.
    for (const NodeId number : { kClient, kServer, NodeId() }) {
        Envelope liar(kCluster, number, &rings().client);
        QCOMPARE(!LinkedPair(server, liar).refused, isClientNumber(number));
    }
}

QTEST_GUILESS_MAIN(SealedTest)
#include "tst_sealed.moc"
