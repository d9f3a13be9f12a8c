// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/coordinator/recovery_report.h"

namespace lhrs {

void reportRecovery(GroupNumber g, ParityColumn manager, const pb::FileConfig& config, const pb::RecoveryDone& done,
    pb::RecoveryFinished& event)
{
    event.set_group(g.value);
    event.set_records(done.records());
    event.set_bytes(done.bytes());
    event.set_slices(done.slices());
    event.set_rebuild_ns(done.total_ns());
    event.set_process_ns(done.process_ns());
    event.set_communication_ns(done.communication_ns());
    event.set_other_ns(done.other_ns());
    event.set_transfer_ns(done.transfer_ns());
    event.set_is_xor(done.is_xor());
    event.set_manager(manager.value);
    event.set_slice(done.slice());
    event.set_transport(config.recovery_transport());
    event.set_tcp_mode(config.tcp_mode());
    for (const pb::Member& member : done.survivors()) {
        const bool isData = member.role() == pb::DATA;
        auto* place = event.add_survivors();
        place->set_role(member.role());
        place->set_number(isData ? bucketAt(g, Position(member.index()), config.m()).value : g.value);
        place->set_column(isData ? 0 : member.index());
    }
}

} // namespace lhrs
