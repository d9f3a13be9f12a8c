// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/play_printer.h"

#include <QByteArray>
#include <QSaveFile>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace lhrs::gui {

// The results of scenario runs as an XML file for test-result tools (JUnit): a suite per run, and a case per
// expectation and per goal of an exercise. It contains no times and no machine names, so that one seed gives the same
// bytes.
class JUnitReport {
public:
    // Opens the file, so that an unwritable path is reported before anything runs. An error is a sentence.
    static Result<std::unique_ptr<JUnitReport>> open(const QString& path);

    struct Case {
        enum class Kind { Held, Failed, Error, Skipped };
        QString className {}, name {};
        Kind kind = Kind::Held;
        QString message {}, type {}, detail {}; // of an expectation that did not hold
        QString out {}; // what was seen
    };
    void beginSuite(const QString& name, std::vector<std::pair<QString, QString>> properties);
    void add(Case one);
    // Writes all suites. Returns an error sentence, or empty.
    QString write();
    QByteArray xml() const;

private:
    struct Suite {
        QString name;
        std::vector<std::pair<QString, QString>> properties;
        std::vector<Case> cases;
    };
    std::unique_ptr<QSaveFile> m_file;
    std::vector<Suite> m_suites;
};

// Prints a run and passes its expectations to the report.
class JUnitPrinter : public PlayPrinter {
public:
    // `file`: the scenario; `standIn`: the script that acts in an exercise, empty if there is none. The report must
    // outlive this object.
    JUnitPrinter(std::FILE* out, JUnitReport& report, const QString& file, const QString& standIn);

    void onStep(const QString& id, const QString& title) override;
    void onExpectation(const Expectation& expectation) override;
    void onExercise(const ExerciseShown& exercise) override;
    // The end of the run. A script error is a case of its own, and so is a violated invariant.
    void end(const ScriptResult& result, const std::vector<InvariantShown>& invariants);

private:
    QString className() const;

    JUnitReport& m_report;
    const QString m_file, m_standIn;
    QString m_step;
    std::optional<ExerciseShown> m_exercise; // the exercise in progress
    bool m_isActing = false; // the stand-in script is running
};

} // namespace lhrs::gui
