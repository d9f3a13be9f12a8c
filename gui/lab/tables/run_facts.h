// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/lab_table.h"

#include "proto/config.pb.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <cstdint>
#include <map>
#include <vector>

namespace lhrs::gui {

// What is known of a run besides its tables: its row of runs.csv.
struct RunFacts {
    QString run;          // newRunId or simulatedRunId
    QString outcome;      // "under way", "ok", ...: see outcomeWord; empty: not known
    bool isSimulated = false;
    QString started;      // UTC, ISO 8601 with ms; empty where the inputs alone decide the tables
    QString host;         // likewise
    QString machine;      // processor, cores, memory
    QString program;      // "lhrs-play 1.0.0"
    QString commit;       // of the sources; empty: not known
    QString compiler;     // "GCC 12.2.0, Release"
    QString instructions; // with which parity is computed where the file asks for nothing else: "simd:avx2"
    QString libraries;
    QString scenario;     // name of its file
    QString inputs;       // inputsDigest
    QString seed;
    QString sweep, sweepRun; // its name, and the number of the run in it
    std::map<QString, QVariant> parameters; // of lab.params: defaults, or what --set gave
};

// The parameters of a file that the run made, its row of clusters.csv.
struct ClusterFacts {
    int number = 0; // from 1, in the order in which they were made
    bool isSimulated = false;
    std::map<QString, QVariant> parameters;
    QString patience = {}; // patienceWords(): what is to be said of the machine; empty: nothing
};
ClusterFacts clusterFacts(int number, const pb::FileConfig& config);

// Of this program and machine; no run, scenario or parameters yet.
RunFacts programFacts(const QString& program);
// The commit that this program was built from. Said once by main(), before a run begins; empty: not known.
void setProgramCommit(const QString& commit);
QString programCommit();

// What this program was built from and with, as JSON: version, commit, compiler, instructions, libraries.
QString buildInfo();

// 20261122T102908.123Z-host-4711-1: UTC start, host, process, seed. No two runs have the same.
QString newRunId(std::uint64_t seed);
// Everything that decides what a simulated run measures, as 16 hexadecimal digits: the scenario's text, parameters, seed, version and
// commit. Not how fast virtual time goes, nor when and where.
QString inputsDigest(const QString& scenarioText, const std::map<QString, QString>& sets, std::uint64_t seed, const QStringList& further = {});
// sim-0123456789abcdef: the same inputs give the same id, and the same tables.
inline bool isDerived(const RunFacts& facts) { return facts.run.startsWith("sim-"); }
inline QString simulatedRunId(const QString& inputs) { return "sim-" + inputs; }

// The fields that are words, by the name that they have as columns and in a recording's meta; not run and outcome.
const std::map<QString, QString RunFacts::*>& runFactFields();
// What a recording says of the run, for Recorder::start.
std::map<QString, QString> metaOf(const RunFacts& facts);

// runs.csv and clusters.csv: columns and one row.
QStringList runColumns(const RunFacts& facts);
QVariantList runCells(const RunFacts& facts);
QStringList clusterColumns(const ClusterFacts& cluster);
QVariantList clusterCells(const RunFacts& facts, const ClusterFacts& cluster);

} // namespace lhrs::gui
