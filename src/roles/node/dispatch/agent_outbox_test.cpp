#include "roles/node/dispatch/agent_outbox.h"

#include <doctest/doctest.h>

namespace muster::dispatch {
namespace {

constexpr connection_id first{.loop = 0, .number = 1};
constexpr connection_id second{.loop = 1, .number = 2};

struct fixture final : connection_sender {
    std::vector<std::vector<connection_id>> sent;  // by flush
    agent_outbox outbox{*this};

    void send(std::vector<outgoing> frames) override {
        sent.emplace_back();
        for (const auto& frame : frames) sent.back().push_back(frame.to);
    }

    void add(std::int64_t system) { outbox.add(system_number(system), {}); }
};

using batches = std::vector<std::vector<connection_id>>;

TEST_CASE("frames are sent together and in order, each over its system's channel") {
    fixture setup;
    setup.outbox.attach(system_number(1), first);
    setup.outbox.attach(system_number(2), second);
    setup.add(2);
    setup.add(1);
    CHECK(setup.sent.empty());

    setup.outbox.flush();
    setup.outbox.flush();

    CHECK(setup.sent == batches{{second, first}});
}

TEST_CASE("a frame to a system that is not attached is dropped") {
    fixture setup;
    setup.add(1);
    setup.outbox.flush();

    CHECK(setup.sent.empty());
}

TEST_CASE("a channel that another one replaced takes nothing with it when it goes") {
    fixture setup;
    setup.outbox.attach(system_number(1), first);
    setup.outbox.attach(system_number(1), second);

    CHECK_FALSE(setup.outbox.detach(system_number(1), first));
    setup.add(1);
    setup.outbox.flush();
    CHECK(setup.sent == batches{{second}});
    CHECK(setup.outbox.detach(system_number(1), second));
    CHECK_FALSE(setup.outbox.detach(system_number(1), second));
}

TEST_CASE("a wiped outbox says which systems were attached, in order") {
    fixture setup;
    for (const std::int64_t each : {3, 1, 2}) setup.outbox.attach(system_number(each), first);

    CHECK(
        setup.outbox.detach_all()
        == std::vector{system_number(1), system_number(2), system_number(3)});
    CHECK(setup.outbox.detach_all().empty());
}

}  // namespace
}  // namespace muster::dispatch
