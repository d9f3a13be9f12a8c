// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/errors.h"

#include <string>
#include <string_view>

namespace lhrs {

// A new folder for one run on this computer, for this user only: the logs of its programs and its keys. It is removed
// with this object, unless the logs are to be kept; keys never are.
class HostFolder {
public:
    HostFolder() = default;
    ~HostFolder();
    HostFolder(const HostFolder&) = delete;
    HostFolder& operator=(const HostFolder&) = delete;

    // Makes it in the directory for temporary files.
    Result<void> make();
    const std::string& path() const { return m_path; }
    // Writes a new file that only this user can read. The name is that of a file, without a directory.
    Result<void> write(const std::string& name, std::string_view content);
    void keepLogs(bool keeps) { m_keepsLogs = keeps; }

private:
    std::string m_path;
    bool m_keepsLogs = false;
};

// Whether the name is that of a file and names no directory.
bool isFileName(std::string_view name);

} // namespace lhrs
