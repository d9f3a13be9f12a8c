// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/cluster_programs.h"

#include "common/keys/key_file.h"
#include "common/open_files.h"
#include "gui/lab/control/control_client.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

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

} // namespace

ClusterPrograms::ClusterPrograms(ControlClient& control, int courtesy)
    : m_directory(ownDirectory()),
      m_keeper([&control](pid_t pid, const std::string& how) { control.endProcessOfPid(std::uint32_t(pid), how); },
          [&control](pid_t pid, bool isPaused) { control.pauseProcessOfPid(std::uint32_t(pid), isPaused); }, courtesy)
{
}

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

Result<std::string> ClusterPrograms::makeKeyDirectory() const
{
    const std::string folder = m_logDirectory + kKeys;
    const auto made = makeKeys(folder);
    return made ? Result<std::string>(folder) : Result<std::string>(Error { made.error().text + "." });
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
    const std::string& file, const std::string& name, std::vector<std::string> arguments) const
{
    const std::string path = m_directory + "/" + file;
    if (::access(path.c_str(), X_OK) != 0)
        return Error { "The program " + file + " is not in " + m_directory
            + "; build it first (./run builds all programs)." };
    arguments.insert(arguments.end(), { "--name", name, "--die-with-parent" });
    return ChildProgram { name, path, std::move(arguments), m_logDirectory + "/" + name + ".log" };
}

Result<std::vector<StartedChild>> ClusterPrograms::start(
    std::vector<ChildProgram> programs, const std::stop_token& stop)
{
    auto started = m_keeper.start(std::move(programs), kStartTimeout, stop);
    if (!started)
        keepLogs();
    return started;
}

void ClusterPrograms::forgetLogs()
{
    if (!m_logDirectory.empty()) {
        std::error_code ignored; // remaining logs do no harm, nor do keys of a cluster that has ended
        fs::remove_all(m_keepsLogs ? m_logDirectory + kKeys : m_logDirectory, ignored);
    }
    m_logDirectory.clear();
}

} // namespace lhrs::gui
