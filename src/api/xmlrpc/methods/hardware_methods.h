#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Hardware and network of systems, from their facts; searches in them; and systems with equal
// traits. Facts that a system did not report are left out.
class hardware_methods {
public:
    explicit hardware_methods(const fleet_query& fleet) : fleet_(fleet) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_searches(method_registry& registry);

    async<method_response> get_network(call call);
    async<method_response> get_network_devices(call call);
    async<method_response> get_cpu(call call);
    async<method_response> get_memory(call call);
    async<method_response> get_dmi(call call);
    async<method_response> get_devices(call call);
    async<method_response> get_uuid(call call);
    async<method_response> list_fqdns(call call);
    async<method_response> search_description(call call);
    async<method_response> search_driver(call call);
    async<method_response> search_vendor(call call);
    async<method_response> list_same_host(call call);
    async<method_response> list_same_address(call call);
    async<method_response> list_same_mac(call call);

    using facts = std::vector<targeting::fact>;
    result<facts> read_facts(const call& call) const;
    // Agents report disks. Other devices may be in custom facts, such as devices.card0.driver.
    struct device {
        std::string name = {};
        std::string device_class = {};
        std::string driver = {};
        std::string description = {};
        std::string vendor = {};
        std::string id = {};
        std::string bus = {};
        std::string pci_type = {};
    };
    static std::vector<device> read_devices(const facts& facts);
    result<method_response> search_devices(const call& call, std::string device::* field) const;
    using trait_reader =
        std::vector<std::string> (*)(const fleet_query& fleet, const system_record& system);
    async<method_response> list_duplicates(
        call call, std::string member, trait_reader trait_reader) const;

    const fleet_query& fleet_;
};

}  // namespace muster::xmlrpc_api
