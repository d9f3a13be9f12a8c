// SPDX-License-Identifier: GPL-3.0-or-later
// A simulated case as a recording, so that the window can open the run of a seed that failed.
#pragma once

#include "common/check/say.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/tables/run_facts.h"
#include "node/sim/lhrs/simulation.h"

#include <QFile>

#include <google/protobuf/text_format.h>

#include <set>
#include <string>

namespace lhrs::gui {

// Gives a simulation's events to a sink, in the order of their occurrence, and keeps the state.
class SimRecording {
public:
    SimRecording(Simulation& simulation, RunSink& sink) : m_simulation(simulation), m_sink(sink)
    {
        pb::Told told;
        told.mutable_origin()->set_is_simulated(true);
        m_sink.onKeyframe(m_state, 0);
        tell(0, told);
        m_simulation.setListener([this](const SimProcess& process, const pb::Event& event) { take(process, event); });
    }

    // The processes that ended since the last event.
    void finish() { noticeEnds(); }
    const ClusterState& state() const { return m_state; }

private:
    std::int64_t now() const { return m_simulation.cluster().now().count(); }

    void giveKeyframe()
    {
        if (m_sink.wantsKeyframe())
            m_sink.onKeyframe(m_state, now());
    }

    void tell(ProcessId process, const pb::Told& told)
    {
        m_state.apply(process, told, now());
        m_sink.onTold(process, told, now());
        giveKeyframe();
    }

    void noticeEnds()
    {
        for (const auto& process : m_simulation.cluster().processes()) {
            if (!process->isGone() || !m_ended.insert(process->info.node()).second)
                continue;
            pb::Told told;
            told.mutable_ended()->set_reason("killed");
            tell(process->info.node(), told);
        }
    }

    void take(const SimProcess& process, const pb::Event& event)
    {
        noticeEnds();
        const auto copy = std::make_shared<const pb::Event>(event);
        m_state.apply(process.info.node(), event, now());
        m_sink.onEvent(process.info.node(), copy, now(), copy->ByteSizeLong() + sizeof(pb::Event));
        giveKeyframe();
    }

    Simulation& m_simulation;
    RunSink& m_sink;
    ClusterState m_state;
    std::set<ProcessId> m_ended;
};

// Runs the case and writes it to the path, replacing an earlier recording. Returns where the recording is, or why there
// is none.
inline std::string recordCase(const pb::Case& told, const QString& path)
{
    QFile::remove(path);
    Simulation simulation(told);
    auto meta = metaOf(programFacts("lhrs"));
    meta["simulated"] = "1";
    meta["seed"] = QString::number(told.seed());
    auto recorder = Recorder::start(path, meta, [&simulation] { return simulation.cluster().now().count(); });
    if (!recorder)
        return "no recording: " + recorder.error().text;
    std::string text;
    google::protobuf::TextFormat::PrintToString(told, &text);
    (*recorder)->scenario("case", QString::fromStdString(text));
    SimRecording recording(simulation, **recorder);
    const bool held = simulation.run();
    recording.finish();
    if (!held)
        (*recorder)->marker("violation",
            QString::fromStdString(
                std::string(check::nameOf(simulation.failure()->invariant)) + ": " + simulation.failure()->text),
            "simulator");
    const QString problem = (*recorder)->finish();
    return problem.isEmpty() ? path.toStdString() : "no complete recording: " + problem.toStdString();
}

} // namespace lhrs::gui
