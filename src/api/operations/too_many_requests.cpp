#include "api/operations/too_many_requests.h"

#include "adapters/net/http/response.h"

#include <chrono>
#include <string>

namespace muster::api {

reply too_many_wrong_passwords(monotonic::duration wait) {
    constexpr unsigned too_many_requests = 429;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait);
    auto response =
        net::http::problem(too_many_requests, "too many wrong passwords; wait before trying again");
    return reply{
        .content = nullptr,
        .fields = {{"Retry-After", std::to_string(seconds.count())}},
        .status = too_many_requests,
        .raw =
            reply::document{.media = "application/problem+json", .body = std::move(response.body)}};
}

}  // namespace muster::api
