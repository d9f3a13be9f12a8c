// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/sim/engine/event_lines.h"

#include "common/check/say.h"
#include "common/kinds.h"

#include <array>
#include <string_view>

namespace lhrs {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

// Random or measured values, which differ in every build or run.
constexpr std::array<std::string_view, 12> kLeftOut { "id", "invitation", "split", "incarnation", "total_ns",
    "process_ns", "communication_ns", "other_ns", "transfer_ns", "time_ns", "version", "address" };

bool isLeftOut(std::string_view field)
{
    for (const std::string_view name : kLeftOut)
        if (name == field)
            return true;
    return false;
}

std::string processName(const SimCluster& cluster, std::uint64_t node)
{
    const SimProcess* process = cluster.numbered(NodeId(node));
    return process ? process->info.name() : "nobody";
}

std::string fieldsOf(const SimCluster& cluster, const google::protobuf::Message& message, const char* separator);

// A single value; `index` in a repeated field, otherwise -1.
std::string valueOf(
    const SimCluster& cluster, const google::protobuf::Message& message, const FieldDescriptor& field, int index)
{
    const Reflection& of = *message.GetReflection();
    const bool isRepeated = index >= 0;
    switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
        return std::to_string(
            isRepeated ? of.GetRepeatedUInt32(message, &field, index) : of.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64: {
        const std::uint64_t value = isRepeated ? of.GetRepeatedUInt64(message, &field, index)
                                               : of.GetUInt64(message, &field);
        const std::string_view name = field.name();
        const bool isProcess = field.type() == FieldDescriptor::TYPE_FIXED64
            && (name == "to" || name == "from" || name == "node");
        return isProcess ? processName(cluster, value) : std::to_string(value);
    }
    case FieldDescriptor::CPPTYPE_INT64: return std::to_string(of.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_INT32: return std::to_string(of.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL: return of.GetBool(message, &field) ? "yes" : "no";
    case FieldDescriptor::CPPTYPE_ENUM:
        return std::string(
            (isRepeated ? of.GetRepeatedEnum(message, &field, index) : of.GetEnum(message, &field))->name());
    case FieldDescriptor::CPPTYPE_STRING: return check::say("\"", of.GetString(message, &field), "\"");
    case FieldDescriptor::CPPTYPE_MESSAGE: {
        const google::protobuf::Message& inner = isRepeated ? of.GetRepeatedMessage(message, &field, index)
                                                            : of.GetMessage(message, &field);
        return check::say("(", fieldsOf(cluster, inner, ", "), ")");
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT: break;
    }
    return "";
}

std::string fieldsOf(const SimCluster& cluster, const google::protobuf::Message& message, const char* separator)
{
    const Reflection& reflection = *message.GetReflection();
    std::string text;
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
        const FieldDescriptor& field = *message.GetDescriptor()->field(i);
        // Fields of the simulation are left out; every process here is simulated.
        if (isLeftOut(field.name())
            || (field.containing_type() == pb::ProcessInfo::descriptor() && field.number() >= 300))
            continue;
        std::string value;
        if (field.is_repeated()) {
            const int size = reflection.FieldSize(message, &field);
            if (size == 0)
                continue;
            for (int k = 0; k < size; ++k)
                value += check::say(k > 0 ? "," : "", valueOf(cluster, message, field, k));
            value = check::say("[", value, "]");
        } else {
            if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !reflection.HasField(message, &field))
                continue;
            value = valueOf(cluster, message, field, -1);
        }
        text += check::say(text.empty() ? "" : separator, field.name(), "=", value);
    }
    return text;
}

} // namespace

std::string eventLine(
    const SimCluster& cluster, const SimProcess& process, const pb::Event& event, const std::string& place)
{
    std::string line = process.info.name();
    if (event.has_message_sent()) {
        const pb::MessageSent& sent = event.message_sent();
        const SimProcess* to = cluster.at(Address::from(sent.address()));
        line += " -> " + (to ? to->info.name() : "nobody") + ": " + sent.kind();
        line += sent.transport() == pb::STREAM ? " (stream)" : "";
        return sent.tries() > 0 ? line + " (resend " + std::to_string(sent.tries()) + ')' : line;
    }
    if (!place.empty())
        line += ' ' + place;
    const google::protobuf::Message* body = bodyOf(event);
    if (body == nullptr)
        return line + ": nothing";
    line += check::say(": ", body->GetDescriptor()->name());
    const std::string fields = fieldsOf(cluster, *body, " ");
    return fields.empty() ? line : line + ' ' + fields;
}

} // namespace lhrs
