// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/protobuf_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/text_format.h>

#if GOOGLE_PROTOBUF_VERSION >= 4022000
#include <absl/log/globals.h>
#include <absl/log/initialize.h>
#include <absl/log/log_sink.h>
#include <absl/log/log_sink_registry.h>
#else
#include <google/protobuf/stubs/logging.h>
#endif

#include <string_view>
#include <utility>

namespace lhrs {

namespace {

class FirstError : public google::protobuf::io::ErrorCollector {
public:
#if GOOGLE_PROTOBUF_VERSION >= 4022000
    void RecordError(int line, google::protobuf::io::ColumnNumber column, std::string_view message) override
    {
        note(line, column, message);
    }
#else
    void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override
    {
        note(line, column, message);
    }
#endif
    const std::string& text() const { return m_text; }

private:
    void note(int line, int column, std::string_view message)
    {
        if (m_text.empty())
            m_text = "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1) + ": "
                + std::string(message);
    }
    std::string m_text;
};

std::function<void(const std::string&)> logTaker;

void takeLine(std::string_view line)
{
    if (logTaker)
        logTaker(std::string(line));
}

#if GOOGLE_PROTOBUF_VERSION >= 4022000
class Sink : public absl::LogSink {
public:
    void Send(const absl::LogEntry& entry) override { takeLine(entry.text_message()); }
};
#endif

} // namespace

Result<void> mergeText(const std::string& text, google::protobuf::Message& target)
{
    google::protobuf::TextFormat::Parser parser;
    FirstError errors;
    parser.RecordErrorsTo(&errors);
    if (!parser.MergeFromString(text, &target))
        return Error { errors.text() };
    return {};
}

void takeProtobufLog(std::function<void(const std::string& line)> take)
{
    logTaker = std::move(take);
#if GOOGLE_PROTOBUF_VERSION >= 4022000
    static Sink sink;
    static const bool isAdded = (absl::InitializeLog(), absl::AddLogSink(&sink), true);
    (void)isAdded;
    absl::SetStderrThreshold(absl::LogSeverityAtLeast::kInfinity);
#else
    google::protobuf::SetLogHandler(
        [](google::protobuf::LogLevel, const char*, int, const std::string& line) { takeLine(line); });
#endif
}

} // namespace lhrs
