#include "api/xmlrpc/methods/hardware_methods.h"

#include "api/xmlrpc/methods/system_search_methods.h"
#include "services/fleet/let_others_run.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using facts = std::vector<targeting::fact>;

constexpr std::size_t compared_max = 500'000;  // systems that one call looks at
constexpr std::size_t looked_at_once = 500;
constexpr std::int64_t mebibyte = 1024 * 1024;
constexpr std::string_view disks = "disks.";
constexpr std::string_view devices = "devices.";
constexpr std::string_view interfaces = "interfaces.";

std::vector<std::string> all_of(const facts& facts, std::string_view path) {
    std::vector<std::string> result;
    for (const auto& fact : facts)
        if (fact.path == path) result.push_back(fact.text);
    return result;
}

std::string one_of(const facts& facts, std::string_view path) {
    for (const auto& fact : facts)
        if (fact.path == path) return fact.text;
    return {};
}

// What is not known is left out.
value known(std::string text) {
    return text.empty() ? value() : value(std::move(text));
}

value known_number(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool well = failure == std::errc() && end == text.data() + text.size() && number >= 0;
    return well ? value(number) : value();
}

value number_of(const std::string& text, std::int64_t unit = 1) {
    std::int64_t read = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), read);
    return failure == std::errc() ? value(read / unit) : value();
}

bool is_sixth(std::string_view address) {
    return address.contains(':');
}

// "interfaces.eth0.mac" and "devices.card0.driver": by what stands between the outer dots.
using members = std::map<std::string, std::vector<std::string>>;
std::map<std::string, members> parts_of(const facts& facts, std::string_view beginning) {
    std::map<std::string, members> memberses;
    for (const auto& fact : facts) {
        const auto last = fact.path.rfind('.');
        if (!fact.path.starts_with(beginning) || last < beginning.size()) continue;
        const auto name = fact.path.substr(beginning.size(), last - beginning.size());
        memberses[name][fact.path.substr(last + 1)].push_back(fact.text);
    }
    return memberses;
}

std::string first(const members& of, const std::string& name) {
    const auto it = of.find(name);
    return it == of.end() ? std::string() : it->second.front();
}

std::string lower(std::string text) {
    for (auto& each : text)
        each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    return text;
}

value told_interface(const std::string& name, const members& of) {
    value::list fourth;
    value::list sixth;
    std::string ip;
    const auto it = of.find("addresses");
    if (it != of.end()) {
        for (const auto& each : it->second) {
            if (ip.empty() && !is_sixth(each)) ip = each;
            (is_sixth(each) ? sixth : fourth).push_back(value::record{{"address", each}});
        }
    }
    return value::record{
        {"interface", name},
        {"ip", ip},
        {"netmask", ""},
        {"broadcast", ""},
        {"hardware_address", first(of, "mac")},
        {"module", first(of, "driver")},
        {"ipv4", std::move(fourth)},
        {"ipv6", std::move(sixth)}};
}

}  // namespace

std::vector<hardware_methods::device> hardware_methods::devices_in(const facts& facts) {
    std::vector<device> result;
    for (const auto& [name, each] : parts_of(facts, disks))
        result.push_back(
            {.name = first(each, "device"),
             .of_class = "HD",
             .driver = first(each, "type"),
             .description = name + " " + first(each, "size")});
    for (const auto& [name, each] : parts_of(facts, devices))
        result.push_back(
            {.name = name,
             .of_class = first(each, "class"),
             .driver = first(each, "driver"),
             .description = first(each, "description"),
             .vendor = first(each, "vendor"),
             .id = first(each, "device_id"),
             .bus = first(each, "bus"),
             .pci_type = first(each, "pcitype")});
    return result;
}

result<void> hardware_methods::declare_searches(method_registry& to) {
    using self = hardware_methods;
    const auto of = list_of(anything());
    CHECK_OK(to.add(
        {searching("deviceDescription", "Systems by a part of a device's description"),
         done_by(this, &self::by_description)}));
    CHECK_OK(to.add(
        {searching("deviceDriver", "Systems by a part of a device's driver"),
         done_by(this, &self::by_driver)}));
    CHECK_OK(to.add(
        {searching("deviceVendorId", "Systems by a part of a device's vendor"),
         done_by(this, &self::by_vendor)}));
    CHECK_OK(to.add(
        {asking("system.listDuplicatesByHostname", "Systems of the same host name", {}, of),
         done_by(this, &self::same_host)}));
    CHECK_OK(to.add(
        {asking("system.listDuplicatesByIp", "Systems of the same address", {}, of),
         done_by(this, &self::same_address)}));
    return to.add(
        {asking("system.listDuplicatesByMac", "Systems of the same network card", {}, of),
         done_by(this, &self::same_mac)});
}

