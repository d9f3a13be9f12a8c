// SPDX-License-Identifier: GPL-3.0-or-later
// What comes from outside to a process with keys, before and after its tag is checked; and key files.
#include "node/transport/stream_link.h"
#include "tests/fuzz/targets.h"
#include "tests/rigs/core/station.h"

namespace lhrs::fuzz {

namespace {

constexpr std::uint64_t kCluster = 7;
constexpr NodeId kServer(77), kOther(78), kClient(kClientBit | 79);

const KeyRing& ringOf(KeyRole role)
{
    static const KeyFile kKey = [] {
        KeyFile key;
        key.secret.fill(7);
        return key;
    }();
    static const KeyRing kOfCluster(kKey), kOfClient(clientKeyOf(kKey));
    return role == KeyRole::Client ? kOfClient : kOfCluster;
}

std::vector<std::string> madeSeeds()
{
    Envelope server(kCluster, kOther, &ringOf(KeyRole::Cluster)), client(kCluster, kClient, &ringOf(KeyRole::Client));
    std::vector<std::string> seeds { "", "LHRS", std::string(kEnvelopeBytes, '\0') };
    for (Envelope* sender : { &server, &client }) {
        for (const NodeId to : { kServer, NodeId() })
            seeds.push_back(test::sealedPacket(*sender, "body", to));
        StreamLink link(*sender);
        seeds.push_back(link.begin(NodeId()));
        std::string introduction(kEnvelopeBytes, '\0');
        sender->seal(introduction.data(), 0, kServer, {}, PacketType::Introduction);
        seeds.push_back(introduction);
    }
    return seeds;
}

// The same at each call: packets are never sealed twice alike.
std::vector<std::string> sealedSeeds()
{
    static const std::vector<std::string> kSeeds = madeSeeds();
    return kSeeds;
}

// Bytes are opened only if one of ours has sealed them, and then they are what it has sealed.
void runSealed(std::string_view input)
{
    static const std::vector<std::string> kGenuine = sealedSeeds();
    for (const auto& [self, role] : { std::pair(kServer, KeyRole::Cluster), std::pair(kClient, KeyRole::Client) }) {
        Envelope envelope(kCluster, self, &ringOf(role));
        (void)envelope.checkBegin(input);
        const auto opened = envelope.open(input);
        LHRS_CHECK(std::holds_alternative<Drop>(opened)
            || std::find(kGenuine.begin(), kGenuine.end(), input) != kGenuine.end());
        std::string answer;
        StreamLink accepting(envelope), connecting(envelope);
        LHRS_CHECK(accepting.accept(input, answer).has_value() != accepting.isReady());
        LHRS_CHECK(answer.size() <= StreamLink::kAnswerBytes);
        (void)connecting.begin(kOther);
        LHRS_CHECK(connecting.finish(input)); // nobody knows its random number
    }
}

std::vector<std::string> keyTextSeeds()
{
    KeyFile key;
    key.secret.fill(0xab);
    return { "", textOf(key), textOf(clientKeyOf(key)), textOf(operatorKeyOf(key)), "LHRS-KEY 1 ",
        "LHRS-KEY 2 cluster\n" };
}

// The text of a key file: read and written again it is the same key, or it is refused with a sentence.
void runKeyText(std::string_view input)
{
    const auto key = parseKey(input);
    LHRS_CHECK(key || !key.error().text.empty());
    if (!key)
        return;
    const auto again = parseKey(textOf(*key));
    LHRS_CHECK(again && again->role == key->role && again->secret == key->secret && again->servers == key->servers
        && again->clients == key->clients && again->operators == key->operators);
    const KeyRing ring(*key);
    LHRS_CHECK(!ring.roleOf(KeyBytes {}) || key->operators == KeyBytes {});
}

} // namespace

Target sealedTarget()
{
    return { "sealed", "packets to a process with keys", &runSealed, &sealedSeeds, &mutateBytes, 10'000 };
}

Target keyTextTarget() { return { "keys", "key files", &runKeyText, &keyTextSeeds, &mutateBytes, 10'000 }; }

} // namespace lhrs::fuzz
