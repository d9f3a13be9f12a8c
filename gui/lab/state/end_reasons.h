// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lhrs::gui {

// Why a process ended, where a person or a script wanted it: in Told.ended of a recording, and in what is shown.
inline constexpr const char* kKilledOnRequest = "killed on request";
inline constexpr const char* kStartedAgain = "started again";

} // namespace lhrs::gui
