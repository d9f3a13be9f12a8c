// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/key_request.h"

namespace lhrs {

bool hasKeyRequest(const pb::Message& message)
{
    return message.has_insert() || message.has_update() || message.has_delete_() || message.has_search();
}

const pb::KeyRequest& keyRequestOf(const pb::Message& message)
{
    if (message.has_insert())
        return message.insert();
    if (message.has_update())
        return message.update();
    if (message.has_delete_())
        return message.delete_();
    return message.search();
}

pb::KeyRequest& keyRequestIn(pb::Message& message, pb::OperationKind kind)
{
    return kind == pb::INSERT ? *message.mutable_insert()
        : kind == pb::UPDATE  ? *message.mutable_update()
        : kind == pb::DELETE  ? *message.mutable_delete_()
                              : *message.mutable_search();
}

void sayDisplaced(const Address& to, NodeId node, const pb::RequestId& request, std::uint32_t bucket,
    std::uint64_t incarnation, std::uint32_t copy, Effects& out)
{
    auto* displaced = out.send(to, Way::Auto, 0, node).mutable_displaced();
    *displaced->mutable_request() = request;
    displaced->set_bucket(bucket);
    displaced->set_incarnation(incarnation);
    displaced->set_copy(copy);
}

void sayDisplaced(const Address& to, NodeId node, const pb::KeyRequest& request, Effects& out)
{
    sayDisplaced(to, node, request.request(), request.target(), request.incarnation(), request.copy(), out);
}

} // namespace lhrs
