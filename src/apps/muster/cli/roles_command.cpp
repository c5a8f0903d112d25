#include "apps/command_line/command.h"
#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/people_output.h"
#include "apps/muster/cli/rights_table.h"
#include "apps/muster/cli/system_verbs.h"
#include "core/access/right.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::cli {
namespace {

namespace json = boost::json;

constexpr auto examples =
    "Examples:\n"
    "  muster roles                                      list roles with their rights\n"
    "  muster roles rights                               list all rights\n"
    "  muster roles add patcher --right fleet.read --right jobs.read --right jobs.run\n"
    "  muster roles change patcher --right jobs.run      replace the rights of a role\n"
    "  muster users change ann --grant patcher@eu        grant a role to a user\n"
    "  muster roles remove patcher                       refused while the role is granted\n";

struct roles_flags {
    api_flags api;
    std::string name;
    std::vector<std::string> rights;
    std::optional<std::string> description;
};

const std::string root_path = "/api/v1/roles";

std::string path_of(const roles_flags& flags) {
    return root_path + "/" + path_segment(flags.name);
}

exit_code list_roles(const roles_flags& flags) {
    return print_people(
        flags.api,
        {.command = "roles",
         .call = {.path = root_path},
         .columns = {"name", "built_in", "about", "rights"}});
}

json::object described_by(const roles_flags& flags) {
    json::object body;
    if (!flags.rights.empty()) body.emplace("rights", json_list(flags.rights));
    if (flags.description) body.emplace("about", *flags.description);
    return body;
}

exit_code add_role(const roles_flags& flags) {
    auto body = described_by(flags);
    body.emplace("name", flags.name);
    return print_people(
        flags.api,
        {.command = "roles add",
         .call = {.method = "POST", .path = root_path, .body = std::move(body)}});
}

exit_code change_role(const roles_flags& flags) {
    auto body = described_by(flags);
    if (body.empty())
        return print_error(
            "roles change", {exit_code::usage, "nothing to change; use --right or --about"});
    return print_people(
        flags.api,
        {.command = "roles change",
         .call = {.method = "PATCH", .path = path_of(flags), .body = std::move(body)}});
}

exit_code remove_role(const roles_flags& flags) {
    return print_people(
        flags.api,
        {.command = "roles remove", .call = {.method = "DELETE", .path = path_of(flags)}});
}

exit_code list_rights(output_format format) {
    fmt::print("{}", render(all_rights_json(), format, {"right", "roles"}));
    return exit_code::ok;
}

void add_rights_verb(command_line::command& noun, action& chosen) {
    const auto format = std::make_shared<output_format>(output_format::table);
    auto* rights =
        noun.add_subcommand("rights", "List all rights with the built-in roles that have them");
    add_output_flag(*rights, *format);
    add_example(*rights, "muster roles rights");
    rights->callback([&chosen, format] {
        chosen = [format] {
            return list_rights(*format);
        };
    });
}

}  // namespace

void add_roles(command_line::command& root, action& chosen) {
    const auto flags = std::make_shared<roles_flags>();
    auto* noun = add_list_command(
                     root,
                     {"roles", "Manage roles and their rights", examples},
                     flags->api,
                     chosen,
                     [flags] { return list_roles(*flags); })
                     .noun;
    using verb = verb_spec<roles_flags>;
    for (const auto& spec :
         {verb{"add", "Create a role", add_role, "muster roles add patcher --right jobs.run"},
          verb{
              "change",
              "Change a role; omitted options stay unchanged",
              change_role,
              "muster roles change patcher --about 'for the night shift'"},
          verb{
              "remove",
              "Remove a role that is not granted to any user",
              remove_role,
              "muster roles remove patcher"}}) {
        auto* command = add_verb_spec(*noun, flags, chosen, spec);
        command->add_option("name", flags->name, "Role name")->required()->type_name("ROLE");
        if (spec.run == remove_role) continue;
        auto* rights =
            command->add_option("--right", flags->rights, "Right of the role; may be repeated")
                ->one_value()
                ->suggest(right_names())
                ->type_name("RIGHT");
        if (spec.run == add_role) rights->required();
        command->add_option("--about", flags->description, "Description")->type_name("TEXT");
    }
    add_rights_verb(*noun, chosen);
}

}  // namespace muster::cli
