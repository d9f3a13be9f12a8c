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

// The facts of a run besides its tables: its row of runs.csv.
struct RunFacts {
    QString run; // newRunId or simulatedRunId
    QString outcome; // "under way", "ok", ...: see outcomeWord; empty: unknown
    bool isSimulated = false;
    QString started; // UTC, ISO 8601 with ms; empty if the inputs alone determine the tables
    QString host; // likewise
    QString machine; // processor, cores, memory
    QString program; // "lhrs-play 1.0.0"
    QString commit; // of the sources; empty: unknown
    QString compiler; // "GCC 12.2.0, Release"
    QString instructions; // used for arithmetic of codes, unless the cluster requests others: "simd:avx2"
    QString libraries;
    QString scenario; // file name
    QString inputs; // inputsDigest
    QString seed;
    QString sweep, sweepRun; // the sweep's name, and the run's number in it
    std::map<QString, QVariant> parameters; // from lab.params: defaults, or values of --set
};

// The parameters of a cluster that the run created: its row of clusters.csv.
struct ClusterFacts {
    int number = 0; // from 1, in the order of creation
    bool isSimulated = false;
    std::map<QString, QVariant> parameters;
    QString patience = {}; // patienceWords(): a remark on the machine; empty: none
};

// The facts of this program and machine, without run, scenario and parameters.
RunFacts programFacts(const QString& program);
// The commit that this program was built from; set once by main() before a run begins; empty: unknown.
void setProgramCommit(const QString& commit);
QString programCommit();

// How this program was built, as JSON: version, commit, compiler, instructions, libraries.
QString buildInfo();

// 20261122T102908.123Z-host-4711-1: UTC start, host, process, seed. Unique for each run.
QString newRunId(std::uint64_t seed);
// A digest of everything that determines the result of a simulated run, as 16 hexadecimal digits: the scenario's
// text, parameters, seed, version and commit. The speed of virtual time, the date and the machine are not part of it.
QString inputsDigest(const QString& scenarioText, const std::map<QString, QString>& sets, std::uint64_t seed,
    const QStringList& further = {});
// sim-0123456789abcdef: the same inputs give the same id, and the same tables.
inline bool isDerived(const RunFacts& facts) { return facts.run.startsWith("sim-"); }
inline QString simulatedRunId(const QString& inputs) { return "sim-" + inputs; }

// The text fields by their name, which is used for columns and for a recording's meta; without run and outcome.
const std::map<QString, QString RunFacts::*>& runFactFields();
// The recording's description of the run, for Recorder::start.
std::map<QString, QString> metaOf(const RunFacts& facts);

// runs.csv and clusters.csv: columns and one row.
QStringList runColumns(const RunFacts& facts);
QVariantList runCells(const RunFacts& facts);
QStringList clusterColumns(const ClusterFacts& cluster);
QVariantList clusterCells(const RunFacts& facts, const ClusterFacts& cluster);

} // namespace lhrs::gui
