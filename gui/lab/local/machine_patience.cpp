// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/machine_patience.h"

#include "common/number_words.h"

namespace lhrs::gui {

namespace {

constexpr std::int64_t kProbingNs = 90'000'000; // default of probes_max times probe_ms in pb::Timers
constexpr std::int64_t kWakesOfProbe = 4;
constexpr unsigned kScaleMost = 8;

} // namespace

unsigned timeScaleFor(std::int64_t wakeLateNs)
{
    unsigned scale = 1;
    while (scale < kScaleMost && wakeLateNs > kProbingNs / kWakesOfProbe * scale)
        scale *= 2;
    return scale;
}

std::int64_t declaredAfterMs(const pb::Timers& timers)
{
    return std::int64_t(timers.suspect_ms()) + std::int64_t(timers.probe_ms()) * timers.probes_max();
}

std::string patienceWords(const MachinePatience& patience)
{
    if (patience.timeScale == 1)
        return {};
    return "this machine wakes processes up to " + std::to_string((patience.wakeLateNs + 999'999) / 1'000'000)
        + " ms late; failures are declared after " + numberWord(double(declaredAfterMs(patience.timers)) / 1000) + " s";
}

} // namespace lhrs::gui
