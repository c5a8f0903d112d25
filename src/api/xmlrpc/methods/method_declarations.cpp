#include "api/xmlrpc/methods/method_declarations.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;

namespace {
constexpr std::int64_t members_max = 200;
}

operation method_defaults::reading(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) const {
    return {
        .name = std::string(prefix) + name,
        .summary = std::move(summary),
        .takes = std::move(takes),
        .gives = std::move(gives),
        .needed = reads,
        .within = reads_within};
}

operation method_defaults::changing(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) const {
    return {
        .name = std::string(prefix) + name,
        .summary = std::move(summary),
        .method = verb::post,
        .takes = std::move(takes),
        .gives = std::move(gives),
        .needed = changes,
        .within = changes_within};
}

operation asking(std::string name, std::string summary, std::vector<parameter> takes, shape gives) {
    return method_defaults().reading(
        std::move(name), std::move(summary), std::move(takes), std::move(gives));
}

operation asking_by_post(operation operation) {
    operation.method = verb::post;
    operation.read_only = true;
    return operation;
}

operation changing(
    std::string name,
    std::string summary,
    std::vector<parameter> takes,
    right needed,
    shape gives) {
    return method_defaults{.changes = needed}.changing(
        std::move(name), std::move(summary), std::move(takes), std::move(gives));
}

operation changing_systems(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) {
    auto result = changing(
        std::move(name),
        std::move(summary),
        std::move(takes),
        right::systems_change,
        std::move(gives));
    result.within = scope::filtered;
    return result;
}

parameter one_system() {
    return argument("sid", system_id());
}

parameter some_systems() {
    return argument("sids", list_of(system_id(), systems_of_call_max));
}

shape flag_or_number() {
    return anything();
}

bool flag_in(const call& call, std::string_view name) {
    const auto* input = call.arguments().find(name);
    if (input == nullptr) return false;
    if (const auto* flag = input->get<bool>()) return *flag;
    if (const auto* number = input->get<std::int64_t>()) return *number != 0;
    const auto* text = input->get<std::string>();  // as the query of an address has it
    return text != nullptr && (*text == "true" || *text == "1");
}

parameter labels(std::string name) {
    return argument(std::move(name), list_of(api::name(), labels_max));
}

std::vector<std::string> labels_in(const call& call, std::string_view name) {
    return call.optional_texts(name).value_or(std::vector<std::string>());
}

shape some_struct() {
    return map_of(anything(), members_max);
}

struct_reader::struct_reader(const call& call, std::string_view argument)
    : given_(call.arguments().find(argument)) {}

const value* struct_reader::find(std::string_view name) const {
    const auto* match = given_ == nullptr ? nullptr : given_->find(name);
    return match == nullptr || match->is_nothing() ? nullptr : match;
}

void struct_reader::refuse(std::string_view name, std::string_view desired) {
    if (wrong_.empty()) wrong_ = fmt::format("`{}`: {} is wanted", name, desired);
}

std::optional<std::string> struct_reader::text(std::string_view name) {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    if (const auto* text = it->get<std::string>()) return *text;
    // Nothing but a clean type says that these bytes are text.
    if (const auto* bytes = it->get<value::bytes>()) return bytes->content;
    refuse(name, "a text");
    return std::nullopt;
}

std::optional<std::string> struct_reader::text_or_digits(std::string_view name) {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    if (const auto* number = it->get<std::int64_t>()) return std::to_string(*number);
    return text(name);
}

std::optional<std::int64_t> struct_reader::integer(std::string_view name) {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    if (const auto* number = it->get<std::int64_t>()) return *number;
    refuse(name, "a whole number");
    return std::nullopt;
}

std::optional<bool> struct_reader::flag(std::string_view name) {
    const auto* it = find(name);
    if (it == nullptr) return std::nullopt;
    if (const auto* flag = it->get<bool>()) return *flag;
    if (const auto* number = it->get<std::int64_t>()) return *number != 0;
    refuse(name, "a flag");
    return std::nullopt;
}

result<void> struct_reader::finish() const {
    if (wrong_.empty()) return {};
    return fail(errc::invalid, wrong_);
}

}  // namespace muster::xmlrpc_api
