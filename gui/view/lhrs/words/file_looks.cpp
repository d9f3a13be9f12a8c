// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/words/file_looks.h"

namespace lhrs::gui {

namespace {

const Shape& shapeOf(ObjectKind kind)
{
    return kind == ObjectKind::Parity     ? kParityShape
        : kind == ObjectKind::Spare       ? kSpareShape
        : kind == ObjectKind::Client      ? kClientShape
        : kind == ObjectKind::Coordinator ? kCoordinatorShape
                                          : kDataShape; // of a dummy too
}

QString wordWhileUp(ObjectKind kind)
{
    return kind == ObjectKind::Spare      ? QStringLiteral("waiting")
        : kind == ObjectKind::Client      ? QStringLiteral("client")
        : kind == ObjectKind::Coordinator ? QStringLiteral("coordinator")
                                          : QStringLiteral("up");
}

} // namespace

LookStyle styleOf(const Theme& theme, Look look) { return theme.look(shapeOf(look.kind), look.condition); }

QString lookWord(Look look)
{
    const bool isParity = look.kind == ObjectKind::Parity;
    switch (look.condition) {
    case Condition::Up: return wordWhileUp(look.kind);
    case Condition::Starting: return isParity ? QStringLiteral("filling") : QStringLiteral("starting");
    case Condition::Busy: return isParity ? QStringLiteral("staging") : QStringLiteral("splitting");
    case Condition::Silent: return QStringLiteral("silent");
    case Condition::Gone: return QStringLiteral("process gone");
    case Condition::Paused: return QStringLiteral("paused");
    case Condition::Suspect: return QStringLiteral("suspect");
    case Condition::Failed: return QStringLiteral("failed");
    case Condition::Rebuilding: return QStringLiteral("being rebuilt");
    case Condition::Lost: return QStringLiteral("LOST");
    case Condition::Displaced: return QStringLiteral("displaced");
    case Condition::Invited: return QStringLiteral("invited");
    case Condition::Offered: return QStringLiteral("offered");
    case Condition::Absent: return QStringLiteral("zero");
    }
    return {};
}

QString messageWord(MessageClass messageClass)
{
    switch (messageClass) {
    case MessageClass::Operation: return QStringLiteral("operation");
    case MessageClass::Reply: return QStringLiteral("reply");
    case MessageClass::Image: return QStringLiteral("image adjustment");
    case MessageClass::Change: return QStringLiteral("delta");
    case MessageClass::Ack: return QStringLiteral("acknowledgement");
    case MessageClass::Control: return QStringLiteral("control");
    case MessageClass::Recruit: return QStringLiteral("recruiting");
    case MessageClass::Bulk: return QStringLiteral("records");
    }
    return {};
}

} // namespace lhrs::gui
