// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/process/process_state.h"

namespace lhrs::gui {

// A key operation of a client: the way from the bucket that its image named to the one that answered.
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

// What a client of a file has beside what each client has: its image, and its operations.
struct FileClient {
    FileClient();
    FileClient(const FileClient& other);
    FileClient(FileClient&& other) noexcept;
    FileClient& operator=(const FileClient& other);
    FileClient& operator=(FileClient&& other) noexcept;
    ~FileClient();

    pb::FileState image;
    pb::ImageMode mode = pb::ADJUSTING;
    std::uint64_t imageAdjustments = 0;
    std::deque<OperationState> last; // newest at the back, at most kOperations
    static constexpr std::size_t kOperations = 32;

    // The operation; null if it is too old to be kept.
    const OperationState* operation(std::uint64_t number) const;
    // The same; one that is not known yet is added.
    OperationState* addOperation(std::uint64_t number);
};

} // namespace lhrs::gui
