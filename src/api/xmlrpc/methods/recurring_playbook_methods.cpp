#include "api/xmlrpc/methods/recurring_playbook_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

const value* property(const call& call, std::string_view name) {
    return call.arguments().find("actionProps")->find(name);
}

result<void> check_whole(const call& call, std::initializer_list<std::string_view> needed) {
    const bool whole = std::ranges::all_of(
        needed, [&](std::string_view text) { return property(call, text) != nullptr; });
    if (whole && property(call, "id") == nullptr) return {};
    return fail(errc::invalid, "Incomplete action props");
}

}  // namespace

result<void> recurring_playbook_methods::declare(method_registry& registry) {
    constexpr method_defaults recurring{
        .prefix = "recurring.", .change_right = right::schedules_change};
    const auto properties = argument("actionProps", struct_shape());
    const auto add = [&](std::string name,
                         std::string summary,
                         async<method_response> (recurring_playbook_methods::*body)(call)) {
        return registry.add(
            {recurring.change_method(std::move(name), std::move(summary), {properties}, integer(1)),
             handler(this, body)});
    };
    CHECK_OK(
        add("playbook.create",
            "Refused: no system is an Ansible control node",
            &recurring_playbook_methods::create_playbook));
    return add(
        "playbook.update",
        "Refused: no system is an Ansible control node",
        &recurring_playbook_methods::update);
}

async<method_response> recurring_playbook_methods::create_playbook(call call) {
    CO_CHECK_OK(check_whole(call, {"entity_id", "cron_expr", "name"}));
    co_return fail(errc::invalid, "Playbook actions can only be created on Ansible control nodes");
}

async<method_response> recurring_playbook_methods::update(call call) {
    const auto* const id = property(call, "id");
    const auto* const number = id == nullptr ? nullptr : id->get<std::int64_t>();
    if (number == nullptr) co_return fail(errc::invalid, "No action id provided");
    co_return fail(errc::not_found, fmt::format("Action with id: {} does not exist", *number));
}

}  // namespace muster::xmlrpc_api
