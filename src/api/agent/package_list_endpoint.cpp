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

class upload_slot {
public:
    explicit upload_slot(std::atomic<int>& uploads) : uploads_(uploads), number_(++uploads) {}
    upload_slot(const upload_slot&) = delete;
    upload_slot& operator=(const upload_slot&) = delete;
    ~upload_slot() { --uploads_; }
    int number() const { return number_; }

private:
    std::atomic<int>& uploads_;
    int number_;
};

constexpr auto retry_default = 10s;

http::response too_many_uploads(monotonic::duration wait) {
    auto response = http::problem(429, "too many package list uploads; retry later");
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    response.fields.emplace_back("retry-after", std::to_string(seconds));
    return response;
}

}  // namespace

result<void> package_list_endpoint::add_routes(http::router& routes) {
    CHECK_OK(routes.add("GET", "/system/packages", {[this](http::request request) {
                            return check(std::move(request));
                        }}));
    return routes.add(
        "POST",
        "/system/packages",
        {.handle = [this](http::request request) { return upload(std::move(request)); },
         .body_bytes_max = packages::list_limits::bytes_max});
}

// Only accepted systems may store data.
result<package_list_endpoint::upload_request> package_list_endpoint::read_request(
    const http::request& request) const {
    TRY(const auto print, request.agent());
    const auto system = systems_.find(print);
    if (!system || system->stage != enrolment::accepted)
        return fail(errc::denied, "system is not accepted");
    auto digest = request.query("digest").value_or("");
    if (!content::package_sets::is_digest(digest))
        return fail(errc::invalid, "`digest` must be 64 hexadecimal digits");
    return upload_request{.system = print, .digest = std::move(digest)};
}

std::optional<monotonic::duration> package_list_endpoint::throttle(const fingerprint& fingerprint) {
    access::rate_limiter::key name{};
    std::ranges::copy_n(fingerprint.bytes().begin(), name.size(), name.begin());
    const std::lock_guard lock(mutex_);
    const auto refusal = upload_limiter_.take(name, clock_.now());
    return refusal ? std::optional(refusal->wait) : std::nullopt;
}

async<http::response> package_list_endpoint::check(http::request request) {
    CO_TRY(auto list, read_request(request));
    auto lookup = package_sets_.knows(std::move(list.digest));
    CO_TRY(const auto is_known, co_await within(clock_, list_timeout, std::move(lookup)));
    co_return is_known ? http::response{.status = 204}
                       : http::problem(404, "package list not found; upload the list");
}

async<http::response> package_list_endpoint::upload(http::request request) {
    CO_TRY(auto list, read_request(request));
    const upload_slot slot(uploads_);
    if (slot.number() > uploads_max) co_return too_many_uploads(retry_default);
    if (const auto wait = throttle(list.system)) co_return too_many_uploads(*wait);
    CO_TRY(auto text, co_await request.body());
    auto write = package_sets_.put(std::move(list.digest), std::move(text));
    CO_CHECK_OK(co_await within(clock_, list_timeout, std::move(write)));
    co_return http::response{.status = 204};
}

}  // namespace muster::api
