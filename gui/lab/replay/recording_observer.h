// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/lab_table.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/recording/rows/recording_file.h"
#include "gui/lab/tables/run_facts.h"
#include "gui/lab/reel/script_observer.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace lhrs::gui {

// Writes what a script says and does into the recording, and forwards each call to the next observer.
class RecordingObserver : public ScriptObserver {
public:
    RecordingObserver(Recorder& recorder, ScriptObserver& next) : m_recorder(recorder), m_next(next) { }

    // Records the rows of all measurements, at the end of the script.
    void addTables(const LabTables& tables)
    {
        for (const QString& name : tables.names()) {
            const LabTable table = tables.table(name);
            int number = 0;
            for (const LabTable::Row& row : table.rows()) {
                m_recorder.measurement(name, row.repetition, row.isWarmUp, row.faults, jsonOf(row.factors), row.detail,
                    row.metrics, ++number);
            }
        }
    }

    void onStarted(const QString& file) override { m_next.onStarted(file); }
    void onCall(int line, const QString& call) override { m_next.onCall(line, call); }
    bool wantsCalls() const override { return true; }
    void onCalled(const CallRecord& call) override
    {
        m_recorder.command(call, "scenario");
        if (m_next.wantsCalls())
            m_next.onCalled(call);
    }
    void onHeld(int line, const QString& call) override { m_next.onHeld(line, call); }
    void onStep(const QString& id, const QString& title) override
    {
        m_step = id;
        m_recorder.caption("step", id, title, "scenario", m_at);
        m_recorder.marker("step", id + " " + title, "scenario");
        m_next.onStep(id, title);
    }
    bool wantsReel() const override { return true; }
    void onReel(const ReelEntry& entry) override
    {
        m_at = entry.at;
        m_recorder.reel(entry);
        if (entry.kind == ReelEntry::Kind::Camera)
            say("camera", entry.camera.fit.isEmpty() ? entry.camera.view : entry.camera.fit);
        m_next.onReel(entry);
    }
    bool takesTime() const override { return m_next.takesTime(); }
    bool hasPerson() const override { return m_next.hasPerson(); }
    void onExercise(const ExerciseShown& exercise) override { m_next.onExercise(exercise); }
    void onSay(const QString& text) override { say("say", text), m_next.onSay(text); }
    void onNote(const QString& text) override { say("note", text), m_next.onNote(text); }
    void onPrint(const QString& text) override { say("print", text), m_next.onPrint(text); }
    void onExpectation(const Expectation& expectation) override
    {
        m_recorder.expectation(expectation);
        if (!expectation.isHeld)
            m_recorder.marker("expectation", expectation.text, "scenario");
        m_next.onExpectation(expectation);
    }
    std::optional<std::vector<int>> onQuestion(const Question& question, const std::stop_token& stop) override
    {
        QStringList words { question.text };
        for (qsizetype i = 0; i < question.choices.size(); ++i)
            words << QString("%1: %2").arg(i + 1).arg(question.choices[i]);
        say("say", words.join("   ")); // so that a replay asks the question at the same place
        const auto votes = m_next.onQuestion(question, stop);
        m_votes.clear();
        for (const int count : votes.value_or(std::vector<int>()))
            m_votes += (m_votes.isEmpty() ? "" : ",") + QString::number(count);
        return votes;
    }
    void onReveal(const Question& question, int index, const QString& why) override
    {
        m_recorder.question(question, m_votes, index);
        m_next.onReveal(question, index, why);
    }
    void onMark(const QString& text) override
    {
        m_recorder.marker("mark", text, "scenario");
        m_next.onMark(text);
    }
    void onParameters(const std::map<QString, QVariant>& parameters) override
    {
        m_recorder.meta(kParametersMeta, jsonOf(parameters));
        m_next.onParameters(parameters);
    }
    void onCluster(const ClusterFacts& cluster) override
    {
        std::map<QString, QVariant> all = cluster.parameters;
        all["simulated"] = cluster.isSimulated;
        m_recorder.meta(kClusterMeta + QString::number(cluster.number), jsonOf(all));
        // Of the last cluster; also set by a cluster that was started without a scenario.
        for (const QString& name : { kWakeLateMeta, kTimeScaleMeta })
            if (const QVariant value = cluster.parameters.contains(name) ? cluster.parameters.at(name) : QVariant();
                !value.isNull())
                m_recorder.meta(name, value.toString());
        m_next.onCluster(cluster);
    }
    void onMeasuring(const QString& table) override
    {
        m_recorder.measuring();
        m_next.onMeasuring(table);
    }
    void onRow(const QString& table, int rows) override
    {
        m_recorder.measured(table, rows);
        m_next.onRow(table, rows);
    }
    void onPublished(const QString& name, const CsvTable& table) override
    {
        m_recorder.meta(kPublishedMeta + name, table.text());
        m_next.onPublished(name, table);
    }
    void onChart(const MeasureChart& chart, bool isNew) override { m_next.onChart(chart, isNew); }
    void onFinished(const ScriptResult& result) override { m_next.onFinished(result); }

private:
    static QString jsonOf(const std::map<QString, QVariant>& values)
    {
        QJsonObject object;
        for (const auto& [name, value] : values)
            object[name] = QJsonValue::fromVariant(value);
        return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact));
    }
    void say(const QString& kind, const QString& text) { m_recorder.caption(kind, m_step, text, "scenario", m_at); }

    Recorder& m_recorder;
    ScriptObserver& m_next;
    QString m_step, m_votes;
    Cue m_at; // cue of the next report
};

} // namespace lhrs::gui
