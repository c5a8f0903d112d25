#include "apps/muster/cli/chain_steps.h"

#include "apps/muster/cli/document.h"
#include "services/jobs/functions.h"

#include <boost/json.hpp>

#include <algorithm>

namespace muster::cli {
namespace {

namespace json = boost::json;

json::object to_step(const std::string& text) {
    const auto functions = jobs::known_functions();
    if (std::ranges::find(functions, text) != functions.end()) return {{"function", text}};
    return {{"function", "cmd.run"}, {"arguments", {{"cmd", text}}}};
}

json::value expand_step(const json::value& step_value) {
    if (step_value.is_string()) return to_step(json::value_to<std::string>(step_value));
    const auto* const members = step_value.if_object();
    if (members == nullptr || !members->contains("cmd") || members->contains("function"))
        return step_value;
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
    for (const auto& text : texts) steps.push_back(to_step(text));
    return steps;
}

result<json::array> read_chain(std::string_view text) {
    TRY(const auto document, read_document(text, scalar_mode::typed));
    const auto* const members = document.if_object();
    const auto* const steps =
        members != nullptr && members->size() == 1 ? members->if_contains("steps") : &document;
    if (steps == nullptr || !steps->is_array())
        return fail(
            errc::invalid,
            "invalid chain; expected a list of steps, or `steps:` with a list of steps");
    json::array expanded;
    for (const auto& step : steps->as_array()) expanded.push_back(expand_step(step));
    return expanded;
}

}  // namespace muster::cli
