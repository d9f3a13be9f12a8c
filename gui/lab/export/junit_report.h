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

// What runs of scenarios found, as the XML file that tools for test results read (JUnit): a suite for each run, a case
// for each
// expectation and each goal of an exercise. It has no times and no names of machines, so that one seed gives the same
// bytes.
class JUnitReport {
public:
    // Opens the file, so that one that cannot be written is known before anything runs. An error is a sentence.
    static Result<std::unique_ptr<JUnitReport>> open(const QString& path);

    struct Case {
        enum class Kind { Held, Failed, Error, Skipped };
        QString className {}, name {};
        Kind kind = Kind::Held;
        QString message {}, type {}, detail {}; // of what did not hold
        QString out {};                   // what was seen
    };
    void beginSuite(const QString& name, std::vector<std::pair<QString, QString>> properties);
    void add(Case one);
    // Writes all suites; an error is a sentence, empty: written.
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

// Prints a run, and tells the report what was expected in it.
class JUnitPrinter : public PlayPrinter {
public:
    // `file`: the scenario; `standIn`: the script that acts in an exercise, empty: none. The report outlives it.
    JUnitPrinter(std::FILE* out, JUnitReport& report, const QString& file, const QString& standIn);

    void onStep(const QString& id, const QString& title) override;
    void onExpectation(const Expectation& expectation) override;
    void onExercise(const ExerciseShown& exercise) override;
    // How the run ended; an error of the script is a case of its own, and so is a violated invariant.
    void end(const ScriptResult& result, const std::vector<LampShown>& lamps);

private:
    QString className() const;

    JUnitReport& m_report;
    const QString m_file, m_standIn;
    QString m_step;
    std::optional<ExerciseShown> m_exercise; // that has begun
    bool m_isActing = false;                 // the script in place of a person
};

} // namespace lhrs::gui
