#include "api/rest/openapi_endpoint.h"

#include "api/operations/json_value.h"

#include <boost/json.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace http = net::http;

async<http::response> show(std::shared_ptr<const std::string> document) {
    auto answer = http::json(200, *document);
    answer.fields.emplace_back("Cache-Control", "no-cache");
    co_return answer;
}

}  // namespace

result<void> openapi_endpoint::add_routes(http::router& to) {
    std::vector<api::operation> operations;
    for (const auto& each : all_.all()) operations.push_back(each.what);
    const api::about about{
        .title = "Muster",
        .version = version_,
        .description =
            "Manages fleets of machines as one unit. Log in with POST /api/v1/login and send the "
            "token as `Authorization: Bearer TOKEN`. Lists come in pages: `next` of one is `after` "
            "of the next. What goes wrong is told as application/problem+json."};
    auto text = std::make_shared<const std::string>(
        boost::json::serialize(to_json(api::openapi(operations, about))));
    return to.add("GET", "/openapi.json", {[text = std::move(text)](const http::request&) {
                      return show(text);
                  }});
}

}  // namespace muster::api
