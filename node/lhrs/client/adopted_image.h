// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/linear_hash.h"
#include "node/machine/effects.h"

namespace lhrs {

// A client takes the file state that the coordinator tells instead of its image, and says so to those who watch.
void adoptImage(FileImage& image, FileImage truth, Effects& out);

} // namespace lhrs
