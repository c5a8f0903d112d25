#pragma once

#include "api/operations/call.h"
#include "api/operations/common_data_interceptor.h"
#include "api/operations/system_directory.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::api {

// Binds a method of `api`, which must outlive the registry.
template <class Api>
operation_handler handler(Api* api, async<reply> (Api::*method)(call)) {
    return [api, method](call call) {
        return (api->*method)(std::move(call));
    };
}

// Holds all operations of the API: parameters, response, required right and handler. Every endpoint
// (REST, XML-RPC) calls perform(), so no call skips a check or its audit entry.
// perform() is thread-safe after the last add(), relate() and set_interceptor().
class registry {
public:
    struct entry {
        api::operation operation;
        operation_handler handler;
        std::vector<const entry*> related = {};  // reads of resources below this object
    };

    // `systems` must outlive the registry; null: no system is known.
    explicit registry(muster::clock& clock, const system_directory* systems = nullptr)
        : clock_(clock), systems_(systems) {}

    // The interceptor runs before each change of common data. It must outlive all calls.
    void set_interceptor(common_data_interceptor& interceptor) { interceptor_ = &interceptor; }

    // Fails for a contradictory declaration and for a duplicate name or route.
    result<void> add(api::operation operation, operation_handler handler);

    // Call after the last add(): links each object to its sub-resources and declares `expand`
    // (response_expansion.h).
    void relate();

    // In the order of add(); pointers to entries stay valid.
    const std::deque<entry>& all() const { return all_; }
    const entry* find(std::string_view name) const;

    // Checks the caller's rights and the arguments, runs the handler, and records changes in the
    // audit trail. errc::denied names the missing right.
    async<reply> perform(const entry& entry, call call) const {
        return perform(entry.operation, entry.handler, std::move(call));
    }
    // For an endpoint with its own declarations. Operation and handler must outlive the call.
    async<reply> perform(
        const api::operation& operation, const operation_handler& handler, call call) const;

private:
    static result<void> check_right(const call& call);
    // Restricts the call to the zones where the caller has the right, or fails.
    result<void> check_zone(call& call) const;
    result<std::string> find_zone(const call& call) const;
    // Adds the nodes whose presence is not known, if the operation includes presence.
    async<reply> read(
        const api::operation& operation, const operation_handler& handler, call call) const;
    // Runs a change. A call with an Idempotency-Key runs once (idempotency_store.h).
    async<reply> execute(
        const api::operation& operation, const operation_handler& handler, call call) const;
    async<reply> execute_once(
        const api::operation& operation, const operation_handler& handler, call call) const;
    async<reply> intercept(
        const api::operation& operation, const operation_handler& handler, call call) const;
    async<void> record(
        caller caller, std::string text, call::audit_note note, result<void> outcome) const;

    muster::clock& clock_;
    const system_directory* systems_;
    common_data_interceptor* interceptor_ = nullptr;
    std::deque<entry> all_;
};

}  // namespace muster::api
