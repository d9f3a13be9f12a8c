// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/wire.h"

#include "common/ip.h"
#include "common/kinds.h"
#include "common/protobuf_arena.h"
#include "common/wire_traits.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/parse_context.h>
#include <google/protobuf/wire_format_lite.h>

namespace lhrs {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
#if GOOGLE_PROTOBUF_VERSION >= 4022000
using ProtobufView = std::string_view;
#else
using ProtobufView = google::protobuf::StringPiece;
#endif

// Below this length even the worst input expands to only a few MiB of objects.
constexpr std::size_t kHarmless = std::size_t(64) << 10;
// Any number of copies of parts of such a message is harmless.
constexpr std::uint32_t kPlain = 2'048;
// Upper bound for a single-operation message without its long field: its longest numbers, addresses and ids.
constexpr std::size_t kBesideValue = 400;

const std::uint8_t* bytesOf(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

// Counts the messages and strings inside without creating them. Two bytes on the wire can become a hundred in memory,
// so the length alone is a weak bound.
bool countParts(CodedInputStream& in, const Descriptor& type, int nesting, std::size_t& parts)
{
    if (nesting > kNestingMax)
        return false;
    while (const std::uint32_t tag = in.ReadTag()) {
        const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
        if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
            if (!WireFormatLite::SkipField(&in, tag))
                return false;
            continue;
        }
        std::uint32_t length = 0;
        if (!in.ReadVarint32(&length) || length > kFrameMax || ++parts > kPartsMax)
            return false;
        if (field && field->type() == FieldDescriptor::TYPE_MESSAGE) {
            const CodedInputStream::Limit limit = in.PushLimit(int(length));
            if (!countParts(in, *field->message_type(), nesting + 1, parts) || in.BytesUntilLimit() != 0)
                return false;
            in.PopLimit(limit);
        } else if (!in.Skip(int(length))) {
            return false;
        }
    }
    return true;
}

Result<void> parse(std::string_view bytes, std::size_t bytesMax, google::protobuf::Message& out)
{
    if (bytes.size() > bytesMax)
        return Error { "too long" };
    if (bytes.size() > kHarmless) {
        CodedInputStream in(bytesOf(bytes), int(bytes.size()));
        std::size_t parts = 0;
        if (!countParts(in, *out.GetDescriptor(), 0, parts))
            return Error { "too many parts" };
    }
    if (!out.ParseFromArray(bytes.data(), int(bytes.size()))) // its own nesting limit is 100
        return Error { "malformed" };
    return {};
}

// The number and length of the body of a message; 0: it has no body, or not at this place. `inner`: for a message of
// another system, the number of the body in it.
struct BodyField {
    int number = 0;
    std::uint32_t length = 0;
    int inner = 0;
};

BodyField bodyIn(std::string_view bytes)
{
    CodedInputStream in(bytesOf(bytes), int(bytes.size()));
    while (const std::uint32_t tag = in.ReadTag()) {
        BodyField body { WireFormatLite::GetTagFieldNumber(tag) };
        if (body.number >= kFirstBody) {
            const bool isMessage = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
            if (!isMessage || !in.ReadVarint32(&body.length))
                return {};
            if (body.number >= int(kBodiesMax))
                body.inner = WireFormatLite::GetTagFieldNumber(in.ReadTag());
            return body;
        }
        if (!WireFormatLite::SkipField(&in, tag))
            break;
    }
    return {};
}

// Reads a short message, its value into reused memory. Parsing keeps the memory of an existing field, so the value's
// field is created first; a message whose body has this number on the wire will have that field, or is malformed.
bool readIntoPooled(std::string_view bytes, pb::Message& out, StringPool& strings)
{
    const BodyField body = bodyIn(bytes);
    if (StringPool::wantsMemory(body.length)) {
        const WireTraits& row = body.number < int(kBodiesMax) ? wireOfBody[std::size_t(body.number)]
                                                              : wireOfSystem(body.number, body.inner);
        if (row.value != nullptr)
            strings.lend(*row.value(out));
    }
    const char* at = nullptr;
    google::protobuf::internal::ParseContext context(
        CodedInputStream::GetDefaultRecursionLimit(), false, &at, ProtobufView(bytes.data(), bytes.size()));
    at = out._InternalParse(at, &context);
    return at != nullptr && context.EndedAtLimit();
}

// Restores what leaveOut() removed, and the sender of all messages after the first. Nothing is copied: the messages
// share these parts, which live as long as the arena and must not be modified.
void putBack(const ReadMessage& read, const ReadMessage* before)
{
    // A part may contain megabytes of unknown fields. If such a part were shared, every message that is kept would have
    // its own copy.
    const auto mayShare = [](const google::protobuf::Message& part, std::uint32_t bytes) {
        return bytes <= kPlain || part.GetReflection()->GetUnknownFields(part).empty();
    };
    pb::Message& message = *read.message;
    if (before != nullptr && !message.has_from() && message.sender() == 0) {
        message.set_sender(before->message->sender());
        if (before->message->has_from() && mayShare(before->message->from(), before->bytes))
            message.unsafe_arena_set_allocated_from(before->message->mutable_from());
    }
    const WireTraits& row = wireOf(message);
    if (row.client != nullptr && row.client(message) == nullptr && message.has_from()
        && mayShare(message.from(), read.bytes))
        row.setClient(message, message.mutable_from());
    if (row.request == nullptr)
        return;
    if (pb::RequestId* const request = row.request(message);
        request != nullptr && request->client() != 0 && !message.has_operation() && mayShare(*request, read.bytes))
        message.unsafe_arena_set_allocated_operation(request);
}

} // namespace

