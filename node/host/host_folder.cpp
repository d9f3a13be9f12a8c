// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/host/host_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace lhrs {

namespace fs = std::filesystem;

namespace {
constexpr std::string_view kLogEnd = ".log";
}

bool isFileName(std::string_view name)
{
    return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos
        && name.find('\0') == std::string_view::npos;
}

Result<void> HostFolder::make()
{
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string path = (parent / "lhrs-XXXXXX").string();
    if (error || ::mkdtemp(path.data()) == nullptr)
        return Error { "no folder can be made in " + parent.string()
            + "; set TMPDIR there to one that can be written" };
    m_path = path;
    return {};
}

HostFolder::~HostFolder()
{
    if (m_path.empty())
        return;
    std::error_code ignored; // nobody is left to be told
    if (!m_keepsLogs) {
        fs::remove_all(m_path, ignored);
        return;
    }
    for (const fs::directory_entry& file : fs::directory_iterator(m_path, ignored))
        if (!file.path().string().ends_with(kLogEnd))
            fs::remove(file.path(), ignored);
}

Result<void> HostFolder::write(const std::string& name, std::string_view content)
{
    if (!isFileName(name))
        return Error { '"' + name + "\" is not the name of a file" };
    const std::string path = m_path + '/' + name;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return Error { path + " cannot be written: " + std::strerror(errno) };
    std::size_t at = 0;
    while (at < content.size()) {
        const ssize_t count = ::write(file, content.data() + at, content.size() - at);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            const std::string why = std::strerror(errno);
            ::close(file);
            ::unlink(path.c_str());
            return Error { path + " cannot be written: " + why };
        }
        at += std::size_t(count);
    }
    ::close(file);
    return {};
}

} // namespace lhrs
