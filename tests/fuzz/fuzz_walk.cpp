// SPDX-License-Identifier: GPL-3.0-or-later
// A target that feeds the machines of the linear walk.
#include "common/kinds.h"
#include "common/wire.h"
#include "tests/fuzz/targets.h"
#include "tests/rigs/walk/walk_rig.h"

namespace lhrs::fuzz {

namespace {

using namespace test;

// [receiver] message: sends the message, whatever it is, to a machine of a ring that is at rest or that a node is
// joining. (A sender with the cluster's key may contradict the protocol, so only an input that ends a machine is an
// error.)
void runWalk(std::string_view input)
{
    pb::Message message;
    if (input.size() < 2 || !parseMessage(input.substr(1), message))
        return;
    WalkRig rig(WalkRig::of(2, 1));
    rig.waitForRest();
    rig.insertMany(10);
    const auto receiver = std::uint8_t(input[0]);
    if (receiver & 0x80) {
        rig.orderJoin(WalkRig::kNode + 2);
        rig.cluster.run(Time((receiver & 0x70) * 4'000)); // 0 to 448 us, so that it falls on different steps
    }
    constexpr std::uint64_t kReceivers[] = { WalkRig::kMaster, WalkRig::kClient, WalkRig::kNode, WalkRig::kNode + 1,
        WalkRig::kNode + 2 };
    const std::uint64_t to = kReceivers[(receiver & 0x0f) % std::size(kReceivers)];
    message.set_sender(4'711);
    message.mutable_from()->set_ip(4'711);
    rig.cluster.inject(to, message);
    rig.cluster.run(300ms);
}

std::vector<std::string> walkSeeds()
{
    std::vector<std::string> seeds;
    const auto* oneof = pb::WalkMessage::descriptor()->FindOneofByName("body");
    for (int i = 0; i < oneof->field_count(); ++i) {
        for (int receiver = 0; receiver < 10; ++receiver) {
            pb::Message message;
            message.set_id(5);
            auto* walk = message.mutable_walk();
            auto* body = walk->GetReflection()->MutableMessage(walk, oneof->field(i));
            Mutator mutator { std::uint64_t(10 * i + receiver) };
            for (int change = 0; change < 8; ++change)
                mutator.message(*body);
            // Turned into an order for a node of the ring, so that it is not dropped at once.
            if (const auto* node = body->GetDescriptor()->FindFieldByName("node"))
                body->GetReflection()->SetUInt64(body, node, WalkRig::kNode + std::uint64_t(receiver % 3));
            if (const auto* change = body->GetDescriptor()->FindFieldByName("change"))
                body->GetReflection()->SetUInt64(body, change, 3 + std::uint64_t(receiver % 2));
            seeds.push_back(
                char(receiver % 5 + (receiver >= 5 ? 0x80 + 0x10 * (receiver - 5) : 0)) + message.SerializeAsString());
        }
    }
    return seeds;
}

void mutateWalk(std::string& input, const std::string& other, Mutator& mutator)
{
    pb::Message message;
    if (input.size() < 2 || mutator.below(6) == 0 || !message.ParseFromString(input.substr(1))) {
        mutator.bytes(input, other);
        return;
    }
    if (mutator.below(3) == 0)
        input[0] = char(mutator.below(256));
    const auto* oneof = pb::WalkMessage::descriptor()->FindOneofByName("body");
    for (std::uint64_t left = 1 + mutator.below(3); left > 0; --left) {
        pb::WalkMessage& walk = *message.mutable_walk();
        const auto* body = walk.GetReflection()->GetOneofFieldDescriptor(walk, oneof);
        if (body != nullptr && mutator.below(8) > 0) // of the same kind
            mutator.message(*walk.GetReflection()->MutableMessage(&walk, body));
        else
            mutator.message(message);
    }
    input = input.substr(0, 1) + message.SerializePartialAsString();
}

} // namespace

Target walkTarget()
{
    return { "walk", "what anybody may say, to each machine of a ring at rest and while a node joins", &runWalk,
        &walkSeeds, &mutateWalk, 2'000 };
}

} // namespace lhrs::fuzz
