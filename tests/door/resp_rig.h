// SPDX-License-Identifier: GPL-3.0-or-later
// A conversation with a client of the Redis protocol and a store that is a map: its answers come when the test says.
#pragma once

#include "node/door/resp_conversation.h"
#include "node/door/stored_key.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs::test {

struct MapStore : StorePort {
    struct Asked {
        std::uint32_t operation = 0;
        pb::OperationKind kind = pb::OPERATION_UNKNOWN;
        Key key;
        std::string value;
    };
    void operate(std::uint32_t operation, pb::OperationKind kind, Key key, std::string_view value) override
    {
        const bool isOther = std::none_of(open.begin(), open.end(), [key](const Asked& a) { return a.key == key; });
        keysAreApart = keysAreApart && isOther;
        open.push_back({ operation, kind, key, std::string(value) });
        mostOpen = std::max(mostOpen, open.size());
    }
    void readPage(std::uint64_t from, std::uint32_t count) override { page = { from, count }; }
    void countKeys() override { wantsCount = true; }

    // What the store does with an operation.
    StoreAnswer carryOut(const Asked& asked)
    {
        const auto found = records.find(asked.key.value);
        const bool isThere = found != records.end();
        StoreAnswer answer { pb::OK, {}, {} };
        if (asked.kind == pb::INSERT ? isThere : !isThere) {
            answer.result = isThere ? pb::EXISTS : pb::NOT_FOUND;
            return answer;
        }
        if (asked.kind == pb::SEARCH)
            answer.value = found->second;
        else if (asked.kind == pb::DELETE)
            records.erase(found);
        else
            records[asked.key.value] = asked.value;
        return answer;
    }

    std::map<std::uint64_t, std::string> records;
    std::deque<Asked> open; // operations without an answer
    std::size_t mostOpen = 0;
    bool keysAreApart = true; // no two operations on one key were open at once
    struct Wanted {
        std::uint64_t from = 0;
        std::uint32_t count = 0;
    };
    std::optional<Wanted> page;
    bool wantsCount = false;
};

inline std::string bulkOf(std::string_view bytes)
{
    return '$' + std::to_string(bytes.size()) + "\r\n" + std::string(bytes) + "\r\n";
}

// A request as clients send it.
inline std::string request(const std::vector<std::string>& words)
{
    std::string bytes = '*' + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words)
        bytes += bulkOf(word);
    return bytes;
}

struct RespRig {
    // Answers the open operation at this place.
    void answer(std::size_t place = 0)
    {
        const MapStore::Asked asked = store.open[place];
        store.open.erase(store.open.begin() + std::ptrdiff_t(place));
        talk.onAnswer(asked.operation, store.carryOut(asked));
    }
    // Answers an operation with a result of the test.
    void answerWith(pb::ResultCode result, const std::string& text = {}, std::string value = {})
    {
        const MapStore::Asked asked = store.open.front();
        store.open.pop_front();
        talk.onAnswer(asked.operation, { result, std::move(value), text });
    }
    void answerAll()
    {
        while (!store.open.empty() || store.page || store.wantsCount) {
            if (!store.open.empty())
                answer();
            if (std::exchange(store.wantsCount, false))
                talk.onCount(store.records.size());
            if (const auto wanted = std::exchange(store.page, std::nullopt)) {
                KeyWindow window;
                for (const auto& [key, record] : store.records)
                    window.found(Key(key), record);
                window.close();
                talk.onPage(window.page(wanted->from, wanted->count));
            }
        }
    }
    // The replies so far, which are then sent.
    std::string replies()
    {
        std::string taken;
        while (!talk.output().empty()) {
            const std::string part(talk.output());
            taken += part;
            talk.sent(part.size());
        }
        return taken;
    }
    void give(std::string_view bytes) { talk.onBytes(bytes); }
    // The reply to one request.
    std::string ask(const std::vector<std::string>& words)
    {
        give(request(words));
        answerAll();
        return replies();
    }

    MapStore store;
    DoorCounters counters;
    DoorDescription door;
    RespConversation talk { store, counters, door, 5 };
};

} // namespace lhrs::test
