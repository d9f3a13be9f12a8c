// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/words/decoding.h"
#include "gui/view/paint/display_list.h"

#include <QString>

#include <vector>

namespace lhrs::gui {

// Something of the picture that can be clicked and is no object of the cluster.
struct GroupSpot {
    enum class Kind { Symbol, Step };
    Kind kind = Kind::Symbol;
    std::size_t index = 0;
    QRectF rect;
};

struct GroupPicture {
    qreal height = 0; // that the list needs at the width asked for
    std::vector<GroupSpot> spots;
};

// A record group: its members, and below them the page that is asked for. Geometry and words are in the display list, so
// that screen, SVG, PNG and tests have the same. `note`: what the bytes are, e.g. that they are younger than the picture.
GroupPicture drawRecordGroup(const Decoding& decoding, const QString& note, const Theme& theme, qreal width, DisplayList& out);

// What stands there instead: a title and what to do.
GroupPicture drawNoGroup(const QString& title, const QString& words, const Theme& theme, qreal width, DisplayList& out);

} // namespace lhrs::gui
