#include "api/rest/draft_change_executor.h"

#include "api/operations/json_value.h"
#include "api/operations/permissions_codec.h"

#include <boost/json.hpp>

#include <memory>
#include <utility>

namespace muster::api {

namespace json = boost::json;

async<void> draft_change_executor::execute(revision::draft_change change) {
    json::error_code failure;
    const auto arguments = json::parse(change.arguments, failure);
    if (failure) co_return fail(errc::corrupt, "arguments of the draft change are unreadable");
    auto operation =
        find_operation(deps_.operations, deps_.others, change.operation, from_json(arguments));
    if (!operation)
        co_return fail(
            errc::invalid, "operation \"" + change.operation + "\" is unknown to this server");
    caller author;
    CO_TRY(author.context, deps_.authenticator.context());
    const auto people = author.context->people.cache.read();
    const auto it = people->users->find(change.by);
    if (it == people->users->end() || it->second.record.disabled)
        co_return fail(
            errc::denied,
            "user \"" + change.by + "\" (author of the change) is disabled or deleted");
    CO_TRY(const auto limit, decode_rights(change.may));
    author.zones = std::make_shared<const access::zone_parents>(
        people::to_zone_parents(*author.context->topology.read()));
    author.user = change.by;
    author.may = access::permissions(it->second.record.grants, *people->role_rights)
                     .within(limit, *author.zones);
    author.origin = "draft";
    call call(*operation->operation, std::move(author), std::move(operation->arguments));
    call.from_draft = true;
    CO_CHECK_OK(co_await deps_.operations.perform(
        *operation->operation, operation->handler, std::move(call)));
    co_return result<void>();
}

}  // namespace muster::api
