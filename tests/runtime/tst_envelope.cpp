// SPDX-License-Identifier: GPL-3.0-or-later
// The path of bytes between a socket and a machine: wire, envelope, and the queue to the working threads.
#include "common/wire.h"
#include "node/runtime/queue.h"
#include "node/transport/crc32c.h"
#include "tests/rigs/core/station.h"

#include <QTest>

#include <set>

using namespace lhrs;
using namespace lhrs::test;

namespace {

std::string bodyOf(const std::vector<pb::Message>& messages)
{
    std::string body;
    for (const pb::Message& message : messages) {
        const std::size_t before = body.size();
        body.resize(before + sizeInBody(message));
        appendMessage(message, body.data() + before);
    }
    return body;
}

pb::Message searchFor(std::uint64_t key, const std::string& value = {})
{
    pb::Message message;
    message.set_id(key);
    message.mutable_search()->set_key(key);
    message.mutable_search()->set_value(value);
    return message;
}

bool isBody(const std::variant<Envelope::Opened, Drop>& opened, const std::string& body)
{
    const auto* is = std::get_if<Envelope::Opened>(&opened);
    return is != nullptr && is->body == body;
}

bool isDrop(const std::variant<Envelope::Opened, Drop>& opened, Drop reason)
{
    const auto* is = std::get_if<Drop>(&opened);
    return is != nullptr && *is == reason;
}

struct Weight {
    int number = 0;
    std::size_t weight() const { return 10; }
};

} // namespace

class EnvelopeTest : public QObject {
    Q_OBJECT

private slots:
    // common/wire
    void theMessagesOfABodyAreReadInOrder();
    void whatABodyDoesNotSayTwiceIsPutBack();
    void aBodyThatIsCutAnywhereGivesNoMessageAtAll();
    void aBodyWithBytesThatAreNoMessageIsRefused_data();
    void aBodyWithBytesThatAreNoMessageIsRefused();
    void aFrameOfVeryManySmallPartsIsRefusedBeforeItIsBuilt();
    void eventsWrittenOneByOneAreABatch();

    // envelope
    void theTagIsTheCrcOfTheStandard();
    void aSealedPacketIsOpenedAgain();
    void aPacketWithAnyFlippedBitIsRefused();
    void aPacketThatIsTooShortOrTooLongIsRefused();
    void eachCoordinatorHasANumberOfItsOwn();
    void packetsOfOthersAreRefused();
    void aBlockIsSealedWithItsPacket();
    void aBlockFindsItsPlaceWithoutACopy();

    // queue
    void aFullQueueLetsDatagramsDropFramesStayAndCommandsWait();
    void waitingForAQueueEndsWithTheStopToken();
    void manyThreadsTakeEachItemOnce();
};

// ---- common/wire

void EnvelopeTest::theMessagesOfABodyAreReadInOrder()
{
    const std::string body = bodyOf({ searchFor(1), searchFor(2, std::string(300, 'x')), searchFor(3) });
    google::protobuf::Arena arena;
    std::vector<ReadMessage> read;
    QVERIFY(parseBody(body, arena, read));
    QCOMPARE(read.size(), std::size_t(3));
    for (std::size_t i = 0; i < read.size(); ++i)
        QCOMPARE(read[i].message->search().key(), std::uint64_t(i + 1));
    QCOMPARE(read[1].message->search().value(), std::string(300, 'x'));
    QCOMPARE(std::size_t(read[1].bytes), searchFor(2, std::string(300, 'x')).ByteSizeLong());
}

