// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/vitals.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>

namespace lhrs::thrash {

namespace {

// A process of these clusters has 20 to 40 MiB. The permitted growth since it was first seen at rest:
constexpr double kGrowthMax = 64;
constexpr std::size_t kDescriptorsMax = 128; // a dozen processes, two connections to each, and its own
constexpr double kFirstHour = 1;
constexpr double kSpanMin = 0.25; // hours: a shorter span says nothing about growth
constexpr double kSlopeMax = 0.01; // fraction of its size per hour

#if defined(__SANITIZE_ADDRESS__) || defined(_GLIBCXX_TSAN)
constexpr bool isInstrumented = true; // freed memory is kept for a while, or shadowed
#else
constexpr bool isInstrumented = false;
#endif

const char* kindWord(Kind kind)
{
    switch (kind) {
    case Kind::Coordinator: return "coordinator";
    case Kind::DataNode: return "data";
    case Kind::ParityNode: return "parity";
    case Kind::Client: return "client";
    }
    return "";
}

// Resident memory in MiB; empty: the process is gone.
std::optional<double> memoryOf(pid_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t all = 0, resident = 0;
    if (!(file >> all >> resident))
        return std::nullopt;
    return double(resident) * double(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

std::optional<std::size_t> descriptorsOf(const std::string& process)
{
    std::error_code error;
    std::size_t count = 0;
    for (std::filesystem::directory_iterator it("/proc/" + process + "/fd", error), end; !error && it != end;
         it.increment(error))
        ++count;
    return error ? std::nullopt : std::optional(count);
}

// The slope of the least-squares line through these points.
template <class Samples> double slopeOf(const Samples& samples)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    const auto n = double(samples.size());
    for (const auto& s : samples) {
        x += s.hours;
        y += s.mebibytes;
        xx += s.hours * s.hours;
        xy += s.hours * s.mebibytes;
    }
    const double spread = n * xx - x * x;
    return spread <= 0 ? 0 : (n * xy - x * y) / spread;
}

} // namespace

std::vector<std::string> Vitals::look(Fleet& fleet)
{
    std::vector<std::string> wrong;
    std::map<Kind, std::vector<double>> sizes;
    for (const auto& process : fleet.all()) {
        if (process->hasEnded)
            continue;
        const auto memory = memoryOf(process->pid);
        const auto descriptors = descriptorsOf(std::to_string(process->pid));
        if (!memory || !descriptors)
            continue; // it has just ended
        sizes[process->kind].push_back(*memory);
        m_largest[process->kind] = std::max(m_largest[process->kind], *memory);
        const First& first = m_first.try_emplace(process->info.node(), First { *memory, *descriptors }).first->second;
        if (*memory > first.mebibytes + kGrowthMax && !isInstrumented)
            wrong.push_back("I20 " + process->name + " had " + std::to_string(int(first.mebibytes)) + " MiB and has "
                + std::to_string(int(*memory)));
        if (*descriptors > kDescriptorsMax)
            wrong.push_back("I20 " + process->name + " had " + std::to_string(first.descriptors)
                + " open descriptors and has " + std::to_string(*descriptors));
    }
    const double hours = std::chrono::duration<double, std::ratio<3600>>(Clock::now() - m_start).count();
    for (auto& [kind, all] : sizes) {
        std::sort(all.begin(), all.end());
        m_samples[kind].push_back({ hours, all[all.size() / 2] });
    }
    return wrong;
}

std::string Vitals::describe() const
{
    std::string text;
    for (const auto& [kind, samples] : m_samples) {
        char one[96];
        if (samples.size() >= 3 && samples.back().hours - samples.front().hours >= kSpanMin)
            std::snprintf(
                one, sizeof one, "%s %.0f MiB, %+.2f an hour", kindWord(kind), m_largest.at(kind), slopeOf(samples));
        else
            std::snprintf(one, sizeof one, "%s %.0f MiB", kindWord(kind), m_largest.at(kind));
        text += (text.empty() ? "" : "; ") + std::string(one);
    }
    return text;
}

std::vector<std::string> Vitals::slopes() const
{
    std::vector<std::string> wrong;
    for (const auto& [kind, samples] : m_samples) {
        std::vector<Sample> late;
        std::copy_if(samples.begin(), samples.end(), std::back_inserter(late),
            [](const Sample& s) { return s.hours >= kFirstHour; });
        if (late.empty() || late.back().hours < 2 * kFirstHour || isInstrumented)
            continue; // too short for a judgement
        const double slope = slopeOf(late);
        if (slope > kSlopeMax * late.front().mebibytes)
            wrong.push_back("I20 processes of kind " + std::string(kindWord(kind)) + " grow by " + std::to_string(slope)
                + " MiB an hour");
    }
    return wrong;
}

std::size_t ownDescriptors() { return descriptorsOf("self").value_or(0); }

bool hasChildren()
{
    siginfo_t info {};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

} // namespace lhrs::thrash
