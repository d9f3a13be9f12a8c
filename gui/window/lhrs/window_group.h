// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/records/record_group_view.h"
#include "gui/window/lhrs/file_parts.h"

namespace lhrs::gui {

class GroupPanel;

// The record group: how it is opened, its pages and steps, witnesses, and its exports.
class WindowGroup : public WindowSubject {
    Q_OBJECT
public:
    WindowGroup(WindowParts& parts, FileParts& file);

    void build() override;
    void enable() override;
    void frame() override;
    void forget() override;
    bool openPage(const CameraWish& wish, ObjectRef looked) override;
    void applyTheme() override;
    std::optional<ViewExport> inFront() override;
    std::pair<const QWidget*, std::string_view> explained() const override;

    RecordGroupView& view() const;
    // Opens the group of the object at the rank; rank 0: at that of the bucket's first record.
    void open(ObjectRef object, std::uint32_t rank);
    void setPresented(bool on);

private:
    void exportGroup();
    QString fileName() const; // without its ending
    QString write(const QString& path) const;

    FileParts& m_file;
    GroupPanel* m_panel = nullptr;
};

} // namespace lhrs::gui
