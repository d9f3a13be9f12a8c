// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/orders.h"

#include "common/lhrs/failpoint_list.h"

#include <algorithm>

namespace lhrs {

void Orders::send(pb::Message message, const HolderInfo& to, Time now, Effects& out)
{
    const std::uint64_t id = m_parts.acks.send(
        std::move(message), to.address, to.node, Way::Auto, AckList::Patience::KeepTrying, OrderOfStep, now, out);
    m_waiting.emplace(id, to.incarnation);
    if (out.fires(Failpoint::OrderLeftOut))
        out.takeBackSend();
}

void Orders::send(pb::Message message, const FileState::MemberInfo* to, Time now, Effects& out)
{
    if (to && !to->hasFailed())
        send(std::move(message), to->holder, now, out);
}

void Orders::sendEpoch(GroupNumber g, Time now, Effects& out, const std::function<bool(const HolderInfo&)>& isLeftOut)
{
    const pb::View view = m_parts.file.view(g);
    for (const pb::Member& member : view.members()) {
        const HolderInfo holder = HolderInfo::from(member.holder());
        if (member.state() == pb::FAILED || member.state() == pb::MEMBER_LOST || (isLeftOut && isLeftOut(holder)))
            continue;
        pb::Message message;
        *message.mutable_epoch()->mutable_view() = view;
        send(std::move(message), holder, now, out);
    }
}

void Orders::changeEpoch(GroupNumber g, const std::string& reason, Time now, Effects& out)
{
    FileState::Group& group = m_parts.file.group(g);
    group.epoch = group.epoch.next();
    sendEpoch(g, now, out);
    m_parts.announceEpoch(g, reason, out);
}

bool Orders::areWaitingFor(Incarnation holder) const
{
    return std::any_of(
        m_waiting.begin(), m_waiting.end(), [holder](const auto& item) { return item.second == holder; });
}

void Orders::forget()
{
    for (const auto& [id, to] : m_waiting)
        m_parts.acks.forget(id);
    m_waiting.clear();
}

void Orders::forgetFailed()
{
    std::erase_if(m_waiting, [this](const auto& item) {
        if (m_parts.file.isHolder(item.second))
            return false;
        m_parts.acks.forget(item.first);
        return true;
    });
}

} // namespace lhrs
