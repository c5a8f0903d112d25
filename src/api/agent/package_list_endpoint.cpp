#include "api/agent/package_list_endpoint.h"

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

constexpr auto list_timeout = 10s;

class seat {
public:
    explicit seat(std::atomic<int>& reserved) : taken_(reserved), number_(++reserved) {}
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

result<void> package_list_endpoint::add_routes(http::router& to) {
    CHECK_OK(to.add("GET", "/system/packages", {[this](http::request request) {
                        return ask(std::move(request));
                    }}));
    return to.add(
        "POST",
        "/system/packages",
        {.handle = [this](http::request request) { return take(std::move(request)); },
         .body_bytes_max = packages::list_limits::bytes_max});
}

// Only of an accepted system: nobody else's word is stored.
result<package_list_endpoint::upload_request> package_list_endpoint::wish_of(
    const http::request& request) const {
    TRY(const auto print, request.agent());
    const auto system = systems_.find(print);
    if (!system || system->stage != enrolment::accepted)
        return fail(errc::denied, "this system is not accepted");
    auto digest = request.query("digest").value_or("");
    if (!content::package_sets::is_digest(digest))
        return fail(errc::invalid, "`digest` must be 64 hexadecimal digits");
    return upload_request{.from = print, .digest = std::move(digest)};
}

std::optional<monotonic::duration> package_list_endpoint::login_throttled(
    const fingerprint& fingerprint) {
    access::rate_limiter::who name{};
    std::ranges::copy_n(fingerprint.bytes().begin(), name.size(), name.begin());
    const std::lock_guard lock(guard_);
    const auto refused = brought_.take(name, clock_.now());
    return refused ? std::optional(refused->wait) : std::nullopt;
}

async<http::response> package_list_endpoint::ask(http::request request) {
    CO_TRY(auto wish, wish_of(request));
    auto looking = sets_.knows(std::move(wish.digest));
    CO_TRY(const auto existing, co_await within(clock_, list_timeout, std::move(looking)));
    co_return existing ? http::response{.status = 204}
                       : http::problem(404, "this list of packages is not known; send it");
}

async<http::response> package_list_endpoint::take(http::request request) {
    CO_TRY(auto wish, wish_of(request));
    const seat held(being_taken_);
    if (held.number() > taken_at_once_max) co_return come_again(usual_wait);
    if (const auto wait = login_throttled(wish.from)) co_return come_again(*wait);
    CO_TRY(auto text, co_await request.body());
    auto work = sets_.put(std::move(wish.digest), std::move(text));
    CO_CHECK_OK(co_await within(clock_, list_timeout, std::move(work)));
    co_return http::response{.status = 204};
}

}  // namespace muster::api
