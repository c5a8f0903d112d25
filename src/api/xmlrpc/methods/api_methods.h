#pragma once

#include "api/xmlrpc/calls/method_registry.h"

namespace muster::xmlrpc_api {

// api.*: lists the methods, and returns the versions of the interface and the server.
class api_methods {
public:
    explicit api_methods(const method_registry& registry) : registry_(registry) {}

    result<void> declare(method_registry& registry);

private:
    async<method_response> version(call call);
    async<method_response> system_version(call call);
    async<method_response> product(call call);
    async<method_response> list_namespaces(call call);
    async<method_response> list_calls(call call);
    async<method_response> list_namespace_calls(call call);

    const method_registry& registry_;
};

}  // namespace muster::xmlrpc_api
