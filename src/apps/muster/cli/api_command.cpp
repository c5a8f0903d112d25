#include "apps/muster/cli/api_command.h"

#include "apps/command_line/command.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace muster::cli {
namespace {

bool is_plain(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

}  // namespace

exit_code print_answer(
    const std::string& command,
    const api_flags& flags,
    const api_call& api_call,
    const std::vector<std::string>& columns) {
    const auto answered = call_api(context_of(flags.client), api_call);
    if (!answered) return complain(command, answered.error());
    const auto* members = answered->if_object();
    const auto* items = members == nullptr ? nullptr : members->if_contains("items");
    const auto* drafted = members == nullptr ? nullptr : members->if_contains("change");
    const bool in_draft = drafted != nullptr && members->contains("edit") && drafted->is_object();
    if (in_draft && flags.format == output_format::table) {
        fmt::print(
            "change {} of the draft; nothing is done until: muster revisions edit apply\n",
            drafted->at("number").to_number<std::int64_t>());
        return exit_code::well;
    }
    fmt::print("{}", render(items == nullptr ? *answered : *items, flags.format, columns));
    return exit_code::well;
}

exit_code complain(const std::string& command, const api_failure& why) {
    fmt::print(stderr, "muster {}: {}\n", command, why.sentence);
    return why.code;
}

void hint(const std::string& sentence) {
    static_cast<void>(std::fflush(stdout));
    fmt::print(stderr, "{}\n", sentence);
}

std::string path_segment(std::string_view name) {
    std::string segment;
    for (const char letter : name) {
        if (is_plain(letter)) {
            segment += letter;
        } else {
            segment += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
        }
    }
    return segment;
}

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

listing_noun add_listing_noun(
    command_line::command& root,
    const noun_words& words,
    api_flags& flags,
    action& chosen,
    const action& list) {
    auto* noun = root.add_subcommand(words.name, words.what);
    noun->require_subcommand(0, 1);
    add_client_flags(*noun, flags.client);
    add_output_flag(*noun, flags.format);
    noun->footer(words.examples);
    auto* listing = add_verb(*noun, "list", "List them", flags, chosen, list);
    const auto example = fmt::format("muster {} list -o json", words.name);
    add_example(*listing, example.c_str());
    noun->callback([&chosen, list, noun] {
        if (!noun->subcommand_chosen()) chosen = list;
    });
    return {.noun = noun, .list = listing};
}

}  // namespace muster::cli
