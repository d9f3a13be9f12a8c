// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace lhrs::gui {

// What processes reported about one message: all reports with the same sender and number.
struct MessageWord {
    enum class What { Sent, GivenUp, Received }; // in the order of evaluation
    What what = What::Sent;
    std::uint64_t event = 0; // position in the run
    std::uint64_t process = 0; // the reporting process
    std::uint64_t sequence = 0; // of the event in its process
    std::uint64_t causeSequence = 0; // of a reception: the sending that caused it, if the receiver knew it
    std::uint64_t causeProcess = 0;
    std::int64_t ns = 0;
};

// One sending and its arrival, as indexes of words; -1: missing.
struct MessagePair {
    int sent = -1, received = -1;
    bool isGivenUp = false;
};

// Pairs each sending with its arrival. `words`: of one message, sendings first, each kind in the order of the run. An
// arrival without a sending of its own (a duplicate, a multicast, or sent before the recording began) is a separate
// pair, with its original sending if that is known. `hasNumber`: false for messages with the number 0, which cannot
// be told apart.
std::vector<MessagePair> pairMessages(const std::vector<MessageWord>& words, bool hasNumber);

} // namespace lhrs::gui
