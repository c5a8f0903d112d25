#pragma once

#include "api/xmlrpc/methods/declaring.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// What systems told of their hardware and their network, from their facts; searches in it; and
// systems that tell the same of themselves. What a system did not tell is left out.
class hardware_methods {
public:
    explicit hardware_methods(const fleet_view& view) : view_(view) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_searches(method_book& to);

    async<answer> get_network(call asked);
    async<answer> get_network_devices(call asked);
    async<answer> get_cpu(call asked);
    async<answer> get_memory(call asked);
    async<answer> get_dmi(call asked);
    async<answer> get_devices(call asked);
    async<answer> get_uuid(call asked);
    async<answer> list_fqdns(call asked);
    async<answer> by_description(call asked);
    async<answer> by_driver(call asked);
    async<answer> by_vendor(call asked);
    async<answer> same_host(call asked);
    async<answer> same_address(call asked);
    async<answer> same_mac(call asked);

    using facts = std::vector<targeting::fact>;
    result<facts> facts_in(const call& asked) const;
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
    static std::vector<device> devices_in(const facts& told);
    result<answer> search(const call& asked, std::string device::* looked_at) const;
    using traits_of = std::function<std::vector<std::string>(const system_record&)>;
    async<answer> duplicates(call asked, std::string member, traits_of told) const;

    const fleet_view& view_;
};

}  // namespace muster::xmlrpc_api
