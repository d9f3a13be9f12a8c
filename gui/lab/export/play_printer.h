// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/lab_table.h"
#include "gui/lab/state/lhrs/invariant_monitor.h"
#include "gui/lab/tables/measure_chart.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/reel/script_observer.h"

#include <cstdio>

namespace lhrs::gui {

// Prints a script's captions and expectations line by line, and a summary at the end: the text equivalent of the
// window's player.
class PlayPrinter : public ScriptObserver {
public:
    explicit PlayPrinter(std::FILE* out) : m_out(out) { }

    void onStep(const QString& id, const QString& title) override;
    void onSay(const QString& text) override;
    void onPrint(const QString& text) override;
    void onExpectation(const Expectation& expectation) override;
    std::optional<std::vector<int>> onQuestion(const Question& question, const std::stop_token& stop) override;
    void onReveal(const Question& question, int index, const QString& why) override;
    void onMark(const QString& text) override;
    void onCluster(const ClusterFacts& cluster) override;
    void onExercise(const ExerciseShown& exercise) override;
    void onChart(const MeasureChart& chart, bool isNew) override;

    // Tables with median and quartiles, expectations, and the outcome.
    void summary(const ScriptResult& result, const LabTables& tables);
    // The final state of the invariants, with a line for each violated one.
    void invariants(const std::vector<InvariantShown>& invariants);
    // Completes the run's tables and charts and prints the names of all files. Returns an error sentence, or empty.
    // `outcome`: the value for runs.csv.
    QString finishTables(
        ResultFolder& folder, const LabTables& tables, const LabCharts& charts, const QString& outcome);

private:
    void line(const QString& text);
    void tableSummary(const QString& name, const LabTable& table);
    void goalSummary(const LabTable& table);
    std::FILE* const m_out;
};

} // namespace lhrs::gui
