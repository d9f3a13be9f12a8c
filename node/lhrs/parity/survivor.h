// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/store/parity_store.h"
#include "node/machine/requests/result_table.h"
#include "proto/message.pb.h"

#include <optional>

namespace lhrs {

// What recoveries see of the parity bucket that carries them out, a surviving member of its group.
class Survivor {
public:
    virtual GroupNumber group() const = 0;
    virtual ParityColumn column() const = 0;
    virtual const pb::View& view() const = 0;
    virtual const pb::FileConfig& config() const = 0;
    virtual const ParityStore& store() const = 0;
    // The last applied change of a position, and the results of its clients' requests.
    virtual Sequence applied(Position q) const = 0;
    virtual const ResultTable& results(Position q) const = 0;
    // The rank of a key at this data position; rank 0 if the key is not there. After the bucket has failed, the first
    // call builds an index over all record groups, or over some of them if there are many; each further call continues.
    // Returns nothing until the index is complete and the position's contents have arrived.
    virtual std::optional<Rank> rankOf(Position q, Key key) = 0;
    // Brings a position to its cut with the changes that it lacks, and discards the changes waiting beyond it. Returns
    // false if it lacks more than it was given.
    virtual bool bringToCut(
        Position q, Sequence cut, const google::protobuf::RepeatedPtrField<pb::Delta>& missing, Time now, Effects& out)
        = 0;

protected:
    ~Survivor() = default;
};

} // namespace lhrs
