// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/lhrs/states.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs::check {

// One state of a key between two changes. Times are the observer's, in ns.
struct Version {
    std::int64_t from = 0;
    std::int64_t until = std::numeric_limits<std::int64_t>::max();
    bool isPresent = false;
    std::string value;
    RequestName writer; // client 0: the key was never written
    std::uint32_t bucket = 0; // the bucket that applied the change
    std::uint64_t sequence = 0; // the sequence number at that bucket
    bool isAcknowledged = true; // every parity bucket was seen to have it
};

// What clients requested, what buckets did and what was answered, as seen by one observer of all processes. Buckets
// report when they apply a change, so the order of the changes of a key is known and every reply can be judged when it
// leaves: linearizable per key (I8), each request applied at most once with one answer (I10), nothing invented (I19).
// An operation without a result stays open: it may take effect later or never.
class RequestLedger {
public:
    // The client sends the request for the first time.
    Violations issued(
        RequestName request, RequestKind kind, std::uint64_t key, std::string_view value, std::int64_t now);
    // The network made a copy of the request; its client does not know of the copy.
    void copied(RequestName request);
    // A bucket has changed its record for the request.
    Violations applied(RequestName request, RequestKind kind, std::uint64_t key, std::uint32_t bucket,
        std::uint64_t sequence, std::int64_t now);
    // The observer has verified that every parity bucket has what the request changed.
    void acknowledged(RequestName request);
    // The bucket failed, and its changes after `cut` are lost. No client was told of them, so they count as not made;
    // they may be applied later when a client repeats its request.
    Violations withdrawn(std::uint32_t bucket, std::uint64_t cut);
    // The bucket no longer exists; those of its changes that still count are held by other buckets. Its number may be
    // used again.
    void settled(std::uint32_t bucket);
    // Whether the network made a copy of the request, which may then be applied later than its client expects.
    bool isCopied(RequestName request) const;
    // A reply to the request is sent by a bucket. `shown` is the state of the key on which the answer rests: what the
    // request wrote, or what it read. nullptr: the answer rests on none (RETRY), or there is none (a violation).
    Violations replied(RequestName request, Outcome outcome, std::string_view value, std::int64_t now, Version** shown);
    // The client reports the result to its user.
    Violations finished(RequestName request, Outcome outcome, std::string_view value);

    // The key's present state; nullptr when no request ever named the key.
    const Version* latest(std::uint64_t key) const;
    // What the request wrote; nullptr when it changed nothing.
    const Version* writtenBy(RequestName request) const;
    // All records that must exist now.
    std::map<std::uint64_t, std::string> contents() const;
    // All keys that any request ever named.
    std::vector<std::uint64_t> keys() const;
    // The keys of the records that must exist now.
    std::vector<std::uint64_t> presentKeys() const;
    // When the request was first sent, and what it asks for; nothing if it was never sent.
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
        std::vector<std::pair<Outcome, std::string>> replies; // replies that left a bucket, each once
    };

    Version* findShown(const Request& request, bool isPresent, const std::string_view* value, std::int64_t now);
    std::string describe(RequestName name, const Request& request) const;

    std::map<RequestName, Request> m_requests;
    std::map<std::uint64_t, std::vector<Version>> m_keys;
    std::uint64_t m_changes = 0;
};

} // namespace lhrs::check
