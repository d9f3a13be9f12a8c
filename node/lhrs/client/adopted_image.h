// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/linear_hash.h"
#include "node/machine/effects.h"

namespace lhrs {

// Replaces a client's image by the file state that the coordinator sent, and reports this in an event.
void adoptImage(FileImage& image, FileImage truth, Effects& out);

} // namespace lhrs
