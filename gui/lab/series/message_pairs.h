// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// What processes told of one message: all words with the same sender and number.
struct MessageWord {
    enum class What { Sent, GivenUp, Received }; // in this order they are looked at
    What what = What::Sent;
    std::uint64_t event = 0;         // place in the run
    std::uint64_t process = 0;       // that told it
    std::uint64_t sequence = 0;      // of the event at its process
    std::uint64_t causeSequence = 0; // of a reception: the sending that brought it, if the receiver knew
    std::uint64_t causeProcess = 0;
    std::int64_t ns = 0;
};

// One sending and one arrival of it; indexes of words, -1: there is none.
struct MessagePair {
    int sent = -1, received = -1;
    bool isGivenUp = false;
};

// Each sending with its arrival. `words`: of one message, sendings first, each kind in the order of the run. An arrival without
// a sending of its own (doubled on its way, a multicast, or sent before the recording began) is a pair of its own, with the
// sending it came of where that is known. `hasNumber`: messages with the number 0 cannot be told apart.
std::vector<MessagePair> pairMessages(const std::vector<MessageWord>& words, bool hasNumber);

} // namespace lhrs::gui
