#pragma once

#include "adapters/net/http/response.h"
#include "api/xmlrpc/calls/method.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// How an endpoint writes a list of any length.
struct list_format {
    std::string media;
    std::string opening;
    void (*append)(std::string& output, const api::value& item, bool first);
    std::string closing;
};

net::http::response complete_response(std::string media, std::string body);

// Lists the nodes whose data is missing in the header Muster-Missing-Nodes, if there are any.
net::http::response with_missing_nodes(
    net::http::response response, const std::vector<std::string>& missing_nodes);

// Sends a short list at once with its length, and streams a long one. Returns only errors that
// occur before anything is sent; a later error closes the connection.
async<net::http::response> list_response(item_source items, list_format list_format);

}  // namespace muster::xmlrpc_api
