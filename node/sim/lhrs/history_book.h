// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace lhrs {

// What clients saw, key by key, as histories for common/check/linearize: it knows nothing of buckets, so it judges what
// the oracle's model might share a mistake with.
class HistoryBook {
public:
    // The client's first copy of the request leaves; further copies are nothing new.
    void invoked(check::RequestName request, check::RequestKind kind, std::uint64_t key, std::string_view value,
        std::int64_t now);
    // The client tells its user. What was never sent is not known here, and need not be.
    void answered(check::RequestName request, check::Outcome outcome, std::string_view value, std::int64_t now);

    // A bucket of a group that is declared lost answers so; the key may have another owner when the history is judged.
    void toldLost(std::uint64_t key, std::int64_t now);

    // The client is gone: what it had asked is answered to nobody.
    void abandoned(std::uint64_t client, std::int64_t now);

    // Judges all keys but those for which `isLeftOut` is true.
    check::Violations judge(const std::function<bool(std::uint64_t key)>& isLeftOut);

    std::uint64_t judged() const { return m_judged; }     // operations
    std::uint64_t undecided() const { return m_undecided; } // keys with too many open changes to be judged

private:
    struct Key {
        check::History history;
        std::map<std::string, std::uint64_t, std::less<>> values; // by content: which write it comes from
        std::uint32_t open = 0;                                   // changes of unknown outcome
    };
    struct Open {
        std::uint64_t key = 0;
        std::size_t index = 0;
        check::RequestKind kind = check::RequestKind::Search;
        bool isAnswered = false;
    };

    std::map<std::uint64_t, Key> m_keys;
    std::map<check::RequestName, Open> m_open;
    std::map<std::uint64_t, std::uint32_t> m_processes; // of clients
    std::uint64_t m_invented = 0;
    std::uint64_t m_judged = 0;
    std::uint64_t m_undecided = 0;
};

} // namespace lhrs
