#include "api/operations/call.h"

#include "base/assert.h"
#include "core/lifecycle/actor_scope.h"

#include <algorithm>

namespace muster::api {

call::call(const api::operation& operation, api::caller caller, api::value arguments)
    : operation_(&operation), caller_(std::move(caller)), arguments_(std::move(arguments)) {
    note_ = std::make_shared<audit_note>(audit_note{.subject = default_subject()});
}

std::optional<std::set<std::string>> call::zones_with(access::right right) const {
    if (caller_.may.everywhere(right)) return std::nullopt;
    return caller_.may.zones(right, people::to_zone_parents(*context().topology.read()));
}

lifecycle::actor_scope call::decider() const {
    return {caller_.user, zones_};
}

const api::value* call::find(std::string_view name) const {
    MUSTER_ASSERT(
        std::ranges::find(operation_->takes, name, &api::parameter::name)
        != operation_->takes.end());
    const auto* it = arguments_.find(name);
    return it == nullptr || it->is_nothing() ? nullptr : it;
}

const std::string& call::text(std::string_view name) const {
    const auto* it = find(name);
    MUSTER_ASSERT(it != nullptr && it->holds<std::string>());
    return *it->get<std::string>();
}

std::int64_t call::integer(std::string_view name) const {
    const auto* it = find(name);
    MUSTER_ASSERT(it != nullptr && it->holds<std::int64_t>());
    return *it->get<std::int64_t>();
}

bool call::flag(std::string_view name) const {
    const auto* it = find(name);
    return it != nullptr && *it->get<bool>();
}

std::optional<std::string> call::optional_text(std::string_view name) const {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    return *it->get<std::string>();
}

std::optional<std::int64_t> call::optional_integer(std::string_view name) const {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    return *it->get<std::int64_t>();
}

std::optional<std::vector<std::string>> call::optional_texts(std::string_view name) const {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    std::vector<std::string> result;
    for (const auto& item : *it->get<api::value::list>())
        result.push_back(*item.get<std::string>());
    return result;
}

json_body call::body() const {
    api::value::record members;
    for (const auto& parameter : operation_->takes) {
        if (parameter.in != api::place::body) continue;
        if (const auto* argument = find(parameter.name))
            members.push_back({parameter.name, *argument});
    }
    return json_body(std::move(members));
}

std::string call::default_subject() const {
    std::string result;
    for (const auto& parameter : operation_->takes) {
        const bool is_name = parameter.in == api::place::path || parameter.name == "name";
        if (!is_name) continue;
        const auto* argument = find(parameter.name);
        if (argument == nullptr || !argument->holds<std::string>()) continue;
        if (!result.empty()) result += '/';
        result += *argument->get<std::string>();
    }
    return result;
}

}  // namespace muster::api
