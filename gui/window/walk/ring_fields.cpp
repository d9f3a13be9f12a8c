// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/walk/ring_fields.h"

#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/state/walk/ring_view.h"
#include "gui/show/words/quantity_words.h"

#include <QSpinBox>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lhrs::gui {

namespace {

// A number with the range and the default that it has in a scenario.
QSpinBox* fieldAsInScenarios(QWidget* parent, const char* id)
{
    const auto& options = LabReference::instance().find(QStringLiteral("lab.cluster"))->options;
    const auto option = std::find_if(options.begin(), options.end(),
        [id](const ParameterReference& known) { return known.name == QLatin1String(id); });
    return numberField(parent, id, int(*option->min), int(*option->max), option->standard.toInt());
}

} // namespace

RingFields::RingFields()
    : m_nodes(fieldAsInScenarios(this, "nodes")), m_outside(fieldAsInScenarios(this, "outside")),
      m_bits(fieldAsInScenarios(this, "bits"))
{
}

QString RingFields::id() const { return QLatin1String(walk::kSystem); }

QString RingFields::name() const { return tr("ring that walks"); }

QString RingFields::intro() const
{
    return tr("A ring that walks lives in real processes: a master, nodes that "
              "know only the next one on a circle, and "
              "clients.");
}

std::vector<FormRow> RingFields::firstRows(const GeneralRows& general) const
{
    return {
        { tr("nodes of the ring"), m_nodes,
            tr("Processes that join the ring as it starts. A question is passed on "
               "from node to node until it reaches "
               "the owner of its key: by half of them on average.") },
        { tr("nodes outside"), m_outside,
            tr("Processes that wait until they are let in: “Let a node join the "
               "ring”. A node that leaves waits there, "
               "too.") },
        general.recordBytes,
        general.slow,
    };
}

std::vector<FormRow> RingFields::moreRows(const GeneralRows& general) const
{
    return {
        { tr("bits of an id, M"), m_bits,
            tr("Ids are numbers modulo 2^M, the places on the circle. A node whose "
               "id another one has already cannot "
               "join, which is likely with few bits only.") },
        general.gate,
        general.clients,
    };
}

QString RingFields::moreWords() const { return tr("Bits of an id, gate, clients"); }

void RingFields::applyTo(LocalOptions& options) const
{
    options.ring = RingOptions { unsigned(m_bits->value()), std::uint32_t(m_nodes->value()),
        std::uint32_t(m_outside->value()) };
}

QString RingFields::line(const LocalOptions& options, std::uint32_t recordBytes) const
{
    return QStringLiteral("lab.cluster({ system: '%1', nodes: %2, outside: %3, "
                          "bits: %4, recordBytes: %5%6%7 });")
        .arg(id())
        .arg(options.ring->nodes)
        .arg(options.ring->outside)
        .arg(options.ring->bits)
        .arg(recordBytes)
        .arg(options.hasGate ? QStringLiteral(", gate: true") : QString(),
            options.slowTimers ? QStringLiteral(", timers: 'classroom'") : QString());
}

QString RingFields::parameters() const
{
    return tr("a ring of %1, %2 outside").arg(countedWords(m_nodes->value(), "node", "nodes")).arg(m_outside->value());
}

// Ids are as good as drawn: from this many pairs of nodes on, two of them more
// likely have the same one than not.
QString RingFields::objection() const
{
    const double nodes = m_nodes->value(), pairs = nodes * (nodes - 1) / 2;
    if (pairs < std::numbers::ln2 * std::ldexp(1, m_bits->value()))
        return {};
    return tr("With ids of %1 bits, two of %2 nodes probably get the same id, "
              "and the second one could not join. Take "
              "more bits or fewer nodes.")
        .arg(m_bits->value())
        .arg(m_nodes->value());
}

QString RingFields::cardPicture() const { return QStringLiteral("walk"); }

} // namespace lhrs::gui
