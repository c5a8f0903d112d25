#include "core/configuration/deployment_request.h"

namespace muster::configuration {

using api::value;

result<deployment_request> parse_deployment_request(const value& arguments) {
    const std::string function(deployment_function);
    deployment_request request;
    const auto* const list = arguments.get<value::list>();
    if (list != nullptr && list->empty()) return request;
    const auto* const members = arguments.get<value::record>();
    if (members == nullptr)
        return fail(errc::invalid, "arguments of " + function + " must be an object");
    for (const auto& [name, given] : *members) {
        const auto* const text = given.get<std::string>();
        const auto* const flag = given.get<bool>();
        if (name == "channel" && text != nullptr) {
            request.files.channel = *text;
        } else if (name == "by_expression" && flag != nullptr) {
            request.files.by_expression = *flag;
        } else if (name == "dry_run" && flag != nullptr) {
            request.mode = *flag ? deployment_mode::compare : deployment_mode::write;
        } else {
            return fail(
                errc::invalid,
                "invalid argument \"" + name + "\" of " + function
                    + "; known arguments: channel (string), by_expression and dry_run (true or "
                      "false)");
        }
    }
    return request;
}

std::string explain_empty_plan(std::uint64_t left_out) {
    if (left_out == 0) return "none of the systems has configuration files to deploy";
    return std::to_string(left_out)
           + " of the systems have configuration files only through the expression of a group; set "
             "by_expression to deploy these files, too";
}

}  // namespace muster::configuration
