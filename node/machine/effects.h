// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/failpoints.h"
#include "common/ids.h"
#include "common/ip.h"
#include "common/string_pool.h"
#include "node/machine/change_list.h"
#include "proto/control.pb.h"
#include "proto/event.pb.h"
#include "proto/message.pb.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lhrs {

// The driver's monotonic clock, from the start of the process (or of the simulation).
using Time = std::chrono::nanoseconds;

// Where a process listens, as a value. In the simulator `ip` is the number of the simulated process and the ports are
// 0.
struct Address {
    Ip ip;
    std::uint16_t udpPort = 0;
    std::uint16_t tcpPort = 0;
    auto operator<=>(const Address&) const = default;
    static Address from(const pb::Address& a);
    void to(pb::Address& out) const;
};

// How a message travels. Auto: as a datagram if it fits in one, otherwise by stream. OwnStream: over its own
// connection, which is closed afterwards. Datagrams: in parts (PartTransfers); the node handles this, and no driver
// sees this value.
enum class Way { Auto, Stream, OwnStream, Datagrams };

// A clock of the driver that can be read during a step, so that experiments can measure computing time. It affects no
// decision.
class Stopwatch {
public:
    virtual ~Stopwatch() = default;
    virtual Time read() const = 0;
};

// What a step of a machine wants done: lists that the driver carries out. The lists are cleared and reused; messages
// and events live in the arena until clear(). Effects of two workers are not ordered relative to each other, so
// anything that must stay in order carries a sequence number.
class Effects {
public:
    // A long record block that is sent beside its message (common/wire.h). Shared with the ack list, which may resend
    // it.
    using Block = std::shared_ptr<const std::string>;
    struct Send {
        Address to;
        Way way = Way::Auto;
        std::uint32_t tries = 0; // 0: first transmission; otherwise the number of the resend
        NodeId node; // receiver's process number if known, else 0
        pb::Message* message = nullptr;
        Block block = {}; // null: the message contains its block, if it has one
    };
    struct Multicast {
        pb::Role pool = pb::NO_ROLE;
        pb::Message* message = nullptr;
    };

    Effects();
    // Messages and events are in `arena`, which the caller resets after clear(); long values are in the memory of
    // `strings`.
    Effects(google::protobuf::Arena& arena, StringPool& strings) : m_arena(arena), m_strings(&strings) { }
    Effects(const Effects&) = delete;
    Effects& operator=(const Effects&) = delete;

    // Forgets everything but keeps the memory.
    void clear();
    // The next step is caused by this message, or by the passing of time (nullptr). What the step emits carries the
    // cause and the operation.
    void begin(const pb::Message* cause);
    // Sets the operation of the messages and events that follow, if it differs from that of the cause.
    void serve(const pb::RequestId& operation);
    // The id of an operation, to be shared by the messages and events of this step (unsafe_arena_set_allocated_...). It
    // must not be modified.
    pb::RequestId* share(const pb::RequestId& operation);
    // The place of the process, copied into the following events. Changes gathered for another place are emitted first.
    void at(pb::Role role, std::uint32_t number, std::uint32_t column = 0);
    const pb::Place& place() const { return m_place; }

    // A message to fill in and send. The driver sets sender, from and cause.
    pb::Message& send(const Address& to, Way way = Way::Auto, std::uint32_t tries = 0, NodeId node = NodeId());
    // Fills in a long field of a message of this step.
    void setValue(std::string& field, std::string_view value)
    {
        if (m_strings != nullptr && StringPool::wantsMemory(value.size()) && !StringPool::ownsMemory(field))
            m_strings->lend(field);
        field.assign(value);
    }
    // A message for all idle servers of a pool.
    pb::Message& multicast(pb::Role pool);
    // An event to fill in. Operation, cause and place are set here; the stamper sets numbers and times. Gathered
    // changes are emitted first, so that events stay in the order in which things happened.
    pb::Event& event();
    // The same for an operation that may emit several such events; null if no watcher would receive it.
    pb::Event* operationEvent() { return tellsOperation() ? &event() : nullptr; }
    // The event that gathers changes, so that the caller can add one; null if changes are not gathered.
    pb::Event* gathered() { return m_changes != nullptr ? &m_changes->grow() : nullptr; }
    // Whether any watcher would receive the next change of the current operation.
    bool tellsChanges() const { return tellsOperation() || m_changes != nullptr; }
    // The list that gathers changes; null: changes are not gathered. The stamper sets it before a step.
    void gatherChanges(ChangeList* changes) { m_changes = changes; }
    void tellGathered();
    // Whether structural events name the records that they concern; otherwise they only count them.
    bool tellsRecords() const { return m_toldOneIn != 0 || m_changes != nullptr; }
    // One in `oneIn` operations is reported; 0: none. The driver sets this before a step; the default is to report all.
    void tellOperations(std::uint32_t oneIn) { m_toldOneIn = oneIn; }
    pb::CommandReply& reply(std::uint64_t ticket);
    // Refuses the command of this ticket; `text` says why and what to do.
    void refuse(std::uint64_t ticket, pb::Refusal refusal, const std::string& text);
    // Leave the multicast group of a pool, or join it (again); NO_ROLE: no change.
    void leavePool(pb::Role pool) { m_leave = pool; }
    void joinPool(pb::Role pool) { m_join = pool; }

