// SPDX-License-Identifier: GPL-3.0-or-later
// The only place of shows that names all systems.
#include "gui/show/show_systems.h"

#include "gui/show/lhrs/file_messages.h"
#include "gui/show/lhrs/file_paces.h"
#include "gui/show/lhrs/file_terms.h"
#include "gui/show/lhrs/named_buckets.h"
#include "gui/show/walk/named_nodes.h"
#include "gui/show/walk/ring_messages.h"
#include "gui/show/words/process_messages.h"

#include <algorithm>
#include <span>

namespace lhrs::gui {

std::optional<MessageClass> messageClassOf(std::string_view kind)
{
    for (const std::span<const MessageRow> rows :
        { std::span<const MessageRow>(kProcessMessages), { kFileMessages }, { kRingMessages } })
        if (const auto row = std::ranges::find(rows, kind, &MessageRow::kind); row != rows.end())
            return row->messageClass;
    return MessageClass::Control;
}

EventPace eventPaceOf(const pb::Event& event) { return paceInFile(event); }

std::vector<Term> termsOfSystems() { return fileTerms(); }

NamedThings placesNamed(const QString& text)
{
    NamedThings found = bucketsNamed(text);
    for (auto& node : nodesNamed(text))
        found.push_back(std::move(node));
    return found;
}

} // namespace lhrs::gui
