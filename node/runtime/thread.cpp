// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/thread.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <exception>

namespace lhrs {

std::jthread spawn(const char* name, std::function<void(std::stop_token)> function)
{
    return std::jthread([name, function = std::move(function)](std::stop_token stop) {
        pthread_setname_np(pthread_self(), name);
        try {
            function(stop);
        } catch (const std::exception& error) {
            spdlog::critical("the thread \"{}\" failed: {}", name, error.what());
            std::abort();
        }
    });
}

} // namespace lhrs
