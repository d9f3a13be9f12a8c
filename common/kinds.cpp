// SPDX-License-Identifier: GPL-3.0-or-later
// The only place that knows in which fields the further systems keep their messages, events and commands.
#include "common/kinds.h"

#include <algorithm>
#include <array>

namespace lhrs {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr int kOfSystem = 1'000; // numbers of `body` are below this
const std::string kNone;

// Read once from the descriptors, because a look-up through them costs some hundred ns.
class KindTable {
public:
    explicit KindTable(const Descriptor* type)
    {
        add(type, 0);
        if (const auto* systems = type->FindOneofByName("of_system"); systems != nullptr)
            for (int i = 0; i < systems->field_count(); ++i)
                add(systems->field(i)->message_type(), kOfSystem * systems->field(i)->number());
        for (std::size_t i = 0; i < m_all.size(); ++i)
            if (m_all[i].number < kOfSystem)
                m_places[std::size_t(m_all[i].number)] = std::uint16_t(i + 1);
    }

    const std::vector<Kind>& all() const { return m_all; }

    const Kind* find(int number) const
    {
        if (number >= 0 && number < kOfSystem) {
            const std::uint16_t place = m_places[std::size_t(number)];
            return place == 0 ? nullptr : &m_all[place - 1U];
        }
        return findIf([number](const Kind& kind) { return kind.number == number; });
    }

    template <class Is> const Kind* findIf(Is is) const
    {
        const auto found = std::find_if(m_all.begin(), m_all.end(), is);
        return found == m_all.end() ? nullptr : &*found;
    }

    const Kind* named(std::string_view name) const
    {
        return findIf([name](const Kind& kind) { return kind.name == name; });
    }

private:
    void add(const Descriptor* type, int offset)
    {
        const auto* body = type->FindOneofByName("body");
        for (int i = 0; i < body->field_count(); ++i) {
            const FieldDescriptor* field = body->field(i);
            m_all.push_back({ offset + field->number(), std::string(field->name()),
                std::string(field->message_type()->name()), field->options().GetExtension(pb::keep),
                field->options().GetExtension(pb::stop), field->options().GetExtension(pb::least) });
        }
    }

    std::vector<Kind> m_all;
    std::array<std::uint16_t, kOfSystem> m_places {}; // place in m_all, from 1 on; 0: no such kind
};

const KindTable& events()
{
    static const KindTable table(pb::Event::descriptor());
    return table;
}

const KindTable& messages()
{
    static const KindTable table(pb::Message::descriptor());
    return table;
}

const KindTable& commands()
{
    static const KindTable table(pb::Command::descriptor());
    return table;
}

// The number of a body inside the message of a further system; 0: it has none.
int ofSystem(int system, int body) { return body == 0 ? 0 : kOfSystem * system + body; }

// Something with two bodies has no kind: code that checks one of them must not act on the other.
template <class Anything> bool isBoth(const Anything& thing) { return thing.body_case() != Anything::BODY_NOT_SET; }

// The message in the field of this oneof that is set; null: none is set.
const google::protobuf::Message* setIn(const google::protobuf::Message& message, const char* oneof)
{
    const auto* group = message.GetDescriptor()->FindOneofByName(oneof);
    const auto* field = group == nullptr ? nullptr : message.GetReflection()->GetOneofFieldDescriptor(message, group);
    return field == nullptr ? nullptr : &message.GetReflection()->GetMessage(message, field);
}

} // namespace

int kindOf(const pb::Event& event)
{
    switch (event.of_system_case()) {
    case pb::Event::kWalk: return isBoth(event) ? 0 : ofSystem(pb::Event::kWalk, event.walk().body_case());
    case pb::Event::OF_SYSTEM_NOT_SET: break;
    }
    return event.body_case();
}

int kindOf(const pb::Message& message)
{
    switch (message.of_system_case()) {
    case pb::Message::kWalk: return isBoth(message) ? 0 : ofSystem(pb::Message::kWalk, message.walk().body_case());
    case pb::Message::OF_SYSTEM_NOT_SET: break;
    }
    return message.body_case();
}

int kindOf(const pb::Command& command)
{
    switch (command.of_system_case()) {
    case pb::Command::kWalk: return isBoth(command) ? 0 : ofSystem(pb::Command::kWalk, command.walk().body_case());
    case pb::Command::OF_SYSTEM_NOT_SET: break;
    }
    return command.body_case();
}

const std::vector<Kind>& eventKinds() { return events().all(); }
const std::vector<Kind>& messageKinds() { return messages().all(); }
const std::vector<Kind>& commandKinds() { return commands().all(); }
const Kind* eventKind(int number) { return events().find(number); }
const Kind* messageKind(int number) { return messages().find(number); }
const Kind* commandKind(int number) { return commands().find(number); }
const Kind* eventKindNamed(std::string_view name) { return events().named(name); }
const Kind* messageKindNamed(std::string_view name) { return messages().named(name); }

const Kind* eventKindOfType(std::string_view type)
{
    return events().findIf([type](const Kind& kind) { return kind.type == type; });
}

const char* nameOf(const pb::Message& message)
{
    const Kind* kind = messages().find(kindOf(message));
    return kind == nullptr ? "" : kind->name.c_str();
}

const std::string& nameOf(const pb::Event& event)
{
    const Kind* kind = events().find(kindOf(event));
    return kind == nullptr ? kNone : kind->name;
}

const std::string& typeOf(const pb::Event& event)
{
    const Kind* kind = events().find(kindOf(event));
    return kind == nullptr ? kNone : kind->type;
}

const google::protobuf::Message* bodyOf(const pb::Event& event)
{
    const auto* system = setIn(event, "of_system");
    return setIn(system == nullptr ? event : *system, "body");
}

pb::Keep keepOf(const pb::Event& event)
{
    const Kind* kind = events().find(kindOf(event));
    return kind == nullptr ? pb::KEEP_ALWAYS : kind->keep;
}

} // namespace lhrs
