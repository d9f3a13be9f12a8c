// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/start/system_fields.h"

class QLineEdit;

namespace lhrs::gui {

// The parameters of a new LH*RS file.
class FileFields : public SystemFields {
    Q_OBJECT
public:
    FileFields();

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
    FullCluster full(std::uint32_t recordBytes) const override;
    QString withoutMulticast() const override;

private:
    QString objectionToThresholds() const;
    std::vector<std::uint32_t> thresholds() const;

    QSpinBox *m_m, *m_k, *m_b, *m_data, *m_parity, *m_slice, *m_loadControl;
    QComboBox *m_field, *m_recovery, *m_transport, *m_tcp, *m_split, *m_rerank;
    QCheckBox *m_merges, *m_mixKeys, *m_pureRs;
    QLineEdit* m_thresholds;
};

} // namespace lhrs::gui
