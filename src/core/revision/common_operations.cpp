#include "core/revision/common_operations.h"

#include <algorithm>
#include <array>

namespace muster::revision {
namespace {

using access::right;
using api::sharing;

struct row {
    std::string_view operation;
    sharing shares;
    std::string_view section;
    std::string_view named_by;
};

constexpr std::array table{
    row{"groups.create", sharing::common, "groups", "name"},
    row{"groups.replace", sharing::common, "groups", "name"},
    row{"groups.remove", sharing::common, "groups", "name"},
    row{"calendars.create", sharing::common, "calendars", "label"},
    row{"calendars.replace", sharing::common, "calendars", "name"},
    row{"calendars.remove", sharing::common, "calendars", "name"},
    row{"windows.create", sharing::common, "windows", "name"},
    row{"windows.change", sharing::common, "windows", "name"},
    row{"windows.remove", sharing::common, "windows", "name"},
    row{"windows.set-policy", sharing::common, "policy", ""},
    // Systems' own, and yet of use in the draft that makes the schedule.
    row{"windows.assign", sharing::draft, "windows", "name"},
    row{"windows.unassign", sharing::draft, "", ""},
    row{"accept-rules.create", sharing::common, "accept-rules", "name"},
    row{"accept-rules.remove", sharing::common, "accept-rules", "name"},
    row{"roles.create", sharing::common, "roles", "name"},
    row{"roles.change", sharing::common, "roles", "role"},
    row{"roles.remove", sharing::common, "roles", "role"},
    // By the names of the compatible API.
    row{"systemgroup.create", sharing::common, "groups", "name"},
    row{"systemgroup.update", sharing::common, "groups", "systemGroupName"},
    row{"systemgroup.delete", sharing::common, "groups", "systemGroupName"},
    row{"systemgroup.subscribeConfigChannel", sharing::common, "group-config", "systemGroupName"},
    row{"systemgroup.unsubscribeConfigChannel", sharing::common, "group-config", "systemGroupName"},
    row{"channel.software.create", sharing::common, "channels", "label"},
    row{"channel.software.clone", sharing::common, "channels", ""},
    row{"channel.software.delete", sharing::common, "channels", "channelLabel"},
    row{"channel.software.setDetails", sharing::common, "channels", "channelLabel"},
    row{"channel.software.associateRepo", sharing::common, "channels", "channelLabel"},
    row{"channel.software.disassociateRepo", sharing::common, "channels", "channelLabel"},
    row{"channel.software.createRepo", sharing::common, "repositories", "label"},
    row{"channel.software.updateRepoUrl", sharing::common, "repositories", "label"},
    row{"channel.software.removeRepo", sharing::common, "repositories", "label"},
    row{"configchannel.create", sharing::common, "config-channels", "label"},
    row{"configchannel.update", sharing::common, "config-channels", "label"},
    row{"configchannel.deleteChannels", sharing::common, "config-channels", ""},
    row{"system.custominfo.createKey", sharing::common, "custom-keys", "keyLabel"},
    row{"system.custominfo.updateKey", sharing::common, "custom-keys", "keyLabel"},
    row{"system.custominfo.deleteKey", sharing::common, "custom-keys", "keyLabel"},
    row{"access.createRole", sharing::common, "roles", "label"},
    row{"access.deleteRole", sharing::common, "roles", "label"},
    row{"access.grantAccess", sharing::common, "roles", "label"},
    row{"access.revokeAccess", sharing::common, "roles", "label"},
    // Without the name: activation keys are secret.
    row{"activationkey.*", sharing::common, "accept-rules", ""},
};

bool is_meant(const row& by, std::string_view operation) {
    if (!by.operation.ends_with('*')) return operation == by.operation;
    return operation.starts_with(by.operation.substr(0, by.operation.size() - 1));
}

const row* find(std::string_view operation) {
    const auto* const found =
        std::ranges::find_if(table, [&](const row& row) { return is_meant(row, operation); });
    return found == table.end() ? nullptr : found;
}

}  // namespace

sharing sharing_of(std::string_view operation) {
    const auto* const entry = find(operation);
    return entry == nullptr ? sharing::own : entry->shares;
}

common_item item_of(std::string_view operation) {
    const auto* const entry = find(operation);
    return entry == nullptr ? common_item{} : common_item{entry->section, entry->named_by};
}

bool takes_several_steps(std::string_view operation, const api::value& arguments) {
    if (operation == "configchannel.create") {
        // It also writes the first file of the channel.
        const auto* const type = arguments.find("type");
        return type != nullptr && type->holds<std::string>()
               && *type->get<std::string>() == "state";
    }
    // They also change the systems and groups that use the item.
    return operation == "systemgroup.delete" || operation == "configchannel.deleteChannels";
}

right right_to_read(std::string_view section) {
    if (section == "roles") return right::people_read;
    // Accept rules name networks and systems, so they need the right to read the fleet.
    const auto fleet_sections = {
        "groups",
        "calendars",
        "windows",
        "policy",
        "accept-rules",
        "channels",
        "repositories",
        "config-channels",
        "group-config",
        "custom-keys"};
    const bool is_fleet_section =
        std::ranges::find(fleet_sections, section) != fleet_sections.end();
    return is_fleet_section ? right::fleet_read : right::common_apply;
}

}  // namespace muster::revision
