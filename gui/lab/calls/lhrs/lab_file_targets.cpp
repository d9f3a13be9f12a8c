// SPDX-License-Identifier: GPL-3.0-or-later
// The targets that name buckets, recovery managers and spares, and the processes that they are.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lhrs/lab_file.h"

#include <QJSEngine>

#include <algorithm>
#include <optional>
#include <set>

namespace lhrs::gui {

namespace {

// A number or a list of numbers, as a list.
std::vector<std::uint32_t> numbersOf(const QJSValue& value)
{
    if (!value.isArray())
        return { value.toUInt() };
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < value.property("length").toUInt(); ++i)
        numbers.push_back(value.property(i).toUInt());
    return numbers;
}

QJSValue bucketTarget(
    const LabContext& context, const QString& role, std::optional<std::uint32_t> group, const QJSValue& value)
{
    const std::vector<std::uint32_t> numbers = numbersOf(value);
    QStringList shown;
    for (const std::uint32_t number : numbers)
        shown << role + " " + (group ? QString::number(*group) + "." : QString()) + QString::number(number);
    return makeTarget(context, shown.join(", "),
        { { "role", role },
            { "numbers", scriptList(numbers, context.engine, [](std::uint32_t one) { return QJSValue(one); }) },
            { "group", group ? QJSValue(*group) : QJSValue() } });
}

// The holder of a place according to a file description; 0: the place does not exist.
ProcessId holderOf(const pb::FileDescription& file, const pb::Place& place)
{
    const std::uint32_t m = std::max(1u, file.config().m());
    const std::uint32_t number = place.role() == pb::DATA ? place.number() / m : place.number();
    const std::uint32_t index = place.role() == pb::DATA ? place.number() % m : place.column();
    for (const auto& group : file.groups())
        if (group.number() == number)
            for (const pb::Member& member : group.view().members())
                if (member.role() == place.role() && member.index() == index)
                    return member.holder().node();
    return 0;
}

// The holder of a place according to the events; 0: there is none.
ProcessId holderOf(const FileView& state, const pb::Place& place)
{
    if (place.role() == pb::DATA) {
        const auto bucket = state.data.find(place.number());
        return bucket == state.data.end() ? 0 : bucket->second.process;
    }
    const auto parity = state.parity.find({ place.number(), place.column() });
    return parity == state.parity.end() ? 0 : parity->second.process;
}

// The manager of a running recovery of the group, or else the parity bucket that would be the manager.
LabResult<FoundTarget> findManager(const LabContext& context, std::uint32_t group)
{
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    for (const auto& known : file->groups()) {
        if (known.number() != group)
            continue;
        const pb::View& view = known.view();
        const bool isChosen = view.state() == pb::GROUP_FROZEN || view.state() == pb::GROUP_DEGRADED;
        const pb::Member* manager = nullptr;
        for (const pb::Member& member : view.members())
            if (member.role() == pb::PARITY && member.state() == pb::UP
                && (manager == nullptr || (isChosen && member.index() == view.manager())))
                manager = &member;
        if (manager == nullptr)
            return LabError { LabCode::BadArgument,
                QString("Group %1 has no parity bucket that could be its recovery manager.").arg(group) };
        pb::Place place;
        place.set_role(pb::PARITY);
        place.set_number(group);
        place.set_column(manager->index());
        return FoundTarget { place, manager->holder().node(), shownPlace(place) };
    }
    return LabError { LabCode::BadArgument,
        QString("There is no group %1: the file has %2.").arg(group).arg(file->groups_size()) };
}

} // namespace

std::vector<pb::Place> placesOf(const QJSValue& target)
{
    std::vector<pb::Place> places;
    const QString role = target.property("role").toString();
    if (role != "data" && role != "parity")
        return places;
    const QJSValue numbers = target.property("numbers");
    for (std::uint32_t i = 0; i < numbers.property("length").toUInt(); ++i) {
        pb::Place place;
        place.set_role(role == "data" ? pb::DATA : pb::PARITY);
        place.set_number(role == "data" ? numbers.property(i).toUInt() : target.property("group").toUInt());
        place.set_column(role == "data" ? 0 : numbers.property(i).toUInt());
        places.push_back(place);
    }
    return places;
}

