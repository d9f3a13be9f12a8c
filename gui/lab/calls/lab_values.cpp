// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab_values.h"

#include "common/kinds.h"
#include "common/lhrs/linear_hash.h"
#include "gui/lab/words/lhrs/file_words.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/tables/near_word.h"

#include <QJSEngine>
#include <QStringDecoder>

#include <algorithm>
#include <set>

namespace lhrs::gui {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr std::uint64_t kExact = std::uint64_t(1) << 53;

// One value of a field; `index` -1: the field is not repeated.
QJSValue fieldValue(const Message& message, const FieldDescriptor& field, int index, QJSEngine& engine)
{
    const auto& r = *message.GetReflection();
    const bool isOne = index < 0;
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        return isOne ? r.GetInt32(message, &field) : r.GetRepeatedInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_UINT32:
        return isOne ? r.GetUInt32(message, &field) : r.GetRepeatedUInt32(message, &field, index);
    case FieldDescriptor::CPPTYPE_INT64: {
        const std::int64_t value = isOne ? r.GetInt64(message, &field) : r.GetRepeatedInt64(message, &field, index);
        return field.name().ends_with("_ns") ? QJSValue(secondsOf(value)) : QJSValue(double(value));
    }
    case FieldDescriptor::CPPTYPE_UINT64:
        return scriptNumber(isOne ? r.GetUInt64(message, &field) : r.GetRepeatedUInt64(message, &field, index));
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return isOne ? r.GetDouble(message, &field) : r.GetRepeatedDouble(message, &field, index);
    case FieldDescriptor::CPPTYPE_FLOAT:
        return double(isOne ? r.GetFloat(message, &field) : r.GetRepeatedFloat(message, &field, index));
    case FieldDescriptor::CPPTYPE_BOOL:
        return isOne ? r.GetBool(message, &field) : r.GetRepeatedBool(message, &field, index);
    case FieldDescriptor::CPPTYPE_ENUM: {
        const auto* value = isOne ? r.GetEnum(message, &field) : r.GetRepeatedEnum(message, &field, index);
        return QString::fromStdString(value->name());
    }
    case FieldDescriptor::CPPTYPE_STRING: {
        const std::string value = isOne ? r.GetString(message, &field) : r.GetRepeatedString(message, &field, index);
        return field.type() == FieldDescriptor::TYPE_BYTES ? hexOf(value) : QString::fromStdString(value);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
        const Message& value = isOne ? r.GetMessage(message, &field) : r.GetRepeatedMessage(message, &field, index);
        if (const auto* place = dynamic_cast<const pb::Place*>(&value))
            return QString::fromStdString(placeName(*place));
        return scriptObject(value, engine);
    }
    }
    return {};
}

QString scriptName(const FieldDescriptor& field)
{
    if (field.name().ends_with("_ns"))
        return QString::fromStdString(field.name().substr(0, field.name().size() - 3)) + "_s";
    return QString::fromStdString(field.json_name()); // camelCase
}

void addFields(const Message& message, QJSValue& object, QJSEngine& engine)
{
    const auto* descriptor = message.GetDescriptor();
    for (int i = 0; i < descriptor->field_count(); ++i) {
        const FieldDescriptor& field = *descriptor->field(i);
        if (field.is_repeated()) {
            const int size = message.GetReflection()->FieldSize(message, &field);
            QJSValue list = engine.newArray(std::uint32_t(size));
            for (int k = 0; k < size; ++k)
                list.setProperty(std::uint32_t(k), fieldValue(message, field, k, engine));
            object.setProperty(scriptName(field), list);
        } else if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE
            || message.GetReflection()->HasField(message, &field)) {
            object.setProperty(scriptName(field), fieldValue(message, field, -1, engine));
        }
    }
}

QString shownPlace(const pb::Place& place) { return QString::fromStdString(placeName(place)); }

} // namespace

QJSValue scriptNumber(std::uint64_t number)
{
    return number <= kExact ? QJSValue(double(number)) : QJSValue(QString::number(number));
}

LabResult<std::uint64_t> keyOf(const QJSValue& value)
{
    if (value.isNumber() && value.toNumber() >= 0 && value.toNumber() <= double(kExact))
        return std::uint64_t(value.toNumber());
    bool isNumber = false;
    const std::uint64_t key = value.toString().toULongLong(&isNumber, 10);
    if (value.isString() && isNumber)
        return key;
    return LabError { LabCode::BadArgument,
        "A key is a whole number from 0 to 2^64 - 1 (above 2^53 as a string), not '" + value.toString() + "'." };
}

QJSValue scriptObject(const Message& message, QJSEngine& engine)
{
    QJSValue object = engine.newObject();
    addFields(message, object, engine);
    return object;
}

QJSValue scriptEvent(const RunEvent& event, const ClusterState& names, QJSEngine& engine)
{
    QJSValue object = engine.newObject();
    if (event.isGap()) {
        object.setProperty("kind", "Gap");
        object.setProperty("first", scriptNumber(event.gapFirst));
        object.setProperty("last", scriptNumber(event.gapLast));
    } else {
        const pb::Event& e = *event.event;
        if (const google::protobuf::Message* body = bodyOf(e); body != nullptr)
            addFields(*body, object, engine);
        // The body's kind is that of an operation, a change or a message; the event has a kind too.
        if (object.hasProperty("kind"))
            object.setProperty("what", object.property("kind"));
        object.setProperty("kind", QString::fromStdString(kindName(e)));
        object.setProperty("place", shownPlace(e.place()));
        object.setProperty("op", scriptNumber(e.operation().number()));
        object.setProperty("client",
            e.operation().client() == 0 ? QString()
                                        : QString::fromStdString(processShown(e.operation().client(), names)));
        object.setProperty("sequence", scriptNumber(e.sequence()));
    }
    object.setProperty("t_s", secondsOf(event.runNs));
    object.setProperty("eventIndex", scriptNumber(event.index));
    object.setProperty("process", QString::fromStdString(processShown(event.process, names)));
    return object;
}

