// SPDX-License-Identifier: GPL-3.0-or-later
// Takes the place of the ingest thread: it gives a story to a recorder, and keeps the state after each event.
#pragma once

#include "tests/rigs/lab/fold_story.h"

#include "gui/lab/state/keyframe.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/recording/recording.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lhrs::gui {

// The whole state as bytes; two states are equal when their bytes are equal.
std::string bytesOf(const ClusterState& state);

// Takes the place of the ingest thread: it folds, and gives a sink what it folds.
struct Feeder {
    RunSink& sink;
    ClusterState state = {};
    std::vector<std::string> after = {}; // the state's bytes after each event or gap, if they are kept
    bool isKept = true;
    std::int64_t now = 0;
    std::map<ProcessId, std::uint64_t> sequences = {}; // a story may be told again: then its events get new numbers

    void giveKeyframe();

    void event(ProcessId process, pb::Event event);

    void tell(ProcessId process, const pb::Told& told);

    void story(const Story& story);
};

RecorderLimits often(std::uint64_t events);

std::unique_ptr<Recorder> recorderAt(const QString& path, RecorderLimits limits = {});

// Writes a small closed recording; returns its last state.
ClusterState makeRecording(const QString& path, std::uint64_t keyframeEvents = 50);

} // namespace lhrs::gui
