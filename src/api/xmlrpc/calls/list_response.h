#pragma once

#include "adapters/net/http/response.h"
#include "api/xmlrpc/calls/method.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// How a door writes a list of any length.
struct list_format {
    std::string media;
    std::string opening;
    void (*append)(std::string& to, const api::value& item, bool first);
    std::string closing;
};

net::http::response run_sync(std::string media, std::string body);

// Names the nodes whose part is missing in what is told, if there are any: Muster-Missing-Nodes.
net::http::response naming_missing(
    net::http::response response, const std::vector<std::string>& missing_nodes);

// In one piece, with its length, when it is short; streamed when not. An error is one that came
// before anything was sent; a later one cuts the connection.
async<net::http::response> list_response(item_source items, list_format list_format);

}  // namespace muster::xmlrpc_api
