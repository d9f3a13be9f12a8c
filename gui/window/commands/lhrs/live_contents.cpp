// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/lhrs/live_contents.h"

#include "gui/lab/tables/qt_text.h"
#include "gui/window/commands/command_report.h"

#include <QPointer>

#include <utility>

namespace lhrs::gui {

void LiveContents::readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
    std::function<void(ContentsAnswer)> done)
{
    pb::Command command;
    command.mutable_read_contents()->set_rank_from(rankFrom);
    command.mutable_read_contents()->set_count(count);
    m_control.call(process, command, kAnswer,
        [this, receiver = QPointer<QObject>(receiver), done = std::move(done)](const Answer& answer) {
            ContentsAnswer contents;
            contents.isOk = bool(answer) && answer.reply.has_contents();
            if (contents.isOk)
                contents.page = answer.reply.contents();
            else
                contents.why = answer.text.empty() ? tr("the process answered something else") : text(answer.text);
            QMetaObject::invokeMethod(
                this,
                [receiver, done, contents = std::move(contents)] {
                    if (receiver)
                        done(contents);
                },
                Qt::QueuedConnection);
        });
}

} // namespace lhrs::gui
