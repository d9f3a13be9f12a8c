// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/rows/captured_part.h"
#include "proto/control.pb.h"

#include <cstdint>
#include <functional>
#include <optional>

// What a bucket contained, as tables, record groups and witnesses read it during a run.
namespace lhrs::gui {

// A page of contents that was read from this rank on, for this many ranks; empty if it has no place.
std::optional<CapturedPart> partOf(const pb::ContentsPage& page, std::uint32_t rankFrom, std::uint32_t count);

// Calls `take` with the readings that contain any of these ranks, the newest first, until it returns false.
using CapturedParts = std::function<void(const std::function<bool(const CapturedPart&)>& take)>;
// The newest reading of each of these ranks of a place; empty if none of them had been read.
std::optional<pb::ContentsPage> capturedContents(
    const pb::Place& place, std::uint32_t rankFrom, std::uint32_t count, const CapturedParts& parts);

} // namespace lhrs::gui
