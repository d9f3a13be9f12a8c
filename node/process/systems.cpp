// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/systems.h"

#include "node/process/options.h"

#include <cstdio>
#include <string>
#include <vector>

namespace lhrs {

namespace {

constexpr std::string_view kOption = "--system";

std::string baseName(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

} // namespace

int runOfSystem(std::span<const SystemProgram> systems, int count, char** arguments)
{
    const SystemProgram* chosen = &systems.front();
    std::vector<char*> rest;
    for (int i = 0; i < count; ++i) {
        const std::string_view word = arguments[i];
        const bool hasOwnWord = word == kOption;
        if (!hasOwnWord && !word.starts_with(std::string(kOption) + '=')) {
            rest.push_back(arguments[i]);
            continue;
        }
        const std::string_view wanted = !hasOwnWord ? word.substr(kOption.size() + 1)
            : i + 1 < count                         ? std::string_view(arguments[++i])
                                                    : std::string_view();
        chosen = nullptr;
        std::string names;
        for (const SystemProgram& system : systems) {
            names += names.empty() ? "" : ", ";
            names += system.name;
            if (system.name == wanted)
                chosen = &system;
        }
        if (chosen == nullptr) {
            std::fprintf(stderr, "%s: --system: \"%s\" is unknown; use one of: %s\n", baseName(arguments[0]).c_str(),
                std::string(wanted).c_str(), names.c_str());
            return kExitUsage;
        }
    }
    rest.push_back(nullptr);
    return chosen->run(int(rest.size()) - 1, rest.data());
}

} // namespace lhrs
