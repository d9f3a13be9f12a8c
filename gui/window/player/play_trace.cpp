// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/player/play_trace.h"

namespace lhrs::gui {

namespace {

constexpr std::size_t kFaultsMax = 1'000;

} // namespace

double PlayTrace::now() const
{
    const auto until = m_state.isHeld ? m_heldSince : Clock::now();
    return std::chrono::duration<double>(until - m_start - m_held).count();
}

void PlayTrace::start()
{
    const std::lock_guard lock(m_mutex);
    const std::uint64_t version = m_state.version + 1;
    m_state = {};
    m_state.version = version;
    m_state.isRunning = true;
    m_start = Clock::now();
    m_held = {};
}

void PlayTrace::call(int line, const QString& call)
{
    const std::lock_guard lock(m_mutex);
    release();
    m_state.line = line;
    m_state.call = call;
    m_state.reached.try_emplace(line, now());
    ++m_state.version;
}

void PlayTrace::hold(int line, const QString& call)
{
    const std::lock_guard lock(m_mutex);
    m_heldSince = Clock::now();
    m_state.line = line;
    m_state.call = call;
    m_state.isHeld = true;
    if (call == "lab.step")
        endStep(); // the next one begins with step()
    ++m_state.version;
}

void PlayTrace::proceed()
{
    const std::lock_guard lock(m_mutex);
    release();
}

void PlayTrace::release()
{
    if (!m_state.isHeld)
        return;
    m_held += Clock::now() - m_heldSince;
    m_state.isHeld = false;
    ++m_state.version;
}

void PlayTrace::step(const QString& id, const QString& title)
{
    const std::lock_guard lock(m_mutex);
    endStep();
    m_stepBegan = now();
    m_state.steps.push_back({ m_state.line, id, title, 0, false });
    ++m_state.version;
}

void PlayTrace::fault(int line, const QString& text)
{
    const std::lock_guard lock(m_mutex);
    if (m_state.faults.size() < kFaultsMax)
        m_state.faults.push_back({ line, text });
    ++m_state.version;
}

void PlayTrace::row()
{
    const std::lock_guard lock(m_mutex);
    ++m_state.rows;
    ++m_state.version;
}

void PlayTrace::finish(const ScriptResult& result)
{
    const std::lock_guard lock(m_mutex);
    endStep();
    m_state.isRunning = m_state.isHeld = false;
    m_state.line = 0;
    m_state.call.clear();
    // Failed expectations have been recorded already.
    if (result.line > 0 && result.outcome != ScriptOutcome::Held && result.outcome != ScriptOutcome::Stopped
        && result.outcome != ScriptOutcome::ExpectationFailed)
        m_state.faults.push_back(
            { result.line, result.hint.isEmpty() ? result.message : result.message + ' ' + result.hint });
    ++m_state.version;
}

std::uint64_t PlayTrace::version() const
{
    const std::lock_guard lock(m_mutex);
    return m_state.version;
}

PlayState PlayTrace::state() const
{
    const std::lock_guard lock(m_mutex);
    PlayState state = m_state;
    if (!state.steps.empty() && !state.steps.back().isOver)
        state.steps.back().seconds = now() - m_stepBegan;
    return state;
}

void PlayTrace::endStep()
{
    if (m_state.steps.empty() || m_state.steps.back().isOver)
        return;
    m_state.steps.back().seconds = now() - m_stepBegan;
    m_state.steps.back().isOver = true;
}

} // namespace lhrs::gui
