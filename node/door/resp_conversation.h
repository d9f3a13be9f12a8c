// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ring.h"
#include "node/door/key_window.h"
#include "node/door/resp_commands.h"
#include "node/door/resp_parser.h"
#include "node/door/store_port.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs {

// What a door has done since its start; used by one thread.
struct DoorCounters {
    std::uint64_t connections = 0, connectedNow = 0;
    std::uint64_t refusedFull = 0; // there were too many connections
    std::uint64_t refusedWeb = 0; // a web page spoke to the port
    std::uint64_t protocolErrors = 0;
    std::uint64_t stalled = 0; // closed in the middle of a request, or because it took no replies
    std::uint64_t commands = 0, errors = 0;
    std::uint64_t operations = 0; // of the store
    std::uint64_t collisions = 0; // a record of another key was found
    std::uint64_t scans = 0; // of the whole store
};

// What INFO says of the door besides its counters.
struct DoorDescription {
    std::string name; // of the process
    std::string version;
    std::uint64_t process = 0;
    std::uint16_t port = 0; // 0: none
    std::string socket; // a path; empty: none
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

// The conversation with one client of the Redis protocol, without its socket: bytes come in, operations of the store go
// out, their answers come in, and replies go out in the order of the requests.
//
//   bytes --> request --(its operations begin)--> turn --(all are answered, and all turns before it)--> reply
//
// Operations on different keys are under way at the same time, up to kWindow of them. Operations on one key are carried
// out one after the other, a SET with all its attempts before the next one. The next request is read only when all
// operations of the one before have begun, so arguments stay where they arrived and are never copied.
class RespConversation {
public:
    static constexpr std::uint32_t kWindow = 64; // operations under way
    static constexpr std::size_t kWindowBytes = std::size_t(1) << 20; // of their records; one may be longer
    static constexpr std::size_t kTurnsMax = 1'024; // requests without a reply
    static constexpr std::size_t kOutMax = std::size_t(1)
        << 20; // beyond it nothing more is read; one reply may exceed it
    static constexpr std::size_t kReplyMax = std::size_t(16) << 20; // of the values in a reply to MGET
    static constexpr std::uint32_t kAttemptsMax = 16; // of a SET between update and insert
    static constexpr std::uint32_t kPageMax = 4'096; // keys that one SCAN looks at, whatever its COUNT is

    RespConversation(StorePort& store, DoorCounters& counters, const DoorDescription& door, std::uint64_t number)
        : m_store(store), m_counters(counters), m_door(door), m_number(number)
    {
    }

    // Whether more bytes may come.
    bool wantsBytes() const;
    void onBytes(std::string_view bytes);
    // The client sends nothing more, but still reads.
    void onEnd();
    // The client is gone: nothing more begins, and only answers to what has begun are awaited.
    void abandon();
    void onAnswer(std::uint32_t operation, StoreAnswer answer);
    void onPage(const KeyWindow::Page& page);
    void onCount(std::uint64_t count);
    // readPage() or countKeys() has failed; `error` begins with its code.
    void onScanFailed(std::string_view error);

