// SPDX-License-Identifier: GPL-3.0-or-later
// A coordinator under test, and members that answer every message at once and without errors. A test may withhold any
// message and release it later.
#pragma once

#include "node/lhrs/coordinator/coordinator.h"
#include "tests/rigs/core/core_harness.h"

#include <deque>
#include <map>
#include <set>

namespace lhrs::test {

class CoordinatorRig {
public:
    struct Options {
        pb::FileConfig config = fileConfig();
        pb::Timers timers = {};
        Recruiting recruiting = Recruiting::Auto;
        std::uint32_t dataSpares = 0; // from process 10 on
        std::uint32_t paritySpares = 0; // from process 5000 on
        std::uint32_t hosts = 0; // eight adjacent processes are on one; 0: each process is on a host of its own
    };
    struct Member {
        explicit Member(const pb::ProcessInfo& i) : info(i), sender(i.node()) { }
        pb::ProcessInfo info;
        Peer sender;
        pb::Role pool = pb::NO_ROLE;
        pb::Confirm place; // role NO_ROLE: a spare
        std::uint64_t invitation = 0; // of the open offer
    };
    static constexpr std::uint64_t kSelf = 1, kData = 10, kParity = 5000;
    static constexpr std::uint32_t kFirstHost = 1'000'000, kAdjacent = 8; // address of a host; processes on it

    explicit CoordinatorRig(const Options& o);
    // With enough spares, and with its first group complete.
    explicit CoordinatorRig(
        const pb::FileConfig& config, std::uint32_t dataSpares = 40, std::uint32_t paritySpares = 120);

    void addSpare(std::uint64_t node, pb::Role pool);
    // A spare that registers, as all do when they start.
    Step registers(std::uint64_t node);
    Step alive(std::uint64_t node);

    // Sees each message to a member; true withholds it in `withheld`.
    std::function<bool(const Step::Sent&)> withhold;
    std::deque<Step::Sent> withheld;
    // Spares that answer the multicast; those that are `silent` do not answer a unicast either.
    bool hearMulticast = true;
    std::set<std::uint64_t> silent;
    // All messages that were sent, in order; multicasts as messages to process 0.
    std::vector<Step::Sent> log;
    std::vector<pb::Event> events;
    std::vector<pb::CommandReply> replies;

    // Delivers the message and lets the members answer until no message is left.
    Step say(const pb::Message& message) { return settle(driven.message(message)); }
    Step pass(Time time);
    Step command(pb::Command command);
    // The reply to the last command; empty if there is none yet.
    const pb::CommandReply& replyOf() const;
    // Delivers what was withheld.
    void release();

    Member* holder(pb::Role role, std::uint32_t number, std::uint32_t column = 0);
    pb::Message overloadMessage(std::uint32_t bucket);
    Step overload(std::uint32_t bucket) { return say(overloadMessage(bucket)); }

    std::size_t count(Body body) const;
    std::size_t count(Happened body) const;
    const FileState& file() const { return coordinator.file(); }

    pb::ProcessInfo info;
    Coordinator coordinator;
    Driven driven;
    std::map<std::uint64_t, Member> members;

private:
    const std::uint32_t m_hosts;
    Step settle(Step step);
    void note(const Step& step);
    void deliver(const Step::Sent& sent);
    bool answerInvitation(Member& member, const pb::Invite& invite);
    void prepared(Member& member, std::uint64_t split, std::uint32_t bucket);
    void arrive(const Step::Sent& sent);

    std::deque<pb::Message> m_toCoordinator;
    bool m_isSettling = false;
    std::uint64_t m_tickets = 0;
};

} // namespace lhrs::test
