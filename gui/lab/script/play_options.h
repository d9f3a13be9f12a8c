// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/keys/key_file.h"
#include "gui/lab/export/lhrs/audit_command.h"
#include "gui/lab/export/chart_command.h"
#include "gui/lab/export/result_options.h"
#include "gui/lab/hosts/host_list.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lhrs::gui {

// Exit codes of lhrs-play besides those of ScriptOutcome.
constexpr int kExitUsage = 2, kExitNoCluster = 3, kExitStopped = 4, kExitViolated = 5;

// The command line of lhrs-play.
struct PlayOptions {
    bool isLocal = false, isSimulated = false, keepsGoing = false, isCheck = false, keepsCluster = false,
         answers = false, tellsBuild = false, audits = false, charts = false;
    std::string connect, record, file;
    std::optional<KeyFile> key; // of the running cluster
    std::vector<HostEntry> hosts; // where the processes are started; empty: on this computer
    std::string exercise; // the scenario, if FILE is the script that acts in it
    std::string junit;
    std::uint64_t seed = 1;
    double speed = 1; // of a simulated cluster; 0: as fast as possible
    std::vector<std::string> sets;
    double pace = 0, limit = 0;
    ResultOptions results;
    ChartCommand chart;
    AuditCommand audit;

    // The scenario, and the script that acts in it if it is an exercise.
    QString scenario() const { return QString::fromStdString(exercise.empty() ? file : exercise); }
    QString standIn() const { return exercise.empty() ? QString() : QString::fromStdString(file); }
};

// Prints the sentence on standard error. Returns the code.
int fail(int code, const QString& sentence);
// Reads the options. Returns the exit code if the program ends here: they are wrong, or --help and the like were asked
// for.
std::optional<int> readOptions(int count, char** arguments, PlayOptions& options);

} // namespace lhrs::gui
