// SPDX-License-Identifier: GPL-3.0-or-later
// One machine of the walk, driven by hand: the messages that others would send to it, and those that it sends.
#pragma once

#include "node/walk/walk_client.h"
#include "node/walk/walk_master.h"
#include "node/walk/walk_node.h"
#include "tests/rigs/core/core_harness.h"
namespace lhrs::test {

using Walk = pb::WalkMessage;
using Told = pb::WalkEvent::BodyCase;

// The messages of one kind that a step sent, to one process or to any (0).
inline std::vector<pb::Message> sentOf(const Step& step, Walk::BodyCase body, std::uint64_t to = 0)
{
    std::vector<pb::Message> found;
    for (const Step::Sent& sent : step.sent)
        if (sent.message.walk().body_case() == body && (to == 0 || sent.to == to))
            found.push_back(sent.message);
    return found;
}
inline std::vector<pb::WalkEvent> toldOf(const Step& step, Told body)
{
    std::vector<pb::WalkEvent> found;
    for (const pb::Event& event : step.events)
        if (event.walk().body_case() == body)
            found.push_back(event.walk());
    return found;
}

inline pb::WalkNode walkNode(std::uint64_t node, std::uint64_t id)
{
    pb::WalkNode out;
    out.set_node(node);
    out.set_id(id);
    addressOfProcess(node).to(*out.mutable_address());
    return out;
}

// Process numbers: 1 the master, 2 the node, 3 its successor, 4 a node that joins before it, 1000 a client. The ring
// has 8 bits; the node is at 100, its range begins after 50, and its successor is at 200.
class WalkNodeRig {
public:
    static constexpr std::uint64_t kMaster = 1, kSelf = 2, kSuccessor = 3, kJoins = 4, kClient = 1000;

    WalkNodeRig() : info(process(kSelf, pb::NODE)), node({ info, addressOfProcess(kMaster) }), driven(node, info)
    {
        const Step step = driven.pass(0ns);
        pb::Message answer = master.message();
        answer.set_answers(step.of(Body::kRegister).at(0).message.id());
        answer.mutable_walk()->mutable_welcome()->mutable_config()->set_bits(8);
        driven.message(answer);
    }

    pb::Message admit(std::uint64_t change, std::uint64_t id = 100, std::uint64_t from = 50)
    {
        pb::Message message = master.message();
        pb::WalkAdmit& order = *message.mutable_walk()->mutable_admit();
        order.set_change(change);
        order.set_node(kSelf);
        order.set_id(id);
        order.set_from(from);
        *order.mutable_successor() = walkNode(kSuccessor, 200);
        return message;
    }
    pb::Message keys(std::uint64_t change, std::uint32_t block, bool isLast, std::vector<std::uint64_t> with = {},
        std::uint64_t from = 50, std::uint64_t to = 100)
    {
        pb::Message message = successor.message();
        pb::WalkKeys& block_ = *message.mutable_walk()->mutable_keys();
        block_.set_change(change);
        block_.set_block(block);
        block_.set_is_last(isLast);
        block_.set_from(from);
        block_.set_to(to);
        for (const std::uint64_t key : with) {
            pb::WalkEntry& entry = *block_.add_entries();
            entry.set_key(key);
            entry.set_id(ring.idOf(Key(key)).value);
            entry.set_value("given");
        }
        return message;
    }
    pb::Message yours(std::uint64_t change)
    {
        pb::Message message = successor.message();
        message.mutable_walk()->mutable_yours()->set_change(change);
        return message;
    }
    pb::Message over(std::uint64_t change, bool isIn)
    {
        pb::Message message = master.message();
        message.mutable_walk()->mutable_over()->set_change(change);
        message.mutable_walk()->mutable_over()->set_node(kSelf);
        message.mutable_walk()->mutable_over()->set_is_in(isIn);
        return message;
    }
    pb::Message give(std::uint64_t change, std::uint64_t to, bool isLeave = false, std::uint64_t from = 50)
    {
        pb::Message message = master.message();
        pb::WalkGive& order = *message.mutable_walk()->mutable_give();
        order.set_change(change);
        order.set_node(kSelf);
        order.set_from(from);
        order.set_to(to);
        order.set_is_leave(isLeave);
        *order.mutable_receiver() = isLeave ? walkNode(kSuccessor, 200) : walkNode(kJoins, to);
        return message;
    }
    pb::Message stop(std::uint64_t change)
    {
        pb::Message message = master.message();
        message.mutable_walk()->mutable_stop()->set_change(change);
        message.mutable_walk()->mutable_stop()->set_node(kSelf);
        return message;
    }
    pb::Message link(std::uint64_t change, std::uint64_t to)
    {
        pb::Message message = master.message();
        message.mutable_walk()->mutable_link()->set_change(change);
        message.mutable_walk()->mutable_link()->set_node(kSelf);
        *message.mutable_walk()->mutable_link()->mutable_successor() = walkNode(to, 150);
        return message;
    }
    pb::Message query(pb::WalkOperation operation, std::uint64_t key, const std::string& value = {},
        std::uint64_t number = 0, std::uint64_t doneBelow = 1)
    {
        pb::Message message = client.message();
        pb::WalkQuery& asked = *message.mutable_walk()->mutable_query();
        asked.set_operation(operation);
        asked.mutable_request()->set_client(kClient);
        asked.mutable_request()->set_number(number != 0 ? number : ++lastNumber);
        asked.set_done_below(doneBelow);
        asked.set_key(key);
        asked.set_id(ring.idOf(Key(key)).value);
        asked.set_value(value);
        addressOfProcess(kClient).to(*asked.mutable_client());
        *message.mutable_operation() = asked.request();
        return message;
    }
    // The n-th key whose id is in (from, to].
    std::uint64_t keyIn(std::uint64_t from, std::uint64_t to, int n = 0) const
    {
        for (std::uint64_t key = 1;; ++key)
            if (ring.inRight(ring.idOf(Key(key)), RingId(from), RingId(to)) && n-- == 0)
                return key;
    }
    // Lets the node join the ring in the ordinary way, with these keys.
    void joins(std::vector<std::uint64_t> with = {})
    {
        driven.message(admit(1));
        driven.message(keys(1, 0, true, std::move(with)));
        driven.message(yours(1));
        driven.message(over(1, true));
    }
    // The results in the answers that a step sent to the client.
    static std::vector<pb::ResultCode> results(const Step& step)
    {
        std::vector<pb::ResultCode> found;
        for (const pb::Message& message : sentOf(step, Walk::kAnswer, kClient))
            found.push_back(message.walk().answer().result());
        return found;
    }
    std::string valueOf(std::uint64_t key)
    {
        const std::string* value = node.store().find({ ring.idOf(Key(key)), Key(key) });
        return value == nullptr ? "(none)" : *value;
    }

    pb::ProcessInfo info;
    WalkNode node;
    Driven driven;
    Peer master { kMaster }, successor { kSuccessor }, joiner { kJoins }, client { kClient };
    IdRing ring { 8 };
    std::uint64_t lastNumber = 0;
};

} // namespace lhrs::test
