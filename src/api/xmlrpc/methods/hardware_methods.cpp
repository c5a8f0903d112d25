#include "api/xmlrpc/methods/hardware_methods.h"

#include "api/xmlrpc/methods/system_search_methods.h"
#include "services/fleet/yield_to_loop.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using facts = std::vector<targeting::fact>;

constexpr std::size_t compared_max = 500'000;  // systems of one call
constexpr std::size_t page_max = 500;
constexpr std::int64_t mebibyte = 1024 * 1024;
constexpr std::string_view disk_prefix = "disks.";
constexpr std::string_view device_prefix = "devices.";
constexpr std::string_view interface_prefix = "interfaces.";

std::vector<std::string> find_all(const facts& facts, std::string_view path) {
    std::vector<std::string> result;
    for (const auto& fact : facts)
        if (fact.path == path) result.push_back(fact.text);
    return result;
}

std::string find_first(const facts& facts, std::string_view path) {
    for (const auto& fact : facts)
        if (fact.path == path) return fact.text;
    return {};
}

// Unknown values are left out.
value text_value(std::string text) {
    return text.empty() ? value() : value(std::move(text));
}

value count_value(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool valid = failure == std::errc() && end == text.data() + text.size() && number >= 0;
    return valid ? value(number) : value();
}

value scaled_value(const std::string& text, std::int64_t unit = 1) {
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() ? value(number / unit) : value();
}

bool is_ipv6(std::string_view address) {
    return address.contains(':');
}

// Groups facts such as "interfaces.eth0.mac" by the name between the outer dots.
using members = std::map<std::string, std::vector<std::string>>;
std::map<std::string, members> group_by_name(const facts& facts, std::string_view prefix) {
    std::map<std::string, members> groups;
    for (const auto& fact : facts) {
        const auto last = fact.path.rfind('.');
        if (!fact.path.starts_with(prefix) || last < prefix.size()) continue;
        const auto name = fact.path.substr(prefix.size(), last - prefix.size());
        groups[name][fact.path.substr(last + 1)].push_back(fact.text);
    }
    return groups;
}

std::string first(const members& group, const std::string& name) {
    const auto it = group.find(name);
    return it == group.end() ? std::string() : it->second.front();
}

std::string lower(std::string text) {
    for (auto& letter : text)
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

value interface_value(const std::string& name, const members& group) {
    value::list ipv4;
    value::list ipv6;
    std::string ip;
    const auto it = group.find("addresses");
    if (it != group.end()) {
        for (const auto& address : it->second) {
            if (ip.empty() && !is_ipv6(address)) ip = address;
            (is_ipv6(address) ? ipv6 : ipv4).push_back(value::record{{"address", address}});
        }
    }
    return value::record{
        {"interface", name},
        {"ip", ip},
        {"netmask", ""},
        {"broadcast", ""},
        {"hardware_address", first(group, "mac")},
        {"module", first(group, "driver")},
        {"ipv4", std::move(ipv4)},
        {"ipv6", std::move(ipv6)}};
}

}  // namespace

std::vector<hardware_methods::device> hardware_methods::read_devices(const facts& facts) {
    std::vector<device> result;
    for (const auto& [name, group] : group_by_name(facts, disk_prefix))
        result.push_back(
            {.name = first(group, "device"),
             .device_class = "HD",
             .driver = first(group, "type"),
             .description = name + " " + first(group, "size")});
    for (const auto& [name, group] : group_by_name(facts, device_prefix))
        result.push_back(
            {.name = name,
             .device_class = first(group, "class"),
             .driver = first(group, "driver"),
             .description = first(group, "description"),
             .vendor = first(group, "vendor"),
             .id = first(group, "device_id"),
             .bus = first(group, "bus"),
             .pci_type = first(group, "pcitype")});
    return result;
}

result<void> hardware_methods::declare_searches(method_registry& registry) {
    using self = hardware_methods;
    const auto list = list_of(anything());
    CHECK_OK(registry.add(
        {search_method("deviceDescription", "Search systems by device description"),
         handler(this, &self::search_description)}));
    CHECK_OK(registry.add(
        {search_method("deviceDriver", "Search systems by device driver"),
         handler(this, &self::search_driver)}));
    CHECK_OK(registry.add(
        {search_method("deviceVendorId", "Search systems by device vendor"),
         handler(this, &self::search_vendor)}));
    CHECK_OK(registry.add(
        {read_method(
             "system.listDuplicatesByHostname", "List systems with duplicate host names", {}, list),
         handler(this, &self::list_same_host)}));
    CHECK_OK(registry.add(
        {read_method(
             "system.listDuplicatesByIp", "List systems with duplicate IP addresses", {}, list),
         handler(this, &self::list_same_address)}));
    return registry.add(
        {read_method(
             "system.listDuplicatesByMac", "List systems with duplicate MAC addresses", {}, list),
         handler(this, &self::list_same_mac)});
}

