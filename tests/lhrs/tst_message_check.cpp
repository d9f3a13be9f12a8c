// SPDX-License-Identifier: GPL-3.0-or-later
// The messages that the machines accept: each limit, at its value and just beyond it.
#include "node/lhrs/group/message_check.h"

#include <QTest>

#include <functional>

using namespace lhrs;

namespace {

using Maker = std::function<void(pb::Message&)>;

void addRow(const std::string& name, bool isFit, const Maker& make)
{
    pb::Message message;
    make(message);
    QTest::newRow(name.c_str()) << QByteArray::fromStdString(message.SerializeAsString()) << isFit;
}

void addRequestRows(const char* name, const std::function<pb::KeyRequest*(pb::Message&)>& body)
{
    const std::string of(name);
    addRow(of + " of request 1 of a client", true, [&](auto& m) {
        body(m)->mutable_request()->set_client(7);
        body(m)->mutable_request()->set_number(1);
    });
    addRow(of + " without a number", false, [&](auto& m) { body(m)->mutable_request()->set_client(7); });
    addRow(of + " of no client", false, [&](auto& m) { body(m)->mutable_request()->set_number(1); });
    addRow(of + " with nothing in it", false, [&](auto& m) { body(m); });
}

void addDelta(const char* name, bool isFit, std::uint32_t rank, std::uint32_t length, std::size_t bytes)
{
    addRow(name, isFit, [=](auto& m) {
        m.mutable_delta()->set_rank(rank);
        m.mutable_delta()->set_length(length);
        m.mutable_delta()->set_delta(std::string(bytes, 'x'));
    });
}

void addConfirm(const char* name, bool isFit, const std::function<void(pb::Confirm&)>& change)
{
    addRow(name, isFit, [&](auto& m) {
        pb::Confirm& confirm = *m.mutable_confirm();
        confirm.mutable_config()->set_m(4);
        confirm.mutable_config()->set_b(10);
        confirm.set_role(pb::DATA);
        change(confirm);
    });
}

} // namespace

class TestMessageCheck : public QObject {
    Q_OBJECT

private slots:
    void limits_data();
    void limits();
};

