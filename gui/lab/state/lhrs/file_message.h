// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"
#include "gui/lab/state/lhrs/file_view.h"

#include <cstdint>
#include <functional>
#include <optional>

// A file as a part of a keyframe.
namespace lhrs::gui {

// One page of a bucket's ranks.
pb::RankPage pageOf(const RankMap& ranks, std::uint32_t page);

// For buckets in the row, `out` gets the page numbers only, unless `isWhole`.
void writeFile(const FileView& file, bool isWhole, pb::Keyframe& out);

// Returns a page of a bucket in the row; empty if it cannot be read.
using PageSource = std::function<std::optional<pb::RankPage>(std::int64_t place, std::uint32_t page)>;
// The inverse. Error: a page is missing, or the contents are not a state.
std::optional<Error> readFile(const pb::Keyframe& from, const PageSource& pages, FileView& file);

} // namespace lhrs::gui
