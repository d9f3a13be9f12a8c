// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/lhrs/file_parts.h"

namespace lhrs::gui {

class ImagePanel;

// What a person has the clients of a file do with their images and at a bucket, and how the file is made to grow.
class WindowFile : public WindowSubject {
    Q_OBJECT
public:
    WindowFile(WindowParts& parts, FileParts& file);

    void build() override;
    void enable() override;
    void applyTheme() override;
    // The image of a client.
    bool showContents(ObjectRef object) override;
    bool openPage(const CameraWish& wish, ObjectRef looked) override;
    void offer(QMenu& menu, ObjectRef object, MenuPlace place) override;
    QString lineOf(const QString& action) const override;
    std::optional<ViewExport> inFront() override;
    std::pair<const QWidget*, std::string_view> explained() const override;

private:
    void addClientActions();
    void addClusterActions();
    void offerFirst(QMenu& menu, ObjectRef object);
    void offerContents(QMenu& menu, const QString& words, ObjectRef object);
    void workHere(pb::OperationKind kind);

    FileParts& m_file;
    ImagePanel* m_images = nullptr;
};

} // namespace lhrs::gui