QJSValue scriptImage(const pb::FileState& image, QJSEngine& engine)
{
    QJSValue object = engine.newObject();
    object.setProperty("i", image.i());
    object.setProperty("n", image.n());
    object.setProperty("M", isValid({ image.i(), image.n() }) ? bucketCount({ image.i(), image.n() }) : 0);
    return object;
}

QStringList eventTypes()
{
    QStringList types;
    for (const Kind& kind : eventKinds())
        types << QString::fromStdString(kind.type);
    return types;
}

LabResult<int> eventKindOf(const QString& name)
{
    if (const Kind* kind = eventKindOfType(name.toStdString()); kind != nullptr)
        return kind->number;
    const QString near = nearestWord(name, eventTypes());
    return LabError { LabCode::BadArgument, "There is no event " + name + ".",
        near.isEmpty() ? "The kinds are the messages of proto/event.proto." : "Did you mean " + near + "?" };
}

QString readable(const QJSValue& value, QJSEngine& engine)
{
    if (value.isObject() && !value.isCallable() && (value.isArray() || value.toString() == "[object Object]")) {
        const QJSValue json = engine.globalObject().property("JSON").property("stringify").call({ value });
        if (json.isString())
            return json.toString();
    }
    return value.toString();
}

QJSValue scriptText(const std::string& bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(QByteArrayView(bytes.data(), qsizetype(bytes.size())));
    return decoder.hasError() || text.contains(QChar(0)) ? QJSValue(QJSValue::NullValue) : QJSValue(text);
}

QString hexOf(const std::string& bytes)
{
    return QString::fromLatin1(QByteArray::fromRawData(bytes.data(), qsizetype(bytes.size())).toHex());
}

double secondsOf(std::int64_t ns) { return double(ns) / 1e9; }

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

ProcessId holderOf(const ClusterState& state, const pb::Place& place)
{
    if (place.role() == pb::DATA) {
        const auto bucket = state.data.find(place.number());
        return bucket == state.data.end() ? 0 : bucket->second.process;
    }
    const auto parity = state.parity.find({ place.number(), place.column() });
    return parity == state.parity.end() ? 0 : parity->second.process;
}

namespace {

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

LabResult<std::vector<FoundTarget>> findTargets(LabContext& context, const QJSValue& target)
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
    if (role == "coordinator")
        return std::vector<FoundTarget> { { {}, context.control.coordinator(), "coordinator" } };
    const std::vector<KnownProcess> directory = context.control.directory();
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
        for (const KnownProcess& known : directory)
            if (known.info.kind() == pb::NODE && !known.hasEnded && known.info.spare_role() == pool
                && known.place.role() == pb::NO_ROLE && !members.contains(known.info.node()) && index-- == 0)
                return std::vector<FoundTarget> { { {}, known.info.node(),
                    QString::fromStdString(known.info.name()) } };
        return LabError { LabCode::BadArgument, "There is no " + target.toString() + "." };
    }
    const QString id = target.property("id").toString();
    // A restarted server has the name of its predecessor; the living process is meant.
    for (const bool mustLive : { true, false })
        for (const KnownProcess& known : directory)
            if ((QString::fromStdString(known.info.name()) == id || QString::number(known.info.node()) == id)
                && !(mustLive && known.hasEnded))
                return std::vector<FoundTarget> { { known.place, known.info.node(),
                    QString::fromStdString(known.info.name()) } };
    return LabError { LabCode::BadArgument, "There is no process " + id + "." };
}

LabResult<FoundTarget> findTarget(LabContext& context, const QJSValue& target)
{
    auto found = findTargets(context, target);
    if (!found)
        return found.error();
    if (found->size() != 1)
        return LabError { LabCode::BadArgument,
            "One target is wanted here, not " + QString::number(found->size()) + " (" + target.toString() + ")." };
    return found->front();
}

LabResult<std::uint64_t> cursorOf(const LabContext& context, const QJSValue& since)
{
    if (since.isUndefined() || since.isNull())
        return context.changeCursor;
    const QJSValue index = since.property("eventIndex");
    if (!index.isNumber())
        return LabError { LabCode::BadArgument, "The option since must be what lab.here() gave, or an event." };
    return std::uint64_t(index.toNumber());
}

LabResult<std::uint32_t> sliceOf(const QJSValue& option, const QString& call)
{
    const bool isNumber = option.isNumber() && option.toNumber() >= 1 && option.toNumber() <= (1 << 24)
        && std::floor(option.toNumber()) == option.toNumber();
    if (!isNumber && option.toString() != "auto")
        return LabError { LabCode::BadArgument,
            "The option slice of " + call + " is a number of ranks, at least 1, or 'auto', not " + option.toString()
                + ".",
            "slice: 5" };
    return isNumber ? option.toUInt() : 0;
}

} // namespace lhrs::gui
