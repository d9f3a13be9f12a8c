// SPDX-License-Identifier: GPL-3.0-or-later
// Targets that read bytes: envelopes, bodies, events and commands, frames of a stream in pieces.
#include "common/kinds.h"
#include "common/wire.h"
#include "node/lhrs/programs/file_options.h"
#include "node/transport/envelope.h"
#include "node/transport/tcp_streams.h"
#include "tests/fuzz/random_datagrams.h"
#include "tests/fuzz/targets.h"
#include "tests/rigs/core/station.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace lhrs::fuzz {

namespace {

constexpr std::uint64_t kCluster = 7;
constexpr std::uint64_t kSelf = 77;

std::string bodyOf(const std::vector<pb::Message>& messages)
{
    std::string body;
    for (const pb::Message& message : messages) {
        const std::size_t begin = body.size();
        body.resize(begin + sizeInBody(message));
        appendMessage(message, body.data() + begin);
    }
    return body;
}

// One message of each kind, with some of its fields set.
std::vector<pb::Message> someMessages()
{
    std::vector<pb::Message> messages;
    const auto* oneof = pb::Message::descriptor()->FindOneofByName("body");
    for (int i = 0; i < oneof->field_count(); ++i) {
        pb::Message message;
        Mutator mutator { std::uint64_t(i) };
        message.set_id(std::uint64_t(i) + 1);
        auto* body = message.GetReflection()->MutableMessage(&message, oneof->field(i));
        for (int field = 0; field < 12; ++field)
            mutator.message(*body);
        messages.push_back(message);
    }
    return messages;
}

std::string sealed(const std::string& body, std::uint64_t receiver = 0)
{
    Envelope envelope(kCluster, NodeId(3));
    return test::sealedPacket(envelope, body, NodeId(receiver));
}

std::vector<std::string> datagramSeeds()
{
    std::vector<std::string> seeds { "", "L", "LHRS", std::string(48, '\0'), sealed(""), sealed("x"),
        sealed("", kSelf) };
    for (const pb::Message& message : someMessages())
        seeds.push_back(sealed(bodyOf({ message })));
    seeds.push_back(sealed(bodyOf(someMessages())));
    RandomDatagrams random(1, kCluster);
    for (int i = 0; i < 100; ++i)
        seeds.emplace_back(random.next());
    for (const char* lie : { "\xff\xff\xff\xff", "\0\0\0\x80", "\x01\0\0\x01" }) // lengths
        seeds.push_back(seeds[4].substr(0, kLengthAt) + std::string(lie, 4) + seeds[4].substr(kLengthAt + 4));
    return seeds;
}

// A datagram up to its messages. What is opened has the right tag, so a process of the cluster sealed it.
void runDatagram(std::string_view input)
{
    const Envelope envelope(kCluster, NodeId(kSelf));
    (void)envelope.checkBegin(input);
    const auto opened = envelope.open(input);
    // The same behind a correct tag: what an attacker with the key would send.
    std::string_view body = input;
    if (const auto* inside = std::get_if<Envelope::Opened>(&opened)) {
        LHRS_CHECK(input.size() == kEnvelopeBytes + inside->body.size());
        body = inside->body;
    }
    google::protobuf::Arena arena;
    std::vector<ReadMessage> messages, lent;
    StringPool strings;
    for (const std::size_t bytes : { 20, 200 }) {
        std::string spare(bytes, 'x');
        strings.takeBack(spare);
    }
    // With lent memory the same is read, or the input is refused.
    const bool isRead = bool(parseBody(body, arena, messages));
    LHRS_CHECK(isRead == bool(parseBody(body, arena, lent, &strings)) && messages.size() == lent.size());
    if (!isRead) {
        LHRS_CHECK(messages.empty());
        return;
    }
    LHRS_CHECK(messages.size() <= kMessagesMax);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const ReadMessage& read = messages[i];
        LHRS_CHECK(read.bytes <= body.size() && kindOf(*read.message) != 0);
        LHRS_CHECK(read.message->SerializeAsString() == lent[i].message->SerializeAsString());
        takeBackValue(*lent[i].message, strings);
    }
}

std::vector<std::string> roundTripSeeds()
{
    std::vector<std::string> seeds;
    for (const pb::Message& message : someMessages())
        seeds.push_back(message.SerializeAsString());
    return seeds;
}

template <class T> void roundTrip(std::string_view input, Result<void> (*parse)(std::string_view, T&))
{
    T first, second;
    if (!parse(input, first))
        return;
    const std::string written = first.SerializeAsString();
    LHRS_CHECK(parse(written, second));
    LHRS_CHECK(second.SerializeAsString() == written);
}

// What is read, written and read again must be the same.
void runRoundTrip(std::string_view input)
{
    roundTrip(input, &parseMessage);
    roundTrip(input, &parseEvents);
    roundTrip(input, &parseEventHeader);
    roundTrip(input, &parseCommand);
    roundTrip(input, &parseReply);
    pb::Message message;
    if (!parseMessage(input, message) || kindOf(message) == 0)
        return;
    // A field that a body left out is present after the body was read.
    google::protobuf::Arena arena;
    std::vector<ReadMessage> messages, again;
    if (!parseBody(bodyOf({ message, message }), arena, messages))
        return;
    LHRS_CHECK(messages.size() == 2);
    LHRS_CHECK(parseBody(bodyOf({ *messages[0].message, *messages[1].message }), arena, again) && again.size() == 2);
    for (std::size_t i = 0; i < 2; ++i)
        LHRS_CHECK(again[i].message->SerializeAsString() == messages[i].message->SerializeAsString());
}

