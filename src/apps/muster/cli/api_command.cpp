#include "apps/muster/cli/api_command.h"

#include "apps/command_line/command.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace muster::cli {
namespace {

bool is_unreserved(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

}  // namespace

exit_code print_response(
    const std::string& command,
    const api_flags& flags,
    const api_call& call,
    const std::vector<std::string>& columns) {
    const auto response = call_api(resolve_context(flags.client), call);
    if (!response) return print_error(command, response.error());
    const auto* members = response->if_object();
    const auto* items = members == nullptr ? nullptr : members->if_contains("items");
    const auto* change = members == nullptr ? nullptr : members->if_contains("change");
    const bool in_draft = change != nullptr && members->contains("edit") && change->is_object();
    if (in_draft && flags.format == output_format::table) {
        fmt::print(
            "change {} added to the draft; to publish the draft, run: muster revisions edit "
            "apply\n",
            change->at("number").to_number<std::int64_t>());
        return exit_code::ok;
    }
    fmt::print("{}", render(items == nullptr ? *response : *items, flags.format, columns));
    return exit_code::ok;
}

exit_code print_error(const std::string& command, const api_failure& failure) {
    fmt::print(stderr, "muster {}: {}\n", command, failure.message);
    return failure.code;
}

void print_hint(const std::string& message) {
    static_cast<void>(std::fflush(stdout));
    fmt::print(stderr, "{}\n", message);
}

std::string path_segment(std::string_view name) {
    std::string segment;
    for (const char letter : name) {
        if (is_unreserved(letter)) {
            segment += letter;
        } else {
            segment += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        }
    }
    return segment;
}

// NOLINTNEXTLINE(readability-function-size): each command names all six
command_line::command* add_verb(
    command_line::command& noun,
    const std::string& name,
    const std::string& text,
    api_flags& flags,
    action& chosen,
    const action& run) {
    auto* verb = noun.add_subcommand(name, text);
    add_client_flags(*verb, flags.client);
    add_output_flag(*verb, flags.format);
    verb->callback([&chosen, run] { chosen = run; });
    return verb;
}

void add_example(command_line::command& verb, const char* line) {
    if (line != nullptr) verb.footer(fmt::format("Example:\n  {}\n", line));
}

list_command add_list_command(
    command_line::command& root,
    const command_texts& texts,
    api_flags& flags,
    action& chosen,
    const action& list) {
    auto* noun = root.add_subcommand(texts.name, texts.text);
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags.client);
    add_output_flag(*noun, flags.format);
    noun->footer(texts.examples);
    auto* list_verb =
        add_verb(*noun, "list", fmt::format("List {}", texts.name), flags, chosen, list);
    const auto example = fmt::format("muster {} list -o json", texts.name);
    add_example(*list_verb, example.c_str());
    noun->default_subcommand("list");
    return {.noun = noun, .list = list_verb};
}

}  // namespace muster::cli
