// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/lab/recording_rig.h"

#include "gui/lab/tables/run_facts.h"

namespace lhrs::gui {

std::string bytesOf(const ClusterState& state)
{
    std::string bytes;
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    keyframeOf(state, true).SerializeToCodedStream(&out);
    out.Trim();
    return bytes;
}

void Feeder::giveKeyframe()
{
    if (sink.wantsKeyframe())
        sink.onKeyframe(state, now);
}

void Feeder::event(ProcessId process, pb::Event event)
{
    now += 1000;
    event.set_sequence(++sequences[process]);
    state.apply(process, event, now);
    sink.onEvent(process, std::make_shared<pb::Event>(event), now, 300);
    giveKeyframe();
    if (isKept)
        after.push_back(bytesOf(state));
}

void Feeder::tell(ProcessId process, const pb::Told& told)
{
    state.apply(process, told, now);
    sink.onTold(process, told, now);
    giveKeyframe();
    if (!isKept)
        return;
    if (told.has_gap())
        after.push_back(bytesOf(state));
    else if (!after.empty() && !told.has_forgotten())
        after.back() = bytesOf(state); // belongs to the event before it; when the cluster has gone, to the next one
}

void Feeder::story(const Story& story)
{
    for (const auto& [process, index] : story.order)
        event(process, story.told.at(process)[index]);
}

RecorderLimits often(std::uint64_t events)
{
    RecorderLimits limits;
    limits.keyframeEvents = events;
    return limits;
}

std::unique_ptr<Recorder> recorderAt(const QString& path, RecorderLimits limits)
{
    auto recorder = Recorder::start(
        path, metaOf(programFacts("lhrs")), [] { return std::int64_t(0); }, limits);
    return recorder ? std::move(*recorder) : nullptr;
}

ClusterState makeRecording(const QString& path, std::uint64_t keyframeEvents)
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
