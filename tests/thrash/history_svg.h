// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/history.h"

#include <string>
#include <vector>

namespace lhrs::check {

struct HistoryPicture {
    std::string title {};
    std::size_t marked = kNoOperation; // the operation that is wrong
    std::size_t operationsMax = 200; // of a longer history, only the last ones are drawn
    std::vector<std::vector<HistoryTime>> instants {}; // where each operation could take effect, if known
};

// A key's history as the text of an SVG file: each operation is a bar from invocation to answer, each process a lane.
// An operation of unknown outcome extends to the right edge, and its process continues in a further lane. Time runs to
// the right in order but not to scale: instants are as far apart as their labels need. The tooltip of a bar shows the
// whole operation.
std::string historySvg(const History& history, const HistoryPicture& picture);

// The shortest illegal prefix of a history that is not linearizable, with its last answer marked. Unless the prefix is
// long, dots show where the other operations could take effect before that answer came. A linearizable history is drawn
// whole.
std::string violationSvg(const std::string& title, const History& history);

} // namespace lhrs::check
