// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

#include <map>

namespace lhrs::gui {

struct ClusterFacts;
class LabTable;

// Is given the results of a script as they come, in the script's thread. What it returns is why they could not be kept, a sentence
// that ends the script; empty: they are.
class ResultSink {
public:
    virtual ~ResultSink() = default;
    // The last row of the table is new.
    virtual QString onRow(const QString& name, const LabTable& table) = 0;
    // What lab.params gave.
    virtual QString onParameters(const std::map<QString, QVariant>& parameters) = 0;
    virtual QString onCluster(const ClusterFacts& cluster) = 0;
};

} // namespace lhrs::gui
