#pragma once

#include "api/xmlrpc/calls/method_book.h"

namespace muster::xmlrpc_api {

// api.*: what the book holds, and which version of the interface that is.
class api_methods {
public:
    explicit api_methods(const method_book& all) : all_(all) {}

    result<void> declare(method_book& to);

private:
    async<answer> version(call asked);
    async<answer> system_version(call asked);
    async<answer> product(call asked);
    async<answer> namespaces(call asked);
    async<answer> calls(call asked);
    async<answer> calls_in(call asked);

    const method_book& all_;
};

}  // namespace muster::xmlrpc_api
