#include "apps/muster/cli/people_output.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

const json::value* member_of(const json::value& object, const std::string& name) {
    const auto* members = object.if_object();
    return members == nullptr ? nullptr : members->if_contains(name);
}

void shorten_grants(json::value& person) {
    auto* members = person.if_object();
    auto* grants = members == nullptr ? nullptr : members->if_contains("grants");
    if (grants == nullptr || !grants->is_array()) return;
    for (auto& each : grants->as_array()) {
        const auto zone = text_in(each, "zone");
        each = text_in(each, "role") + (zone.empty() ? "" : "@" + zone);
    }
}

}  // namespace

std::string text_in(const json::value& object, const char* name) {
    const auto* member = member_of(object, name);
    return member != nullptr && member->is_string() ? json::value_to<std::string>(*member) : "";
}

result<json::array> read_grants(const std::vector<std::string>& written) {
    json::array grants;
    for (const auto& each : written) {
        const auto sign = each.find('@');
        json::object grant{{"role", each.substr(0, sign)}};
        if (sign != std::string::npos) grant.emplace("zone", each.substr(sign + 1));
        const bool whole = sign != 0 && !each.empty() && sign != each.size() - 1;
        if (!whole)
            return fail(errc::invalid, fmt::format("--grant: `{}` is not ROLE or ROLE@ZONE", each));
        grants.push_back(std::move(grant));
    }
    return grants;
}

json::value with_short_grants(json::value answer) {
    if (auto* items = answer.if_array()) {
        for (auto& item : *items) shorten_grants(item);
    } else {
        shorten_grants(answer);
    }
    return answer;
}

std::string whoami_table(const json::value& me) {
    json::object who;
    for (const auto* each : {"user", "by", "must_change"}) {
        if (const auto* member = member_of(me, each)) who.emplace(each, *member);
    }
    auto output = render(who, output_format::table, {});
    const auto* rights = member_of(me, "rights");
    if (rights == nullptr || !rights->is_object() || rights->as_object().empty()) return output;
    json::array rows;
    for (const auto& each : rights->as_object()) {
        const bool everywhere = each.value().is_null();
        rows.push_back(json::object{
            {"right", each.key()},
            {"where", everywhere ? json::value("everywhere") : each.value()}});
    }
    return output + "\n" + render(rows, output_format::table, {"right", "where"});
}

exit_code print_people(const api_flags& flags, const people_request& people_request) {
    const auto answered = call_api(context_of(flags.client), people_request.call);
    if (!answered) return complain(people_request.command, answered.error());
    const auto* items = member_of(*answered, "items");
    auto output = items == nullptr ? *answered : *items;
    if (flags.format == output_format::table) output = with_short_grants(std::move(output));
    fmt::print("{}", render(output, flags.format, people_request.columns));
    if (!people_request.shown_once.empty()
        && !text_in(*answered, people_request.shown_once.c_str()).empty())
        hint(people_request.sentence);
    return exit_code::well;
}

}  // namespace muster::cli
