#include "api/xmlrpc/methods/system_search_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "services/fleet/yield_to_loop.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t term_bytes_max = 1024;

constexpr method_defaults methods{.prefix = "system."};

std::string lower(std::string text) {
    for (auto& letter : text)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

}  // namespace

operation search_method(std::string name, std::string summary) {
    return methods.read_method(
        "search." + std::move(name),
        std::move(summary),
        {argument("searchTerm", text(term_bytes_max).with_bounds(1, term_bytes_max))},
        list_of(record_of(
            {required("id", system_id()),
             required("name", text()),
             optional("last_checkin", api::time()),
             required("hostname", text()),
             required("ip", text()),
             required("uuid", text()),
             optional("hw_description", text()),
             optional("hw_device_id", text()),
             optional("hw_vendor_id", text()),
             optional("hw_driver", text())})));
}

value::record search_result_value(
    const fleet_query& fleet, const fleet_query::system_with_facts& system) {
    return {
        {"id", system.record.number.value()},
        {"name", fleet.name_of(system.record)},
        {"last_checkin", system.sighting ? value(system.sighting->last_seen) : value()},
        {"hostname", system.host},
        {"ip", system.addresses.empty() ? "" : system.addresses.front()},
        {"uuid", system.record.machine_id}};
}

result<void> system_search_methods::declare(method_registry& registry) {
    using self = system_search_methods;
    CHECK_OK(registry.add(
        {search_method("nameAndDescription", "Search systems by name or description"),
         handler(this, &self::by_name)}));
    CHECK_OK(registry.add(
        {search_method("hostname", "Search systems by host name"), handler(this, &self::by_host)}));
    CHECK_OK(registry.add(
        {search_method("ip", "Search systems by IP address"), handler(this, &self::by_address)}));
    CHECK_OK(registry.add(
        {search_method("uuid", "Search systems by machine ID"), handler(this, &self::by_machine)}));
    const auto system = argument("sid", system_id());
    CHECK_OK(registry.add(
        {methods.read_method(
             "getRunningKernel", "Get the running kernel of a system", {system}, text()),
         handler(this, &self::get_running_kernel)}));
    CHECK_OK(registry.add(
        {methods.read_method(
             "getRegistrationDate", "Get the registration date of a system", {system}, api::time()),
         handler(this, &self::get_registration_date)}));
    auto ungrouped = methods.read_method(
        "listUngroupedSystems",
        "List systems without a group",
        {system},
        list_of(overview_shape()));
    ungrouped.takes.clear();
    return registry.add({std::move(ungrouped), handler(this, &self::list_ungrouped)});
}

result<method_response> system_search_methods::search(
    const call& call, text_extractor extract_texts) const {
    TRY(auto systems, fleet_.find_systems(call));
    return fleet_.list(
        std::move(systems),
        [this, term = lower(call.text("searchTerm")), extract_texts](
            const system_record& system) -> result<value> {
            const auto facts = fleet_.read_facts(system);
            const auto texts = extract_texts(fleet_, facts);
            const bool matches = std::ranges::any_of(
                texts, [&](const std::string& text) { return lower(text).contains(term); });
            return matches ? value(search_result_value(fleet_, facts)) : value();
        });
}

async<method_response> system_search_methods::by_name(call call) {
    co_return search(call, [](const fleet_query& fleet, const auto& system) {
        const auto* const profiles = fleet.deps().profiles;
        std::vector texts{system.record.name, fleet.name_of(system.record)};
        if (profiles != nullptr) texts.push_back(profiles->description_of(system.record.number));
        return texts;
    });
}

async<method_response> system_search_methods::by_host(call call) {
    co_return search(
        call, [](const fleet_query&, const auto& system) { return std::vector{system.host}; });
}

async<method_response> system_search_methods::by_address(call call) {
    co_return search(call, [](const fleet_query&, const auto& system) { return system.addresses; });
}

async<method_response> system_search_methods::by_machine(call call) {
    co_return search(call, [](const fleet_query&, const auto& system) {
        return std::vector{system.record.machine_id};
    });
}

async<method_response> system_search_methods::get_running_kernel(call call) {
    CO_TRY(const auto system, fleet_.find(call, call.integer("sid")));
    co_return method_response{fleet_.read_facts(system).kernel};
}

async<method_response> system_search_methods::get_registration_date(call call) {
    CO_TRY(const auto system, fleet_.find(call, call.integer("sid")));
    co_return method_response{system.accepted.value_or(system.enrolled)};
}

async<method_response> system_search_methods::list_ungrouped(call call) {
    CO_TRY(auto systems, fleet_.find_systems(call));
    const auto groups = fleet_.deps().groups.current();
    for (const auto& [name, group] : *groups) {
        CO_TRY(const auto members, fleet_.find_group_members(call, name));
        systems -= members;
        co_await fleet::yield_to_loop();
    }
    co_return fleet_.list(std::move(systems), [this](const system_record& system) -> result<value> {
        return system.groups.empty() ? fleet_.overview(system) : value();
    });
}

}  // namespace muster::xmlrpc_api
