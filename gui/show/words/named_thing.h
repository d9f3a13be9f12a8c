// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <utility>
#include <vector>

namespace lhrs::gui {

// Things that a text mentions, by their names in the picture, each with its position in the text.
using NamedThings = std::vector<std::pair<qsizetype, QString>>;

} // namespace lhrs::gui
