// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/states.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs::check {

// One state of a key between two changes. Times are those of the observer, in ns.
struct Version {
    std::int64_t from = 0;
    std::int64_t until = std::numeric_limits<std::int64_t>::max();
    bool isPresent = false;
    std::string value;
    RequestName writer;         // client 0: the key was never written
    std::uint32_t bucket = 0;   // that carried the change out
    std::uint64_t sequence = 0; // there
    bool isAcknowledged = true; // seen to be at every parity bucket
};

// What clients asked, what buckets did and what was answered, by one observer who sees all processes. As the buckets
// tell when they carry a change out, the order of the changes of a key is known, and every answer can be judged when
// it leaves: linearizable per key (I8), each request at most once and with one answer (I10), nothing invented (I19).
// An operation without a result stays open: it may take effect later or never.
class Ledger {
public:
    // The client sends the request for the first time.
    Violations issued(RequestName request, RequestKind kind, std::uint64_t key, std::string_view value,
        std::int64_t now);
    // The network made a copy of the request that its client does not know of.
    void copied(RequestName request);
    // A bucket has changed its record for the request.
    Violations applied(RequestName request, RequestKind kind, std::uint64_t key, std::uint32_t bucket,
        std::uint64_t sequence, std::int64_t now);
    // Every parity bucket has what the request changed, the observer has looked.
    void acknowledged(RequestName request);
    // The bucket failed, and what it had changed after `cut` is gone with it: nobody was told of it, so it never happened,
    // and may happen yet when a client repeats its request (lhrs.md 10.3).
    Violations withdrawn(std::uint32_t bucket, std::uint64_t cut);
    // The bucket is no more, and what it did is with others, as far as it counts: its number may be used again.
    void settled(std::uint32_t bucket);
    // The network made a copy of the request, so it may be carried out later than its client thinks.
    bool isCopied(RequestName request) const;
    // A reply to the request leaves a bucket. `shown` is the state of the key on which the answer rests: what the
    // request wrote, or what it read; nullptr when it rests on none (RETRY) or there is none (a violation).
    Violations replied(
        RequestName request, Outcome outcome, std::string_view value, std::int64_t now, Version** shown);
    // The client tells its user.
    Violations finished(RequestName request, Outcome outcome, std::string_view value);

    // The key's present state; nullptr when no request ever named it.
    const Version* latest(std::uint64_t key) const;
    // What the request wrote; nullptr when it changed nothing.
    const Version* writtenBy(RequestName request) const;
    // All records that there must be now.
    std::map<std::uint64_t, std::string> contents() const;
    // All keys that a request ever named.
    std::vector<std::uint64_t> keys() const;
    // Keys of the records that there must be now.
    std::vector<std::uint64_t> presentKeys() const;
    // When the request was sent first, and what for; nothing if it never was.
    struct Issued {
        std::int64_t at = 0;
        RequestKind kind = RequestKind::Search;
        std::uint64_t key = 0;
    };
    std::optional<Issued> issuedAs(RequestName request) const;
    std::uint64_t requests() const { return m_requests.size(); }
    std::uint64_t changes() const { return m_changes; }

private:
    struct Request {
        RequestKind kind = RequestKind::Search;
        std::uint64_t key = 0;
        std::string value;
        std::int64_t issued = 0;
        bool isCopied = false;
        bool isApplied = false;
        std::size_t version = 0; // index of the version it wrote, if applied
        bool isFinished = false;
        Outcome outcome = Outcome::Unknown;
        std::vector<std::pair<Outcome, std::string>> replies; // that left a bucket, each once
    };

    Version* findShown(const Request& request, bool isPresent, const std::string_view* value, std::int64_t now);
    std::string describe(RequestName name, const Request& request) const;

    std::map<RequestName, Request> m_requests;
    std::map<std::uint64_t, std::vector<Version>> m_keys;
    std::uint64_t m_changes = 0;
};

} // namespace lhrs::check
