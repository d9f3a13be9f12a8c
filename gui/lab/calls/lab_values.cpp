// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab_values.h"

#include "gui/lab/calls/lab_hosts.h"

#include "common/kinds.h"
#include "gui/lab/calls/lab_system.h"
#include "gui/lab/words/lhrs/place_words.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/tables/near_word.h"

#include <QJSEngine>
#include <QStringDecoder>

#include <algorithm>

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
        return QString::fromStdString(std::string(value->name()));
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
        return QString::fromStdString(std::string(field.name().substr(0, field.name().size() - 3))) + "_s";
    return QString::fromStdString(std::string(field.json_name())); // camelCase
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
        object.setProperty(
            "client", e.operation().client() == 0 ? QString() : processName(names, e.operation().client()));
        object.setProperty("sequence", scriptNumber(e.sequence()));
    }
    object.setProperty("t_s", secondsOf(event.runNs));
    object.setProperty("eventIndex", scriptNumber(event.index));
    object.setProperty("process", processName(names, event.process));
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

QString processName(const RunState& state, ProcessId process)
{
    return QString::fromStdString(processShown(process, state));
}

QString shownPlace(const pb::Place& place) { return QString::fromStdString(placeName(place)); }

QJSValue makeTarget(
    const LabContext& context, const QString& shown, const std::vector<std::pair<QString, QJSValue>>& fields)
{
    QJSValue object = context.engine.newObject();
    object.setProperty("labTarget", shown);
    for (const auto& [name, value] : fields)
        object.setProperty(name, value);
    return context.prelude.property("target").call({ object });
}

LabResult<std::vector<FoundTarget>> findTargets(LabContext& context, const QJSValue& target)
{
    for (const LabSystem* system : context.systems)
        if (auto found = system->find(context, target); !found || !found->empty())
            return found;
    if (target.property("role").toString() == "coordinator")
        return std::vector<FoundTarget> { { {}, context.control.coordinator(), "coordinator" } };
    if (target.property("role").toString() == "host")
        return findOnHost(context, target.property("id").toString());
    const std::vector<KnownProcess> directory = context.control.directory();
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

} // namespace lhrs::gui
