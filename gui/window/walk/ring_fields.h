// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/start/system_fields.h"

namespace lhrs::gui {

// The parameters of a new ring.
class RingFields : public SystemFields {
    Q_OBJECT
public:
    RingFields();

    QString id() const override;
    QString name() const override;
    QString intro() const override;
    std::vector<FormRow> firstRows(const GeneralRows& general) const override;
    std::vector<FormRow> moreRows(const GeneralRows& general) const override;
    QString moreWords() const override;
    void applyTo(LocalOptions& options) const override;
    QString line(const LocalOptions& options, std::uint32_t recordBytes) const override;
    QString parameters() const override;
    QString objection() const override;
    QString cardPicture() const override;

private:
    QSpinBox *m_nodes, *m_outside, *m_bits;
};

} // namespace lhrs::gui
