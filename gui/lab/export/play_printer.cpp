// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/play_printer.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr std::size_t kCasesShown = 200; // printed cases of a table

QString cellShown(const QVariant& value)
{
    if (value.typeId() == QMetaType::Double)
        return QString::number(value.toDouble(), 'g', 5);
    return value.toString();
}

} // namespace

void PlayPrinter::line(const QString& text)
{
    std::fprintf(m_out, "%s\n", qUtf8Printable(text));
    std::fflush(m_out);
}

void PlayPrinter::onStep(const QString& id, const QString& title) { line("\n(" + id + ") " + title); }

void PlayPrinter::onSay(const QString& text) { line("    " + text); }

void PlayPrinter::onPrint(const QString& text) { line("    > " + text); }

void PlayPrinter::onExpectation(const Expectation& expectation)
{
    if (expectation.isHeld)
        line("  ok  " + expectation.text);
    else
        line(QString("  NO  line %1: %2").arg(expectation.line).arg(expectation.text)
            + (expectation.detail.isEmpty() ? "" : ": " + expectation.detail));
}

std::optional<std::vector<int>> PlayPrinter::onQuestion(const Question& question, const std::stop_token&)
{
    line("    ? " + question.text + " (" + question.choices.join(" / ") + ")");
    return std::nullopt;
}

void PlayPrinter::onReveal(const Question& question, int index, const QString& why)
{
    line("    ! " + question.choices.value(index) + (why.isEmpty() ? "" : ": " + why));
}

void PlayPrinter::onExercise(const ExerciseShown& exercise)
{
    if (!exercise.isOver)
        return line("    task: " + exercise.task);
    if (!exercise.trouble.isEmpty())
        line("    -- " + exercise.trouble);
    for (const ExerciseGoal& goal : exercise.goals)
        if (exercise.isJudged)
            line((goal.state == ExerciseGoal::State::Held && exercise.trouble.isEmpty() ? "  ok  " : "  NO  ")
                + goal.text + ": " + goal.why);
}

void PlayPrinter::onMark(const QString& text) { line("    -- " + text); }

void PlayPrinter::onCluster(const ClusterFacts& cluster)
{
    if (!cluster.patience.isEmpty())
        line("    -- " + cluster.patience);
}

void PlayPrinter::onChart(const MeasureChart& chart, bool isNew)
{
    if (isNew)
        line("    chart: " + chart.title + " (--csv writes " + chart.id + ".svg)");
}

QString PlayPrinter::finishTables(
    ResultFolder& folder, const LabTables& tables, const LabCharts& charts, const QString& outcome)
{
    for (const auto& [name, bytes] : charts.pictures(tables, folder.identity()))
        if (const QString error = folder.putFile(name, bytes); !error.isEmpty())
            return error;
    if (const QString error = folder.finish(tables, outcome); !error.isEmpty())
        return error;
    for (const QString& name : folder.written())
        std::fprintf(m_out, "written: %s/%s\n", qPrintable(folder.directory()), qPrintable(name));
    return {};
}

void PlayPrinter::tableSummary(const QString& name, const LabTable& table)
{
    // One row for each case and metric: median (q1 to q3).
    QStringList head = table.factorColumns() + QStringList { "n", "metric", "median", "q1", "q3" };
    std::vector<QStringList> rows { head };
    const std::vector<LabTable::Summary> cases = table.summary();
    for (std::size_t i = 0; i < std::min(cases.size(), kCasesShown); ++i) {
        const LabTable::Summary& s = cases[i];
        for (const auto& [metric, quartiles] : s.metrics) {
            QStringList row;
            for (const QString& factor : table.factorColumns()) {
                const auto at = s.factors.find(factor);
                row << (at == s.factors.end() ? QString() : cellShown(at->second));
            }
            rows.push_back(row
                + QStringList { QString::number(s.n), metric, cellShown(quartiles.median),
                    quartiles.n > 1 ? cellShown(quartiles.q1) : QString(),
                    quartiles.n > 1 ? cellShown(quartiles.q3) : QString() });
        }
    }
    std::vector<qsizetype> widths(std::size_t(head.size()), 0);
    for (const QStringList& row : rows)
        for (qsizetype i = 0; i < row.size(); ++i)
            widths[std::size_t(i)] = std::max(widths[std::size_t(i)], row[i].size());
    line("\n" + name);
    for (const QStringList& row : rows) {
        QString text = "   ";
        for (qsizetype i = 0; i < row.size(); ++i)
            text += " " + row[i].leftJustified(widths[std::size_t(i)] + 1);
        while (text.endsWith(' '))
            text.chop(1);
        line(text);
    }
    if (cases.size() > kCasesShown)
        line(QString("    and %1 more cases (--csv writes all)").arg(cases.size() - kCasesShown));
}

void PlayPrinter::goalSummary(const LabTable& table)
{
    if (table.goal().percent <= 0)
        return;
    const std::vector<LabTable::Summary> summaries = table.summary();
    int reached = 0, fewest = summaries.empty() ? 0 : summaries.front().n, most = 0;
    for (const LabTable::Summary& s : summaries) {
        reached += s.isReached ? 1 : 0;
        fewest = std::min(fewest, s.n);
        most = std::max(most, s.n);
    }
    line(QString("    median of %1 known to %2 %: %3 of %4 cases, after %5 to %6 repetitions")
             .arg(table.goal().metrics.join(", "))
             .arg(table.goal().percent)
             .arg(reached)
             .arg(summaries.size())
             .arg(fewest)
             .arg(most));
}

void PlayPrinter::summary(const ScriptResult& result, const LabTables& tables)
{
    for (const QString& name : tables.names()) {
        tableSummary(name, tables.table(name));
        goalSummary(tables.table(name));
    }
    line(QString());
    line(QString("expectations: %1 hold, %2 do not; %3 s")
             .arg(result.expectationsHeld)
             .arg(result.expectationsFailed)
             .arg(result.seconds, 0, 'f', 1));
    if (result.outcome != ScriptOutcome::Held)
        line(result.sentence());
}

void PlayPrinter::invariants(const std::vector<InvariantShown>& invariants)
{
    line("invariants: " + QString::fromStdString(invariantSummary(invariants)));
    for (const InvariantShown& invariant : invariants)
        if (invariant.state == InvariantState::Violated)
            line(QString("  VIOLATED %1, %2: %3")
                     .arg(QString::fromStdString(invariantName(invariant.number)), invariantWords(invariant.number),
                         QString::fromStdString(invariant.detail)));
}

} // namespace lhrs::gui
