// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/display_list.h"

#include <QString>

#include <optional>

namespace lhrs::gui {

// A client's image beside the true state of the file: the image (i', n') with M' buckets over the file's (i, n) with M;
// the address formulas filled in with a key; the last operations and their paths; and how often operations were
// forwarded, beside the theory. Geometry and words are in the display list, so that a test can check them.
struct ImagePicture {
    qreal height = 0; // the height that the list needs at the given width
};
// `tried`: a key whose path is computed without sending anything; nothing: the key of the last operation.
ImagePicture drawImages(const ClusterState& state, const Theme& theme, ObjectRef selected, qreal width,
    DisplayList& out, std::optional<std::uint64_t> tried = std::nullopt);

// How the address of a key is computed with an image, as one line of arithmetic: "4711 mod 4 = 3 ≥ n = 0: bucket 3".
QString addressWords(std::uint64_t key, std::uint32_t i, std::uint32_t n);

} // namespace lhrs::gui