result<void> hardware_methods::declare(method_registry& registry) {
    using self = hardware_methods;
    CHECK_OK(declare_searches(registry));
    const auto add = [&](const char* name,
                         const char* summary,
                         shape response,
                         async<method_response> (self::*body)(call)) {
        return registry.add(
            {read_method(
                 std::string("system.") + name, summary, {system_parameter()}, std::move(response)),
             handler(this, body)});
    };
    CHECK_OK(add("getNetwork", "Get the addresses of a system", anything(), &self::get_network));
    CHECK_OK(
        add("getNetworkDevices",
            "List the network interfaces of a system",
            list_of(anything()),
            &self::get_network_devices));
    CHECK_OK(add("getCpu", "Get the CPU of a system", anything(), &self::get_cpu));
    CHECK_OK(add("getMemory", "Get the memory of a system, in MiB", anything(), &self::get_memory));
    CHECK_OK(add("getDmi", "Get the DMI data of a system", anything(), &self::get_dmi));
    CHECK_OK(
        add("getDevices", "List the devices of a system", list_of(anything()), &self::get_devices));
    CHECK_OK(add("getUuid", "Get the machine ID of a system", text(), &self::get_uuid));
    return add("listFqdns", "List the FQDNs of a system", list_of(text()), &self::list_fqdns);
}

result<facts> hardware_methods::read_facts(const call& call) const {
    TRY(const auto match, fleet_.find(call, call.integer("sid")));
    return fleet_.deps().search.facts_of(match.number);
}

async<method_response> hardware_methods::get_network(call call) {
    CO_TRY(const auto match, fleet_.find(call, call.integer("sid")));
    const auto facts = fleet_.read_facts(match);
    const auto ipv6 = std::ranges::find_if(facts.addresses, is_ipv6);
    const auto ipv4 = std::ranges::find_if_not(facts.addresses, is_ipv6);
    co_return method_response{value::record{
        {"ip", ipv4 == facts.addresses.end() ? std::string() : *ipv4},
        {"ip6", ipv6 == facts.addresses.end() ? std::string() : *ipv6},
        {"hostname", facts.host}}};
}

async<method_response> hardware_methods::get_network_devices(call call) {
    CO_TRY(const auto facts, read_facts(call));
    value::list list;
    for (const auto& [name, group] : group_by_name(facts, interface_prefix))
        list.push_back(interface_value(name, group));
    co_return method_response{std::move(list)};
}

async<method_response> hardware_methods::get_cpu(call call) {
    CO_TRY(const auto facts, read_facts(call));
    value::record record{
        {"model", text_value(find_first(facts, "cpu.model"))},
        {"arch", text_value(find_first(facts, "cpu.arch"))},
        {"count", count_value(find_first(facts, "cpu.count"))},
        {"vendor", find_first(facts, "cpu.vendor")},
        {"family", find_first(facts, "cpu.family")},
        {"mhz", find_first(facts, "cpu.mhz")},
        {"cache", find_first(facts, "cpu.cache")},
        {"flags", find_first(facts, "cpu.flags")},
        {"stepping", find_first(facts, "cpu.stepping")}};
    co_return method_response{std::move(record)};
}

async<method_response> hardware_methods::get_memory(call call) {
    CO_TRY(const auto facts, read_facts(call));
    co_return method_response{value::record{
        {"ram", scaled_value(find_first(facts, "memory.total"), mebibyte)},
        {"swap", scaled_value(find_first(facts, "memory.swap"), mebibyte)}}};
}

async<method_response> hardware_methods::get_dmi(call call) {
    CO_TRY(const auto facts, read_facts(call));
    value::record record;
    for (const char* name :
         {"vendor",
          "system",
          "product",
          "asset",
          "board",
          "bios_release",
          "bios_vendor",
          "bios_version"})
        record.push_back({name, find_first(facts, std::string("dmi.") + name)});
    co_return method_response{std::move(record)};
}

