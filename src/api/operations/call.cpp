#include "api/operations/call.h"

#include "base/assert.h"
#include "core/lifecycle/decider.h"

#include <algorithm>

namespace muster::api {

call::call(const api::operation& operation, caller caller, api::value arguments)
    : what_(&operation), who_(std::move(caller)), arguments_(std::move(arguments)) {
    note_ = std::make_shared<audit_note>(audit_note{.subject = named()});
}

std::optional<std::set<std::string>> call::zones_with(access::right right) const {
    if (who_.may.everywhere(right)) return std::nullopt;
    return who_.may.zones(right, people::parents_of(*context().topology.read()));
}

lifecycle::decider call::decider() const {
    return {who_.user, zones_};
}

const api::value* call::find(std::string_view name) const {
    MUSTER_ASSERT(
        std::ranges::find(what_->takes, name, &api::parameter::name) != what_->takes.end());
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
    for (const auto& each : *it->get<api::value::list>())
        result.push_back(*each.get<std::string>());
    return result;
}

json_body call::body() const {
    api::value::record members;
    for (const auto& take : what_->takes) {
        if (take.in != api::place::body) continue;
        if (const auto* input = find(take.name)) members.push_back({take.name, *input});
    }
    return json_body(std::move(members));
}

std::string call::named() const {
    std::string result;
    for (const auto& take : what_->takes) {
        const bool names = take.in == api::place::path || take.name == "name";
        if (!names) continue;
        const auto* input = find(take.name);
        if (input == nullptr || !input->holds<std::string>()) continue;
        if (!result.empty()) result += '/';
        result += *input->get<std::string>();
    }
    return result;
}

}  // namespace muster::api
