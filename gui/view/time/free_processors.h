// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include <cstdint>
#include <optional>

namespace lhrs::gui {

// How long the processors of this machine were busy and idle since it started, in ticks of the kernel.
struct ProcessorTime {
    std::uint64_t all = 0, idle = 0;

    // Parses the text of /proc/stat; nothing if its form is different.
    static std::optional<ProcessorTime> read(const QByteArray& text);
    static std::optional<ProcessorTime> now();
};

// Whether this machine has idle processors. If a cluster uses all of them, what the window computes is taken from the
// cluster: a request waits for a processor that paints.
class FreeProcessors {
public:
    // To be called a few times a second. An interval that is too short is counted together with the next one.
    void take(const ProcessorTime& now);
    // Less than a tenth of the time was idle recently; this holds until more than a quarter is.
    bool areScarce() const { return m_areScarce; }

private:
    std::optional<ProcessorTime> m_before;
    bool m_areScarce = false;
};

} // namespace lhrs::gui
