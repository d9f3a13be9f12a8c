// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/option_parts.h"

#include "common/protobuf_text.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace lhrs {

namespace {

// ---- words of the command line -> values; an Error is a whole sentence without the option's name

// Bytes, with K, M or G for powers of 1,024.
Result<std::uint64_t> parseSize(const std::string& text)
{
    constexpr std::string_view kUnits = "KMG";
    const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
    const unsigned shift = unit == std::string_view::npos ? 0 : 10 * unsigned(unit + 1);
    constexpr std::uint64_t kLeast = std::uint64_t(16) << 20, kMost = std::uint64_t(1) << 50;
    const auto number = readNumber<std::uint64_t>(
        shift == 0 ? text : text.substr(0, text.size() - 1), 1, kMost >> shift, "a number");
    if (!number || *number << shift < kLeast)
        return Error { fmt::format("\"{}\" is not a size from 16M to 1048576G; write for instance 512M or 2G", text) };
    return *number << shift;
}

// "10.0.0.7", "10.0.0.7:4000", "fd00::7" or "[fd00::7]:4000".
Result<Endpoint> parseEndpoint(const std::string& text, bool needsPort)
{
    // The colons of an address of IPv6 belong to it, so a port follows a bracket.
    const std::size_t bracket = text.starts_with('[') ? text.find(']') : std::string::npos;
    const bool isBare6 = bracket == std::string::npos && std::count(text.begin(), text.end(), ':') > 1;
    const std::size_t end = bracket != std::string::npos ? bracket + 1 : isBare6 ? text.size() : text.find(':');
    const std::string host = bracket != std::string::npos ? text.substr(1, bracket - 1) : text.substr(0, end);
    const std::string rest = end >= text.size() ? std::string() : text.substr(end);
    Endpoint parsed { kLoopback, 0 };
    if (host != "localhost") {
        const auto ip = Ip::parse(host);
        if (!ip || (bracket != std::string::npos && !ip->isV6()))
            return Error { fmt::format(
                "\"{}\" is not an address; write for instance 127.0.0.1:4000 or [::1]:4000", host) };
        parsed.ip = *ip;
    }
    if (parsed.ip.isLinkLocal())
        return Error { fmt::format(
            "{} is valid at one interface only; name an address that the whole network knows", parsed.ip.text()) };
    if (rest.empty()) {
        if (needsPort)
            return Error { fmt::format("\"{}\" names no port; write for instance {}", text, parsed.ip.textWith(4000)) };
        return parsed;
    }
    if (!rest.starts_with(':'))
        return Error { fmt::format("\"{}\" has more than an address; write for instance [::1]:4000", text) };
    const auto port = readNumber<std::uint16_t>(rest.substr(1), needsPort ? 1 : 0, 65'535, "a port");
    if (!port)
        return port.error();
    parsed.port = *port;
    return parsed;
}

} // namespace

Result<void> readText(const std::string& path, google::protobuf::Message& target)
{
    constexpr std::streamsize kBytesMax = 1 << 20;
    std::ifstream file(path, std::ios::binary);
    std::string text(std::size_t(kBytesMax), '\0');
    if (file)
        file.read(text.data(), kBytesMax);
    if (file.bad() || (!file && file.gcount() == 0 && !file.eof()))
        return Error { fmt::format("the file {} cannot be read", path) };
    if (file.gcount() == kBytesMax)
        return Error { fmt::format("the file {} is too long", path) };
    text.resize(std::size_t(file.gcount()));
    if (const auto merged = mergeText(text, target); !merged)
        return Error { fmt::format("{}, {}", path, merged.error().text) };
    return {};
}

std::function<Result<void>(const std::string&)> oneOf(
    std::vector<std::string> allowed, std::function<void(const std::string&)> take)
{
    return [allowed, take](const std::string& word) -> Result<void> {
        if (std::find(allowed.begin(), allowed.end(), word) == allowed.end())
            return Error { fmt::format("\"{}\" is unknown; use one of: {}", word, fmt::join(allowed, ", ")) };
        take(word);
        return {};
    };
}

void addWatched(CLI::App& app, ProcessOptions& options)
{
    app.set_version_flag("--version", app.get_name() + " " + LHRS_VERSION, "Print the version and exit");
    addOption(
        app, "--name", "Name in events, log and window", "NAME", [&options](const std::string& word) -> Result<void> {
            constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
            if (word.empty() || word.size() > 64 || word.find_first_not_of(kAllowed) != std::string::npos)
                return Error { "a name has 1 to 64 letters, digits, dots, dashes and underscores" };
            options.name = word;
            return {};
        });
    addOption(app, "--events", "Port of the events (ZeroMQ PUB); 0: the system chooses (0)", "PORT",
        into<std::uint16_t>(options.eventsPort, 0, 65'535, "a port"));
    addOption(app, "--control", "Port of the commands (ZeroMQ ROUTER); 0: the system chooses (0)", "PORT",
        into<std::uint16_t>(options.controlPort, 0, 65'535, "a port"));
    addOption(app, "--log", "Lowest level that is logged: trace, debug, info, warning, error, off (info)", "LEVEL",
        oneOf({ "trace", "debug", "info", "warning", "error", "off" },
            [&options](const std::string& word) { options.logLevel = word; }));
    app.add_flag("--die-with-parent", options.diesWithParent, "End when the parent process ends");
}

void addCommon(CLI::App& app, ProcessOptions& options, bool hasCoordinator)
{
    addWatched(app, options);
    addOption(app, "--listen",
        "Address for UDP, TCP, commands and events; beyond loopback only with --key-file; port 0: the system chooses "
        "(127.0.0.1:0; [::1]:0 if the coordinator is there)",
        "ADDRESS[:PORT]", [&options](const std::string& word) -> Result<void> {
            const auto parsed = parseEndpoint(word, false);
            if (!parsed)
                return parsed.error();
            if (parsed->ip.isAny())
                return Error { fmt::format("{} is no address that others can be told; name this computer's address in "
                                           "their network",
                    parsed->ip.text()) };
            options.listen = *parsed;
            return {};
        });
    if (hasCoordinator) {
        addOption(app, "--coordinator", "Where the coordinator listens (needed)", "HOST:PORT",
            [&options](const std::string& word) -> Result<void> {
                const auto parsed = parseEndpoint(word, true);
                if (!parsed)
                    return parsed.error();
                options.coordinator = *parsed;
                return {};
            });
    }
    addOption(app, "--key-file",
        "Key of this cluster: its messages, commands and events are then for holders of its keys only "
        "(lhrs-coordinator --make-keys makes keys)",
        "FILE", [&options](const std::string& word) -> Result<void> {
            auto key = readKeyFile(word);
            if (!key)
                return key.error();
            options.key = *key;
            return {};
        });
    app.add_flag("--allow-faults", options.allowsFaults,
        "Faults may be injected by whoever has the operator key, although the process listens beyond loopback");
    app.add_flag("--gate", options.hasGate,
        "On command, hold messages and stop the protocol's clock; all processes of a cluster need this option");
    addOption(app, "--threads", "Working threads (4)", "N", into<unsigned>(options.workingThreads, 1, 64));
}

// The option is removed from the command line before the system reads the rest (systems.h).
void addSystem(CLI::App& app, const char* name)
{
    addOption(app, "--system", fmt::format("System whose program this is; each has options of its own ({})", name),
        "NAME", oneOf({ name }, [](const std::string&) {}));
}

void addMemory(CLI::App& app, ProcessOptions& options, const std::string& help)
{
    addOption(app, "--memory", help, "SIZE", [&options](const std::string& word) -> Result<void> {
        const auto bytes = parseSize(word);
        if (!bytes)
            return bytes.error();
        options.memory = *bytes;
        return {};
    });
}

void addTimes(CLI::App& app, pb::Timers& timers, double& scale)
{
    addOption(app, "--timers", "Time-outs as Timers in protobuf text format, e.g. 'resend_ms: 50'", "TEXT",
        [&timers](const std::string& word) { return mergeText(word, timers); });
    addOption(app, "--time-scale", "Multiplies all time-outs, 0.01 to 1000 (1)", "X", into<double>(scale, 0.01, 1'000));
}

void addSimulation(CLI::App& app, SimOptions& options)
{
    addOption(
        app, "--seed", "Seed of all random numbers (1)", "N", [&options](const std::string& word) -> Result<void> {
            const auto seed = readSeed(word);
            if (!seed)
                return seed.error();
            options.seed = *seed;
            return {};
        });
    addOption(app, "--speed", "Ratio of virtual time to real time, 0.001 to 100, or max: as fast as possible (1)", "X",
        [&options](const std::string& word) -> Result<void> {
            const auto speed = readNumber<double>(word == "max" ? "0.001" : word, 0.001, 100, "max or a factor");
            if (!speed)
                return speed.error();
            options.speed = word == "max" ? 0 : *speed;
            return {};
        });
    app.add_flag("--paused", options.isPaused, "Start with virtual time paused");
    addOption(app, "--wall-of-zero",
        "The time of day that watchers are told for virtual zero, in ns since 1970; virtual time then waits for the "
        "first watcher. Default: the moment at which virtual time first runs",
        "NS", [&options](const std::string& word) -> Result<void> {
            const auto zero = readNumber<std::int64_t>(
                word, 0, std::numeric_limits<std::int64_t>::max() / 2, "nanoseconds");
            if (!zero)
                return zero.error();
            options.wallOfZero = *zero;
            return {};
        });
    addOption(app, "--delay", "Least delay of a message, in us (100)", "US",
        into<std::uint32_t>(options.delayUs, 1, 10'000'000));
    addOption(app, "--jitter", "Largest additional delay of a message, in us (50)", "US",
        into<std::uint32_t>(options.jitterUs, 0, 10'000'000));
    addOption(app, "--step-cost", "Duration of a step of a process, in us (5)", "US",
        into<std::uint32_t>(options.stepUs, 1, 1'000'000));
}

void addKeyMaking(CLI::App& app)
{
    addOption(app, "--make-keys", "Make the three keys of a cluster in this folder, and exit", "FOLDER",
        [](const std::string& word) -> Result<void> {
            if (const auto made = makeKeys(word); !made)
                return made;
            endWith(fmt::format(
                "Made {0}/{1} for servers and the coordinator, {0}/{2} for clients, and {0}/{3} for whoever may "
                "command and break the cluster.\nEach is readable by you alone: keep it so, and copy it only over "
                "connections that nobody can read.\n",
                word, kClusterKeyName, kClientKeyName, kOperatorKeyName));
        });
}

Result<void> needKey(const ProcessOptions& options, bool isClient)
{
    if (!options.key && !options.listen.ip.isLoopback())
        return Error { fmt::format("--listen: {} is not a loopback address, so whoever is on that network could read, "
                                   "change and end this cluster; give it a key with --key-file FILE (lhrs-coordinator "
                                   "--make-keys FOLDER makes keys), or listen at 127.0.0.1",
            options.listen.ip.text()) };
    if (options.coordinator && options.coordinator->ip.isV6() != options.listen.ip.isV6())
        return Error { fmt::format("--coordinator: {} cannot be reached from {}; a cluster has addresses of IPv4 or "
                                   "of IPv6: change --listen",
            options.coordinator->ip.text(), options.listen.ip.text()) };
    if (options.coordinator && options.coordinator->ip.isLoopback() != options.listen.ip.isLoopback())
        return Error { fmt::format("--coordinator: {} cannot be reached from {}; a cluster is on loopback or on a "
                                   "network: change --listen",
            options.coordinator->ip.text(), options.listen.ip.text()) };
    if (!options.key || options.key->role == KeyRole::Cluster || (isClient && options.key->role == KeyRole::Client))
        return {};
    return Error { fmt::format("--key-file: this is the {} key, but a {} needs {}", wordOf(options.key->role),
        isClient ? "client" : "server or coordinator", isClient ? kClientKeyName : kClusterKeyName) };
}

Result<void> needCoordinator(ProcessOptions& options, const char* kind)
{
    if (options.coordinator && options.coordinator->ip == kLoopback6 && options.listen == ProcessOptions().listen)
        options.listen.ip = kLoopback6;
    if (const auto key = needKey(options, std::string_view(kind) == "client"); !key)
        return key;
    if (!options.coordinator)
        return Error { "no coordinator is named; say where it listens with --coordinator HOST:PORT" };
    if (options.name.empty())
        options.name = fmt::format("{}-{}", kind, ::getpid());
    return {};
}

pb::Timers scaleTimes(pb::Timers timers, double factor)
{
    const auto* type = pb::Timers::descriptor();
    const auto* values = pb::Timers::GetReflection();
    for (int i = 0; i < type->field_count(); ++i) {
        const auto* field = type->field(i);
        if (!field->name().ends_with("_ms"))
            continue;
        const double scaled = values->GetUInt32(timers, field) * factor;
        values->SetUInt32(&timers, field, std::uint32_t(std::clamp(scaled, 1.0, 1e9)));
    }
    return timers;
}

void openLog(const ProcessOptions& options)
{
    auto logger = std::make_shared<spdlog::logger>(options.name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%H:%M:%S.%e %n %l: %v");
    logger->set_level(spdlog::level::from_str(options.logLevel));
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
    checkReporter = [](const char* text) { spdlog::critical("{}", text); };
    // The library logs bytes that are not a valid message. Here such bytes are refused and counted, and a flood of them
    // must not become a flood of log lines.
    takeProtobufLog([](const std::string& line) { spdlog::debug("protobuf: {}", line); });
}

} // namespace lhrs
