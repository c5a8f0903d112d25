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

std::vector<std::string> all_of(const facts& told, std::string_view path) {
    std::vector<std::string> made;
    for (const auto& each : told)
        if (each.path == path) made.push_back(each.text);
    return made;
}

std::string one_of(const facts& told, std::string_view path) {
    for (const auto& each : told)
        if (each.path == path) return each.text;
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
std::map<std::string, members> parts_of(const facts& told, std::string_view beginning) {
    std::map<std::string, members> made;
    for (const auto& each : told) {
        const auto last = each.path.rfind('.');
        if (!each.path.starts_with(beginning) || last < beginning.size()) continue;
        const auto name = each.path.substr(beginning.size(), last - beginning.size());
        made[name][each.path.substr(last + 1)].push_back(each.text);
    }
    return made;
}

std::string first(const members& of, const std::string& name) {
    const auto found = of.find(name);
    return found == of.end() ? std::string() : found->second.front();
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
    const auto found = of.find("addresses");
    if (found != of.end()) {
        for (const auto& each : found->second) {
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

std::vector<hardware_methods::device> hardware_methods::devices_in(const facts& told) {
    std::vector<device> made;
    for (const auto& [name, each] : parts_of(told, disks))
        made.push_back(
            {.name = first(each, "device"),
             .of_class = "HD",
             .driver = first(each, "type"),
             .description = name + " " + first(each, "size")});
    for (const auto& [name, each] : parts_of(told, devices))
        made.push_back(
            {.name = name,
             .of_class = first(each, "class"),
             .driver = first(each, "driver"),
             .description = first(each, "description"),
             .vendor = first(each, "vendor"),
             .id = first(each, "device_id"),
             .bus = first(each, "bus"),
             .pci_type = first(each, "pcitype")});
    return made;
}

result<void> hardware_methods::declare_searches(method_book& to) {
    using self = hardware_methods;
    const auto found = list_of(anything());
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
        {asking("system.listDuplicatesByHostname", "Systems of the same host name", {}, found),
         done_by(this, &self::same_host)}));
    CHECK_OK(to.add(
        {asking("system.listDuplicatesByIp", "Systems of the same address", {}, found),
         done_by(this, &self::same_address)}));
    return to.add(
        {asking("system.listDuplicatesByMac", "Systems of the same network card", {}, found),
         done_by(this, &self::same_mac)});
}

result<void> hardware_methods::declare(method_book& to) {
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

result<facts> hardware_methods::facts_in(const call& asked) const {
    TRY(const auto found, view_.find(asked, asked.integer("sid")));
    return view_.around().found.facts_of(found.number);
}

async<answer> hardware_methods::get_network(call asked) {
    CO_TRY(const auto found, view_.find(asked, asked.integer("sid")));
    const auto all = view_.picture(found);
    const auto sixth = std::ranges::find_if(all.addresses, is_sixth);
    const auto fourth = std::ranges::find_if_not(all.addresses, is_sixth);
    co_return answer{value::record{
        {"ip", fourth == all.addresses.end() ? std::string() : *fourth},
        {"ip6", sixth == all.addresses.end() ? std::string() : *sixth},
        {"hostname", all.host}}};
}

async<answer> hardware_methods::get_network_devices(call asked) {
    CO_TRY(const auto told, facts_in(asked));
    value::list made;
    for (const auto& [name, each] : parts_of(told, interfaces))
        made.push_back(told_interface(name, each));
    co_return answer{std::move(made)};
}

async<answer> hardware_methods::get_cpu(call asked) {
    CO_TRY(const auto told, facts_in(asked));
    value::record made{
        {"model", known(one_of(told, "cpu.model"))},
        {"arch", known(one_of(told, "cpu.arch"))},
        {"count", known_number(one_of(told, "cpu.count"))},
        {"vendor", one_of(told, "cpu.vendor")},
        {"family", one_of(told, "cpu.family")},
        {"mhz", one_of(told, "cpu.mhz")},
        {"cache", one_of(told, "cpu.cache")},
        {"flags", one_of(told, "cpu.flags")},
        {"stepping", one_of(told, "cpu.stepping")}};
    co_return answer{std::move(made)};
}

async<answer> hardware_methods::get_memory(call asked) {
    CO_TRY(const auto told, facts_in(asked));
    co_return answer{value::record{
        {"ram", number_of(one_of(told, "memory.total"), mebibyte)},
        {"swap", number_of(one_of(told, "memory.swap"), mebibyte)}}};
}

async<answer> hardware_methods::get_dmi(call asked) {
    CO_TRY(const auto told, facts_in(asked));
    value::record made;
    for (const char* each :
         {"vendor",
          "system",
          "product",
          "asset",
          "board",
          "bios_release",
          "bios_vendor",
          "bios_version"})
        made.push_back({each, one_of(told, std::string("dmi.") + each)});
    co_return answer{std::move(made)};
}

async<answer> hardware_methods::get_devices(call asked) {
    CO_TRY(const auto told, facts_in(asked));
    value::list made;
    for (const auto& each : devices_in(told))
        made.push_back(value::record{
            {"device", each.name},
            {"device_class", each.of_class},
            {"driver", each.driver},
            {"description", each.description},
            {"bus", each.bus},
            {"pcitype", each.pci_type}});
    co_return answer{std::move(made)};
}

async<answer> hardware_methods::get_uuid(call asked) {
    CO_TRY(const auto found, view_.find(asked, asked.integer("sid")));
    co_return answer{found.machine_id};
}

async<answer> hardware_methods::list_fqdns(call asked) {
    CO_TRY(const auto told, facts_in(asked));
    value::list made;
    for (auto& each : all_of(told, "fqdn")) made.emplace_back(std::move(each));
    co_return answer{std::move(made)};
}

// The first device that fits, with the system that has it.
result<answer> hardware_methods::search(const call& asked, std::string device::* looked_at) const {
    TRY(auto systems, view_.meant(asked));
    return view_.list(
        std::move(systems),
        [this, term = lower(asked.text("searchTerm")), looked_at](
            const system_record& each) -> result<value> {
            const auto all = devices_in(view_.around().found.facts_of(each.number));
            const auto fits = std::ranges::find_if(
                all, [&](const device& one) { return lower(one.*looked_at).contains(term); });
            if (fits == all.end()) return value();
            auto made = found_system(view_, view_.picture(each));
            made.push_back({"hw_description", fits->description});
            made.push_back({"hw_device_id", fits->id});
            made.push_back({"hw_vendor_id", fits->vendor});
            made.push_back({"hw_driver", fits->driver});
            return value(std::move(made));
        });
}

async<answer> hardware_methods::by_description(call asked) {
    co_return search(asked, &device::description);
}

async<answer> hardware_methods::by_driver(call asked) {
    co_return search(asked, &device::driver);
}

async<answer> hardware_methods::by_vendor(call asked) {
    co_return search(asked, &device::vendor);
}

async<answer> hardware_methods::duplicates(call asked, std::string member, traits_of told) const {
    CO_TRY(const auto systems, view_.meant(asked));
    if (systems.size() > compared_max)
        co_return fail(errc::invalid, "there are too many systems to compare them in one call");
    std::map<std::string, std::vector<system_number>> by_trait;
    for (auto from = system_number(0);; co_await fleet::let_others_run()) {
        const auto some = systems.page(from, looked_at_once);
        if (some.empty()) break;
        from = some.back().next();
        for (const auto each : some) {
            const auto record = view_.around().known.find(each);
            if (!record) continue;
            for (const auto& trait : told(*record)) by_trait[trait].push_back(each);
        }
    }
    value::list made;
    for (const auto& [trait, which] : by_trait) {
        if (which.size() < 2) continue;
        value::list alike;
        for (const auto each : which) {
            const auto record = view_.around().known.find(each);
            if (!record) continue;
            const auto seen = view_.sighting_of(*record);
            alike.push_back(value::record{
                {"systemId", each.value()},
                {"systemName", view_.name_of(*record)},
                {"last_checkin", seen ? value(seen->last_seen) : value()}});
        }
        made.push_back(value::record{{member, trait}, {"systems", std::move(alike)}});
    }
    co_return answer{std::move(made)};
}

async<answer> hardware_methods::same_host(call asked) {
    return duplicates(std::move(asked), "hostname", [this](const system_record& each) {
        return std::vector{lower(view_.picture(each).host)};
    });
}

async<answer> hardware_methods::same_address(call asked) {
    return duplicates(std::move(asked), "ip", [this](const system_record& each) {
        return view_.picture(each).addresses;
    });
}

async<answer> hardware_methods::same_mac(call asked) {
    return duplicates(std::move(asked), "mac", [this](const system_record& each) {
        std::vector<std::string> made;
        for (const auto& one : view_.around().found.facts_of(each.number)) {
            const bool mac = one.path.starts_with(interfaces) && one.path.ends_with(".mac");
            if (mac && one.text != "00:00:00:00:00:00") made.push_back(lower(one.text));
        }
        return made;
    });
}

}  // namespace muster::xmlrpc_api
