// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/process_state.h"

#include <array>

namespace lhrs::gui {

struct OperationState {
    std::uint64_t number = 0, key = 0;
    pb::OperationKind kind = pb::OPERATION_UNKNOWN;
    std::uint32_t computedBucket = 0, bucket = 0, rank = 0, forwards = 0;
    std::vector<std::uint32_t> path; // buckets visited, ascending, because a forward always goes to a larger number
    bool isDone = false, imageAdjusted = false;
    pb::ResultCode result = pb::RESULT_UNKNOWN;
    pb::Path way = pb::DIRECT; // way of the answer, once it is done
    pb::FileState imageBefore, imageAfter;
    std::uint32_t adjustedBucket = 0, adjustedLevel = 0; // (a, j) of the image adjustment
    std::int64_t startedNs = 0, timeNs = 0;
};

struct ClientState {
    ClientState();
    ClientState(const ClientState& other);
    ClientState(ClientState&& other) noexcept;
    ClientState& operator=(const ClientState& other);
    ClientState& operator=(ClientState&& other) noexcept;
    ~ClientState();

    ProcessId process = 0;
    std::string name;
    pb::FileState image;
    pb::ImageMode mode = pb::ADJUSTING;
    std::uint64_t operations = 0, forwards = 0, imageAdjustments = 0, resends = 0, done = 0;
    std::array<std::uint64_t, 3> hops {}; // operations with 0, 1, 2 forwards
    bool isHeld = false; // it begins no new operations
    std::deque<OperationState> last; // newest at the back, at most kOperations
    static constexpr std::size_t kOperations = 32;
};

} // namespace lhrs::gui