    // The time on the driver's clock if it can be read during a step; otherwise `now`, the time of the step.
    Time time(Time now) const { return m_stopwatch ? std::max(now, m_stopwatch->read()) : now; }
    // How long the driver worked on the message before the step began.
    Time preparation() const { return m_preparation; }
    void setStopwatch(const Stopwatch* stopwatch) { m_stopwatch = stopwatch; }
    void setPreparation(Time time) { m_preparation = time; }

    // Whether the driver has more messages for this machine, whose effects will be sent together with these. If so, a
    // message that can be sent once for several may be postponed.
    bool moreFollow() const { return m_moreFollow; }
    void setMoreFollow(bool moreFollow) { m_moreFollow = moreFollow; }

    // Whether this failpoint fires here. It never does in production, where `failpoints` is null.
    bool fires(Failpoint failpoint) const { return m_failpoints && m_failpoints->fires(failpoint); }
    void setFailpoints(Failpoints* failpoints) { m_failpoints = failpoints; }
    // Copies the blocks back into their messages, for a driver without a wire format.
    void joinBlocks();
    // The record block of the message that arrived: moved out if the driver no longer needs it, otherwise copied.
    std::string takeBlock(const std::string& records)
    {
        return &records == m_arrived ? std::move(*m_arrived) : records;
    }
    void setArrivedBlock(std::string* records) { m_arrived = records; }
    // Removes the last message from the effects; for failpoints.
    void takeBackSend() { m_sends.pop_back(); }

    std::vector<Send>& sends() { return m_sends; }
    std::vector<Multicast>& multicasts() { return m_multicasts; }
    std::vector<pb::Event*>& events() { return m_events; }
    std::vector<pb::CommandReply*>& replies() { return m_replies; }
    pb::Role poolToLeave() const { return m_leave; }
    pb::Role poolToJoin() const { return m_join; }

private:
    bool tellsOperation() const
    {
        return m_toldOneIn == 1
            || (m_toldOneIn > 1 && m_operation != nullptr && m_operation->number() % m_toldOneIn == 0);
    }

    pb::Event& addEvent();

    struct OwnArena {
        OwnArena();
        const std::unique_ptr<char[]> block; // the initial memory of the arena, so that a usual step allocates nothing
        google::protobuf::Arena arena;
    };
    const std::unique_ptr<OwnArena> m_ownArena;
    google::protobuf::Arena& m_arena;
    StringPool* const m_strings = nullptr; // null: values use their own memory
    std::vector<Send> m_sends;
    std::vector<Multicast> m_multicasts;
    std::vector<pb::Event*> m_events;
    std::vector<pb::CommandReply*> m_replies;
    pb::RequestId* m_operation = nullptr; // in the arena; null: none
    std::uint64_t m_causeProcess = 0;
    std::uint64_t m_causeSequence = 0;
    pb::Place m_place;
    ChangeList* m_changes = nullptr;
    Failpoints* m_failpoints = nullptr;
    const Stopwatch* m_stopwatch = nullptr;
    Time m_preparation {};
    std::uint32_t m_toldOneIn = 1;
    bool m_moreFollow = false;
    std::string* m_arrived = nullptr;
    pb::Role m_leave = pb::NO_ROLE;
    pb::Role m_join = pb::NO_ROLE;
};

} // namespace lhrs
