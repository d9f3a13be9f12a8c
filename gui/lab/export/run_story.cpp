// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/run_story.h"

#include "gui/lab/tables/chart_svg.h"
#include "gui/lab/replay/cluster_numbers.h"
#include "gui/lab/recording/recording.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr std::int64_t kLookEvery = 100'000'000; // interval in ns of the run for finding what no event reports
constexpr std::int64_t kSameNs = 1'000'000'000; // within this time a finding without an event is told again
constexpr qsizetype kIndent = 14; // columns before a sentence

} // namespace

// ---- the lines

bool RunStory::add(const Telling& telling, std::uint64_t event)
{
    if (telling.event != 0 && !m_told.emplace(telling.event, true).second)
        return false;
    const auto isSame = [&](const Line& line) {
        return line.text == telling.text && std::abs(line.runNs - telling.runNs) < kSameNs;
    };
    if (telling.event == 0 && std::any_of(m_lines.begin(), m_lines.end(), isSame))
        return false;
    if (telling.instead != 0) {
        const auto former = m_told.find(telling.instead);
        if (former == m_told.end() || !std::exchange(former->second, false))
            return false;
        const auto isFormer = [&](const Line& line) { return line.event == telling.instead; };
        // The newest is the most likely one.
        if (const auto at = std::find_if(m_lines.rbegin(), m_lines.rend(), isFormer); at != m_lines.rend())
            m_lines.erase(std::next(at).base());
    }
    const Line line { telling.event != 0 ? telling.event : event, telling.runNs, telling.text };
    const auto isBefore = [](const Line& x, const Line& y) { return x.event < y.event; };
    m_lines.insert(std::upper_bound(m_lines.begin(), m_lines.end(), line, isBefore), line);
    if (m_lines.size() > kLinesMax) {
        m_lines.erase(m_lines.begin(), m_lines.begin() + std::ptrdiff_t(m_lines.size() - kLinesMax));
        m_told.erase(m_told.begin(), m_told.lower_bound(m_lines.front().event));
    }
    ++m_version;
    return true;
}

void RunStory::clear()
{
    m_lines.clear();
    m_told.clear();
    ++m_version;
}

// ---- of a recording

RunStory storyOf(Recording& recording)
{
    RunStory story;
    Narrator narrator;
    ClusterState state;
    state.isSimulated = recording.isSimulated();
    const std::vector<Recording::Word> words = recording.words();
    const ClusterNumbers clusters(words);
    auto word = words.begin();
    std::uint64_t last = 0;
    std::int64_t lookedNs = recording.beginNs();
    std::uint32_t cluster = 1;
    const auto keep = [&] {
        for (const Telling& telling : narrator.takeTellings())
            story.add(telling, last);
    };
    const auto tellUpTo = [&](std::uint64_t event) {
        for (; word != words.end() && word->event <= event; ++word) {
            state.apply(word->process, word->told, word->tNs);
            narrator.look(state, word->tNs);
            keep();
        }
    };
    tellUpTo(0);
    for (std::uint64_t cursor = 0; cursor < recording.events();) {
        const EventPage page = recording.eventsSince(cursor, kExportPage);
        for (const RunEvent& run : page.events) {
            tellUpTo(run.index - 1);
            if (const std::uint32_t now = clusters.of(run.index); now != cluster) {
                cluster = now;
                narrator.reset();
            }
            if (run.isGap()) {
                state.applyGap(run.process, run.gapFirst, run.gapLast);
            } else {
                const auto known = state.processes.find(run.process);
                if (known == state.processes.end() || run.event->sequence() > known->second.contained)
                    state.apply(run.process, *run.event, run.runNs);
            }
            narrator.take(run, state);
            last = run.index;
            if (run.runNs - lookedNs > kLookEvery) {
                lookedNs = run.runNs;
                narrator.look(state, run.runNs);
            }
            keep();
        }
        if (page.events.empty())
            break;
        cursor = page.next;
    }
    tellUpTo(recording.events());
    return story;
}

ExportTable storyTable(Recording& recording, const RunStory& story)
{
    const ClusterNumbers clusters(recording.words());
    ExportTable table { "story", { "cluster", "event", "t_s", "text" }, {} };
    for (const RunStory::Line& line : story.lines())
        table.rows.push_back({ clusters.of(line.event), qulonglong(line.event),
            double(line.runNs - recording.beginNs()) / 1e9, line.text });
    return table;
}

QByteArray storyText(Recording& recording, const RunStory& story)
{
    const RunIdentity identity = identityOf(recording);
    const QString scenario = factsOf(recording).scenario;
    QStringList out { scenario.isEmpty() ? QStringLiteral("The story of a run")
                                         : QStringLiteral("The story of %1").arg(scenario),
        QString::fromUtf8("RECORDED  ·  ") + chartOrigin(identity),
        QStringLiteral("Seconds of the run, then what happened; what the scenario said is in quotes."), {} };
    const auto at = [&](std::int64_t ns) { return QString::number(double(ns - recording.beginNs()) / 1e9, 'f', 3); };
    const auto write = [&](std::int64_t ns, const QString& text) {
        out << (at(ns) + QStringLiteral(" s")).rightJustified(kIndent - 2) + QStringLiteral("  ") + text;
    };
    const std::vector<Recording::Note> notes = recording.captions();
    auto note = notes.begin();
    const auto sayUpTo = [&](std::uint64_t event) {
        for (; note != notes.end() && note->event < event; ++note) {
            const QString text = QString(note->text).replace('\n', ' ');
            if (note->kind == QLatin1String("step"))
                out << QString() << (note->step.isEmpty() ? text : QStringLiteral("(%1) %2").arg(note->step, text));
            else if (note->kind == QLatin1String("say"))
                write(note->tNs, QString::fromUtf8("“%1”").arg(text));
            else if (note->kind == QLatin1String("print"))
                write(note->tNs, QStringLiteral("printed: ") + text);
        }
    };
    for (const RunStory::Line& line : story.lines()) {
        sayUpTo(line.event);
        write(line.runNs, line.text);
    }
    sayUpTo(recording.events() + 1);
    return (out.join('\n') + '\n').toUtf8();
}

} // namespace lhrs::gui
