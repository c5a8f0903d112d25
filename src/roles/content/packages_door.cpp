#include "roles/content/packages_door.h"

#include "core/packages/list/package_list.h"
#include "ports/deadline.h"

#include <chrono>
#include <utility>

namespace muster::content {
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

http::response come_again() {
    auto answer = http::problem(429, "too many lists of packages are being taken; come again");
    answer.fields.emplace_back("retry-after", "10");
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
result<std::string> packages_door::digest_of(const http::request& asked) const {
    TRY(const auto print, asked.agent());
    const auto system = known_.find(print);
    if (!system || system->stage != enrolment::accepted)
        return fail(errc::denied, "this system is not accepted");
    auto digest = asked.query("digest").value_or("");
    if (!package_sets::is_digest(digest))
        return fail(errc::invalid, "`digest` must be 64 hexadecimal digits");
    return digest;
}

async<http::response> packages_door::ask(http::request asked) {
    CO_TRY(auto digest, digest_of(asked));
    CO_TRY(
        const auto known, co_await within(time_, engine_patience, sets_.knows(std::move(digest))));
    co_return known ? http::response{.status = 204}
                    : http::problem(404, "this list of packages is not known; send it");
}

async<http::response> packages_door::take(http::request asked) {
    CO_TRY(auto digest, digest_of(asked));
    const seat held(being_taken_);
    if (held.number() > taken_at_once_max) co_return come_again();
    CO_TRY(auto text, co_await asked.body());
    auto work = sets_.put(std::move(digest), std::move(text));
    CO_CHECK_OK(co_await within(time_, engine_patience, std::move(work)));
    co_return http::response{.status = 204};
}

}  // namespace muster::content