result<void> hardware_methods::declare(method_registry& to) {
    using self = hardware_methods;
    CHECK_OK(declare_searches(to));
    const auto add =
        [&](const char* name, const char* summary, shape gives, async<answer> (self::*does)(call)) {
            return to.add(
                {asking(std::string("system.") + name, summary, {one_system()}, std::move(gives)),
                 done_by(this, does)});
        };
    CHECK_OK(add("getNetwork", "A system's addresses", anything(), &self::get_network));
    CHECK_OK(
        add("getNetworkDevices",
            "A system's interfaces",
            list_of(anything()),
            &self::get_network_devices));
    CHECK_OK(add("getCpu", "A system's processor", anything(), &self::get_cpu));
    CHECK_OK(add("getMemory", "A system's memory, in MiB", anything(), &self::get_memory));
    CHECK_OK(add("getDmi", "What the board says of itself", anything(), &self::get_dmi));
    CHECK_OK(add("getDevices", "A system's devices", list_of(anything()), &self::get_devices));
    CHECK_OK(add("getUuid", "A system's machine id", text(), &self::get_uuid));
    return add("listFqdns", "A system's full names", list_of(text()), &self::list_fqdns);
}

result<facts> hardware_methods::facts_in(const call& call) const {
    TRY(const auto match, view_.find(call, call.integer("sid")));
    return view_.around().search.facts_of(match.number);
}

async<answer> hardware_methods::get_network(call call) {
    CO_TRY(const auto match, view_.find(call, call.integer("sid")));
    const auto all = view_.picture(match);
    const auto sixth = std::ranges::find_if(all.addresses, is_sixth);
    const auto fourth = std::ranges::find_if_not(all.addresses, is_sixth);
    co_return answer{value::record{
        {"ip", fourth == all.addresses.end() ? std::string() : *fourth},
        {"ip6", sixth == all.addresses.end() ? std::string() : *sixth},
        {"hostname", all.host}}};
}

async<answer> hardware_methods::get_network_devices(call call) {
    CO_TRY(const auto response, facts_in(call));
    value::list list;
    for (const auto& [name, each] : parts_of(response, interfaces))
        list.push_back(told_interface(name, each));
    co_return answer{std::move(list)};
}

async<answer> hardware_methods::get_cpu(call call) {
    CO_TRY(const auto response, facts_in(call));
    value::record record{
        {"model", known(one_of(response, "cpu.model"))},
        {"arch", known(one_of(response, "cpu.arch"))},
        {"count", known_number(one_of(response, "cpu.count"))},
        {"vendor", one_of(response, "cpu.vendor")},
        {"family", one_of(response, "cpu.family")},
        {"mhz", one_of(response, "cpu.mhz")},
        {"cache", one_of(response, "cpu.cache")},
        {"flags", one_of(response, "cpu.flags")},
        {"stepping", one_of(response, "cpu.stepping")}};
    co_return answer{std::move(record)};
}

async<answer> hardware_methods::get_memory(call call) {
    CO_TRY(const auto response, facts_in(call));
    co_return answer{value::record{
        {"ram", number_of(one_of(response, "memory.total"), mebibyte)},
        {"swap", number_of(one_of(response, "memory.swap"), mebibyte)}}};
}

async<answer> hardware_methods::get_dmi(call call) {
    CO_TRY(const auto response, facts_in(call));
    value::record record;
    for (const char* each :
         {"vendor",
          "system",
          "product",
          "asset",
          "board",
          "bios_release",
          "bios_vendor",
          "bios_version"})
        record.push_back({each, one_of(response, std::string("dmi.") + each)});
    co_return answer{std::move(record)};
}

