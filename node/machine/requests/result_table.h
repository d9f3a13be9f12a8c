// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "node/machine/effects.h"
#include "proto/message.pb.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace lhrs {

// The results of mutations by client and request, kept until the client lets go of them, so that a request takes effect
// exactly once. Results without effect (EXISTS, NOT_FOUND) are kept as well, in all the same places. Otherwise a late
// copy of such a request could take effect after it was answered.
class ResultTable {
public:
    static constexpr Time kClientSilence = std::chrono::seconds(60); // after this time the client's results are dropped

    struct Entry {
        std::uint64_t number = 0;
        Key key;
        std::uint64_t note = 0; // for the machine: information that it keeps with the result
        pb::ResultCode result = pb::RESULT_UNKNOWN;
        bool isInWork = false; // `result` is what it will be; the change is not yet safe
    };

    // The client no longer wants results below `doneBelow`.
    void forget(std::uint64_t client, std::uint64_t doneBelow, Time now);
    // Whether a request is older than everything that the client still wants, that is, a late copy to be dropped.
    bool isBygone(const pb::RequestId& request) const;
    const Entry* find(const pb::RequestId& request) const;
    // Inserts the entry or replaces the one of the same request.
    void keep(std::uint64_t client, const Entry& entry, Time now);
    // Drops the entries of clients that have been silent since `before`; all their requests so far count as bygone.
    void expire(Time before);
    // Moves out the entries for whose key `leaves` is true and passes each to `to`.
    void take(
        const std::function<bool(Key)>& leaves, const std::function<void(std::uint64_t client, const Entry&)>& to);
    void each(const std::function<void(std::uint64_t client, const Entry&)>& to) const;
    // Reports for each client the number below which it no longer wants results. This bound moves with the keys, so
    // that late copies are recognized there.
    void eachClient(const std::function<void(std::uint64_t client, std::uint64_t doneBelow)>& to) const;
    std::size_t size() const;

private:
    struct Client;
    Client& clientOf(std::uint64_t client);
    // Beyond this many clients, the one that has been silent longest is dropped first.
    static constexpr std::size_t kClientsMax = 65536;
    struct Client {
        std::uint64_t doneBelow = 0;
        Time heard {};
        std::vector<Entry> entries; // ascending by number; at most the client's window
    };
    std::map<std::uint64_t, Client> m_clients;
};

} // namespace lhrs
