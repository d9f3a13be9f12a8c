// SPDX-License-Identifier: GPL-3.0-or-later
// How a test feeds one machine and inspects the effects that it wants. Nothing is mocked: the machine is the real one,
// and its outgoing messages are values.
#pragma once

#include "common/errors.h"
#include "node/machine/event_stamp.h"
#include "node/machine/machine.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/server/node_machine.h"
#include "node/machine/requests/workload.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lhrs::test {

using namespace std::chrono_literals;

// Whether the process would end in a failed LHRS_CHECK. The machine must not be used afterwards.
bool checkFails(const std::function<void()>& what);

// Processes of a test have a small number, which is their process number and their address.
inline Address addressOfProcess(std::uint64_t node) { return { std::uint32_t(node), 0, 0 }; }

pb::ProcessInfo process(std::uint64_t node, pb::ProcessKind kind, pb::Role pool = pb::NO_ROLE);

HolderInfo holderOf(std::uint64_t node, std::uint64_t incarnation);

pb::Member memberOf(
    pb::Role role, std::uint32_t index, const HolderInfo& holder, pb::MemberState state = pb::UP, Level level = 0);

// A small file by default: groups of four, buckets of 100 records.
pb::FileConfig fileConfig(std::uint32_t m = 4, std::uint32_t availability = 2, std::uint32_t b = 100);

using Body = pb::Message::BodyCase;
using Happened = pb::Event::BodyCase;

// The effects of one step of a machine, copied so that they outlive the step.
struct Step {
    struct Sent {
        std::uint64_t to = 0; // the process
        Way way = Way::Auto;
        std::uint32_t tries = 0;
        pb::Message message;
    };
    std::vector<Sent> sent;
    std::vector<std::pair<pb::Role, pb::Message>> multicasts;
    std::vector<pb::Event> events;
    std::vector<pb::CommandReply> replies;
    pb::Role left = pb::NO_ROLE;
    pb::Role joined = pb::NO_ROLE;

    std::vector<Sent> of(Body body) const;
    std::vector<Sent> of(Body body, std::uint64_t to) const;
    std::size_t count(Body body) const { return of(body).size(); }
    std::size_t count(Body body, std::uint64_t to) const { return of(body, to).size(); }
    std::vector<pb::Event> of(Happened body) const;
    std::size_t count(Happened body) const { return of(body).size(); }
    // Whether a message that acknowledges this one went to its sender.
    bool acknowledges(const pb::Message& message) const;
};

// A machine with its clock and the parts that complete its messages, as in a driver.
class Driven {
public:
    Driven(Machine& machine, const pb::ProcessInfo& self);

    Time now() const { return m_now; }
    void sleep(Time time) { m_now += time; }

    // `moreFollow`: another message arrived together with this one, and is the next.
    Step message(const pb::Message& message, bool moreFollow = false);
    void tellOperations(std::uint32_t oneIn) { m_effects.tellOperations(oneIn); }
    // Sets the level as a driver does, with the events that this emits; from then on the stamper decides which events
    // of a step are emitted.
    Step setDetail(pb::Detail detail);
    Step command(const pb::Command& command);
    // Reports a memory measurement of the process, as the driver does.
    Step memory(const MemoryReading& reading);
    // Lets time pass; the machine is woken whenever it asked to be. Returns all effects of that time in one step.
    Step pass(Time time);

private:
    void begin(const pb::Message* cause);
    Step finish();

    Machine& m_machine;
    EventStamper m_stamper;
    Effects m_effects;
    bool m_hasDetail = false;
    pb::Place m_place;
    Time m_now {};
};

// A message as another process of the test would send it.
class Peer {
public:
    explicit Peer(std::uint64_t node);
    std::uint64_t node() const { return m_node; }
    pb::Message message();
    // An acknowledgement without a body.
    pb::Message ack(const pb::Message& of);

private:
    std::uint64_t m_node;
    std::uint64_t m_last = 0;
};

// One node machine that is recruited at once; all other processes of the file exist only as messages of the test.
// Process numbers: 1 the coordinator, 2 this node, 10 + a data bucket a, 100 + p parity bucket p, from 1000 on clients.
class NodeRig {
public:
    static constexpr std::uint64_t kCoordinator = 1, kSelf = 2, kData = 10, kParity = 100, kClient = 1000;
    static constexpr std::uint64_t kIncarnation = 77;

    explicit NodeRig(pb::Role pool, std::uint64_t self = kSelf);

    // The invitation of its pool, then this confirmation.
    Step recruit(pb::Confirm confirm);

    const DataBucket& data() const { return *node.dataBucket(); }
    const ParityBucket& parity() const { return *node.parityBucket(); }

    pb::ProcessInfo info;
    NodeMachine node;
    Driven driven;
    Peer coordinator;

private:
    std::uint64_t m_invitations = 0;
};

} // namespace lhrs::test
