// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/records/record_group_view.h"

#include "gui/view/lhrs/words/object_words.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr double kRebuildGroupEvery = 0.1; // seconds, while only the cluster changes

} // namespace

RecordGroupView::RecordGroupView(
    const Pacer& pacer, ContentsSource& source, WitnessBook& witnesses, Selection& selection, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_reader(pacer, source, witnesses, this),
      m_list(m_theme), m_marks(m_theme)
{
    setObjectName(QStringLiteral("recordGroup"));
    setAccessibleName(tr("Record group and decoder"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&m_selection, &Selection::hoverChanged, this, &RecordGroupView::mark);
    connect(&m_selection, &Selection::selectionChanged, this, [this] { m_isDirty = true; });
}

void RecordGroupView::open(ObjectRef object, std::uint32_t rank)
{
    const std::uint32_t m = m_pacer.state().m();
    const bool isData = object.kind == ObjectKind::Data || object.kind == ObjectKind::Dummy;
    m_groupNumber = isData ? std::uint32_t(object.a) / m : std::uint32_t(object.a);
    m_rank = std::max(1U, rank);
    m_opened = object;
    m_isOpen = true;
    m_isLostChosen = m_isSymbolChosen = m_wasDown = false;
    DecodingWish fresh;
    fresh.page = m_wish.page;
    fresh.base = m_wish.base;
    m_wish = fresh;
    m_stage.clear();
    m_wish.changed = isData ? std::uint32_t(object.a) % m : 0;
    m_reader.clear();
    m_reader.setGroup(m_groupNumber, m_rank);
    wish();
}

void RecordGroupView::close()
{
    m_isOpen = false;
    m_reader.clear();
    m_decoding.reset();
    wish();
}

void RecordGroupView::wish()
{
    m_reader.refresh(m_time); // the members are known without asking them
    rebuild();
}

// Chooses which members are supposed to be lost when the group is opened and all its members are up.
void RecordGroupView::chooseLost()
{
    m_isLostChosen = m_isSupposedByItself = true;
    const RecordGroup& group = *m_reader.group();
    const bool isSomethingDown = std::any_of(group.members.begin(), group.members.end(),
        [](const GroupMember& member) { return member.standing == GroupMember::Standing::Down; });
    if (isSomethingDown || group.k == 0)
        return;
    if (group.decoder) {
        for (const auto& lost : group.decoder->lost())
            m_wish.supposed.insert(Participant::data(Position(lost.position())));
        return;
    }
    Participant member = m_opened.kind == ObjectKind::Parity
        ? Participant::parity(ParityColumn(std::uint32_t(m_opened.b)))
        : Participant::data(Position(m_wish.changed));
    if (m_opened.kind == ObjectKind::Group || !group.find(member))
        member = Participant::data(Position(0));
    m_wish.supposed.insert(member);
}

bool RecordGroupView::refresh(double seconds)
{
    m_time += seconds;
    m_isPending = m_reader.refresh(m_time) || m_isPending;
    if (m_isDirty || (m_isPending && m_time - m_builtAt >= kRebuildGroupEvery))
        rebuild();
    return false;
}

void RecordGroupView::rebuild()
{
    m_isDirty = m_isPending = false;
    m_builtAt = m_time;
    m_decoding.reset();
    const auto& group = m_reader.group();
    if (m_isOpen && group) {
        // When all members are back, what was rebuilt stays of interest.
        const bool isDown = std::any_of(group->members.begin(), group->members.end(),
            [](const GroupMember& member) { return member.standing == GroupMember::Standing::Down; });
        if (isDown && m_isSupposedByItself) { // a real failure replaces a supposed one
            m_wish.supposed.clear();
            m_isSupposedByItself = false;
        }
        if (!m_isLostChosen || (m_wasDown && !isDown && m_wish.supposed.empty()))
            chooseLost();
        m_wasDown = isDown;
        // A member that is really down is no longer only supposed to be lost.
        std::erase_if(m_wish.supposed, [&](Participant supposed) {
            const GroupMember* member = group->find(supposed);
            return !member || member->standing == GroupMember::Standing::Down;
        });
        m_decoding = decodingOf(*group, m_wish);
        if (!m_isSymbolChosen && m_decoding->hasBytes) {
            m_isSymbolChosen = true;
            m_wish.symbol = tellingSymbol(*m_decoding);
            m_decoding = decodingOf(*group, m_wish);
        }
        if (m_decoding->story)
            m_wish = m_decoding->wish;
        if (const DecodingWish before = m_wish; !m_stage.isEmpty()) {
            takeStage();
            if (m_wish.step != before.step || m_wish.updateStep != before.updateStep)
                m_decoding = decodingOf(*group, m_wish);
        }
    }
    redraw();
}

// A view with room to spare is read from a larger distance: everything is scaled up.
void RecordGroupView::scaleFace()
{
    constexpr qreal kUsual = 700, kUsualHeight = 440, kMost = 1.7; // pixels at 100 %
    const qreal high = parentWidget() ? parentWidget()->height() : height();
    const qreal room = std::min(width() / m_theme.px(kUsual), high / m_theme.px(kUsualHeight));
    const qreal scale = m_theme.fontScale() * std::clamp(std::floor(room * 10) / 10, 1.0, kMost);
    if (m_face.kind() != m_theme.kind() || m_face.fontScale() != std::min(scale, 2.5))
        m_face = Theme(m_theme.kind(), scale);
    m_list.setTheme(m_face);
}

void RecordGroupView::redraw()
{
    m_list.clear();
    scaleFace();
    if (m_decoding) {
        m_picture = drawRecordGroup(*m_decoding, m_note, m_face, width(), m_list);
    } else if (m_isOpen) {
        m_picture = drawNoGroup(tr("There is no group %1.").arg(m_groupNumber),
            tr("The file does not have it at the instant that is shown. Choose a record in a bucket."), m_face, width(),
            m_list);
    } else {
        m_picture = drawNoGroup(tr("Choose a record in a bucket."),
            tr("Double click a record in the table or in the picture, or select a bucket and press Ctrl+G: its record "
               "group is opened here, with all its members, and how a lost one is computed."),
            m_face, width(), m_list);
    }
    if (minimumHeight() != int(std::ceil(m_picture.height)))
        setMinimumHeight(int(std::ceil(m_picture.height)));
    mark();
    setAccessibleDescription(m_list.texts().join(QStringLiteral(". ")));
    update();
    emit shown();
}

// Marks what is under the mouse elsewhere: a bucket, or its record at this rank.
void RecordGroupView::mark()
{
    const bool had = !m_marks.items().empty();
    m_marks.clear();
    m_marks.setTheme(m_face);
    const Pointed& pointed = m_selection.pointed();
    const QRectF member = m_decoding && pointed.object && (pointed.part == 0 || pointed.part == m_rank)
        ? m_list.boundsOf(pointed.object)
        : QRectF();
    if (!member.isNull()) {
        m_marks.setObject(pointed.object);
        m_marks.add(DisplayList::Box { member.adjusted(-1, -1, 1, 1), Outline::Rounded, m_face.px(5), {}, m_face.text,
            m_face.px(2.5), false, false });
    }
    if (had || !m_marks.items().empty())
        update();
}

QSize RecordGroupView::pictureSize() const { return { width(), int(std::ceil(m_picture.height)) }; }

// ---- wishes

void RecordGroupView::setPage(GroupPage page)
{
    m_wish.page = page;
    wish();
}

void RecordGroupView::step(int direction)
{
    const std::size_t step = m_wish.page == GroupPage::Update ? m_wish.updateStep : m_wish.step;
    if (direction > 0 || step > 0)
        setStep(direction > 0 ? step + 1 : step - 1);
}

void RecordGroupView::showStage(const QString& stage)
{
    m_stage = stage;
    wish();
}

void RecordGroupView::takeStage()
{
    using Kind = DecodingStep::Kind;
    if (m_stage == QLatin1String("delta"))
        m_wish.updateStep = 0;
    else if (m_stage.startsWith(QLatin1String("column ")))
        m_wish.updateStep = m_stage.mid(7).toUInt() + 1; // the page uses its last step if there are fewer columns
    static const std::array kStages { std::pair("members", Kind::Members), std::pair("columns", Kind::Columns),
        std::pair("elimination", Kind::Gauss), std::pair("inverse", Kind::Inverse), std::pair("symbol", Kind::Term),
        std::pair("bytes", Kind::Bytes) };
    const auto named = [this](const auto& known) { return m_stage == QLatin1String(known.first); };
    const auto stage = std::find_if(kStages.begin(), kStages.end(), named);
    if (stage == kStages.end())
        return;
    const auto& steps = m_decoding->steps;
    const auto last = std::find_if(
        steps.rbegin(), steps.rend(), [&](const DecodingStep& one) { return one.kind == stage->second; });
    if (last != steps.rend())
        m_wish.step = std::size_t(steps.rend() - last) - 1;
}

void RecordGroupView::setStep(std::size_t step)
{
    m_stage.clear();
    if (m_decoding && m_wish.page == GroupPage::Decode && !m_decoding->steps.empty())
        m_wish.step = std::min(step, m_decoding->steps.size() - 1);
    else if (m_decoding && m_wish.page == GroupPage::Update)
        m_wish.updateStep = std::min<std::size_t>(step, m_decoding->group.k);
    wish();
}

void RecordGroupView::moveSymbol(int direction)
{
    if (direction > 0 || m_wish.symbol > 0)
        setSymbol(direction > 0 ? m_wish.symbol + 1 : m_wish.symbol - 1);
}

void RecordGroupView::setSymbol(std::size_t symbol)
{
    const std::size_t symbols = m_decoding ? m_decoding->symbols : 0;
    m_wish.symbol = symbols == 0 ? 0 : std::min(symbol, symbols - 1);
    m_isSymbolChosen = true;
    wish();
}

void RecordGroupView::moveRank(int direction)
{
    if (!m_isOpen || (direction < 0 && m_rank <= 1))
        return;
    m_rank = direction > 0 ? m_rank + 1 : m_rank - 1;
    m_selection.setPart(m_rank);
    m_reader.setGroup(m_groupNumber, m_rank);
    wish();
}

void RecordGroupView::nextBase()
{
    m_wish.base = m_wish.base == SymbolBase::Hex ? SymbolBase::Decimal
        : m_wish.base == SymbolBase::Decimal     ? SymbolBase::Log
                                                 : SymbolBase::Hex;
    wish();
}

void RecordGroupView::otherSurvivors(bool own)
{
    if (!m_decoding || m_decoding->choices == 0)
        return;
    if (own)
        m_wish.choice.reset();
    else
        m_wish.choice = (m_decoding->choice + 1) % m_decoding->choices;
    wish();
}

void RecordGroupView::nextTarget()
{
    if (m_wish.page == GroupPage::Update) {
        m_wish.changed = (m_wish.changed + 1) % m_pacer.state().m();
    } else if (m_decoding && !m_decoding->lost.empty()) {
        m_wish.target = (m_wish.target + 1) % m_decoding->lost.size();
    }
    wish();
}

void RecordGroupView::toggleSupposed(Participant member)
{
    m_isSupposedByItself = false;
    if (m_wish.supposed.erase(member) == 0)
        m_wish.supposed.insert(member);
    m_wish.choice.reset();
    m_wish.target = 0;
    m_wish.step = 0;
    wish();
}

std::optional<Participant> RecordGroupView::selectedMember() const
{
    const ObjectRef selected = m_selection.selected();
    const std::uint32_t m = m_pacer.state().m();
    if ((selected.kind == ObjectKind::Data || selected.kind == ObjectKind::Dummy) && selected.a / m == m_groupNumber)
        return Participant::data(Position(std::uint32_t(selected.a) % m));
    if (selected.kind == ObjectKind::Parity && selected.a == m_groupNumber)
        return Participant::parity(ParityColumn(std::uint32_t(selected.b)));
    return std::nullopt;
}

void RecordGroupView::moveMember(int direction)
{
    if (!m_decoding)
        return;
    const auto& members = m_decoding->group.members;
    const auto selected = selectedMember();
    std::size_t at = 0;
    for (std::size_t i = 0; i < members.size(); ++i)
        at = selected && members[i].member == *selected
            ? (i + members.size() + std::size_t(direction + 1) - 1) % members.size()
            : at;
    const GroupMember& member = members[at];
    if (member.member.kind == Participant::Kind::Data)
        m_selection.select({ member.standing == GroupMember::Standing::Dummy ? ObjectKind::Dummy : ObjectKind::Data,
            member.place.number(), 0 });
    else
        m_selection.select({ ObjectKind::Parity, member.place.number(), member.place.column() });
    if (m_wish.page == GroupPage::Update && member.member.kind == Participant::Kind::Data)
        m_wish.changed = member.member.index;
    wish();
}

int RecordGroupView::setPinned(bool isPinned)
{
    int pinned = 0;
    if (isPinned)
        pinned = m_reader.pin();
    else
        m_reader.unpin();
    wish();
    return pinned;
}

void RecordGroupView::setReading(bool isAllowed, const QString& note)
{
    if (m_reader.isReading() != isAllowed) {
        m_reader.setReading(isAllowed);
        m_isDirty = true;
    }
    if (note != m_note) {
        m_note = note;
        m_isDirty = true;
    }
}

// ---- the widget

void RecordGroupView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_isDirty = true;
}

void RecordGroupView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.card);
    m_list.paint(painter);
    m_marks.paint(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void RecordGroupView::resizeEvent(QResizeEvent*) { m_isDirty = true; }

void RecordGroupView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    for (const GroupSpot& spot : m_picture.spots) {
        if (!spot.rect.contains(event->position()))
            continue;
        switch (spot.kind) {
        case GroupSpot::Kind::Symbol: setSymbol(spot.index); return;
        case GroupSpot::Kind::Step: setStep(spot.index); return;
        }
    }
    const ObjectRef object = m_list.hitTest(event->position());
    if (!object)
        return;
    m_selection.select(object);
    const auto member = selectedMember();
    if (!member)
        return;
    if (m_wish.page == GroupPage::Update) {
        if (member->kind == Participant::Kind::Data)
            m_wish.changed = member->index;
        else
            m_wish.updateStep = member->index + 1;
        wish();
    } else {
        toggleSupposed(*member);
    }
}

// A member represents a bucket, and with the group's rank a record in it.
void RecordGroupView::mouseMoveEvent(QMouseEvent* event)
{
    const ObjectRef member = m_list.hitTest(event->position());
    m_selection.point({ member, { 0, 0 }, member ? m_rank : 0 });
}

void RecordGroupView::leaveEvent(QEvent*) { m_selection.point({}); }

void RecordGroupView::keyPressEvent(QKeyEvent* event)
{
    const bool isShifted = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Left: isShifted ? moveMember(-1) : step(-1); return;
    case Qt::Key_Right: isShifted ? moveMember(1) : step(1); return;
    case Qt::Key_Up: moveSymbol(-1); return;
    case Qt::Key_Down: moveSymbol(1); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (const auto member = selectedMember())
            toggleSupposed(*member);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void RecordGroupView::focusInEvent(QFocusEvent*) { update(); }

void RecordGroupView::focusOutEvent(QFocusEvent*) { update(); }

} // namespace lhrs::gui
