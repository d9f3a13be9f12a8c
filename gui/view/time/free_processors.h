// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include <cstdint>
#include <optional>

namespace lhrs::gui {

// How long the processors of this machine worked and rested since it started, in ticks of its kernel.
struct ProcessorTime {
    std::uint64_t all = 0, idle = 0;

    // From the text of /proc/stat; nothing where that has another form.
    static std::optional<ProcessorTime> read(const QByteArray& text);
    static std::optional<ProcessorTime> now();
};

// Whether this machine has processors to spare. A window beside a cluster that keeps all of them at work takes from the
// cluster what it computes for itself: a request waits for a processor that paints.
class FreeProcessors {
public:
    // To be told a few times a second. Too short an interval is counted with the next one.
    void take(const ProcessorTime& now);
    // Less than a tenth was free lately; until more than a quarter is.
    bool areScarce() const { return m_areScarce; }

private:
    std::optional<ProcessorTime> m_before;
    bool m_areScarce = false;
};

} // namespace lhrs::gui
