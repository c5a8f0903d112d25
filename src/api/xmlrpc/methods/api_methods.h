#pragma once

#include "api/xmlrpc/calls/method_registry.h"

namespace muster::xmlrpc_api {

// api.*: what the book holds, and which version of the interface that is.
class api_methods {
public:
    explicit api_methods(const method_registry& all) : all_(all) {}

    result<void> declare(method_registry& to);

private:
    async<answer> version(call call);
    async<answer> system_version(call call);
    async<answer> product(call call);
    async<answer> namespaces(call call);
    async<answer> calls(call call);
    async<answer> calls_in(call call);

    const method_registry& all_;
};

}  // namespace muster::xmlrpc_api
