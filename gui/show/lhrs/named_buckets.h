// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/named_thing.h"

namespace lhrs::gui {

// The buckets that a text mentions: "data 1" for "bucket 1" and "buckets 0 and 1", "parity 0.1" for "parity bucket
// 0.1".
NamedThings bucketsNamed(const QString& text);

} // namespace lhrs::gui
