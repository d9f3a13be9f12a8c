// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lhrs {

// A file descriptor that becomes readable on call(). It lets other threads wake a thread that polls sockets.
class WakeUp {
public:
    WakeUp();
    ~WakeUp();
    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;

    // Any thread.
    void call();
    // Called by the polling thread: clears all calls so far.
    void clear();
    int descriptor() const { return m_descriptor; }

private:
    const int m_descriptor;
};

} // namespace lhrs
