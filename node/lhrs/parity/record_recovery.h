// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/group/lease.h"
#include "node/lhrs/group/server_context.h"
#include "node/lhrs/parity/survivor.h"
#include "proto/message.pb.h"

#include <map>
#include <string>
#include <utility>

namespace lhrs {

// Record recovery (demo paper, section 4(d)): a parity bucket reconstructs one record whose bucket has failed. It looks
// up the key in its own key lists, asks the live members for their records of that rank, computes the record, and
// answers the client itself. A key that is in no key list does not exist, so no member is asked.
class RecordRecoveries {
public:
    RecordRecoveries(ServerContext& context, Survivor& bucket) : m_context(context), m_bucket(bucket) { }

    void onRecoverRecord(const pb::RecoverRecord& order, Time now, Effects& out);
    void onMemberRecord(const pb::MemberRecord& record, Time now, Effects& out);
    void onTime(Time now, Effects& out);
    Time deadline() const;

private:
    using RequestKey = std::pair<std::uint64_t, std::uint64_t>; // client, number
    struct Attempt {
        pb::KeyRequest request;
        Position lost;
        Rank rank;
        std::map<MemberId, std::string> contributions; // blocks; outstanding ones are empty and listed in `missing`
        std::map<MemberId, bool> missing;
        std::uint32_t rounds = 0;
        Time nextRound = Time::max();
        Time end {};
    };

    void ask(Attempt& attempt, Time now, Effects& out);
    // Returns whether the attempt is over, that is, whether the client has been answered.
    bool compute(Attempt& attempt, Time now, Effects& out);
    void answer(const Attempt& attempt, pb::ResultCode result, std::string_view value, Effects& out) const;

    ServerContext& m_context;
    Survivor& m_bucket;
    std::map<RequestKey, Attempt> m_attempts;
};

} // namespace lhrs
