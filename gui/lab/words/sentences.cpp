// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/sentences.h"

#include "gui/lab/state/process/sentence_words.h"
#include "gui/lab/words/lhrs/file_sentences.h"
#include "gui/lab/words/process/event_writer.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/walk/ring_sentences.h"

namespace lhrs::gui {

std::string sentence(ProcessId process, const pb::Event& event, const ClusterState& state)
{
    std::string text;
    if (state.system == walk::kSystem || event.has_walk())
        text = ringSentence(process, event, state);
    else if (!state.isOfLhrs())
        text = EventWriter(process, event, state).text();
    // A file's events stay in the run after a cluster of another system has followed it.
    return text.empty() ? fileSentence(process, event, state) : text;
}

std::string sentence(const RunEvent& event, const ClusterState& state)
{
    if (!event.isGap())
        return sentence(event.process, *event.event, state);
    return counted(event.gapLast - event.gapFirst + 1, "event", "events") + " of " + processShown(event.process, state)
        + " never arrived (numbers " + num(event.gapFirst) + " to " + num(event.gapLast)
        + "); a snapshot is asked for.";
}

} // namespace lhrs::gui
