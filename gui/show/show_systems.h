// SPDX-License-Identifier: GPL-3.0-or-later
// What shows say of all systems, put together. A new system adds its lines in show_systems.cpp.
#pragma once

#include "gui/show/words/event_pace.h"
#include "gui/show/words/message_class.h"
#include "gui/show/words/named_thing.h"
#include "gui/show/words/term.h"

namespace lhrs::gui {

// The class of a message by its name in message.proto ("ack") or in the file of its system; empty for heartbeats, which
// are not drawn.
std::optional<MessageClass> messageClassOf(std::string_view kind);
EventPace eventPaceOf(const pb::Event& event);
std::vector<Term> termsOfSystems();
// The places of servers that a text mentions.
NamedThings placesNamed(const QString& text);

} // namespace lhrs::gui
