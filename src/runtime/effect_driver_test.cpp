#include "runtime/effect_driver.h"

#include "base/time.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace muster::runtime {
namespace {

using namespace std::chrono_literals;

struct store {
    int parcel = 0;
};
struct send {
    int parcel = 0;
};
struct give_up {
    int parcel = 0;
};
using parcel_effects = std::vector<std::variant<store, send, give_up>>;

// Stores each parcel and then sends it; gives one up that cannot be stored.
class parcels {
public:
    explicit parcels(int sent_max) : sent_max_(sent_max) {}

    parcel_effects arrived(std::vector<int> all, instant now) {
        const entered guard(*this);
        last_input_ = now;
        parcel_effects out;
        for (const int each : all) out.emplace_back(store{each});
        return out;
    }
    parcel_effects stored(int parcel, const result<void>& how) {
        const entered guard(*this);
        if (!how) return {give_up{parcel}};
        return {send{parcel}};
    }
    void sent(int /*parcel*/) { ++sent_; }
    result<parcel_effects> urgent(int parcel) {
        if (sent_ >= sent_max_) return fail(errc::unavailable, "too many parcels");
        return parcel_effects{send{parcel}};
    }
    parcel_effects expire(instant now) { return arrived({}, now); }

    int sent_so_far() const { return sent_; }
    instant last_input() const { return last_input_; }
    bool was_entered_twice() const { return entered_twice_; }

private:
    struct entered {
        explicit entered(parcels& parcels) : in(parcels) { in.entered_twice_ |= in.depth_++ > 0; }
        entered(const entered&) = delete;
        entered& operator=(const entered&) = delete;
        ~entered() { --in.depth_; }
        parcels& in;
    };

    int sent_max_;
    int sent_ = 0;
    int depth_ = 0;
    bool entered_twice_ = false;
    instant last_input_{};
};

// Notes what it is asked to do, and does what the test wants then.
struct post_office {
    std::vector<std::string> done;
    int handlers_running = 0;
    bool handler_entered_twice = false;
    std::function<void(const store&)> on_store = [](const store&) {
    };
    std::function<void()> on_settled = [] {
    };
    instant time{1h};
    effect_driver<parcels, post_office> driver{*this, 100};

    void perform(const store& store) {
        note("store " + std::to_string(store.parcel), [&] { on_store(store); });
    }
    void perform(const send& send) {
        note("send " + std::to_string(send.parcel), [&] {
            driver.feed(&parcels::sent, send.parcel);
        });
    }
    void perform(const give_up& give_up) {
        note("give up " + std::to_string(give_up.parcel), [] {});
    }
    instant now() const { return time; }
    void settled() {
        done.emplace_back("settled");
        on_settled();
    }

