// SPDX-License-Identifier: GPL-3.0-or-later
// The table of what the wire has to know of each message: every body has a row, and each row says what is true of it.
#include "common/kinds.h"
#include "common/wire.h"
#include "common/wire_traits.h"

#include <QTest>

#include <set>

using namespace lhrs;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace {

constexpr std::size_t kLong = 300;

// A message of each body of all systems, and the message in it that is the body.
struct Example {
    std::string name;
    pb::Message message;
    google::protobuf::Message* body = nullptr;
};

google::protobuf::Message* setBody(google::protobuf::Message& message, const FieldDescriptor* field)
{
    return message.GetReflection()->MutableMessage(&message, field);
}

std::vector<std::unique_ptr<Example>> examples()
{
    std::vector<std::unique_ptr<Example>> all;
    const Descriptor* type = pb::Message::descriptor();
    const auto* file = type->FindOneofByName("body");
    for (int i = 0; i < file->field_count(); ++i) {
        auto example = std::make_unique<Example>();
        example->name = file->field(i)->name();
        example->body = setBody(example->message, file->field(i));
        all.push_back(std::move(example));
    }
    const auto* systems = type->FindOneofByName("of_system");
    for (int s = 0; s < systems->field_count(); ++s) {
        const auto* bodies = systems->field(s)->message_type()->FindOneofByName("body");
        for (int i = 0; i < bodies->field_count(); ++i) {
            auto example = std::make_unique<Example>();
            example->name = systems->field(s)->name() + "." + bodies->field(i)->name();
            example->body = setBody(*setBody(example->message, systems->field(s)), bodies->field(i));
            all.push_back(std::move(example));
        }
    }
    return all;
}

const FieldDescriptor* fieldOf(const Example& example, std::initializer_list<const char*> names)
{
    for (const char* name : names)
        if (const FieldDescriptor* field = example.body->GetDescriptor()->FindFieldByName(name);
            field != nullptr && field->type() == FieldDescriptor::TYPE_BYTES && !field->is_repeated())
            return field;
    return nullptr;
}

std::string textIn(const Example& example, const FieldDescriptor* field)
{
    return example.body->GetReflection()->GetString(*example.body, field);
}

pb::Address address(std::uint32_t ip)
{
    pb::Address a;
    a.set_ip(ip);
    a.set_udp_port(ip + 1);
    a.set_tcp_port(ip + 2);
    return a;
}

pb::Message* parsed(const pb::Message& message, google::protobuf::Arena& arena, StringPool* strings)
{
    std::string bytes(sizeInBody(message), '\0');
    appendMessage(message, bytes.data());
    std::vector<ReadMessage> read;
    return parseBody(bytes, arena, read, strings) && read.size() == 1 ? read[0].message : nullptr;
}

} // namespace

class TestWireTraits : public QObject {
    Q_OBJECT
private slots:
    void eachBodyHasARow();
    void longFieldsAreTreatedAsSuch();
    void blocksTravelBeside();
    void whatIsLeftOutComesBack();
    void aShortMessageFitsADatagram();
};

void TestWireTraits::eachBodyHasARow()
{
    for (const auto& example : examples()) {
        QVERIFY2(wireOf(example->message).isListed, (example->name + " has no row").c_str());
        const auto* body = pb::Message::descriptor()->FindOneofByName("body");
        for (int i = 0; i < body->field_count(); ++i)
            QVERIFY2(body->field(i)->number() >= kFirstBody && body->field(i)->number() < int(kBodiesMax),
                body->field(i)->name().c_str());
    }
    QVERIFY(!wireOf(pb::Message()).isListed);
    QVERIFY(!wireOfSystem(pb::Message::kWalkFieldNumber, 0).isListed
        && !wireOfSystem(pb::Message::kWalkFieldNumber, 1'000'000).isListed);
    QVERIFY(!wireOfSystem(601, 1).isListed);
    // All other fields are below the bodies, so that a reader finds the body first.
    const auto* type = pb::Message::descriptor();
    for (int i = 0; i < type->field_count(); ++i)
        QVERIFY(type->field(i)->containing_oneof() != nullptr || type->field(i)->number() < kFirstBody);
}

// What the names of fields say: value and delta are of a single operation; records and changes are blocks.
void TestWireTraits::longFieldsAreTreatedAsSuch()
{
    const std::set<std::string> noValue { "search", "delete" }; // the type has the field, they never fill it in
    int values = 0;
    for (const auto& example : examples()) {
        const WireTraits& row = wireOf(example->message);
        const FieldDescriptor* field = noValue.contains(example->name) ? nullptr
                                                                       : fieldOf(*example, { "value", "delta" });
        QVERIFY2((row.value != nullptr) == (field != nullptr) && (row.readValue != nullptr) == (field != nullptr),
            example->name.c_str());
        if (field == nullptr)
            continue;
        ++values;
        QVERIFY(row.readValue(example->message).empty());
        const int kind = kindOf(example->message);
        *row.value(example->message) = std::string(kLong, 'v');
        QVERIFY2(kindOf(example->message) == kind, (example->name + ": a field of another body").c_str());
        QVERIFY2(textIn(*example, field) == std::string(kLong, 'v') && row.readValue(example->message).size() == kLong,
            example->name.c_str());
        // The memory goes around: lent for the next message of the kind, and taken back from it.
        StringPool strings;
        takeBackValue(example->message, strings);
        QVERIFY2(strings.bytes() >= kLong && textIn(*example, field).empty(), example->name.c_str());
        *row.value(example->message) = std::string(kLong, 'w');
        google::protobuf::Arena arena;
        const std::size_t before = strings.bytes();
        pb::Message* const read = parsed(example->message, arena, &strings);
        QVERIFY2(read != nullptr && strings.bytes() < before, example->name.c_str());
        QCOMPARE(row.readValue(*read), std::string(kLong, 'w'));
        takeBackValue(*read, strings);
        QCOMPARE(strings.bytes(), before);
    }
    QVERIFY(values >= 6); // of both systems
}

