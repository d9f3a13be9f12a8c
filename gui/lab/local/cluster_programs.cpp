// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/cluster_programs.h"

#include "common/keys/key_file.h"
#include "common/open_files.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/hosts/launcher.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace lhrs::gui {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kStartTimeout(10'000);
constexpr const char* kKeys = "/keys"; // within the directory of the logs

std::string ownDirectory()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

// A name of a host may have any character.
std::string logName(std::string host)
{
    std::replace(host.begin(), host.end(), '/', '_');
    return host + ".log";
}

} // namespace

ClusterPrograms::ClusterPrograms(ControlClient& control, int courtesy)
    : m_control(control), m_directory(ownDirectory()),
      m_keeper([&control](pid_t pid, const std::string& how) { control.endProcessOfPid(std::uint32_t(pid), how); },
          [&control](pid_t pid, bool isPaused) { control.pauseProcessOfPid(std::uint32_t(pid), isPaused); }, courtesy)
{
    m_hosts.push_back(thisComputer());
}

ClusterPrograms::~ClusterPrograms() = default;

// ---- hosts

std::shared_ptr<ClusterPrograms::Host> ClusterPrograms::thisComputer()
{
    auto host = std::make_shared<Host>();
    host->keeper = &m_keeper;
    host->keys = m_keys;
    return host;
}

ClusterPrograms::Hosts ClusterPrograms::hostsNow() const
{
    const std::lock_guard lock(m_hostsMutex);
    return m_hosts;
}

void ClusterPrograms::setHosts(Hosts hosts)
{
    const std::lock_guard lock(m_hostsMutex);
    m_hosts.swap(hosts);
}

Result<std::shared_ptr<ClusterPrograms::Host>> ClusterPrograms::reach(
    const HostEntry& entry, const std::stop_token& stop)
{
    if (entry.by == kLauncherHere) {
        auto host = thisComputer();
        host->entry = entry;
        host->address = entry.address;
        return host;
    }
    auto host = std::make_shared<Host>();
    host->entry = entry;
    // Another computer may have a process of the same number, so the address counts, too. It is known only then.
    struct Where {
        std::mutex mutex;
        Ip ip;
        Ip get()
        {
            const std::lock_guard lock(mutex);
            return ip;
        }
    };
    const auto where = std::make_shared<Where>();
    auto remote = RemoteKeeper::connect(
        entry, m_directory, m_logDirectory + "/host-" + logName(entry.name),
        [this, where](
            pid_t pid, const std::string& how) { m_control.endProcessOfPid(std::uint32_t(pid), how, where->get()); },
        [this, where](
            pid_t pid, bool isPaused) { m_control.pauseProcessOfPid(std::uint32_t(pid), isPaused, where->get()); },
        stop);
    if (!remote)
        return remote.error();
    host->address = entry.address.empty() ? (*remote)->address() : entry.address;
    const auto address = Ip::parse(host->address);
    if (!address)
        return Error { "The host " + entry.name
            + " does not know its address in the network; give it with address= in the list of hosts." };
    {
        const std::lock_guard lock(where->mutex);
        where->ip = *address;
    }
    for (const char* name : { kClusterKeyName, kClientKeyName }) {
        std::ifstream file(m_keys + '/' + name);
        const std::string text { std::istreambuf_iterator<char>(file), {} };
        if (const auto written = (*remote)->write(name, text); !written)
            return Error { "Keys cannot be copied: " + written.error().text + '.' };
    }
    host->keys = (*remote)->folder();
    host->keeper = remote->get();
    host->remote = std::move(*remote);
    return host;
}

Result<void> ClusterPrograms::useHosts(const std::vector<HostEntry>& entries, const std::stop_token& stop)
{
    Hosts reached(entries.size());
    std::vector<std::string> problems(entries.size());
    {
        std::vector<std::jthread> all;
        for (std::size_t i = 0; i < entries.size(); ++i)
            all.emplace_back([&, i] {
                auto host = reach(entries[i], stop);
                if (host)
                    reached[i] = std::move(*host);
                else
                    problems[i] = host.error().text;
            });
    }
    for (const std::string& problem : problems)
        if (!problem.empty())
            return Error { problem };
    setHosts(std::move(reached));
    return {};
}

void ClusterPrograms::endAll()
{
    for (const auto& host : hostsNow())
        host->keeper->endAll();
}

std::size_t ClusterPrograms::running() const
{
    std::size_t all = 0;
    for (const auto& host : hostsNow())
        all += host->keeper->running();
    return all;
}

// ---- this computer's directory

Result<void> ClusterPrograms::makeLogDirectory()
{
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "lhrs-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr)
        return Error { "No directory for the processes' logs can be made in " + fs::temp_directory_path(error).string()
            + "; set TMPDIR to one that can be written." };
    m_logDirectory = path;
    m_keepsLogs = false;
    return {};
}

Result<void> ClusterPrograms::makeKeyDirectory()
{
    const auto made = makeKeys(m_logDirectory + kKeys);
    if (!made)
        return Error { made.error().text + "." };
    m_keys = m_logDirectory + kKeys;
    for (const auto& host : m_hosts)
        host->keys = m_keys;
    return {};
}

std::string ClusterPrograms::operatorKey() const
{
    const std::string path = m_logDirectory + kKeys + '/' + kOperatorKeyName;
    return ::access(path.c_str(), R_OK) == 0 ? path : std::string();
}

Result<void> ClusterPrograms::checkOpenFiles(std::size_t more)
{
    const std::string why = openFilesTrouble(more * kFilesOfProcess, std::to_string(more) + " further processes");
    return why.empty() ? Result<void>() : Result<void>(Error { why + "." });
}

Result<ChildProgram> ClusterPrograms::program(
    const std::string& file, const std::string& name, std::vector<std::string> arguments, std::size_t host) const
{
    const bool isHere = m_hosts[host]->remote == nullptr; // there, lhrs-host looks for it
    const std::string path = m_directory + "/" + file;
    if (isHere && ::access(path.c_str(), X_OK) != 0)
        return Error { "The program " + file + " is not in " + m_directory
            + "; build it first (./run builds all programs)." };
    arguments.insert(arguments.end(), { "--name", name, "--die-with-parent" });
    return ChildProgram { name, path, std::move(arguments), m_logDirectory + "/" + name + ".log" };
}

Result<std::vector<StartedChild>> ClusterPrograms::start(
    std::vector<ChildProgram> programs, const std::stop_token& stop, std::size_t host)
{
    auto started = m_hosts[host]->keeper->start(std::move(programs), kStartTimeout, stop);
    if (!started)
        keepLogs();
    return started;
}

void ClusterPrograms::forgetLogs()
{
    if (m_keepsLogs)
        for (const auto& host : m_hosts)
            if (host->remote)
                host->remote->endKeepingLogs();
    m_keys.clear();
    setHosts({ thisComputer() });
    if (!m_logDirectory.empty()) {
        std::error_code ignored; // remaining logs do no harm, nor do keys of a cluster that has ended
        fs::remove_all(m_keepsLogs ? m_logDirectory + kKeys : m_logDirectory, ignored);
    }
    m_logDirectory.clear();
}

} // namespace lhrs::gui
