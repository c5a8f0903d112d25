#include "apps/muster/cli/chain_steps.h"

#include "apps/muster/cli/document.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>

#include <algorithm>

namespace muster::cli {
namespace {

namespace json = boost::json;

json::object step_of(const std::string& text) {
    const auto known = jobs::known_functions();
    if (std::ranges::find(known, text) != known.end()) return {{"function", text}};
    return {{"function", "cmd.run"}, {"arguments", {{"cmd", text}}}};
}

json::value spelled_out(const json::value& given) {
    if (given.is_string()) return step_of(json::value_to<std::string>(given));
    const auto* const members = given.if_object();
    if (members == nullptr || !members->contains("cmd") || members->contains("function"))
        return given;
    auto step = *members;
    const json::object arguments{{"cmd", step.at("cmd")}};
    step.erase("cmd");
    step["function"] = "cmd.run";
    step["arguments"] = arguments;
    return step;
}

}  // namespace

json::array chain_steps(const std::vector<std::string>& texts) {
    json::array steps;
    for (const auto& each : texts) steps.push_back(step_of(each));
    return steps;
}

result<json::array> read_chain(std::string_view text) {
    TRY(const auto read, read_document(text, scalars::typed));
    const auto* const members = read.if_object();
    const auto* const steps =
        members != nullptr && members->size() == 1 ? members->if_contains("steps") : &read;
    if (steps == nullptr || !steps->is_array())
        return fail(errc::invalid, "a chain is a list of steps, or `steps:` with such a list");
    json::array all;
    for (const auto& each : steps->as_array()) all.push_back(spelled_out(each));
    return all;
}

}  // namespace muster::cli
