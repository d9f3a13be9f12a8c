// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/play_options.h"

#include "gui/lab/hosts/slurm_job.h"

#include "common/number_words.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/local/network_check.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace lhrs::gui {

namespace {

constexpr double kPaceMax = 1'000;
constexpr double kLimitMax = 10 * 365 * 86'400.0; // seconds

// Read as text, so that a malformed number gives the same sentence in all programs (common/number_words.h).
struct NumberTexts {
    std::string seed = "1", speed = "1", pace = "0", limit = "0";
};

struct FileNames {
    std::string key, hosts;
    bool isSlurm = false; // the hosts are those of a job
};

void addOptions(CLI::App& app, PlayOptions& options, NumberTexts& numbers, FileNames& files)
{
    app.set_version_flag("--version", std::string("lhrs-play ") + LHRS_VERSION, "Print the version and exit");
    auto* where = app.add_option_group("cluster");
    where->add_flag("--local", options.isLocal, "Start processes on this machine (the default)");
    where->add_option("--connect", options.connect, "Use a running cluster: control endpoint of its coordinator")
        ->type_name("HOST:PORT");
    app.add_option("--key-file", files.key, "With --connect: a key of the running cluster")->type_name("FILE");
    app.add_flag(
        "--slurm", files.isSlurm, "Start the processes on the nodes of the job of Slurm that this program is in");
    app.add_option(
           "--hosts", files.hosts, "Start the processes on these hosts: a line for each, its name as ssh knows it")
        ->type_name("FILE");
    where->add_flag("--sim", options.isSimulated, "Play on a simulated cluster with this seed");
    where->require_option(0, 1);
    app.add_option("--seed", numbers.seed, "Seed of the random numbers (1)")->type_name("N");
    app.add_option("--speed", numbers.speed, "With --sim: ratio of virtual time to real time, 0.001 to 100, or max (1)")
        ->type_name("X");
    app.add_option("--set", options.sets, "Value of a parameter of the scenario; may be given several times")
        ->type_name("NAME=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
    addResultOptions(app, options.results);
    addChartOptions(app, options.chart);
    addAuditOptions(app, options.audit);
    app.add_option("--record", options.record, "Record the run into this file, which must not exist")
        ->type_name("FILE.lhrun");
    app.add_option("--pace", numbers.pace, "Speed of captions and pauses, up to 1000; 0: none (0)")->type_name("X");
    app.add_option("--limit", numbers.limit, "End the script after this many seconds; 0: never (0)")->type_name("S");
    app.add_flag("--keep-going", options.keepsGoing, "Go on after an expectation that does not hold");
    app.add_flag("--check", options.isCheck, "Only check the syntax, and the names and options of the calls of lab");
    app.add_flag("--answer", options.answers,
        "When the scenario is over, run each line of standard input as a line of a scenario, and print its value as "
        "\"answer JSON\"");
    app.add_flag("--keep-cluster", options.keepsCluster, "Leave the processes running at the end, until Ctrl-C");
    app.add_flag(
        "--build-info", options.tellsBuild, "Print what this program was built from and with, as JSON, and exit");
    app.add_option("--exercise", options.exercise,
           "Make the cluster of this exercise, let the script FILE act in it, and judge what "
           "happened")
        ->type_name("FILE.js");
    app.add_option("--junit", options.junit,
           "Write the expectations, and which of them held, into this file, as XML for tools that read test results")
        ->type_name("FILE.xml");
    app.add_option("FILE", options.file, "The scenario, e.g. scenarios/grow.js; with --chart the table");
    app.footer("Exit code: 0 all expectations hold; 1 one does not; 2 usage or script; 3 no cluster; 4 time limit or "
               "stopped; 5 an invariant was violated that the script did not check.");
}

std::optional<int> readNumbers(const NumberTexts& numbers, PlayOptions& options)
{
    const auto refuse = [](const char* option, const Error& error) {
        return fail(kExitUsage, QString("%1: %2.").arg(option, QString::fromStdString(error.text)));
    };
    const bool isMost = numbers.speed == "max";
    if (const auto got = readSeed(numbers.seed))
        options.seed = *got;
    else
        return refuse("--seed", got.error());
    if (const auto got = readNumber<double>(isMost ? "1" : numbers.speed, 0.001, 100, "max or a factor"))
        options.speed = isMost ? 0 : *got;
    else
        return refuse("--speed", got.error());
    if (options.speed != 1 && !options.isSimulated)
        return fail(kExitUsage, "--speed is for a simulated cluster; write --sim, too.");
    if (const auto got = readNumber<double>(numbers.pace, 0, kPaceMax))
        options.pace = *got;
    else
        return refuse("--pace", got.error());
    if (const auto got = readNumber<double>(numbers.limit, 0, kLimitMax, "a number of seconds"))
        options.limit = *got;
    else
        return refuse("--limit", got.error());
    return std::nullopt;
}

} // namespace

int fail(int code, const QString& sentence)
{
    std::fprintf(stderr, "lhrs-play: %s\n", qPrintable(sentence));
    return code;
}

std::optional<int> readOptions(int count, char** arguments, PlayOptions& options)
{
    CLI::App app("Plays a scenario without a window.", "lhrs-play");
    NumberTexts numbers;
    FileNames files;
    addOptions(app, options, numbers, files);
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : kExitUsage;
    }
    for (const std::string& set : options.sets)
        if (set.find('=') == std::string::npos || set.front() == '=')
            return fail(kExitUsage, "--set " + QString::fromStdString(set) + ": write NAME=VALUE.");
    if (const std::optional<int> code = readNumbers(numbers, options))
        return code;
    if (app.count("--connect") > 0) {
        if (const auto endpoint = endpointOf(options.connect))
            options.connect = *endpoint;
        else
            return fail(kExitUsage, "--connect: " + QString::fromStdString(endpoint.error().text));
    }
    if (app.count("--key-file") > 0) {
        if (app.count("--connect") == 0)
            return fail(
                kExitUsage, "--key-file goes with --connect: a cluster that is started here has keys of its own.");
        const auto key = readKeyFile(files.key);
        if (!key)
            return fail(kExitUsage, "--key-file: " + QString::fromStdString(key.error().text) + ".");
        options.key = *key;
    }
    if (app.count("--hosts") > 0 || files.isSlurm) {
        const QString option = files.isSlurm ? "--slurm" : "--hosts";
        if (options.isSimulated || app.count("--connect") > 0 || (files.isSlurm && app.count("--hosts") > 0))
            return fail(kExitUsage,
                option + " is for processes that are started: it does not go with --sim, --connect"
                    + (files.isSlurm ? " or --hosts." : "."));
        auto hosts = files.isSlurm ? hostsOfSlurmJob() : readHosts(files.hosts);
        if (!hosts)
            return fail(kExitUsage, option + ": " + QString::fromStdString(hosts.error().text) + ".");
        options.hosts = std::move(*hosts);
    }
    options.audits = app.count("--audit") > 0;
    options.charts = app.count("--chart") > 0;
    return std::nullopt;
}

} // namespace lhrs::gui
