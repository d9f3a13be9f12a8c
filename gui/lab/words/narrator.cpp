// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/narrator.h"

#include "gui/lab/words/lhrs/file_teller.h"
#include "gui/lab/words/walk/ring_sentences.h"

#include <utility>

namespace lhrs::gui {

struct NarratorMemory {
    StoryMemory story;
    FileMemory file;
};

Narrator::Narrator() : m_memory(std::make_unique<NarratorMemory>()) { }

Narrator::~Narrator() = default;

void Narrator::reset() { m_memory = std::make_unique<NarratorMemory>(); }

std::vector<Telling> Narrator::takeTellings() { return std::exchange(m_memory->story.tellings, {}); }

void Narrator::take(const RunEvent& run, const ClusterState& state)
{
    if (run.isGap())
        return;
    if (state.isOfLhrs())
        FileTeller(m_memory->story, m_memory->file, run, FileNames(state), state).take();
    else if (state.system == walk::kSystem)
        tellOfRing(m_memory->story, run, state);
}

void Narrator::look(const ClusterState& state, std::int64_t runNs)
{
    if (state.isOfLhrs())
        m_memory->story.look(FileNames(state), runNs);
    else if (state.system == walk::kSystem)
        m_memory->story.look(RingNames(state), runNs);
}

} // namespace lhrs::gui
