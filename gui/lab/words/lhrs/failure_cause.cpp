// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/lhrs/failure_cause.h"

#include "common/lhrs/failure_reasons.h"

#include <algorithm>
#include <cstdio>

namespace lhrs::gui {

namespace {

// Time after its end in which a disturbance may still cause a failure.
constexpr std::int64_t kAftermathNs = 3'000'000'000;

bool wasTroubled(const ProcessState& process, std::int64_t atNs, bool isOther)
{
    return std::any_of(process.troubles.begin(), process.troubles.end(), [&](const Trouble& trouble) {
        const bool isOver = trouble.toNs != Trouble::kGoesOn && trouble.toNs + kAftermathNs < atNs;
        return trouble.fromNs <= atNs && !isOver && (!isOther || trouble.reachesOthers);
    });
}

// Whether the process is alive after the failure, and was not disturbed before it in a way that could have silenced
// it.
bool wasOnlyLate(const FileView& state, const ProcessState& process, const FailureReport& failure)
{
    const bool isHere = process.address.starts_with("127.");
    if (state.isSimulated || !isHere || process.heardNs <= failure.atNs)
        return false;
    return std::none_of(state.processes.begin(), state.processes.end(), [&](const auto& item) {
        const bool isOther = item.first != process.id && item.first != failure.by;
        return wasTroubled(item.second, failure.atNs, isOther);
    });
}

std::string lateWords(const FailureReport& failure)
{
    if (failure.silentNs <= 0)
        return "no answer: this machine is busy";
    char words[32];
    const double seconds = double(failure.silentNs) / 1e9;
    std::snprintf(words, sizeof words, seconds < 10 ? "%.2g" : "%.0f", seconds);
    return "no answer for " + std::string(words) + " s: this machine is busy";
}

std::string reasonOf(const FileView& state, ProcessId failed, const FailureReport& failure, const std::string& told)
{
    const auto process = state.processes.find(failed);
    const bool isKnown = process != state.processes.end();
    const bool isLate = isKnown && isSilence(told) && wasOnlyLate(state, process->second, failure);
    return isLate ? lateWords(failure) : told;
}

} // namespace

std::string shownReason(const FileView& state, const DownMember& down)
{
    const auto failure = state.failures.find(down.process);
    const bool isThis = failure != state.failures.end() && failure->second.atNs == down.sinceNs;
    return isThis ? reasonOf(state, down.process, failure->second, down.reason) : down.reason;
}

std::string shownReason(const FileView& state, ProcessId by, const pb::Event& event)
{
    const pb::BucketFailed& told = event.bucket_failed();
    const auto failure = state.failures.find(told.process());
    const bool isThis = failure != state.failures.end() && failure->second.by == by
        && failure->second.event == event.sequence();
    return isThis ? reasonOf(state, told.process(), failure->second, told.reason()) : told.reason();
}

} // namespace lhrs::gui
