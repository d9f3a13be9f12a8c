// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "proto/control.pb.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace lhrs {

// What the store answered to one operation.
struct StoreAnswer {
    pb::ResultCode result = pb::RESULT_UNKNOWN;
    std::string value; // of a search that found a record
    std::string text; // why it was not carried out, if the store says so
};

// What a conversation with one client asks of a store. Every request is answered exactly once, later: by onAnswer(),
// onPage() or onCount() of the conversation, never within the call.
class StorePort {
public:
    virtual ~StorePort() = default;
    // `operation`: a number below RespConversation::kWindow, which the answer repeats. Operations on one key are given
    // one after the other.
    virtual void operate(std::uint32_t operation, pb::OperationKind kind, Key key, std::string_view value) = 0;
    // Some keys from this store key on, in the order of store keys.
    virtual void readPage(std::uint64_t from, std::uint32_t count) = 0;
    virtual void countKeys() = 0;
};

} // namespace lhrs
