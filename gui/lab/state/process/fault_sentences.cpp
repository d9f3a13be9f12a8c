// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/process/fault_sentences.h"

#include "common/kinds.h"
#include "gui/lab/state/process/sentence_words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace lhrs::gui {

namespace {

std::string percent(double share)
{
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "%.3g %%", 100 * share);
    return text.data();
}

std::string inMilliseconds(double ns)
{
    std::array<char, 32> text {};
    if (ns < 999.5e6)
        std::snprintf(text.data(), text.size(), "%.3g ms", ns / 1e6);
    else
        std::snprintf(text.data(), text.size(), ns < 99.95e9 ? "%.3g s" : "%.0f s", ns / 1e9);
    return text.data();
}

// "a, b and c"
std::string listed(const std::vector<std::string>& parts)
{
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

template <class Network> std::string peerWords(const Network& network)
{
    if (network.peers().empty())
        return "all others";
    const std::string count = num(std::uint64_t(network.peers_size()));
    const std::string processes = network.peers_size() == 1 ? " process" : " processes";
    return network.all_but_peers() ? "all but " + count + processes : count + processes;
}

std::string networkWords(const pb::NetworkFault& fault)
{
    std::vector<std::string> parts;
    const auto share = [&parts](double value, const char* verb) {
        if (value > 0)
            parts.push_back(std::string(verb) + " " + percent(value));
    };
    share(fault.drop(), "loses");
    share(fault.duplicate(), "duplicates");
    share(fault.reorder(), "reorders");
    share(fault.corrupt(), "corrupts");
    share(fault.cut(), "cuts the connection in");
    if (fault.delay_ms() > 0 || fault.jitter_ms() > 0)
        parts.push_back("delays by " + num(fault.delay_ms())
            + (fault.jitter_ms() > 0 ? " to " + num(fault.delay_ms() + fault.jitter_ms()) : "") + " ms");
    if (fault.bytes_per_second() > 0)
        parts.push_back("lets " + num(fault.bytes_per_second()) + " bytes a second through");
    std::string kinds;
    for (const std::string& kind : fault.kinds())
        kinds += (kinds.empty() ? "" : ", ") + kind;
    std::string text = listed(parts) + " of " + (kinds.empty() ? "what" : "the messages (" + kinds + ") that");
    switch (fault.way()) {
    case pb::OUTGOING: return text + " it sends to " + peerWords(fault);
    case pb::INCOMING: return text + " it gets from " + peerWords(fault);
    case pb::BOTH_WAYS:
    case pb::FaultWay_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::FaultWay_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return text + " it exchanges with " + peerWords(fault);
}

// At one of the isolated processes, the peers are the isolated processes themselves.
std::string othersWords(const pb::PartitionFault& fault, ProcessId at)
{
    const bool isIsolated = fault.all_but_peers()
        && std::any_of(fault.peers().begin(), fault.peers().end(),
            [at](const pb::FaultPeer& peer) { return at != 0 && peer.node() == at; });
    if (!isIsolated)
        return peerWords(fault);
    return fault.peers_size() == 1 ? "all others" : "all but " + num(std::uint64_t(fault.peers_size() - 1)) + " others";
}

std::string partitionWords(const pb::PartitionFault& fault, ProcessId at)
{
    switch (fault.way()) {
    case pb::OUTGOING: return "no longer reaches " + othersWords(fault, at);
    case pb::INCOMING: return "no longer hears " + othersWords(fault, at);
    case pb::BOTH_WAYS:
    case pb::FaultWay_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::FaultWay_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "is cut off from " + othersWords(fault, at);
}

} // namespace

bool isInstant(const pb::Fault& fault) { return fault.has_crash() && fault.crash().at().empty(); }

std::string faultWords(const pb::Fault& fault, ProcessId at)
{
    switch (fault.what_case()) {
    case pb::Fault::kNetwork: return networkWords(fault.network());
    case pb::Fault::kPartition: return partitionWords(fault.partition(), at);
    case pb::Fault::kPause: return "is paused";
    case pb::Fault::kCrash:
        if (fault.crash().at().empty())
            return "ends itself at once";
        return "is to end itself at event " + fault.crash().at()
            + (fault.crash().count() > 1 ? " number " + num(fault.crash().count()) : "");
    case pb::Fault::WHAT_NOT_SET: break;
    }
    return "has a fault of an unknown kind";
}

std::vector<std::string> faultBadge(const pb::Fault& fault)
{
    if (fault.has_crash() && !fault.crash().at().empty()) {
        const Kind* event = eventKindNamed(fault.crash().at());
        const std::string step = event != nullptr ? event->type : fault.crash().at();
        const std::string often = fault.crash().count() > 1 ? num(fault.crash().count()) + " × " : "";
        return { "ends at " + often + step, often + step };
    }
    if (!fault.has_network())
        return {};
    const pb::NetworkFault& network = fault.network();
    std::string longer, shorter;
    const auto add = [](std::string& text, const std::string& part, const char* between) {
        text += (text.empty() ? "" : between) + part;
    };
    const auto share = [&](double value, const char* verb, const char* sign) {
        if (value <= 0)
            return;
        add(longer, verb + (" " + percent(value)), ", ");
        add(shorter, sign + percent(value), " ");
    };
    share(network.drop(), "loses", "−");
    share(network.duplicate(), "duplicates", "×2 ");
    share(network.reorder(), "reorders", "↷ ");
    share(network.corrupt(), "corrupts", "≠ ");
    share(network.cut(), "cuts", "✂ ");
    if (network.delay_ms() > 0 || network.jitter_ms() > 0) {
        const std::string upTo = network.jitter_ms() > 0 ? "–" + num(network.delay_ms() + network.jitter_ms()) : "";
        add(longer, "+" + num(network.delay_ms()) + upTo + " ms", ", ");
        add(shorter, "+" + num(network.delay_ms()) + upTo + " ms", " ");
    }
    if (network.bytes_per_second() > 0) {
        const std::string rate = network.bytes_per_second() >= 10'000 ? num(network.bytes_per_second() / 1000) + " kB/s"
                                                                      : num(network.bytes_per_second()) + " B/s";
        add(longer, "at most " + rate, ", ");
        add(shorter, "≤" + rate, " ");
    }
    std::vector<std::string> wordings { longer, shorter };
    if (const auto second = shorter.find(" +"); second != std::string::npos && second > 0)
        wordings.push_back(shorter.substr(0, second) + " …");
    return wordings;
}

std::string effectWords(const pb::Fault& fault, const pb::FaultEffect& achieved)
{
    if (fault.has_pause())
        return "paused for " + inMilliseconds(double(achieved.lasted_ns()));
    if (fault.has_crash())
        return "the event did not come";
    std::vector<std::string> parts;
    const auto count = [&parts](std::uint64_t number, const char* what) {
        if (number > 0)
            parts.push_back(num(number) + " " + what);
    };
    count(achieved.dropped() + achieved.overflowed(), "lost");
    count(achieved.duplicated(), "duplicated");
    count(achieved.reordered(), "reordered");
    count(achieved.corrupted(), "corrupted");
    count(achieved.cut(), "cut");
    if (achieved.delayed() > 0)
        parts.push_back(num(achieved.delayed()) + " delayed by "
            + inMilliseconds(double(achieved.delay_sum_ns()) / double(achieved.delayed())) + " on average");
    return num(achieved.messages()) + (achieved.messages() == 1 ? " message" : " messages")
        + (parts.empty() ? "" : ": " + listed(parts));
}

std::string endWords(const pb::FaultEnded& ended)
{
    return "is free of a fault, " + ended.reason() + " (" + effectWords(ended.fault(), ended.achieved()) + ").";
}

} // namespace lhrs::gui
