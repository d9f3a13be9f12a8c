// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/words/lhrs/decoding.h"
#include "gui/view/paint/display_list.h"

#include <QString>

#include <vector>

namespace lhrs::gui {

// A part of the picture that can be clicked but is not an object of the cluster.
struct GroupSpot {
    enum class Kind { Symbol, Step };
    Kind kind = Kind::Symbol;
    std::size_t index = 0;
    QRectF rect;
};

struct GroupPicture {
    qreal height = 0; // the height that the list needs at the given width
    std::vector<GroupSpot> spots;
};

// A record group: its members, and below them the chosen page. Geometry and words are in the display list, so that
// screen, SVG, PNG and tests use the same. `note`: where the bytes come from, e.g. that they are newer than the
// picture.
GroupPicture drawRecordGroup(
    const Decoding& decoding, const QString& note, const Theme& theme, qreal width, DisplayList& out);

// What is drawn if there is no group: a title and what to do.
GroupPicture drawNoGroup(const QString& title, const QString& words, const Theme& theme, qreal width, DisplayList& out);

} // namespace lhrs::gui
