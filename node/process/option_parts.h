// SPDX-License-Identifier: GPL-3.0-or-later
// The parts from which each system builds the command lines of its programs. CLI11 parses the line; words are checked
// here, so that each invalid word gets our own error sentence.
#pragma once

#include "common/errors.h"
#include "common/number_words.h"
#include "node/process/options.h"

#include <CLI/CLI.hpp>
#include <google/protobuf/message.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// Adds an option with one argument and calls `take` with it. `take` returns a Result<void>; its Error is a whole
// sentence without the option's name and is reported together with that name.
template <class Take>
CLI::Option* addOption(
    CLI::App& app, const std::string& names, const std::string& help, const std::string& type, Take take)
{
    auto* option = app.add_option_function<std::vector<std::string>>(
        names,
        [names, take](const std::vector<std::string>& words) {
            for (const std::string& word : words)
                if (const Result<void> taken = take(word); !taken)
                    throw CLI::ValidationError(names.substr(0, names.find(',')), taken.error().text);
        },
        help);
    return option->type_name(type)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// For addOption: reads a number between two bounds.
template <class T> auto into(T& target, T low, T high, const char* unit = "a number")
{
    return [&target, low, high, unit](const std::string& word) -> Result<void> {
        const auto value = readNumber<T>(word, low, high, unit);
        if (!value)
            return value.error();
        target = *value;
        return {};
    };
}

// For addOption: takes one of the allowed words.
std::function<Result<void>(const std::string&)> oneOf(
    std::vector<std::string> allowed, std::function<void(const std::string&)> take);

// --system with the name of this system, for --help.
void addSystem(CLI::App& app, const char* name);
// Options for the name of a program and for watching and controlling it.
void addWatched(CLI::App& app, ProcessOptions& options);
// The same, plus options for its addresses and threads.
void addCommon(CLI::App& app, ProcessOptions& options, bool hasCoordinator);
// --memory, for a server.
void addMemory(CLI::App& app, ProcessOptions& options, const std::string& help);
// --timers and --time-scale, for the process with which all others register.
void addTimes(CLI::App& app, pb::Timers& timers, double& scale);
// Seed, speed, delays and other options of a simulated cluster.
void addSimulation(CLI::App& app, SimOptions& options);
// --make-keys, for the process with which all others register: makes keys and ends the program.
void addKeyMaking(CLI::App& app);
// Refuses a command line without --coordinator, and gives the process a name if it has none. `kind`: "node" or
// "client".
Result<void> needCoordinator(ProcessOptions& options, const char* kind);
// Refuses a key that is not enough for a server or a coordinator (`isClient`: for a client), and any address beyond
// loopback without a key.
Result<void> needKey(const ProcessOptions& options, bool isClient);

// Thrown by an option that does its work at once: its text is printed, and the program ends.
struct WorkDone {
    std::string text;
};
[[noreturn]] inline void endWith(std::string text) { throw WorkDone { std::move(text) }; }

// Reads a file in protobuf text format; fields that it sets replace those of `target`.
Result<void> readText(const std::string& path, google::protobuf::Message& target);

// Fills in the options from the arguments. Returns nothing on success, otherwise the exit code and the text to print.
template <class Line>
Parsed<Line> finish(CLI::App& app, Line& line, int count, const char* const* arguments, Result<void> (*check)(Line&))
{
    const auto refuse = [&app](const std::string& sentence) {
        return Parsed<Line> { {}, kExitUsage, app.get_name() + ": " + sentence };
    };
    try {
        app.parse(count, arguments);
    } catch (const CLI::CallForHelp&) {
        return { {}, kExitClean, app.help() };
    } catch (const WorkDone& done) {
        return { {}, kExitClean, done.text };
    } catch (const CLI::CallForVersion& version) {
        return { {}, kExitClean, std::string(version.what()) + "\n" };
    } catch (const CLI::ParseError& error) {
        return refuse(std::string(error.what()) + "; see " + app.get_name() + " --help");
    }
    if (const auto checked = check(line); !checked)
        return refuse(checked.error().text);
    return { std::move(line), kExitClean, {} };
}

} // namespace lhrs
