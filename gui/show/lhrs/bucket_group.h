// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/object_ref.h"

#include <optional>

namespace lhrs::gui {

// The bucket group of a bucket, a parity bucket or a dummy; empty if it has none.
inline std::optional<std::uint64_t> bucketGroupOf(ObjectRef object, std::uint32_t m)
{
    if (object.kind == ObjectKind::Data || object.kind == ObjectKind::Dummy)
        return object.a / m;
    return object.kind == ObjectKind::Parity ? std::optional(object.a) : std::nullopt;
}

} // namespace lhrs::gui
