// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/coordinator/file_rebuild.h"

#include "common/failpoints.h"
#include "node/lhrs/growth/split_wave.h"

#include <algorithm>
#include <bit>
#include <set>

namespace lhrs {

namespace {

using Open = pb::OpenSplit;

bool isSplitTarget(
    const pb::Member& member, GroupNumber g, const std::vector<FileRebuild::Split>& splits, std::uint32_t m)
{
    return member.role() == pb::DATA && std::any_of(splits.begin(), splits.end(), [&](const FileRebuild::Split& split) {
        return !split.isMerge && bucketAt(g, Position(member.index()), m) == split.target;
    });
}

// A merge has given all its records to another bucket; only its release is still to come.
bool isReleased(const pb::Member& member, GroupNumber g, FileImage image, const std::vector<FileRebuild::Split>& splits,
    std::uint32_t m)
{
    return member.role() == pb::DATA && !isSplitTarget(member, g, splits, m)
        && bucketAt(g, Position(member.index()), m).value >= bucketCount(image);
}

bool isConcerned(GroupNumber g, const std::vector<FileRebuild::Split>& splits, std::uint32_t m)
{
    return std::any_of(splits.begin(), splits.end(), [&](const FileRebuild::Split& split) {
        return g == groupOf(split.source, m) || g == groupOf(split.target, m);
    });
}

// The smallest file in which the split can have begun. If earlier splits of its wave are undecided, their targets may
// be missing. But its source exists, with the level from before.
FileImage leastBefore(const FileRebuild::Split& split)
{
    FileImage least { split.level - 1, split.source.value };
    for (std::size_t others = 1; others < SplitWave::kWidthMax && bucketCount(least) > 1; ++others) {
        const FileImage earlier = retreatMerge(least);
        if (split.source.value >= bucketCount(earlier) || levelOf(split.source, earlier) + 1 != split.level)
            break;
        least = earlier;
    }
    return least;
}

std::uint64_t youngest(const pb::View& view)
{
    std::uint64_t incarnation = 0;
    for (const pb::Member& member : view.members())
        incarnation = std::max(incarnation, member.holder().incarnation());
    return incarnation;
}

} // namespace

void FileRebuild::add(const pb::StateReport& report)
{
    pb::StateReport& last = m_reports[NodeId(report.process().node())];
    if (report.asked_ns() >= last.asked_ns())
        last = report;
    for (const std::uint64_t incarnation : report.replaced())
        m_replaced.insert(Incarnation(incarnation));
}

std::vector<const pb::StateReport*> FileRebuild::reports() const
{
    std::vector<const pb::StateReport*> reports;
    for (const auto& [node, report] : m_reports) {
        if (isBound(report))
            reports.push_back(&report);
    }
    return reports;
}

bool FileRebuild::knows(NodeId node, Incarnation incarnation) const
{
    const auto found = m_reports.find(node);
    return found != m_reports.end() && found->second.incarnation() == incarnation.value;
}

bool FileRebuild::hasFile() const
{
    return std::any_of(
        m_reports.begin(), m_reports.end(), [](const auto& r) { return r.second.role() != pb::NO_ROLE; });
}

std::uint64_t FileRebuild::nextCoordinatorEpoch() const
{
    std::uint64_t highest = 0;
    for (const auto& [node, report] : m_reports)
        highest = std::max({ highest, report.coordinator_epoch(), report.incarnation() >> 32 });
    return LHRS_MUTANT(SameEpochAfterRestart) ? highest : highest + 1;
}

const pb::FileConfig& FileRebuild::config() const
{
    return std::find_if(m_reports.begin(), m_reports.end(), [](const auto& r) {
        return r.second.role() != pb::NO_ROLE;
    })->second.config();
}

const pb::Timers& FileRebuild::timers() const
{
    return std::find_if(m_reports.begin(), m_reports.end(), [](const auto& r) {
        return r.second.role() != pb::NO_ROLE;
    })->second.timers();
}

const pb::StateReport* FileRebuild::recoveryTold() const
{
    const pb::StateReport* last = nullptr;
    for (const auto& [node, report] : m_reports) {
        if (report.recovery_stamp() > (last ? last->recovery_stamp() : 0))
            last = &report;
    }
    return last;
}

std::map<GroupNumber, FileRebuild::Group> FileRebuild::groups() const
{
    std::map<GroupNumber, Group> groups;
    for (const auto& [node, report] : m_reports) {
        if (report.role() == pb::NO_ROLE)
            continue;
        Group& group = groups[GroupNumber(report.view().group())];
        if (group.view.members().empty() || report.view().epoch() > group.view.epoch())
            group.view = report.view();
    }
    // A released process may know that some reporting members were replaced and have been told nothing since. (This
    // does not hold for a dissolved group: its number may be in use again, with younger members.)
    for (const auto& [node, report] : m_reports) {
        const auto known = groups.find(GroupNumber(report.view().group()));
        if (report.role() != pb::NO_ROLE || report.view().members().empty() || known == groups.end())
            continue;
        pb::View& view = known->second.view;
        if (report.view().epoch() > view.epoch() && youngest(report.view()) >= youngest(view))
            view = report.view();
    }
    for (const auto& [node, report] : m_reports) {
        if (report.role() == pb::NO_ROLE || !isBound(report))
            continue;
        Group& group = groups[GroupNumber(report.view().group())];
        for (const pb::Member& member : group.view.members()) {
            // A process that was declared failed is no longer a member, even if it has returned.
            if (member.holder().incarnation() == report.incarnation() && !hasFailed(member))
                group.reports[Incarnation(report.incarnation())] = &report;
        }
    }
    for (auto& [g, group] : groups) {
        auto& members = *group.view.mutable_members();
        members.erase(std::remove_if(members.begin(), members.end(),
                          [&](const pb::Member& member) { return isUnmade(g, member, groups); }),
            members.end());
    }
    return groups;
}

bool FileRebuild::isUnmade(GroupNumber g, const pb::Member& member, const std::map<GroupNumber, Group>& groups) const
{
    const std::uint32_t a = bucketAt(g, Position(member.index()), config().m()).value;
    if (member.role() != pb::DATA || !hasFailed(member) || a == 0)
        return false;
    const Level made = Level(std::bit_width(a));
    const std::uint32_t source = a - (1U << (made - 1));
    const auto knowsOfIt = [a](const auto& item) { // its own report is not here: it is no longer a member
        return std::ranges::any_of(
            item.second->splits(), [a](const pb::OpenSplit& part) { return part.target() == a || part.source() == a; });
    };
    const auto isOpen = [&](const auto& item) { return std::ranges::any_of(item.second.reports, knowsOfIt); };
    const auto group = groups.find(GroupNumber(source / config().m()));
    return group != groups.end() && std::ranges::none_of(groups, isOpen)
        && std::ranges::any_of(group->second.reports, [&](const auto& item) {
               const pb::StateReport& report = *item.second;
               return report.role() == pb::DATA && report.number() == source && report.level() < made;
           });
}

bool FileRebuild::hasFailed(const pb::Member& member) const
{
    return member.state() == pb::FAILED || member.state() == pb::MEMBER_LOST
        || (!LHRS_MUTANT(ReplacedForgotten) && m_replaced.contains(Incarnation(member.holder().incarnation())));
}

bool FileRebuild::isBucket(const Group& group, const pb::Member& member) const
{
    // A parity bucket whose creation is being given up. It is called UP, but a data bucket has acknowledged changes
    // that it may lack, and that data bucket may fail. The data bucket either reports this, or does not know that the
    // parity bucket is UP and still makes changes without it.
    const auto lacks = [&](const auto& item) {
        const pb::StateReport& report = *item.second;
        const auto isIt = [&](const pb::Member& m) {
            return m.holder().incarnation() == member.holder().incarnation() && m.state() == pb::UP;
        };
        return std::ranges::find(report.lacking(), member.holder().incarnation()) != report.lacking().end()
            || (report.role() == pb::DATA && report.view().epoch() < group.view.epoch()
                && std::ranges::none_of(report.view().members(), isIt));
    };
    if (member.role() == pb::PARITY && std::any_of(group.reports.begin(), group.reports.end(), lacks))
        return false;
    // Nor does it count until it knows that all data buckets wait for it: a silent data bucket cannot report.
    const auto own = group.reports.find(Incarnation(member.holder().incarnation()));
    if (member.role() == pb::PARITY && own != group.reports.end() && !own->second->is_counted_on())
        return false;
    // The view that called it INIT may be the last one, because no epoch announces the decision of a split.
    if (member.state() != pb::INIT)
        return true;
    if (own != group.reports.end() || member.role() == pb::PARITY)
        return own != group.reports.end() && own->second->state() != pb::INIT;
    const BucketNumber a = bucketAt(GroupNumber(group.view.group()), Position(member.index()), config().m());
    return std::any_of(group.reports.begin(), group.reports.end(), [a](const auto& item) {
        const auto& splits = item.second->splits();
        return std::any_of(splits.begin(), splits.end(),
            [a](const pb::OpenSplit& part) { return part.bucket() == a.value && part.step() == Open::COMMITTED; });
    });
}

bool FileRebuild::isMember(const Group& group, const pb::Member& member, const std::vector<Split>& splits) const
{
    return isBucket(group, member) || isSplitTarget(member, GroupNumber(group.view.group()), splits, config().m());
}

bool FileRebuild::neverCame(GroupNumber g, const pb::Member& member, const std::vector<Split>& splits) const
{
    return isConcerned(g, splits, config().m()) && m_reports.contains(NodeId(member.holder().node()))
        && !knows(NodeId(member.holder().node()), Incarnation(member.holder().incarnation()));
}

std::uint32_t FileRebuild::columns(const Group& group) const
{
    std::uint32_t columns = group.view.k();
    for (const pb::Member& member : group.view.members()) {
        if (member.role() == pb::PARITY && isBucket(group, member))
            columns = std::max(columns, member.index() + 1);
    }
    return columns;
}

// ---- levels, and the file state derived from them

FileRebuild::KnownLevel FileRebuild::levelOf(const Group& group, const pb::Member& member) const
{
    const Incarnation incarnation(member.holder().incarnation());
    const auto own = group.reports.find(incarnation);
    if (own != group.reports.end())
        return { own->second->level(), true };
    // The parity buckets of a silent bucket know its level, because the level changes with a batch that they apply.
    KnownLevel known { member.level(), false };
    for (const auto& [reporter, report] : group.reports) {
        for (const pb::PositionMark& mark : report->positions()) {
            if (mark.position() == member.index() && mark.incarnation() == incarnation.value)
                known = { known.isExact ? std::max(known.level, mark.level()) : mark.level(), true };
        }
    }
    return known;
}

FileRebuild::Levels FileRebuild::levels(const std::map<GroupNumber, Group>& groups) const
{
    Levels levels;
    for (const auto& [g, group] : groups) {
        for (const pb::Member& member : group.view.members()) {
            if (member.role() == pb::DATA && isBucket(group, member))
                levels[bucketAt(g, Position(member.index()), config().m())] = levelOf(group, member);
        }
    }
    // A serving bucket was created by a split of a lower bucket, which has at least its level, even if no process
    // reports that.
    for (const auto& [g, group] : groups) {
        for (const auto& [incarnation, report] : group.reports) {
            const std::uint32_t a = report->role() == pb::DATA && report->state() == pb::UP ? report->number() : 0;
            const Level made = Level(std::bit_width(a));
            const auto from = levels.find(BucketNumber(a == 0 ? 0 : a - (1U << (made - 1))));
            if (a != 0 && from != levels.end() && !from->second.isExact)
                from->second.level = std::max(from->second.level, made);
        }
    }
    return levels;
}

FileImage FileRebuild::imageOf(const Levels& levels) const
{
    const bool isAnyExact = std::any_of(
        levels.begin(), levels.end(), [](const auto& item) { return item.second.isExact; });
    std::optional<Level> least;
    for (const auto& [a, known] : levels) {
        if (known.isExact || !isAnyExact)
            least = std::min(least.value_or(known.level), known.level);
    }
    const Level i = least.value_or(0);
    std::uint32_t n = 0;
    for (const auto& [a, known] : levels) {
        if (a.value < (std::uint64_t(1) << i) && known.level > i)
            n = std::max(n, a.value + 1);
    }
    if (LHRS_MUTANT(RestartKeepsOldN) && n > 0)
        --n;
    return n == std::uint64_t(1) << i ? FileImage { i + 1, 0 } : FileImage { i, n };
}

FileImage FileRebuild::imageWith(
    const std::vector<Split>& splits, const std::map<GroupNumber, Group>& groups, const Levels& levels) const
{
    if (splits.empty())
        return within(imageOf(levels), groups, levels);
    const Split& first = splits.front(); // as the file is before the decision
    const FileImage before = first.isMerge ? advanceSplit({ first.level - 1, first.target.value })
                                           : FileImage { first.level - 1, first.source.value };
    if (first.isInTurn)
        return before;
    // A bucket that is missing below its target was undone, or lost with its whole group; the split itself is undecided
    // in both cases.
    const FileImage found = within(imageOf(levels), groups, levels), least = leastBefore(first);
    return bucketCount(found) > bucketCount(before) ? before : bucketCount(found) < bucketCount(least) ? least : found;
}

FileImage FileRebuild::within(FileImage image, const std::map<GroupNumber, Group>& groups, const Levels& levels) const
{
    // If a whole group has disappeared, the levels of the others may fit several file sizes. A group that is known
    // shows which of its buckets never existed and so are not lost.
    std::uint32_t end = bucketCount(image);
    for (const auto& [g, group] : groups) {
        for (Position q; q.value < config().m(); q = q.next()) {
            const BucketNumber a = bucketAt(g, q, config().m());
            const bool isThere = std::any_of(group.view.members().begin(), group.view.members().end(),
                [q](const pb::Member& member) { return member.role() == pb::DATA && Position(member.index()) == q; });
            if (!isThere)
                end = std::min(end, a.value);
        }
    }
    const auto fits = [&](FileImage file) {
        return std::all_of(levels.begin(), levels.end(), [&](const auto& item) {
            const auto& [a, known] = item;
            if (a.value >= bucketCount(file))
                return false;
            const Level level = lhrs::levelOf(a, file);
            return known.isExact ? level == known.level : level >= known.level;
        });
    };
    for (std::uint32_t count = end; count > 0 && count < bucketCount(image); --count) {
        const Level i = Level(std::bit_width(count) - 1);
        const FileImage smaller { i, count - (1U << i) };
        if (fits(smaller))
            return smaller;
    }
    return image;
}

// ---- the splits that were under way

std::vector<FileRebuild::Split> FileRebuild::openSplits(
    const std::map<GroupNumber, Group>& groups, const Levels& levels) const
{
    std::map<std::uint64_t, Split> open; // by number
    Split latest;
    std::uint64_t latestCommitted = 0;
    for (const auto& [g, group] : groups) {
        for (const auto& [incarnation, report] : group.reports) {
            for (const pb::OpenSplit& part : report->splits()) {
                const Split named { part.split(), BucketNumber(part.source()), BucketNumber(part.target()),
                    part.level(), false, part.is_merge() };
                if (part.split() > latest.split)
                    latest = named;
                if (part.step() == Open::COMMITTED)
                    latestCommitted = std::max(latestCommitted, part.split());
                // A target and the parity buckets keep the number of the last split that they carried out; the source
                // forgets it when it is over.
                const bool isOver = part.step() == Open::COMMITTED
                    && (report->role() != pb::DATA || part.bucket() != part.source());
                if (!isOver)
                    open.emplace(part.split(), named);
            }
        }
    }
    // Splits that began before the latest one are over: a bucket that a merge has emptied may not know this. The splits
    // of one wave are an exception: their numbers and targets are consecutive, and each is decided when the one before
    // it is over.
    std::erase_if(open, [&](const auto& item) {
        const Split& split = item.second;
        const std::uint64_t before = latest.split - split.split;
        const bool isOfItsWave = config().parallel_splits() && !split.isMerge && !latest.isMerge
            && before < SplitWave::kWidthMax && split.target.value + before == latest.target.value
            && split.split >= latestCommitted;
        return before != 0 && !isOfItsWave;
    });
    std::vector<Split> splits;
    for (const auto& [name, split] : open)
        splits.push_back(split);
    if (splits.empty())
        return splits;
    Split& first = splits.front();
    const Word word = wordOf(first, groups);
    // Of the splits before it, nothing may be left except the buckets that they created; of one that was undone, not
    // even those.
    if (config().parallel_splits() && !first.isMerge && !word.isCommitted) {
        for (BucketNumber a; a < first.target; a = a.next())
            first.isInTurn = first.isInTurn && levels.contains(a);
    }
    first.isDecided = word.isCommitted || (word.areAllPrepared && first.isInTurn);
    return splits;
}

FileRebuild::Word FileRebuild::wordOf(const Split& split, const std::map<GroupNumber, Group>& groups) const
{
    // A split is committed if and only if a survivor has committed, or all survivors have prepared and both sides have
    // survivors. Without survivors at the target, the records that leave the source would be nowhere. Without survivors
    // at the source, it is unknown whether the split was already undone and what changed after that; the target would
    // serve outdated records.
    Word word;
    bool isSourceThere = false, isTargetThere = false;
    for (const BucketNumber bucket : { split.source, split.target }) {
        const auto group = groups.find(groupOf(bucket, config().m()));
        if (group == groups.end()) {
            word.areAllPrepared = false;
            continue;
        }
        const Position q = positionOf(bucket, config().m());
        for (const pb::Member& member : group->second.view.members()) {
            const auto report = group->second.reports.find(Incarnation(member.holder().incarnation()));
            const bool isItself = member.role() == pb::DATA && Position(member.index()) == q;
            if (report == group->second.reports.end() || (member.role() == pb::DATA && !isItself)
                || (member.role() == pb::PARITY && member.state() == pb::INIT))
                continue;
            Open::Step step = Open::UNKNOWN;
            for (const pb::OpenSplit& part : report->second->splits()) {
                if (part.split() == split.split && part.bucket() == bucket.value)
                    step = part.step();
            }
            word.isCommitted = word.isCommitted || step == Open::COMMITTED;
            word.areAllPrepared = word.areAllPrepared && step == Open::PREPARED;
            (bucket == split.target ? isTargetThere : isSourceThere) = true;
        }
    }
    word.areAllPrepared = word.areAllPrepared && isSourceThere && isTargetThere;
    return word;
}

// ---- what is missing

std::string FileRebuild::missing() const
{
    for (const auto& [node, incarnation] : m_expected) {
        if (!knows(node, incarnation)) // otherwise a file's last survivor might be missed
            return "a process that holds a bucket has not reported";
    }
    if (!hasFile())
        return m_isFileKnown ? "there is a file, and none of its buckets is heard" : "";
    const auto known = groups();
    const auto levels = this->levels(known);
    const std::vector<Split> splits = openSplits(known, levels);
    const FileImage image = imageWith(splits, known, levels);
    for (const auto& [g, group] : known) {
        std::uint32_t silent = 0, members = 0;
        for (const pb::Member& member : group.view.members()) {
            if (!isMember(group, member, splits) || isReleased(member, g, image, splits, config().m()))
                continue;
            const bool isSilent = !group.reports.contains(Incarnation(member.holder().incarnation()));
            if (neverCame(g, member, splits))
                continue;
            ++members;
            silent += isSilent ? 1 : 0;
        }
        // With recovery off, no member is replaced, so all must report.
        const std::uint32_t k = config().recovery() == pb::RECOVERY_OFF ? 0 : columns(group);
        // The few that report may be replaced members that have been told nothing since their replacement.
        const bool areFewHeard = silent > 0 && 2 * silent >= members;
        if (group.view.state() != pb::GROUP_LOST && (silent > k || areFewHeard))
            return std::to_string(silent) + " members of group " + std::to_string(g.value) + " are silent";
    }
    for (BucketNumber a; a.value < bucketCount(image); a = a.next()) {
        if (!levels.contains(a))
            return "nothing is known of bucket " + std::to_string(a.value);
    }
    // The target of a decided split may not know of the decision yet.
    for (const Split& split : splits) {
        const auto group = known.find(groupOf(split.target, config().m()));
        const auto isTarget = [&](const pb::Member& member) {
            return member.role() == pb::DATA && Position(member.index()) == positionOf(split.target, config().m());
        };
        if (split.isDecided && !split.isMerge
            && (group == known.end()
                || std::none_of(group->second.view.members().begin(), group->second.view.members().end(), isTarget)))
            return "nothing is known of bucket " + std::to_string(split.target.value);
    }
    return {};
}

// ---- the state

FileRebuild::Found FileRebuild::build(FileState& file) const
{
    Found found;
    if (!hasFile())
        return found;
    const auto known = groups();
    const std::uint32_t m = config().m();
    const auto levels = this->levels(known);
    found.splits = openSplits(known, levels);
    const FileImage image = imageWith(found.splits, known, levels);
    file.setImage(image);
    file.setExists();
    for (const Incarnation incarnation : m_replaced)
        file.replaced().add(incarnation);
    for (const auto& [g, group] : known) {
        FileState::Group& entry = file.group(g);
        entry.epoch = std::max(Epoch(group.view.epoch()), file.firstEpoch());
        entry.state = group.view.state();
        entry.manager = ParityColumn(group.view.manager());
        file.setAvailability(group.view.availability(), group.view.asked());
        entry.k = columns(group);
        for (const pb::Member& member : group.view.members()) {
            if (!isMember(group, member, found.splits))
                continue;
            if (isReleased(member, g, image, found.splits, m))
                continue; // it will receive its Cancel
            FileState::MemberInfo info { HolderInfo::from(member.holder()), member.level(), member.state() };
            if (!info.hasFailed() && hasFailed(member)) // the view that calls it UP is out of date
                info.state = pb::FAILED;
            if (!info.hasFailed())
                info.state = isSplitTarget(member, g, found.splits, m) ? pb::INIT : pb::UP;
            const bool isSilent = !info.hasFailed() && !group.reports.contains(info.holder.incarnation);
            if (isSilent)
                found.silent.push_back({ g, idOf(member) });
            const bool isDeclared = config().recovery() != pb::RECOVERY_OFF && isConcerned(g, found.splits, m);
            if (isSilent && (isDeclared || neverCame(g, member, found.splits))) {
                found.declared.push_back({ g, idOf(member) });
                info.state = pb::FAILED;
            }
            if (member.role() == pb::DATA) {
                const BucketNumber a = bucketAt(g, Position(member.index()), m);
                const KnownLevel level = levelOf(group, member);
                info.level = level.isExact || a.value >= bucketCount(image)
                    ? level.level
                    : std::max(level.level, lhrs::levelOf(a, image));
                entry.data[Position(member.index())] = info;
            } else {
                entry.parity[ParityColumn(member.index())] = info;
            }
        }
        if (entry.data.empty()) // only spares of an undone split are left
            file.erase(g);
    }
    const auto enterLost = [&](BucketNumber a, Level level) {
        const GroupNumber g = groupOf(a, m);
        FileState::Group& entry = file.group(g);
        entry.epoch = std::max(entry.epoch, file.firstEpoch());
        entry.state = pb::GROUP_LOST;
        entry.data[positionOf(a, m)] = { {}, level, pb::MEMBER_LOST };
    };
    for (BucketNumber a; a.value < bucketCount(image); a = a.next()) {
        if (!file.data(a))
            enterLost(a, lhrs::levelOf(a, image));
    }
    // The target of a decided split exists even if nothing of its group is left.
    for (const Split& split : found.splits) {
        if (!split.isMerge && split.isDecided && !file.data(split.target))
            enterLost(split.target, split.level);
    }
    return found;
}

} // namespace lhrs
