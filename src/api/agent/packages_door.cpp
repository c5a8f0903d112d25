#include "api/agent/packages_door.h"

#include "core/packages/list/package_list.h"
#include "ports/deadline.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;

constexpr auto engine_patience = 10s;

class seat {
public:
    explicit seat(std::atomic<int>& taken) : taken_(taken), number_(++taken) {}
    seat(const seat&) = delete;
    seat& operator=(const seat&) = delete;
    ~seat() { --taken_; }
    int number() const { return number_; }

private:
    std::atomic<int>& taken_;
    int number_;
};

constexpr auto usual_wait = 10s;

http::response come_again(monotonic::duration wait) {
    auto answer = http::problem(429, "too many lists of packages are being taken; come again");
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    answer.fields.emplace_back("retry-after", std::to_string(seconds));
    return answer;
}

}  // namespace

result<void> packages_door::add_routes(http::router& to) {
    CHECK_OK(to.add("GET", "/system/packages", {[this](http::request asked) {
                        return ask(std::move(asked));
                    }}));
    return to.add(
        "POST",
        "/system/packages",
        {.handle = [this](http::request asked) { return take(std::move(asked)); },
         .body_bytes_max = packages::list_limits::bytes_max});
}

// Only of an accepted system: nobody else's word is stored.
result<packages_door::wish> packages_door::wish_of(const http::request& asked) const {
    TRY(const auto print, asked.agent());
    const auto system = known_.find(print);
    if (!system || system->stage != enrolment::accepted)
        return fail(errc::denied, "this system is not accepted");
    auto digest = asked.query("digest").value_or("");
    if (!content::package_sets::is_digest(digest))
        return fail(errc::invalid, "`digest` must be 64 hexadecimal digits");
    return wish{.from = print, .digest = std::move(digest)};
}

std::optional<monotonic::duration> packages_door::must_wait(const fingerprint& who) {
    access::rate_limiter::who name{};
    std::ranges::copy_n(who.bytes().begin(), name.size(), name.begin());
    const std::lock_guard lock(guard_);
    const auto refused = brought_.take(name, time_.now());
    return refused ? std::optional(refused->wait) : std::nullopt;
}

async<http::response> packages_door::ask(http::request asked) {
    CO_TRY(auto wanted, wish_of(asked));
    auto looking = sets_.knows(std::move(wanted.digest));
    CO_TRY(const auto known, co_await within(time_, engine_patience, std::move(looking)));
    co_return known ? http::response{.status = 204}
                    : http::problem(404, "this list of packages is not known; send it");
}

async<http::response> packages_door::take(http::request asked) {
    CO_TRY(auto wanted, wish_of(asked));
    const seat held(being_taken_);
    if (held.number() > taken_at_once_max) co_return come_again(usual_wait);
    if (const auto wait = must_wait(wanted.from)) co_return come_again(*wait);
    CO_TRY(auto text, co_await asked.body());
    auto work = sets_.put(std::move(wanted.digest), std::move(text));
    CO_CHECK_OK(co_await within(time_, engine_patience, std::move(work)));
    co_return http::response{.status = 204};
}

}  // namespace muster::api
