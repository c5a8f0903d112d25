#include "api/rest/openapi_endpoint.h"

#include "api/operations/json_value.h"

#include <boost/json.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace muster::api {
namespace {

namespace http = net::http;

async<http::response> serve(std::shared_ptr<const std::string> document) {
    auto response = http::json(200, *document);
    response.fields.emplace_back("Cache-Control", "no-cache");
    co_return response;
}

}  // namespace

result<void> openapi_endpoint::add_routes(http::router& routes) {
    std::vector<api::operation> operations;
    for (const auto& entry : operations_.all()) operations.push_back(entry.operation);
    const api::about about{
        .title = "Muster",
        .version = version_,
        .description =
            "Manages fleets of machines as one unit. Log in with POST /api/v1/login and send the "
            "token as `Authorization: Bearer TOKEN`. Lists are paged: send `next` of a page as "
            "`after` to get the next page. Errors are returned as application/problem+json."};
    auto text = std::make_shared<const std::string>(
        boost::json::serialize(to_json(api::openapi(operations, about))));
    return routes.add("GET", "/openapi.json", {[text = std::move(text)](const http::request&) {
                          return serve(text);
                      }});
}

}  // namespace muster::api