async<method_response> hardware_methods::get_devices(call call) {
    CO_TRY(const auto facts, read_facts(call));
    value::list list;
    for (const auto& device : read_devices(facts))
        list.push_back(value::record{
            {"device", device.name},
            {"device_class", device.device_class},
            {"driver", device.driver},
            {"description", device.description},
            {"bus", device.bus},
            {"pcitype", device.pci_type}});
    co_return method_response{std::move(list)};
}

async<method_response> hardware_methods::get_uuid(call call) {
    CO_TRY(const auto match, fleet_.find(call, call.integer("sid")));
    co_return method_response{match.machine_id};
}

async<method_response> hardware_methods::list_fqdns(call call) {
    CO_TRY(const auto facts, read_facts(call));
    value::list list;
    for (auto& name : find_all(facts, "fqdn")) list.emplace_back(std::move(name));
    co_return method_response{std::move(list)};
}

// Returns the first matching device of each system.
result<method_response> hardware_methods::search_devices(
    const call& call, std::string device::* field) const {
    TRY(auto systems, fleet_.find_systems(call));
    return fleet_.list(
        std::move(systems),
        [this, term = lower(call.text("searchTerm")), field](
            const system_record& system) -> result<value> {
            const auto devices = read_devices(fleet_.deps().search.facts_of(system.number));
            const auto match = std::ranges::find_if(
                devices, [&](const device& device) { return lower(device.*field).contains(term); });
            if (match == devices.end()) return value();
            auto result = search_result_value(fleet_, fleet_.read_facts(system));
            result.push_back({"hw_description", match->description});
            result.push_back({"hw_device_id", match->id});
            result.push_back({"hw_vendor_id", match->vendor});
            result.push_back({"hw_driver", match->driver});
            return value(std::move(result));
        });
}

async<method_response> hardware_methods::search_description(call call) {
    co_return search_devices(call, &device::description);
}

async<method_response> hardware_methods::search_driver(call call) {
    co_return search_devices(call, &device::driver);
}

async<method_response> hardware_methods::search_vendor(call call) {
    co_return search_devices(call, &device::vendor);
}

async<method_response> hardware_methods::list_duplicates(
    call call, std::string member, trait_reader read_traits) const {
    CO_TRY(const auto systems, fleet_.find_systems(call));
    if (systems.size() > compared_max)
        co_return fail(errc::invalid, "too many systems to compare in one call");
    std::map<std::string, std::vector<system_number>> by_trait;
    for (auto next = system_number(0);; co_await fleet::yield_to_loop()) {
        const auto numbers = systems.page(next, page_max);
        if (numbers.empty()) break;
        next = numbers.back().next();
        for (const auto number : numbers) {
            const auto record = fleet_.deps().systems.find(number);
            if (!record) continue;
            for (const auto& trait : read_traits(fleet_, *record))
                by_trait[trait].push_back(number);
        }
    }
    value::list list;
    for (const auto& [trait, numbers] : by_trait) {
        if (numbers.size() < 2) continue;
        value::list systems_with_trait;
        for (const auto number : numbers) {
            const auto record = fleet_.deps().systems.find(number);
            if (!record) continue;
            const auto sighting = fleet_.sighting_of(*record);
            systems_with_trait.push_back(value::record{
                {"systemId", number.value()},
                {"systemName", fleet_.name_of(*record)},
                {"last_checkin", sighting ? value(sighting->last_seen) : value()}});
        }
        list.push_back(value::record{{member, trait}, {"systems", std::move(systems_with_trait)}});
    }
    co_return method_response{std::move(list)};
}

async<method_response> hardware_methods::list_same_host(call call) {
    return list_duplicates(
        std::move(call), "hostname", [](const fleet_query& fleet, const system_record& system) {
            return std::vector{lower(fleet.read_facts(system).host)};
        });
}

async<method_response> hardware_methods::list_same_address(call call) {
    return list_duplicates(
        std::move(call), "ip", [](const fleet_query& fleet, const system_record& system) {
            return fleet.read_facts(system).addresses;
        });
}

async<method_response> hardware_methods::list_same_mac(call call) {
    return list_duplicates(
        std::move(call), "mac", [](const fleet_query& fleet, const system_record& system) {
            std::vector<std::string> result;
            for (const auto& fact : fleet.deps().search.facts_of(system.number)) {
                const bool is_mac =
                    fact.path.starts_with(interface_prefix) && fact.path.ends_with(".mac");
                if (is_mac && fact.text != "00:00:00:00:00:00") result.push_back(lower(fact.text));
            }
            return result;
        });
}

}  // namespace muster::xmlrpc_api
