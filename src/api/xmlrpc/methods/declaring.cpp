#include "api/xmlrpc/methods/declaring.h"

#include <fmt/format.h>

#include <utility>

namespace muster::xmlrpc_api {

using namespace api;
using access::right;

namespace {
constexpr std::int64_t members_max = 200;
}

operation method_family::reading(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) const {
    return {
        .name = std::string(prefix) + name,
        .summary = std::move(summary),
        .takes = std::move(takes),
        .gives = std::move(gives),
        .needed = reads,
        .within = reads_within};
}

operation method_family::changing(
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
    return method_family().reading(
        std::move(name), std::move(summary), std::move(takes), std::move(gives));
}

operation asking_by_post(operation what) {
    what.method = verb::post;
    what.changes_nothing = true;
    return what;
}

operation changing(
    std::string name,
    std::string summary,
    std::vector<parameter> takes,
    right needed,
    shape gives) {
    return method_family{.changes = needed}.changing(
        std::move(name), std::move(summary), std::move(takes), std::move(gives));
}

operation changing_systems(
    std::string name, std::string summary, std::vector<parameter> takes, shape gives) {
    auto made = changing(
        std::move(name),
        std::move(summary),
        std::move(takes),
        right::systems_change,
        std::move(gives));
    made.within = scope::filtered;
    return made;
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

bool flag_in(const call& asked, std::string_view name) {
    const auto* given = asked.arguments().find(name);
    if (given == nullptr) return false;
    if (const auto* flag = given->get<bool>()) return *flag;
    if (const auto* number = given->get<std::int64_t>()) return *number != 0;
    const auto* text = given->get<std::string>();  // as the query of an address has it
    return text != nullptr && (*text == "true" || *text == "1");
}

parameter labels(std::string name) {
    return argument(std::move(name), list_of(api::name(), labels_max));
}

std::vector<std::string> labels_in(const call& asked, std::string_view name) {
    return asked.optional_texts(name).value_or(std::vector<std::string>());
}

shape some_struct() {
    return map_of(anything(), members_max);
}

struct_reader::struct_reader(const call& asked, std::string_view argument)
    : given_(asked.arguments().find(argument)) {}

const value* struct_reader::find(std::string_view name) const {
    const auto* found = given_ == nullptr ? nullptr : given_->find(name);
    return found == nullptr || found->is_nothing() ? nullptr : found;
}

void struct_reader::refuse(std::string_view name, std::string_view wanted) {
    if (wrong_.empty()) wrong_ = fmt::format("`{}`: {} is wanted", name, wanted);
}

std::optional<std::string> struct_reader::text(std::string_view name) {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    if (const auto* text = found->get<std::string>()) return *text;
    // Nothing but a clean type says that these bytes are text.
    if (const auto* bytes = found->get<value::bytes>()) return bytes->content;
    refuse(name, "a text");
    return std::nullopt;
}

std::optional<std::string> struct_reader::text_or_digits(std::string_view name) {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    if (const auto* number = found->get<std::int64_t>()) return std::to_string(*number);
    return text(name);
}

std::optional<std::int64_t> struct_reader::integer(std::string_view name) {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    if (const auto* number = found->get<std::int64_t>()) return *number;
    refuse(name, "a whole number");
    return std::nullopt;
}

std::optional<bool> struct_reader::flag(std::string_view name) {
    const auto* found = find(name);
    if (found == nullptr) return std::nullopt;
    if (const auto* flag = found->get<bool>()) return *flag;
    if (const auto* number = found->get<std::int64_t>()) return *number != 0;
    refuse(name, "a flag");
    return std::nullopt;
}

result<void> struct_reader::finish() const {
    if (wrong_.empty()) return {};
    return fail(errc::invalid, wrong_);
}

}  // namespace muster::xmlrpc_api
