#include "apps/muster/cli/people_output.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

const json::value* find_member(const json::value& object, const std::string& name) {
    const auto* members = object.if_object();
    return members == nullptr ? nullptr : members->if_contains(name);
}

void shorten_grants(json::value& person) {
    auto* members = person.if_object();
    auto* grants = members == nullptr ? nullptr : members->if_contains("grants");
    if (grants == nullptr || !grants->is_array()) return;
    for (auto& grant : grants->as_array()) {
        const auto zone = text_in(grant, "zone");
        grant = text_in(grant, "role") + (zone.empty() ? "" : "@" + zone);
    }
}

}  // namespace

std::string text_in(const json::value& object, const char* name) {
    const auto* member = find_member(object, name);
    return member != nullptr && member->is_string() ? json::value_to<std::string>(*member) : "";
}

result<json::array> read_grants(const std::vector<std::string>& texts) {
    json::array grants;
    for (const auto& text : texts) {
        const auto separator = text.find('@');
        json::object grant{{"role", text.substr(0, separator)}};
        if (separator != std::string::npos) grant.emplace("zone", text.substr(separator + 1));
        const bool valid = separator != 0 && !text.empty() && separator != text.size() - 1;
        if (!valid)
            return fail(
                errc::invalid, fmt::format("--grant: \"{}\" is not ROLE or ROLE@ZONE", text));
        grants.push_back(std::move(grant));
    }
    return grants;
}

json::value with_grant_texts(json::value response) {
    if (auto* items = response.if_array()) {
        for (auto& item : *items) shorten_grants(item);
    } else {
        shorten_grants(response);
    }
    return response;
}

std::string whoami_table(const json::value& me) {
    json::object identity;
    for (const auto* name : {"user", "by", "must_change"}) {
        if (const auto* member = find_member(me, name)) identity.emplace(name, *member);
    }
    auto output = render(identity, output_format::table, {});
    const auto* rights = find_member(me, "rights");
    if (rights == nullptr || !rights->is_object() || rights->as_object().empty()) return output;
    json::array rows;
    for (const auto& right : rights->as_object()) {
        const bool everywhere = right.value().is_null();
        rows.push_back(json::object{
            {"right", right.key()},
            {"where", everywhere ? json::value("everywhere") : right.value()}});
    }
    return output + "\n" + render(rows, output_format::table, {"right", "where"});
}

exit_code print_people(const api_flags& flags, const people_request& request) {
    const auto response = call_api(resolve_context(flags.client), request.call);
    if (!response) return print_error(request.command, response.error());
    const auto* items = find_member(*response, "items");
    auto shown = items == nullptr ? *response : *items;
    if (flags.format == output_format::table) shown = with_grant_texts(std::move(shown));
    fmt::print("{}", render(shown, flags.format, request.columns));
    if (!request.shown_once.empty() && !text_in(*response, request.shown_once.c_str()).empty())
        print_hint(request.message);
    return exit_code::ok;
}

}  // namespace muster::cli
