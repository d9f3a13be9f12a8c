// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace lhrs::gui {

// One run of a sweep: parameters of the scenario (--set) and the seed.
struct SweepRun {
    int number = 0; // in its sweep, from 0
    std::map<QString, QString> sets;
    std::uint64_t seed = 1;
    QString shown; // "b=50 records=1000"
};

// Values for parameters of a scenario; every combination is a run. The parameter `seed` sets the run's seed.
struct Sweep {
    using Factor = std::pair<QString, QStringList>;
    QString name; // empty: given on the command line
    std::vector<Factor> factors; // in their order

    // All runs; the last factor varies fastest. `sets`, `seed`: for every run. An error: a parameter is in both, or
    // there are too many runs.
    Result<std::vector<SweepRun>> runs(const std::map<QString, QString>& sets, std::uint64_t seed) const;
};

// Parses "records=5,50,500", "seed=1..10" or "b=10..50 step 20" as a factor. An error is a sentence.
Result<Sweep::Factor> factorOf(const QString& text);
// The sweeps that the first comment lines of a scenario declare: "// @sweep sizes records=5,50,500 seed=1..3".
Result<std::vector<Sweep>> declaredSweeps(const QString& scenarioText);
// Parses {"sizes": {"records": [5, 50, 500], "seed": "1..3"}}. `path` names the file in the error.
Result<std::vector<Sweep>> sweepsOfJson(const QByteArray& text, const QString& path);
// The numbers in "7" or "0..3,7"; each must be below `count`.
Result<std::vector<int>> runNumbers(const QString& text, int count);

} // namespace lhrs::gui
