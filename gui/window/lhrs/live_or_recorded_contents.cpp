// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/live_or_recorded_contents.h"

#include "gui/lab/recording/recorder.h"

#include <QObject>

#include <utility>

namespace lhrs::gui {

void LiveOrRecordedContents::readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count,
    QObject* receiver, std::function<void(ContentsAnswer)> done)
{
    if (m_time.isReplay()) {
        // Calls back later, like every answer: the caller may be in the middle of its list.
        QMetaObject::invokeMethod(
            receiver, [answer = captured(process, rankFrom, count), done = std::move(done)] { done(answer); },
            Qt::QueuedConnection);
        return;
    }
    m_live.readContents(
        process, rankFrom, count, receiver, [this, rankFrom, count, done = std::move(done)](ContentsAnswer answer) {
            if (Recorder* recorder = m_recorder(); answer.isOk && recorder)
                recorder->capture(answer.page, rankFrom, count);
            done(std::move(answer));
        });
}

ContentsAnswer LiveOrRecordedContents::captured(ProcessId process, std::uint32_t rankFrom, std::uint32_t count) const
{
    ContentsAnswer answer;
    const ClusterState& state = m_pacer.state();
    const auto known = state.processes.find(process);
    auto page = known == state.processes.end()
        ? std::nullopt
        : m_time.recording()->captured(known->second.place, rankFrom, count, m_time.cursor());
    if (page) {
        answer.isOk = true;
        answer.page = std::move(*page);
    } else {
        answer.why = QObject::tr("they had not been read when this instant was recorded. Events carry no bytes; what "
                                 "tables, record groups and witnesses read is kept.");
    }
    return answer;
}

} // namespace lhrs::gui
