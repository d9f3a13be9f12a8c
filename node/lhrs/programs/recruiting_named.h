// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/recruiting.h"

#include <string_view>

namespace lhrs {

// The value of --recruiting that has this name.
inline Recruiting recruitingNamed(std::string_view word)
{
    return word == "multicast" ? Recruiting::Multicast : word == "registry" ? Recruiting::Registry : Recruiting::Auto;
}

} // namespace lhrs