    // Replies to be sent, and that so many bytes of them were.
    std::string_view output() const { return std::string_view(m_out).substr(m_sent); }
    void sent(std::size_t bytes);
    // All replies are there, and nothing more comes: close when output() is empty.
    bool isOver() const { return m_isClosing && m_turns.isEmpty(); }
    // Whether it is the client's turn: to send the rest of a request, or to take replies.
    bool awaitsClient() const { return (!m_isClosing && m_needsMore && m_in.size() > m_begin) || !output().empty(); }
    // Whether the store owes it answers.
    bool isAwaiting() const { return m_open > 0 || m_isScanning; }

private:
    struct Value {
        std::string record;
        std::uint32_t skipped = 0; // bytes of the record before the value
        bool isThere = false;
    };
    // A request without a reply.
    struct Turn {
        Verb verb = Verb::Ping;
        std::uint32_t left = 0; // operations without a result
        bool isBegun = false; // all its operations have begun
        std::int64_t count = 0; // of keys
        std::string reply; // if it is ready before its turn has come
        std::string error; // of the first operation that failed
        std::vector<Value> values; // of MGET
        std::size_t held = 0; // bytes of `reply` and `values`
    };
    enum class Step { Search, Update, Insert, Delete };
    struct Operation {
        std::uint64_t turn = 0; // its number
        std::uint32_t index = 0; // among the keys of its request
        Step step = Step::Search;
        Key key;
        std::string record; // of a SET, otherwise only the key given by the client
        std::uint32_t attempts = 0;
        std::optional<std::uint32_t> next {}; // the next operation on this key, which waits
        bool isLast = false; // no other operation on this key waits
    };
    struct Starting { // the request whose operations are beginning
        Verb verb = Verb::Get;
        std::uint32_t next = 0, count = 0; // keys
    };

    std::span<char> unread() { return std::span(m_in).subspan(m_begin); }
    std::string_view argument(std::size_t i) const
    {
        return m_parser.argument(std::span<const char>(m_in).subspan(m_begin), i);
    }
    std::size_t outSize() const { return m_out.size() - m_sent + m_heldBytes; }
    void advance();
    bool readRequest();
    void consume();
    void trimInput();

    // Commands (resp_conversation.cpp).
    void obey(const CommandRow& row);
    void beginStoreCommand(const CommandRow& row);
    std::string whatIsWrong(const CommandRow& row, std::size_t keys) const;
    std::string whatIsWrongWithScan() const;
    void beginScan();
    void endScan(std::string reply);
    void close() { m_isClosing = true; }
    // What needs no operation of the store (resp_talk.cpp).
    std::string talk(const CommandRow& row);
    std::string info() const;
    std::string describeCommands() const;
    std::string client();
    std::string config() const;
    std::string hello() const;

    // Operations and turns (resp_answers.cpp).
    bool beginMore();
    void beginOperation(std::uint32_t index);
    void send(std::uint32_t number);
    void leave(std::uint32_t number);
    bool settle(Operation& op, Turn& turn, StoreAnswer& answer);
    bool settleSearch(Operation& op, Turn& turn, StoreAnswer& answer);
    void keep(const Operation& op, Turn& turn, std::string record);
    void fail(Turn& turn, std::string error);
    Turn& turnAt(std::uint64_t number) { return m_turns[std::size_t(number - m_firstTurn)]; }
    Turn& addTurn(Verb verb);
    void addReady(std::string reply);
    void addFailure(std::string error);
    void endTurns();
    void write(Turn& turn, std::string& out);
    bool isDone(const Turn& turn) const { return turn.isBegun && turn.left == 0; }

    StorePort& m_store;
    DoorCounters& m_counters;
    const DoorDescription& m_door;
    const std::uint64_t m_number; // of the connection
    std::string m_name; // given by the client

    RespParser m_parser;
    std::string m_in; // bytes that came; the request that is read or begun starts at m_begin
    std::size_t m_begin = 0;
    bool m_needsMore = true; // the request at m_begin is not complete
    bool m_isEnded = false; // no more bytes come
    bool m_isClosing = false; // nothing more is read
    std::string m_out;
    std::size_t m_sent = 0; // bytes at the begin of m_out that were sent

    Ring<Turn> m_turns;
    std::uint64_t m_firstTurn = 0; // number of the first one
    std::size_t m_heldBytes = 0; // of replies that wait for an earlier turn
    std::optional<Starting> m_starting;
    bool m_waitsForTurns = false; // the request that was read begins when all before it are over
    bool m_isScanning = false;
    std::string m_scanPattern; // of the SCAN under way; empty: every key

    std::array<Operation, kWindow> m_operations;
    std::uint64_t m_used = 0; // bit i: m_operations[i] is under way or waits for its key
    std::uint32_t m_open = 0;
    std::size_t m_openBytes = 0;
};

} // namespace lhrs
