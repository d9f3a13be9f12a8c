// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/machine/ack_list.h"
#include "node/machine/known_processes.h"
#include "node/machine/machine.h"
#include "node/machine/requests/rest_waiters.h"
#include "node/walk/id_ring.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lhrs {

struct WalkMasterOptions {
    pb::ProcessInfo self; // with its addresses
    unsigned bits = 32; // M, within the bounds of IdRing, which the option parser checks
    std::uint32_t nodes = 0; // this many join by themselves when they register; the others wait for a command
    pb::Timers timers;
};

// The master of the test bed: it knows which nodes are in the ring, lets nodes join and leave one after the other, and
// tells the clients. No query passes through it, and the ring goes on answering without it. Lookup thesis, "Test bed":
// joins are serialized, because the ring is not safe otherwise.
//
//   a join   Admit the node -> its successor Gives the range -> Link the predecessor -> Over
//   a leave  the node Gives its range to its successor -> Link the predecessor -> Over
class WalkMaster : public Machine {
public:
    explicit WalkMaster(WalkMasterOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void snapshot(pb::Snapshot& out) const override;
    void gauges(pb::Gauges& out) const override;
    void inspect(Time now, pb::NodeSample& out) const override;
    std::optional<NodeId> awaited(std::uint64_t id) const override { return m_acks.receiverOf(id); }

    // The nodes of the ring by id. A node is in the ring from the Given of its join to the Given of its leave.
    const std::map<RingId, pb::WalkNode>& ring() const { return m_ring; }
    IdRing ids() const { return m_ids; }
    // The number of changes that were ordered, and how many of them were undone.
    std::uint64_t changes() const { return m_lastChange; }
    std::uint64_t undone() const { return m_undone; }
    bool isAtRest() const { return underWay().empty() && broken().empty(); }
    // What is under way or owed, in words; empty: nothing.
    std::string underWay() const;
    // Why the ring accepts no changes; empty: it accepts them.
    std::string broken() const;

private:
    struct Known : KnownProcess {
        bool isSilent = false;
    };
    // A join or leave that waits for its turn. Ticket 0: the master itself wants it, without a command.
    struct Wanted {
        bool isLeave = false;
        NodeId node; // 0: any spare
        std::uint64_t ticket = 0;
    };
    enum class Phase { Admitting, Giving, Linking };
    struct Change {
        std::uint64_t number = 0;
        bool isLeave = false;
        pb::WalkNode node, predecessor, successor;
        Phase phase = Phase::Admitting;
        std::uint64_t ticket = 0;
        std::uint32_t keys = 0;
        std::uint64_t waitsFor = 0; // the id of the order whose acknowledgement starts the next step
        bool isStopped = false;
        bool isDecided = false; // the giver answered the order to stop by saying that it had decided
        const pb::WalkNode& giver() const { return isLeave ? node : successor; }
        const pb::WalkNode& receiver() const { return isLeave ? successor : node; }
    };

    void onRegister(const pb::Message& message, Time now, Effects& out);
    void onAlive(const pb::Message& message, Time now, Effects& out);
    void onWhoIsIn(const pb::Message& message, Effects& out);
    void onGiven(const pb::Message& message, Time now, Effects& out);
    void onUndone(const pb::Message& message, Time now, Effects& out);
    void onAcknowledged(std::uint64_t id, Time now, Effects& out);

    Known& learn(const pb::ProcessInfo& process, Time now);
    void lookAtSilence(Time now, Effects& out);
    // Reports that a process that has keys, or was about to receive some, is silent.
    void lose(const Known& known, Effects& out);
    pb::WalkNode asRingNode(const pb::ProcessInfo& process) const;
    void welcome(const Known& known, std::uint64_t answers, Effects& out) const;
    void welcomeAll(Effects& out) const;

    // Begins the next change, if none is under way.
    void startNext(Time now, Effects& out);
    void start(const Wanted& wanted, Time now, Effects& out);
    // Why the change cannot be made now; empty: it can be. Chooses the node if any node will do.
    std::string refusal(Wanted& wanted) const;
    void admit(Time now, Effects& out);
    void give(Time now, Effects& out);
    void link(Time now, Effects& out);
    void stop(Time now, Effects& out);
    // Tells the participants, and the operator whose command it was, that the change is over.
    void end(const std::string& undoneBecause, Time now, Effects& out);
    void sayOver(std::uint64_t change, const pb::WalkNode& node, Time now, Effects& out);
    std::uint64_t order(pb::Message message, const pb::WalkNode& to, Time now, Effects& out);

    void joinOrLeave(const pb::Command& command, bool isLeave, NodeId node, Time now, Effects& out);
    void setTimeScale(const pb::Command& command, Effects& out);
    void describe(pb::RingDescription& out) const;
    void answerWaiters(Time now, Effects& out);

    bool isIn(NodeId node) const;
    bool isWanted(NodeId node) const;
    std::string nameOf(NodeId node) const;
    // The ring node at this id or the next one clockwise; and the ring node before this id.
    const pb::WalkNode& atOrAfter(RingId id) const;
    const pb::WalkNode& before(RingId id) const;

    const pb::ProcessInfo m_self;
    const IdRing m_ids;
    const unsigned m_bits;
    const std::uint32_t m_nodes;
    const pb::Timers m_timers; // as given
    AckList m_acks;
    KnownProcesses<Known> m_processes;
    std::uint32_t m_joinedByThemselves = 0; // including those that wait to join
    std::map<RingId, pb::WalkNode> m_ring;
    std::set<NodeId> m_lost; // silent processes that belong to the ring or to the change under way
    std::deque<Wanted> m_wanted;
    std::optional<Change> m_change;
    std::uint64_t m_lastChange = 0, m_undone = 0;
    RestWaiters m_waiters;
    bool m_isStarted = false;
    Time m_nextLook {};
};

} // namespace lhrs
