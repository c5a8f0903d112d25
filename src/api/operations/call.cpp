#include "api/operations/call.h"

#include "base/assert.h"
#include "core/lifecycle/decider.h"

#include <algorithm>

namespace muster::api {

call::call(const api::operation& what, visitor who, api::value arguments)
    : what_(&what), who_(std::move(who)), arguments_(std::move(arguments)) {
    note_ = std::make_shared<audit_note>(audit_note{.subject = named()});
}

std::optional<std::set<std::string>> call::zones_with(access::right what) const {
    if (who_.may.everywhere(what)) return std::nullopt;
    return who_.may.zones(what, people::parents_of(*desk().topology.read()));
}

lifecycle::decider call::decider() const {
    return {who_.user, zones_};
}

const api::value* call::find(std::string_view name) const {
    MUSTER_ASSERT(
        std::ranges::find(what_->takes, name, &api::parameter::name) != what_->takes.end());
    const auto* found = arguments_.find(name);
    return found == nullptr || found->is_nothing() ? nullptr : found;
}

const std::string& call::text(std::string_view name) const {
    const auto* found = find(name);
    MUSTER_ASSERT(found != nullptr && found->holds<std::string>());
    return *found->get<std::string>();
}

std::int64_t call::integer(std::string_view name) const {
    const auto* found = find(name);
    MUSTER_ASSERT(found != nullptr && found->holds<std::int64_t>());
    return *found->get<std::int64_t>();
}

bool call::flag(std::string_view name) const {
    const auto* found = find(name);
    return found != nullptr && *found->get<bool>();
}

std::optional<std::string> call::optional_text(std::string_view name) const {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    return *found->get<std::string>();
}

std::optional<std::int64_t> call::optional_integer(std::string_view name) const {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    return *found->get<std::int64_t>();
}

std::optional<std::vector<std::string>> call::optional_texts(std::string_view name) const {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    std::vector<std::string> made;
    for (const auto& each : *found->get<api::value::list>())
        made.push_back(*each.get<std::string>());
    return made;
}

json_body call::body() const {
    api::value::record members;
    for (const auto& each : what_->takes) {
        if (each.in != api::place::body) continue;
        if (const auto* given = find(each.name)) members.push_back({each.name, *given});
    }
    return json_body(std::move(members));
}

std::string call::named() const {
    std::string made;
    for (const auto& each : what_->takes) {
        const bool names = each.in == api::place::path || each.name == "name";
        if (!names) continue;
        const auto* given = find(each.name);
        if (given == nullptr || !given->holds<std::string>()) continue;
        if (!made.empty()) made += '/';
        made += *given->get<std::string>();
    }
    return made;
}

}  // namespace muster::api
