// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "proto/config.pb.h"
#include "proto/event.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lhrs {

// What happens in one run of a simulated ring; everything follows from the seed.
struct WalkCase {
    struct Operation {
        std::uint32_t client = 0; // number of the client, from 0
        pb::OperationKind kind = pb::SEARCH;
        std::uint64_t key = 0;
        std::uint32_t length = 0; // length of the value
    };
    // A node that joins or leaves.
    struct Change {
        std::uint32_t atMs = 0;
        bool isLeave = false;
        std::uint32_t pick = 0; // chooses among the nodes outside or inside the ring; 0 for a join: the master chooses
    };
    // A process pauses or ends: a participant in a change, just after the change was ordered, or any process at any
    // time.
    struct Mishap {
        enum class Whom { Receiver, Giver, Predecessor, Master, AnyNode, AClient };
        Whom whom = Whom::AnyNode;
        std::uint32_t change = 0; // number of the change, from 1; 0: not tied to a change
        std::uint32_t afterUs = 0; // time after that order, or after the start
        std::uint32_t pick = 0;
        std::uint32_t pauseMs = 0; // 0: it ends. Only a node that is about to join ends: no other can be replaced
        std::uint32_t againMs = 0; // time after its end at which another process starts at its address; 0: none does
    };

    std::uint64_t seed = 0;
    unsigned bits = 32; // number of bits of the ring's ids
    std::uint32_t nodes = 1, spares = 0, clients = 1, window = 1;
    std::uint32_t paceUs = 0; // how long a client waits between two operations, on average
    bool beginsAtOnce = false; // clients do not wait until the ring is complete
    bool isEveryWayTried = false; // whether in the end every key is looked up from every node, rather than from some
    pb::NetworkFaults network;
    pb::Timers timers;
    std::uint32_t driftPpm = 0;
    std::uint32_t stepNs = 5'000;
    bool withMessages = false; // include events about messages
    std::vector<Operation> operations;
    std::vector<Change> changes;
    std::vector<Mishap> mishaps;
};

WalkCase drawWalkCase(std::uint64_t seed);

// The value that operation `index` of a case writes. From 8 bytes on, no two are the same.
std::string walkValue(std::size_t index, std::uint32_t length);

} // namespace lhrs
