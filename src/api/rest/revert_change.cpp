#include "api/rest/revert_change.h"

#include <boost/json.hpp>

#include <map>
#include <optional>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

// The operations on the items of a section.
struct section_operations {
    const char* create;
    const char* update;
    const char* remove;
    const char* update_name = "name";  // the argument that names the item
    std::vector<std::string> members;  // of the item, each an argument of the same name
};

const std::map<std::string, section_operations, std::less<>>& operations_by_section() {
    static const std::map<std::string, section_operations, std::less<>> table{
        {"groups",
         {.create = "groups.create",
          .update = "groups.replace",
          .remove = "groups.remove",
          .members = {"expression", "description"}}},
        {"windows",
         {.create = "windows.create",
          .update = "windows.change",
          .remove = "windows.remove",
          .members = {"type", "calendar"}}},
        {"roles",
         {.create = "roles.create",
          .update = "roles.change",
          .remove = "roles.remove",
          .update_name = "role",
          .members = {"rights", "about"}}},
        {"accept-rules",
         {.create = "accept-rules.create",
          .update = nullptr,
          .remove = "accept-rules.remove",
          .members = {"priority", "networks", "names", "zone", "tags", "groups"}}},
        {"calendars",
         {.create = nullptr, .update = nullptr, .remove = "calendars.remove", .members = {}}}};
    return table;
}

revert_change remove_item(const section_operations& operations, const std::string& name) {
    return {.operation = operations.remove, .arguments = {{operations.update_name, name}}};
}

revert_change write_item(
    const section_operations& operations,
    const char* operation,
    const char* name_argument,
    const changed_item& item) {
    revert_change change{.operation = operation, .arguments = {{name_argument, item.name}}};
    for (const auto& member : operations.members) {
        if (const auto* const value = item.before.as_object().if_contains(member))
            change.arguments[member] = *value;
    }
    return change;
}

bool has_activation_key(const json::value& rule) {
    const auto* const members = rule.if_object();
    const auto* const key = members == nullptr ? nullptr : members->if_contains("activation_key");
    return key != nullptr && key->is_bool() && key->get_bool();
}

}  // namespace

const std::vector<std::string>& revertible_sections() {
    static const std::vector<std::string> sections{
        "policy", "windows", "groups", "roles", "accept-rules", "calendars"};
    return sections;
}

result<std::vector<revert_change>> revert_changes(const changed_item& item) {
    using changes = std::vector<revert_change>;
    if (item.section == "policy") {
        if (!item.before.is_object()) return fail(errc::invalid, "the policy did not exist before");
        return changes{{.operation = "windows.set-policy", .arguments = item.before.get_object()}};
    }
    const auto it = operations_by_section().find(item.section);
    if (it == operations_by_section().end())
        return fail(
            errc::invalid, "section " + item.section + " cannot be reverted; change it by hand");
    const auto& operations = it->second;
    if (item.before.is_null()) return changes{remove_item(operations, item.name)};
    if (!item.before.is_object()) return fail(errc::corrupt, "the item is unreadable");
    if (has_activation_key(item.before))
        return fail(errc::invalid, "its activation key is a secret that revisions do not contain");
    if (operations.create == nullptr)
        return fail(errc::invalid, "revisions do not contain the text of a calendar");
    if (item.after.is_null())
        return changes{write_item(operations, operations.create, "name", item)};
    if (operations.update != nullptr)
        return changes{write_item(operations, operations.update, operations.update_name, item)};
    return changes{
        remove_item(operations, item.name),
        write_item(operations, operations.create, "name", item)};
}

}  // namespace muster::api
