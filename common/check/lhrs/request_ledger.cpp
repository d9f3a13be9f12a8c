// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/check/lhrs/request_ledger.h"

#include "common/check/say.h"

#include <algorithm>

namespace lhrs::check {

namespace {

// The answers that mean that nothing was changed, nor will be.
bool meansNoEffect(Outcome outcome)
{
    return outcome == Outcome::NotFound || outcome == Outcome::Exists || outcome == Outcome::Invalid;
}

} // namespace

std::string RequestLedger::describe(RequestName name, const Request& request) const
{
    return say(nameOf(request.kind), " of key ", request.key, " (client ", name.client, ", request ", name.number, ")");
}

Violations RequestLedger::issued(
    RequestName request, RequestKind kind, std::uint64_t key, std::string_view value, std::int64_t now)
{
    const auto [it, isNew] = m_requests.try_emplace(request);
    if (!isNew) {
        // A client resends under the same number; the repeated request must be identical.
        if (it->second.kind == kind && it->second.key == key && it->second.value == value)
            return {};
        return { { 10, say(describe(request, it->second), " was sent again with another content") } };
    }
    it->second.kind = kind;
    it->second.key = key;
    it->second.value = std::string(value);
    it->second.issued = now;
    std::vector<Version>& versions = m_keys[key];
    if (versions.empty())
        versions.emplace_back();
    return {};
}

void RequestLedger::copied(RequestName request)
{
    const auto it = m_requests.find(request);
    if (it != m_requests.end())
        it->second.isCopied = true;
}

bool RequestLedger::isCopied(RequestName request) const
{
    const auto it = m_requests.find(request);
    return it != m_requests.end() && it->second.isCopied;
}

Violations RequestLedger::applied(RequestName request, RequestKind kind, std::uint64_t key, std::uint32_t bucket,
    std::uint64_t sequence, std::int64_t now)
{
    const auto it = m_requests.find(request);
    if (it == m_requests.end())
        return { { 19,
            say("bucket ", bucket, " changed key ", key, " for (client ", request.client, ", request ", request.number,
                "), which no client sent") } };
    Request& asked = it->second;
    const std::string what = describe(request, asked);
    if (asked.kind != kind || asked.key != key)
        return { { 19, say(what, " was carried out by bucket ", bucket, " as ", nameOf(kind), " of key ", key) } };
    Violations found;
    if (asked.isApplied)
        found.push_back({ 10, say(what, " took effect twice, now in bucket ", bucket) });
    if (asked.isFinished && (meansNoEffect(asked.outcome) || (asked.outcome == Outcome::Retry && !asked.isCopied)))
        found.push_back({ 10, say(what, " took effect after its client had been told ", nameOf(asked.outcome)) });
    for (const auto& [outcome, value] : asked.replies)
        if (!asked.isFinished && meansNoEffect(outcome))
            found.push_back({ 10, say(what, " took effect after a bucket had answered ", nameOf(outcome)) });
    std::vector<Version>& versions = m_keys[key];
    const bool wasPresent = versions.back().isPresent;
    if (wasPresent == (kind == RequestKind::Insert))
        found.push_back({ 8, say(what, " took effect on a key that ", (wasPresent ? "exists" : "does not exist")) });
    versions.back().until = now;
    Version version;
    version.from = now;
    version.isPresent = kind != RequestKind::Delete;
    if (version.isPresent)
        version.value = asked.value;
    version.writer = request;
    version.bucket = bucket;
    version.sequence = sequence;
    version.isAcknowledged = false;
    asked.isApplied = true;
    asked.version = versions.size();
    versions.push_back(std::move(version));
    ++m_changes;
    return found;
}

Violations RequestLedger::withdrawn(std::uint32_t bucket, std::uint64_t cut)
{
    Violations found;
    for (auto& [key, versions] : m_keys) {
        for (Version& version : versions) // what the survivors have is safe, even if it was not acknowledged
            version.isAcknowledged = version.isAcknowledged || (version.bucket == bucket && version.sequence <= cut);
        while (
            versions.back().writer.client != 0 && versions.back().bucket == bucket && versions.back().sequence > cut) {
            const Version& gone = versions.back();
            Request& asked = m_requests.at(gone.writer);
            if (gone.isAcknowledged)
                found.push_back({ 7,
                    say(describe(gone.writer, asked), " was acknowledged as change ", gone.sequence, " of bucket ",
                        bucket, ", which is recovered up to change ", cut) });
            asked.isApplied = false;
            versions.pop_back();
            versions.back().until = std::numeric_limits<std::int64_t>::max();
        }
    }
    return found;
}

void RequestLedger::settled(std::uint32_t bucket)
{
    for (auto& [key, versions] : m_keys)
        for (Version& version : versions)
            if (version.bucket == bucket && version.writer.client != 0)
                version.bucket = ~0U, version.isAcknowledged = true;
}

Version* RequestLedger::findShown(
    const Request& request, bool isPresent, const std::string_view* value, std::int64_t now)
{
    std::vector<Version>& versions = m_keys[request.key];
    Version* shown = nullptr;
    for (auto version = versions.rbegin(); version != versions.rend() && version->until >= request.issued; ++version) {
        if (version->from > now || version->isPresent != isPresent || (value && version->value != *value))
            continue;
        if (version->isAcknowledged)
            return &*version;
        if (!shown)
            shown = &*version;
    }
    return shown;
}

Violations RequestLedger::replied(
    RequestName request, Outcome outcome, std::string_view value, std::int64_t now, Version** shown)
{
    *shown = nullptr;
    const auto it = m_requests.find(request);
    if (it == m_requests.end())
        return { { 19,
            say("a reply to (client ", request.client, ", request ", request.number, "), which no client sent") } };
    Request& asked = it->second;
    const std::string what = describe(request, asked);
    const std::pair<Outcome, std::string> reply(outcome, std::string(value));
    if (std::find(asked.replies.begin(), asked.replies.end(), reply) == asked.replies.end())
        asked.replies.push_back(reply);
    switch (outcome) {
    case Outcome::Ok:
        if (asked.kind != RequestKind::Search) {
            if (!asked.isApplied)
                return { { 6, say(what, " was answered OK and has changed nothing") } };
            *shown = &m_keys[asked.key][asked.version];
            return {};
        }
        *shown = findShown(asked, true, &value, now);
        if (*shown)
            return {};
        for (const Version& version : m_keys[asked.key])
            if (version.isPresent && version.value == value)
                return { { 8,
                    say(what, " brought the value of (client ", version.writer.client, ", request ",
                        version.writer.number, "), which was not current while it ran") } };
        return { { 19, say(what, " brought ", value.size(), " bytes that nobody wrote") } };
    case Outcome::NotFound:
    case Outcome::Exists: {
        if (asked.isApplied)
            return { { 10, say(what, " took effect and is answered ", nameOf(outcome)) } };
        *shown = findShown(asked, outcome == Outcome::Exists, nullptr, now);
        if (*shown)
            return {};
        return { { 8,
            say(what, " was answered ", nameOf(outcome), " although the key was ",
                (outcome == Outcome::Exists ? "absent" : "there"), " while it ran") } };
    }
    case Outcome::Retry:
    case Outcome::Lost:
    case Outcome::Unknown:
    case Outcome::Invalid: return {};
    }
    return {};
}

Violations RequestLedger::finished(RequestName request, Outcome outcome, std::string_view value)
{
    const auto it = m_requests.find(request);
    if (it == m_requests.end())
        return {}; // refused before sending
    Request& asked = it->second;
    const std::string what = describe(request, asked);
    Violations found;
    if (asked.isFinished)
        found.push_back({ 10, say(what, " has two results") });
    asked.isFinished = true;
    asked.outcome = outcome;
    if (outcome == Outcome::Retry && asked.isApplied && !asked.isCopied)
        found.push_back({ 10, say(what, " ended with RETRY and has taken effect") });
    if (outcome == Outcome::Ok || outcome == Outcome::NotFound || outcome == Outcome::Exists) {
        const auto isSame = [&](const auto& reply) { return reply.first == outcome && reply.second == value; };
        if (std::none_of(asked.replies.begin(), asked.replies.end(), isSame))
            found.push_back({ 10, say(what, " ended with ", nameOf(outcome), ", which no bucket answered") });
    }
    return found;
}

void RequestLedger::acknowledged(RequestName request)
{
    const auto it = m_requests.find(request);
    if (it != m_requests.end() && it->second.isApplied)
        m_keys[it->second.key][it->second.version].isAcknowledged = true;
}

const Version* RequestLedger::latest(std::uint64_t key) const
{
    const auto it = m_keys.find(key);
    return it == m_keys.end() ? nullptr : &it->second.back();
}

const Version* RequestLedger::writtenBy(RequestName request) const
{
    const auto it = m_requests.find(request);
    if (it == m_requests.end() || !it->second.isApplied)
        return nullptr;
    return &m_keys.at(it->second.key)[it->second.version];
}

std::map<std::uint64_t, std::string> RequestLedger::contents() const
{
    std::map<std::uint64_t, std::string> records;
    for (const auto& [key, versions] : m_keys)
        if (versions.back().isPresent)
            records.emplace(key, versions.back().value);
    return records;
}

std::vector<std::uint64_t> RequestLedger::keys() const
{
    std::vector<std::uint64_t> all;
    for (const auto& [key, versions] : m_keys)
        all.push_back(key);
    return all;
}

std::vector<std::uint64_t> RequestLedger::presentKeys() const
{
    std::vector<std::uint64_t> present;
    for (const auto& [key, versions] : m_keys)
        if (versions.back().isPresent)
            present.push_back(key);
    return present;
}

std::optional<RequestLedger::Issued> RequestLedger::issuedAs(RequestName request) const
{
    const auto it = m_requests.find(request);
    if (it == m_requests.end())
        return std::nullopt;
    return Issued { it->second.issued, it->second.kind, it->second.key };
}

} // namespace lhrs::check
