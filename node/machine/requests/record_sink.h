// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"

#include <cstdint>
#include <string_view>

namespace lhrs {

// Receives the records that the scans of a client find, for a part of the same process that keeps none of their values.
// Called within a step of the client's machine. A record that moves during a scan may be passed twice.
class RecordSink {
public:
    virtual ~RecordSink() = default;
    // Whether the records of the scan with this ticket are wanted.
    virtual bool wants(std::uint64_t ticket) const = 0;
    // Returns whether the record counts for taken(). The value is valid only during the call.
    virtual bool found(Key key, std::string_view value) = 0;
    // The scan is over, and its reply follows. `count`: how many different records counted.
    virtual void taken(std::uint64_t count) = 0;
};

} // namespace lhrs
