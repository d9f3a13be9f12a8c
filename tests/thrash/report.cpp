// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/report.h"

#include <algorithm>
#include <cstdio>

namespace lhrs::thrash {

namespace {

template <class Count> std::string listOf(const std::map<std::string, Count>& counts)
{
    std::string text;
    for (const auto& [name, count] : counts)
        text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
    return text;
}

} // namespace

void Report::add(const Report& other)
{
    for (const auto& [name, count] : other.faults)
        faults[name] += count;
    for (const auto& [name, count] : other.figures.outcomes)
        figures.outcomes[name] += count;
    figures.operations += other.figures.operations;
    figures.retired += other.figures.retired;
    if (other.figures.longestNs > figures.longestNs) {
        figures.longestNs = other.figures.longestNs;
        figures.longestKey = other.figures.longestKey;
    }
    cleanSeconds.insert(cleanSeconds.end(), other.cleanSeconds.begin(), other.cleanSeconds.end());
    shortClients += other.shortClients;
    shortClientsUnsure += other.shortClientsUnsure;
    audits += other.audits;
    clusters += other.clusters;
    losses += other.losses;
    violations += other.violations;
}

std::string Report::words() const
{
    int sum = 0;
    for (const auto& [name, count] : faults)
        sum += count;
    std::string text = "faults: " + std::to_string(sum) + " (" + listOf(faults) + ")\n";
    char line[256];
    std::snprintf(line, sizeof line, "operations: %llu (", static_cast<unsigned long long>(figures.operations));
    text += line + listOf(figures.outcomes) + "), " + std::to_string(figures.retired) + " keys retired";
    if (shortClients > 0)
        text += "; " + std::to_string(shortClients) + " short clients, " + std::to_string(shortClientsUnsure)
            + " without an answer";
    std::snprintf(line, sizeof line, "\nlongest unavailability: %.0f ms, key %llu\n", double(figures.longestNs) / 1e6,
        static_cast<unsigned long long>(figures.longestKey));
    text += line;
    std::vector<double> clean = cleanSeconds;
    std::sort(clean.begin(), clean.end());
    if (!clean.empty()) {
        std::snprintf(line, sizeof line,
            "clean again: %zu times, after %.1f s (median), %.1f s (longest); %u audits of groups\n", clean.size(),
            clean[clean.size() / 2], clean.back(), audits);
        text += line;
    }
    if (losses > 0)
        text += "losses on purpose: " + std::to_string(losses) + "\n";
    return text + "violations: " + std::to_string(violations) + "\n";
}

} // namespace lhrs::thrash
