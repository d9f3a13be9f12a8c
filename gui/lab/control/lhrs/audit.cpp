// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/control/lhrs/audit.h"

#include "common/check/lhrs/invariants.h"
#include "common/lhrs/erasure_code.h"
#include "gui/lab/control/control_client.h"

#include <map>
#include <set>
#include <vector>

namespace lhrs::gui {

namespace {

constexpr auto kLimit = std::chrono::seconds(10);
constexpr std::uint32_t kDigestsAtOnce = 4096;

// One member's digests by rank.
struct MemberDigests {
    pb::Member member;
    std::uint64_t sequence = 0;
    std::vector<std::uint64_t> applied;
    std::uint32_t held = 0;
    std::map<std::uint32_t, pb::AuditPage::Rank> ranks;
    std::uint32_t doubled = 0; // ranks that occurred twice
};

std::string memberName(std::uint32_t group, std::uint32_t m, const pb::Member& member)
{
    return member.role() == pb::DATA ? "data bucket " + std::to_string(group * m + member.index())
                                     : "parity bucket " + std::to_string(group) + "." + std::to_string(member.index());
}

Result<MemberDigests> digestsOf(
    ControlClient& control, const std::string& name, const pb::Member& member, const std::stop_token& stop)
{
    MemberDigests digests;
    digests.member = member;
    std::uint32_t next = 1;
    while (next != 0) {
        pb::Command command;
        command.mutable_audit()->set_rank_from(next);
        command.mutable_audit()->set_count(kDigestsAtOnce);
        const Answer answer = control.callAndWait(member.holder().node(), command, kLimit, stop);
        if (!answer)
            return Error { name + " does not answer the audit: " + answer.text };
        const pb::AuditPage& page = answer.reply.audit();
        digests.sequence = page.sequence();
        digests.applied.assign(page.applied().begin(), page.applied().end());
        digests.held = page.held();
        for (const pb::AuditPage::Rank& rank : page.ranks())
            digests.doubled += digests.ranks.insert_or_assign(rank.rank(), rank).second ? 0 : 1;
        next = page.next_rank();
    }
    return digests;
}

// The digest that parity column p must have for these data digests.
std::uint64_t combined(const ErasureCode& code, ParityColumn p, const std::vector<std::uint64_t>& digests)
{
    const Field& field = code.field();
    const std::uint32_t bits = std::uint32_t(8 * field.symbolBytes());
    std::uint64_t sum = 0;
    for (std::uint32_t q = 0; q < digests.size(); ++q) {
        for (std::uint32_t shift = 0; shift < 64; shift += bits)
            sum ^= std::uint64_t(field.multiply(
                       code.coefficient(Position(q), p), Symbol((digests[q] >> shift) & field.symbolMax())))
                << shift;
    }
    return sum;
}

// Compares the buckets that hold the keys of a group with the buckets to which the keys belong.
void auditPlaces(
    const pb::FileDescription& file, std::uint32_t group, const std::vector<MemberDigests>& data, GroupAudit& audit)
{
    const check::FileSettings settings { file.config().m(), check::FieldKind::Gf16, file.config().mix_keys() };
    const check::FileState state { file.file().i(), file.file().n() };
    const auto note = [](std::uint32_t& count, std::string& first, const std::string& what) {
        if (count++ == 0)
            first = what;
    };
    for (std::uint32_t q = 0; q < data.size(); ++q) {
        const std::uint32_t bucket = group * file.config().m() + q;
        const std::string name = "data bucket " + std::to_string(bucket);
        if (data[q].doubled > 0)
            note(audit.doubled, audit.firstDoubled,
                name + " has " + std::to_string(data[q].doubled) + " ranks with two records");
        std::map<std::uint64_t, std::uint32_t> ranks; // by key
        for (const auto& [rank, digest] : data[q].ranks) {
            if (digest.keys_size() == 0)
                continue;
            ++audit.keys;
            const std::uint64_t key = digest.keys(0);
            if (check::addressOf(settings, key, state) != bucket)
                note(audit.misplaced, audit.firstMisplaced,
                    "key " + std::to_string(key) + " lies in " + name + ", which is not its bucket");
            else if (const auto [known, isNew] = ranks.emplace(key, rank); !isNew)
                note(audit.misplaced, audit.firstMisplaced,
                    "key " + std::to_string(key) + " is in " + name + " twice, at ranks "
                        + std::to_string(known->second) + " and " + std::to_string(rank));
        }
    }
}

// What a record's member says of it, by position: key and length.
using KeyList = std::map<std::uint32_t, std::pair<std::uint64_t, std::uint32_t>>;

// Compares the parity record of one rank with what the records of that rank encode to.
void auditRank(const ErasureCode& code, const std::string& name, const MemberDigests& parity,
    const std::vector<MemberDigests>& data, std::uint32_t rank, GroupAudit& audit)
{
    const auto unequal = [&audit](const std::string& what, std::string& first) {
        ++audit.unequal;
        if (audit.firstUnequal.empty())
            audit.firstUnequal = what;
        if (first.empty())
            first = what;
    };
    const std::string place = name + ", rank " + std::to_string(rank);
    ++audit.ranks;
    std::vector<std::uint64_t> digests(data.size(), 0);
    KeyList keys, listed;
    for (std::uint32_t q = 0; q < data.size(); ++q) {
        const auto record = data[q].ranks.find(rank);
        if (record == data[q].ranks.end())
            continue;
        digests[q] = record->second.digest();
        keys[q] = { record->second.keys(0), record->second.lengths(0) };
    }
    const auto record = parity.ranks.find(rank);
    if (record == parity.ranks.end()) {
        ++audit.unlisted;
        return unequal(name + " has no parity record at rank " + std::to_string(rank), audit.firstUnlisted);
    }
    for (int i = 0; i < record->second.keys_size(); ++i)
        listed[record->second.positions(i)] = { record->second.keys(i), record->second.lengths(i) };
    if (listed != keys) {
        ++audit.unlisted;
        unequal(place + ": the key list is not that of the data buckets", audit.firstUnlisted);
    } else if (combined(code, ParityColumn(parity.member.index()), digests) != record->second.digest()) {
        unequal(place + ": the parity is not what the data encode to", audit.firstWrong);
    }
}

// Compares a parity bucket with the data buckets of its group. An error: they are of different states.
Result<void> auditParity(const ErasureCode& code, const std::string& name, const MemberDigests& parity,
    const std::vector<MemberDigests>& data, GroupAudit& audit)
{
    std::set<std::uint32_t> ranks;
    for (const auto& [rank, digest] : parity.ranks)
        ranks.insert(rank);
    for (std::uint32_t q = 0; q < data.size(); ++q) {
        if (data[q].sequence != 0 && q < parity.applied.size() && parity.applied[q] != data[q].sequence)
            return Error { name + " has applied change " + std::to_string(parity.applied[q]) + " of position "
                + std::to_string(q) + ", which is at " + std::to_string(data[q].sequence)
                + "; audit a group at rest (lab.settle())" };
        for (const auto& [rank, digest] : data[q].ranks)
            ranks.insert(rank);
    }
    for (const std::uint32_t rank : ranks)
        auditRank(code, name, parity, data, rank, audit);
    return {};
}

} // namespace

Result<GroupAudit> auditGroup(ControlClient& control, std::uint32_t group, const std::stop_token& stop)
{
    pb::Command describe;
    describe.mutable_describe_file();
    const auto isLike = [](const pb::FileDescription& a, const pb::FileDescription& b) {
        return a.at_rest() && b.at_rest() && a.file().i() == b.file().i() && a.file().n() == b.file().n();
    };
    const Answer described = control.callAndWait(control.coordinator(), describe, kLimit, stop);
    if (!described)
        return Error { "the coordinator does not answer: " + described.text };
    const pb::FileDescription& file = described.reply.file();
    const std::uint32_t m = file.config().m();
    const pb::FileDescription::Group* found = nullptr;
    for (const pb::FileDescription::Group& g : file.groups())
        found = g.number() == group ? &g : found;
    if (!found)
        return Error { "there is no group " + std::to_string(group) + "; the file has "
            + std::to_string(file.groups_size()) };

    std::vector<MemberDigests> data(m), parity;
    for (const pb::Member& member : found->view().members()) {
        auto digests = digestsOf(control, memberName(group, m, member), member, stop);
        if (!digests)
            return digests.error();
        if (digests->held > 0)
            return Error { memberName(group, m, member)
                + " has changes under way; audit a group at rest (lab.settle())" };
        if (member.role() == pb::DATA)
            data[member.index()] = std::move(*digests);
        else
            parity.push_back(std::move(*digests));
    }
    const ErasureCode code(file.config().field() == pb::GF_8 ? FieldWidth::Gf8 : FieldWidth::Gf16, m);
    GroupAudit audit;
    auditPlaces(file, group, data, audit);
    for (const MemberDigests& p : parity)
        if (const auto compared = auditParity(code, memberName(group, m, p.member), p, data, audit); !compared)
            return compared.error();
    if (audit.unequal + audit.misplaced + audit.doubled == 0)
        return audit;
    // The members were asked one after the other; a record moved meanwhile is not an error.
    const Answer after = control.callAndWait(control.coordinator(), describe, kLimit, stop);
    if (!after || !isLike(file, after.reply.file()))
        return Error { "group " + std::to_string(group)
            + " changed while it was audited; audit a group at rest (lab.settle())" };
    return audit;
}

} // namespace lhrs::gui
