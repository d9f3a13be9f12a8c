// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/process/process_state.h"

#include "gui/lab/state/process/fault_sentences.h"

#include <algorithm>

namespace lhrs::gui {

ProcessState::ProcessState() = default;
ProcessState::ProcessState(const ProcessState& other) = default;
ProcessState::ProcessState(ProcessState&& other) noexcept = default;
ProcessState& ProcessState::operator=(const ProcessState& other) = default;
ProcessState& ProcessState::operator=(ProcessState&& other) noexcept = default;
ProcessState::~ProcessState() = default;

void arm(ProcessState& process, const pb::Fault& fault)
{
    if (isInstant(fault))
        return;
    process.isPaused = process.isPaused || fault.has_pause();
    process.faults[fault.number()] = { faultWords(fault, process.id), std::make_shared<pb::Fault>(fault) };
    // The other side of the partition is told too; an isolated process has all others as its other side.
    const auto& peers = fault.partition().peers();
    const bool isOwn = std::any_of(
        peers.begin(), peers.end(), [&](const pb::FaultPeer& peer) { return peer.node() == process.id; });
    if (fault.has_partition() && fault.partition().all_but_peers() && isOwn)
        process.cuts.insert(fault.number());
}

void disarm(ProcessState& process, const pb::Fault& fault)
{
    process.isPaused = process.isPaused && !fault.has_pause();
    process.faults.erase(fault.number());
    process.cuts.erase(fault.number());
}

void noteTrouble(ProcessState& process, std::int64_t runNs)
{
    std::vector<Trouble>& all = process.troubles;
    const bool isOpen = !all.empty() && all.back().toNs == Trouble::kGoesOn;
    if (!process.isPaused && !process.isGated && process.faults.empty()) {
        if (isOpen)
            all.back().toNs = runNs;
        return;
    }
    if (!isOpen) {
        if (all.size() >= ProcessState::kTroubles)
            all.erase(all.begin());
        all.push_back({ .fromNs = runNs });
    }
    const bool isOfNetwork = std::any_of(process.faults.begin(), process.faults.end(),
        [](const auto& item) { return item.second.what->has_network() || item.second.what->has_partition(); });
    all.back().reachesOthers = all.back().reachesOthers || process.isGated || isOfNetwork;
}

} // namespace lhrs::gui
