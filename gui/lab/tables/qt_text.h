// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>

namespace lhrs::gui {

inline QString text(const std::string& words) { return QString::fromStdString(words); }

} // namespace lhrs::gui
