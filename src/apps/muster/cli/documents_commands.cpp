#include "apps/command_line/command.h"
#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/manual.h"
#include "apps/command_line/markdown.h"
#include "apps/muster/cli/command_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

// Commands that describe the command line: `completion` and `man`.

namespace muster::cli {
namespace {

constexpr auto completion_examples =
    "Examples:\n"
    "  muster completion bash > /etc/bash_completion.d/muster\n"
    "  source <(muster completion bash)                      current shell only\n"
    "  muster completion zsh > /usr/local/share/zsh/site-functions/_muster\n"
    "  muster completion fish > ~/.config/fish/completions/muster.fish\n";

constexpr auto manual_examples =
    "Examples:\n"
    "  muster man | man -l -                                 the program\n"
    "  muster man users | man -l -                           a command and its subcommands\n"
    "  muster man users > /usr/local/share/man/man1/muster-users.1\n";

exit_code print_completion(const command_line::command& root, const std::string& shell) {
    const auto tree = command_line::describe(root);
    if (shell == "bash") fmt::print("{}", command_line::bash_completion(tree));
    if (shell == "zsh") fmt::print("{}", command_line::zsh_completion(tree));
    if (shell == "fish") fmt::print("{}", command_line::fish_completion(tree));
    return exit_code::ok;
}

exit_code print_manual(const command_line::command& root, const std::vector<std::string>& words) {
    const command_line::manual_frame frame{
        .version = MUSTER_VERSION,
        .exit_codes = {
            {"0", "success"},
            {"1", "failed: tasks failed on some systems, or the command failed"},
            {"2", "wrong usage, setting or expression"},
            {"3", "not allowed, or not logged in"},
            {"4", "cluster not reachable"},
            {"5", "timed out, or results are missing"}}};
    const auto page = command_line::manual_page(command_line::describe(root), words, frame);
    if (page.empty()) {
        std::string requested;
        for (const auto& word : words) requested += " " + word;
        fmt::print(stderr, "muster man: command \"muster{}\" not found\n", requested);
        return exit_code::usage;
    }
    fmt::print("{}", page);
    return exit_code::ok;
}

}  // namespace

void add_completion(command_line::command& root, action& chosen) {
    auto* verb = root.add_subcommand("completion", "Print a shell completion script");
    const auto shell = std::make_shared<std::string>();
    verb->add_option("shell", *shell, "Shell: bash, zsh or fish")
        ->required()
        ->one_of({"bash", "zsh", "fish"})
        ->type_name("SHELL");
    verb->footer(completion_examples);
    verb->callback([&chosen, &root, shell] {
        chosen = [&root, shell] {
            return print_completion(root, *shell);
        };
    });
}

void add_man(command_line::command& root, action& chosen) {
    auto* verb = root.add_subcommand("man", "Print the manual page of a command (roff)");
    const auto words = std::make_shared<std::vector<std::string>>();
    verb->add_option("command", *words, "Command to describe (default: the program)")
        ->type_name("COMMAND");
    const auto markdown = std::make_shared<bool>(false);
    verb->add_flag("--markdown", *markdown, "Print all commands in Markdown instead");
    verb->footer(manual_examples);
    verb->callback([&chosen, &root, words, markdown] {
        chosen = [&root, words, markdown] {
            if (!*markdown) return print_manual(root, *words);
            fmt::print("{}", command_line::markdown_page(command_line::describe(root)));
            return exit_code::ok;
        };
    });
}

}  // namespace muster::cli
