// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/machine/change_list.h"

namespace lhrs {

void ChangeList::moveTo(pb::Event& event)
{
    event.MergeFrom(m_event);
    m_size = 0;
    // Clearing the event would free its body, and with it the memory of the lists inside.
    const google::protobuf::Reflection& fields = *m_event.GetReflection();
    const auto* const body = fields.GetOneofFieldDescriptor(m_event, m_event.GetDescriptor()->FindOneofByName("body"));
    if (body != nullptr)
        fields.MutableMessage(&m_event, body)->Clear();
    else
        m_event.Clear();
}

} // namespace lhrs
