// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/wire.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace lhrs {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::internal::WireFormatLite;

// Below this length even the least favourable bytes cannot become more than a few MiB of objects.
constexpr std::size_t kHarmless = std::size_t(64) << 10;

const std::uint8_t* bytesOf(std::string_view text)
{
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

// Counts the messages and strings inside, without making any of them. Two bytes on the wire can become a hundred in
// memory, so a length alone bounds little.
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
    CodedInputStream in(bytesOf(bytes), int(bytes.size()));
    in.SetRecursionLimit(kNestingMax);
    if (!out.ParseFromCodedStream(&in) || !in.ConsumedEntireMessage())
        return Error { "malformed" };
    return {};
}

} // namespace

Result<void> parseBody(std::string_view body, google::protobuf::Arena& arena, std::vector<ReadMessage>& out)
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
        auto* message = google::protobuf::Arena::CreateMessage<pb::Message>(&arena);
        if (const auto parsed = parse(body.substr(0, length), kFrameMax, *message); !parsed)
            return refuse(parsed.error().text.c_str());
        if (message->body_case() == pb::Message::BODY_NOT_SET)
            return refuse("no body");
        out.push_back({ message, length });
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
