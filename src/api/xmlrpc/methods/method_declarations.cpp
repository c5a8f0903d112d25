#include "api/xmlrpc/methods/method_declarations.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;

namespace {
constexpr std::int64_t members_max = 200;
}

operation method_defaults::read_method(
    std::string name,
    std::string summary,
    std::vector<parameter> parameters,
    shape response) const {
    return {
        .name = std::string(prefix) + name,
        .summary = std::move(summary),
        .takes = std::move(parameters),
        .gives = std::move(response),
        .needed = read_right,
        .within = read_scope};
}

operation method_defaults::change_method(
    std::string name,
    std::string summary,
    std::vector<parameter> parameters,
    shape response) const {
    return {
        .name = std::string(prefix) + name,
        .summary = std::move(summary),
        .method = verb::post,
        .takes = std::move(parameters),
        .gives = std::move(response),
        .needed = change_right,
        .within = change_scope};
}

operation read_method(
    std::string name, std::string summary, std::vector<parameter> parameters, shape response) {
    return method_defaults().read_method(
        std::move(name), std::move(summary), std::move(parameters), std::move(response));
}

operation read_by_post(operation operation) {
    operation.method = verb::post;
    operation.read_only = true;
    return operation;
}

operation change_method(
    std::string name,
    std::string summary,
    std::vector<parameter> parameters,
    right required_right,
    shape response) {
    return method_defaults{.change_right = required_right}.change_method(
        std::move(name), std::move(summary), std::move(parameters), std::move(response));
}

operation systems_change_method(
    std::string name, std::string summary, std::vector<parameter> parameters, shape response) {
    auto result = change_method(
        std::move(name),
        std::move(summary),
        std::move(parameters),
        right::systems_change,
        std::move(response));
    result.within = scope::filtered;
    return result;
}

parameter system_parameter() {
    return argument("sid", system_id());
}

parameter systems_parameter() {
    return argument("sids", list_of(system_id(), systems_of_call_max));
}

shape flag_or_number() {
    return anything();
}

bool read_flag(const call& call, std::string_view name) {
    const auto* argument = call.arguments().find(name);
    if (argument == nullptr) return false;
    if (const auto* flag = argument->get<bool>()) return *flag;
    if (const auto* number = argument->get<std::int64_t>()) return *number != 0;
    const auto* text = argument->get<std::string>();  // as the query of an address has it
    return text != nullptr && (*text == "true" || *text == "1");
}

parameter labels_parameter(std::string name) {
    return argument(std::move(name), list_of(api::name(), labels_max));
}

std::vector<std::string> read_labels(const call& call, std::string_view name) {
    return call.optional_texts(name).value_or(std::vector<std::string>());
}

shape struct_shape() {
    return map_of(anything(), members_max);
}

struct_reader::struct_reader(const call& call, std::string_view argument)
    : argument_(call.arguments().find(argument)) {}

const value* struct_reader::find(std::string_view name) const {
    const auto* match = argument_ == nullptr ? nullptr : argument_->find(name);
    return match == nullptr || match->is_nothing() ? nullptr : match;
}

void struct_reader::set_error(std::string_view name, std::string_view expected) {
    if (error_.empty()) error_ = fmt::format("`{}`: {} required", name, expected);
}

std::optional<std::string> struct_reader::text(std::string_view name) {
    const auto* member = find(name);
    if (member == nullptr) return std::nullopt;
    if (const auto* text = member->get<std::string>()) return *text;
    // Nothing but a clean type says that these bytes are text.
    if (const auto* bytes = member->get<value::bytes>()) return bytes->content;
    set_error(name, "string");
    return std::nullopt;
}

std::optional<std::string> struct_reader::text_or_digits(std::string_view name) {
    const auto* member = find(name);
    if (member == nullptr) return std::nullopt;
    if (const auto* number = member->get<std::int64_t>()) return std::to_string(*number);
    return text(name);
}

std::optional<std::int64_t> struct_reader::integer(std::string_view name) {
    const auto* member = find(name);
    if (member == nullptr) return std::nullopt;
    if (const auto* number = member->get<std::int64_t>()) return *number;
    set_error(name, "integer");
    return std::nullopt;
}

std::optional<bool> struct_reader::flag(std::string_view name) {
    const auto* member = find(name);
    if (member == nullptr) return std::nullopt;
    if (const auto* flag = member->get<bool>()) return *flag;
    if (const auto* number = member->get<std::int64_t>()) return *number != 0;
    set_error(name, "boolean");
    return std::nullopt;
}

result<void> struct_reader::finish() const {
    if (error_.empty()) return {};
    return fail(errc::invalid, error_);
}

}  // namespace muster::xmlrpc_api
