// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/words/lhrs/decoding.h"
#include "gui/view/paint/display_list.h"
#include "gui/view/time/frame_clock.h"
#include "gui/view/lhrs/records/group_picture.h"
#include "gui/view/lhrs/records/record_group_reader.h"
#include "gui/view/system/selection.h"

#include <QWidget>

#include <optional>

namespace lhrs::gui {

// An open record group: its members, and how a lost one is computed, step by step. The left and right arrow keys change
// the step, up and down the symbol, and with Shift the member; a click on a member supposes that it is lost, or undoes
// that.
class RecordGroupView : public QWidget, public FrameView {
    Q_OBJECT
public:
    // All arguments must outlive the view.
    RecordGroupView(const Pacer& pacer, ContentsSource& source, WitnessBook& witnesses, Selection& selection,
        QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);

    // Opens the group of this bucket or parity bucket at the rank. Lost members are decoded. If none is lost, the
    // members are decoded that the last recovery rebuilt; failing that, the object's own record is supposed to be lost.
    void open(ObjectRef object, std::uint32_t rank);
    bool isOpen() const { return m_isOpen; }
    void close();
    std::uint32_t groupNumber() const { return m_groupNumber; }
    std::uint32_t rank() const { return m_rank; }

    void setPage(GroupPage page);
    GroupPage page() const { return m_wish.page; }
    void step(int direction);
    void setStep(std::size_t step);
    // Shows a step by its name (CameraWish::stage). It stays when members come or go, until a person chooses another.
    void showStage(const QString& stage);
    void moveSymbol(int direction);
    void setSymbol(std::size_t symbol);
    void moveRank(int direction);
    void nextBase();
    // Chooses the next set of survivors; `own`: the set that the nodes choose.
    void otherSurvivors(bool own);
    // Follows the next lost member.
    void nextTarget();
    void toggleSupposed(Participant member);
    // The member that is selected in the window; nothing: the selection is not in this group.
    std::optional<Participant> selectedMember() const;
    void moveMember(int direction);
    int setPinned(bool isPinned);
    bool isPinned() const { return m_reader.isPinned(); }
    // Whether bytes may be read: false while no running cluster is shown. `note` is displayed beside them.
    void setReading(bool isAllowed, const QString& note);

    const Decoding* decoding() const { return m_decoding ? &*m_decoding : nullptr; }
    const DisplayList& picture() const { return m_list; }
    // A ring around the member that is under the mouse in some view.
    const DisplayList& marks() const { return m_marks; }
    QSize pictureSize() const;
    QString text() const { return m_decoding ? textOf(*m_decoding) : QString(); }

    // A scenario has chosen the stage that is shown, and nobody has gone on from there.
    bool isAtStage() const { return !m_stage.isEmpty(); }

signals:
    // The picture was rebuilt.
    void shown();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void wish();
    void rebuild();
    void redraw();
    void mark();
    void chooseLost();
    void takeStage();
    void scaleFace();

    const Pacer& m_pacer;
    Selection& m_selection;
    RecordGroupReader m_reader;
    Theme m_theme, m_face; // m_face: scaled to the size of the view
    DisplayList m_list, m_marks;
    GroupPicture m_picture;
    DecodingWish m_wish;
    std::optional<Decoding> m_decoding;
    bool m_isOpen = false, m_isLostChosen = false, m_isSymbolChosen = false, m_wasDown = false,
         m_isSupposedByItself = false, m_isDirty = true, m_isPending = false;
    ObjectRef m_opened;
    std::uint32_t m_groupNumber = 0, m_rank = 0;
    QString m_note, m_stage;
    double m_time = 0, m_builtAt = -1;
};

} // namespace lhrs::gui
