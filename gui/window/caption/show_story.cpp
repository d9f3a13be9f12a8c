// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/caption/show_story.h"

#include "gui/window/caption/story_plan.h"

#include <utility>

namespace lhrs::gui {

void ShowStory::clear()
{
    m_model.clear();
    m_held = m_failed = 0;
    m_hasSpoken = m_hasTask = false;
}

void ShowStory::add(const ReelEntry& entry)
{
    using Kind = ReelEntry::Kind;
    const auto say = [this](StoryLine::Kind kind, const QString& text) { m_model.add({ { kind, text } }); };
    const auto verdict = [](bool isHeld) { return isHeld ? StoryLine::Kind::Held : StoryLine::Kind::Failed; };
    switch (entry.kind) {
    case Kind::Step: say(StoryLine::Kind::Step, stepWords(entry.id, entry.text)); break;
    case Kind::Caption:
    case Kind::Question:
        m_hasSpoken = true;
        say(StoryLine::Kind::Say, entry.text);
        break;
    case Kind::Answer:
        say(StoryLine::Kind::Say, QStringLiteral("%1. %2").arg(entry.names.value(entry.number), entry.text));
        break;
    case Kind::Check:
        ++(entry.number > 0 ? m_held : m_failed);
        say(verdict(entry.number > 0),
            entry.id.isEmpty() ? entry.text : QStringLiteral("%1 (%2)").arg(entry.text, entry.id));
        break;
    case Kind::Print: say(StoryLine::Kind::Print, entry.text); break;
    case Kind::Note: say(StoryLine::Kind::Note, entry.text); break;
    case Kind::End: say(entry.number > 0 ? StoryLine::Kind::End : StoryLine::Kind::Failed, entry.text); break;
    case Kind::Exercise:
        if (!entry.exercise)
            break;
        if (!std::exchange(m_hasTask, true))
            say(StoryLine::Kind::Step, entry.exercise->task);
        if (entry.exercise->isOver)
            for (const ExerciseGoal& goal : entry.exercise->goals)
                say(verdict(goal.state == ExerciseGoal::State::Held),
                    QStringLiteral("%1: %2").arg(goal.text, goal.why));
        break;
    case Kind::Chart:
    case Kind::Camera:
    case Kind::Highlight:
    case Kind::Cluster:
    case Kind::Dwell:
    case Kind::Replay: break;
    }
}

} // namespace lhrs::gui