void mutateMessage(std::string& input, const std::string& other, Mutator& mutator)
{
    pb::Message message;
    if (mutator.below(3) == 0 || !message.ParseFromString(input)) {
        mutator.bytes(input, other);
        return;
    }
    for (std::uint64_t left = 1 + mutator.below(3); left > 0; --left)
        mutator.message(message);
    input = message.SerializePartialAsString();
}

// A stream that begins with frames of ours, in pieces of sizes that the input gives, then continues with the input's
// bytes.
void runFrames(std::string_view input)
{
    struct Receiver {
        Envelope envelope { kCluster, NodeId(kSelf) };
        Counters counters;
        std::unique_ptr<TcpStreams> streams = std::move(*TcpStreams::open({ kLoopback, 0 }, envelope, counters));
        std::mutex mutex;
        std::condition_variable came;
        std::vector<std::string> bodies;
        std::jthread thread { [this](std::stop_token stop) {
            streams->run(stop, [this](std::string& packet, std::string& block) {
                const std::lock_guard lock(mutex);
                bodies.push_back(packet.substr(kHeaderBytes, packet.size() - kEnvelopeBytes) + block);
                packet.clear();
                came.notify_all();
                return true;
            });
        } };
    };
    static Receiver receiver;
    static int run = 0; // connections of earlier inputs may still arrive
    const std::string mine = "frame of " + std::to_string(++run) + ", ";
    Mutator pieces(input.empty() ? 0 : std::uint64_t(std::uint8_t(input[0])) << 8 | input.size());
    std::vector<std::string> sent;
    std::string stream;
    for (std::uint64_t i = 0; i < 1 + pieces.below(4); ++i) {
        sent.push_back(mine + std::to_string(i) + std::string(pieces.below(300), 'x'));
        const std::uint64_t named = pieces.below(2) == 0 ? kSelf : 0;
        if (pieces.below(3) != 0) {
            stream += sealed(sent.back(), named);
            continue;
        }
        const std::string block(1 + pieces.below(3'000), 'b');
        Envelope envelope(kCluster, NodeId(3));
        stream += test::bytesOf(test::sealedFrame(envelope, sent.back(), block, NodeId(named)));
        sent.back() += block;
    }
    stream += input;
    const test::Stranger stranger(receiver.streams->self());
    for (std::size_t at = 0; at < stream.size();) {
        const std::size_t length = std::min<std::size_t>(1 + pieces.below(120), stream.size() - at);
        if (!stranger.write(std::string_view(stream).substr(at, length)))
            break; // closed: the bytes after the frames are not valid frames
        at += length;
    }
    std::unique_lock lock(receiver.mutex);
    std::vector<std::string> came;
    LHRS_CHECK(receiver.came.wait_for(lock, test::kPatience, [&] {
        for (std::string& body : receiver.bodies)
            if (body.starts_with(mine))
                came.push_back(std::move(body));
        receiver.bodies.clear();
        return came.size() >= sent.size();
    }));
    LHRS_CHECK(came == sent);
}

std::vector<std::string> lineSeeds()
{
    return { "", "--help", "--listen\n127.0.0.1:0\n--name\na", "--coordinator\n127.0.0.1:4000\n--role\nparity",
        "-m\n4\n-k\n2\n-b\n100\n--field\n8\n--recovery\nautomatic\n--slice\n5\n--time-scale\n0.5",
        "--threshold\n8:2\n--threshold\n32:3\n--galois\nlog", "--timers\nresend_ms: 50 lease_ms: 4294967295",
        "--config\n/dev/null\n--mix-keys", "--listen\n10.0.0.1:70000", "--threads\n99999999999999999999", "-b\n-1" };
}

// A command line, one argument per line: parsed, or refused with one sentence about what is wrong.
void runLine(std::string_view input)
{
    std::vector<std::string> words { "program" };
    for (std::size_t at = 0; at < input.size() && words.size() < 64;) {
        const std::size_t end = std::min(input.find('\n', at), input.size());
        words.emplace_back(input.substr(at, end - at));
        words.back().erase(std::find(words.back().begin(), words.back().end(), '\0'), words.back().end());
        at = end + 1;
    }
    std::vector<const char*> arguments;
    for (const std::string& word : words)
        arguments.push_back(word.c_str());
    const auto check = [](const auto& parsed) {
        LHRS_CHECK(parsed.line.has_value() != !parsed.text.empty());
        LHRS_CHECK(parsed.line || parsed.exitCode == kExitClean || parsed.exitCode == kExitUsage);
    };
    check(parseNodeLine(int(arguments.size()), arguments.data()));
    check(parseCoordinatorLine(int(arguments.size()), arguments.data()));
    check(parseClientLine(int(arguments.size()), arguments.data()));
}

} // namespace

const std::vector<Target>& targets()
{
    static const std::vector<Target> kTargets {
        { "datagram", "a datagram from its first byte to its messages", &runDatagram, &datagramSeeds, &mutateBytes,
            30'000 },
        { "roundtrip", "messages, events, commands and replies are written as they were read", &runRoundTrip,
            &roundTripSeeds, &mutateMessage, 15'000 },
        { "frames", "frames of a stream in random pieces, then anything", &runFrames, &datagramSeeds, &mutateBytes,
            300 },
        { "lines", "command lines of the programs", &runLine, &lineSeeds, &mutateBytes, 1'500 },
        machinesTarget(),
        commandsTarget(),
        deltasTarget(),
        slicesTarget(),
        kernelsTarget(),
        labTarget(),
        walkTarget(),
        sealedTarget(),
        keyTextTarget(),
        respTarget(),
    };
    return kTargets;
}

} // namespace lhrs::fuzz
