// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/door/key_scan.h"
#include "node/door/program/command_store.h"
#include "node/door/program/door_listener.h"
#include "node/door/program/door_options.h"
#include "node/door/resp_conversation.h"
#include "node/process/options.h"
#include "node/runtime/program_part.h"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lhrs {

// The door of a client process: clients of the Redis protocol connect to it and use the store as if it were a Redis
// server. One thread serves all connections; their operations are given to the client's machine in this thread, many
// at a time, and their answers come back through CommandStore.
class Door final : public ProgramPart {
public:
    static constexpr std::size_t kConnectionsMax = 256;
    static constexpr std::chrono::seconds kStalled { 60 }; // in a request or before a reply, without any byte

    Door(DoorOptions options, const ProcessOptions& process);
    ~Door() override;

    Result<void> open() override;
    std::string readyWords() const override;
    void start(Runtime& runtime) override;
    void onReplies(std::span<pb::CommandReply* const> replies) override { m_store.onReplies(replies); }
    void stop() override;

    // The records of its scans, for the machine.
    RecordSink& records() { return m_store; }

private:
    using Clock = std::chrono::steady_clock;

    // Passes on what the conversation of one connection asks for.
    struct Port final : StorePort {
        Port(Door& ownDoor, std::uint32_t ownSlot) : door(ownDoor), slot(ownSlot) { }
        void operate(std::uint32_t operation, pb::OperationKind kind, Key key, std::string_view value) override
        {
            door.m_store.operate(slot, operation, kind, key, value);
        }
        void readPage(std::uint64_t from, std::uint32_t count) override { door.m_scan.askPage(slot, from, count); }
        void countKeys() override { door.m_scan.askCount(slot); }
        Door& door;
        const std::uint32_t slot;
    };
    // Its place is taken again only when the store has answered everything that it began.
    struct Connection {
        Connection(Door& door, std::uint32_t slot, Descriptor own, std::uint64_t number)
            : port(door, slot), conversation(port, door.m_counters, door.m_description, number), socket(std::move(own))
        {
        }
        Port port;
        RespConversation conversation;
        Descriptor socket; // closed when the client is gone
        std::uint32_t awaited = 0; // what epoll looks for
        bool isTouched = false; // it is in m_touched
        Clock::time_point moved = Clock::now(); // when bytes came or went
    };

    void run(std::stop_token stop);
    void acceptAll(const DoorListener& listener);
    void receive(std::uint32_t slot);
    void touch(std::uint32_t slot);
    void takeAnswers();
    void scan();
    // Sends what can be sent, and looks for what the connection needs next.
    void serve(std::uint32_t slot);
    void drop(std::uint32_t slot);
    void look();
    bool watch(int socket, std::uint32_t what, std::uint64_t mark, int action);

    const DoorOptions m_options;
    DoorDescription m_description;
    DoorCounters m_counters;
    Descriptor m_wake, m_epoll;
    std::vector<DoorListener> m_listeners;
    Runtime* m_runtime = nullptr;
    CommandStore m_store;
    KeyScan m_scan;
    std::array<std::unique_ptr<Connection>, kConnectionsMax> m_connections;
    std::vector<std::uint32_t> m_touched; // connections to be served at the end of this turn
    std::vector<CommandStore::Answer> m_answers;
    std::vector<char> m_bytes; // what one read takes
    std::uint64_t m_lastNumber = 0;
    Clock::time_point m_looked {};
    std::jthread m_thread;
};

} // namespace lhrs
