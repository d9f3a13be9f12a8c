// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "proto/event.pb.h"
#include "proto/message.pb.h"

namespace lhrs {

// Fills in the event about a recovery whose buckets are enabled: what the recovery manager did and how its time was
// spent.
void reportRecovery(GroupNumber g, ParityColumn manager, const pb::FileConfig& config, const pb::RecoveryDone& done,
    pb::RecoveryFinished& event);

} // namespace lhrs
