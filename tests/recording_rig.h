// SPDX-License-Identifier: GPL-3.0-or-later
// Stands where the ingest thread stands: gives a recorder a story, and keeps what the state was after each event.
#pragma once

#include "tests/fold_story.h"

#include "gui/lab/keyframe.h"
#include "gui/lab/recorder.h"
#include "gui/lab/recording.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lhrs::gui {

// All of a state as bytes that are equal when the states are.
inline std::string bytesOf(const ClusterState& state)
{
    std::string bytes;
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    keyframeOf(state, true).SerializeToCodedStream(&out);
    out.Trim();
    return bytes;
}

// Stands where the ingest thread stands: folds, and gives a sink what it folds.
struct Feeder {
    RunSink& sink;
    ClusterState state = {};
    std::vector<std::string> after = {}; // the state's bytes after each event or gap, if they are kept
    bool isKept = true;
    std::int64_t now = 0;
    std::map<ProcessId, std::uint64_t> sequences = {}; // a story may be told again: its events have new numbers

    void giveKeyframe()
    {
        if (sink.wantsKeyframe())
            sink.onKeyframe(state, now);
    }

    void event(ProcessId process, pb::Event event)
    {
        now += 1000;
        event.set_sequence(++sequences[process]);
        state.apply(process, event, now);
        sink.onEvent(process, std::make_shared<pb::Event>(event), now, 300);
        giveKeyframe();
        if (isKept)
            after.push_back(bytesOf(state));
    }

    void tell(ProcessId process, const pb::Told& told)
    {
        state.apply(process, told, now);
        sink.onTold(process, told, now);
        giveKeyframe();
        if (!isKept)
            return;
        if (told.has_gap())
            after.push_back(bytesOf(state));
        else if (!after.empty())
            after.back() = bytesOf(state); // belongs to the event before it
    }

    void story(const Story& story)
    {
        for (const auto& [process, index] : story.order)
            event(process, story.told.at(process)[index]);
    }
};

inline RecorderLimits often(std::uint64_t events)
{
    RecorderLimits limits;
    limits.keyframeEvents = events;
    return limits;
}

inline std::unique_ptr<Recorder> recorderAt(const QString& path, RecorderLimits limits = {})
{
    auto recorder = Recorder::start(path, Recorder::machineMeta(), [] { return std::int64_t(0); }, limits);
    return recorder ? std::move(*recorder) : nullptr;
}

// A small closed recording; its state at the end.
inline ClusterState makeRecording(const QString& path, std::uint64_t keyframeEvents = 50)
{
    const auto recorder = recorderAt(path, often(keyframeEvents));
    recorder->onKeyframe({}, 0);
    Feeder feeder { *recorder };
    feeder.isKept = false;
    feeder.story(growth(6, 7));
    recorder->finish();
    return feeder.state;
}

} // namespace lhrs::gui
