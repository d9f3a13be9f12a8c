// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/lab_table.h"
#include "gui/lab/state/lamps.h"
#include "gui/lab/tables/measure_chart.h"
#include "gui/lab/export/result_folder.h"
#include "gui/lab/reel/script_observer.h"

#include <cstdio>

namespace lhrs::gui {

// Writes what a script says and expects line by line, and a summary at the end: the window's player as text.
class PlayPrinter : public ScriptObserver {
public:
    explicit PlayPrinter(std::FILE* out) : m_out(out) {}

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

    // Tables with median and quartiles, expectations, and how it ended.
    void summary(const ScriptResult& result, const LabTables& tables);
    // How the invariants stand at the end; each that is violated has its line.
    void lamps(const std::vector<LampShown>& lamps);
    // Completes the run's tables and charts and says the names of all files; an error is a sentence, empty: written. `outcome`: for runs.csv.
    QString finishTables(ResultFolder& folder, const LabTables& tables, const LabCharts& charts, const QString& outcome);

private:
    void line(const QString& text);
    void tableSummary(const QString& name, const LabTable& table);
    void goalSummary(const LabTable& table);
    std::FILE* const m_out;
};

} // namespace lhrs::gui
