// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"
#include "proto/group.pb.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace lhrs {

check::Outcome outcomeOf(pb::ResultCode result);

// What clients saw, key by key, as histories for common/check/linearize. It knows nothing about servers, so it can
// detect mistakes that the oracle's model shares with the code.
class HistoryBook {
public:
    // The client sends its first copy of the request; further copies are ignored.
    void invoked(check::RequestName request, check::RequestKind kind, std::uint64_t key, std::string_view value,
        std::int64_t now);
    // The client reports the result to its user. Requests that were never sent are unknown here and are ignored.
    void answered(check::RequestName request, check::Outcome outcome, std::string_view value, std::int64_t now);

    // A server whose records are declared lost answers LOST. By the time the history is judged, the key may have
    // another owner.
    void toldLost(std::uint64_t key, std::int64_t now);

    // The client has ended: its open requests will get no answer.
    void abandoned(std::uint64_t client, std::int64_t now);

    // Judges all keys except those for which `isLeftOut` is true.
    check::Violations judge(const std::function<bool(std::uint64_t key)>& isLeftOut);

    std::uint64_t judged() const { return m_judged; } // operations judged
    std::uint64_t undecided() const { return m_undecided; } // keys with too many open changes to be judged

private:
    struct Key {
        check::History history;
        std::map<std::string, std::uint64_t, std::less<>> values; // by content: the write that produced the value
        std::uint32_t open = 0; // changes with unknown outcome
    };
    struct Open {
        std::uint64_t key = 0;
        std::size_t index = 0;
        check::RequestKind kind = check::RequestKind::Search;
        bool isAnswered = false;
    };

    std::map<std::uint64_t, Key> m_keys;
    std::map<check::RequestName, Open> m_open;
    std::map<std::uint64_t, std::uint32_t> m_processes; // process number of each client
    std::uint64_t m_invented = 0;
    std::uint64_t m_judged = 0;
    std::uint64_t m_undecided = 0;
};

} // namespace lhrs
