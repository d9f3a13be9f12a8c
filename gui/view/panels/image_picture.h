// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/display_list.h"

#include <QString>

#include <optional>

namespace lhrs::gui {

// What a client believes of the file, beside what is true: its image (i', n') with M' buckets over the file's (i, n)
// with M, the address formulas filled in with a key, the last operations with their way, how often operations were
// forwarded beside the theory. Geometry and words are in the display list, so that a test can ask it.
struct ImagePicture {
    qreal height = 0; // that the list needs at the width asked for
};
// `tried`: a key whose way is worked out with nothing sent; nothing: the last operation's key.
ImagePicture drawImages(const ClusterState& state, const Theme& theme, ObjectRef selected, qreal width, DisplayList& out,
    std::optional<std::uint64_t> tried = std::nullopt);

// How the address of a key is computed with an image, as one line of arithmetic: "4711 mod 4 = 3 ≥ n = 0: bucket 3".
QString addressWords(std::uint64_t key, std::uint32_t i, std::uint32_t n);

} // namespace lhrs::gui
