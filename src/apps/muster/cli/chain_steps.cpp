#include "apps/muster/cli/chain_steps.h"

#include "apps/muster/cli/document.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>

#include <algorithm>

namespace muster::cli {
namespace {

namespace json = boost::json;

json::object step_of(const std::string& text) {
    const auto existing = jobs::known_functions();
    if (std::ranges::find(existing, text) != existing.end()) return {{"function", text}};
    return {{"function", "cmd.run"}, {"arguments", {{"cmd", text}}}};
}

json::value spelled_out(const json::value& input) {
    if (input.is_string()) return step_of(json::value_to<std::string>(input));
    const auto* const members = input.if_object();
    if (members == nullptr || !members->contains("cmd") || members->contains("function"))
        return input;
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
    for (const auto& text : texts) steps.push_back(step_of(text));
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
