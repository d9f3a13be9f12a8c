// SPDX-License-Identifier: GPL-3.0-or-later
// lhrs-report: the tables that the experiments wrote, beside the published ones, as one page with charts and CSV.
#include "gui/view/charts/lhrs/report_writer.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QDateTime>
#include <QDir>

#include <cstdio>

using namespace lhrs::gui;

int main(int count, char** arguments)
{
    std::string directory, published = LHRS_SCENARIO_DIR "/paper", commit;
    CLI::App app("Compares measured tables with the published ones: report.html, comparison.csv, shapes.csv, charts as "
                 "SVG and PNG.",
        "lhrs-report");
    app.set_version_flag("--version", std::string("lhrs-report ") + LHRS_VERSION, "Print the version and exit");
    app.add_option("DIR", directory, "Directory of the tables (lhrs-play --csv DIR), into which the report is written")
        ->required();
    app.add_option("--paper", published, "The published tables (scenarios/paper)")->type_name("DIR");
    app.add_option("--commit", commit, "What the programs were built from, for the page's head")->type_name("WORD");
    app.footer("Exit code: 0 written; 2 usage, or something cannot be read or written.");
    try {
        app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : 2;
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen"); // a report needs no screen
    const QApplication application(count, arguments);
    const auto fail = [](const std::string& text) {
        std::fprintf(stderr, "lhrs-report: %s\n", text.c_str());
        return 2;
    };
    const auto report = paperReport(QString::fromStdString(directory), QString::fromStdString(published));
    if (!report)
        return fail(report.error().text);
    ReportFacts facts;
    facts.version = QStringLiteral("LHRS Lab %1%2, Qt %3, built by GCC %4")
                        .arg(LHRS_VERSION, commit.empty() ? QString() : " (" + QString::fromStdString(commit) + ')',
                            qVersion(), __VERSION__);
    facts.written = QDateTime::currentDateTimeUtc().toString(Qt::ISODate);
    QStringList files;
    if (const QString problem = writeReport(*report, facts, QString::fromStdString(directory), files);
        !problem.isEmpty())
        return fail(problem.toStdString());
    for (const PaperShape& shape : report->shapes)
        std::printf("%-4s %-14s %s\n", qPrintable(shape.experiment),
            !shape.ours         ? "not measured"
                : shape.holds() ? "holds"
                                : "does NOT hold",
            qPrintable(shape.claim));
    for (const QString& missing : report->missing)
        std::printf("not measured: %s\n", qPrintable(missing));
    std::printf("written: %s/report.html and %d files beside it\n", directory.c_str(), int(files.size()) - 1);
    return 0;
}