void EnvelopeTest::whatABodyDoesNotSayTwiceIsPutBack()
{
    pb::Address self, other;
    self.set_ip(1), self.set_udp_port(2), self.set_tcp_port(3);
    other.set_ip(4), other.set_udp_port(5), other.set_tcp_port(6);
    const auto asked = [&](pb::Message message, std::uint64_t number, const pb::Address& client,
                           std::uint64_t operation) {
        auto* request = message.mutable_search();
        request->mutable_request()->set_client(7);
        request->mutable_request()->set_number(number);
        *request->mutable_client() = client;
        if (operation != 0) {
            message.mutable_operation()->set_client(7);
            message.mutable_operation()->set_number(operation);
        }
        return message;
    };
    pb::Message insert, reply, delta, probe;
    *insert.mutable_insert() = asked({}, 4, self, 0).search();
    reply.mutable_reply()->mutable_request()->set_number(5);
    reply.mutable_reply()->mutable_request()->set_client(7);
    delta.mutable_delta()->mutable_request()->set_client(7);
    delta.mutable_delta()->mutable_request()->set_number(6);
    for (pb::Message* message : { &insert, &reply, &delta }) {
        message->mutable_operation()->set_client(7);
        message->mutable_operation()->set_number(message->has_insert() ? 4 : message->has_reply() ? 5 : 6);
    }
    probe.mutable_probe();
    probe.mutable_operation()->set_client(7); // no field of the body names it
    probe.mutable_operation()->set_number(9);
    std::vector<pb::Message> messages { asked(searchFor(1), 1, self, 1), asked(searchFor(2), 2, other, 2),
        asked(searchFor(3), 3, self, 8), insert, reply, delta, probe };
    std::vector<pb::Message> sent = messages;
    std::size_t before = 0, after = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        messages[i].set_sender(11);
        *messages[i].mutable_from() = self;
        before += sizeInBody(messages[i]);
        leaveOut(sent[i], self);
        QVERIFY(!sent[i].has_from());
        if (i == 0) { // the first message of a body names the sender
            sent[i].set_sender(11);
            *sent[i].mutable_from() = self;
        }
        after += sizeInBody(sent[i]);
    }
    QVERIFY(2 * after < before);
    google::protobuf::Arena arena;
    std::vector<ReadMessage> read;
    QVERIFY(parseBody(bodyOf(sent), arena, read));
    QVERIFY(parseBody(bodyOf({ searchFor(9) }), arena, read)); // in another body there is no earlier message
    QCOMPARE(read.size(), messages.size() + 1);
    for (std::size_t i = 0; i < messages.size(); ++i)
        QCOMPARE(read[i].message->SerializeAsString(), messages[i].SerializeAsString());
    QVERIFY(!read.back().message->has_from() && read.back().message->sender() == 0
        && !read.back().message->search().has_client());

    // A long message is allowed, but a part with unknown fields is not multiplied in memory.
    pb::Message full = searchFor(1, std::string(50'000, 'x'));
    *full.mutable_from() = self;
    read.clear();
    QVERIFY(parseBody(bodyOf({ full, searchFor(2) }), arena, read));
    QVERIFY(read[0].message->search().client().ip() == 1 && read[1].message->search().client().ip() == 1);
    full.GetReflection()->MutableUnknownFields(full.mutable_from())->AddLengthDelimited(99, std::string(10'000, 'x'));
    read.clear();
    QVERIFY(parseBody(bodyOf({ full, searchFor(2) }), arena, read));
    QVERIFY(!read[0].message->search().has_client() && !read[1].message->has_from()
        && !read[1].message->search().has_client());
}

void EnvelopeTest::aBodyThatIsCutAnywhereGivesNoMessageAtAll()
{
    const std::string first = bodyOf({ searchFor(1, "abc") });
    const std::string body = first + bodyOf({ searchFor(2, std::string(200, 'x')) });
    google::protobuf::Arena arena;
    std::vector<ReadMessage> read;
    for (std::size_t length = 0; length < body.size(); ++length) {
        const bool isWhole = length == first.size();
        QCOMPARE(bool(parseBody(std::string_view(body).substr(0, length), arena, read)), isWhole);
        QCOMPARE(read.size(), std::size_t(isWhole ? 1 : 0));
        read.clear();
    }
}

void EnvelopeTest::aBodyWithBytesThatAreNoMessageIsRefused_data()
{
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char* name, const std::string& body) {
        QTest::newRow(name) << QByteArray(body.data(), qsizetype(body.size()));
    };
    row("length without end", std::string(20, '\xff'));
    row("length beyond the end",
        "\x7f"
        "abc");
    row("two lengths that add up to zero", std::string("\x80\x80\x80\x80\x08\x80\x80\x80\x80\x08", 10));
    row("message of no bytes", std::string(1, '\0'));
    row("message without a body", std::string("\x02\x40\x01", 3));
    row("unknown body", std::string("\x04\xfa\x3f\x01\x00", 5));
    std::string nested = std::string(200, '\x0b') + std::string(200, '\x0c'); // groups within groups
    nested.insert(0, "\x90\x03");
    row("nested too deep", nested);
    std::string many;
    const std::string ack("\x04\xba\x03\x00\x40", 4); // the smallest message: Ack
    for (std::size_t i = 0; i <= kMessagesMax; ++i)
        many += ack;
    row("too many messages", many);
}

void EnvelopeTest::aBodyWithBytesThatAreNoMessageIsRefused()
{
    QFETCH(QByteArray, body);
    google::protobuf::Arena arena;
    std::vector<ReadMessage> read;
    QVERIFY(!parseBody({ body.constData(), std::size_t(body.size()) }, arena, read));
    QVERIFY(read.empty());
}

void EnvelopeTest::aFrameOfVeryManySmallPartsIsRefusedBeforeItIsBuilt()
{
    // An empty Location in Confirm.table costs two bytes on the wire and a hundred bytes in memory.
    pb::Message message;
    for (std::size_t i = 0; i < kPartsMax; ++i)
        message.mutable_confirm()->add_table();
    const std::string bytes = message.SerializeAsString();
    pb::Message read;
    QVERIFY(!parseMessage(bytes, read));
    QVERIFY(!read.has_confirm());

    message.mutable_confirm()->mutable_table()->DeleteSubrange(0, int(kPartsMax / 2));
    QVERIFY(parseMessage(message.SerializeAsString(), read));
    QCOMPARE(read.confirm().table_size(), int(kPartsMax / 2));
}

void EnvelopeTest::eventsWrittenOneByOneAreABatch()
{
    std::string bytes;
    for (std::uint64_t i = 1; i <= 3; ++i) {
        pb::Event event;
        event.set_sequence(i);
        event.mutable_record_read()->set_key(i * 100);
        const std::size_t before = bytes.size();
        bytes.resize(before + sizeInBatch(event));
        QCOMPARE(appendEvent(event, bytes.data() + before), bytes.data() + bytes.size());
    }
    pb::EventBatch batch;
    QVERIFY(parseEvents(bytes, batch));
    QCOMPARE(batch.events_size(), 3);
    QCOMPARE(batch.events(2).record_read().key(), std::uint64_t(300));
    QVERIFY(!parseEvents(std::string_view(bytes).substr(0, bytes.size() - 1), batch));
}

// ---- envelope

void EnvelopeTest::theTagIsTheCrcOfTheStandard()
{
    // RFC 3720, appendix B.4.
    std::string rising(32, '\0');
    for (std::size_t i = 0; i < rising.size(); ++i)
        rising[i] = char(i);
    QCOMPARE(crc32c(std::string(32, '\0')), 0x8a9136aau);
    QCOMPARE(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
    QCOMPARE(crc32c(rising), 0x46dd794eu);
    QCOMPARE(crc32c("123456789"), 0xe3069283u);
    // Long inputs are read in parallel lanes. The result must equal that of bit-by-bit computation, for lengths around
    // whole lanes and from any address.
    std::string bytes(50'000, '\0');
    std::uint64_t state = 1;
    for (char& byte : bytes)
        byte = char((state = state * 6364136223846793005u + 1442695040888963407u) >> 56);
    for (const std::size_t length : { 6'143, 6'144, 6'145, 6'151, 12'287, 12'288, 12'295, 18'432, 49'990 }) {
        const std::string_view part = std::string_view(bytes).substr(length % 7, length);
        std::uint32_t expected = ~0u;
        for (const char byte : part) {
            expected ^= std::uint8_t(byte);
            for (int bit = 0; bit < 8; ++bit)
                expected = (expected >> 1) ^ ((expected & 1) != 0 ? 0x82f63b78u : 0u);
        }
        QCOMPARE(crc32c(part), ~expected);
    }
}

void EnvelopeTest::aSealedPacketIsOpenedAgain()
{
    Envelope sender(5, NodeId(1));
    const Envelope receiver(5, NodeId(2));
    for (const std::size_t length : { 0, 1, 7, 8, 1'400, 65'000 }) {
        const std::string body(length, 'b');
        QVERIFY(isBody(receiver.open(sealedPacket(sender, body)), body));
        QVERIFY(isBody(receiver.open(sealedPacket(sender, body, NodeId(2))), body));
    }
    QVERIFY(sealedPacket(sender, "same") != sealedPacket(sender, "same")); // the counter differs
}

void EnvelopeTest::aPacketWithAnyFlippedBitIsRefused()
{
    Envelope envelope(0x1234, NodeId(9));
    std::string packet = sealedPacket(envelope, "a body of some bytes");
    for (std::size_t bit = 0; bit < 8 * packet.size(); ++bit) {
        packet[bit / 8] ^= char(1u << (bit % 8));
        QVERIFY2(std::holds_alternative<Drop>(envelope.open(packet)), std::to_string(bit).c_str());
        packet[bit / 8] ^= char(1u << (bit % 8));
    }
    QVERIFY(isBody(envelope.open(packet), "a body of some bytes"));
}

void EnvelopeTest::aPacketThatIsTooShortOrTooLongIsRefused()
{
    Envelope envelope(0, NodeId(9));
    const std::string packet = sealedPacket(envelope, "body");
    for (std::size_t length = 0; length < packet.size(); ++length)
        QVERIFY(std::holds_alternative<Drop>(envelope.open(std::string_view(packet).substr(0, length))));
    QVERIFY(isDrop(envelope.open(packet + '\0'), Drop::WrongLength));
    QVERIFY(isDrop(envelope.open(packet + packet), Drop::WrongLength));
}

void EnvelopeTest::eachCoordinatorHasANumberOfItsOwn()
{
    std::set<std::uint64_t> numbers;
    std::size_t coordinators = 0;
    const auto add = [&](Endpoint coordinator) {
        numbers.insert(Envelope::clusterOf(coordinator));
        ++coordinators;
    };
    for (const std::uint16_t port : { std::uint16_t(4000), std::uint16_t(4001) }) {
        for (int byte = 0; byte < 4; ++byte)
            add({ Ip(0x0a000001u ^ 1u << (8 * byte + 1)), port });
        for (int bit = 0; bit < 64; ++bit) {
            add({ Ip::v6(0xfd00'0000'0000'0000u ^ std::uint64_t(1) << bit, 1), port });
            add({ Ip::v6(0xfd00'0000'0000'0000u, 1 ^ std::uint64_t(1) << bit), port });
        }
    }
    QCOMPARE(numbers.size(), coordinators);
    QCOMPARE(Envelope::clusterOf({ kLoopback, 4000 }), Envelope::clusterOf({ *Ip::parse("::ffff:127.0.0.1"), 4000 }));
}

void EnvelopeTest::packetsOfOthersAreRefused()
{
    Envelope sender(Envelope::clusterOf({ kLoopback, 4000 }), NodeId(1));
    const Envelope stranger(Envelope::clusterOf({ kLoopback, 4001 }), NodeId(2));
    const Envelope neighbour(Envelope::clusterOf({ kLoopback, 4000 }), NodeId(3));
    QVERIFY(isDrop(stranger.open(sealedPacket(sender, "body")), Drop::OtherCluster));
    QVERIFY(isDrop(neighbour.open(sealedPacket(sender, "body", NodeId(2))), Drop::OtherReceiver));
    QVERIFY(isBody(neighbour.open(sealedPacket(sender, "body", NodeId(3))), "body"));
}

void EnvelopeTest::aBlockIsSealedWithItsPacket()
{
    Envelope envelope(0x1234, NodeId(9));
    const TcpStreams::Frame frame = sealedFrame(envelope, "a body", "and a block of some bytes");
    const std::string& block = *frame.block;
    std::string packet = frame.packet;
    QVERIFY(isBody(envelope.open(packet, block), "a body"));
    QCOMPARE(Envelope::packetBytes(packet), packet.size());
    QCOMPARE(Envelope::blockBytes(packet), block.size());
    QCOMPARE(Envelope::blockBytes(sealedPacket(envelope, "a body")), std::size_t(0));
    for (std::size_t bit = 0; bit < 8 * packet.size(); ++bit) {
        packet[bit / 8] ^= char(1u << (bit % 8));
        QVERIFY2(std::holds_alternative<Drop>(envelope.open(packet, block)), std::to_string(bit).c_str());
        packet[bit / 8] ^= char(1u << (bit % 8));
    }
    for (std::size_t bit = 0; bit < 8 * block.size(); ++bit) {
        std::string other = block;
        other[bit / 8] ^= char(1u << (bit % 8));
        QVERIFY(isDrop(envelope.open(packet, other), Drop::WrongTag));
    }
    QVERIFY(isDrop(envelope.open(packet), Drop::WrongLength)); // as a datagram, which cannot have a block
    QVERIFY(isDrop(envelope.open(packet, block.substr(1)), Drop::WrongLength));
    QVERIFY(isDrop(envelope.open(bytesOf(frame)), Drop::WrongLength));
    QVERIFY(isDrop(envelope.open(sealedPacket(envelope, "a body"), block), Drop::WrongLength));
    packet[kLengthAt] = 3; // the total length is shorter than the header
    QVERIFY(isDrop(envelope.open(packet, block), Drop::WrongLength));
}

void EnvelopeTest::aBlockFindsItsPlaceWithoutACopy()
{
    const auto withBody = [](auto make) {
        pb::Message message;
        make(message);
        return message;
    };
    const std::vector<pb::Message> messages { withBody([](pb::Message& m) { m.mutable_move_records(); }),
        withBody([](pb::Message& m) { m.mutable_prepare_batch(); }),
        withBody([](pb::Message& m) { m.mutable_contents(); }),
        withBody([](pb::Message& m) { m.mutable_slice_data(); }),
        withBody([](pb::Message& m) { m.mutable_spare_slice(); }),
        withBody([](pb::Message& m) { m.mutable_scan_reply(); }) };
    for (const pb::Message& message : messages) {
        google::protobuf::Arena arena;
        std::vector<ReadMessage> read;
        QVERIFY(parseBody(bodyOf({ message }), arena, read));
        std::string block(10'000, 'r');
        const char* const memory = block.data();
        QVERIFY(putBlock(std::move(block), *read[0].message));
        QVERIFY(blockIn(*read[0].message)->data() == memory);
        QVERIFY(!putBlock("another", *read[0].message)); // it already has a block
        const auto joined = joinBlock(bodyOf({ message }), std::string(10'000, 'r'));
        QVERIFY(joined);
        QCOMPARE(*joined, bodyOf({ *read[0].message }));
        QVERIFY(!joinBlock(bodyOf({ message, message }), "whose?"));
    }
    pb::Message search = searchFor(1);
    QVERIFY(!putBlock("none of its business", search));
    QVERIFY(!joinBlock(bodyOf({ search }), "none of its business"));
    QVERIFY(!joinBlock("no message", "a block"));
}

// ---- queue

void EnvelopeTest::aFullQueueLetsDatagramsDropFramesStayAndCommandsWait()
{
    std::atomic<int> rooms = 0;
    Queue<Weight> queue(100, 50, [&rooms] { ++rooms; }); // five items fit by their weight
    std::vector<Weight> datagrams { { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 }, { 7 } };
    QCOMPARE(queue.pushSome(datagrams), std::size_t(5));
    Weight frame { 8 };
    QVERIFY(!queue.tryPush(frame));
    QCOMPARE(frame.number, 8);
    std::atomic<bool> isPushed = false;
    std::jthread command([&](std::stop_token stop) { isPushed = queue.push(Weight { 9 }, stop); });

    std::vector<Weight> taken(2);
    QCOMPARE(queue.pop(taken, std::stop_token()), std::size_t(2));
    QCOMPARE(taken[0].number, 1);
    QCOMPARE(taken[1].number, 2);
    QCOMPARE(rooms.load(), 1);
    QVERIFY(eventually([&] { return isPushed.load(); }));
    QVERIFY(queue.tryPush(frame));
    taken.resize(10);
    QCOMPARE(queue.pop(taken, std::stop_token()), std::size_t(5));
    QCOMPARE(taken[3].number, 9);
    QCOMPARE(taken[4].number, 8);
}

void EnvelopeTest::waitingForAQueueEndsWithTheStopToken()
{
    Queue<Weight> queue(1, 1'000);
    std::stop_source stopping;
    std::vector<std::jthread> threads;
    std::atomic<int> ended = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            std::vector<Weight> taken(1);
            while (queue.pop(taken, stopping.get_token()) > 0) { }
            ++ended;
        });
    Weight item;
    QVERIFY(queue.tryPush(item));
    stopping.request_stop();
    QVERIFY(eventually([&] { return ended == 4; }));
    QVERIFY(queue.tryPush(item) || queue.size() == 1);
    QVERIFY(!queue.push(Weight(), stopping.get_token()));
}

void EnvelopeTest::manyThreadsTakeEachItemOnce()
{
    constexpr int kItems = 100'000;
    Queue<Weight> queue(64, 100'000);
    std::vector<std::atomic<int>> seen(kItems);
    std::atomic<int> taken = 0;
    std::stop_source stopping;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            std::vector<Weight> items(8);
            while (const std::size_t count = queue.pop(items, stopping.get_token())) {
                for (std::size_t i = 0; i < count; ++i)
                    ++seen[std::size_t(items[i].number)];
                taken += int(count);
            }
        });
    for (int i = 0; i < kItems; ++i)
        QVERIFY(queue.push(Weight { i }, std::stop_token()));
    QVERIFY(eventually([&] { return taken == kItems; }));
    stopping.request_stop();
    QVERIFY(std::all_of(seen.begin(), seen.end(), [](const auto& count) { return count == 1; }));
}

QTEST_GUILESS_MAIN(EnvelopeTest)
#include "tst_envelope.moc"
