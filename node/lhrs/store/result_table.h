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

// Exactly once (lhrs.md 4.4): the results of mutations by client and request, kept until the client lets go of them.
// Results without effect (EXISTS, NOT_FOUND) are kept too, and wherever those with an effect are: a late copy of such a
// request could otherwise take effect after it was answered. See "Results without effect" in node/lhrs/PROTOCOL.md.
class ResultTable {
public:
    static constexpr Time kClientSilence = std::chrono::seconds(60); // after which a client's results are let go of

    struct Entry {
        std::uint64_t number = 0;
        Key key;
        Rank rank;
        pb::ResultCode result = pb::RESULT_UNKNOWN;
        bool isInWork = false; // that will be the result; it is not at all parity buckets yet
    };

    // The client does not want results below `doneBelow` any more.
    void forget(std::uint64_t client, std::uint64_t doneBelow, Time now);
    // Whether a request is older than everything that the client still wants: a late copy, to be dropped.
    bool isBygone(const pb::RequestId& request) const;
    const Entry* find(const pb::RequestId& request) const;
    // Puts the entry in, or replaces the one of this request.
    void keep(std::uint64_t client, const Entry& entry, Time now);
    // Clients that were silent since `before` lose their entries; what they asked so far counts as bygone from then on.
    void expire(Time before);
    // Takes out the entries for whose key `leaves` is true, giving each to `to`.
    void take(const std::function<bool(Key)>& leaves, const std::function<void(std::uint64_t client, const Entry&)>& to);
    void each(const std::function<void(std::uint64_t client, const Entry&)>& to) const;
    // What each client does not want any more; goes with the records, so that a late copy is known as such there too.
    void eachClient(const std::function<void(std::uint64_t client, std::uint64_t doneBelow)>& to) const;
    std::size_t size() const;

private:
    struct Client;
    Client& clientOf(std::uint64_t client);
    // Clients beyond this many are forgotten from the one that was silent longest.
    static constexpr std::size_t kClientsMax = 65536;
    struct Client {
        std::uint64_t doneBelow = 0;
        Time heard {};
        std::vector<Entry> entries; // ascending by number; as many as the client's window
    };
    std::map<std::uint64_t, Client> m_clients;
};

} // namespace lhrs
