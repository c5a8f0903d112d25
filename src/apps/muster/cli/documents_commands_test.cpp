#include "apps/command_line/command.h"
#include "apps/command_line/command_description.h"
#include "apps/command_line/completion.h"
#include "apps/command_line/manual.h"
#include "apps/muster/cli/command_line.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

using command_line::command_description;

// The commands of the program itself.
struct muster_words {
    command_line::program program{"muster", "Manages a fleet"};
    action chosen;
    command_description tree;

    muster_words() {
        for (const auto add : all_commands()) add(program.root(), chosen);
        tree = command_line::describe(program.root());
    }
};

struct ran {
    std::optional<int> exit_code;
    std::string output;
};

// Gives the text to a program as its last argument, a file.
ran run_on(std::vector<std::string> argv, const std::string& text) {
    const harness::temporary_directory where("documents");
    const auto file = where.path() / "text";
    const auto output = where.path() / "output";
    std::ofstream(file) << text;
    argv.push_back(file.string());
    harness::process running(
        {.argv = std::move(argv), .environment = {}, .output = output, .user = {}});
    const auto code = running.wait(std::chrono::seconds(30));
    std::ostringstream ostringstream;
    ostringstream << std::ifstream(output).rdbuf();
    return {.exit_code = code, .output = ostringstream.str()};
}

// What bash offers after these words; the last one is the one being typed.
std::string offered(const std::string& script, const std::vector<std::string>& words) {
    auto test = script + "\ncompopt() { :; }\nCOMP_WORDS=(";
    for (const auto& word : words) test += "'" + word + "' ";
    test += ")\nCOMP_CWORD=" + std::to_string(words.size() - 1)
            + "\n_muster\necho \"<${COMPREPLY[*]}>\"\n";
    return run_on({"bash"}, test).output;
}

// As a dash is written in roff.
std::string dashed(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '-') result += '\\';
        result += letter;
    }
    return result;
}

TEST_CASE("each command and flag is in the completion script of each shell") {
    const muster_words all;
    const auto bash = command_line::bash_completion(all.tree);
    const auto zsh = command_line::zsh_completion(all.tree);
    const auto fish = command_line::fish_completion(all.tree);
    const auto paths = command_line::all_paths(all.tree);

    REQUIRE(paths.size() > 80);
    for (const auto& [words, command] : paths) {
        CAPTURE(words);
        CHECK(bash.contains("        '" + words + "')\n"));
        CHECK(zsh.contains("        '" + words + "')\n"));
        CHECK(fish.contains("-n '__muster_at " + words + "' "));
        for (const auto& option : command->options) {
            for (const auto& flag : option.flags) {
                CAPTURE(flag);
                CHECK(bash.contains(flag));
                CHECK(zsh.contains("'" + flag + ":"));
                CHECK(fish.contains(
                    flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1)));
            }
        }
    }
}

TEST_CASE("bash accepts its script, and completes commands, flags and values by it") {
    const muster_words all;
    const auto script = command_line::bash_completion(all.tree);

    const auto checked = run_on({"bash", "-n"}, script);
    CHECK(checked.exit_code == 0);
    CHECK(checked.output.empty());
    CHECK(offered(script, {"muster", "tok"}) == "<tokens>\n");
    CHECK(offered(script, {"muster", "users", "un"}) == "<unlock>\n");
    CHECK(offered(script, {"muster", "users", "-o", "json", "dis"}) == "<disable>\n");
    CHECK(offered(script, {"muster", "users", "add", "ann", "--gr"}) == "<--grant>\n");
    CHECK(offered(script, {"muster", "users", "-o", "y"}) == "<yaml>\n");
    CHECK(offered(script, {"muster", "users", "--output", "=", "j"}) == "<json>\n");
    CHECK(offered(script, {"muster", "users", "--output", "="}) == "<table json yaml>\n");
    CHECK(offered(script, {"muster", "completion", "f"}) == "<fish>\n");
    CHECK(offered(script, {"muster", "tokens", "--user", "make", "rev"}) == "<revoke>\n");
    CHECK(offered(script, {"muster", "nonsense", "--x", "tok"}) == "<tokens>\n");
}

TEST_CASE("every command has a sentence and an example, its own or that of the one above it") {
    const muster_words all;
    for (const auto& top : all.tree.subcommands) {
        for (const auto& [words, command] : command_line::all_paths(top)) {
            CAPTURE(words);
            CHECK_FALSE(command->about.empty());
            CHECK(
                (!command->examples.empty() || !top.examples.empty() || words == "version"
                 || words.starts_with("config")));
        }
    }
}

TEST_CASE("each command has a manual page with its sections and every flag below it") {
    const muster_words all;
    const command_line::manual_frame frame{.version = "1.0", .exit_codes = {{"0", "success"}}};
    for (const auto& top : all.tree.subcommands) {
        CAPTURE(top.name);
        const auto page =
            command_line::manual_page(all.tree, std::vector<std::string>{top.name}, frame);
        for (const auto* section : {"NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"})
            CHECK(page.contains(std::string("\n.SH ") + section + "\n"));
        for (const auto& [words, command] : command_line::all_paths(top)) {
            CAPTURE(words);
            CHECK((words == top.name || page.contains("\n.SS muster " + dashed(words) + "\n")));
            for (const auto& option : command->options) {
                for (const auto& flag : option.flags) {
                    CAPTURE(flag);
                    CHECK(page.contains("\\fB" + dashed(flag) + "\\fR"));
                }
            }
        }
        std::istringstream lines(page);
        for (std::string line; std::getline(lines, line);) {
            CAPTURE(line);
            const auto request = line.substr(0, line.find(' '));
            CHECK(
                (!line.starts_with('.') || request == ".TH" || request == ".SH" || request == ".SS"
                 || request == ".TP" || request == ".PP" || request == ".br" || request == ".nf"
                 || request == ".fi"));
            CHECK_FALSE(line.starts_with('\''));
        }
    }
    const auto whole = command_line::manual_page(all.tree, {}, frame);
    for (const auto& top : all.tree.subcommands)
        CHECK(whole.contains("\\fBmuster " + top.name + "\\fR"));
}

TEST_CASE("completion and man answer for what there is, and refuse what there is not") {
    CHECK(run_command_line(all_commands(), {"completion", "fish"}) == exit_code::ok);
    CHECK(run_command_line(all_commands(), {"completion", "tcsh"}) == exit_code::usage);
    CHECK(run_command_line(all_commands(), {"man", "users", "add"}) == exit_code::ok);
    CHECK(run_command_line(all_commands(), {"man", "user"}) == exit_code::usage);
}

}  // namespace
}  // namespace muster::cli
