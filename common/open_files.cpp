// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/open_files.h"

#include <sys/resource.h>

#include <filesystem>
#include <system_error>

namespace lhrs {

std::uint64_t raiseOpenFiles()
{
    rlimit files {};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0)
        return 0;
    if (files.rlim_cur < files.rlim_max) {
        const rlimit raised { files.rlim_max, files.rlim_max };
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0)
            files = raised;
    }
    return files.rlim_cur;
}

std::string openFilesTrouble(std::uint64_t more, const std::string& forWhat)
{
    const std::uint64_t limit = raiseOpenFiles();
    std::error_code error;
    std::uint64_t open = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end; at.increment(error))
        ++open;
    if (limit == 0 || open + more <= limit)
        return {};
    return forWhat + " need " + std::to_string(more) + " open files besides the " + std::to_string(open)
        + " of this program, and the system allows it " + std::to_string(limit)
        + "; take fewer servers, simulate them, or raise the limit (ulimit -Hn)";
}

} // namespace lhrs
