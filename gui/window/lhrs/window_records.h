// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/records/record_table.h"
#include "gui/window/lhrs/file_parts.h"

namespace lhrs::gui {

class WindowGroup;

// The records of a bucket: filter, witness, comparison, copy, CSV.
class WindowRecords : public WindowSubject {
    Q_OBJECT
public:
    WindowRecords(WindowParts& parts, FileParts& file, WindowGroup& group);

    void build() override;
    void forget() override;
    // All but a client has its contents here, even if it is an empty table.
    bool showContents(ObjectRef object) override;
    bool openPage(const CameraWish& wish, ObjectRef looked) override;
    void applyTheme() override;
    std::optional<ViewExport> inFront() override;
    std::pair<const QWidget*, std::string_view> explained() const override;

    RecordTable& table() const { return *m_table; }

private:
    enum class Job { None, Witness, Compare, Csv };
    // Starts to read the whole bucket that is listed; finish() does the rest.
    void begin(Job job);
    // The whole bucket was read, or cannot be read.
    void finish(const QString& problem);
    void showMenu(ObjectRef bucket, std::uint32_t rank, QPoint at);

    FileParts& m_file;
    WindowGroup& m_group;
    RecordTable* m_table = nullptr;
    Job m_job = Job::None;
    QString m_csvPath;
};

} // namespace lhrs::gui
