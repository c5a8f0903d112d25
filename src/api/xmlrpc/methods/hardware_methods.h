#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "api/xmlrpc/methods/method_declarations.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// What systems told of their hardware and their network, from their facts; searches in it; and
// systems that tell the same of themselves. What a system did not tell is left out.
class hardware_methods {
public:
    explicit hardware_methods(const fleet_query& view) : view_(view) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_searches(method_registry& to);

    async<answer> get_network(call call);
    async<answer> get_network_devices(call call);
    async<answer> get_cpu(call call);
    async<answer> get_memory(call call);
    async<answer> get_dmi(call call);
    async<answer> get_devices(call call);
    async<answer> get_uuid(call call);
    async<answer> list_fqdns(call call);
    async<answer> by_description(call call);
    async<answer> by_driver(call call);
    async<answer> by_vendor(call call);
    async<answer> same_host(call call);
    async<answer> same_address(call call);
    async<answer> same_mac(call call);

    using facts = std::vector<targeting::fact>;
    result<facts> facts_in(const call& call) const;
    // What agents tell is their disks; what else a machine has, its own facts may tell as
    // devices.card0.driver.
    struct device {
        std::string name = {};
        std::string of_class = {};
        std::string driver = {};
        std::string description = {};
        std::string vendor = {};
        std::string id = {};
        std::string bus = {};
        std::string pci_type = {};
    };
    static std::vector<device> devices_in(const facts& facts);
    result<answer> search(const call& call, std::string device::* looked_at) const;
    using traits_of =
        std::vector<std::string> (*)(const fleet_query& view, const system_record& of);
    async<answer> duplicates(call call, std::string member, traits_of traits_of) const;

    const fleet_query& view_;
};

}  // namespace muster::xmlrpc_api