    template <class Work>
    void note(std::string text, const Work& work) {
        handler_entered_twice |= handlers_running++ > 0;
        done.push_back(std::move(text));
        work();
        --handlers_running;
    }
    void deliver(std::vector<int> all) { driver.feed(&parcels::arrived, std::move(all)); }
    void answer(int parcel, result<void> how = {}) {
        driver.feed(&parcels::stored, parcel, std::move(how));
    }
};

using steps = std::vector<std::string>;

TEST_CASE("effects are performed in their order, and the owner is told once when all are done") {
    post_office office;

    office.deliver({3, 1, 2});

    CHECK(office.done == steps{"store 3", "store 1", "store 2", "settled"});
}

TEST_CASE("an outcome that an effect handler feeds waits until the effects before it are done") {
    post_office office;
    office.on_store = [&](const store& store) {
        office.answer(store.parcel);
    };

    office.deliver({1, 2});

    CHECK(office.done == steps{"store 1", "store 2", "send 1", "send 2", "settled"});
    CHECK(office.driver->sent_so_far() == 2);
}

TEST_CASE("neither the machine nor a handler is entered while it is at work") {
    post_office office;
    int more = 5;
    office.on_store = [&](const store& store) {
        if (more-- > 0) office.deliver({store.parcel + 10});
        office.answer(store.parcel);
    };

    office.deliver({1, 2});

    CHECK_FALSE(office.driver->was_entered_twice());
    CHECK_FALSE(office.handler_entered_twice);
    CHECK(office.driver->sent_so_far() == 7);
}

TEST_CASE("a failure of an effect is an input like any other") {
    post_office office;
    office.on_store = [&](const store& store) {
        office.answer(
            store.parcel,
            store.parcel == 1 ? result<void>(fail(errc::unavailable, "disk full"))
                              : result<void>());
    };

    office.deliver({1, 2});

    CHECK(office.done == steps{"store 1", "store 2", "give up 1", "send 2", "settled"});
}

TEST_CASE("an outcome that comes later is fed at once") {
    post_office office;
    office.deliver({1});

    office.answer(1);

    CHECK(office.done == steps{"store 1", "settled", "send 1", "settled"});
}

TEST_CASE("an input gets the time at which it is fed, not the one at which it was put in line") {
    post_office office;
    office.on_store = [&](const store& store) {
        if (store.parcel != 1) return;
        office.driver.feed(&parcels::expire);
        office.time += 1s;
    };

    office.deliver({1});

    CHECK(office.driver->last_input() == instant(1h + 1s));
}

TEST_CASE("what the owner feeds when all is settled is driven to its end, too") {
    post_office office;
    office.on_settled = [&, first = true]() mutable {
        if (std::exchange(first, false)) office.deliver({7});
    };

    office.deliver({1});

    CHECK(office.done == steps{"store 1", "settled", "store 7", "settled"});
    CHECK_FALSE(office.handler_entered_twice);
}

TEST_CASE("arguments of an input that waits are kept until it is fed") {
    post_office office;
    office.on_store = [&](const store& store) {
        if (store.parcel != 1) return;
        std::vector<int> more{8, 9};
        office.driver.feed(&parcels::arrived, more);
        more.assign(1000, 0);
    };

    office.deliver({1});

    CHECK(office.done == steps{"store 1", "store 8", "store 9", "settled"});
}

TEST_CASE("a machine that refuses an input says why, and nothing is performed") {
    post_office office;
    for (int parcel = 0; parcel < 100; ++parcel) office.driver.feed(&parcels::sent, parcel);
    office.done.clear();

    const auto refused = office.driver.try_feed(&parcels::urgent, 1);

    CHECK(refused.error() == error(errc::unavailable, "too many parcels"));
    CHECK(office.done == steps{"settled"});
}

TEST_CASE("an input that the machine takes is driven to its end before its answer is there") {
    post_office office;

    const auto reserved = office.driver.try_feed(&parcels::urgent, 1);

    CHECK(reserved.has_value());
    CHECK(office.driver->sent_so_far() == 1);
}

TEST_CASE("a handler that throws ends its input, but not those that wait") {
    post_office office;
    office.on_store = [&](const store& store) {
        office.answer(store.parcel);
        if (store.parcel == 2) throw std::runtime_error("broken");
    };

    CHECK_THROWS_WITH_AS(office.deliver({1, 2, 3}), "broken", std::runtime_error);

    CHECK(office.done == steps{"store 1", "store 2", "send 1", "send 2", "settled"});
}

TEST_CASE("a driver goes on after an exception") {
    post_office office;
    office.on_store = [&](const store&) {
        throw std::runtime_error("broken");
    };
    CHECK_THROWS_AS(office.deliver({1}), std::runtime_error);
    office.on_store = [](const store&) {
    };
    office.done.clear();

    office.deliver({2});

    CHECK(office.done == steps{"store 2", "settled"});
}

TEST_CASE("an idle driver is as large as its machine and two pointers") {
    static_assert(
        sizeof(effect_driver<parcels, post_office>) == sizeof(parcels) + 2 * sizeof(void*));
}

}  // namespace
}  // namespace muster::runtime