void leaveOut(pb::Message& message, const pb::Address& self)
{
    const auto isSame = [](const pb::Address& a, const pb::Address& b) {
        return Ip::from(a) == Ip::from(b) && a.udp_port() == b.udp_port() && a.tcp_port() == b.tcp_port();
    };
    const WireTraits& row = wireOf(message);
    if (row.client != nullptr)
        if (const pb::Address* const client = row.client(message); client != nullptr && isSame(*client, self))
            row.setClient(message, nullptr);
    if (row.request == nullptr || !message.has_operation())
        return;
    if (const pb::RequestId* const request = row.request(message); request != nullptr
        && request->client() == message.operation().client() && request->number() == message.operation().number())
        message.clear_operation();
}

Result<void> parseBody(
    std::string_view body, google::protobuf::Arena& arena, std::vector<ReadMessage>& out, StringPool* strings)
{
    const std::size_t before = out.size();
    const auto refuse = [&out, before](const char* why) {
        out.resize(before);
        return Error { why };
    };
    while (!body.empty()) {
        CodedInputStream in(bytesOf(body), int(std::min(body.size(), std::size_t(10))));
        std::uint32_t length = 0;
        if (!in.ReadVarint32(&length))
            return refuse("no length");
        body.remove_prefix(std::size_t(in.CurrentPosition()));
        if (length == 0 || length > body.size())
            return refuse("wrong length");
        if (out.size() - before >= kMessagesMax)
            return refuse("too many");
        auto* message = createIn<pb::Message>(arena);
        const std::string_view bytes = body.substr(0, length);
        if (strings != nullptr && length <= kHarmless) {
            if (!readIntoPooled(bytes, *message, *strings))
                return refuse("malformed");
        } else if (const auto parsed = parse(bytes, kFrameMax, *message); !parsed) {
            return refuse(parsed.error().text.c_str());
        }
        if (kindOf(*message) == 0)
            return refuse("no body");
        const ReadMessage read { message, length };
        putBack(read, out.size() > before ? &out.back() : nullptr);
        out.push_back(read);
        body.remove_prefix(length);
    }
    return out.size() > before ? Result<void>() : refuse("empty");
}

std::size_t sizeInBody(const pb::Message& message)
{
    const std::size_t size = message.ByteSizeLong();
    return CodedOutputStream::VarintSize32(std::uint32_t(size)) + size;
}

char* appendMessage(const pb::Message& message, char* to)
{
    auto* end = CodedOutputStream::WriteVarint32ToArray(
        std::uint32_t(message.GetCachedSize()), reinterpret_cast<std::uint8_t*>(to));
    return reinterpret_cast<char*>(message.SerializeWithCachedSizesToArray(end));
}

void takeBackValue(pb::Message& message, StringPool& strings)
{
    const WireTraits& row = wireOf(message);
    if (row.value != nullptr && StringPool::ownsMemory(row.readValue(message)))
        strings.takeBack(*row.value(message));
}

std::string* blockIn(pb::Message& message)
{
    const WireTraits& row = wireOf(message);
    return row.block != nullptr ? row.block(message) : nullptr;
}

bool isSurelyWithin(const pb::Message& message, std::size_t bytes)
{
    const WireTraits& row = wireOf(message);
    return row.length != nullptr && row.length(message) + kBesideValue <= bytes;
}

bool putBlock(std::string&& block, pb::Message& message)
{
    std::string* const place = blockIn(message);
    if (place == nullptr || !place->empty())
        return false;
    *place = std::move(block);
    return true;
}

Result<std::string> joinBlock(std::string_view body, std::string&& block)
{
    google::protobuf::Arena arena;
    std::vector<ReadMessage> messages;
    if (const auto parsed = parseBody(body, arena, messages); !parsed)
        return parsed.error();
    if (messages.size() != 1 || !putBlock(std::move(block), *messages[0].message))
        return Error { "a record block behind no message of its own" };
    std::string joined(sizeInBody(*messages[0].message), '\0');
    appendMessage(*messages[0].message, joined.data());
    return joined;
}

Result<void> parseMessage(std::string_view bytes, pb::Message& out) { return parse(bytes, kFrameMax, out); }
Result<void> parseEventHeader(std::string_view bytes, pb::EventHeader& out) { return parse(bytes, kHarmless, out); }
Result<void> parseEvents(std::string_view bytes, pb::EventBatch& out) { return parse(bytes, kFrameMax, out); }
Result<void> parseCommand(std::string_view bytes, pb::Command& out) { return parse(bytes, kCommandMax, out); }
Result<void> parseReply(std::string_view bytes, pb::CommandReply& out) { return parse(bytes, 4 * kFrameMax, out); }

std::size_t sizeInBatch(const pb::Event& event)
{
    const std::size_t size = event.ByteSizeLong();
    return 1 + CodedOutputStream::VarintSize32(std::uint32_t(size)) + size;
}

char* appendEvent(const pb::Event& event, char* to)
{
    auto* end = reinterpret_cast<std::uint8_t*>(to);
    end = WireFormatLite::WriteTagToArray(
        pb::EventBatch::kEventsFieldNumber, WireFormatLite::WIRETYPE_LENGTH_DELIMITED, end);
    end = CodedOutputStream::WriteVarint32ToArray(std::uint32_t(event.GetCachedSize()), end);
    return reinterpret_cast<char*>(event.SerializeWithCachedSizesToArray(end));
}

} // namespace lhrs
