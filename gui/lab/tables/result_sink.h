// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

#include <map>

namespace lhrs::gui {

struct ClusterFacts;
class LabTable;

// Receives the results of a script as they are made, in the script's thread. The return value is a sentence on why
// they could not be kept, which ends the script; empty: they were kept.
class ResultSink {
public:
    virtual ~ResultSink() = default;
    // The last row of the table is new.
    virtual QString onRow(const QString& name, const LabTable& table) = 0;
    // The parameters from lab.params.
    virtual QString onParameters(const std::map<QString, QVariant>& parameters) = 0;
    virtual QString onCluster(const ClusterFacts& cluster) = 0;
};

} // namespace lhrs::gui
