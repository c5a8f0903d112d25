#include "api/xmlrpc/methods/system_search_methods.h"

#include "api/xmlrpc/methods/method_declarations.h"
#include "services/fleet/let_others_run.h"

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
    for (auto& each : text)
        each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    return text;
}

}  // namespace

operation searching(std::string name, std::string summary) {
    return methods.reading(
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

value::record found_system(const fleet_query& in, const fleet_query::system_with_facts& of) {
    return {
        {"id", of.record.number.value()},
        {"name", in.name_of(of.record)},
        {"last_checkin", of.seen ? value(of.seen->last_seen) : value()},
        {"hostname", of.host},
        {"ip", of.addresses.empty() ? "" : of.addresses.front()},
        {"uuid", of.record.machine_id}};
}

result<void> system_search_methods::declare(method_registry& to) {
    using self = system_search_methods;
    CHECK_OK(to.add(
        {searching("nameAndDescription", "Systems by a part of a name or of their description"),
         done_by(this, &self::by_name)}));
    CHECK_OK(to.add(
        {searching("hostname", "Systems by a part of their host's name"),
         done_by(this, &self::by_host)}));
    CHECK_OK(to.add(
        {searching("ip", "Systems by a part of an address"), done_by(this, &self::by_address)}));
    CHECK_OK(to.add(
        {searching("uuid", "Systems by a part of their machine's id"),
         done_by(this, &self::by_machine)}));
    const auto one = argument("sid", system_id());
    CHECK_OK(to.add(
        {methods.reading("getRunningKernel", "The kernel that a system runs", {one}, text()),
         done_by(this, &self::running_kernel)}));
    CHECK_OK(to.add(
        {methods.reading("getRegistrationDate", "When a system was accepted", {one}, api::time()),
         done_by(this, &self::registered)}));
    auto alone = methods.reading(
        "listUngroupedSystems", "Systems in no group", {one}, list_of(overview_shape()));
    alone.takes.clear();
    return to.add({std::move(alone), done_by(this, &self::ungrouped)});
}

result<answer> system_search_methods::search(const call& call, texts_of texts_of) const {
    TRY(auto systems, view_.meant(call));
    return view_.list(
        std::move(systems),
        [this, term = lower(call.text("searchTerm")), texts_of](
            const system_record& system) -> result<value> {
            const auto all = view_.picture(system);
            const auto texts = texts_of(view_, all);
            const bool fits = std::ranges::any_of(
                texts, [&](const std::string& text) { return lower(text).contains(term); });
            return fits ? value(found_system(view_, all)) : value();
        });
}

async<answer> system_search_methods::by_name(call call) {
    co_return search(call, [](const fleet_query& view, const auto& of) {
        const auto* const written = view.around().profiles;
        std::vector texts{of.record.name, view.name_of(of.record)};
        if (written != nullptr) texts.push_back(written->description_of(of.record.number));
        return texts;
    });
}

async<answer> system_search_methods::by_host(call call) {
    co_return search(call, [](const fleet_query&, const auto& of) { return std::vector{of.host}; });
}

async<answer> system_search_methods::by_address(call call) {
    co_return search(call, [](const fleet_query&, const auto& of) { return of.addresses; });
}

async<answer> system_search_methods::by_machine(call call) {
    co_return search(
        call, [](const fleet_query&, const auto& of) { return std::vector{of.record.machine_id}; });
}

async<answer> system_search_methods::running_kernel(call call) {
    CO_TRY(const auto one, view_.find(call, call.integer("sid")));
    co_return answer{view_.picture(one).kernel};
}

async<answer> system_search_methods::registered(call call) {
    CO_TRY(const auto one, view_.find(call, call.integer("sid")));
    co_return answer{one.accepted.value_or(one.enrolled)};
}

async<answer> system_search_methods::ungrouped(call call) {
    CO_TRY(auto systems, view_.meant(call));
    const auto groups = view_.around().groups.current();
    for (const auto& [name, each] : *groups) {
        CO_TRY(const auto members, view_.in_group(call, name));
        systems -= members;
        co_await fleet::let_others_run();
    }
    co_return view_.list(std::move(systems), [this](const system_record& system) -> result<value> {
        return system.groups.empty() ? view_.overview(system) : value();
    });
}

}  // namespace muster::xmlrpc_api
