// SPDX-License-Identifier: GPL-3.0-or-later
// The only place of shows that names all systems.
#include "gui/show/show_systems.h"

#include "gui/show/lhrs/file_messages.h"
#include "gui/show/lhrs/file_paces.h"
#include "gui/show/lhrs/file_terms.h"
#include "gui/show/lhrs/named_buckets.h"
#include "gui/show/walk/ring_messages.h"

#include <algorithm>
#include <span>

namespace lhrs::gui {

std::optional<MessageClass> messageClassOf(std::string_view kind)
{
    for (const std::span<const MessageRow> rows : { std::span<const MessageRow>(kFileMessages), { kRingMessages } })
        if (const auto row = std::ranges::find(rows, kind, &MessageRow::kind); row != rows.end())
            return row->messageClass;
    return MessageClass::Control;
}

EventPace paceOf(const pb::Event& event) { return paceInFile(event); }

std::vector<Term> termsOfSystems() { return fileTerms(); }

NamedThings placesNamed(const QString& text) { return bucketsNamed(text); }

} // namespace lhrs::gui