void TestMessageCheck::limits_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("isFit");

    addRow("nothing", true, [](auto&) {});
    addRequestRows("insert", [](auto& m) { return m.mutable_insert(); });
    addRequestRows("update", [](auto& m) { return m.mutable_update(); });
    addRequestRows("delete", [](auto& m) { return m.mutable_delete_(); });
    addRequestRows("search", [](auto& m) { return m.mutable_search(); });

    // Directory entries, in each of the four messages that carry them.
    const auto addEntry = [](const char* name, bool isFit, const std::function<void(pb::ProcessInfo&)>& change) {
        const auto add = [&](const char* by, const std::function<pb::ProcessInfo*(pb::Message&)>& process) {
            addRow(std::string(by) + ": " + name, isFit, [&](auto& m) {
                pb::ProcessInfo& info = *process(m);
                info.set_node(7);
                info.set_kind(pb::NODE);
                info.set_name("data-7");
                info.set_control_endpoint("tcp://127.0.0.1:4711");
                info.set_events_endpoint("tcp://127.0.0.1:4712");
                change(info);
            });
        };
        add("Register", [](auto& m) { return m.mutable_register_()->mutable_process(); });
        add("Alive", [](auto& m) { return m.mutable_alive()->mutable_process(); });
        add("Offer", [](auto& m) { return m.mutable_offer()->mutable_process(); });
        add("StateReport", [](auto& m) { return m.mutable_state_report()->mutable_process(); });
    };
    addEntry("a server", true, [](auto&) {});
    addEntry("of the simulator, without endpoints", true,
        [](auto& p) { p.clear_control_endpoint(), p.clear_events_endpoint(); });
    addEntry("at a name", true, [](auto& p) { p.set_events_endpoint("tcp://lab-3.example:65535"); });
    addEntry("at an address of IPv6", true, [](auto& p) { p.set_events_endpoint("tcp://[fe80::1%eth0]:1"); });
    addEntry("without a number", false, [](auto& p) { p.set_node(0); });
    addEntry("a second coordinator", false, [](auto& p) { p.set_kind(pb::COORDINATOR); });
    addEntry("of no kind that there is", false, [](auto& p) { p.set_kind(pb::ProcessKind(77)); });
    addEntry("with the largest pid", true, [](auto& p) { p.set_pid(0x7fffffff); });
    addEntry("with a pid of 2^31", false, [](auto& p) { p.set_pid(0x80000000u); });
    addEntry("with a name of 255 bytes", true, [](auto& p) { p.set_name(std::string(255, 'x')); });
    addEntry("with a name of 256 bytes", false, [](auto& p) { p.set_name(std::string(256, 'x')); });
    addEntry("with a name of two lines", false, [](auto& p) { p.set_name("a\nb"); });
    for (const char* endpoint : { "garbage", "tcp://", "tcp://:4711", "tcp://127.0.0.1",
             "tcp://127.0.0.1:", "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "tcp://127.0.0.1:4711 ",
             "tcp://127.0.0.1:-1", "tcp://a b:4711", "ipc:///tmp/socket", "inproc://self", "tcp://127.0.0.1:47x" }) {
        addEntry((std::string("controlled at ") + endpoint).c_str(), false,
            [=](auto& p) { p.set_control_endpoint(endpoint); });
        addEntry(
            (std::string("events at ") + endpoint).c_str(), false, [=](auto& p) { p.set_events_endpoint(endpoint); });
    }

    const auto addReply = [](const char* name, bool isFit, bool isAdjustment, std::uint32_t bucket,
                              std::uint32_t level) {
        addRow(name, isFit, [=](auto& m) {
            m.mutable_reply()->set_image_adjustment(isAdjustment);
            m.mutable_reply()->set_iam_bucket(bucket);
            m.mutable_reply()->set_iam_level(level);
        });
    };
    addReply("image adjustment: bucket 7 of level 3", true, true, 7, 3);
    addReply("image adjustment: bucket 8 of level 3", false, true, 8, 3);
    addReply("image adjustment: the last bucket of level 31", true, true, 0x7fffffff, 31);
    addReply("image adjustment: level 32", false, true, 0, 32);
    addReply("no image adjustment, whatever stands there", true, false, 8, 99);

    const auto addLocation = [](const char* name, bool isFit, std::uint32_t i, std::uint32_t n) {
        addRow(name, isFit, [=](auto& m) {
            m.mutable_location()->mutable_file()->set_i(i);
            m.mutable_location()->mutable_file()->set_n(n);
        });
    };
    addLocation("location: (3, 7)", true, 3, 7);
    addLocation("location: (3, 8)", false, 3, 8);
    addLocation("location: level 40", false, 40, 0);

    addDelta("delta: rank 0", false, 0, 1, 1);
    addDelta("delta: rank 1", true, 1, 1, 1);
    addDelta("delta: 65,535 bytes", true, 1, 65'535, 65'535);
    addDelta("delta: a longest value in whole symbols", true, 1, 65'535, 65'536);
    addDelta("delta: one symbol more", false, 1, 65'535, 65'537);
    addDelta("delta: length 65,536", false, 1, 65'536, 1);

    addRow("epoch: position 31", true, [](auto& m) {
        auto* member = m.mutable_epoch()->mutable_view()->add_members();
        member->set_role(pb::DATA);
        member->set_index(31);
    });
    addRow("epoch: position 32", false, [](auto& m) {
        auto* member = m.mutable_epoch()->mutable_view()->add_members();
        member->set_role(pb::DATA);
        member->set_index(32);
    });
    addRow("epoch: column 256", false, [](auto& m) {
        auto* member = m.mutable_epoch()->mutable_view()->add_members();
        member->set_role(pb::PARITY);
        member->set_index(256);
    });
    addRow("epoch: level 32", false, [](auto& m) {
        auto* member = m.mutable_epoch()->mutable_view()->add_members();
        member->set_role(pb::DATA);
        member->set_level(32);
    });

    const auto addSplit = [](const char* name, bool isFit, std::uint32_t target, std::uint32_t level) {
        addRow(name + std::string(" (Split)"), isFit, [=](auto& m) {
            m.mutable_split()->set_target(target);
            m.mutable_split()->set_level(level);
        });
        addRow(name + std::string(" (MoveRecords)"), isFit, [=](auto& m) {
            m.mutable_move_records()->set_target(target);
            m.mutable_move_records()->set_level(level);
        });
    };
    addSplit("into bucket 1 of level 1", true, 1, 1);
    addSplit("into bucket 2 of level 1", false, 2, 1);
    addSplit("into level 0", false, 0, 0);
    addSplit("into level 32", false, 1, 32);

    addRow("batch: level 31", true, [](auto& m) { m.mutable_prepare_batch()->set_level(31); });
    addRow("batch: level 32", false, [](auto& m) { m.mutable_prepare_batch()->set_level(32); });
    addRow("contents: level 31", true, [](auto& m) { m.mutable_contents()->set_level(31); });
    addRow("contents: level 32", false, [](auto& m) { m.mutable_contents()->set_level(32); });

    addConfirm("confirm: bucket 3 of level 2", true, [](auto& c) { c.set_number(3), c.set_level(2); });
    addConfirm("confirm: bucket 4 of level 2", false, [](auto& c) { c.set_number(4), c.set_level(2); });
    addConfirm("confirm: m = 0", false, [](auto& c) { c.mutable_config()->set_m(0); });
    addConfirm("confirm: m = 32", true, [](auto& c) { c.mutable_config()->set_m(32); });
    addConfirm("confirm: m = 33", false, [](auto& c) { c.mutable_config()->set_m(33); });
    addConfirm("confirm: b = 0", false, [](auto& c) { c.mutable_config()->set_b(0); });
    addConfirm("confirm: b = 2^28 + 1", false, [](auto& c) { c.mutable_config()->set_b((1u << 28) + 1); });
    addConfirm("confirm: column 255", true, [](auto& c) { c.set_role(pb::PARITY), c.set_column(255); });
    addConfirm("confirm: column 256", false, [](auto& c) { c.set_role(pb::PARITY), c.set_column(256); });
}

void TestMessageCheck::limits()
{
    QFETCH(QByteArray, bytes);
    QFETCH(bool, isFit);
    pb::Message message;
    QVERIFY(message.ParseFromArray(bytes.constData(), int(bytes.size())));
    QCOMPARE(isWithinLimits(message), isFit);
}

QTEST_APPLESS_MAIN(TestMessageCheck)
#include "tst_message_check.moc"
