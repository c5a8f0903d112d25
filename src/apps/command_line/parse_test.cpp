#include "apps/command_line/parse.h"

#include "apps/command_line/command.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::command_line {
namespace {

// Redirects standard output and standard error to a file while it lives.
class captured_output {
public:
    captured_output() {
        flush();
        const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        REQUIRE(file >= 0);
        ::dup2(file, STDOUT_FILENO);
        ::dup2(file, STDERR_FILENO);
        ::close(file);
    }
    captured_output(const captured_output&) = delete;
    captured_output& operator=(const captured_output&) = delete;
    ~captured_output() {
        flush();
        ::dup2(stdout_, STDOUT_FILENO);
        ::dup2(stderr_, STDERR_FILENO);
        ::close(stdout_);
        ::close(stderr_);
    }

    std::string text() const {
        flush();
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    static void flush() {
        std::cout.flush();
        std::fflush(stdout);
        std::fflush(stderr);
    }

    harness::temporary_directory directory_{"output"};
    std::filesystem::path path_ = directory_.path() / "text";
    int stdout_ = ::dup(STDOUT_FILENO);
    int stderr_ = ::dup(STDERR_FILENO);
};

// `fleet ships [list]` with an operand and flags, and `fleet ships sink`.
struct small_program {
    program words{"fleet", "Manage ships"};
    std::vector<std::string> query;
    std::string format;
    int limit = 100;
    std::string chosen;

    small_program() {
        auto& root = words.root();
        root.require_subcommand(1, 1);
        auto* ships = root.add_subcommand("ships", "Manage ships");
        ships->require_subcommand(0, 1);
        ships->add_option("-o,--output", format, "Format");
        auto* list = ships->add_subcommand("list", "List ships");
        list->add_option("query", query, "Query")->type_name("QUERY");
        list->add_option("-o,--output", format, "Format");
        list->add_option("--limit", limit, "Maximum number of ships");
        list->callback([this] { chosen = "list"; });
        auto* sink = ships->add_subcommand("sink", "Sink ships");
        sink->callback([this] { chosen = "sink"; });
        ships->default_subcommand("list");
    }

    parse_outcome run(std::vector<std::string> arguments) {
        return parse(words.root(), std::move(arguments));
    }
};

TEST_CASE("a noun without a verb runs its default verb with that verb's flags and operands") {
    small_program fleet;
    CHECK(fleet.run({"ships", "tag:web", "--limit", "5", "-o", "json"}) == parse_outcome::chosen);
    CHECK(fleet.chosen == "list");
    CHECK(fleet.query == std::vector<std::string>{"tag:web"});
    CHECK(fleet.limit == 5);
    CHECK(fleet.format == "json");
}

TEST_CASE("a verb is found behind flags of its noun, with and without values of their own") {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"ships", "-o", "list", "sink"},
          {"ships", "--output=list", "sink"},
          {"ships", "-olist", "sink"}}) {
        small_program fleet;
        CHECK(fleet.run(words) == parse_outcome::chosen);
        CHECK(fleet.chosen == "sink");
        CHECK(fleet.format == "list");
    }
}

TEST_CASE("a value of a flag of the default verb is not taken for a verb") {
    small_program fleet;
    CHECK(fleet.run({"ships", "--limit", "7"}) == parse_outcome::chosen);
    CHECK(fleet.chosen == "list");
    CHECK(fleet.limit == 7);
}

TEST_CASE("the help behind operands or flags is that of the default verb") {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"ships", "tag:web", "--help"},
          {"ships", "--limit", "5", "-h"}}) {
        small_program fleet;
        std::string text;
        {
            const captured_output output;
            CHECK(fleet.run(words) == parse_outcome::help_printed);
            text = output.text();
        }
        CHECK(text.contains("Maximum number of ships"));
    }
}

TEST_CASE("an unknown command is an error, also with --help, and names the nearest one") {
    small_program fleet;
    std::string text;
    {
        const captured_output output;
        CHECK(fleet.run({"shops", "--help"}) == parse_outcome::invalid);
        text = output.text();
    }
    CHECK(text.contains("unknown command \"shops\""));
    CHECK(text.contains("ships"));
}

TEST_CASE("--version prints name and version") {
    small_program fleet;
    std::string text;
    {
        const captured_output output;
        CHECK(fleet.run({"--version"}) == parse_outcome::help_printed);
        text = output.text();
    }
    CHECK(text == "fleet " MUSTER_VERSION "\n");
}

}  // namespace
}  // namespace muster::command_line
