// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lhrs {

// The end reason of a process that a person or a script ended: in Told.ended of a recording, and as it is shown.
inline constexpr const char* kKilledOnRequest = "killed on request";
inline constexpr const char* kStartedAgain = "started again";

} // namespace lhrs
