// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QVariant>

#include <google/protobuf/message_lite.h>

// Bodies in an .lhrun file are untrusted like network input: they are bounded, and parsed or refused.
namespace lhrs::gui {

inline constexpr qsizetype kBodyBytes = 16 << 20; // no body that this program writes is longer

// "body" in a statement; null if it exceeds the limit.
inline QString bounded(const QString& column)
{
    return QString("CASE WHEN length(%1) <= %2 THEN %1 END").arg(column).arg(kBodyBytes);
}

inline QByteArray bytesOf(const google::protobuf::MessageLite& message)
{
    QByteArray bytes(qsizetype(message.ByteSizeLong()), Qt::Uninitialized);
    message.SerializeToArray(bytes.data(), int(bytes.size()));
    return bytes;
}

template <class Message> bool parseBody(const QVariant& value, Message& message)
{
    const QByteArray body = value.toByteArray();
    return !value.isNull() && body.size() <= kBodyBytes && message.ParseFromArray(body.data(), int(body.size()));
}

} // namespace lhrs::gui