void TestWireTraits::blocksTravelBeside()
{
    int blocks = 0;
    for (const auto& example : examples()) {
        const FieldDescriptor* field = fieldOf(*example, { "records", "changes" });
        QVERIFY2((wireOf(example->message).block != nullptr) == (field != nullptr), example->name.c_str());
        const int kind = kindOf(example->message);
        std::string* const place = blockIn(example->message);
        QVERIFY2(kindOf(example->message) == kind, (example->name + ": a field of another body").c_str());
        QCOMPARE(place != nullptr, field != nullptr);
        if (field == nullptr) {
            QVERIFY(!putBlock("abc", example->message));
            continue;
        }
        ++blocks;
        QVERIFY(putBlock("abc", example->message) && !putBlock("def", example->message));
        QVERIFY2(textIn(*example, field) == "abc", example->name.c_str());
    }
    QVERIFY(blocks >= 6);
}

void TestWireTraits::whatIsLeftOutComesBack()
{
    const pb::Address self = address(7), other = address(70);
    for (const auto& example : examples()) {
        const WireTraits& row = wireOf(example->message);
        const Descriptor* type = example->body->GetDescriptor();
        // Messages of single operations, which there are many of, leave out what they would say twice.
        const auto names = [&](const char* field, const Descriptor* what) {
            const FieldDescriptor* found = type->FindFieldByName(field);
            return row.length != nullptr && found != nullptr && found->message_type() == what;
        };
        QVERIFY2((row.request != nullptr) == names("request", pb::RequestId::descriptor()), example->name.c_str());
        QVERIFY2((row.client != nullptr) == names("client", pb::Address::descriptor()), example->name.c_str());
        QCOMPARE(row.client != nullptr, row.setClient != nullptr);
        for (const bool isSame : { true, false }) {
            pb::Message message = example->message;
            message.set_sender(3);
            *message.mutable_from() = self;
            message.mutable_operation()->set_client(1000);
            message.mutable_operation()->set_number(5);
            if (row.request != nullptr) {
                QVERIFY2(row.request(message) == nullptr, "no request is named yet");
                const FieldDescriptor* field = type->FindFieldByName("request");
                auto* const body = message.GetReflection()->MutableMessage(
                    &message, pb::Message::descriptor()->FindFieldByName(example->name));
                auto* const request = static_cast<pb::RequestId*>(body->GetReflection()->MutableMessage(body, field));
                request->set_client(1000);
                request->set_number(isSame ? 5 : 6);
                QCOMPARE(row.request(message), request);
            }
            pb::Address client = isSame ? self : other;
            if (row.client != nullptr) {
                QVERIFY2(row.client(message) == nullptr, "no client is named yet");
                row.setClient(message, new pb::Address(client)); // the message owns it
                QCOMPARE(row.client(message)->ip(), client.ip());
            }
            pb::Message sent = message;
            leaveOut(sent, self);
            const bool isShorter = sent.ByteSizeLong() < message.ByteSizeLong();
            QVERIFY2(isShorter == (isSame && (row.request != nullptr || row.client != nullptr)), example->name.c_str());
            google::protobuf::Arena arena;
            pb::Message* const read = parsed(sent, arena, nullptr);
            QVERIFY(read != nullptr);
            QVERIFY2(read->SerializeAsString() == message.SerializeAsString(), example->name.c_str());
        }
    }
}

void TestWireTraits::aShortMessageFitsADatagram()
{
    int shorts = 0;
    for (const auto& example : examples()) {
        const WireTraits& row = wireOf(example->message);
        QVERIFY2(isSurelyWithin(example->message, kDatagramMax) == (row.length != nullptr), example->name.c_str());
        if (row.length == nullptr)
            continue;
        ++shorts;
        // Every number at its largest and every text filled in: what `length` does not count stays within the bound.
        google::protobuf::Message& body = *example->body;
        const auto* fields = body.GetReflection();
        const Descriptor* type = body.GetDescriptor();
        for (int i = 0; i < type->field_count(); ++i) {
            const FieldDescriptor* field = type->field(i);
            QVERIFY2(!field->is_repeated(), field->full_name().c_str());
            if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
                fields->SetString(&body, field, std::string(kLong, 'x'));
            else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32)
                fields->SetUInt32(&body, field, UINT32_MAX);
            else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT64)
                fields->SetUInt64(&body, field, UINT64_MAX);
            else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
                fields->MutableMessage(&body, field);
        }
        const std::size_t counted = row.length(example->message), size = example->message.ByteSizeLong();
        QVERIFY2(counted >= kLong || example->name == "delta_ack", example->name.c_str());
        QVERIFY2(size >= counted && isSurelyWithin(example->message, size + 400), example->name.c_str());
        QVERIFY2(!isSurelyWithin(example->message, counted + 399) && isSurelyWithin(example->message, counted + 400),
            example->name.c_str());
        QVERIFY2(size <= counted + 400, example->name.c_str());
    }
    QVERIFY(shorts >= 7);
}

QTEST_APPLESS_MAIN(TestWireTraits)
#include "tst_wire_traits.moc"
