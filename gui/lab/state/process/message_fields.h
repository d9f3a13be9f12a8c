// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <type_traits>

// A state is copied to a message and back by one function, which names every field once: `state` is const when it is
// written, and `row` is const when it is read.
namespace lhrs::gui {

template <class State> constexpr bool kReads = !std::is_const_v<State>;

} // namespace lhrs::gui

#define LHRS_FIELD(member, field)                                                                                      \
    if constexpr (kReads<State>)                                                                                       \
        state.member = row.field();                                                                                    \
    else                                                                                                               \
        row.set_##field(state.member)
#define LHRS_MESSAGE(member, field)                                                                                    \
    if constexpr (kReads<State>)                                                                                       \
        state.member = row.field();                                                                                    \
    else                                                                                                               \
        *row.mutable_##field() = state.member
#define LHRS_LIST(member, field)                                                                                       \
    if constexpr (kReads<State>)                                                                                       \
        state.member = { row.field().begin(), row.field().end() };                                                     \
    else                                                                                                               \
        row.mutable_##field()->Assign(state.member.begin(), state.member.end())