LabResult<std::vector<FoundTarget>> FileLab::find(LabContext& context, const QJSValue& target) const
{
    std::vector<FoundTarget> found;
    const QString role = target.property("role").toString();
    if (const auto places = placesOf(target); !places.empty()) {
        const auto file = context.describeFile();
        const bool isWithoutCoordinator = !file
            && (file.error().code == LabCode::Unreachable || file.error().code == LabCode::Timeout);
        if (!file && !isWithoutCoordinator)
            return file.error();
        // Without a coordinator the events are the best source; those already published are awaited.
        const auto isTold = [&](const pb::Place& place) { return holderOf(context.ingest.state(), place) != 0; };
        if (isWithoutCoordinator && !std::all_of(places.begin(), places.end(), isTold))
            if (const auto here = context.catchUp(); !here)
                return here.error();
        for (const pb::Place& place : places) {
            const ProcessId holder = isWithoutCoordinator ? holderOf(context.ingest.state(), place)
                                                          : holderOf(*file, place);
            if (holder == 0 && isWithoutCoordinator)
                return file.error();
            if (holder == 0)
                return LabError { LabCode::BadArgument,
                    shownPlace(place) + " does not exist: the file has " + QString::number(file->buckets())
                        + " data buckets in " + QString::number(file->groups_size()) + " groups." };
            found.push_back({ place, holder, shownPlace(place) });
        }
        return found;
    }
    if (role == "manager") {
        const auto manager = findManager(context, target.property("group").toUInt());
        if (!manager)
            return manager.error();
        return std::vector<FoundTarget> { *manager };
    }
    if (role == "spare") {
        const pb::Role pool = target.property("pool").toString() == "parity" ? pb::PARITY : pb::DATA;
        std::uint32_t index = target.property("index").toUInt();
        // The directory learns of a new place slightly later than the coordinator.
        const auto file = context.describeFile();
        if (!file)
            return file.error();
        std::set<ProcessId> members;
        for (const auto& group : file->groups())
            for (const pb::Member& member : group.view().members())
                members.insert(member.holder().node());
        for (const KnownProcess& known : context.control.directory())
            if (known.info.kind() == pb::NODE && !known.hasEnded && known.info.pool() == pool
                && known.place.role() == pb::NO_ROLE && !members.contains(known.info.node()) && index-- == 0)
                return std::vector<FoundTarget> { { {}, known.info.node(),
                    QString::fromStdString(known.info.name()) } };
        return LabError { LabCode::BadArgument, "There is no " + target.toString() + "." };
    }
    return std::vector<FoundTarget>();
}

void addBucketTargets(Lab& lab, LabContext& context)
{
    lab.handle("lab.data",
        [&](const LabCall& c) -> LabResult<QJSValue> { return bucketTarget(context, "data", {}, c.arguments.at(0)); });
    lab.handle("lab.parity", [&](const LabCall& c) -> LabResult<QJSValue> {
        return bucketTarget(context, "parity", c.arguments.at(0).toUInt(), c.arguments.at(1));
    });
    lab.handle("lab.manager", [&](const LabCall& c) -> LabResult<QJSValue> {
        return makeTarget(context, "manager of group " + c.arguments.at(0).toString(),
            { { "role", "manager" }, { "group", c.arguments.at(0) } });
    });
    lab.handle("lab.spare", [&](const LabCall& c) -> LabResult<QJSValue> {
        const QString pool = c.arguments.at(0).toString();
        return makeTarget(context, pool + " spare " + c.arguments.at(1).toString(),
            { { "role", "spare" }, { "pool", pool }, { "index", c.arguments.at(1) } });
    });
}

} // namespace lhrs::gui
