// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/caption/caption_track.h"

#include "gui/lab/recording/recording.h"
#include "gui/lab/export/run_story.h"
#include "gui/window/caption/story_plan.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

struct Said {
    std::uint64_t event = 0;
    std::int64_t ns = 0;
    StoryLine line;
    bool isCaption = false;
};

} // namespace

CaptionTrack::CaptionTrack(Recording& recording)
{
    std::vector<Said> all;
    for (const Recording::Note& note : recording.captions()) {
        if (note.kind == QLatin1String("step"))
            all.push_back({ note.event, note.tNs, { StoryLine::Kind::Step, stepWords(note.step, note.text) }, false });
        else if (note.kind == QLatin1String("say"))
            all.push_back({ note.event, note.tNs, { StoryLine::Kind::Say, note.text }, true });
        else if (note.kind == QLatin1String("note"))
            all.push_back({ note.event, note.tNs, { StoryLine::Kind::Note, note.text }, false });
        else if (note.kind == QLatin1String("print"))
            all.push_back({ note.event, note.tNs, { StoryLine::Kind::Print, note.text }, false });
    }
    for (const auto& row : recording.rows(QStringLiteral("expectation"))) {
        const bool isHeld = row.at("ok").toInt() != 0;
        const QString text = row.at("text").toString(), detail = row.at("detail").toString();
        all.push_back({ row.at("event").toULongLong(), row.at("t_ns").toLongLong(),
            { isHeld ? StoryLine::Kind::Held : StoryLine::Kind::Failed,
                detail.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, detail) },
            false });
    }
    // The question is among the captions; this is its answer.
    for (const auto& row : recording.rows(QStringLiteral("question"))) {
        const QStringList choices = row.at("choices").toString().split(QLatin1Char('\n'));
        const qsizetype answer = row.at("answer").toLongLong();
        if (answer >= 0 && answer < choices.size())
            all.push_back({ recording.eventAt(row.at("t_ns").toLongLong()), row.at("t_ns").toLongLong(),
                { StoryLine::Kind::Say,
                    QStringLiteral("%1   %2: %3 ✓")
                        .arg(row.at("text").toString())
                        .arg(answer + 1)
                        .arg(choices[answer]) },
                true });
    }
    std::stable_sort(all.begin(), all.end(),
        [](const Said& x, const Said& y) { return std::pair(x.event, x.ns) < std::pair(y.event, y.ns); });
    Mark now;
    for (Said& said : all) {
        now.event = said.event;
        now.ns = said.ns;
        if (said.line.kind == StoryLine::Kind::Step) {
            now.step = said.line.text;
            now.caption.clear(); // belongs to the previous step
            ++m_steps;
        } else if (said.isCaption) {
            now.caption = said.line.text;
        }
        if ((said.isCaption || said.line.kind == StoryLine::Kind::Step)
            && (m_stops.empty() || m_stops.back() != said.event))
            m_stops.push_back(said.event);
        m_marks.push_back(now);
        m_lines.push_back(std::move(said.line));
    }
}

CaptionTrack::CaptionTrack(const RunStory& story)
{
    for (const RunStory::Line& line : story.lines()) {
        m_lines.push_back({ StoryLine::Kind::Say, line.text });
        m_marks.push_back({ line.event, line.runNs, {}, line.text });
    }
}

CaptionTrack::Instant CaptionTrack::at(std::uint64_t event, std::int64_t ns, bool isPlaying) const
{
    const auto after = std::partition_point(m_marks.begin(), m_marks.end(),
        [&](const Mark& mark) { return mark.event < event || (mark.event == event && (!isPlaying || mark.ns <= ns)); });
    if (after == m_marks.begin())
        return {};
    const Mark& mark = *std::prev(after);
    return { mark.step, mark.caption, std::size_t(after - m_marks.begin()) };
}

} // namespace lhrs::gui