async<answer> hardware_methods::get_devices(call call) {
    CO_TRY(const auto response, facts_in(call));
    value::list list;
    for (const auto& each : devices_in(response))
        list.push_back(value::record{
            {"device", each.name},
            {"device_class", each.of_class},
            {"driver", each.driver},
            {"description", each.description},
            {"bus", each.bus},
            {"pcitype", each.pci_type}});
    co_return answer{std::move(list)};
}

async<answer> hardware_methods::get_uuid(call call) {
    CO_TRY(const auto match, view_.find(call, call.integer("sid")));
    co_return answer{match.machine_id};
}

async<answer> hardware_methods::list_fqdns(call call) {
    CO_TRY(const auto response, facts_in(call));
    value::list list;
    for (auto& each : all_of(response, "fqdn")) list.emplace_back(std::move(each));
    co_return answer{std::move(list)};
}

// The first device that fits, with the system that has it.
result<answer> hardware_methods::search(const call& call, std::string device::* looked_at) const {
    TRY(auto systems, view_.meant(call));
    return view_.list(
        std::move(systems),
        [this, term = lower(call.text("searchTerm")), looked_at](
            const system_record& system) -> result<value> {
            const auto all = devices_in(view_.around().search.facts_of(system.number));
            const auto fits = std::ranges::find_if(
                all, [&](const device& device) { return lower(device.*looked_at).contains(term); });
            if (fits == all.end()) return value();
            auto result = found_system(view_, view_.picture(system));
            result.push_back({"hw_description", fits->description});
            result.push_back({"hw_device_id", fits->id});
            result.push_back({"hw_vendor_id", fits->vendor});
            result.push_back({"hw_driver", fits->driver});
            return value(std::move(result));
        });
}

async<answer> hardware_methods::by_description(call call) {
    co_return search(call, &device::description);
}

async<answer> hardware_methods::by_driver(call call) {
    co_return search(call, &device::driver);
}

async<answer> hardware_methods::by_vendor(call call) {
    co_return search(call, &device::vendor);
}

async<answer> hardware_methods::duplicates(
    call call, std::string member, traits_of traits_of) const {
    CO_TRY(const auto systems, view_.meant(call));
    if (systems.size() > compared_max)
        co_return fail(errc::invalid, "there are too many systems to compare them in one call");
    std::map<std::string, std::vector<system_number>> by_trait;
    for (auto from = system_number(0);; co_await fleet::let_others_run()) {
        const auto some = systems.page(from, looked_at_once);
        if (some.empty()) break;
        from = some.back().next();
        for (const auto each : some) {
            const auto record = view_.around().systems.find(each);
            if (!record) continue;
            for (const auto& trait : traits_of(view_, *record)) by_trait[trait].push_back(each);
        }
    }
    value::list list;
    for (const auto& [trait, which] : by_trait) {
        if (which.size() < 2) continue;
        value::list alike;
        for (const auto each : which) {
            const auto record = view_.around().systems.find(each);
            if (!record) continue;
            const auto sighting = view_.sighting_of(*record);
            alike.push_back(value::record{
                {"systemId", each.value()},
                {"systemName", view_.name_of(*record)},
                {"last_checkin", sighting ? value(sighting->last_seen) : value()}});
        }
        list.push_back(value::record{{member, trait}, {"systems", std::move(alike)}});
    }
    co_return answer{std::move(list)};
}

async<answer> hardware_methods::same_host(call call) {
    return duplicates(
        std::move(call), "hostname", [](const fleet_query& view, const system_record& system) {
            return std::vector{lower(view.picture(system).host)};
        });
}

async<answer> hardware_methods::same_address(call call) {
    return duplicates(
        std::move(call), "ip", [](const fleet_query& view, const system_record& system) {
            return view.picture(system).addresses;
        });
}

async<answer> hardware_methods::same_mac(call call) {
    return duplicates(
        std::move(call), "mac", [](const fleet_query& view, const system_record& system) {
            std::vector<std::string> result;
            for (const auto& fact : view.around().search.facts_of(system.number)) {
                const bool mac = fact.path.starts_with(interfaces) && fact.path.ends_with(".mac");
                if (mac && fact.text != "00:00:00:00:00:00") result.push_back(lower(fact.text));
            }
            return result;
        });
}

}  // namespace muster::xmlrpc_api
